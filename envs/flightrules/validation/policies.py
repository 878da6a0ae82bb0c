"""The reference policies, spoken to in JSON lines: ``python validation/policies.py NAME [--seed N]``.

``idle``, ``random``, ``pd``, ``tuned_pd`` and ``reader`` see only telemetry, as an agent does. ``oracle`` rebuilds
the mission from the reset options and flies beside the agent on the truth: it is the ceiling, and the proof that reward
can be reached. A line in is ``{"type": "reset" | "observe" | "end", "episode": ..., "options": ...,
"observation": ...}``; the answer to a reset or an observation is ``{"episode": ..., "action": ...}``, to a line that
cannot be used ``{"error": ...}``.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.random import Generator

from flightrules.flight.command import AXES, BURNS, COAST_MAX_S, COAST_MIN_S, MODES, Command
from flightrules.flight.simulation import Simulation
from flightrules.missions.knobs import Knobs
from flightrules.missions.oracle import Oracle
from flightrules.missions.store import MissionStore
from flightrules.validation.reader import Reader

Json = dict[str, Any]


class Pilot(Protocol):
    """Flies one episode."""

    def decide(self, observation: Json) -> Command:
        """The next command for an observation, which comes in order."""
        ...


class Idle:
    """Never burns, coasts as long as it can."""

    def decide(self, observation: Json) -> Command:
        """Drift."""
        return Command("idle", "safe_hold", COAST_MAX_S)


class Random:
    """A legal command drawn evenly: mode, then burn, then coast."""

    def __init__(self, rng: Generator) -> None:
        self._rng = rng

    def decide(self, observation: Json) -> Command:
        """Draw a command."""
        name = list(MODES)[int(self._rng.integers(len(MODES)))]
        mode = MODES[name]
        burns = [burn for burn in BURNS if burn == "idle" or burn.endswith(mode.sizes or ("none",))]
        burn = burns[int(self._rng.integers(len(burns)))]
        grid = [coast_s for coast_s in COASTS_S if coast_s >= mode.least_coast_s]
        return Command(burn, name, grid[int(self._rng.integers(len(grid)))])


COASTS_S = (10, 20, 30, 60, 100, 120, 200, 300, 600)
"""Coasts that ``random`` draws from, s."""


@dataclass(frozen=True, slots=True)
class Gains:
    """A PD law for pulses.

    Attributes:
        turn_per_s: Wanted rate per pointing error, 1/s.
        turn_max_deg_s: Fastest wanted rate, deg/s.
        large_deg_s: Rate error from which a large burn is fired, deg/s.
        dead_deg_s: Rate error under which nothing is fired, deg/s.
        burn_coast_s: Coast after a burn, s.
        idle_coast_s: Coast when nothing is fired, s.
    """

    turn_per_s: float
    turn_max_deg_s: float
    large_deg_s: float
    dead_deg_s: float
    burn_coast_s: int
    idle_coast_s: int


PD = Gains(0.016, 0.5, 0.30, 0.08, 30, 60)
"""Textbook gains: critically damped for a continuous actuator."""
TUNED_PD = Gains(0.012, 0.3, 0.25, 0.06, 30, 120)
"""Gains tuned on training missions by ``validation/tune_pd.py``."""

_QUIET = re.compile(r"thruster|burn|fir(?:e|ing)|quiet|silen", re.IGNORECASE)
_NUMBERS = re.compile(r"\d+(?:\.\d+)?")


class PdPilot:
    """Proportional-derivative control by pulses, one axis a decision; keeps the quiet windows it was told of."""

    def __init__(self, gains: Gains) -> None:
        self._gains = gains
        self._quiet: list[tuple[int, int]] = []

    def decide(self, observation: Json) -> Command:
        """Fire at the axis that is furthest from its wanted rate."""
        self._quiet += quiet_windows(observation["messages"])
        gains, now = self._gains, observation["clock_s"]
        for first, last in self._quiet:
            if first - 5 < now <= last:
                return Command(
                    "idle", "detumble", min(max(last + 1 - now, COAST_MIN_S), COAST_MAX_S)
                )
        error = observation["error_deg"]
        mode = "detumble" if error is None else "brake"
        wanted = np.array([0.0, *(error or (0.0, 0.0))]) * gains.turn_per_s
        wanted *= min(1.0, gains.turn_max_deg_s / max(float(np.abs(wanted).max()), 1e-9))
        change = wanted - np.array(observation["rate_deg_s"])
        axis = int(np.argmax(np.abs(change)))
        if abs(change[axis]) < gains.dead_deg_s:
            return Command("idle", mode, gains.idle_coast_s)
        size = "large" if abs(change[axis]) > gains.large_deg_s else "small"
        return Command(
            f"{AXES[axis]}{'+' if change[axis] > 0.0 else '-'}{size}", mode, gains.burn_coast_s
        )


def quiet_windows(messages: list[str]) -> list[tuple[int, int]]:
    """First and last second of each window in which a message forbids burning, by simple pattern."""
    windows = []
    for message in messages:
        words = message.partition(":")[2]
        numbers = [float(number) for number in _NUMBERS.findall(words)]
        if _QUIET.search(words) and len(numbers) == 2:
            windows.append((int(min(numbers)), int(max(numbers))))
    return windows


class OraclePilot:
    """The oracle: flies a copy of the mission beside the agent, on the same noise."""

    def __init__(self, options: Json, store: MissionStore) -> None:
        """Rebuild the mission from the reset options: ``split`` and ``index``, or ``seed``; ``level``, knobs."""
        level, knobs = options.get("level"), Knobs.of(options)
        if "split" in options:
            mission = store.task(options["split"], options["index"], level, knobs)
        else:
            mission = store.seeded(options["seed"], level, knobs)
        self._flight = Simulation(mission)
        self._oracle = Oracle(mission)

    def decide(self, observation: Json) -> Command:
        """Plan on the true state, then fly the same command here."""
        command = self._oracle.decide(self._flight)
        self._flight.fly(command)
        return command


def make_pilot(name: str, options: Json, rng: Generator, store: MissionStore | None) -> Pilot:
    """A pilot for one episode.

    Args:
        name: One of :data:`NAMES`.
        options: Reset options of the episode.
        rng: Source of randomness; only ``random`` uses it.
        store: Where the oracle finds missions; the others need none.

    Raises:
        KeyError: If there is no such pilot, or the oracle lacks an option it needs.
    """
    if name == "oracle" and store is not None:
        return OraclePilot(options, store)
    pilots: dict[str, Callable[[], Pilot]] = {
        "idle": Idle,
        "random": lambda: Random(rng),
        "pd": lambda: PdPilot(PD),
        "tuned_pd": lambda: PdPilot(TUNED_PD),
        "reader": Reader,
    }
    return pilots[name]()


NAMES = ("idle", "random", "pd", "tuned_pd", "reader", "oracle")
"""The reference policies."""


def answer(
    name: str, line: str, pilots: dict[str, Pilot], seed: int, store: MissionStore | None
) -> Json | None:
    """Answer one line; ``pilots`` holds the episodes under way."""
    try:
        message = json.loads(line)
        episode, kind = message["episode"], message["type"]
        if kind == "end":
            pilots.pop(episode, None)
            return None
        if kind == "reset":
            rng = np.random.default_rng(
                [seed, *json.dumps(message["options"], sort_keys=True).encode()]
            )
            pilots[episode] = make_pilot(name, message["options"], rng, store)
        command = pilots[episode].decide(message["observation"])
    except (KeyError, TypeError, ValueError, IndexError) as error:
        return {"error": f"{type(error).__name__}: {error}"}
    return {
        "episode": episode,
        "action": {"burn": command.burn, "mode": command.mode, "coast_s": command.coast_s},
    }


def main() -> None:
    """Read lines until the input ends."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("name", choices=NAMES)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    store = MissionStore() if arguments.name == "oracle" else None
    pilots: dict[str, Pilot] = {}
    for line in sys.stdin:
        reply = answer(arguments.name, line, pilots, arguments.seed, store)
        if reply is not None:
            sys.stdout.write(json.dumps(reply) + "\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
