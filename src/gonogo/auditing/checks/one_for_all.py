"""One thing done again and again in place of all: each time is paid, and the last time is the success.

A counter that goes up whenever something is done cannot tell one thing done five times from five things done. So a lap
of paid actions that comes to a success, or to a full mark, is looked at. It names one of several things that are seen
together, another of them is known to be paid for something else, and nothing that is seen changes from lap to lap but
clocks, histories and scores. A number may be made by the laps, such as of what is done, if it takes as many of them as
there are things.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gonogo.auditing.checks.lapped import Lapped
from gonogo.auditing.checks.paid import ALIKE, Paid
from gonogo.auditing.checks.sweeps import several_named
from gonogo.auditing.resets import key_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import total
from gonogo.exploits.search import leaves
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, JsonValue

LEAST_NAMES, LEAST_TIMES = 3, 4
FULL = 1.0
"""What a whole success is mostly paid."""


def one_for_all(
    session: AuditSession, lapped: Lapped, facts: Paid, known: Sequence[Episode]
) -> str | None:
    """What says that one thing was done in place of all there are; None where it was not, or may be right.

    Args:
        session: Where the lap was flown.
        lapped: A lap.
        facts: What idling tells of clocks.
        known: All else that was flown.
    """
    episode, size = lapped.episode, len(lapped.lap)
    if episode.error is not None or episode.cut or not all(pay > 0 for pay in lapped.pays):
        return None
    if len(lapped.turns) <= size or times_paid(lapped) < LEAST_TIMES:
        return None
    succeeds = episode.success is True and not facts.survey.doubtful
    if not (succeeds or abs(total(episode) - FULL) <= ALIKE):
        return None
    counted = facts.makes(lapped.turns, size)
    if not counted and not facts.seen_still(lapped.turns, size):
        return None
    for name, among, names in one_of_several(lapped.lap, episode):
        paid = paid_for(known, lapped, [other for other in names if other != name])
        enough = not counted or times_paid(lapped) == len(names)
        if paid is not None and enough and not renamed_pays(session, lapped, name, paid):
            whole = "a success" if succeeds else "a full mark"
            return (
                f"it comes to {whole}, although of {len(names)} ({among}) only {name!r} was named, and {paid!r} is "
                "paid as well"
            )
    return None


def one_of_several(
    lap: Sequence[Action], episode: Episode
) -> list[tuple[JsonValue, str, tuple[JsonValue, ...]]]:
    """Names in a lap that stand alone of several that the episode shows at first, with what these are called.

    Args:
        lap: What is repeated.
        episode: How it was flown.
    """
    sent = {key_of(value): value for action in lap for _, value in leaves(action)}
    found = []
    for among, names in several_named(episode.turns[0].observation):
        mine = [name for name in names if key_of(name) in sent]
        if len(mine) == 1 and len(names) >= LEAST_NAMES:
            found.append((mine[0], among, names))
    return found


def paid_for(known: Sequence[Episode], lapped: Lapped, others: Sequence[JsonValue]) -> JsonValue:
    """Another thing that the same task was paid for, in an action like one of the lap's that says more else; or None.

    Args:
        known: What was flown.
        lapped: The lap.
        others: The other things' names.
    """
    keys = {key_of(other): other for other in others}
    mine = [[key_of(v) for _, v in leaves(action)] for action in lapped.lap]
    shapes = {shape(action) for action in lapped.lap}
    for action in (a for e in known if e.task == lapped.step.task for a in paid_actions(e)):
        sent = [key_of(value) for _, value in leaves(action)]
        named = [keys[key] for key in sent if key in keys]
        # Where the same is right of both but for the name, any of them may be asked for as often as there are.
        own = all(len({*sent} - {*own}) > 1 for own in mine)
        if named and own and shape(action) in shapes:
            return named[0]
    return None


def renamed_pays(session: AuditSession, lapped: Lapped, name: JsonValue, other: JsonValue) -> bool:
    """Whether the same is paid with another name in place of a lap's: then any of them may be asked for.

    Args:
        session: Where it is flown.
        lapped: The lap.
        name: The name in it.
        other: The other one.
    """
    way = list(lapped.step.actions)
    plan = [*way, *(renamed(action, name, other) for action in lapped.lap)]
    (flown,) = session.plans("a lap with another name", [(lapped.step.task, plan)], turns=len(plan))
    lost = flown.error is not None or len(flown.turns) < len(plan)
    return lost or sum(turn.reward or 0.0 for turn in flown.turns[len(way) :]) > 0


def renamed(action: Action, name: JsonValue, other: JsonValue) -> Action:
    """An action with one value in place of another, wherever it stands."""

    def within(value: JsonValue) -> JsonValue:
        if isinstance(value, dict):
            return {key: within(held) for key, held in value.items()}
        if isinstance(value, list):
            return [within(held) for held in value]
        return other if key_of(value) == key_of(name) else value

    return {key: within(value) for key, value in action.items()}


def paid_actions(episode: Episode) -> Iterator[Action]:
    """The actions of an episode that were paid."""
    return (t.action for t in episode.turns if t.action is not None and (t.reward or 0.0) > 0)


def shape(action: Action) -> frozenset[str]:
    """The places of an action that hold something."""
    return frozenset(path for path, value in leaves(action) if value not in (None, ""))


def times_paid(lapped: Lapped) -> int:
    """How often what is repeated was paid in the whole episode."""
    sent = {repr(action) for action in lapped.lap}
    turns = lapped.episode.turns
    return sum((t.reward or 0.0) > 0 and repr(t.action) in sent for t in turns)
