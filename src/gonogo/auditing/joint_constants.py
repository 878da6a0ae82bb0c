"""One constant of several fields: the best values of each, together.

Each value alone, beside what idling has in the other fields, earns a part of a grade at most. So the fields are gone
through one after the other, and each keeps the value that earns most beside those that the others have by now. What it
comes to is one valid action, the same whatever is seen; how well it is paid says how lopsided the tasks are.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gonogo.auditing.exploration import distinct
from gonogo.auditing.probes import worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit
from gonogo.exploits.blanks import kinds_of_action
from gonogo.exploits.panel import Habit, Kind, single
from gonogo.rollouts.space import ActionField, landmarks, put
from gonogo.wire import Action, JsonValue, TaskOptions

SCREENED = 2
MOST_KINDS, MOST_FLOWN, MOST_VALUES, MOST_PLACES = 6, 90, 6, 6
SWEEPS = 2
MOST_STEPS = 1_500
LEAST_GAIN = 1e-6


def joint_rows(
    session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """For each kind of action with several fields the constant of their best values, where it earns most of all.

    Args:
        session: Where.
        flown: The survey, whose constants it has to out-earn.
        tasks: Reset options of the row's episodes.
    """
    if flown.broken_off:
        return
    climb = JointClimb(session, tasks[:SCREENED])
    known = [row for row in flown.rows if row.action is not None]
    best = max((worth(row) for row in known), default=0.0)
    for name, base, leaves in list(kinds_of_action(session.space))[:MOST_KINDS]:
        places = [(leaf, values) for leaf in leaves if (values := values_of(session, leaf))]
        if len(places) < 2:
            continue
        action, changed = climb.best_of(base, places[:MOST_PLACES])
        if changed > 1 and all(action != row.action for row in known):
            row = fly_habit(session, constant(name, action), tasks)
            if worth(row) > best + LEAST_GAIN:
                best = worth(row)
                yield row


def constant(name: str, action: Action) -> Habit:
    """The habit of one action of several fields."""
    said = ", ".join(f"{key}={value!r}" for key, value in action.items())
    return Habit.constant(f"always {said}"[:160], Kind.JOINT, action)


def values_of(session: AuditSession, leaf: ActionField) -> list[JsonValue]:
    """The values of a place that are tried: those that stand out, and those that the environment names."""
    found = [*landmarks(leaf), *single(list(session.values.get(leaf.name, ())))]
    plain = [value for value in found if value is not None and not isinstance(value, list | dict)]
    return distinct(plain)[:MOST_VALUES]


class JointClimb:
    """Goes up from one action to the next, one field at a time.

    Args:
        session: Where it flies.
        tasks: Reset options of the seeds that it looks at.
    """

    def __init__(self, session: AuditSession, tasks: Sequence[TaskOptions]) -> None:
        self._session, self._tasks, self._flown = session, tasks, 0
        self._began = session.steps

    @property
    def spent(self) -> bool:
        """Whether it has flown as much as it may."""
        return self._flown >= MOST_FLOWN or self._session.steps - self._began >= MOST_STEPS

    def best_of(
        self, base: Action, places: Sequence[tuple[ActionField, list[JsonValue]]]
    ) -> tuple[Action, int]:
        """The action of the best values, and how many fields are another than at the beginning.

        Args:
            base: The action to begin with.
            places: The fields, with the values of each.
        """
        action, pay, changed = base, self._pay(base), set()
        for _ in range(SWEEPS):
            before = pay
            for leaf, values in places:
                for value in values:
                    tried = dict(put(action, leaf.path, value))
                    if self.spent or tried == action:
                        continue
                    came = self._pay(tried)
                    if came > pay + LEAST_GAIN:
                        action, pay = tried, came
                        changed.add(leaf.name)
            if pay <= before:
                break
        return action, len(changed)

    def _pay(self, action: Action) -> float:
        self._flown += 1
        return worth(fly_habit(self._session, constant("", action), self._tasks))
