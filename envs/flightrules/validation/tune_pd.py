"""Tunes the PD policy on training missions: ``python validation/tune_pd.py [--missions N]``.

Tries every combination of a grid of gains on the same missions of the first two levels, and prints the best ten by mean
success. ``TUNED_PD`` in ``policies.py`` is what it prints first; the test missions are never looked at.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from itertools import product

from rich.progress import track

from flightrules.flight.flight import Flight
from flightrules.missions.mission import Mission
from flightrules.missions.splits import LEVELS
from flightrules.missions.store import MissionStore
from flightrules.validation.policies import Gains, PdPilot


def grid() -> list[Gains]:
    """Every combination of gains that is tried."""
    return [
        Gains(turn, fastest, large, dead, burn_coast, idle_coast)
        for turn, fastest in product((0.004, 0.008, 0.012), (0.3, 0.5))
        for large, dead in product((0.2, 0.25), (0.05, 0.06, 0.07))
        for burn_coast, idle_coast in product((20, 30), (60, 120, 180))
    ]


def success(gains: Gains, missions: list[Mission]) -> float:
    """Share of missions that a PD policy with these gains flies to success."""
    won = 0
    for mission in missions:
        flight, pilot = Flight(mission), PdPilot(gains)
        while not flight.done:
            flight.execute(pilot.decide(asdict(flight.telemetry())))
        won += bool(flight.success)
    return won / len(missions)


def main() -> None:
    """Search the grid and print the best."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--missions", type=int, default=120, help="training missions of each level")
    store = MissionStore()
    count = parser.parse_args().missions
    missions = [store.task("train", index, level) for level in LEVELS[:2] for index in range(count)]
    scored = [(success(gains, missions), gains) for gains in track(grid(), "Tuning")]
    for share, gains in sorted(scored, key=lambda item: -item[0])[:10]:
        print(f"{share:.3f} {gains}")


if __name__ == "__main__":
    main()
