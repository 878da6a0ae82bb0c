"""Does each reset go on to the next episode of an order, and does somebody say so?

Many an environment holds a few tasks and serves them in turn: the same reset opens another one each time. That is no
leak where it is written, and where the number of resets decides it alone. Flights tell the latter: a session that was
only reset, as often, has to give the same episode as one in which episodes were flown. A generator that no reset seeds
passes that, too, so words decide: what README and docstrings say of resets.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from gonogo.contract.determinism import Rotation, TraceHistory, difference
from gonogo.contract.prose import DENIED, sentences, words_at
from gonogo.contract.trajectories import RESETS, HistoryPlan, Trace, fly
from gonogo.records.findings import FirstDifference
from gonogo.rollouts.types import Inspection
from gonogo.rollouts.volatile import Volatile

AGAIN = "again"
TURNS = {AGAIN: 1, "after other": 3}
"""Flights of a history by how many resets its session had before them."""
EPISODES = (
    r"(?:tasks?|scenarios?|levels?|variants?|problems?|puzzles?|cases?|questions?|difficult\w+)"
)
UNFIXED = r"(?:random\w*|any|arbitrary|shuffled|no|different|varying|unspecified)\b"
"""What an order is called that is none."""
GOES_ON = re.compile(
    r"(?i)\bround[- ]?robin\b"
    r"|\b(?:advanc|mov|go|step|switch|rotat|proceed|progress)\w*\s+(?:on\s+)?to\s+the\s+next\b(?!\s+episode)"
    r"|\b(?:load|select|serv|pick|return|start|begin|giv|pull|tak|us|choos|present|open)\w*\s+(?:the\s+)?next\s+"
    r"(?!step|action|turn|obs|state|move|tick|reward|reset|call|episode)\w"
    r"|\b(?:cycl|rotat|iterat|loop)\w*\s+(?:\w+\s+)?(?:through|over|among|amongst|between|across)\b"
    r"(?!\s+(?:\w+\s+)?(?:steps?|actions?|turns?|episodes?|moves?|calls?)\b)"
    rf"|\b{EPISODES}\s+(?:\w+\s+)?(?:cycle|rotate|alternate)s?\b"
    rf"|\b(?:cycl|rotat)\w*\s+(?:the\s+|its\s+|all\s+)?{EPISODES}\b|\b{EPISODES}\s+(?:rotation|cycling)\b"
    rf"|\b(?:walk|step|go|goes|run|pag)\w*\s+through\s+(?:the\s+|its\s+|all\s+)*(?:[\w-]+\s+)?{EPISODES}\b"
    rf"|\b(?:advanc|increment|bump)\w*\s+(?:the\s+|its\s+)?{EPISODES}\b"
    r"|\b(?:serv|select|pick|chos|choos|present|load|assign|return|hand|tak|giv)\w*\b[^.;]{0,40}?\b"
    rf"(?:in\s+(?:(?!{UNFIXED})\w+\s+)?(?:order|sequence|turn)|sequentially|one\s+(?:after|by)\s+(?:the\s+)?(?:other|another|one))\b"
)
"""Words of going on through an order."""
OF_RESETS = re.compile(
    r"(?i)\breset|\b(?:each|every|new|next|per|successive|consecutive)\s+episodes?\b"
    r"|\b(?:cycl|rotat)\w*\s+(?:through|over|among|between)\s+(?:[\w-]+\s+){0,3}(?:tasks|scenarios|levels|difficulties)\b"
)
"""Words that have to stand in the same sentence: much else goes through an order within an episode, but no tasks do."""


def rotation_told(prose: str) -> str | None:
    """The words that say that each reset goes on to the next episode; None where nothing says so.

    Args:
        prose: What README and docstrings say.
    """
    for sentence in sentences(prose):
        found = GOES_ON.search(sentence)
        if found is None or not OF_RESETS.search(sentence):
            continue
        if not DENIED.search(sentence[: found.start()]):
            return words_at(sentence, found)
    return None


def opens_elsewhere(first: TraceHistory, volatile: Mapping[str, Volatile]) -> bool:
    """Whether a session's later resets open otherwise, while a new session's first opens the same.

    Args:
        first: The history.
        volatile: Places whose clocks and random ids don't count.
    """
    reference = first["reference"]
    if difference(reference, first["new session"], volatile) is not None:
        return False
    later = (difference(reference, first[name], volatile) for name in TURNS)
    return any(found is not None and found.step == 0 for found in later)


def fly_turns(connection: Inspection, plan: HistoryPlan) -> dict[str, Trace]:
    """The history's later flights, each in a new session that was only reset as often before; also resets alone.

    The latter are those of the earlier of these flights: a coin that a reset tosses may fall alike a few times.

    Args:
        connection: Where to.
        plan: How the history was flown.
    """
    options, script = plan.options(), plan.scripts[0]
    programme = [(name, before, script) for name, before in TURNS.items()]
    programme += [(name, TURNS[AGAIN], ()) for name in RESETS]
    flown = {}
    for name, before, actions in programme:
        connection.renew([0])
        for _ in range(before):
            fly(connection, 0, options, ())
        flown[name] = fly(connection, 0, options, actions)
        flown[name].before = (options,) * before
    return flown


def rotation_seen(
    first: TraceHistory,
    turned: Sequence[TraceHistory],
    told: str | None,
    volatile: Mapping[str, Volatile],
) -> Rotation | None:
    """What the number of resets decides; None where that is not known, and nothing is drawn.

    Args:
        first: The history.
        turned: The same flights after as many resets alone, and resets, in its process and in others.
        told: The words that say that resets go on to the next episode.
        volatile: Places whose clocks and random ids don't count.
    """
    drawn = next(filter(None, (drawn_in(history, volatile) for history in turned)), None)
    alike = all(difference(first[name], turned[0][name], volatile) is None for name in TURNS)
    return Rotation(told, alike, drawn) if alike or drawn is not None else None


def drawn_in(
    turned: TraceHistory, volatile: Mapping[str, Volatile]
) -> tuple[Trace, FirstDifference] | None:
    """A reset that opens otherwise than another after as many resets alone: what no seed and no process decides."""
    opened = replace(turned[AGAIN], shots=turned[AGAIN].shots[:1], failure=None)
    for trace in (turned[name] for name in RESETS):
        found = difference(opened, trace, volatile) if opened.shots and trace.shots else None
        if found is not None:
            return trace, found
    return None
