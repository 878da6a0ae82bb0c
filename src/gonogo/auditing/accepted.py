"""An action that is taken, where the one that does least is refused.

Of many an action's fields some are needed beside one choice and not beside another, and only a refusal says so:
``reply_text is required when action is 'reply'``. Every policy that does not try changes one field of the action that
does least, so that all of them would be refused. There the plainest action that exploration saw accepted takes its
place: of those that end no episode the one that is paid least, and then the shortest.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence

from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import rooted
from gonogo.wire import Action, JsonSchema, TaskOptions

Fly = Callable[[Sequence[tuple[TaskOptions, Sequence[Action]]]], list[Episode]]
"""Flies plans of one turn: reset options and actions of each."""

MOST_TRIED = 6
"""Actions that are sent, each in the first turn of two tasks."""


def accepted_action(
    idle: Action, tasks: Sequence[TaskOptions], explored: Sequence[Episode], fly: Fly
) -> Action | None:
    """The plainest action that is taken in the first turn of each task; None where the one that does least is, or none.

    Args:
        idle: The action that does least.
        tasks: Reset options with two seeds.
        explored: What exploration flew.
        fly: What sends an action once.
    """
    if is_taken(idle, tasks, fly):
        return None
    tried = accepted_in(explored)[:MOST_TRIED]
    return next((action for action in tried if is_taken(action, tasks, fly)), None)


def is_taken(action: Action, tasks: Sequence[TaskOptions], fly: Fly) -> bool:
    """Whether an action is taken in the first turn of each task."""
    flown = fly([(task, [action]) for task in tasks])
    return all(e.error is None and all(t.invalid is None for t in e.turns) for e in flown)


def accepted_in(explored: Sequence[Episode]) -> list[Action]:
    """The actions that exploration saw accepted, the plainest first, each once."""
    found: dict[str, tuple[bool, float, int, Action]] = {}
    for action, ends, pay in accepted_turns(explored):
        said = json.dumps(action, sort_keys=True)
        before = found.get(said)
        known = (ends, pay, len(said)) if before is None else before[:3]
        found[said] = (known[0] or ends, max(known[1], pay), len(said), action)
    ordered = sorted(found.items(), key=lambda pair: (*pair[1][:3], pair[0]))
    return [action for _, (_, _, _, action) in ordered]


def accepted_turns(explored: Sequence[Episode]) -> Iterator[tuple[Action, bool, float]]:
    """Each action that was accepted, whether it ended its episode, and what it was paid."""
    for episode in explored:
        for turn in episode.turns:
            if turn.action is not None and turn.invalid is None and episode.error is None:
                yield turn.action, turn.done, turn.reward or 0.0


def with_base(schema: JsonSchema, base: Action | None) -> JsonSchema:
    """An action's schema in which the fields of an action are needed, and its values stand where nothing else is said.

    Args:
        schema: As the environment gives it.
        base: The action; None for none.
    """
    root = rooted(schema)
    fields = root.get("properties")
    if base is None or not isinstance(fields, dict) or not base.keys() <= fields.keys():
        return schema
    given = {name: field for name, field in fields.items() if isinstance(field, dict)}
    held = {name: {**given.get(name, {}), "default": value} for name, value in base.items()}
    needed = dict.fromkeys([*root.get("required", ()), *base])
    return {**root, "properties": {**fields, **held}, "required": list(needed)}
