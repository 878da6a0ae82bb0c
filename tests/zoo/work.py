"""Sound games of work: the same few actions, over and over, are what is paid for; none of them says success."""

import random
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from tests.zoo.untold import Untold


class CarrierAction(Action):
    """Take a sack, drop it, or rest."""

    do: Literal["rest", "take", "drop"]


class TextObservation(Observation):
    """What is told."""

    text: str = ""


class Carrier(Untold[CarrierAction, TextObservation]):
    """Pays each sack that is brought in; a text alone tells how many are left."""

    def begin(self, rng: random.Random) -> None:
        self.left, self.full = 12, False

    def move(self, action: CarrierAction) -> float:
        brought = action.do == "drop" and self.full
        self.left -= brought
        self.full = action.do == "take" or (self.full and not brought)
        self.over = self.left == 0 or self.steps >= 30
        return float(brought)

    def shown(self, reward: float) -> TextObservation:
        said = f"{self.left} sacks lie outside, you carry {'one' if self.full else 'none'}."
        return TextObservation(text=said, reward=reward, done=self.over)


class BoatAction(Action):
    """Put the oars forward or back, or rest."""

    oar: Literal["rest", "forward", "back"]


class BoatObservation(Observation):
    """The oars, and the way that is left."""

    oars: str = ""
    text: str = ""


class Boat(Untold[BoatAction, BoatObservation]):
    """Pays each stroke its part of the way, and ends on the other side."""

    def begin(self, rng: random.Random) -> None:
        self.left, self.oars = 12, "back"

    def move(self, action: BoatAction) -> float:
        stroke = action.oar == "back" and self.oars == "forward"
        self.oars = self.oars if action.oar == "rest" else action.oar
        self.left -= stroke
        self.over = self.left == 0 or self.steps >= 40
        return stroke / 12

    def shown(self, reward: float) -> BoatObservation:
        said = f"{self.left} strokes to the other side."
        return BoatObservation(oars=self.oars, text=said, reward=reward, done=self.over)


class FerryAction(Action):
    """Cross to a bank, or stay."""

    move: Literal["stay", "left", "right"]


class FerryObservation(Observation):
    """The bank."""

    bank: str = ""
    hours: int = 0


class Ferry(Untold[FerryAction, FerryObservation]):
    """Pays each crossing with people; how many still wait is not told."""

    def begin(self, rng: random.Random) -> None:
        self.bank = "right"

    def move(self, action: FerryAction) -> float:
        landed = action.move == "right" and self.bank == "left"
        self.bank = self.bank if action.move == "stay" else action.move
        self.over = self.steps >= 30
        return 0.2 * landed

    def shown(self, reward: float) -> FerryObservation:
        return FerryObservation(bank=self.bank, hours=self.steps, reward=reward, done=self.over)


class PumpAction(Action):
    """Move the handle, look, or rest."""

    do: Literal["rest", "stroke", "look"]


class PumpObservation(Observation):
    """The handle, and what was lifted."""

    handle: str = ""
    text: str = ""


class Pump(Untold[PumpAction, PumpObservation]):
    """Pays each bucket, for which the handle has to go down and up."""

    def begin(self, rng: random.Random) -> None:
        self.strokes = 0

    def move(self, action: PumpAction) -> float:
        self.over = self.steps >= 30
        self.strokes += action.do == "stroke"
        return 0.2 if action.do == "stroke" and self.strokes % 2 == 0 else 0.0

    def shown(self, reward: float) -> PumpObservation:
        handle = "down" if self.strokes % 2 else "up"
        said = f"{self.strokes // 2} buckets so far."
        return PumpObservation(handle=handle, text=said, reward=reward, done=self.over)


class MineAction(Action):
    """Fetch the pick, go in, dig, or rest."""

    do: Literal["rest", "fetch", "enter", "dig"]


class Mine(Untold[MineAction, TextObservation]):
    """Pays a little once for each thing that makes ready, and then for each load of ore."""

    def begin(self, rng: random.Random) -> None:
        self.stage, self.ore = 0, 0

    def move(self, action: MineAction) -> float:
        self.over = self.steps >= 30
        if action.do == ("fetch", "enter", "none")[self.stage]:
            self.stage += 1
            return 0.1
        dug = action.do == "dig" and self.stage == 2
        self.ore += dug
        return 0.25 * dug

    def shown(self, reward: float) -> TextObservation:
        where = ("at the hut", "with a pick", "in the mine")[self.stage]
        said = f"Hour {self.steps} of 30, {where}. Ore: {self.ore}."
        return TextObservation(text=said, reward=reward, done=self.over)


class RoomAction(Action):
    """Set the heating."""

    heat: Literal["off", "low", "high"]


class RoomObservation(Observation):
    """The room."""

    season: str = ""
    comfort_score: float = 0.0


class Room(Untold[RoomAction, RoomObservation]):
    """Pays each hour its comfort, which lasts for as long as the heating is kept right."""

    def begin(self, rng: random.Random) -> None:
        self.season, self.level = rng.choice(["autumn", "winter"]), 0

    def move(self, action: RoomAction) -> float:
        goal = ("off", "low", "high").index(action.heat)
        self.level += (goal > self.level) - (goal < self.level)
        self.over = self.steps >= 24
        return self.comfort

    @property
    def comfort(self) -> float:
        """How near the level is to what the season asks for."""
        best = 1 if self.season == "autumn" else 2
        return 0.0 if self.level == 0 else 1.0 if self.level == best else 0.5

    def shown(self, reward: float) -> RoomObservation:
        return RoomObservation(
            season=self.season, comfort_score=self.comfort, reward=reward, done=self.over
        )


class KitchenAction(Action):
    """Heat the pot, serve, close for the day, or wait."""

    do: Literal["wait", "heat", "serve", "close"]


class KitchenObservation(Observation):
    """The pot."""

    pot: str = ""
    queue: int = 0


class Kitchen(Untold[KitchenAction, KitchenObservation]):
    """Pays each guest of a queue without end; who closes early is paid for the clean pot, and less in all."""

    def begin(self, rng: random.Random) -> None:
        self.pot, self.queue = "cold", rng.randrange(1000, 9000)

    def move(self, action: KitchenAction) -> float:
        self.pot = "warm" if action.do == "heat" else self.pot
        self.over = action.do == "close" or self.steps >= 30
        return {"serve": 0.5, "close": 2.0}.get(action.do, 0.0) * (self.pot == "warm")

    def shown(self, reward: float) -> KitchenObservation:
        return KitchenObservation(pot=self.pot, queue=self.queue, reward=reward, done=self.over)


class CloverAction(Action):
    """Leave the clover to the bees, or mow it."""

    do: Literal["wait", "mow"]


class CloverObservation(Observation):
    """The field."""

    colour: str = ""


class Clover(Untold[CloverAction, CloverObservation]):
    """Pays each day that it is left alone; who mows is paid once, and less than the season brings."""

    def begin(self, rng: random.Random) -> None:
        self.colour = rng.choice(["red", "white", "pink"])

    def move(self, action: CloverAction) -> float:
        self.over = action.do == "mow" or self.steps >= 40
        return 1.0 if action.do == "mow" else 0.1

    def shown(self, reward: float) -> CloverObservation:
        return CloverObservation(colour=self.colour, reward=reward, done=self.over)
