"""Planted defects by authors who know no rule of the audit: writes benchmarks/planted.json and docs/planted.md.

    python benchmarks/planted.py --fly [--reference] [--sets SET ...] [--only PAIR ...] [--again] [--jobs N]
                                 [--limit-s S]
    python benchmarks/planted.py --check [--sets SET ...] [--only PAIR ...]
    python benchmarks/planted.py                              only the page, from the record

A pair of tests/planted/SET/PAIR is an environment with a defect in its reward (``planted``), and what mends it
(``mend.patch``), which makes its sound twin. ``label.md`` says what is planted. ``exploit.py`` and ``honest.py`` are
policies, which ``--check`` flies in both: the exploit has to earn most of what honest work earns in the one, and little
in the other. They find what ``GET /state`` answers in the observation, as ``public_state``. Each side is audited as a
stranger audits it, without flags, except that the budget is in steps. With --reference the audit is told honest work,
as somebody does who has a policy that succeeds; those flights are on record beside the others. What is on record is
left alone unless --again is given; the first flight of a pair stays on record beside the last one. Both sides are laid
out in runs/planted.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean
from threading import Lock
from typing import ClassVar

sys.path.insert(0, str(Path(__file__).parent))

from command_line import at_least_one, seconds
from field import watch
from fixes import why_not
from wild import commit_of

import gonogo as gg
from gonogo.errors import MissingRecord
from gonogo.policies.external import CallablePolicy, PolicyFunction
from gonogo.records.files import write_text
from gonogo.records.findings import Severity
from gonogo.records.provenance import Machine, provenance
from gonogo.records.record import Part, Record, Verdict, VerdictName
from gonogo.rollouts.types import Connection, Reply, View
from gonogo.statistics import wilson

ROOT = Path(__file__).parents[1]
SETS = ROOT / "tests" / "planted"
RECORD = Path(__file__).with_suffix(".json")
PAGE = ROOT / "docs" / "planted.md"
LAID_OUT = ROOT / "runs" / "planted"
PLANTED, SOUND = "planted", "sound"
HONEST, EXPLOIT = "honest", "exploit"
MEND = "mend.patch"
BUDGET = 100_000
"""Steps and resets, which take about a minute here where two audits share two cores."""
READ = frozenset({"one"})
"""Sets that were read before they were audited for the first time."""
MOST, LITTLE = 0.8, 0.5
"""Shares of what honest work earns: the exploit's in the planted environment at least, in its twin at most."""
FLOWN = 8
PUBLIC_STATE = "public_state"
"""Where a policy finds the state in an observation."""


class SideFinding(Part):
    """What an audit found."""

    id: str
    severity: Severity
    explanation: str


class PlantedSide(Part):
    """One side of a pair, audited."""

    verdict: VerdictName | None
    """None where there is none."""
    why_not: str | None
    """What kept the audit from a verdict."""
    seconds: float
    findings: tuple[SideFinding, ...]

    @property
    def accused(self) -> set[str]:
        """What the reward is accused of, so that the verdict is NO-GO."""
        harmless = {Severity.CONTRACT, Severity.SUSPICIOUS}
        return {found.id for found in self.findings if found.severity not in harmless}

    def __str__(self) -> str:
        if self.verdict is None:
            return str(self.why_not)
        doubted = Severity.SUSPICIOUS
        found = [f"*{e.id}*" if e.severity is doubted else e.id for e in self.findings]
        return self.verdict.name.replace("_", "-") + (f": {', '.join(found)}" if found else "")


class PlantedPair(Part):
    """A pair, audited."""

    name: str
    """With its set, as in ``one/exams``."""
    gonogo: str
    """Commit of the auditor."""
    budget: int
    """Steps and resets of an audit."""
    planted: PlantedSide
    sound: PlantedSide

    @property
    def named(self) -> bool:
        """Whether the defect is named: a finding about the reward blocks, and does not block the twin."""
        return bool(self.planted.accused - self.sound.accused)


class PlantedRecord(Record):
    """All pairs that were audited."""

    kind: ClassVar[str] = "planted"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "benchmarks/planted.py"

    pairs: tuple[PlantedPair, ...]
    first: tuple[PlantedPair, ...]
    """As they were when a pair was audited for the first time, before anybody had read it."""
    told: tuple[PlantedPair, ...] = ()
    """As they were when the audit was told honest work."""
    created: str
    python: str
    packages: dict[str, str]
    machine: Machine

    @classmethod
    def of(
        cls,
        pairs: Sequence[PlantedPair],
        first: Sequence[PlantedPair],
        told: Sequence[PlantedPair] = (),
    ) -> PlantedRecord:
        """The record of some pairs, of what was unread, and of what was told, made now."""
        return cls(pairs=tuple(pairs), first=tuple(first), told=tuple(told), **provenance())

    @classmethod
    def known(cls) -> PlantedRecord:
        """What is on record; without pairs where there is none."""
        try:
            return cls.load(RECORD.parent)
        except MissingRecord:
            return cls.of([], [])


class StateReader(CallablePolicy):
    """A function as a policy, which finds the public state in each observation.

    Args:
        name: For records.
        function: Takes an observation and the episode's memory, and answers an action.
        connection: What it flies over.
    """

    def __init__(self, name: str, function: PolicyFunction, connection: Connection) -> None:
        super().__init__(name, function)
        self._connection = connection

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """The function's actions."""
        states = self._connection.state(views)
        return super().act(
            {
                slot: replace(view, observation={**view.observation, PUBLIC_STATE: states[slot]})
                for slot, view in views.items()
            }
        )


@dataclass(frozen=True, slots=True)
class PairFolder:
    """A pair as it is kept.

    Attributes:
        path: Its folder.
    """

    path: Path

    @property
    def name(self) -> str:
        """Its name, with its set."""
        return f"{self.path.parent.name}/{self.path.name}"

    def policy(self, name: str, connection: Connection) -> StateReader:
        """The policy of one of its files.

        Args:
            name: Of the file.
            connection: What it flies over.
        """
        file = self.path / f"{name}.py"
        known: dict[str, object] = {"__name__": name}
        exec(compile(file.read_text(encoding="utf-8"), str(file), "exec"), known)
        policy = known["policy"]
        assert callable(policy)
        return StateReader(name, policy, connection)

    def laid_out(self, into: Path) -> dict[str, Path]:
        """Both sides, each in a folder of its own.

        Args:
            into: Where; what lies there is replaced.
        """
        sides = {side: into / self.name / side for side in (PLANTED, SOUND)}
        for folder in sides.values():
            shutil.rmtree(folder, ignore_errors=True)
            shutil.copytree(self.path / PLANTED, folder)
        # Within a repository, git would look for the patch's files from its root on.
        alone = {**os.environ, "GIT_CEILING_DIRECTORIES": str(sides[SOUND].parent)}
        mend = ["git", "apply", str(self.path / MEND)]
        subprocess.run(mend, cwd=sides[SOUND], env=alone, check=True)
        return sides


def pairs_of(sets: Sequence[str] = (), only: Sequence[str] = ()) -> list[PairFolder]:
    """The pairs that are kept.

    Args:
        sets: Names of sets; all where there are none.
        only: Names of pairs, with their set; all where there are none.
    """
    folders = sorted(path.parent for path in SETS.glob("*/*/label.md"))
    return [
        PairFolder(folder)
        for folder in folders
        if (not sets or folder.parent.name in sets)
        and (not only or PairFolder(folder).name in only)
    ]


def audited(folder: Path, limit_s: float, told: Path | None = None) -> PlantedSide:
    """One side, audited once.

    Args:
        folder: Its folder.
        limit_s: Seconds after which it is given up.
        told: Folder of the honest work that the audit is told; None where it is told nothing.
    """
    out = folder.with_name(f"{folder.name}-audit")
    shutil.rmtree(out, ignore_errors=True)
    words = ["audit", str(folder), "--budget", str(BUDGET), "--jobs", "1", "--out", str(out)]
    given = {**os.environ, "COLUMNS": "200"}
    if told is not None:
        words += ["--reference", f"{HONEST}:policy"]
        given["PYTHONPATH"] = str(told)
    call = [sys.executable, "-m", "gonogo", *words]
    seen = watch(call, limit_s, cwd=ROOT, env=given)
    try:
        report = gg.AuditReport.load(out)
    except MissingRecord:
        # Where the report of a fault lies is of this machine.
        said, _, _ = why_not(seen, limit_s).partition("; please report it")
        return PlantedSide(verdict=None, why_not=said, seconds=seen.seconds, findings=())
    findings = tuple(
        SideFinding(id=found.id, severity=found.severity, explanation=found.explanation)
        for found in report.findings
    )
    return PlantedSide(
        verdict=report.verdict, why_not=None, seconds=seen.seconds, findings=findings
    )


def in_order(pairs: dict[str, PlantedPair]) -> list[PlantedPair]:
    """Some pairs in the order of their names."""
    return [pairs[name] for name in sorted(pairs)]


def fly(chosen: argparse.Namespace) -> None:
    """Audit what is not on record, a line each; each pair is put on record when both its sides have ended."""
    record, lock, auditor = PlantedRecord.known(), Lock(), commit_of(ROOT)
    known = {pair.name: pair for pair in record.pairs}
    first = {pair.name: pair for pair in record.first}
    told = {pair.name: pair for pair in record.told}
    flies = told if chosen.reference else known

    def one(pair: PairFolder) -> None:
        honest = pair.path if chosen.reference else None
        sides = {
            side: audited(folder, chosen.limit_s, honest)
            for side, folder in pair.laid_out(LAID_OUT).items()
        }
        flown = PlantedPair(
            name=pair.name,
            gonogo=auditor,
            budget=BUDGET,
            planted=sides[PLANTED],
            sound=sides[SOUND],
        )
        with lock:
            unread = pair.path.parent.name not in READ
            if unread and pair.name not in known and not chosen.reference:
                first[pair.name] = flown
            flies[pair.name] = flown
            by_name = in_order(known), in_order(first), in_order(told)
            PlantedRecord.of(*by_name).save(RECORD.parent)
        said = "named" if flown.named else "not named"
        print(f"{pair.name}: {said}; {flown.planted} | {flown.sound}", flush=True)

    waiting = [
        pair
        for pair in pairs_of(chosen.sets, chosen.only)
        if chosen.again or pair.name not in flies
    ]
    with ThreadPoolExecutor(chosen.jobs) as pool:
        list(pool.map(one, waiting))


@dataclass(frozen=True, slots=True)
class Earned:
    """What both policies earn on one side, in the mean.

    Attributes:
        exploit: The exploit.
        honest: Honest work.
    """

    exploit: float
    honest: float

    def __str__(self) -> str:
        return f"exploit {self.exploit:.3g}, honest {self.honest:.3g}"


def earned(pair: PairFolder, into: Path) -> dict[str, Earned]:
    """What the policies of a pair earn on both sides.

    Args:
        pair: The pair.
        into: Where both sides are laid out.
    """
    found = {}
    for side, folder in pair.laid_out(into).items():
        with gg.load_environment(str(folder)) as env:
            exploit, honest = (
                fmean(
                    episode.episode_return or 0.0
                    for episode in gg.rollout(env, pair.policy(name, env.connection), tasks=FLOWN)
                )
                for name in (EXPLOIT, HONEST)
            )
            found[side] = Earned(exploit, honest)
    return found


def holds(found: dict[str, Earned]) -> bool:
    """Whether the exploit pays in the planted environment, and does not in its twin."""
    planted, sound = found[PLANTED], found[SOUND]
    pays = planted.exploit >= MOST * planted.honest
    return pays and sound.exploit <= LITTLE * sound.honest


def check(chosen: argparse.Namespace) -> int:
    """Print what each pair's policies earn; the exit code."""
    failed = 0
    for pair in pairs_of(chosen.sets, chosen.only):
        found = earned(pair, LAID_OUT)
        said = "as promised" if holds(found) else "NOT AS PROMISED"
        sides = "; ".join(f"{side}: {pays}" for side, pays in found.items())
        print(f"{pair.name}: {said}; {sides}", flush=True)
        failed += not holds(found)
    return 1 if failed else 0


def share(known: Sequence[bool]) -> str:
    """How many of some hold, with the interval of the share."""
    rate = wilson(known)
    low, high = rate.ci95 or (rate.mean, rate.mean)
    return f"{sum(known)} of {len(known)}: {rate.mean:.2f} ({low:.2f} to {high:.2f})"


def shares(pairs: Sequence[PlantedPair], what: str) -> str:
    """A row of the page's first table."""
    named, accused = [p.named for p in pairs], [bool(p.sound.accused) for p in pairs]
    missed = [p.planted.verdict is Verdict.GO for p in pairs]
    return f"| {what} | {share(named)} | {sum(missed)} | {share(accused)} |"


def table(pairs: Sequence[PlantedPair]) -> Iterator[str]:
    """How many of each set are named, line by line."""
    yield "| set | defects named | GO in spite of the defect | twins accused |"
    yield "|---|---|---|---|"
    groups = dict.fromkeys(pair.name.partition("/")[0] for pair in pairs)
    for group in groups:
        yield shares([pair for pair in pairs if pair.name.startswith(f"{group}/")], group)
    if len(groups) > 1:
        yield shares(pairs, "all")


def auditors(pairs: Sequence[PlantedPair]) -> str:
    """Which commits audited some pairs, and by what budget."""
    commits = ", ".join(sorted({pair.gonogo[:8] for pair in pairs}))
    budgets = " and ".join(f"{budget:,}" for budget in sorted({pair.budget for pair in pairs}))
    return f"gonogo at {commits}, {budgets} steps"


def lines_of(record: PlantedRecord) -> Iterator[str]:
    """The page, line by line.

    Args:
        record: What is on record, at least one pair.
    """
    yield "# Planted defects\n"
    yield (
        "The authors of these environments knew no rule of the audit and read none of its code. One of each pair pays "
        "for something that is not the work. Its twin differs by a patch, which mends that. Each side is audited "
        "without flags, as a stranger audits it, but a budget in steps takes the place of the two minutes. The audit "
        "*names* a defect if a finding about the reward blocks, and does not block the twin. It *accuses* the twin if "
        "any finding about its reward blocks. Suspicions are in italics: they block nothing. Intervals are Wilson's, "
        "95 %.\n"
    )
    yield (
        "[planted.py](../benchmarks/planted.py) writes this page from [its record](../benchmarks/planted.json). In "
        "[tests/planted](../tests/planted) each pair has a label, the patch, and two policies: the exploit and honest "
        "work.\n"
    )
    if record.first:
        yield "## The first flight, before anybody had read the pair\n"
        yield f"Only these figures say what to expect of an environment that is new ({auditors(record.first)}).\n"
        yield from table(record.first)
        yield ""
    if record.told:
        yield "## With a policy that succeeds\n"
        yield (
            f"Here the audit was told honest work, as `--reference` ({auditors(record.told)}). Set five had not been "
            "read by anybody who writes rules.\n"
        )
        yield from table(record.told)
        yield from rows(record.told)
        yield ""
    yield "## Now\n"
    yield f"Rules were written beside these pairs since, so that these figures say less ({auditors(record.pairs)}).\n"
    yield from table(record.pairs)
    yield from rows(record.pairs)


def rows(pairs: Sequence[PlantedPair]) -> Iterator[str]:
    """What came of each pair, line by line."""
    yield "\n| pair | planted | sound | named |"
    yield "|---|---|---|---|"
    for pair in pairs:
        link = f"[{pair.name}](../tests/planted/{pair.name}/label.md)"
        yield f"| {link} | {pair.planted} | {pair.sound} | {'yes' if pair.named else 'no'} |"


def main() -> int:
    """Fly or check what is asked for, or write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--fly", action="store_true", help="audit what is not on record")
    parser.add_argument("--check", action="store_true", help="fly the policies of each pair")
    parser.add_argument(
        "--reference", action="store_true", help="audit with honest work as a policy that succeeds"
    )
    known = pairs_of()
    sets = sorted({pair.path.parent.name for pair in known})
    parser.add_argument("--sets", nargs="*", default=[], choices=sets, help="names of sets")
    parser.add_argument(
        "--only",
        nargs="*",
        default=[],
        choices=[pair.name for pair in known],
        metavar="PAIR",
        help="names of pairs, with their set, as in four/kiln",
    )
    parser.add_argument("--again", action="store_true", help="also what is on record")
    parser.add_argument("--jobs", type=at_least_one, default=2, help="audits at once")
    parser.add_argument("--limit-s", type=seconds, default=900.0, help="seconds of an audit")
    chosen = parser.parse_args()
    if chosen.check:
        return check(chosen)
    if chosen.fly:
        fly(chosen)
    if (record := PlantedRecord.known()).pairs:
        write_text(PAGE, "\n".join([*lines_of(record), ""]))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
