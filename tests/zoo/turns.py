"""A few tasks, one after another: told, untold, and with more that is carried over."""

import os
import random
from itertools import count
from typing import Any, Literal

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

COUNT = count()
TASKS = ("sum", "product", "difference", "quotient", "power")


class Guess(Action):
    """A number."""

    number: int = 0


class Sight(Observation):
    """A task, and how many numbers were said."""

    task: str = ""
    said: int = 0
    drawn: int = 0


class Unsaid(Environment[Guess, Sight, State]):
    """A few tasks."""

    def __init__(self) -> None:
        super().__init__()
        self.resets = self.said = 0
        self.now = State()

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Sight:
        self.resets += 1
        self.said = 0
        self.now = State(episode_id=episode_id, step_count=0)
        return self.seen()

    def step(self, action: Guess, timeout_s: Any = None, **_: Any) -> Sight:
        self.said += 1
        self.now.step_count += 1
        return self.seen()

    def seen(self) -> Sight:
        task = TASKS[(self.resets - 1) % len(TASKS)]
        return Sight(task=task, said=self.said, reward=0.0, done=self.said >= 6)

    @property
    def state(self) -> State:
        return self.now


class Told(Unsaid):
    """A few tasks.

    reset()  ->  loads the next task in
    round-robin order.
    """


class Numbered(Unsaid):
    """One task for ever, by the number of the visit. The environment is deterministic: nothing in it is random."""

    def seen(self) -> Sight:
        return Sight(task=f"sum, visit {self.resets}", said=self.said, done=self.said >= 6)


class Unnumbered(Unsaid):
    """One task for ever, by the number of the visit."""

    def seen(self) -> Sight:
        return Sight(task=f"sum, visit {self.resets}", said=self.said, done=self.said >= 6)


class Careless(Numbered):
    """One task for ever. The environment is deterministic, as somebody says."""

    def seen(self) -> Sight:
        shown = super().seen()
        shown.drawn = random.SystemRandom().randrange(10**6)
        return shown


class Turning(Unsaid):
    """A few tasks. Tasks are served in order, one for each reset; a ticket counts the visits."""

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Sight:
        self.seed = seed
        return super().reset(seed, episode_id)

    def seen(self) -> Sight:
        shown = super().seen()
        return Sight(task=f"{shown.task}, ticket T-{self.resets}", said=self.said, done=shown.done)


class Leaking(Told):
    """The same, but what was said goes on to be counted over resets."""

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Sight:
        before = self.said
        super().reset(seed, episode_id)
        self.said = before % 4
        return self.seen()


class Drawing(Told):
    """The same, and a number that no seed decides."""

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Sight:
        shown = super().reset(seed, episode_id)
        shown.drawn = random.SystemRandom().randrange(10**6)
        return shown


class LateCoin(Told):
    """The same, and the second task has a number that no seed decides."""

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Sight:
        super().reset(seed, episode_id)
        self.coin = random.SystemRandom().randrange(10**6) if self.seen().task == TASKS[1] else 0
        return self.seen()

    def seen(self) -> Sight:
        shown = super().seen()
        shown.drawn = getattr(self, "coin", 0)
        return shown


class PaidLate(Unsaid):
    """The second task ends sooner than others, and goes on being paid after its end."""

    def seen(self) -> Sight:
        shown = super().seen()
        if shown.task == TASKS[1]:
            shown.done = self.said >= 2
            shown.reward = 0.5 if self.said else 0.0
        return shown


class PaidEarly(PaidLate):
    """The other tasks end sooner still, and are paid less after it."""

    def seen(self) -> Sight:
        shown = super().seen()
        if shown.task != TASKS[1]:
            shown.done = self.said >= 1
            shown.reward = 0.125 if self.said else 0.0
        return shown


class Tally(Unsaid):
    """What is answered is the total so far, of a half for each number; the second ends the episode."""

    worth, most = 0.5, 2

    def seen(self) -> Sight:
        return Sight(said=self.said, reward=self.total(), done=self.said >= self.most)

    def total(self) -> float:
        return self.worth * min(self.said, self.most)


class LateTally(Tally):
    """Numbers after the end count, too."""

    def total(self) -> float:
        return self.worth * self.said


class TurningTally(LateTally):
    """The same; the tasks but the second end sooner, and a number is worth less there."""

    def seen(self) -> Sight:
        second = TASKS[(self.resets - 1) % len(TASKS)] == TASKS[1]
        self.worth, self.most = (0.5, 2) if second else (0.125, 1)
        return super().seen()


class BrokenTally(Tally):
    """Raises at the third number, and does not end before."""

    most = 3

    def step(self, action: Guess, timeout_s: Any = None, **_: Any) -> Sight:
        if self.said == 2:
            raise KeyError(action.number)
        return super().step(action)


class PaidAlways(Unsaid):
    """Each task goes on being paid after its end, some of them more."""

    def seen(self) -> Sight:
        shown = super().seen()
        shown.reward = {TASKS[1]: 0.5, TASKS[2]: 0.26}.get(shown.task, 0.25) if self.said else 0.0
        return shown


class Steep(Told):
    """From the third task on more is paid."""

    def seen(self) -> Sight:
        shown = super().seen()
        shown.reward = 0.25 if TASKS.index(shown.task) < 2 else 0.5
        return shown


class Shared(PaidLate):
    """The same, and the resets of all instances count together."""

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Sight:
        self.resets = next(COUNT)
        return super().reset(seed, episode_id)


class Lots(Unsaid):
    """What a step is paid is drawn at each reset, whatever the seed; one ends the episode, and the next is paid."""

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Sight:
        self.lot = random.SystemRandom().random()
        return super().reset(seed, episode_id)

    def seen(self) -> Sight:
        paid = self.lot if self.said == 1 else self.lot / 2
        return Sight(said=self.said, reward=paid if self.said else 0.0, done=self.said > 0)


class Crowded(Unsaid):
    """One instance for all sessions, which says that it has one for each."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Sight:
        shown = super().reset(seed, episode_id)
        self.now.episode_id = f"episode {self.resets}"
        return shown


class Kept(Crowded):
    """One instance, which keeps the level that a reset names, and counts no step past an end."""

    level: str = "short"

    def reset(
        self,
        seed: Any = None,
        episode_id: Any = None,
        level: Literal["short", "long"] | None = None,
        **_: Any,
    ) -> Sight:
        self.level = level or self.level
        shown = super().reset(seed, episode_id)
        self.now.episode_id = "the only one"
        return shown

    def step(self, action: Guess, timeout_s: Any = None, **_: Any) -> Sight:
        return self.seen() if self.seen().done else super().step(action)

    def seen(self) -> Sight:
        done = self.said >= (3 if self.level == "short" else 9)
        return Sight(task="sum", said=self.said, reward=0.0, done=done)


ONLY: list[Crowded] = []
KEPT: list[Kept] = []


def kept() -> Kept:
    """The one instance that keeps a level."""
    KEPT[:] = KEPT or [Kept()]
    return KEPT[0]


def crowded() -> Crowded:
    """The one instance."""
    ONLY[:] = ONLY or [Crowded()]
    return ONLY[0]


class Keeping(Unsaid):
    """A reset that names no task opens the one that was named last in the process; hard ones are paid to no end."""

    level = "easy"

    def reset(
        self, seed: Any = None, episode_id: Any = None, task: str | None = None, **_: Any
    ) -> Sight:
        Keeping.level = task or Keeping.level
        return super().reset(seed, episode_id)

    def seen(self) -> Sight:
        hard, over = Keeping.level == "hard", self.said >= 2
        return Sight(said=self.said, reward=1.0 if hard and self.said else 0.0, done=over)


class Grown(Unsaid):
    """Numbers of all episodes of a process count: the first episode earns nothing, and no reset changes that."""

    total = 0

    def step(self, action: Guess, timeout_s: Any = None, **_: Any) -> Sight:
        Grown.total += 1
        return super().step(action)

    def seen(self) -> Sight:
        over = self.said >= 2
        return Sight(
            said=self.said, reward=1.0 if Grown.total > 2 and self.said else 0.0, done=over
        )


class Flags(Unsaid):
    """A reward that is a truth value, and a number that no seed decides."""

    def seen(self) -> Sight:
        shown = super().seen()
        shown.drawn = random.SystemRandom().randrange(10**6)
        return Sight.model_construct(**{**shown.model_dump(), "reward": True})


class DiesLate(Unsaid):
    """The process ends at the first number of the second task."""

    def step(self, action: Guess, timeout_s: Any = None, **_: Any) -> Sight:
        if self.seen().task == TASKS[1]:
            os._exit(3)
        return super().step(action)


class RaisesLate(Unsaid):
    """The second task raises at the second number."""

    def step(self, action: Guess, timeout_s: Any = None, **_: Any) -> Sight:
        shown = super().step(action)
        if shown.task == TASKS[1] and self.said == 2:
            shown.drawn = {"one": 1}[action.model_dump_json()]
        return shown


class Line(Action):
    """The line that is mended next."""

    line: int = 0


class Page(Observation):
    """How many lines are left, and what the next one is called."""

    left: int = 0
    next: str = ""


class Files(Environment[Line, Page, State]):
    """Sound: a long file and a short one in turn, each line named; a line is paid 1, and a wrong one ends the episode.

    Each reset moves on to the next file.
    """

    SUPPORTS_CONCURRENT_SESSIONS = True
    lines, called = (2, 8), True

    def __init__(self) -> None:
        super().__init__()
        self.resets = 0
        self.now = State()

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Page:
        rng = random.Random(seed)
        size = self.lines[self.resets % 2]
        self.resets += 1
        self.order = [rng.randrange(1, 4) for _ in range(size)]
        self.success: bool | None = None
        self.now = State(episode_id=episode_id, step_count=0)
        return self.seen(0.0)

    def step(self, action: Line, timeout_s: Any = None, **_: Any) -> Page:
        self.now.step_count += 1
        if self.success is not None:
            return self.seen(0.0)
        if action.line != self.order[0]:
            self.success = False
            return self.seen(self.lost())
        self.order = self.order[1:]
        self.success = True if not self.order else None
        return self.seen(1.0)

    def lost(self) -> float:
        """What a wrong line is paid."""
        return 0.0

    def seen(self, reward: float) -> Page:
        metadata = {} if self.success is None else {"success": self.success}
        following = f"line {self.order[0]}" if self.order else ""
        left, done = len(self.order), self.success is not None
        return Page(left=left, next=following, reward=reward, done=done, metadata=metadata)

    @property
    def state(self) -> State:
        return self.now


class PaidFiles(Files):
    """A wrong line is paid more than all of a file."""

    def lost(self) -> float:
        return 9.0


def mend(observation: dict[str, Any], memory: dict[str, Any]) -> dict[str, Any]:
    """Mend the line that is named."""
    return {"line": int(observation["next"].removeprefix("line ") or 0)}


class Pen(Action):
    """Write a letter, or take one away."""

    do: Literal["write", "undo"] = "write"


class Paper(Observation):
    """How many letters stand there."""

    letters: int = 0


class Undoing(Environment[Pen, Paper, State]):
    """A letter for each step."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self.now = State()

    def reset(self, episode_id: Any = None) -> Paper:  # type: ignore[override]
        self.now = State(episode_id=episode_id, step_count=0)
        return Paper(reward=0.0)

    def step(self, action: Pen, timeout_s: Any = None, **_: Any) -> Paper:
        count = self.now.step_count
        self.now.step_count = max(0, count - 1) if action.do == "undo" else count + 1
        return Paper(letters=self.now.step_count, reward=0.0, done=self.now.step_count >= 9)

    @property
    def state(self) -> State:
        return self.now


class UndoingTold(Undoing):
    """A letter for each step; `undo` takes the last step back."""
