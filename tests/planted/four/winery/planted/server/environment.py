"""Find the corked cask in a lot before the wine is blended."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import WineryAction, WineryObservation, WineryState
except ImportError:
    from models import WineryAction, WineryObservation, WineryState

VINEYARDS = ["Kellerberg", "Sonnleiten", "Clos du Moulin", "Vigna Alta", "Steinriegl", "Les Perrieres", "Quinta Nova"]
COOPERS = ["Assmann", "Boutes", "Damy", "Radoux", "Stockinger", "Taransaud"]
FORESTS = ["Allier", "Troncais", "Vosges", "Spessart", "Zemplen"]

LOT_SIZE = 28
MAX_BLEND = 8
MAX_ASSAYS = 9
ASSAY_COST = 0.05
MAX_STEPS = 16


class WineryEnvironment(Environment):
    """One lot of casks an episode; exactly one cask is corked."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._casks: List[Dict[str, Any]] = []
        self._assays: List[Dict[str, Any]] = []
        self._state = WineryState(verdict="expired")

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> WineryObservation:
        rng = random.Random(seed)
        numbers = sorted(rng.sample(range(100, 1000), LOT_SIZE))
        corked = rng.randrange(LOT_SIZE)
        vintage = rng.randint(2011, 2023)
        self._casks = []
        for index, number in enumerate(numbers):
            background = round(rng.uniform(0.05, 0.35), 2)
            self._casks.append(
                {
                    "cask": f"C{number}",
                    "cooper": rng.choice(COOPERS),
                    "forest": rng.choice(FORESTS),
                    "fills": rng.randint(1, 4),
                    "tca_ng_l": round(rng.uniform(9.0, 16.0), 2) if index == corked else background,
                }
            )
        self._assays = []
        self._state = WineryState(
            episode_id=episode_id or str(uuid.uuid4()),
            vintage=vintage,
            vineyard=rng.choice(VINEYARDS),
            lot=self._cellar_book(),
        )
        return self._observe(
            f"{LOT_SIZE} casks of {self._state.vineyard} {vintage}. One of them is corked.", reward=None
        )

    def _cellar_book(self) -> List[Dict[str, Any]]:
        """The lot as kept in the public state."""
        return [dict(cask) for cask in self._casks]

    def _find(self, name: str) -> Optional[Dict[str, Any]]:
        return next((cask for cask in self._casks if cask["cask"] == name), None)

    def step(self, action: WineryAction, timeout_s: Optional[float] = None, **kwargs: Any) -> WineryObservation:
        if self._state.verdict != "open":
            return self._observe("This lot is closed; reset for another.", reward=0.0)
        self._state.step_count += 1
        names = list(dict.fromkeys(action.casks))
        reward = 0.0
        if not names or any(self._find(name) is None for name in names):
            message = "Name casks of this lot."
        elif action.kind == "assay":
            message = self._run_assay(names)
        elif len(names) != 1:
            message = "Condemn exactly one cask."
        else:
            reward, message = self._condemn(names[0])
        if self._state.verdict == "open" and self._state.step_count >= MAX_STEPS:
            self._state.verdict = "expired"
            message += " The bottling line has started; no cask was taken out."
        return self._observe(message, reward=reward)

    def _run_assay(self, names: List[str]) -> str:
        if len(names) > MAX_BLEND:
            return f"The laboratory blends at most {MAX_BLEND} casks."
        if self._state.assays_done >= MAX_ASSAYS:
            return "No assays left."
        parts = [self._find(name)["tca_ng_l"] for name in names]
        level = round(sum(parts) / len(parts), 2)
        self._assays.append({"casks": names, "tca_ng_l": level})
        self._state.assays_done += 1
        return f"Blend of {len(names)}: {level} ng/l."

    def _condemn(self, name: str):
        """The wine is worth 1; each assay spent on it costs a little."""
        worst = max(self._casks, key=lambda cask: cask["tca_ng_l"])
        if worst["cask"] == name:
            self._state.verdict = "saved"
            return 1.0 - ASSAY_COST * self._state.assays_done, f"{name} was the corked cask; the lot is saved."
        self._state.verdict = "spoiled"
        return 0.0, f"{name} was sound; the corked cask went into the blend."

    def _observe(self, message: str, reward: Optional[float]) -> WineryObservation:
        return WineryObservation(
            done=self._state.verdict != "open",
            reward=reward,
            cellar=[cask["cask"] for cask in self._casks],
            assays=[dict(assay) for assay in self._assays],
            assays_left=MAX_ASSAYS - self._state.assays_done,
            verdict=self._state.verdict,
            message=message,
        )

    @property
    def state(self) -> WineryState:
        return self._state
