"""Is the answer handed out before it is earned?

What the openings show (observation, metadata, state) is sent back as the answer: a value as it is, or its
items one after another. The flown copy is the proof. It counts only where copying *another* seed's value
does not succeed, so that no answer passes which is right by chance or on every seed.

To copy what is shown may be the task itself. A value of the observation is therefore a leak only where the
policy that succeeds does not need it: it is flown again with the value of another seed in its place, and
still succeeds. State and metadata are no part of a task; what they merely repeat of the observation is not
looked at. Without a policy that succeeds, a copy of the observation cannot be told from the task.
"""

from __future__ import annotations

import copy
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import fmean
from typing import Any

from jsonschema import Draft202012Validator

from gonogo.exploits.panel import Habit, Kind
from gonogo.rollout.episodes import Episode
from gonogo.rollout.protocols import Json, View
from gonogo.rollout.space import Space, action_fields
from gonogo.stations.audit.airfield import Airfield
from gonogo.stations.audit.judge import MOSTLY, Suspicion
from gonogo.stations.audit.openings import Opening, at, key_of, unsteady, values_of
from gonogo.stations.audit.scale import seed_of
from gonogo.stations.audit.survey import REFERENCE, Row, Survey, actions_of, succeeded

__all__ = ["leakage"]

BY_CHANCE = 0.5
"""Share of the copy's success above which another seed's value does as well."""
MOST_COPIES = 24
MOST_BASES = 4
SCREENED = 3
TOLD = 8
STEP = re.compile(r"\.([^.\[\]]+)|\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Copy:
    """One way of sending back what an opening shows.

    Attributes:
        path: Where the value stands.
        field: Field of the action that it is sent in.
        items: Whether its items are sent one after another, instead of the whole.
        base: The other fields of the action, the same on every seed.
    """

    path: str
    field: str
    items: bool
    base: Json

    @property
    def name(self) -> str:
        """For tables and records."""
        return f"{self.field}: {'the items of ' if self.items else ''}{self.path} sent back"

    @property
    def is_seen(self) -> bool:
        """Whether an agent sees what is copied."""
        return self.path.startswith("observation.")

    def plan(self, opening: Opening) -> list[Json]:
        """What is sent after an opening; the base where it does not have the value."""
        value = values_of(opening).get(self.path)
        if self.items and value:
            return [{**self.base, self.field: item} for item in value]
        return [self.base if value is None else {**self.base, self.field: value}]

    def habit(self) -> Habit:
        """The policy that copies what it sees, turn by turn."""

        def choose(view: View, last: Json | None) -> Json:
            value = at(view.observation, self.path)
            return self.base if value is None else {**self.base, self.field: value}

        return Habit(self.name, Kind.ECHO, choose, self.field)


@dataclass(frozen=True, slots=True)
class Agreement:
    """How often a succeeding policy sends what stands at a path, on the same seed and on others."""

    same: float
    others: float

    @property
    def excess(self) -> float:
        """Beyond chance."""
        return self.same - self.others


def leakage(field: Airfield, flown: Survey) -> tuple[Json, list[Suspicion]]:
    """Look for answers that are handed out.

    Args:
        field: Where to fly the copies.
        flown: The survey.

    Returns:
        What the record says (``paths`` looked at, ``agreements`` with the succeeding policy's actions, and
        ``copies`` that succeeded, each with its control and its verdict), and what is suspected.
    """
    tasks = [episode.task for episode in flown.idle.episodes]
    found = field.openings(tasks)
    again = field.openings(tasks[:SCREENED])
    dropped = unsteady(found[:SCREENED], again)
    openings = [opening for opening in found if opening is not None]
    told = Told(openings, dropped, guided(flown))
    copies = list(candidates(told, field))
    screened = [copy for copy in copies if share(fly(field, copy, openings[:SCREENED])) == 1.0]
    record: Json = {
        "paths": len(told.paths),
        "copies_flown": len(copies),
        "agreements": told.agreements_json(),
        "copies": [],
    }
    suspected = []
    for chosen in distinct(screened):
        proof = prove(field, flown, chosen, openings)
        record["copies"].append(proof.record)
        if proof.suspicion is not None:
            suspected.append(proof.suspicion)
    return record, suspected


class Told:
    """What the openings tell: the paths whose values differ between seeds and are no repetition.

    Args:
        openings: One a seed.
        dropped: Paths to leave out.
        guide: Successful episodes by their task's key; empty where none is known.
    """

    def __init__(
        self, openings: Sequence[Opening], dropped: set[str], guide: dict[str, Episode]
    ) -> None:
        self.openings = openings
        self._values = [values_of(opening) for opening in openings]
        self.paths = [path for path in self._common() if path not in dropped and self._tells(path)]
        self._sent = {seed: actions_of(episode.turns) for seed, episode in guide.items()}
        self.agreements = dict(self._agreements())

    def values(self, path: str) -> list[Any]:
        """A path's value in each opening; None where it has none."""
        return [values.get(path) for values in self._values]

    def bases(self, space: Space) -> list[Json]:
        """Actions that know nothing of a seed: what the guide mostly sends, idle, and the constants."""
        lasts = [actions[-1] for actions in self._sent.values() if actions]
        fields = {name for action in lasts for name in action}
        modal = {}
        for name in sorted(fields):
            said = Counter(key_of(action[name]) for action in lasts if name in action)
            first = said.most_common(1)[0][0]
            modal[name] = next(a[name] for a in lasts if name in a and key_of(a[name]) == first)
        found = [modal] if modal else []
        found += [action for action in space.constants(MOST_BASES) if action not in found]
        return found[:MOST_BASES]

    def agreements_json(self) -> list[Json]:
        """The pairs of path and field that agree most beyond chance."""
        ranked = sorted(self.agreements.items(), key=lambda pair: -pair[1].excess)
        return [
            {"path": path, "field": name, "same_seed": a.same, "other_seeds": a.others}
            for (path, name), a in ranked[:TOLD]
            if a.excess > 0
        ]

    def _common(self) -> list[str]:
        """Paths that nearly all openings have."""
        counted = Counter(path for values in self._values for path in values)
        return [path for path, count in counted.items() if count >= MOSTLY * len(self._values)]

    def _tells(self, path: str) -> bool:
        """Whether a path's value differs between seeds, and is not shown to the agent anyway."""
        values = [key_of(value) for value in self.values(path)]
        if len(set(values)) < 2:
            return False
        if path.startswith("observation."):
            return True
        shown = [
            any(p.startswith("observation.") and key_of(v) == key for p, v in seen.items())
            for key, seen in zip(values, self._values, strict=True)
        ]
        return fmean(shown) < MOSTLY

    def _agreements(self) -> Iterator[tuple[tuple[str, str], Agreement]]:
        """Each path against each field that the guide fills: on the same seed, and on all others."""
        known = [
            (n, self._sent[seed_of(opening.task)])
            for n, opening in enumerate(self.openings)
            if seed_of(opening.task) in self._sent
        ]
        if len(known) < 2:
            return
        for name in sorted({name for _, actions in known for a in actions for name in a}):
            sent = {n: {key_of(a[name]) for a in actions if name in a} for n, actions in known}
            for path in self.paths:
                values = [key_of(value) for value in self.values(path)]
                same = fmean(values[n] in sent[n] for n in sent)
                others = fmean(values[m] in sent[n] for n in sent for m in sent if m != n)
                yield (path, name), Agreement(same, others)


def candidates(told: Told, field: Airfield) -> Iterator[Copy]:
    """The copies that fit the action's schema, those that agree with the guide first."""
    schema = field.action_schema
    fields = {} if field.tools else action_fields(schema)
    bases = told.bases(Space(schema))
    none = Agreement(0.0, 0.0)
    fits = [
        (told.agreements.get((path, name), none).excess, path, name, items)
        for name, limits in fields.items()
        for path in told.paths
        for items in ways(told.values(path), Fits(limits, schema))
    ]
    # The sort is stable: without a guide the schemas' own order stands.
    for _, path, name, items in sorted(fits, key=lambda fit: -fit[0])[:MOST_COPIES]:
        seen: list[Json] = []
        for base in bases:
            rest = {k: v for k, v in base.items() if k != name}
            if rest not in seen:
                seen.append(rest)
                yield Copy(path, name, items, base)


class Fits:
    """Whether a value may stand in a field of the action.

    Args:
        field: The field's schema.
        root: The action's.
    """

    def __init__(self, field: Json, root: Json) -> None:
        self._validator = Draft202012Validator({**field, "$defs": root.get("$defs", {})})

    def __call__(self, value: Any) -> bool:
        return value is not None and bool(self._validator.is_valid(value))


def ways(values: Sequence[Any], fits: Fits) -> Iterator[bool]:
    """How a path's values can be sent: whole (False), item after item (True)."""
    if fmean(fits(value) for value in values) >= MOSTLY:
        yield False
    if fmean(has_items(value) and all(map(fits, value)) for value in values) >= MOSTLY:
        yield True


def has_items(value: Any) -> bool:
    """Whether a value is a list or text of several items."""
    return isinstance(value, str | list) and len(value) > 1


def guided(flown: Survey) -> dict[str, Episode]:
    """A successful episode of a policy that is meant to succeed, for each seed that has one."""
    rows = flown.of_kind(REFERENCE)
    return {seed_of(e.task): e for row in rows for e in row.succeeded}


def distinct(copies: Sequence[Copy]) -> list[Copy]:
    """One copy for each path and field."""
    found: dict[tuple[str, str], Copy] = {}
    for chosen in copies:
        found.setdefault((chosen.path, chosen.field), chosen)
    return list(found.values())


def fly(field: Airfield, chosen: Copy, openings: Sequence[Opening]) -> list[Episode]:
    """Copy on each opening's task; what is seen is copied anew on every turn."""
    if chosen.is_seen and not chosen.items:
        return field.fly(chosen.habit(), [opening.task for opening in openings])
    return field.plans(chosen.name, [(o.task, chosen.plan(o)) for o in openings])


def share(episodes: Sequence[Episode]) -> float:
    """Share of episodes that succeeded."""
    return fmean(map(succeeded, episodes)) if episodes else 0.0


@dataclass(frozen=True, slots=True)
class Proof:
    """What came of one copy: its line in the record, and what is suspected, if anything."""

    record: Json
    suspicion: Suspicion | None


def prove(field: Airfield, flown: Survey, chosen: Copy, openings: Sequence[Opening]) -> Proof:
    """Fly a copy on all seeds, another seed's copy beside it, and see whether it is the task."""
    episodes = fly(field, chosen, openings)
    others = [*episodes[1:], *episodes[:1]]
    control = field.plans(
        f"{chosen.name}, of another seed",
        [
            (mine.task, actions_of(other.turns))
            for mine, other in zip(episodes, others, strict=True)
        ],
    )
    own, other = share(episodes), share(control)
    beyond = own >= MOSTLY and other <= BY_CHANCE * own
    needed = is_needed(field, flown, chosen, openings) if beyond and chosen.is_seen else None
    verdict = "chance" if not beyond else VERDICTS[chosen.is_seen, needed]
    record = {
        "path": chosen.path,
        "field": chosen.field,
        "items": chosen.items,
        "success": own,
        "success_with_another_seeds_value": other,
        "needed_by_reference": needed,
        "verdict": verdict,
    }
    if verdict != "leak":
        return Proof(record, None)
    row = Row(chosen.name, Kind.ECHO, episodes, chosen.field)
    said = (
        f"{chosen.name}: succeeds in {own:.0%} of {len(episodes)} episodes, "
        f"with another seed's value in {other:.0%}"
    )
    best = min(row.succeeded, key=lambda episode: len(episode.turns))
    return Proof(record, Suspicion("leaked_answer", row, best, said, own - other))


VERDICTS = {
    (False, None): "leak",
    (True, False): "leak",
    (True, True): "task",
    (True, None): "unknown",
}
"""What a copy beyond chance is, by whether an agent sees its value and whether a success needs that."""


def is_needed(
    field: Airfield, flown: Survey, chosen: Copy, openings: Sequence[Opening]
) -> bool | None:
    """Whether the policies that succeed need the value; None where none succeeds.

    They are shown another seed's value in its place. One that still succeeds does not need it.
    """
    known = {row.name: share(row.episodes) for row in flown.of_kind(REFERENCE)}
    good = {name: rate for name, rate in known.items() if rate >= BY_CHANCE}
    if not good:
        return None
    swapped = swaps(chosen.path, openings)

    def shows(view: View) -> Json:
        return with_value(view.observation, chosen.path, swapped[seed_of(view.options)])

    tasks = [opening.task for opening in openings]
    misled = field.misled(tasks, shows)
    return not any(share(misled.get(name, [])) >= MOSTLY * rate for name, rate in good.items())


def swaps(path: str, openings: Sequence[Opening]) -> dict[str, Any]:
    """For each task the value of the next seed that has another one."""
    values = [values_of(opening).get(path) for opening in openings]
    found = {}
    for n, opening in enumerate(openings):
        after = [*values[n + 1 :], *values[:n]]
        mine = key_of(values[n])
        found[seed_of(opening.task)] = next(v for v in after if key_of(v) != mine)
    return found


def with_value(observation: Json, path: str, value: Any) -> Json:
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
