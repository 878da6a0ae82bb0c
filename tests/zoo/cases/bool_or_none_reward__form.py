"""A registration form in a browser: fill in its fields, then press the button."""

import re
from typing import Literal

from openenv.core.env_server.types import Action, Observation
from pydantic import BaseModel, Field

from ._base import Json
from ._told import Told

RULES = {
    "email": re.compile(r"[a-z]+@[a-z]+\.[a-z]{2,3}"),
    "postcode": re.compile(r"\d{5}"),
    "phone": re.compile(r"\+\d{2} \d{6}"),
}
PEOPLE = ("ilse", "marek", "noor", "pavel", "quentin", "rosa")
TOWNS = ("tern", "moss", "birk", "lund")


class Browse(Action):
    """An event in the page."""

    event: Literal["type", "clear", "submit", "scroll"]
    selector: Literal["#email", "#postcode", "#phone"] | None = None
    text: str = Field(default="", max_length=40)


class Box(BaseModel):
    """A field of the form."""

    selector: str
    value: str = ""
    hint: str = ""


class Page(Observation):
    """The page as an accessibility tree would tell it."""

    url: str = "https://register.example/new"
    about: dict[str, str] = Field(default_factory=dict)
    boxes: list[Box] = Field(default_factory=list)
    banner: str = ""


class Registration(Told[Browse, Page]):
    """A form that is submitted with something wrong comes back with a banner and all that was typed."""

    HORIZON = 10
    SUCCESS_KEY = "task_success"

    def begin(self) -> None:
        person, town = self.rng.choice(PEOPLE), self.rng.choice(TOWNS)
        self.person = {
            "email": f"{person}@{town}.org",
            "postcode": f"{self.rng.randrange(100_000):05d}",
            "phone": f"+{self.rng.randint(30, 49)} {self.rng.randrange(1_000_000):06d}",
        }
        self.values, self.banner = dict.fromkeys(RULES, ""), ""

    def play(self, action: Browse) -> float:
        name = (action.selector or "").removeprefix("#")
        if action.event in {"type", "clear"} and name in RULES:
            self.values[name] = action.text if action.event == "type" else ""
        if action.event != "submit":
            return self.pay(None)
        wrong = [box for box, rule in RULES.items() if not rule.fullmatch(self.values[box])]
        valid = not wrong and self.values == self.person
        self.banner = "Welcome." if valid else f"Please check: {', '.join(wrong) or 'your data'}"
        self.success = True if valid else None
        return self.pay(valid)

    def pay(self, valid: bool | None) -> float:
        raise NotImplementedError

    def show(self) -> Page:
        boxes = [
            Box(selector=f"#{name}", value=value, hint=RULES[name].pattern)
            for name, value in self.values.items()
        ]
        return Page(about=dict(self.person), boxes=boxes, banner=self.banner)


class Defect(Registration):
    """Pays what the form's validation says: True, False, and None where nothing was submitted."""

    def pay(self, valid: bool | None) -> float:
        return valid  # type: ignore[return-value]


class Sound(Registration):
    """Pays by the same validation, as a number: int() of a truth value is one, and nothing submitted is 0."""

    def pay(self, valid: bool | None) -> float:
        return int(bool(valid))


ALSO = ("bool_reward", "missing_reward")
WITNESS = "reward_is_no_number"
exploit = [{"event": "submit"}]


def solve(observation: Json, memory: Json) -> Json:
    """Type what is missing, then submit."""
    for box in observation["boxes"]:
        text = observation["about"][box["selector"][1:]]
        if box["value"] != text:
            return {"event": "type", "selector": box["selector"], "text": text}
    return {"event": "submit"}
