"""Environments that pay the same thing again, and sound games that look alike; none of them says success."""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import Field
from tests.zoo.untold import Untold


class KilnAction(Action):
    """Fire up, call off, glaze, or take out."""

    op: Literal["light", "cancel", "glaze", "unload"]
    colour: int = 0


class KilnObservation(Observation):
    """The kiln."""

    order: str = ""
    stage: str = ""
    log: list[str] = Field(default_factory=list)


class Kiln(Untold[KilnAction, KilnObservation]):
    """Pays for lighting, and again after each cancelling; the right colour is a hash that nobody guesses."""

    forgets, fire = True, 0.1

    def begin(self, rng: random.Random) -> None:
        self.order, self.stage = rng.randrange(10_000), "cold"
        self.log: list[str] = []
        self.lit = False

    def move(self, action: KilnAction) -> float:
        self.over = self.steps >= 40
        self.log.append(action.op)
        if action.op == "light" and self.stage == "cold":
            self.stage, lit = "hot", self.lit
            self.lit = True
            return 0.0 if lit else self.fire
        if action.op == "cancel" and self.stage != "cold":
            self.stage = "cold"
            self.lit = self.lit and not self.forgets
            return 0.0
        if action.op == "glaze" and self.stage == "hot":
            self.stage = "right" if action.colour == self.order * 7 % 9973 + 10_000 else "wrong"
            return 0.0
        if action.op == "unload" and self.stage in {"right", "wrong"}:
            self.over = True
            return float(self.stage == "right")
        return -0.03

    def shown(self, reward: float) -> KilnObservation:
        return KilnObservation(
            order=f"no. {self.order}",
            stage=self.stage,
            log=self.log[-4:],
            reward=reward,
            done=self.over,
        )


class KilnCheap(Kiln):
    """Sound as far as is known: all that lighting again comes to is a part of what a pot may well be paid."""

    fire = 0.02


class KilnOnce(Kiln):
    """Sound: remembers what was paid."""

    forgets = False


class TalkAction(Action):
    """A move in a talk, and words beside it."""

    move: Literal["listen", "ask", "sign"]
    words: str = ""


class TalkObservation(Observation):
    """What was answered."""

    topic: int = 0
    answer: str = ""


class KindWords(Untold[TalkAction, TalkObservation]):
    """Pays kind words at each step; signing is right only after an hour of asking."""

    kind = 0.2

    def begin(self, rng: random.Random) -> None:
        self.topic, self.asked, self.answer = rng.randrange(1000), 0, "Good day."

    def move(self, action: TalkAction) -> float:
        self.asked += action.move == "ask"
        self.answer = {"listen": "Well?", "ask": "I see.", "sign": "Done."}[action.move]
        self.over = action.move == "sign" or self.steps >= 20
        pay = self.kind if "please" in action.words.lower() else 0.0
        return pay + (float(self.asked > 15) if action.move == "sign" else 0.0)

    def shown(self, reward: float) -> TalkObservation:
        return TalkObservation(topic=self.topic, answer=self.answer, reward=reward, done=self.over)


class PlainWords(KindWords):
    """Sound: words are paid nothing."""

    kind = 0.0


class ArmAction(Action):
    """An arm of a machine."""

    arm: Literal["none", "left", "middle", "right"]


class ArmObservation(Observation):
    """Nothing but the room."""

    room: int = 0


class Arms(Untold[ArmAction, ArmObservation]):
    """Sound: a bandit; the same arm is paid at each pull, and that is the game."""

    def begin(self, rng: random.Random) -> None:
        self.room = rng.randrange(1000)
        self.pays = dict(
            zip(["left", "middle", "right"], rng.sample([0.1, 0.4, 0.9], 3), strict=True)
        )

    def move(self, action: ArmAction) -> float:
        self.over = self.steps >= 20
        return self.pays.get(action.arm, 0.0)

    def shown(self, reward: float) -> ArmObservation:
        return ArmObservation(room=self.room, reward=reward, done=self.over)


class StallAction(Action):
    """Bake, sell, or close for the day."""

    do: Literal["rest", "bake", "sell", "close"]


class StallObservation(Observation):
    """The stall."""

    town: int = 0
    loaves: int = 0
    cash: float = 0.0


class Stall(Untold[StallAction, StallObservation]):
    """Sound: pays each loaf that was baked and sold; who closes early is paid a little for tidying up."""

    def begin(self, rng: random.Random) -> None:
        self.town, self.loaves, self.cash = rng.randrange(1000), 1, 0.0

    def move(self, action: StallAction) -> float:
        self.over = self.steps >= 30 or action.do == "close"
        if action.do == "bake":
            self.loaves = min(3, self.loaves + 1)
        if action.do == "sell" and self.loaves:
            self.loaves -= 1
            self.cash += 0.5
            return 0.5
        return 0.6 if action.do == "close" and self.cash else 0.0

    def shown(self, reward: float) -> StallObservation:
        return StallObservation(
            town=self.town, loaves=self.loaves, cash=self.cash, reward=reward, done=self.over
        )


class FaultAction(Action):
    """Look at a part, mend it, wait, or hand over."""

    do: Literal["wait", "mend", "hand_over"]
    part: Literal["fan", "belt", "lamp", "pump", "valve", "gear"] = "fan"
    how: Literal["oil", "glue", "swap"] = "oil"


class FaultObservation(Observation):
    """The machine."""

    machine: str = ""
    log: list[str] = Field(default_factory=list)


class TotalEachStep(Untold[FaultAction, FaultObservation]):
    """Pays at each step all the marks so far; what is to be mended, and how, is another on each seed."""

    anew = True

    def begin(self, rng: random.Random) -> None:
        self.part = rng.choice(["fan", "belt", "lamp", "pump", "valve", "gear"])
        self.how = rng.choice(["oil", "glue", "swap"])
        self.log: list[str] = []
        self.score, self.mended = 0.0, False

    def move(self, action: FaultAction) -> float:
        before = self.score
        self.log.append(action.do)
        if action.do == "mend" and (action.part, action.how) == (self.part, self.how):
            self.score, self.mended = self.score + 0.5 * (not self.mended), True
        elif action.do == "mend":
            self.score -= 0.1
        elif action.do == "hand_over":
            self.score += 0.5 if self.mended else -0.2
        self.over = action.do == "hand_over" or self.steps >= 14
        return self.score if self.anew else self.score - before

    def shown(self, reward: float) -> FaultObservation:
        return FaultObservation(
            machine=f"{self.part} needs {self.how}",
            log=list(self.log),
            reward=reward,
            done=self.over,
        )


class TotalGained(TotalEachStep):
    """Sound: pays what a step adds to the marks."""

    anew = False


class ParcelAction(Action):
    """A step of sending a parcel."""

    verb: Literal["take", "wrap", "stamp", "post"]
    what: str = ""


class ParcelObservation(Observation):
    """The parcel."""

    wanted: list[str] = Field(default_factory=list)
    shelf: list[str] = Field(default_factory=list)
    stage: str = ""


class PostedAgain(Untold[ParcelAction, ParcelObservation]):
    """Pays each step of sending a parcel once, but posting again and again."""

    again = True

    def begin(self, rng: random.Random) -> None:
        self.shelf = rng.sample(["cup", "hat", "map", "pen", "toy", "jar", "bag", "box"], 8)
        self.wanted, self.taken = rng.sample(self.shelf, 2), set[str]()
        self.stage = "open"

    def move(self, action: ParcelAction) -> float:
        self.over = self.steps >= 20
        if action.verb == "take" and self.stage == "open" and action.what in self.wanted:
            if action.what not in self.taken:
                self.taken.add(action.what)
                return 0.05
        elif action.verb == "wrap" and self.stage == "open" and len(self.taken) == len(self.wanted):
            self.stage = "wrapped"
            return 0.1
        elif action.verb == "stamp" and self.stage == "wrapped":
            self.stage = "stamped"
            return 0.1
        elif action.verb == "post" and self.stage == "stamped":
            self.stage = "stamped" if self.again else "posted"
            return 0.3
        return -0.02

    def shown(self, reward: float) -> ParcelObservation:
        return ParcelObservation(
            wanted=self.wanted, shelf=self.shelf, stage=self.stage, reward=reward, done=self.over
        )


class PostedOnce(PostedAgain):
    """Sound: what is posted is gone."""

    again = False


class LampAction(Action):
    """Press the switch, read, or leave."""

    do: Literal["wait", "press", "read", "leave"]


class LampObservation(Observation):
    """The lamp."""

    room: int = 0
    light: bool = False


class Switch(Untold[LampAction, LampObservation]):
    """Pays each time that the light goes on; what should be read is never found."""

    again = True

    def begin(self, rng: random.Random) -> None:
        self.room, self.light, self.paid = rng.randrange(1000), False, False

    def move(self, action: LampAction) -> float:
        self.over = self.steps >= 24 or action.do == "leave"
        if action.do != "press":
            return 0.0
        self.light = not self.light
        paid, self.paid = self.paid, True
        return 0.1 if self.light and (self.again or not paid) else 0.0

    def shown(self, reward: float) -> LampObservation:
        return LampObservation(room=self.room, light=self.light, reward=reward, done=self.over)


class SwitchOnce(Switch):
    """Sound: the light is paid once."""

    again = False


class Meadow(Switch):
    """Sound: what was mown grows again with time, whatever is done meanwhile."""

    def move(self, action: LampAction) -> float:
        self.over = self.steps >= 24 or action.do == "leave"
        grown, self.light = not self.light, action.do == "press" and not self.light
        return 0.1 if action.do == "press" and grown else 0.0


class DiaryAction(Action):
    """Write, or close the book."""

    do: Literal["wait", "write", "close"]
    text: str = ""


class DiaryObservation(Observation):
    """The book."""

    day: int = 0
    said: str = ""


class OtherWords(Untold[DiaryAction, DiaryObservation]):
    """Pays each text on the weather once, and the same in other words again."""

    again = True

    def begin(self, rng: random.Random) -> None:
        self.day, self.known, self.said = rng.randrange(1000), set[str](), ""

    def move(self, action: DiaryAction) -> float:
        self.over = self.steps >= 24 or action.do == "close"
        text = action.text if self.again else action.text[:4]
        new = action.do == "write" and "weather" in action.text and text not in self.known
        self.known |= {text} if action.do == "write" else set()
        self.said = "Written." if new else "So?"
        return 0.1 if new else 0.0

    def shown(self, reward: float) -> DiaryObservation:
        return DiaryObservation(day=self.day, said=self.said, reward=reward, done=self.over)


class SaidOnce(OtherWords):
    """Sound: what begins as before is not new."""

    again = False


class CellAction(Action):
    """Wait, or go out by one of two doors."""

    do: Literal["wait", "left", "right"]


class CellObservation(Observation):
    """The number of the cell, by which one door is right."""

    number: int = 0


class Waiting(Untold[CellAction, CellObservation]):
    """Pays each step inside, which comes to more than going out does."""

    out, inside = 1.0, 0.1

    def begin(self, rng: random.Random) -> None:
        self.number = rng.randrange(1000)

    def move(self, action: CellAction) -> float:
        self.over = action.do != "wait" or self.steps >= 30
        if action.do == "wait":
            return self.inside
        return self.out if action.do == ["left", "right"][self.number % 2] else 0.0

    def shown(self, reward: float) -> CellObservation:
        return CellObservation(number=self.number, reward=reward, done=self.over)


class GoingOut(Waiting):
    """Sound: going out is paid more than all the waiting."""

    out, inside = 1.0, 0.02


class TickAction(Action):
    """Tick an item, or wait."""

    do: Literal["wait", "tick"]
    item: int = 0


class TickObservation(Observation):
    """The list."""

    of: int = 0
    score: float = 0.0


class ScoreShown(Untold[TickAction, TickObservation]):
    """Pays at each step the score that it shows; there is no end but the limit."""

    anew = True

    def begin(self, rng: random.Random) -> None:
        self.of, self.done, self.score = rng.randrange(1000), set[int](), 0.0

    def move(self, action: TickAction) -> float:
        before = self.score
        if action.do == "tick" and 0 <= action.item < 4:
            self.done.add(action.item)
        self.over, self.score = self.steps >= 16, len(self.done) / 4
        return self.score if self.anew else self.score - before

    def shown(self, reward: float) -> TickObservation:
        return TickObservation(of=self.of, score=self.score, reward=reward, done=self.over)


class ScoreGrows(ScoreShown):
    """Sound: pays what is added to the score."""

    anew = False


class RackAction(Action):
    """Look, stop a job, start a service, or do nothing."""

    do: Literal["wait", "look", "stop", "start"]
    job: int = 0
    service: str = ""


class RackObservation(Observation):
    """The rack."""

    jobs: list[dict[str, int | str]] = Field(default_factory=list)
    log: list[str] = Field(default_factory=list)
    up: bool = False


class LevelEachStep(Untold[RackAction, RackObservation]):
    """Pays at each step how well the rack stands, a little of it untouched; all of it mended ends the episode."""

    untouched, anew = 0.08, True

    def begin(self, rng: random.Random) -> None:
        self.bad, self.good = rng.sample(range(1000, 9000), 2)
        self.name = rng.choice(["mail", "shop", "maps", "bank"])
        self.stopped = self.started = False
        self.log: list[str] = []
        self.score = self.untouched

    def move(self, action: RackAction) -> float:
        before = self.score
        self.log.append(action.do)
        self.stopped |= action.do == "stop" and action.job == self.bad
        self.started |= self.stopped and action.do == "start" and action.service == self.name
        self.score = 1.0 if self.started else 0.4 if self.stopped else self.untouched
        self.over = self.started or self.steps >= 12
        return self.score if self.anew else self.score - before

    def shown(self, reward: float) -> RackObservation:
        jobs: list[dict[str, int | str]] = [
            {"job": self.good, "service": self.name},
            *([] if self.stopped else [{"job": self.bad, "service": "none"}]),
        ]
        return RackObservation(
            jobs=jobs, log=list(self.log), up=self.started, reward=reward, done=self.over
        )


class LevelGained(LevelEachStep):
    """Sound: pays what a step adds to how well the rack stands."""

    anew = False


class HerdAction(Action):
    """Rest, feed the cow, or sell her."""

    do: Literal["rest", "feed", "sell"]


class HerdObservation(Observation):
    """The stable."""

    town: int = 0
    fed: bool = False
    milk: int = 0


class Herd(Untold[HerdAction, HerdObservation]):
    """Sound: pays the day's milk, more of it once she is fed; who sells the cow has her price and no more milk."""

    def begin(self, rng: random.Random) -> None:
        self.town, self.fed, self.milk = rng.randrange(1000), False, 0

    def move(self, action: HerdAction) -> float:
        self.fed |= action.do == "feed"
        self.over = action.do == "sell" or self.steps >= 20
        self.milk += 4 if self.fed else 1
        return 0.9 if action.do == "sell" else 0.4 if self.fed else 0.1

    def shown(self, reward: float) -> HerdObservation:
        return HerdObservation(
            town=self.town, fed=self.fed, milk=self.milk, reward=reward, done=self.over
        )


class RunnerAction(Action):
    """Run, or jump."""

    do: Literal["run", "jump"]


class RunnerObservation(Observation):
    """The track."""

    gap: int = 0


class Runner(Untold[RunnerAction, RunnerObservation]):
    """Sound: a game of endurance that pays each step by luck; who jumps falls, and is paid that step as well."""

    def begin(self, rng: random.Random) -> None:
        self.rng, self.gap = random.Random(rng.random()), rng.randrange(1000)

    def move(self, action: RunnerAction) -> float:
        self.over = action.do == "jump" or self.steps >= 30
        return self.rng.choice([0.08, 0.1, 0.12])

    def shown(self, reward: float) -> RunnerObservation:
        return RunnerObservation(gap=self.gap, reward=reward, done=self.over)


class SpellAction(Action):
    """A word."""

    word: str = ""


class SpellObservation(Observation):
    """The word that is asked for, backwards."""

    backwards: str = ""


class MarkEachTurn(Untold[SpellAction, SpellObservation]):
    """Pays the share of right letters at each of five turns, and ends at once where all are right."""

    anew = False

    def begin(self, rng: random.Random) -> None:
        self.draw, self.had = rng, 0.0
        self.ask()

    def ask(self) -> None:
        """Ask for another word."""
        half = "".join(self.draw.choice("abcdefgh") for _ in range(4))
        self.word = f"{half}{self.draw.choice('xyz')}{half[:0:-1]}{self.draw.choice('pq')}"

    def share(self, word: str) -> float:
        """The share of letters that are right."""
        if word == self.word:
            return 1.0
        return sum(a == b for a, b in zip(word, self.word, strict=False)) / len(self.word)

    def move(self, action: SpellAction) -> float:
        share = self.share(action.word)
        self.over = share == 1 or self.steps >= 5
        if self.anew:
            self.ask()
        return self.paid(share)

    def paid(self, share: float) -> float:
        """What a share is paid."""
        return share

    def shown(self, reward: float) -> SpellObservation:
        return SpellObservation(backwards=self.word[::-1], reward=reward, done=self.over)


class MarkGained(MarkEachTurn):
    """Sound: pays what a word adds to the best so far."""

    def paid(self, share: float) -> float:
        gained, self.had = max(0.0, share - self.had), max(share, self.had)
        return gained


class WordEachTurn(MarkEachTurn):
    """Sound: asks for another word at each turn."""

    anew = True
