"""Is the answer handed out before it is earned?

What the openings show (observation, metadata, state) is sent back as the answer, in every way of :mod:`.copies`.
The flown copy is the proof. It counts only where copying *another* seed's value
does not succeed, so that no answer passes which is right by chance or on every seed.

To copy what is shown may be the task itself. A value of the observation is therefore a leak only where the
policy that succeeds does not need it: it is flown again with the value of another seed in its place, and
still succeeds. State and metadata are no part of a task; what they merely repeat of the observation is not
looked at. Without a policy that succeeds, a copy of the observation cannot be told from the task.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from gonogo.auditing.calibration import seed_of
from gonogo.auditing.leak_copies import AnswerCopy, VaryingPaths, candidates
from gonogo.auditing.plans import actions_of
from gonogo.auditing.readings import source_of
from gonogo.auditing.resets import Opening, at, key_of, unsteady, values_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow, succeeded
from gonogo.auditing.suspicions import MOSTLY, Suspicion
from gonogo.exploits.panel import Kind
from gonogo.records.audit import LeakedCopy, LeakFigures
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import View
from gonogo.wire import JsonValue, Observation

__all__ = ["leakage"]

BY_CHANCE = 0.5
"""Share of the copy's success above which another seed's value does as well."""
SCREENED = 3
STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


def leakage(session: AuditSession, flown: Survey) -> tuple[LeakFigures, list[Suspicion]]:
    """Look for answers that are handed out.

    Args:
        session: Where to fly the copies.
        flown: The survey.

    Returns:
        What the record says, and what is suspected.
    """
    tasks = [episode.task for episode in flown.idle.episodes]
    found = session.openings(tasks)
    again = session.openings(tasks[:SCREENED])
    dropped = unsteady(found[:SCREENED], again)
    openings = [opening for opening in found if opening is not None]
    space = Space(session.action_schema, session.tools)
    told = VaryingPaths(openings, dropped, guided(flown), space.leaves())
    copies = list(candidates(told, space))
    screened = [copy for copy in copies if share(fly(session, copy, openings[:SCREENED])) == 1.0]
    proofs = [prove(session, flown, chosen, openings) for chosen in distinct(screened)]
    record = LeakFigures(
        paths=len(told.paths),
        copies_flown=len(copies),
        agreements=told.most_agreeing(),
        copies=tuple(proof.record for proof in proofs),
    )
    return record, [proof.suspicion for proof in proofs if proof.suspicion is not None]


def guided(flown: Survey) -> dict[str, Episode]:
    """A successful episode of a policy that is meant to succeed, for each seed that has one."""
    rows = flown.of_kind(REFERENCE)
    return {seed_of(e.task): e for row in rows for e in row.succeeded}


def distinct(copies: Sequence[AnswerCopy]) -> list[AnswerCopy]:
    """One copy for each path and field."""
    found: dict[tuple[str, str], AnswerCopy] = {}
    for chosen in copies:
        found.setdefault((chosen.path, chosen.field), chosen)
    return list(found.values())


def fly(session: AuditSession, chosen: AnswerCopy, openings: Sequence[Opening]) -> list[Episode]:
    """Copy on each opening's task; what is seen is copied anew on every turn."""
    if chosen.is_seen and not chosen.items:
        return session.fly(chosen.habit(), [opening.task for opening in openings])
    return session.plans(chosen.name, [(o.task, chosen.plan(o)) for o in openings])


def share(episodes: Sequence[Episode]) -> float:
    """Share of episodes that succeeded."""
    return fmean(map(succeeded, episodes)) if episodes else 0.0


@dataclass(frozen=True, slots=True)
class CopyOutcome:
    """What came of one copy: its line in the record, and what is suspected, if anything."""

    record: LeakedCopy
    suspicion: Suspicion | None


def prove(
    session: AuditSession, flown: Survey, chosen: AnswerCopy, openings: Sequence[Opening]
) -> CopyOutcome:
    """Fly a copy on all seeds, another seed's copy beside it, and see whether it is the task."""
    episodes = fly(session, chosen, openings)
    others = [*episodes[1:], *episodes[:1]]
    control = session.plans(
        f"{chosen.name}, of another seed",
        [
            (mine.task, actions_of(other.turns))
            for mine, other in zip(episodes, others, strict=True)
        ],
    )
    own, other = share(episodes), share(control)
    beyond = own >= MOSTLY and other <= BY_CHANCE * own
    needed = is_needed(session, flown, chosen, openings) if beyond and chosen.is_seen else None
    verdict = "chance" if not beyond else VERDICTS[chosen.is_seen, needed]
    record = LeakedCopy(
        path=chosen.path,
        field=chosen.field,
        items=chosen.items,
        success=own,
        success_with_another_seeds_value=other,
        needed_by_reference=needed,
        verdict=verdict,
    )
    if verdict != "leak":
        return CopyOutcome(record, None)
    row = SurveyRow(chosen.name, Kind.ECHO, episodes, chosen.field)
    said = (
        f"{chosen.name}: succeeds in {own:.0%} of {len(episodes)} episodes, "
        f"with another seed's value in {other:.0%}"
    )
    best = min(row.succeeded, key=lambda episode: len(episode.turns))
    return CopyOutcome(record, Suspicion("leaked_answer", row, best, said, own - other))


VERDICTS = {
    (False, None): "leak",
    (True, False): "leak",
    (True, True): "task",
    (True, None): "unknown",
}
"""What a copy beyond chance is, by whether an agent sees its value and whether a success needs that."""


def is_needed(
    session: AuditSession, flown: Survey, chosen: AnswerCopy, openings: Sequence[Opening]
) -> bool | None:
    """Whether the policies that succeed need the value; None where none succeeds.

    They are shown another seed's value in its place. One that still succeeds does not need it.
    """
    known = {row.name: share(row.episodes) for row in flown.of_kind(REFERENCE)}
    good = {name: rate for name, rate in known.items() if rate >= BY_CHANCE}
    if not good:
        return None
    swapped = {path: swaps(path, openings) for path in {source_of(p) for _, p in chosen.sources}}

    def shows(view: View) -> Observation:
        shown = view.observation
        for path, values in swapped.items():
            shown = with_value(shown, path, values[seed_of(view.options)])
        return shown

    tasks = [opening.task for opening in openings]
    misled = session.misled(tasks, shows)
    return not any(share(misled.get(name, [])) >= MOSTLY * rate for name, rate in good.items())


def swaps(path: str, openings: Sequence[Opening]) -> dict[str, JsonValue]:
    """For each task the value of the next seed that has another one."""
    values = [values_of(opening).get(path) for opening in openings]
    found = {}
    for n, opening in enumerate(openings):
        after = [*values[n + 1 :], *values[:n]]
        mine = key_of(values[n])
        found[seed_of(opening.task)] = next(v for v in after if key_of(v) != mine)
    return found


def with_value(observation: Observation, path: str, value: JsonValue) -> Observation:
    """A copy of an observation with another value at a path; the same where it has no such path."""
    if at(observation, path) is None:
        return observation
    changed: Any = copy.deepcopy({"observation": observation})
    steps: list[Any] = ["observation"]
    steps += [name or int(place) for name, place in STEP.findall(path.removeprefix("observation"))]
    held = changed
    for step in steps[:-1]:
        held = held[step]
    held[steps[-1]] = value
    return dict(changed["observation"])
