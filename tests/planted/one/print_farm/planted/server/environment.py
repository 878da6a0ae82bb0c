"""A shift at a small 3D print farm."""

import random
from typing import Any, Dict, List, Optional
from uuid import uuid4

from openenv.core.env_server import Environment

try:
    from ..models import PrintFarmAction, PrintFarmObservation, PrintFarmState
except ImportError:
    from models import PrintFarmAction, PrintFarmObservation, PrintFarmState

SHIFT_HOURS = 12
MAX_ACTIONS = 40
N_JOBS = 9
FILAMENTS = ["PLA", "PETG", "TPU"]


class PrintFarmEnvironment(Environment[PrintFarmAction, PrintFarmObservation, PrintFarmState]):
    """Schedules a backlog of print jobs over three printers."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = PrintFarmState(episode_id=str(uuid4()))
        self._jobs: Dict[str, Dict[str, Any]] = {}
        self._printers: Dict[str, Dict[str, Any]] = {}
        self._withdrawals: Dict[int, str] = {}
        self._wanted: List[str] = []
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> PrintFarmObservation:
        rng = random.Random(seed)
        self._printers = {
            "left": self._printer("left", "S", False, rng.choice(FILAMENTS[:2])),
            "middle": self._printer("middle", "L", True, rng.choice(FILAMENTS)),
            "right": self._printer("right", "L", False, rng.choice(FILAMENTS[:2])),
        }
        self._jobs = {}
        for i in range(N_JOBS):
            job_id = f"job-{rng.randint(10, 99)}{i}"
            self._jobs[job_id] = {
                "id": job_id,
                "filament": rng.choices(FILAMENTS, weights=[4, 3, 2])[0],
                "bed": rng.choice(["S", "S", "L"]),
                "hours": rng.randint(1, 4),
                "status": "waiting",
            }
        ids = rng.sample(list(self._jobs), rng.choice([1, 1, 2]))
        self._jobs[ids[0]]["status"] = "withdrawn"
        self._withdrawals = {rng.randint(1, 3): j for j in ids[1:]}
        self._wanted = [j for j in self._jobs if j != ids[0]]
        self._done = False
        self._state = PrintFarmState(episode_id=episode_id or str(uuid4()), jobs_total=N_JOBS)
        return self._observe("Shift starts.")

    @staticmethod
    def _printer(name: str, bed: str, direct: bool, filament: str) -> Dict[str, Any]:
        return {
            "name": name,
            "bed": bed,
            "direct_extruder": direct,
            "filament": filament,
            "job_id": None,
            "hours_left": 0,
        }

    def step(
        self, action: PrintFarmAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> PrintFarmObservation:
        if self._done:
            return self._observe("The shift is over.")
        self._state.step_count += 1
        before = len(self._jobs)
        handler = {"start": self._start, "cancel": self._cancel, "wait": self._wait}
        event = handler[action.command](action)
        cleared = before - len(self._jobs)
        self._done = (
            not self._jobs
            or self._state.hour >= SHIFT_HOURS
            or self._state.step_count >= MAX_ACTIONS
        )
        return self._observe(event, reward=cleared / N_JOBS)

    # --------------------------------------------------------------- commands

    def _start(self, action: PrintFarmAction) -> str:
        job = self._jobs.get(action.job_id or "")
        printer = self._printers.get(action.printer or "")
        if job is None or printer is None:
            return "Unknown job or printer."
        if job["status"] == "printing":
            return "This job is already printing."
        if printer["job_id"] is not None:
            return "This printer is busy."
        change = printer["filament"] != job["filament"]
        printer["filament"] = job["filament"]
        printer["job_id"] = job["id"]
        printer["hours_left"] = job["hours"] + int(change)
        job["status"] = "printing"
        return f"{job['id']} started on {printer['name']}."

    def _cancel(self, action: PrintFarmAction) -> str:
        job = self._jobs.get(action.job_id or "")
        if job is None:
            return "Unknown job."
        for printer in self._printers.values():
            if printer["job_id"] == job["id"]:
                printer["job_id"] = None
                printer["hours_left"] = 0
        del self._jobs[job["id"]]
        self._state.cancelled = self._state.cancelled + [job["id"]]
        return f"{job['id']} cancelled."

    def _wait(self, action: PrintFarmAction) -> str:
        self._state.hour += 1
        events: List[str] = []
        for printer in self._printers.values():
            if printer["job_id"] is None:
                continue
            printer["hours_left"] -= 1
            if printer["hours_left"] > 0:
                continue
            job = self._jobs[printer["job_id"]]
            printer["job_id"] = None
            fits = printer["bed"] == "L" or job["bed"] == "S"
            extrudes = printer["direct_extruder"] or job["filament"] != "TPU"
            if fits and extrudes:
                del self._jobs[job["id"]]
                self._state.completed = self._state.completed + [job["id"]]
                events.append(f"{job['id']} is finished.")
            else:
                job["status"] = "waiting"
                events.append(f"{job['id']} failed on {printer['name']}.")
        withdrawn = self._jobs.get(self._withdrawals.get(self._state.hour, ""))
        if withdrawn is not None and withdrawn["status"] == "waiting":
            withdrawn["status"] = "withdrawn"
            self._wanted.remove(withdrawn["id"])
            events.append(f"{withdrawn['id']} was withdrawn by the customer.")
        return " ".join(events) or "An hour passes."

    def _observe(self, event: str, reward: Optional[float] = None) -> PrintFarmObservation:
        metadata: Dict[str, Any] = {}
        if self._done:
            metadata["success"] = set(self._wanted) <= set(self._state.completed)
        return PrintFarmObservation(
            done=self._done,
            reward=reward,
            metadata=metadata,
            hour=self._state.hour,
            jobs=[dict(j) for j in self._jobs.values()],
            printers=[dict(p) for p in self._printers.values()],
            completed=len(self._state.completed),
            event=event,
        )

    @property
    def state(self) -> PrintFarmState:
        return self._state
