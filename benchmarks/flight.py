"""How many decisions flightrules takes a second in its own process, everything included.

The figure is that of the flagship, ``mission_ops``: decisions of 10 seconds (burns, drifts and illegal commands mixed)
through ``FlightRulesEnvironment`` on one core, resets and reward included, and beside it the bare physics of the same
decisions, so that the ratio says what directives, telemetry and observations cost. Also: the same missions flown over
their whole hour, when every order arrives and each decision is a minute of physics, and the four levels mixed. Prints
one line of JSON.
"""

from __future__ import annotations

import json
import time

import numpy as np

from flightrules.flight.command import Command
from flightrules.flight.simulation import Simulation
from flightrules.missions.store import MissionStore
from flightrules.models import FlightAction
from flightrules.server.environment import FlightRulesEnvironment

FLAGSHIP = "mission_ops"
MISSIONS, ROUNDS = 20, 7
SHORT_S, HOUR_S = 10, 56
"""Length of a decision, s: the shortest, and one with which 64 decisions last an hour."""
PLAN = (
    ("roll+small", "detumble"),
    ("idle", "detumble"),
    ("pitch-small", "trim"),
    ("roll+large", "trim"),
)


def everything(coast_s: int, level: str | None) -> float:
    """Decisions a second through the environment; without a level the levels alternate."""
    environment = FlightRulesEnvironment()
    actions = [FlightAction(burn=burn, mode=mode, coast_s=coast_s) for burn, mode in PLAN]
    for index in range(MISSIONS):
        environment.reset(split="train", index=index, level=level)
    decisions, start = 0, time.perf_counter()
    for index in range(MISSIONS):
        observation = environment.reset(split="train", index=index, level=level)
        while not observation.done:
            observation = environment.step(actions[decisions % len(actions)])
            decisions += 1
    return decisions / (time.perf_counter() - start)


def physics() -> float:
    """Decisions a second of the flagship's simulation alone."""
    store = MissionStore()
    missions = [store.task("train", index, FLAGSHIP) for index in range(MISSIONS)]
    commands = [Command(burn, "detumble", SHORT_S) for burn, _ in PLAN]
    decisions, start = 0, time.perf_counter()
    for mission in missions:
        flight = Simulation(mission)
        for _ in range(mission.decisions):
            flight.fly(commands[decisions % len(commands)])
            decisions += 1
    return decisions / (time.perf_counter() - start)


def measure() -> tuple[float, float, float, float]:
    """One round: the flagship, its physics, its whole hour, the levels mixed."""
    return (
        everything(SHORT_S, FLAGSHIP),
        physics(),
        everything(HOUR_S, FLAGSHIP),
        everything(SHORT_S, None),
    )


def main() -> None:
    """Measure all in turn, several times, and keep each one's best round: the machine is shared."""
    measure()
    whole, bare, hour, mixed = np.array([measure() for _ in range(ROUNDS)]).max(axis=0)
    print(
        json.dumps(
            {
                "decisions_per_s": round(whole),
                "physics_alone_per_s": round(bare),
                "ratio": round(whole / bare, 3),
                "whole_hour_per_s": round(hour),
                "all_levels_per_s": round(mixed),
                "required_per_s": 5000,
            }
        )
    )


if __name__ == "__main__":
    main()
