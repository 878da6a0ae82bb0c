"""Allergen clearance for a seated dinner."""

import random
import uuid
from typing import Any, Dict, List, Optional, Set

from openenv.core.env_server import Environment

try:
    from ..models import BanquetAction, BanquetObservation, BanquetState
except ImportError:
    from models import BanquetAction, BanquetObservation, BanquetState

ALLERGENS = ["gluten", "milk", "egg", "tree nut", "peanut", "soy", "fish", "shellfish", "sesame", "celery"]

# Ingredients bought as they are.
RAW: Dict[str, List[str]] = {
    "flour": ["gluten"], "barley": ["gluten"], "butter": ["milk"], "cream": ["milk"], "feta": ["milk"],
    "yolk": ["egg"], "walnut": ["tree nut"], "pistachio": ["tree nut"], "groundnut oil": ["peanut"],
    "tofu": ["soy"], "anchovy": ["fish"], "cod": ["fish"], "prawn": ["shellfish"], "mussel": ["shellfish"],
    "celeriac": ["celery"], "sesame seed": ["sesame"],
    "rice": [], "lentil": [], "tomato": [], "lemon": [], "beetroot": [], "chicken": [], "lamb": [],
    "olive oil": [], "potato": [], "carrot": [], "mushroom": [], "apple": [], "honey": [], "spinach": [],
    "leek": [], "fennel": [],
}
# Kitchen preparations; which ones the kitchen makes, and how, changes from dinner to dinner.
PREPARED: Dict[str, List[List[str]]] = {
    "house stock": [["celeriac", "carrot"], ["carrot", "leek"], ["anchovy", "leek"]],
    "green sauce": [["walnut", "spinach"], ["anchovy", "spinach"], ["lemon", "spinach"]],
    "tahini": [["sesame seed", "lemon"], ["sesame seed", "olive oil"]],
    "mayonnaise": [["yolk", "olive oil"], ["tofu", "groundnut oil"], ["yolk", "groundnut oil"]],
    "crumb": [["flour", "butter"], ["pistachio", "olive oil"], ["potato", "olive oil"]],
    "glaze": [["honey", "butter"], ["honey", "sesame seed"], ["honey", "apple"]],
    "dumpling": [["flour", "yolk"], ["potato", "yolk"], ["rice", "prawn"]],
    "dressing": [["mayonnaise", "lemon"], ["tahini", "lemon"], ["olive oil", "lemon"]],
}
FIRST = ["Roast", "Warm", "Chilled", "Braised", "Grilled", "Smoked", "Pickled", "Baked", "Pressed", "Spiced"]
SECOND = ["salad", "terrine", "broth", "tartlet", "skewer", "gratin", "platter", "stew", "parcel", "medley"]
NAMES = ["Adeyemi", "Brandt", "Castillo", "Dufour", "Eriksen", "Fontana", "Grewal", "Hoang", "Ibsen", "Jansen",
         "Kaya", "Lindqvist", "Moreau", "Nakata", "Oduya", "Petrov"]

GUESTS = 6
DISHES = 14


class BanquetEnvironment(Environment):
    """The agent clears one guest a step."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = BanquetState()
        self._menu: Dict[str, List[str]] = {}
        self._pantry: Dict[str, List[str]] = {}
        self._guests: List[Dict[str, Any]] = []
        self._done = True

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> BanquetObservation:
        rng = random.Random(seed)
        self._pantry = {name: list(parts) for name, parts in RAW.items()}
        for name, recipes in PREPARED.items():
            self._pantry[name] = list(rng.choice(recipes))
        self._menu = self._write_menu(rng)
        self._guests = self._seat_guests(rng)
        self._state = BanquetState(episode_id=episode_id or str(uuid.uuid4()), guests_total=GUESTS)
        self._done = False
        return self._observe("The dinner starts; clear the first guest.")

    def _write_menu(self, rng: random.Random) -> Dict[str, List[str]]:
        titles = [f"{a} {b}" for a in FIRST for b in SECOND]
        plain = [name for name, parts in RAW.items() if not parts]
        risky = [name for name in self._pantry if name not in plain]
        menu = {}
        for title in rng.sample(titles, DISHES):
            items = rng.sample(plain, rng.randint(2, 3)) + rng.sample(risky, rng.randint(1, 2))
            rng.shuffle(items)
            menu[title] = items
        return menu

    def _seat_guests(self, rng: random.Random) -> List[Dict[str, Any]]:
        guests: List[Dict[str, Any]] = []
        for name in rng.sample(NAMES, GUESTS):
            while True:
                allergies = rng.sample(ALLERGENS, rng.randint(1, 2))
                unsafe = {dish for dish in self._menu if self._allergens_in(dish) & set(allergies)}
                if 1 <= len(unsafe) <= 5:
                    break
            guests.append({"name": name, "allergies": sorted(allergies), "unsafe": unsafe})
        return guests

    def _allergens_in(self, dish: str) -> Set[str]:
        found: Set[str] = set()
        queue = list(self._menu[dish])
        while queue:
            item = queue.pop()
            if item in ALLERGENS:
                found.add(item)
            else:
                queue.extend(self._pantry[item])
        return found

    @staticmethod
    def _clearance_score(withheld: Set[str], unsafe: Set[str]) -> float:
        """Share of the guest's unsafe dishes that were withheld."""
        return len(withheld & unsafe) / len(unsafe)

    def step(self, action: BanquetAction, timeout_s: Optional[float] = None, **kwargs: Any) -> BanquetObservation:
        if self._done:
            return self._observe("The dinner is over; reset to start another.")
        guest = self._guests[self._state.guests_cleared]
        withheld = {dish.strip() for dish in action.withhold}
        reward = self._clearance_score(withheld, guest["unsafe"]) / GUESTS
        self._state.step_count += 1
        self._state.guests_cleared += 1
        self._state.score += reward
        self._done = self._state.guests_cleared == GUESTS
        observation = self._observe(f"{guest['name']} has been served.")
        observation.reward = reward
        return observation

    def _observe(self, message: str) -> BanquetObservation:
        if self._done:
            return BanquetObservation(
                done=True, reward=0.0, message=message, success=self._state.score > 0.999
            )
        guest = self._guests[self._state.guests_cleared]
        return BanquetObservation(
            guest=guest["name"],
            allergies=guest["allergies"],
            menu=self._menu,
            pantry=self._pantry,
            guests_left=GUESTS - self._state.guests_cleared,
            message=message,
        )

    @property
    def state(self) -> BanquetState:
        return self._state
