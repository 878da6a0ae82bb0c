"""Following the pay: from a reset on, whatever is paid most of all that can be done with what is shown, step by step.

An exploration looks for what is new. A chain of small pays, each for the right one of many names, is long for it: at
each step most actions say something new, and only one is paid. So one action after another is sought that is paid more
than idling is there, of each verb with each value that stands in the observation, whatever it is called. If
nothing is paid, the actions that list names are sent first, and then each action is tried again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain, combinations, islice, product, zip_longest

from gonogo.auditing.exploration import distinct
from gonogo.auditing.plans import verb_of
from gonogo.auditing.session import AuditSession
from gonogo.exploits.panel import OWN, LeafValues
from gonogo.exploits.witness import actions_of
from gonogo.explore.observed import LIKENESS, Observed, named
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.space import EACH, ActionField, choices_of, free_text, put, value_at
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

DEEPEST = 12
"""Pays that follow each other."""
MOST_VERBS, MOST_VALUES, MOST_TRIED, AT_ONCE = 12, 40, 240, 16
SCANNED = 64
"""Actions that are tried where one is paid more than idling, and none more than the step before."""
MOST_NAMED = 16
"""Values that are named for one place."""
LONGEST = 60
"""Characters of a value that is shown and sent."""
MORE = 1e-6
LEAST_SHOWN, MOST_LOOKS = 3, 4
"""Names and numbers that an action shows anew to be worth a step; and such actions before anything else."""
SUM = re.compile(r"[+-]?\d+(?:\s*[+-]\s*\d+)+")
SUM_SIZES, MOST_PARTS, MOST_SUMS = (4, 3, 2), 10, 12
"""Terms of a sum that is tried, numbers that it is made of, and sums."""
MOST_ASKED, MOST_CROSSED = 3, 120
"""Things that a verb asks for, and ways to fill them."""


class Climb:
    """Chains of pays on one task.

    Args:
        session: Where they are sought.
    """

    def __init__(self, session: AuditSession) -> None:
        self._session = session
        self._leaves: Sequence[ActionField] = session.space.leaves()
        self._idle = session.space.idle()

    def chain(self, task: TaskOptions, budget: int) -> Episode | None:
        """The episode of the chain that is paid most at each step; None where no first step is paid.

        Args:
            task: Reset options, with the seed.
            budget: Environment steps.
        """
        began, way = self._session.steps, list[Action]()
        best: Episode | None = None
        looked = False
        while len(way) < DEEPEST:
            plan = [*way, self._idle]
            (idle,) = self._session.plans(
                "following the pay", [(task, plan)], whole=True, turns=len(plan)
            )
            if len(idle.turns) <= len(way) or idle.turns[len(way)].invalid is not None:
                base, seen = 0.0, [turn.observation for turn in idle.turns[-1:]]
            else:
                base = idle.turns[len(way)].reward or 0.0
                seen = [turn.observation for turn in idle.turns[len(way) :: -1]]
            done = {verb_of(action, self._leaves) for action in way}
            made = islice(candidates(self._session, self._leaves, seen), 3 * MOST_TRIED)
            some = distinct(list(made))[:MOST_TRIED]
            tried = sorted(some, key=lambda action: verb_of(action, self._leaves) in done)
            above = 0.0 if best is None else best.turns[-1].reward or 0.0
            found = self._paid(task, way, tried, max(0.0, base) + MORE, above, began + budget)
            if found is not None:
                way, best, looked = actions_of(found.turns), found, False
                if found.turns[-1].done:
                    break
            elif looked or not (looks := self._looks(task, way, idle, began + budget)):
                break
            else:
                way, looked = [*way, *looks], True
        return best

    def _looks(
        self, task: TaskOptions, way: Sequence[Action], idle: Episode, until: int
    ) -> list[Action]:
        """The actions without an object that show names or numbers that were not there: what is listed when asked for.

        Args:
            task: Reset options.
            way: What was done before.
            idle: The same, then idling, which shows what clocks say.
            until: Steps of the session, from which on nothing more is flown.
        """
        verbs = verbs_of(self._session, self._leaves)
        if self._session.steps + (len(way) + 1) * len(verbs) > until:
            return []
        known = {each for turn in idle.turns for each in names_shown(turn.observation)}
        known |= set(names_shown(idle.final_observation))
        plans = [(task, [*way, verb]) for verb in verbs]
        flown = self._session.plans("looking for what is there", plans, turns=len(way) + 1)
        news = [
            (len(set(names_shown(e.final_observation)) - known), verb)
            for verb, e in zip(verbs, flown, strict=True)
            if e.error is None and len(e.turns) > len(way)
            if not e.turns[-1].done and (e.turns[-1].reward or 0.0) >= 0
        ]
        shows = [(new, verb) for new, verb in news if new >= LEAST_SHOWN]
        return [verb for _, verb in sorted(shows, key=lambda each: -each[0])[:MOST_LOOKS]]

    def _paid(
        self,
        task: TaskOptions,
        way: Sequence[Action],
        tried: Sequence[Action],
        least: float,
        above: float,
        until: int,
    ) -> Episode | None:
        """The dearest of the first few actions of which one is paid more than the least; None where none is.

        Where each step is paid the same level again, whatever is harmless is paid as the step before it was: so more
        are tried until one is paid above that.
        """
        best: Episode | None = None
        for start in range(0, len(tried), AT_ONCE):
            some = tried[start : start + AT_ONCE]
            spent = self._session.steps + (len(way) + 1) * len(some) > until
            if spent or (best is not None and (last_pay(best) > above or start >= SCANNED)):
                break
            plans = [(task, [*way, action]) for action in some]
            flown = self._session.plans("following the pay", plans, turns=len(way) + 1)
            paid = [e for e in flown if e.error is None and len(e.turns) > len(way)]
            paid += [] if best is None else [best]
            dear = max(paid, key=last_pay, default=None)
            best = dear if dear is not None and last_pay(dear) > least else best
        return best


def last_pay(episode: Episode) -> float:
    """What the last step was paid."""
    return episode.turns[-1].reward or 0.0


def candidates(
    session: AuditSession, leaves: Sequence[ActionField], seen: Sequence[Observation]
) -> Iterator[Action]:
    """What can be done with what is shown: each verb alone, and with each value in each place that takes it.

    Args:
        session: Whose actions.
        leaves: The places of an action.
        seen: The observations so far, the last first.
    """
    shown = next(iter(seen), {})
    chosen = verbs_of(session, leaves)
    yield from chosen
    yield from summed(chosen, leaves, shown, session.values)
    yield from crossed(session, chosen, leaves, seen)
    yield from filled(chosen, leaves, shown, session.values)
    for value in values_of(shown):
        takers = [leaf for leaf in leaves if EACH not in leaf.path and takes(leaf, value)]
        for verb in chosen:
            for leaf in takers:
                if leaf.tool:
                    if verb.get("tool_name") == leaf.tool:
                        yield leaf.put(value)
                elif len(leaf.path) == 1 or value_at(verb, leaf.name) is not None:
                    yield replace(leaf, base=verb).put(value)


def summed(
    verbs: Sequence[Action],
    leaves: Sequence[ActionField],
    shown: Observation,
    learned: LeafValues,
) -> Iterator[Action]:
    """Each verb with sums of the numbers of a list that come to a number beside it, where a sum is known as an example.

    Args:
        verbs: An action of each verb.
        leaves: The places of an action.
        shown: The observation.
        learned: What is named for each place.
    """
    for leaf in leaves:
        told = (each for each in learned.get(leaf.name, ()) if isinstance(each, str))
        if free_text(leaf.schema, leaf.root) is not None and any(map(SUM.fullmatch, told)):
            for line in islice(sums_of(shown), MOST_SUMS):
                yield from (put(verb, leaf.path, line) for verb in verbs if has(verb, leaf))


def sums_of(shown: Observation) -> Iterator[str]:
    """The signed sums of the numbers of a list that come to a number that stands alone, a few of each in turn."""
    plain = {name: value for name, value in shown.items() if name not in OWN}
    lists = [value for value in plain.values() if isinstance(value, list)]
    alone = [value for value in plain.values() if is_number(value) and value > 0]
    parts = [some for some in lists if len(some) >= LEAST_SHOWN and all(map(is_number, some))]
    found = [sums_to(some[:MOST_PARTS], goal) for some in parts for goal in alone]
    for lines in zip_longest(*found):
        yield from (line for line in lines if line is not None)


def sums_to(parts: Sequence[float], goal: float) -> Iterator[str]:
    """The sums and differences of some numbers that come to another one, as lines; those of more parts first."""
    for size in SUM_SIZES:
        for some in combinations(parts, size):
            for signs in product((1, -1), repeat=size):
                if sum(sign * part for sign, part in zip(signs, some, strict=True)) == goal:
                    terms = sorted(zip(signs, some, strict=True), reverse=True)
                    line = "".join(f"{'+' if sign > 0 else '-'}{part}" for sign, part in terms)
                    yield line.removeprefix("+")


def verbs_of(session: AuditSession, leaves: Sequence[ActionField]) -> list[Action]:
    """An action of each verb."""
    verbs: dict[str, Action] = {}
    for action in session.space.constants(4 * MOST_VERBS):
        verbs.setdefault(verb_of(action, leaves), action)
    return list(verbs.values())[:MOST_VERBS]


def crossed(
    session: AuditSession,
    verbs: Sequence[Action],
    leaves: Sequence[ActionField],
    seen: Sequence[Observation],
) -> Iterator[Action]:
    """Each verb that asks for something in a field of any object, with all that was shown for it, the likeliest first.

    Where two things are asked for, as who gets what, each of one is tried with each of the other.

    Args:
        session: Whose actions.
        verbs: An action of each verb.
        leaves: The places of an action.
        seen: The observations so far, the last first.
    """
    held = Observed()
    for shown in reversed(seen):
        held.add({name: value for name, value in shown.items() if name not in OWN})
    said = {value for verb in verbs for value in verb.values() if isinstance(value, str)}
    ids = [each for shown in seen for each in ids_in(shown) if each not in said]
    ways: list[Iterator[Action]] = []
    for verb in verbs:
        asked = [leaf for leaf in leaves if session.asks(verb, leaf)]
        values = [(named_like(x, held, LIKENESS["last"]) or ids)[:MOST_NAMED] for x in asked]
        if asked and len(asked) <= MOST_ASKED and all(values):
            ways.append(islice(asking(verb, asked, values), MOST_CROSSED))
    for some in zip_longest(*ways):
        yield from (action for action in some if action is not None)


def asking(
    verb: Action, asked: Sequence[ActionField], values: Sequence[Sequence[JsonValue]]
) -> Iterator[Action]:
    """A verb with each value of each place that it asks for, those together first that come first in theirs."""
    ranks = product(*(range(len(some)) for some in values))
    for places in sorted(ranks, key=lambda each: (sum(each), max(each))):
        action = verb
        for leaf, some, place in zip(asked, values, places, strict=True):
            first, key = leaf.path
            action = {**action, first: {**(action.get(first) or {}), key: some[place]}}
        yield action


def ids_in(shown: JsonValue) -> Iterator[str]:
    """The texts that are listed, and the keys of mappings that hold the same for each: names of things, as it seems."""
    if isinstance(shown, dict):
        inner = list(shown.values())
        forms = {tuple(sorted(v)) if isinstance(v, dict) else type(v).__name__ for v in inner}
        if len(inner) > 1 and len(forms) == 1 and not forms & {"str", "bool", "NoneType"}:
            yield from shown
        for value in inner:
            yield from ids_in(value)
    elif isinstance(shown, list):
        for value in shown:
            if isinstance(value, str) and 0 < len(value) <= LONGEST:
                yield value
            else:
                yield from ids_in(value)


def names_shown(shown: Observation) -> list[JsonValue]:
    """The names and numbers that are shown, without sentences."""
    return [v for v in values_of(shown) if not isinstance(v, str) or " " not in v]


def filled(
    verbs: Sequence[Action],
    leaves: Sequence[ActionField],
    shown: Observation,
    learned: LeafValues,
) -> Iterator[Action]:
    """Each verb with all places filled at once: with the first value that is named for each, then the second, and on.

    A verb mostly reads the one or two places that are meant for it, so that few actions try what is named for all.

    Args:
        verbs: An action of each verb.
        leaves: The places of an action.
        shown: The observation; what stands in it under a name like a place's comes first.
        learned: What else is named for each place, in turn with what is shown anywhere.
    """
    seen = Observed()
    seen.add({name: value for name, value in shown.items() if name not in OWN})
    plain = [x for x in leaves if EACH not in x.path and not any(map(choices_of, x.options))]
    at_sight: dict[str, list[JsonValue]] = {}
    named_for: dict[str, list[JsonValue]] = {}
    for leaf in plain:
        shown_so = [v for v in named_like(leaf, seen, LIKENESS["part"]) if takes(leaf, v)]
        told = zip_longest(named_like(leaf, seen, 0.0), learned.get(leaf.name, ()))
        others = [v for v in chain.from_iterable(told) if takes(leaf, v)]
        at_sight[leaf.name] = shown_so
        named_for[leaf.name] = list(dict.fromkeys([*shown_so, *others]))
    for rank in range(min(MOST_NAMED, max(map(len, named_for.values()), default=0))):
        for verb in verbs:
            takers = [leaf for leaf in plain if named_for[leaf.name] and has(verb, leaf)]
            action = verb
            for leaf in takers:
                values = named_for[leaf.name]
                action = put(action, leaf.path, values[min(rank, len(values) - 1)])
            if action != verb:
                yield action
            for leaf in takers if len(takers) > 1 else ():
                if rank < len(at_sight[leaf.name]):
                    yield put(verb, leaf.path, at_sight[leaf.name][rank])


def has(verb: Action, leaf: ActionField) -> bool:
    """Whether an action has a place: that of its tool, or one that stands for itself."""
    return verb.get("tool_name") == leaf.tool if leaf.tool else len(leaf.path) == 1


def named_like(leaf: ActionField, seen: Observed, least: float) -> list[JsonValue]:
    """The values that were shown under a name so like a place's at least; those in texts are like any a little."""
    return [value for value, likeness in seen.like(leaf.path[-1]) if likeness >= least]


def values_of(shown: Observation) -> list[JsonValue]:
    """The short names and numbers that are shown, each once: the names first."""
    held = [value for _, value in named({k: v for k, v in shown.items() if k not in OWN})]
    texts = [value for value in held if isinstance(value, str) and 0 < len(value) <= LONGEST]
    others = [value for value in held if not isinstance(value, str)]
    return list(dict.fromkeys([*texts, *others]))[:MOST_VALUES]


def takes(leaf: ActionField, value: JsonValue) -> bool:
    """Whether a leaf takes a value: any text, or a number where it is for one."""
    if isinstance(value, str):
        return free_text(leaf.schema, leaf.root) is not None
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    kinds = {option.get("type") for option in leaf.options}
    return "number" in kinds or ("integer" in kinds and isinstance(value, int))
