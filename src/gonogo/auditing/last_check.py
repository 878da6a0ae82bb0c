"""The last check of a proof: does a process that flew nothing show it, and at which of its resets?

What is proven was flown in a session in which much else was flown before. A reader starts the environment, resets it
once and sends the plan. So each proof is flown again like that. What comes out the same there stands as it is. Where an
environment serves its tasks in turn or keeps something over a reset, :mod:`gonogo.contract.reset_search` looks for the
resets after which it comes back, and the witness holds them. What never comes back is no proof, but a note.

Findings about several episodes or processes say themselves how they are seen, and are left as they are. So is all that
is found on a server, whose process cannot be started anew.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from gonogo.auditing.budget import BudgetSpent
from gonogo.auditing.checks.contract_breaks import LOSSES
from gonogo.auditing.confirmation import OF_EACH_EPISODE, Confirmed, witness_search
from gonogo.auditing.session import AuditSession, LastAnswer
from gonogo.contract.reset_search import MOST_RESETS, Before, ResetSearch, past_resets
from gonogo.env.target import UrlTarget
from gonogo.exploits.witness import Witness, decode, encode
from gonogo.records.findings import ContractWitness, EpisodeWitness
from gonogo.records.tables import reset_text
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Failure
from gonogo.wire import Action

KEPT_AS_FLOWN = frozenset({"silent_reset"})
"""Findings about several episodes whose proof is a single flight all the same."""


def last_checks(
    session: AuditSession, proofs: Sequence[Confirmed]
) -> tuple[list[Confirmed], dict[str, str], bool]:
    """Proofs as a process that flew nothing shows them.

    Args:
        session: Where they were flown last.
        proofs: They.

    Returns:
        What stands; why the others do not, by what was suspected; and whether the audit ended within a proof. One that
        it ended before stands, and says so.
    """
    stands, doubts = list[Confirmed](), dict[str, str]()
    ended = any(proof.whole for proof in proofs)
    for proof in proofs:
        try:
            came = last_check(session, proof)
        except BudgetSpent:
            came, ended = unchecked(proof), True
        if isinstance(came, str):
            doubts[proof.suspected] = came
        else:
            stands.append(came)
    return stands, doubts, ended


def last_check(session: AuditSession, proof: Confirmed) -> Confirmed | str:
    """A proof as a process that flew nothing shows it; or why it is none, as a sentence.

    Args:
        session: Where it was flown last.
        proof: It.

    Raises:
        BudgetSpent: The audit ended before it was flown there.
    """
    episode, witness = proof.episode, proof.finding.witness
    kept = proof.finding.id in KEPT_AS_FLOWN or isinstance(session.target, UrlTarget)
    if episode is None or kept or proof.settled or episode.replays in {"other", "turned"}:
        return checked(proof)
    sent = list(decode(witness.actions or ()))
    past = past_resets(episode.task, session.resets_before(episode.task, sent))
    if episode.replays == "lost":
        lost = loss_search(session, proof, episode, sent).find(None, past)
        return unseen(proof) if lost is None else after_resets(proof, episode, lost[1])
    if isinstance(witness, ContractWitness):
        found = error_search(session, episode, sent).find(episode, past)
    else:
        plan = list(decode(witness.plan or witness.actions))
        shows = proof.shows or same_as(episode)
        drawn = proof.finding.id in OF_EACH_EPISODE
        search = witness_search(session, episode.task, plan, shows, drawn=drawn)
        found = search.find(episode, past)
    if found is None:
        return unseen(proof)
    again, before = found
    if same_as(episode)(again):
        return after_resets(proof, episode, before)
    return after_resets(proof, again, before)


def checked(proof: Confirmed) -> Confirmed:
    """A proof without what compares its episode with others: a process sends no function to another one."""
    return replace(proof, shows=None)


def unseen(proof: Confirmed) -> str:
    """Why a proof is none, as a sentence."""
    return (
        f"{proof.finding.id} was proven in a running session, but a fresh process did not show it within "
        f"{MOST_RESETS} resets ({proof.finding.explanation})"
    )


def unchecked(proof: Confirmed) -> Confirmed:
    """A proof that the audit ended before it was flown in a process of its own; it says so."""
    said = f"{proof.finding.explanation}; the audit ended before a fresh process could show it"
    return checked(replace(proof, finding=proof.finding.model_copy(update={"explanation": said})))


def same_as(seen: Episode) -> Callable[[Episode], bool]:
    """Whether an episode is one that was seen, to the bit."""
    witness = Witness.of(seen)
    return lambda episode: witness.differs(Witness.of(episode)) is None


def after_resets(proof: Confirmed, episode: Episode, before: Before) -> Confirmed:
    """A proof with the episode of a fresh process, and the resets before it; the explanation says what is new in it.

    Args:
        proof: It.
        episode: Its own, where a fresh process gives that one; else the one that shows the same.
        before: The resets.
    """
    proof = replace(checked(proof), settled=True)
    if episode is proof.episode and not before:
        return proof
    finding, episode = proof.finding, replace(episode, resets_before=before)
    witness, said = finding.witness, f"{finding.explanation}; it is shown again"
    if isinstance(witness, EpisodeWitness):
        seen = Witness.of(episode)
        plan = None if witness.plan is None else list(decode(witness.plan))
        witness = seen.record(plan)
        if episode.rewards != (proof.episode.rewards if proof.episode is not None else ()):
            earned = f"{witness.worth(finding.id)} in {len(witness.actions)} steps"
            said = f"{finding.explanation}; another episode shows it, which earns {earned},"
    else:
        paid = {} if episode.replays == "lost" else {"rewards": encode(episode.rewards)}
        witness = witness.model_copy(update={"resets_before": before or None, **paid})
    others = ", after resets with other options" if any(o != episode.task for o in before) else ""
    said = f"{said} {reset_text(before)}{others}"
    told = finding.model_copy(update={"witness": witness, "explanation": said})
    return replace(proof, finding=told, episode=episode)


def loss_search(
    session: AuditSession, proof: Confirmed, episode: Episode, sent: Sequence[Action]
) -> ResetSearch[AuditSession, LastAnswer]:
    """The search for actions that lose the episode.

    Args:
        session: Whose environment it is.
        proof: The finding.
        episode: What was lost.
        sent: The actions.
    """

    def fly_after(fresh: AuditSession, before: Before) -> LastAnswer:
        return fresh.look(episode.task, sent, before or None)

    def shows(again: LastAnswer) -> bool:
        lost = again.answer
        return isinstance(lost, Failure) and LOSSES.get(lost.kind) == proof.finding.id

    def same(one: LastAnswer, other: LastAnswer) -> bool:
        return shows(one) and shows(other)

    return ResetSearch(episode.task, session.fresh, fly_after, shows, same)


def error_search(
    session: AuditSession, episode: Episode, sent: Sequence[Action]
) -> ResetSearch[AuditSession, Episode]:
    """The search for actions of which the last one is answered with an error: the same type and line, whatever is paid.

    Args:
        session: Whose environment it is.
        episode: As it was seen, up to the error.
        sent: The actions.
    """
    erred = episode.turns[-1].erred

    def raises(again: Episode) -> bool:
        ended = up_to_error(again)
        return (
            len(ended.turns) == len(sent)
            and ended.turns[-1].invalid is not None
            and (ended.turns[-1].erred == erred)
        )

    def same(one: Episode, other: Episode) -> bool:
        return raises(one) and raises(other)

    def up_to_error(again: Episode) -> Episode:
        return replace(
            again, turns=again.turns[: len(sent)], episode_return=None, success=None, components={}, timeout=False,
            replays="same",
        )  # fmt: skip

    whole = witness_search(session, episode.task, sent, raises, drawn=False)

    def fly_after(fresh: AuditSession, before: Before) -> Episode | None:
        again = whole.fly(fresh, before)
        return None if again is None else up_to_error(again)

    def go_on(fresh: AuditSession, until: Callable[[int, Episode], bool]) -> list[Episode]:
        flown = fresh.in_turn(episode.task, sent, lambda n, each: until(n, up_to_error(each)))
        return [*map(up_to_error, flown)]

    return replace(whole, fly=fly_after, go_on=go_on, same=same)
