"""Tariff environment: update a price table according to change notices."""

import random
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import TariffAction, TariffObservation, TariffState
except ImportError:
    from models import TariffAction, TariffObservation, TariffState

MAX_STEPS = 20
MAX_FILE = 4000
TASK = (
    "Bring tariff.cfg up to date with NOTICES.txt. checks.txt holds the regression checks. "
    "Submit when the table is right."
)

Table = Dict[str, List[Tuple[float, float]]]  # zone -> [(up to kg, price)]


def render(table: Table) -> str:
    lines = []
    for zone, brackets in table.items():
        cells = " ".join(f"{limit:g}={price:.2f}" for limit, price in brackets)
        lines.append(f"zone {zone}: {cells}")
    return "\n".join(lines) + "\n"


def parse(text: str) -> Table:
    table: Table = {}
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        head, _, cells = line.partition(":")
        zone = head.split()[1]
        brackets = []
        for cell in cells.split():
            limit, price = cell.split("=")
            brackets.append((float(limit), float(price)))
        table[zone] = sorted(brackets)
    return table


def price_of(table: Table, zone: str, weight: float) -> Optional[float]:
    for limit, price in table.get(zone, []):
        if weight <= limit + 1e-9:
            return price
    return None


class TariffEnvironment(Environment[TariffAction, TariffObservation, TariffState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = TariffState(episode_id=str(uuid.uuid4()))
        self._files: Dict[str, str] = {}
        self._checks = ""
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> TariffObservation:
        rng = random.Random(seed)
        old = self._draw_table(rng)
        new, notices = self._draw_changes(rng, old)
        self._checks = self._draw_checks(rng, old, new)
        self._files = {
            "NOTICES.txt": "\n".join(notices) + "\n",
            "tariff.cfg": render(old),
            "checks.txt": self._checks,
        }
        self._done = False
        self._state = TariffState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe("Workspace ready.\n" + self._files["NOTICES.txt"])

    def _draw_table(self, rng: random.Random) -> Table:
        table: Table = {}
        for zone in "ABCD":
            price = rng.randrange(250, 480, 10) / 100
            brackets = []
            for limit in (2.0, 5.0, 10.0, 30.0):
                brackets.append((limit, round(price, 2)))
                price += rng.randrange(130, 420, 10) / 100
            table[zone] = brackets
        return table

    def _draw_changes(self, rng: random.Random, old: Table) -> Tuple[Table, List[str]]:
        new = {zone: list(brackets) for zone, brackets in old.items()}
        notices = []
        kinds = ["raise", "raise", "price", "limit"]
        rng.shuffle(kinds)
        for zone, kind in zip("ABCD", kinds):
            if kind == "raise":
                cents = rng.randrange(20, 95, 5)
                new[zone] = [(limit, round(p + cents / 100, 2)) for limit, p in old[zone]]
                notices.append(f"Zone {zone}: all prices go up by {cents / 100:.2f}.")
                continue
            i = rng.randrange(0, 3)
            limit, price = old[zone][i]
            if kind == "price":
                price = round(price + rng.randrange(15, 95, 5) / 100, 2)
                notices.append(f"Zone {zone}: the price up to {limit:g} kg becomes {price:.2f}.")
            else:
                moved = limit + rng.choice([0.5, 1.0, 1.5])
                notices.append(f"Zone {zone}: the limit of {limit:g} kg moves to {moved:g} kg.")
                limit = moved
            new[zone][i] = (limit, price)
        rng.shuffle(notices)
        return new, notices

    def _draw_checks(self, rng: random.Random, old: Table, new: Table) -> str:
        points = [(z, w / 10) for z in "ABCD" for w in range(2, 300, 3)]
        rng.shuffle(points)
        changed = [p for p in points if price_of(old, *p) != price_of(new, *p)]
        steady = [p for p in points if price_of(old, *p) == price_of(new, *p)]
        picked = changed[:9] + steady[:3]
        rng.shuffle(picked)
        return "".join(f"{z} {w:g} {price_of(new, z, w):.2f}\n" for z, w in picked)

    def step(
        self, action: TariffAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> TariffObservation:
        if self._done:
            return self._observe("The work has been submitted.", 0.0)
        self._state.step_count += 1

        if action.command == "submit":
            return self._submit("Submitted.")
        if action.command == "run_checks":
            passed, total, failing = self._run(self._files["checks.txt"])
            output = f"{passed} of {total} checks pass.\n" + "\n".join(failing)
        elif action.path not in self._files:
            output = f"No such file: {action.path}"
        elif action.command == "read":
            output = self._files[action.path]
        else:
            self._files[action.path] = (action.content or "")[:MAX_FILE]
            self._state.writes += 1
            output = f"{action.path} written."

        if self._state.step_count >= MAX_STEPS:
            return self._submit(output + "\nOut of time, submitted as it is.")
        return self._observe(output, 0.0)

    @property
    def state(self) -> TariffState:
        return self._state

    def _run(self, checks: str) -> Tuple[int, int, List[str]]:
        """Run checks against tariff.cfg: number passed, number of checks, failing lines."""
        lines = [line for line in checks.splitlines() if line.strip()]
        try:
            table = parse(self._files["tariff.cfg"])
        except (ValueError, IndexError) as exc:
            return 0, len(lines), [f"tariff.cfg cannot be read: {exc}"]
        failing = []
        for line in lines:
            try:
                zone, weight, price = line.split()
                got = price_of(table, zone, float(weight))
                good = got is not None and abs(got - float(price)) < 0.005
            except ValueError:
                good = False
            if not good:
                failing.append(f"FAIL {line}")
        return len(lines) - len(failing), len(lines), failing

    def _submit(self, output: str) -> TariffObservation:
        self._done = True
        passed, total, _ = self._run(self._files["checks.txt"])
        score = passed / total if total else 0.0
        self._state.last_score = score
        obs = self._observe(f"{output} {passed} of {total} checks pass.", score)
        obs.success = score == 1.0
        return obs

    def _observe(self, output: str, reward: Optional[float] = None) -> TariffObservation:
        return TariffObservation(
            output=output,
            files=sorted(self._files),
            task=TASK,
            steps_left=MAX_STEPS - self._state.step_count,
            done=self._done,
            reward=reward,
        )
