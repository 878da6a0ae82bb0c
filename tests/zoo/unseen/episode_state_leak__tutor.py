"""An arithmetic tutor that adapts: after a right answer the next sum is longer, after a wrong one shorter."""

from openenv.core.env_server.types import Action, Observation

from ._base import Episodic, Json

HARDEST = 9


class Answer(Action):
    """What the sum comes to."""

    value: int


class Exercise(Observation):
    """A sum to do, and how the last one went."""

    exercise: str = ""
    level: int = 1
    feedback: str = ""


class Tutor(Episodic[Answer, Exercise]):
    """Ten exercises; success is at most one mistake."""

    HORIZON = 10

    def __init__(self) -> None:
        super().__init__()
        self.level = 1
        self.highest = 1

    def begin(self) -> None:
        self.right = 0
        self.feedback = "Welcome!"
        self.set_exercise()

    def set_exercise(self) -> None:
        self.terms = [self.rng.randint(11, 99) for _ in range(self.level + 1)]

    def play(self, action: Answer) -> float:
        is_right = action.value == sum(self.terms)
        self.right += is_right
        self.feedback = "Right." if is_right else "No."
        self.level = min(HARDEST, self.level + 1) if is_right else max(1, self.level - 1)
        self.highest = max(self.highest, self.level)
        self.set_exercise()
        if self.last:
            self.success = self.right >= self.HORIZON - 1
        return is_right / self.HORIZON

    def show(self) -> Exercise:
        sum_to_do = " + ".join(str(term) for term in self.terms)
        return Exercise(exercise=sum_to_do, level=self.level, feedback=self.feedback)


class Defect(Tutor):
    """Sets the level when the tutor is made, so that the next pupil gets sums as long as the last one's."""


class Sound(Tutor):
    """Adapts as eagerly and remembers the highest level for nobody to see; each pupil starts at the first."""

    def begin(self) -> None:
        self.level = 1
        super().begin()


WITNESS = "after_another_episode_differs"
ALSO = ("nondeterministic",)


def solve(observation: Json, memory: Json) -> Json:
    """Add up."""
    return {"value": sum(int(term) for term in observation["exercise"].split(" + "))}


exploit = solve
