"""Following the pay: from a reset on, whatever is paid most of all that can be done with what is shown, step by step.

An exploration looks for what is new. A chain of small pays, each for the right one of many names, is long for it: at
each step most actions say something new, and only one is paid. So one action after another is sought that is paid more
than idling is there, of each verb with each value that stands in the observation, whatever it is called.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from gonogo.auditing.plans import texts_of, verb_of
from gonogo.auditing.session import AuditSession
from gonogo.exploits.panel import OWN
from gonogo.exploits.witness import actions_of
from gonogo.explore.observed import named
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import EACH, ActionField, value_at
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

DEEPEST = 12
"""Pays that follow each other."""
MOST_VERBS, MOST_VALUES, MOST_TRIED, AT_ONCE = 12, 40, 240, 16
LONGEST = 60
"""Characters of a value that is shown and sent."""
MORE = 1e-6


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
        while len(way) < DEEPEST:
            plan = [*way, self._idle]
            (idle,) = self._session.plans(
                "following the pay", [(task, plan)], whole=True, turns=len(plan)
            )
            if len(idle.turns) <= len(way) or idle.turns[len(way)].invalid is not None:
                base, shown = 0.0, idle.turns[-1].observation if idle.turns else {}
            else:
                base, shown = idle.turns[len(way)].reward or 0.0, idle.turns[len(way)].observation
            tried = list(candidates(self._session, self._leaves, shown))[:MOST_TRIED]
            found = self._paid(task, way, tried, max(0.0, base) + MORE, began + budget)
            if found is None:
                break
            way, best = actions_of(found.turns), found
            if found.turns[-1].done:
                break
        return best

    def _paid(
        self,
        task: TaskOptions,
        way: Sequence[Action],
        tried: Sequence[Action],
        least: float,
        until: int,
    ) -> Episode | None:
        """The dearest of the first few actions of which one is paid more than the least; None where none is."""
        for start in range(0, len(tried), AT_ONCE):
            some = tried[start : start + AT_ONCE]
            if self._session.steps + (len(way) + 1) * len(some) > until:
                return None
            plans = [(task, [*way, action]) for action in some]
            flown = self._session.plans("following the pay", plans, turns=len(way) + 1)
            paid = [e for e in flown if e.error is None and len(e.turns) > len(way)]
            dear = max(paid, key=lambda e: e.turns[-1].reward or 0.0, default=None)
            if dear is not None and (dear.turns[-1].reward or 0.0) > least:
                return dear
        return None


def candidates(
    session: AuditSession, leaves: Sequence[ActionField], shown: Observation
) -> Iterator[Action]:
    """What can be done with what is shown: each verb alone, and with each value in each place that takes it.

    Args:
        session: Whose actions.
        leaves: The places of an action.
        shown: The observation.
    """
    verbs: dict[str, Action] = {}
    for action in session.space.constants(4 * MOST_VERBS):
        verbs.setdefault(verb_of(action, leaves), action)
    chosen = list(verbs.values())[:MOST_VERBS]
    yield from chosen
    values = values_of(shown)
    texts = {leaf.name for leaf in texts_of(session.space)}
    for value in values:
        for verb in chosen:
            for leaf in leaves:
                if EACH in leaf.path or not takes(leaf, value, texts):
                    continue
                if leaf.tool:
                    if verb.get("tool_name") == leaf.tool:
                        yield leaf.put(value)
                elif len(leaf.path) == 1 or value_at(verb, leaf.name) is not None:
                    yield replace(leaf, base=verb).put(value)


def values_of(shown: Observation) -> list[JsonValue]:
    """The short names and numbers that are shown, each once: the names first."""
    held = [value for _, value in named({k: v for k, v in shown.items() if k not in OWN})]
    texts = [value for value in held if isinstance(value, str) and 0 < len(value) <= LONGEST]
    others = [value for value in held if not isinstance(value, str)]
    return list(dict.fromkeys([*texts, *others]))[:MOST_VALUES]


def takes(leaf: ActionField, value: JsonValue, texts: set[str]) -> bool:
    """Whether a leaf takes a value that is shown: any text, or a number where it is for one."""
    if isinstance(value, str):
        return leaf.name in texts
    kinds = {option.get("type") for option in leaf.options}
    return "number" in kinds or ("integer" in kinds and isinstance(value, int))
