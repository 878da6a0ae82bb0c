"""Environments that tell a value beside the task, in which nothing says success: in some the answer, in others not.

What an auditor says of them without being told anything is in ``tests/auditing/checks/test_handed_out.py``.
"""

import random
from typing import Any, Literal

from openenv.core.env_server.types import Action, Observation, State
from pydantic import Field
from tests.zoo.untold import Untold

WRITES = {
    "billing": ("charged twice", "no invoice came", "wrong sum", "card refused"),
    "delivery": ("parcel is late", "box was open", "wrong street", "nobody rang"),
    "account": ("cannot log in", "lost my code", "new address", "delete me"),
}
KINDS = tuple(WRITES)


class SortAction(Action):
    """Where a letter goes."""

    to: Literal["send_to_billing", "send_to_delivery", "send_to_account"] = "send_to_billing"


class Letter(Observation):
    """A letter, and what else is told of it."""

    text: str = ""
    number: int = 0
    stamp: str = ""
    ground_truth_desk: str = ""
    right_key: str = ""
    expected_answer: str = ""


class Letters(Untold[SortAction, Letter]):
    """Three letters are to be sorted, each paid by whether it went where it belongs."""

    size = 3

    def begin(self, rng: random.Random) -> None:
        self.desks = [rng.choice(KINDS) for _ in range(self.size)]
        self.texts = [f"{rng.choice(WRITES[d])} {rng.randrange(10**6)}" for d in self.desks]
        self.told(self.desks[0])

    def told(self, desk: str) -> None:
        """Tell nothing."""

    def move(self, action: SortAction) -> float:
        right = action.to == f"send_to_{self.desks[self.steps - 1]}"
        self.over = self.steps >= self.size
        return float(right)

    def shown(self, reward: float) -> Letter:
        text = "" if self.over else self.texts[self.steps]
        return Letter(text=text, reward=reward, done=self.over)


class OneLetter(Letters):
    """The state tells where the one letter belongs."""

    size = 1

    def told(self, desk: str) -> None:
        self._state = State(episode_id="x", step_count=0, filed_under=desk)  # type: ignore[call-arg]


class NumberedLetter(OneLetter):
    """Sound: the state names what the letter shows as a number."""

    def shown(self, reward: float) -> Letter:
        number = KINDS.index(self.desks[0])
        return super().shown(reward).model_copy(update={"number": number})


class WordedLetter(OneLetter):
    """Sound: the state names what the letter's own words say."""

    def shown(self, reward: float) -> Letter:
        text = f"about {self.desks[0]}: {self.texts[0]}"
        return super().shown(reward).model_copy(update={"text": text})


class SolvedLetters(Letters):
    """Each letter is shown with where it belongs."""

    def shown(self, reward: float) -> Letter:
        desk = "" if self.over else self.desks[self.steps]
        return super().shown(reward).model_copy(update={"ground_truth_desk": desk})


class KeyedLetters(SolvedLetters):
    """Sound, perhaps: the key of the right hand drawer is what a sorter is to turn."""

    def shown(self, reward: float) -> Letter:
        seen = super().shown(reward)
        seen.right_key, seen.ground_truth_desk = seen.ground_truth_desk, ""
        return seen


class StampedLetters(Letters):
    """Sound: to copy the stamp is the task."""

    def shown(self, reward: float) -> Letter:
        desk = "" if self.over else self.desks[self.steps]
        return super().shown(reward).model_copy(update={"stamp": desk})


class TaughtLetters(Letters):
    """Sound: after each letter the answer to it is told, when it is too late for it."""

    def shown(self, reward: float) -> Letter:
        last = self.desks[self.steps - 1] if self.steps else KINDS[0]
        return super().shown(reward).model_copy(update={"expected_answer": last})


class ValveAction(Action):
    """Listen to a valve, or send somebody to mend it, once."""

    do: Literal["listen", "mend"] = "listen"
    valve: str = ""


class Valves(Observation):
    """Some valves, and what was heard."""

    valves: dict[str, dict[str, int]] = Field(default_factory=dict)
    heard: int = 0
    log: str = ""


class HiddenTable(Untold[ValveAction, Valves]):
    """One valve leaks, which is heard; the state has a table of what each valve loses."""

    def begin(self, rng: random.Random) -> None:
        self.names = [f"V{n}" for n in rng.sample(range(100, 1000), 12)]
        self.flows = {name: rng.randint(20, 90) for name in self.names}
        self.leak, self.heard = rng.choice(self.names), 0
        self.told(rng)

    def told(self, rng: random.Random) -> None:
        """Tell what each valve loses."""
        self.tell(losses={name: 7.0 if name == self.leak else 0.0 for name in self.names})

    def tell(self, **told: Any) -> None:
        """Put something into the state."""
        self._state = State(episode_id="x", step_count=0, **told)

    def move(self, action: ValveAction) -> float:
        self.heard = 3 if action.valve == self.leak else 1 if action.valve in self.names else 0
        self.over = action.do == "mend" or self.steps >= 10
        return float(action.do == "mend" and self.mended(action.valve))

    def mended(self, valve: str) -> bool:
        """Whether it was worth it."""
        return valve == self.leak

    def shown(self, reward: float) -> Valves:
        seen = {} if self.steps else {name: {"flow": flow} for name, flow in self.flows.items()}
        return Valves(valves=seen, heard=self.heard, reward=reward, done=self.over)


class HiddenList(HiddenTable):
    """The state has a list of valves, of which one alone is open."""

    def told(self, rng: random.Random) -> None:
        self.tell(
            parts=[{"at": n, "valve": v, "open": v == self.leak} for n, v in enumerate(self.names)]
        )


class OtherTable(HiddenTable):
    """Sound: the table's odd entry is another valve than the one that leaks."""

    def told(self, rng: random.Random) -> None:
        dirty = rng.choice([name for name in self.names if name != self.leak])
        self.tell(losses={name: 7.0 if name == dirty else 0.0 for name in self.names})


class AnyValve(HiddenTable):
    """Whichever valve is mended is paid: the table's odd entry is as good as any."""

    def mended(self, valve: str) -> bool:
        return valve in self.names


class SeenTable(HiddenTable):
    """Sound: what is shown of the valves has the same one out of line, by a number of its own."""

    def shown(self, reward: float) -> Valves:
        seen = super().shown(reward)
        wet = {
            name: {**valve, "wet": int(name == self.leak)} for name, valve in seen.valves.items()
        }
        return seen.model_copy(update={"valves": wet})


class SpokenTable(HiddenTable):
    """Sound: a text says of the same one what it says of no other."""

    def shown(self, reward: float) -> Valves:
        said = ", ".join(
            f"{name} {'drips' if name == self.leak else 'holds'}" for name in self.names
        )
        return super().shown(reward).model_copy(update={"log": said})


class WayAction(Action):
    """A step."""

    go: Literal["left", "right"] = "left"


class Way(Observation):
    """Where one is, and where one should be."""

    x: int = 0
    goal: int = 0


class ToldWay(Untold[WayAction, Way]):
    """Sound: the state tells how far each step leads from a goal that everybody sees."""

    def begin(self, rng: random.Random) -> None:
        self.x, self.goal = rng.sample(range(20), 2)
        self._state = State(episode_id="x", step_count=0, far=self.far())  # type: ignore[call-arg]

    def far(self) -> dict[str, int]:
        """What is left after each step."""
        return {"left": abs(self.x - 1 - self.goal), "right": abs(self.x + 1 - self.goal)}

    def move(self, action: WayAction) -> float:
        self.x += 1 if action.go == "right" else -1
        self.over = self.x == self.goal or self.steps >= 30
        return float(self.x == self.goal)

    def shown(self, reward: float) -> Way:
        return Way(x=self.x, goal=self.goal, reward=reward, done=self.over)
