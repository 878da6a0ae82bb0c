"""Asks of fresh missions whether they are fair, by flying: ``python validation/fairness.py [--missions N] --out FILE``.

The proofs of `flightrules.missions.proofs` are asked again without their shortcuts: every flight goes by the rules of
the episode (`flightrules.flight.flight`) to its very end, and nothing is settled by arithmetic. The rules:

``oracle``
    succeeds on every mission.
``idle``, ``repeated``, ``random``
    succeed on none: idling at each of :data:`IDLE_COASTS_S`, every burn in every mode where it is legal at each of
    :data:`BURN_COASTS_S`, and :data:`RANDOM_FLIGHTS` flights of the policy ``random``.
``ignored``
    succeeds on none: the oracle that does not know one order which idling fails, for each of these orders.
acceptance
    missions over candidates drawn for them, at least :data:`LEAST_ACCEPTANCE`.

Exit code: 0 if every rule holds, 1 if one is broken, 2 for misuse. The record says which mission broke which rule. A
run that was stopped goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from flightrules.directives.directive import Directive
from flightrules.directives.language import SUPERSEDE
from flightrules.directives.monitor import Verdict
from flightrules.directives.orders import Orders
from flightrules.flight.command import BURNS, COAST_MAX_S, MODES, Command, CommandError
from flightrules.flight.flight import Flight
from flightrules.missions.generator import generate
from flightrules.missions.mission import Mission
from flightrules.missions.oracle import Oracle
from flightrules.missions.splits import LEVELS, SPLITS
from flightrules.missions.store import source_hash
from flightrules.validation.blocks import (
    FLYING,
    Block,
    Json,
    blocks,
    finish,
    fly,
    write_record,
)
from flightrules.validation.policies import Random

IDLE_COASTS_S = (10, 30, 60, 120, 300, COAST_MAX_S)
"""Coasts at which idling is flown, s; the shortest run out of decisions before the mission ends."""
BURN_COASTS_S = (60, 300)
"""Coasts at which every burn is repeated, s."""
RANDOM_FLIGHTS = 4
"""Flights of random commands on each mission."""
RANDOM_SEED = 20_260_101
"""Of the random flights; the proofs draw theirs from each mission's own seed."""
LEAST_ACCEPTANCE = 0.5
"""Share of candidates that must pass."""
SORTS = ("oracle", "idle", "repeated", "random", "ignored")
"""Sorts of flight."""


class Findings:
    """What the flights of some missions came to.

    Attributes:
        counts: Tables of counts: ``flown`` and ``won`` by sort of flight, and what the missions hold.
        broken: One line for each mission and rule that it breaks.
    """

    def __init__(self) -> None:
        self.counts: dict[str, Counter[str]] = {}
        self.broken: list[str] = []

    def count(self, table: str, entries: Iterable[object]) -> None:
        """Count each entry once in a table."""
        self.counts.setdefault(table, Counter()).update(map(str, entries))

    def flew(self, sort: str, flight: Flight, what: str) -> None:
        """Count a flight, and note it where its success is not what the rule asks."""
        won = bool(flight.success)
        self.count("flown", [sort])
        self.count("won", [sort] * won)
        if won is not (sort == "oracle"):
            mission = flight.mission
            end = "succeeds" if won else "fails"
            self.broken.append(f"{mission.level} {mission.split} {mission.index}: {what} {end}")

    def add(self, part: Json) -> None:
        """Add what :meth:`json` gave for other missions."""
        for table, entries in part["counts"].items():
            self.counts.setdefault(table, Counter()).update(entries)
        self.broken += part["broken"]

    def json(self) -> Json:
        """As it travels."""
        return {"counts": self.counts, "broken": self.broken}


def legal_burns(coast_s: int) -> Iterator[Command]:
    """Every burn in every mode that allows it with this coast (s)."""
    for burn in BURNS[1:]:
        for mode in MODES:
            command = Command(burn, mode, coast_s)
            try:
                command.check()
            except CommandError:
                continue
            yield command


def ask(mission: Mission, findings: Findings) -> None:
    """Fly everything that the rules speak of on one mission."""
    orders = mission.directives
    findings.flew("oracle", _fly_oracle(mission, orders), "the oracle")
    drifts = []
    for coast_s in IDLE_COASTS_S:
        drifts.append(_repeat(mission, Command("idle", "detumble", coast_s)))
        findings.flew("idle", drifts[-1], f"idling at each {coast_s} s")
    for command in (burn for coast_s in BURN_COASTS_S for burn in legal_burns(coast_s)):
        what = f"{command.burn} in {command.mode} at each {command.coast_s} s"
        findings.flew("repeated", _repeat(mission, command), what)
    for number in range(RANDOM_FLIGHTS):
        pilot = Random(np.random.default_rng([RANDOM_SEED, mission.noise_seed, number]))
        flight = fly(mission, partial(_decide_blindly, pilot))
        findings.flew("random", flight, f"random flight {number}")
    active = active_orders(drifts[-1])
    for ignored in active:
        known = [item for item in orders if item is not ignored]
        findings.flew("ignored", _fly_oracle(mission, known), f"ignoring {ignored.id}")
    findings.count("active", [len(active)])


def active_orders(drift: Flight) -> list[Directive]:
    """The orders that an idle flight fails."""
    orders = Orders(drift.mission.directives)
    orders.update(drift.simulation.truth[: drift.simulation.clock_s])
    return [
        item
        for item, verdict in zip(drift.mission.directives, orders.verdicts.tolist(), strict=True)
        if verdict != Verdict.SATISFIED
    ]


def describe(mission: Mission, findings: Findings) -> None:
    """Count what a mission holds."""
    directives = mission.directives
    findings.count("horizon_s", [mission.horizon_s])
    findings.count("decisions", [mission.decisions])
    findings.count("directives", [len(directives)])
    findings.count("given later", [sum(item.given_s > 0 for item in directives)])
    findings.count("orders", [item.kind for item in directives])
    findings.count("orders", [SUPERSEDE for item in directives if item.replaces is not None])
    findings.count("events", [event.signal for event in mission.events])
    findings.count("anomalies", [anomaly.kind for anomaly in mission.anomalies])


def ask_block(block: Block) -> Json:
    """Draw the missions of a block anew, without the cache, and ask of each."""
    findings = Findings()
    for index in block.indices:
        mission, drawn = generate(block.level, block.split, index)
        findings.count("drawn", ["missions", *["candidates"] * drawn])
        describe(mission, findings)
        ask(mission, findings)
    return findings.json()


def level_report(parts: Iterable[Json]) -> Json:
    """What the blocks of one level come to."""
    findings = Findings()
    for part in parts:
        findings.add(part)
    drawn, flown, won = (findings.counts.pop(table) for table in ("drawn", "flown", "won"))
    acceptance = drawn["missions"] / drawn["candidates"]
    if acceptance < LEAST_ACCEPTANCE:
        findings.broken.append(
            f"acceptance must be at least {LEAST_ACCEPTANCE}, got {acceptance:.3f}"
        )
    return {
        **drawn,
        "acceptance": acceptance,
        "flights": {sort: {"flown": flown[sort], "won": won[sort]} for sort in SORTS},
        **findings.json(),
    }


def report(split: str, missions: int, out: Path) -> Json:
    """Ask of the first missions of every level, and write the record.

    Args:
        split: Name of the split.
        missions: How many of each level.
        out: Where the record is written.
    """
    about = {
        "split": split,
        "missions": missions,
        "idle_coasts_s": list(IDLE_COASTS_S),
        "burn_coasts_s": list(BURN_COASTS_S),
        "random_flights": RANDOM_FLIGHTS,
        "random_seed": RANDOM_SEED,
        "source": source_hash(FLYING),
    }
    todo = [block for level in LEVELS for block in blocks(level, split, missions)]
    parts = finish(ask_block, todo, out, about)
    record = {
        "about": about,
        "levels": {
            level: level_report(
                part for part, block in zip(parts, todo, strict=True) if block.level == level
            )
            for level in LEVELS
        },
    }
    write_record(out, record)
    return record


def _repeat(mission: Mission, command: Command) -> Flight:
    return fly(mission, lambda _: command)


def _decide_blindly(pilot: Random, flight: Flight) -> Command:
    return pilot.decide({})


def _fly_oracle(mission: Mission, orders: Sequence[Directive]) -> Flight:
    """The flight of an oracle that knows these orders only."""
    oracle = Oracle(mission, orders)
    return fly(mission, lambda flight: oracle.decide(flight.simulation))


def main() -> int:
    """Ask, write the record, say what is broken."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--missions", type=int, default=1000, help="of each level")
    parser.add_argument("--split", choices=SPLITS, default="validation")
    parser.add_argument("--out", type=Path, required=True, help="the record, a .json")
    arguments = parser.parse_args()
    if arguments.missions < 1:
        parser.error(f"--missions must be at least 1, got {arguments.missions}")
    record = report(arguments.split, arguments.missions, arguments.out)
    broken = [line for level in record["levels"].values() for line in level["broken"]]
    for level, found in record["levels"].items():
        flights = ", ".join(
            f"{sort} {count['won']} of {count['flown']}" for sort, count in found["flights"].items()
        )
        print(f"{level}: acceptance {found['acceptance']:.2f}; succeeded: {flights}")
    print("\n".join(broken) or "every rule holds")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
