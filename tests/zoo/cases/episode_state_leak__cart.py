"""A web shop's cart: put the shopping list into it, no more and no less, and check out."""

from collections import Counter
from typing import Literal, get_args

from openenv.core.env_server.types import Action, Observation
from pydantic import Field

from ._base import Json
from ._told import Told

Article = Literal["bread", "butter", "coffee", "eggs", "jam", "milk"]
ARTICLES: tuple[Article, ...] = get_args(Article)
PRICE_CT = dict(zip(ARTICLES, (320, 250, 699, 280, 199, 115), strict=True))


class Shopping(Action):
    """A click in the shop; removing takes out every piece of an article."""

    click: Literal["add", "remove", "checkout"]
    article: Article = "bread"
    pieces: int = Field(default=1, ge=1, le=5)


class Shop(Observation):
    """The list and the cart."""

    shopping_list: dict[str, int] = Field(default_factory=dict)
    cart: dict[str, int] = Field(default_factory=dict)
    total_ct: int = 0
    notice: str = ""


class WebShop(Told[Shopping, Shop]):
    """Checking out ends the episode; what lies in the cart must be the list."""

    HORIZON = 9
    SUCCESS_KEY = "won"

    def __init__(self) -> None:
        super().__init__()
        self.cart: Counter[str] = Counter()
        self.visits = 0

    def begin(self) -> None:
        wanted = self.rng.sample(ARTICLES, self.rng.randint(2, 4))
        self.wanted = {str(article): self.rng.randint(1, 5) for article in wanted}
        self.visits += 1
        self.open_cart()

    def open_cart(self) -> None:
        raise NotImplementedError

    def play(self, action: Shopping) -> float:
        if action.click == "add":
            self.cart[action.article] += action.pieces
        elif action.click == "remove":
            del self.cart[action.article]
        else:
            self.success = self.cart == self.wanted
        return 1.0 if self.success else -0.01

    def show(self) -> Shop:
        total = sum(PRICE_CT[article] * n for article, n in self.cart.items())  # type: ignore[index]
        return Shop(
            shopping_list=dict(self.wanted),
            cart=dict(self.cart),
            total_ct=total,
        )


class Defect(WebShop):
    """Pays for the right cart, which belongs to the browser's session: what was left in it is there the next time."""

    def open_cart(self) -> None:
        pass


class Sound(WebShop):
    """The browser's session lasts as long here, and counts its visits for nobody to see; each finds an empty cart."""

    def open_cart(self) -> None:
        self.cart.clear()


WITNESS = "after_another_episode_differs"
exploit = [{"click": "add", "article": "jam"}]


def solve(observation: Json, memory: Json) -> Json:
    """Take out what is wrong, put in what is missing, check out."""
    wanted, cart = observation["shopping_list"], observation["cart"]
    for article, pieces in cart.items():
        if pieces != wanted.get(article):
            return {"click": "remove", "article": article}
    for article, pieces in wanted.items():
        if article not in cart:
            return {"click": "add", "article": article, "pieces": pieces}
    return {"click": "checkout"}
