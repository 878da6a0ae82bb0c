"""Flies every reference policy on the same missions: ``python validation/table.py [--missions N] --out FILE``.

Each policy of `validation/policies.py` flies the first ``--missions`` tasks of ``test`` and the first ``--held-out``
ones of ``test_compositions`` and ``test_phrasings``, on every level, through `flightrules.flight`. The record holds for
each the numbers of `validation/intervals.py`, and how many of SmolLM2's tokens the texts of an episode have that it was
shown, on average. Needs the extra ``handbook`` and what `validation/tokens.py` says. A run that was stopped goes on
where it was.

Exit code: 0, or 2 for misuse and missing packages.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import asdict
from itertools import groupby
from pathlib import Path

import numpy as np

from flightrules.flight.command import Command
from flightrules.flight.flight import Flight
from flightrules.missions.mission import Mission
from flightrules.missions.splits import LEVELS
from flightrules.missions.store import MissionStore, source_hash
from flightrules.reward.rubrics import components, score
from flightrules.validation.blocks import (
    FLYING,
    Block,
    Json,
    blocks,
    finish,
    fly,
    write_record,
)
from flightrules.validation.intervals import RESAMPLES, summary
from flightrules.validation.policies import NAMES, Pilot, make_pilot
from flightrules.validation.tokens import INSTALL, missing, token_counter

TEST, HELD_OUT = "test", ("test_compositions", "test_phrasings")
"""Splits that are flown."""
SEED = 0
"""Of the policies that draw at random, and of the bootstrap."""


def fly_pilot(mission: Mission, pilot: Pilot, count_tokens: Callable[[str], int]) -> Json:
    """One episode in numbers: ``success``, ``score``, ``decisions``, ``illegal`` ones among them, ``tokens`` shown."""
    tokens = 0

    def decide(flight: Flight) -> Command:
        nonlocal tokens
        telemetry = flight.telemetry()
        tokens += count_tokens(telemetry.text)
        return pilot.decide(asdict(telemetry))

    flight = fly(mission, decide)
    return {
        "success": flight.success,
        "score": score(components(flight.outcome())),
        "decisions": flight.decisions,
        "illegal": flight.refused,
        "tokens": tokens,
    }


def fly_block(block: Block) -> Json:
    """The episodes of each policy on the missions of a block."""
    store, count_tokens = MissionStore(), token_counter()
    flown: dict[str, list[Json]] = {name: [] for name in NAMES}
    for index in block.indices:
        mission = store.task(block.split, index, block.level)
        options = {"split": block.split, "index": index, "level": block.level}
        for name, episodes in flown.items():
            pilot = make_pilot(name, options, np.random.default_rng([SEED, index]), store)
            episodes.append(fly_pilot(mission, pilot, count_tokens))
    store.close()
    return flown


def row(split: str, level: str, policy: str, episodes: Sequence[Json]) -> Json:
    """One policy on one level of a split, in numbers."""
    return {
        "split": split,
        "level": level,
        "policy": policy,
        **summary(episodes, np.random.default_rng(SEED)),
        "tokens_per_episode": sum(episode["tokens"] for episode in episodes) / len(episodes),
    }


def report(missions: int, held_out: int, out: Path) -> Json:
    """Fly all policies on all levels, and write the record.

    Args:
        missions: How many of each level of :data:`TEST`.
        held_out: How many of each level of each of :data:`HELD_OUT`.
        out: Where the record is written.

    Raises:
        ModuleNotFoundError: If a package is missing that counts tokens.
    """
    about = {
        "missions": missions,
        "held_out": held_out,
        "policies": list(NAMES),
        "seed": SEED,
        "resamples": RESAMPLES,
        "source": source_hash(FLYING),
    }
    counts = {TEST: missions, **dict.fromkeys(HELD_OUT, held_out)}
    todo = [
        block
        for split, count in counts.items()
        for level in LEVELS
        for block in blocks(level, split, count)
    ]
    flown = zip(todo, finish(fly_block, todo, out, about), strict=True)
    rows = []
    for (split, level), parts in groupby(flown, lambda item: (item[0].split, item[0].level)):
        results = [result for _, result in parts]
        for name in NAMES:
            episodes = [episode for result in results for episode in result[name]]
            rows.append(row(split, level, name, episodes))
    record = {"about": about, "rows": rows}
    write_record(out, record)
    return record


def main() -> None:
    """Fly and write the record."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--missions", type=int, default=500, help="tasks of test on each level")
    parser.add_argument("--held-out", type=int, default=200, help="of the held-out splits")
    parser.add_argument("--out", type=Path, required=True, help="the record, a .json")
    arguments = parser.parse_args()
    for name, value in (("missions", arguments.missions), ("held-out", arguments.held_out)):
        if value < 1:
            parser.error(f"--{name} must be at least 1, got {value}")
    absent = missing()
    if absent:
        parser.error(f"{', '.join(absent)} must be installed to count tokens: {INSTALL}")
    report(arguments.missions, arguments.held_out, arguments.out)


if __name__ == "__main__":
    main()
