"""Environments of strangers, audited without flags. Writes docs/field/draw-N/record.json and the pages of the field.

    python benchmarks/field.py --clones FOLDER [--draw N] [--set development|field] [--only OWNER/NAME ...] [--again]
                               [--jobs N]
    python benchmarks/field.py --clones FOLDER --open   only install and open them: a line each, nothing on record
    python benchmarks/field.py --commands FOLDER   the commands that clone them, at the commits on record
    python benchmarks/field.py                     only the pages, from the records and the readings

Names, commits and the rules that drew them are benchmarks/field.yaml, a document for each draw; the last is audited
where none is named. FOLDER holds a clone of each, in a folder named
owner+name at its commit. Each is copied, gets its packages and is audited as a stranger would do it, `gonogo audit
FOLDER --install`, in the drawn order and within limits of time, memory and disk. This script's interpreter runs gonogo:
for the record it has gonogo's core and uv, and nothing else. Virtual environments are kept below --scratch. What is on
record is left alone unless --again is given; --until ends a run before its next audit, and the next run goes on from
there. The development set's record goes to --scratch and has no page. None of the environments' code is kept here.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from threading import Thread
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))

from command_line import at_least_one, folder_there, time_of_day
from field_page import KIND, VERSION, read_draws, write_pages
from wild import AUDIT_BYTES, Record, commit_of, last_error, shortened

from gonogo.env.install import install
from gonogo.env.target import FolderTarget, resolve
from gonogo.errors import TargetError
from gonogo.records.files import write_text
from gonogo.records.findings import FINDINGS

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCRATCH = ROOT / "runs" / "field"
ENDLESS_S = 240
"""Seconds within which an audit has to answer, beside what it takes to install."""
OPEN_S = 300
END_S = 5.0
"""Seconds that what was killed may take to be gone."""
FILE_BYTES = 2**30
"""What an audit may write into one file."""
FREE_BYTES = 30 * 2**30
"""Disk that has to be free for the next install."""
SAID_CHARS = 3000
FINDING = re.compile(rf"\b({'|'.join(sorted(FINDINGS))})\b")


def owner(name: str) -> str:
    """Of a repository, without regard to case."""
    return name.partition("/")[0].lower()


def drawn(frame: Iterable[str], salt: str, before: Iterable[str] = ()) -> list[str]:
    """The rule: names in the order of a hash, and of each owner the first.

    Args:
        frame: Names that may be drawn.
        salt: What is hashed before a name.
        before: Names of earlier frames, whose owners are left out.
    """
    known = set(map(owner, before))
    first: dict[str, str] = {}
    for name in sorted(frame, key=lambda name: hashlib.sha256((salt + name).encode()).hexdigest()):
        if owner(name) not in known:
            first.setdefault(owner(name), name)
    return list(first.values())


def folder_name(name: str) -> str:
    """Of a repository's clone."""
    return name.replace("/", "+")


@dataclass(slots=True)
class Watched:
    """A command that was run to its end, or to its limit.

    Attributes:
        code: Exit code; None where it was ended.
        lines: What it printed, each line with the second in which it came.
        seconds: How long it ran.
        left: How many of the processes that it started ran on when it had ended; they were ended.
    """

    code: int | None
    lines: list[tuple[float, str]]
    seconds: float
    left: int

    @property
    def said(self) -> str:
        """All that it printed."""
        return "\n".join(line for _, line in self.lines)

    def first(self, pattern: re.Pattern[str]) -> float | None:
        """The second of the first line in which a pattern is found; None without one."""
        return next((at for at, line in self.lines if pattern.search(line)), None)


def processes() -> dict[int, tuple[int, int]]:
    """Of every process that runs: its parent and when it began, in the machine's ticks."""
    known = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            fields = (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()
        except OSError:  # it has ended
            continue
        if fields[0] != "Z":
            known[int(folder.name)] = int(fields[1]), int(fields[19])
    return known


def end(pids: list[int]) -> None:
    """Kill processes, and wait until they are gone: a busy machine takes a while for it."""
    for pid in pids:
        try:
            os.kill(pid, signal.SIGKILL)
        except ProcessLookupError:  # it has ended meanwhile
            continue
    until = time.monotonic() + END_S
    while not processes().keys().isdisjoint(pids) and time.monotonic() < until:
        time.sleep(0.05)


def watch(words: list[str], limit_s: float, **options: Any) -> Watched:
    """Run a command, note when each line came, and end what it started, in whatever session, with it.

    Args:
        words: The command.
        limit_s: Seconds that it may take.
        options: For subprocess.Popen.
    """
    began = time.monotonic()
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
        **options,
    )
    resource.prlimit(process.pid, resource.RLIMIT_AS, (AUDIT_BYTES, AUDIT_BYTES))
    resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (FILE_BYTES, FILE_BYTES))
    lines: list[tuple[float, str]] = []
    stdout = process.stdout
    assert stdout is not None

    def read() -> None:
        for line in stdout:
            lines.append((round(time.monotonic() - began, 1), line.rstrip()))

    reader = Thread(target=read, daemon=True)
    reader.start()
    started: dict[int, int] = {}
    code: int | None = None
    while code is None and time.monotonic() - began < limit_s:
        try:
            code = process.wait(timeout=1)
        except subprocess.TimeoutExpired:
            running = processes()
            heirs = {process.pid, *started}
            for pid in sorted(running, key=lambda pid: running[pid][1]):
                if running[pid][0] in heirs:
                    heirs.add(pid)
                    started[pid] = running[pid][1]
    seconds = round(time.monotonic() - began, 1)
    if code is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    time.sleep(1)  # worker processes end when their pipe closes
    running = processes()
    left = [pid for pid, at in started.items() if running.get(pid, (0, 0))[1] == at]
    end(left)
    # Something may hold the pipe still: it is not waited for.
    reader.join(timeout=2)
    return Watched(code, list(lines), seconds, len(left))


@dataclass(slots=True)
class Prepared:
    """A copy of an environment with its packages installed.

    Attributes:
        work: The folder of the copy, `source`, and of what is run on it.
        problem: Why its packages are not installed; None where they are, or where it asks for none.
        seconds: What that took.
    """

    work: Path
    problem: str | None
    seconds: float


def prepare(entry: Json, clones: Path, scratch: Path) -> Prepared:
    """Copy an environment and install what it asks for.

    Raises:
        SystemExit: The disk is too full for another.
    """
    began = time.monotonic()
    if shutil.disk_usage(scratch).free < FREE_BYTES:
        raise SystemExit(f"less than {FREE_BYTES >> 30} GiB are free at {scratch}")
    work = (scratch / "work" / folder_name(entry["name"])).absolute()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    ignored = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__")
    clone = clones / folder_name(entry["name"])
    shutil.copytree(clone, work / "source", symlinks=True, ignore=ignored)
    problem, python = None, None
    try:
        target = resolve(str(work / "source"))
        if isinstance(target, FolderTarget):
            python = install(target.folder)
    except TargetError as error:
        problem = str(error)[-SAID_CHARS:]
    runs = work / "python"  # for whoever reads the source and tries something
    runs.write_text(f'#!/bin/sh\nexec "{python or sys.executable}" "$@"\n')
    runs.chmod(0o755)
    return Prepared(work, problem, round(time.monotonic() - began, 1))


def gonogo_words(command: str, *words: str) -> list[str]:
    """A command of gonogo on a copy, as it is given in its folder."""
    return [command, "source", *words, "--install", "--out", "out"]


def gonogo(prepared: Prepared, limit_s: float, *words: str) -> Watched:
    """Run a command of gonogo on a copy, in its folder."""
    given = {**os.environ, "COLUMNS": "200"}
    return watch(
        [sys.executable, "-m", "gonogo", *gonogo_words(*words)],
        limit_s,
        cwd=prepared.work,
        env=given,
    )


def opened(entry: Json, chosen: argparse.Namespace) -> str:
    """Install and open one environment, fly one episode in it, and say what came of it."""
    prepared = prepare(entry, chosen.clones, chosen.scratch)
    flight = ("rollout", "--policies", "random", "--episodes", "1")
    seen = gonogo(prepared, OPEN_S, *flight)
    answer = "opens" if seen.code == 0 else last_error(seen.said)[-SAID_CHARS:]
    (prepared.work / "opening.txt").write_text(seen.said)
    torn = "TRACEBACK " if "Traceback (most recent call last)" in seen.said else ""
    return (
        f"{entry['name']}: {torn}{' '.join(answer.split())} "
        f"(exit {seen.code}, {prepared.seconds:.0f} s to install, {seen.seconds:.0f} s)"
    )


def examine(entry: Json, chosen: argparse.Namespace) -> Json:
    """Audit one environment and say what came of it."""
    auditor = commit_of(ROOT)
    prepared = prepare(entry, chosen.clones, chosen.scratch)
    seen = gonogo(prepared, ENDLESS_S, "audit")
    (prepared.work / "said.txt").write_text(seen.said)
    out = prepared.work / "out"
    record = read_json(out / "audit.json")
    found = findings(record) or findings(read_json(out / "map.json"))
    row: Json = {
        "name": entry["name"],
        "commit": commit_of(chosen.clones / folder_name(entry["name"])),
        "gonogo": auditor,
        "not_installed": prepared.problem,
        "verdict": record.get("verdict"),
        "reason": record.get("reason"),
        "exit_code": seen.code,
        "opened": bool(record) or (out / "map.json").is_file(),
        "why_not": None if record else last_error(seen.said)[-SAID_CHARS:],
        "traceback": "Traceback (most recent call last)" in seen.said,
        "endless": seen.code is None,
        "left": seen.left,
        "seconds": {
            "install": prepared.seconds,
            "first_line": seen.lines[0][0] if seen.lines else None,
            "first_finding": seen.first(FINDING),
            "verdict": seen.seconds,
        },
        "success": success(record),
        "missing": record.get("missing", []),
        "flown": record.get("flown"),
        "budget": record.get("budget"),
        "findings": found,
        "said": seen.said[-SAID_CHARS:],
    }
    write_text(prepared.work / "packet.yaml", packet(row))
    return {**row, "findings": [short(each) for each in found]}


def short(found: Json) -> Json:
    """A finding as the record holds it."""
    return {**shortened(found), "explanation": found["explanation"]}


def packet(row: Json) -> str:
    """What a reader is shown of an audit: what it claims, with whole witnesses, and nothing of how it came to it."""
    names = ("key", "severity", "explanation", "witness", "further", "where", "tasks")
    shown = {
        "environment": row["name"],
        "gonogo": (row["gonogo"] or "unknown")[:8],
        "verdict": row["verdict"],
        "why_not": row["why_not"],
        "success": row["success"],
        "findings": [{name: found[name] for name in names} for found in row["findings"]],
    }
    shown = json.loads(json.dumps(shown))  # YAML would write what occurs twice as an alias
    return yaml.safe_dump(shown, sort_keys=False, allow_unicode=True, width=120)


def read_json(path: Path) -> Json:
    """A record; empty where there is none, or where its writer was cut off."""
    if not path.is_file():
        return {}
    try:
        known: Json = json.loads(path.read_text())
    except json.JSONDecodeError:
        return {}
    return known


def success(record: Json) -> Json | None:
    """What success was judged by: of the first task that says it."""
    told = (
        sheet.get("numbers", {}).get("judged") or sheet.get("judged")
        for sheet in record.get("tasks", [])
    )
    return next((each for each in told if each), None)


def findings(record: Json) -> list[Json]:
    """What is not accepted: each cause once, with the tasks that showed it, by a key that is unique in the record."""
    known: dict[tuple[str, str], Json] = {}
    for found in record.get("findings", []):
        what = json.dumps(found.get("cause") or found.get("component"), sort_keys=True)
        row = known.setdefault(
            (found["id"], what),
            {
                "id": found["id"],
                "severity": found.get("severity"),
                "explanation": found["explanation"],
                "witness": found["witness"],
                "further": found.get("further") or [],
                "where": found.get("where"),
                "tasks": [],
            },
        )
        row["tasks"].append(found["task"])
    rows = list(known.values())
    for number, row in enumerate(rows):
        same = sum(other["id"] == row["id"] for other in rows[:number])
        row["key"] = row["id"] + (f" {same + 1}" if same else "")
    return rows


def each(chosen: argparse.Namespace, entries: list[Json], one: Callable[[Json], str]) -> None:
    """Do something with each environment, --jobs at once, in their order, until --until; print a line each."""

    def before_the_end(entry: Json) -> str | None:
        if chosen.until is not None and datetime.now() >= chosen.until:
            return None
        return one(entry)

    with ThreadPoolExecutor(chosen.jobs) as pool:
        for number, line in enumerate(pool.map(before_the_end, entries), start=1):
            if line is not None:
                print(f"{number}/{len(entries)} {line}", flush=True)


def run(chosen: argparse.Namespace, entries: list[Json], record: Record) -> None:
    """Audit what is not on record yet, a line each.

    Args:
        chosen: The command line.
        entries: Environments whose clones are there.
        record: Of all that were drawn.
    """
    named = [e for e in entries if not chosen.only or e["name"] in chosen.only]
    waiting = [e for e in named if chosen.again or e["name"] not in record.rows]

    def one(entry: Json) -> str:
        row = examine(entry, chosen)
        record.add(row)
        ids = ", ".join(found["key"] for found in row["findings"]) or "no finding"
        answer = row["verdict"] or ("endless" if row["endless"] else (row["why_not"] or "")[-160:])
        torn = " TRACEBACK" if row["traceback"] else ""
        line = " ".join(answer.split())
        return f"{entry['name']}: {line}{torn}, {row['seconds']['verdict']:.0f} s, {ids}"

    each(chosen, waiting, one)


def clone_commands(entries: list[Json], folder: Path) -> Iterable[str]:
    """What clones each at its commit."""
    for entry in entries:
        place = folder / folder_name(entry["name"])
        yield (
            f"git clone -q https://github.com/{entry['name']} '{place}' "
            f"&& git -C '{place}' checkout -q {entry['commit']}"
        )


def main() -> None:
    """Audit the environments where their folder is given; write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clones", type=folder_there, help="folder of the clones")
    parser.add_argument("--commands", type=Path, metavar="FOLDER", help="print what clones them")
    parser.add_argument("--draw", type=int, metavar="N", help="which draw; the last if not given")
    parser.add_argument("--set", choices=["development", "field"], default="field")
    parser.add_argument("--only", nargs="*", metavar="OWNER/NAME")
    parser.add_argument("--again", action="store_true", help="also what is on record")
    parser.add_argument("--open", action="store_true", help="only install and open them")
    parser.add_argument(
        "--until",
        type=time_of_day,
        metavar="HH:MM",
        help="begin nothing from the next such time on",
    )
    parser.add_argument("--jobs", type=at_least_one, default=1, help="environments at once")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the runs go")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder of field.md and field/")
    chosen = parser.parse_args()
    draws = read_draws()
    number = len(draws) if chosen.draw is None else chosen.draw
    if not 1 <= number <= len(draws):
        parser.error(f"--draw is 1 to {len(draws)}, not {number}")
    drawing = draws[number - 1]
    entries = [entry for entry in drawing[chosen.set] if entry["commit"] is not None]
    names = [entry["name"] for entry in entries]
    if chosen.commands is not None:
        print("\n".join(clone_commands(entries, chosen.commands)))
        return
    if chosen.clones is not None:
        absent = [
            e["name"] for e in entries if not (chosen.clones / folder_name(e["name"])).is_dir()
        ]
        if absent:
            print(f"no clone of {', '.join(absent)}", file=sys.stderr)
        there = [entry for entry in entries if entry["name"] not in absent]
        chosen.scratch.mkdir(parents=True, exist_ok=True)
        os.environ["XDG_CACHE_HOME"] = str((chosen.scratch / "cache").absolute())
        os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        if chosen.open:
            named = [e for e in there if not chosen.only or e["name"] in chosen.only]
            each(chosen, named, lambda entry: opened(entry, chosen))
            return
        own = chosen.set == "field"
        folder = (chosen.out if own else chosen.scratch) / "field" / f"draw-{number}"
        run(chosen, there, Record(folder / "record.json", KIND, VERSION, names))
    if chosen.set == "field":
        print(write_pages(chosen.out))


if __name__ == "__main__":
    main()
