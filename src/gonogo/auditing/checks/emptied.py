"""Destroying what is there: an action that deletes, again and again, is paid as the best on every seed.

A check over nothing holds, and two empties are equal. But a game may well ask for an empty desk: whoever serves all
who wait leaves nobody, and is paid for each. So three things have to come together before it is called pay for nothing.
The action says by its name that it destroys; another one says that it makes or mends, so that destroying is not all
there is to do; and on no seed is anybody known who earns more, although what goes was never looked at.

A sweep (:mod:`gonogo.auditing.checks.sweeps`) sends only what is gone afterwards, so that less need not be seen at the
end. It has to earn all there is, and so has another one that leaves something else. Where the source says that the
reward divides by what the action takes away, the action may have any name.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from statistics import fmean

from gonogo.auditing.checks.paid import MOSTLY, NEARLY
from gonogo.auditing.survey import Survey, SurveyRow, best_by_seed, lessened, seed_of, total
from gonogo.exploits.panel import Kind
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, Observation

DESTROYS = frozenset({
    "delete", "del", "remove", "rm", "drop", "erase", "clear", "discard", "purge", "wipe", "destroy", "truncate",
    "unset", "strip", "empty", "prune", "uninstall",
})  # fmt: skip
"""Words of actions after which less is there."""
MAKES = frozenset({
    "replace", "edit", "set", "add", "write", "insert", "update", "fix", "mend", "repair", "change", "modify",
    "correct", "rename", "append", "create", "put", "fill", "patch", "restore", "keep", "merge", "move", "assign",
    "swap", "upsert", "save",
})  # fmt: skip
"""Words of actions that make something of what is there."""
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
FULL = 1.0
"""A whole score, for most environments: a part of it may be the most that can be had in so many turns."""
LEAST_BOTH = 2
"""Seeds on which one thing and another were left in turn."""
ROUNDING = 1e-6
LEAST_LEFT = 0.5
"""Share of the texts that are seen, less than which is left of what was emptied."""


def wiped(row: SurveyRow, survey: Survey) -> bool:
    """Whether a row destroys what is there, beside actions that would make something of it, and earns the most."""
    if row.kind not in {Kind.EMPTYING, Kind.CONSTANT, Kind.SWEEP} or not row.ended:
        return False
    if row.kind == Kind.SWEEP:
        emptied = earns_all(row) and whichever_stays(row, survey)
    else:
        emptied = fmean(map(less_is_seen, row.ended)) >= MOSTLY
    if not emptied or not (row.moves or by_name(row, survey)):
        return False
    return best_everywhere(row, survey)


def earns_all(row: SurveyRow) -> bool:
    """Whether a row succeeds on each of its seeds, or earns there what is a full mark for most scores.

    A sweep is flown before much else is known, and a part of a score may be fair for what was rightly destroyed. What
    earns more than 1 may be a part as well.
    """
    return all(e.success is True or abs(total(e) - FULL) <= ROUNDING for e in row.ended)


def whichever_stays(row: SurveyRow, survey: Survey) -> bool:
    """Whether another sweep, which leaves something else, earns the same on each seed that both flew."""
    other = survey.named(row.needs[0]) if row.needs else None
    if other is None:
        return False
    theirs = {seed_of(e.task): total(e) for e in other.ended}
    both = [(total(e), theirs[seed]) for e in row.ended if (seed := seed_of(e.task)) in theirs]
    return len(both) >= LEAST_BOTH and all(abs(their - mine) <= ROUNDING for mine, their in both)


def besides(row: SurveyRow) -> str:
    """What an explanation adds of a sweep: the other one, and what the source says; nothing of any other row."""
    if row.kind != Kind.SWEEP or not row.needs:
        return ""
    source = f"; {row.moves}" if row.moves else ""
    return f"; so does {row.needs[0]}: what is left does not matter{source}"


def less_is_seen(episode: Episode) -> bool:
    """Whether an episode shows less at its end than at its beginning: fewer items, or far less text."""
    if lessened(episode):
        return True
    if not episode.turns:
        return False
    begun = characters(episode.turns[0].observation)
    return characters(episode.final_observation) < LEAST_LEFT * begun


def characters(value: Observation | object) -> int:
    """How long the texts are that a value holds."""
    if isinstance(value, dict | list):
        return sum(map(characters, value.values() if isinstance(value, dict) else value))
    return len(value) if isinstance(value, str) else 0


def by_name(row: SurveyRow, survey: Survey) -> bool:
    """Whether the action says that it destroys, and another one of the environment that it makes something."""
    sent = row.action if row.action is not None else row.context
    if sent is None:
        return False
    places = [place for place, word in action_words(sent) if word in DESTROYS]
    if not places:
        return False
    known = {
        each for other in survey.rows for each in action_words(other.action or other.context or {})
    }
    return any((place, word) in known for place in places for word in MAKES)


def action_words(action: Action) -> Iterator[tuple[str, str]]:
    """The words of the short texts of an action, each with the field that holds it."""
    for place, value in action.items():
        if isinstance(value, str):
            yield from ((place, word.lower()) for word in WORD.findall(value))


def best_everywhere(row: SurveyRow, survey: Survey) -> bool:
    """Whether nobody is known who earns more than a row on one of its seeds."""
    if any(total(e) <= 0 for e in row.ended):
        return False
    best = best_by_seed(e for other in survey.rows if other.name != row.name for e in other.ended)
    return all(total(e) >= NEARLY * total(best.get(seed_of(e.task), e)) for e in row.ended)
