"""How many decisions flightrules takes a second in its own process, everything included.

Flies 10-second decisions (burns, drifts and illegal commands mixed) through ``FlightRulesEnvironment`` on one core,
resets and reward included, and beside it the bare physics of the same decisions, so that the ratio says what
directives, telemetry and observations cost. Prints one line of JSON.
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

MISSIONS, ROUNDS = 20, 7
PLAN = (
    ("roll+small", "detumble"),
    ("idle", "detumble"),
    ("pitch-small", "trim"),
    ("roll+large", "trim"),
)


def everything() -> float:
    """Decisions a second through the environment."""
    environment = FlightRulesEnvironment()
    actions = [FlightAction(burn=burn, mode=mode, coast_s=10) for burn, mode in PLAN]
    for index in range(MISSIONS):
        environment.reset(split="train", index=index)
    decisions, start = 0, time.perf_counter()
    for index in range(MISSIONS):
        observation = environment.reset(split="train", index=index)
        while not observation.done:
            observation = environment.step(actions[decisions % len(actions)])
            decisions += 1
    return decisions / (time.perf_counter() - start)


def physics() -> float:
    """Decisions a second of the simulation alone."""
    store = MissionStore()
    missions = [store.task("train", index) for index in range(MISSIONS)]
    commands = [Command(burn, "detumble", 10) for burn, _ in PLAN]
    decisions, start = 0, time.perf_counter()
    for mission in missions:
        flight = Simulation(mission)
        for _ in range(mission.decisions):
            flight.fly(commands[decisions % len(commands)])
            decisions += 1
    return decisions / (time.perf_counter() - start)


def main() -> None:
    """Measure both in turn, several times, and keep each one's best round: the machine is shared."""
    everything(), physics()
    whole, bare = np.array([(everything(), physics()) for _ in range(ROUNDS)]).max(axis=0)
    print(
        json.dumps(
            {
                "decisions_per_s": round(whole),
                "physics_alone_per_s": round(bare),
                "ratio": round(whole / bare, 3),
                "required_per_s": 5000,
            }
        )
    )


if __name__ == "__main__":
    main()
