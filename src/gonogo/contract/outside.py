"""Errors of an environment that lacks something outside itself: a download, a network, a service that is elsewhere.

An audit's machine may have no network, and a service may be its author's alone. What fails for that is no proof that
the environment is broken where it was meant to run, and a reader has to be told what is missing.
"""

from __future__ import annotations

import re

from gonogo.contract.findings import Item, answer, failed
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import Proof
from gonogo.records.contract import ItemEvidence
from gonogo.records.findings import Severity

NO_NETWORK = (
    r"name or service not known|name resolution|nodename nor servname|getaddrinfo|name ?not ?resolved"
    r"|failed to resolve|domain name not found|dns (?:error|failure|resolution|lookup)"
    r"|network is unreachable|no route to host|max retries exceeded|urlopen error|newconnectionerror"
    r"|connect(?:ion)?(?:error| error|timeout| timed out| refused| failed| attempts? failed)"
    r"|(?:could ?n[o']t|cannot|can't|failed to|unable to) "
    r"(?:connect to (?:the )?['\"]?(?:server|host|service|api|database|http)"
    r"|reach (?:the )?(?:server|host|service|api|network|http)|download)"
    r"|statuscode\.unavailable|proxyerror|remotedisconnected"
)
NO_DOWNLOAD = (
    r"nltk downloader|nltk\.download|python -m spacy download|localentrynotfound|hf_hub_offline"
    r"|download (?:failed|error)|not found in (?:the )?(?:local )?cache"
)
NO_CLIENT = re.compile(
    r"'NoneType' object has no attribute '(?:chat|completions|messages|responses)'"
)
"""What is said where the client of a language model was not made, mostly for lack of a key."""
OUTSIDE = re.compile(f"{NO_NETWORK}|{NO_DOWNLOAD}", re.IGNORECASE)


def lacks(said: str | None) -> str | None:
    """What an error says that is missing outside the environment, in words; None where it says nothing of it.

    Args:
        said: All that it said.
    """
    if NO_CLIENT.search(said or "") is not None:
        return "it lacks the client of a language model, for which a key may be missing: --env NAME passes one on"
    if OUTSIDE.search(said or "") is None:
        return None
    return "it lacks something from elsewhere, a download or a service, which this machine may not reach"


def unreached(
    check: str, finding: str, said: str, task: Task, proof: Proof, evidence: ItemEvidence
) -> Item:
    """What a check came to where the environment lacked something outside: not judged, and suspicious."""
    item = failed(check, finding, said, task, proof)
    found = item.finding
    suspected = (
        None if found is None else found.model_copy(update={"severity": Severity.SUSPICIOUS})
    )
    return Item(answer(check, "na", said, task, evidence), suspected, proof)
