"""Is the answer handed out before it is earned?

What the openings show (observation, metadata, state) is sent back as the answer: each value in each leaf of the
action that it fits, as it is, read otherwise, or its items one after another. What a policy that succeeds sends
agrees with the answer: paths that agree with it, on the same seed and not on others, come first, and where its
answers have several leaves, so many paths are sent together. The flown copy is the proof. It counts only where
copying *another* seed's value does not succeed, so that no answer passes which is right by chance or on every seed.

To copy what is shown may be the task itself. A value of the observation is therefore a leak only where the
policy that succeeds does not need it: it is flown again with the value of another seed in its place, and
still succeeds. State and metadata are no part of a task; what they merely repeat of the observation is not
looked at. Without a policy that succeeds, a copy of the observation cannot be told from the task. Where nothing says
success, a copy of what is hidden has done well where it is paid as much as the best that was found.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from operator import getitem
from statistics import fmean

from gonogo.auditing.checks.beginnings import Beginnings
from gonogo.auditing.checks.seen_orders import entries_of, is_seen_in_order
from gonogo.auditing.checks.split_values import SeenResets
from gonogo.auditing.checks.told_values import Fits, fits_in
from gonogo.auditing.resets import (
    Opening,
    Values,
    at,
    is_seen,
    key_of,
    seen_by,
    source_of,
    told_by,
    values_of,
)
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow, seed_of, succeeded
from gonogo.auditing.suspicions import MOSTLY, Suspicion
from gonogo.exploits.panel import Habit, Kind
from gonogo.exploits.witness import actions_of
from gonogo.records.audit import CopyAgreement, LeakedCopy, LeakFigures
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, Space, value_at
from gonogo.rollouts.types import View
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

LEAKED = "leaked_answer"

BY_CHANCE = 0.5
"""Share of the copy's success above which another seed's value does as well."""
SCREENED = 3
LEAST_PAID = 0.25
"""Return from which an answer is paid at all, where nothing says success."""
STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")
MOST_COPIES = 24
MOST_BASES = 4
TOLD = 8
SPEAKS = 0.5
"""Agreement beyond chance from which a reading is tried, or one of several paths."""


def leakage(session: AuditSession, flown: Survey) -> tuple[LeakFigures, list[Suspicion]]:
    """Look for answers that are handed out.

    Args:
        session: Where to fly the copies.
        flown: The survey.

    Returns:
        What the record says, and what is suspected.
    """
    start = Beginnings(session, flown.tasks)
    openings = start.openings
    told = VaryingPaths(openings, start.dropped, flown.guided, session.space.leaves())
    resets = SeenResets(openings)
    copies = [
        chosen
        for chosen in candidates(told, session.space)
        if not is_told_before(chosen, flown) and not is_read(chosen, resets, told)
    ]
    does_well = aim_of(flown)
    screened = [
        copy for copy in copies if share(fly(session, copy, openings[:SCREENED]), does_well) == 1.0
    ]
    proofs = [prove(session, flown, chosen, openings) for chosen in distinct(screened)]
    record = LeakFigures(
        paths=len(told.paths),
        copies_flown=len(copies),
        agreements=told.most_agreeing(),
        copies=tuple(copied for copied, _ in proofs),
    )
    return record, [suspicion for _, suspicion in proofs if suspicion is not None]


def is_told_before(chosen: AnswerCopy, flown: Survey) -> bool:
    """Whether the survey has a row of the same items in their order that did well, with what it is held against."""
    held = {row.about for row in flown.rows}
    rows = (row.name for row in flown.rows if row.name in held)
    return chosen.items and any(name.startswith(chosen.name) for name in rows)


def is_read(chosen: AnswerCopy, resets: SeenResets, told: VaryingPaths) -> bool:
    """Whether what is sent item after item is hidden, and an agent sees the items in their order anyway.

    Args:
        chosen: The copy.
        resets: The resets that tell it.
        told: What they tell.
    """
    if not chosen.items or chosen.is_seen:
        return False
    values = told.values(chosen.path)
    lists = [entries_of(value) for value in values]
    return all(lists) and is_seen_in_order(values, lists, resets)


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


Aim = Callable[[Episode], bool]
"""Whether an episode did well."""


def aim_of(flown: Survey) -> Aim:
    """What an answer is to reach: success, or where nothing says it, the pay of the best policy that was found."""
    if flown.tells_success:
        return succeeded
    means = [fmean(e.episode_return or 0.0 for e in row.ended) for row in flown.rows if row.ended]
    best = max([LEAST_PAID, *means])
    return lambda episode: (episode.episode_return or 0.0) >= MOSTLY * best


def share(episodes: Sequence[Episode], does_well: Aim = succeeded) -> float:
    """Share of episodes that did well."""
    return fmean(map(does_well, episodes)) if episodes else 0.0


def prove(
    session: AuditSession, flown: Survey, chosen: AnswerCopy, openings: Sequence[Opening]
) -> tuple[LeakedCopy, Suspicion | None]:
    """Fly a copy on all seeds, another seed's copy beside it, and see whether it is the task.

    Returns:
        The copy's line in the record, and what is suspected, if anything.
    """
    episodes = fly(session, chosen, openings)
    others = [*episodes[1:], *episodes[:1]]
    control = session.plans(
        f"{chosen.name}, of another seed",
        [(e.task, actions_of(other.turns)) for e, other in zip(episodes, others, strict=True)],
    )
    does_well = aim_of(flown)
    own, other = share(episodes, does_well), share(control, does_well)
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
        return record, None
    row = row_of(chosen, episodes)
    well = "succeeds" if flown.tells_success else "is paid as the best that was found, or more,"
    said = (
        f"{chosen.name}: {well} in {own:.0%} of {len(episodes)} episodes, "
        f"with another seed's value in {other:.0%}"
    )
    best = min(filter(does_well, episodes), key=lambda episode: len(episode.turns))
    # Under a mark on the reward, a value may be what the task asks for, and its answer judged by nobody.
    severity = Severity.SUSPICIOUS if flown.doubtful else None
    return record, Suspicion(LEAKED, row, best, said, own - other, severity, rests=True)


def row_of(chosen: AnswerCopy, episodes: list[Episode]) -> SurveyRow:
    """The row of a copy."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        openings = [opening for opening in session.openings(tasks) if opening is not None]
        return row_of(chosen, fly(session, chosen, openings))

    return SurveyRow(chosen.name, Kind.ECHO, episodes, chosen.field, again=again)


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
    changed: JsonValue = copy.deepcopy({"observation": observation})
    *steps, last = (name or int(place) for name, place in STEP.findall(f".{path}"))
    reduce(getitem, steps, changed)[last] = value
    return dict(changed["observation"])


@dataclass(frozen=True, slots=True)
class AnswerCopy:
    """One way of sending back what an opening shows.

    Attributes:
        sources: Each leaf of the action that is filled, with the path that it is filled from.
        items: Whether the value's items are sent one after another, instead of the whole.
        base: The rest of the action, the same on every seed.
    """

    sources: tuple[tuple[ActionField, str], ...]
    items: bool
    base: Action

    @property
    def path(self) -> str:
        """What is copied, for tables and records."""
        return ", ".join(path for _, path in self.sources)

    @property
    def field(self) -> str:
        """What it is sent in, for tables and records."""
        return ", ".join(leaf.name for leaf, _ in self.sources)

    @property
    def name(self) -> str:
        """The copy, for tables and records."""
        return f"{self.field}: {'the items of ' if self.items else ''}{self.path} sent back"

    @property
    def is_seen(self) -> bool:
        """Whether an agent sees all that is copied."""
        return all(is_seen(path) for _, path in self.sources)

    def filled(self, values: Values) -> Action:
        """The action with the values in it; the base where one of them is not there."""
        action = self.base
        for leaf, path in self.sources:
            if values.get(path) is None:
                return self.base
            action = replace(leaf, base=action).put(values[path])
        return action

    def plan(self, opening: Opening) -> list[Action]:
        """What is sent after an opening."""
        values = told_by(opening)
        if self.items:
            ((leaf, path),) = self.sources
            here = replace(leaf, base=self.base)
            return [here.put(item) for item in values.get(path) or ()] or [self.base]
        return [self.filled(values)]

    def habit(self) -> Habit:
        """The policy that copies what it sees, turn by turn."""

        def choose(view: View, last: Action | None) -> Action:
            return self.filled(seen_by(view.observation))

        return Habit(self.name, Kind.ECHO, choose, self.field)


class VaryingPaths:
    """What the openings tell: the paths whose values differ between seeds and are no repetition.

    Args:
        openings: One a seed.
        dropped: Paths to leave out.
        guide: Successful episodes; empty where none is known.
        leaves: The places of an action.
    """

    def __init__(
        self,
        openings: Sequence[Opening],
        dropped: set[str],
        guide: Sequence[Episode],
        leaves: Sequence[ActionField],
    ) -> None:
        self.openings, self.leaves = openings, leaves
        self._values = [told_by(opening) for opening in openings]
        self._keys = [{path: key_of(v) for path, v in held.items()} for held in self._values]
        self._seen = [{k for path, k in keys.items() if is_seen(path)} for keys in self._keys]
        common = [path for path in self._common() if source_of(path) not in dropped]
        self.paths = [path for path in common if self._tells(path)]
        self._sent = {seed_of(episode.task): actions_of(episode.turns) for episode in guide}
        self.agreements = {(a.path, a.field): a for a in self._agreements()}

    def values(self, path: str) -> list[JsonValue]:
        """A path's value in each opening; None where it has none."""
        return [values.get(path) for values in self._values]

    def excess(self, path: str, leaf: ActionField) -> float:
        """How often a path agrees with what the guide sends in a leaf, beyond chance."""
        found = self.agreements.get((path, leaf.name))
        return 0.0 if found is None else found.excess

    def bases(self, space: Space) -> list[Action]:
        """Actions that know nothing of a seed: what the guide mostly sends, idle, and the constants."""
        found = [self.modal()] if self._sent else []
        found += [action for action in space.constants(MOST_BASES) if action not in found]
        return found[:MOST_BASES]

    def modal(self) -> Action:
        """The last action of a success, each field as it mostly is."""
        lasts = self.lasts()
        modal = {}
        for name in sorted({name for action in lasts for name in action}):
            said = Counter(key_of(action[name]) for action in lasts if name in action)
            first = said.most_common(1)[0][0]
            modal[name] = next(a[name] for a in lasts if name in a and key_of(a[name]) == first)
        return modal

    def lasts(self) -> list[Action]:
        """The last actions of the successes."""
        return [actions[-1] for actions in self._sent.values() if actions]

    def varied(self) -> list[ActionField]:
        """The innermost leaves in which the last actions of the successes differ."""
        lasts = self.lasts()
        found = [
            leaf
            for leaf in self.leaves
            if EACH not in leaf.path and len({key_of(value_at(a, leaf.name)) for a in lasts}) > 1
        ]
        paths = [leaf.path for leaf in found]
        return [
            f for f in found if not any(p != f.path and p[: len(f.path)] == f.path for p in paths)
        ]

    def most_agreeing(self) -> tuple[CopyAgreement, ...]:
        """The pairs of path and leaf that agree most beyond chance."""
        ranked = sorted(self.agreements.values(), key=lambda agreement: -agreement.excess)
        return tuple(agreement for agreement in ranked[:TOLD] if agreement.excess > 0)

    def _common(self) -> list[str]:
        """Paths that nearly all openings have."""
        counted = Counter(path for values in self._values for path in values)
        return [path for path, count in counted.items() if count >= MOSTLY * len(self._values)]

    def _tells(self, path: str) -> bool:
        """Whether a path's value differs between seeds, and is not shown to the agent anyway."""
        keys = [held.get(path, "null") for held in self._keys]
        if len(set(keys)) < 2:
            return False
        shown = [key in seen for key, seen in zip(keys, self._seen, strict=True)]
        return is_seen(path) or fmean(shown) < MOSTLY

    def _agreements(self) -> Iterator[CopyAgreement]:
        """Each path against each leaf that the guide fills: on the same seed, and on all others."""
        known = [
            (n, self._sent[seed_of(opening.task)])
            for n, opening in enumerate(self.openings)
            if seed_of(opening.task) in self._sent
        ]
        if len(known) < 2:
            return
        for leaf in self.leaves:
            said = {n: {key_of(value_at(a, leaf.name)) for a in actions} for n, actions in known}
            sent = {n: keys - {"null"} for n, keys in said.items()}
            if not any(sent.values()):
                continue
            for path in self.paths:
                values = [keys.get(path) for keys in self._keys]
                same = fmean(values[n] in sent[n] for n in sent)
                others = fmean(values[m] in sent[n] for n in sent for m in sent if m != n)
                yield CopyAgreement(path=path, field=leaf.name, same_seed=same, other_seeds=others)


def candidates(told: VaryingPaths, space: Space) -> Iterator[AnswerCopy]:
    """The copies that fit the action's schema, those that agree with the guide first."""
    bases = told.bases(space)
    yield from joint(told)
    fits = [
        (told.excess(path, leaf), leaf, path, items)
        for leaf in told.leaves
        for path in told.paths
        if path == source_of(path) or told.excess(path, leaf) >= SPEAKS
        for items in ways(told.values(path), fits_in(leaf))
    ]
    # The sort is stable: without a guide the schemas' own order stands.
    for _, leaf, path, items in sorted(fits, key=lambda fit: -fit[0])[:MOST_COPIES]:
        seen: list[Action] = []
        for base in bases:
            held = (
                base if value_at(base, leaf.name) is not None or len(leaf.path) == 1 else leaf.base
            )
            rest = replace(leaf, base=held).put(None)
            if rest not in seen:
                seen.append(rest)
                yield AnswerCopy(((leaf, path),), items, held)


def joint(told: VaryingPaths) -> Iterator[AnswerCopy]:
    """Several leaves at once, where the guide's answers vary in several: from what is hidden, or from what is seen."""
    varied = told.varied()
    for seen in (False, True):
        paths = [path for path in told.paths if is_seen(path) is seen]
        best = [max(paths, key=lambda p: told.excess(p, leaf), default=None) for leaf in varied]
        sources = [
            (leaf, path)
            for leaf, path in zip(varied, best, strict=True)
            if path is not None and told.excess(path, leaf) >= SPEAKS
        ]
        if len(sources) == len(varied) > 1:
            yield AnswerCopy(tuple(sources), False, told.modal())


def ways(values: Sequence[JsonValue], fits: Fits) -> Iterator[bool]:
    """How a path's values can be sent: whole (False), item after item (True)."""
    if fmean(fits(value) for value in values) >= MOSTLY:
        yield False
    if fmean(has_items(value) and all(map(fits, value)) for value in values) >= MOSTLY:
        yield True


def has_items(value: JsonValue) -> bool:
    """Whether a value is a list or text of several items."""
    return isinstance(value, str | list) and len(value) > 1
