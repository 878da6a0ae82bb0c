"""A dispensary counter: check the prescriptions in the tray against the formulary."""

import random
import uuid
from typing import Any, Dict, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import PharmacyAction, PharmacyObservation, PharmacyState
except ImportError:
    from models import PharmacyAction, PharmacyObservation, PharmacyState

MEDICINES = [
    "amoxiline", "betaprol", "cardizole", "doxemine", "enapral", "fluvastin",
    "glipizone", "hydrotan", "ibucaine", "ketorphan", "lorazine", "metofen",
]
FORENAMES = ["Ines", "Tomas", "Oda", "Rafi", "Maud", "Jonas", "Yusra", "Pim", "Lena", "Koen"]
SURNAMES = ["Abel", "Brandt", "Cole", "Dijk", "Evers", "Faber", "Groen", "Holt", "Iversen", "Jong"]
TRAY_SIZE = 12
MAX_STEPS = 36


class PharmacyEnvironment(Environment):
    """Twelve prescriptions, one formulary, three possible verdicts."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._rng = random.Random(0)
        self._formulary: Dict[str, Dict[str, Any]] = {}
        self._tray: Dict[str, Dict[str, Any]] = {}
        self._truth: Dict[str, str] = {}
        self._decisions: Dict[str, str] = {}
        self._done = True
        self._state = PharmacyState()

    # ------------------------------------------------------------------ setup

    def _make_formulary(self) -> None:
        self._formulary = {
            name: {
                "max_daily_mg": self._rng.randrange(200, 2001, 50),
                "interacts_with": [],
            }
            for name in MEDICINES
        }
        shuffled = self._rng.sample(MEDICINES, len(MEDICINES))
        for left, right in zip(shuffled[::2], shuffled[1::2]):
            self._formulary[left]["interacts_with"].append(right)
            self._formulary[right]["interacts_with"].append(left)

    def _make_prescription(self, rx_id: str, verdict: str) -> Dict[str, Any]:
        rng = self._rng
        drug = rng.choice(MEDICINES)
        entry = self._formulary[drug]
        times = rng.choice([1, 2, 3, 4])
        ceiling = entry["max_daily_mg"] / times
        factor = rng.uniform(1.1, 1.9) if verdict == "query" else rng.uniform(0.4, 0.95)
        dose = max(5, int(ceiling * factor) // 5 * 5)
        harmless = [
            m for m in MEDICINES if m != drug and m not in entry["interacts_with"]
        ]
        takes = rng.sample(harmless, rng.choice([1, 2, 3]))
        if verdict == "hold":
            takes[rng.randrange(len(takes))] = entry["interacts_with"][0]
        return {
            "rx_id": rx_id,
            "patient": f"{rng.choice(FORENAMES)} {rng.choice(SURNAMES)}",
            "age": rng.randrange(19, 88),
            "medicine": drug,
            "dose_mg": dose,
            "times_per_day": times,
            "already_takes": takes,
        }

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> PharmacyObservation:
        self._rng = random.Random(seed)
        self._make_formulary()
        verdicts = ["dispense", "query", "hold"] * (TRAY_SIZE // 3)
        self._rng.shuffle(verdicts)
        self._tray, self._truth, self._decisions = {}, {}, {}
        for number, verdict in enumerate(verdicts, start=1):
            rx_id = f"RX-{number:02d}"
            self._truth[rx_id] = verdict
            self._tray[rx_id] = self._make_prescription(rx_id, verdict)
        self._done = False
        self._state = PharmacyState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            waiting=TRAY_SIZE,
        )
        return self._observe("The counter is open. Twelve prescriptions are waiting.")

    # ------------------------------------------------------------------- play

    def step(
        self,
        action: PharmacyAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> PharmacyObservation:
        if self._done:
            return self._observe("The counter is closed. Reset to start a new shift.")
        self._state.step_count += 1
        opened = None
        if action.kind == "close":
            return self._close("You closed the counter.")
        if action.rx_id not in self._tray:
            message = f"There is no prescription {action.rx_id!r} in the tray."
        elif action.kind == "open":
            opened = self._tray[action.rx_id]
            message = f"{action.rx_id} lies in front of you."
        elif action.verdict is None:
            message = "A decision needs a verdict."
        elif action.rx_id in self._decisions:
            message = f"{action.rx_id} has been decided already."
        else:
            self._decisions[action.rx_id] = action.verdict
            self._state.decided += 1
            self._state.waiting -= 1
            message = f"{action.rx_id}: {action.verdict} noted."
        if not self._state.waiting:
            return self._close("The tray is empty.")
        if self._state.step_count >= MAX_STEPS:
            return self._close("The shift is over.")
        return self._observe(message, prescription=opened, reward=0.0)

    def _score(self) -> float:
        """Accuracy of the shift."""
        if not self._decisions:
            return 0.0
        right = sum(self._truth[rx] == v for rx, v in self._decisions.items())
        return right / len(self._decisions)

    def _close(self, message: str) -> PharmacyObservation:
        self._done = True
        observation = self._observe(message, reward=round(self._score(), 4))
        observation.metadata = {"success": self._decisions == self._truth}
        return observation

    def _observe(
        self,
        message: str,
        prescription: Optional[Dict[str, Any]] = None,
        reward: float = 0.0,
    ) -> PharmacyObservation:
        return PharmacyObservation(
            message=message,
            tray=[rx for rx in self._tray if rx not in self._decisions],
            formulary=self._formulary,
            prescription=prescription,
            steps_left=max(0, MAX_STEPS - self._state.step_count),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> PharmacyState:
        return self._state
