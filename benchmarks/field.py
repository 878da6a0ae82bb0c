"""Environments of strangers, audited without flags. Writes docs/field/record.json and docs/field.md.

    python benchmarks/field.py --clones FOLDER [--set development|field] [--only OWNER/NAME ...] [--again] [--jobs N]
    python benchmarks/field.py --commands FOLDER   the commands that clone them, at the commits on record
    python benchmarks/field.py                     only the page, from the record and the readings

Names, commits and the rule that drew them are benchmarks/field.yaml. FOLDER holds a clone of each, in a folder named
owner+name at its commit. Each is copied, gets its packages and is audited as a stranger would do it, `gonogo audit
FOLDER --install`, within limits of time and memory; where that gonogo has no `--install` the packages are put into a
virtual environment here. What is on record is left alone unless --again is given. The development set's record goes
to --scratch and has no page. None of the environments' code is kept here.
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
import tomllib
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))

from field_page import write_page
from wild import AUDIT_BYTES, OURS, Record, command, commit_of, last_error, shortened

from gonogo.records.findings import FINDINGS

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCRATCH = ROOT / "runs" / "field"
MANIFEST = Path(__file__).with_suffix(".yaml")
KIND, VERSION = "field", 1
SALT = "gonogo-field-1:"
DEVELOPMENT = 16
"""How many of the drawn are the development set."""
INSTALL_S = 900
ENDLESS_S = 240
"""Seconds within which an audit has to answer, beside what it takes to install."""
SAID_CHARS = 3000
FINDING = re.compile(rf"\b({'|'.join(sorted(FINDINGS))})\b")


def drawn(frame: Iterable[str]) -> list[str]:
    """The rule: names in the order of a hash, and of each owner the first."""
    first: dict[str, str] = {}
    for name in sorted(frame, key=lambda name: hashlib.sha256((SALT + name).encode()).hexdigest()):
        first.setdefault(name.partition("/")[0].lower(), name)
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
    """

    code: int | None
    lines: list[tuple[float, str]]
    seconds: float

    @property
    def said(self) -> str:
        """All that it printed."""
        return "\n".join(line for _, line in self.lines)

    def first(self, pattern: re.Pattern[str]) -> float | None:
        """The second of the first line in which a pattern is found; None without one."""
        return next((at for at, line in self.lines if pattern.search(line)), None)


def watch(words: list[str], limit_s: float, **options: Any) -> Watched:
    """Run a command in a process group of its own and note when each line came.

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
    lines: list[tuple[float, str]] = []
    stdout = process.stdout
    assert stdout is not None

    def read() -> None:
        for line in stdout:
            lines.append((round(time.monotonic() - began, 1), line.rstrip()))

    reader = Thread(target=read, daemon=True)
    reader.start()
    try:
        code: int | None = process.wait(timeout=limit_s)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
        code = None
    seconds = round(time.monotonic() - began, 1)
    # What it started may still hold the pipe: it is not waited for.
    reader.join(timeout=2)
    return Watched(code, list(lines), seconds)


def asked(folder: Path) -> list[str]:
    """What a repository asks pip for: its pyproject.toml's dependencies, or else the first requirements.txt."""
    project = folder / "pyproject.toml"
    if project.is_file():
        try:
            known = tomllib.loads(project.read_text(errors="replace"))
        except tomllib.TOMLDecodeError:
            known = {}
        lines = known.get("project", {}).get("dependencies", [])
        if lines:
            return [line for line in lines if isinstance(line, str)]
    for path in (folder / "requirements.txt", folder / "server" / "requirements.txt"):
        if path.is_file():
            lines = [
                line.split(" #")[0].strip()
                for line in path.read_text(errors="replace").splitlines()
            ]
            return [line for line in lines if line and line[0] not in "#-"]
    return []


def has_install() -> bool:
    """Whether this gonogo installs what an environment asks for by itself."""
    words = [sys.executable, "-m", "gonogo", "audit", "--help"]
    shown = subprocess.run(words, capture_output=True, text=True, check=True)
    return "--install" in shown.stdout


def own_python(folder: Path, home: Path) -> tuple[Path, str | None]:
    """The Python of a virtual environment with gonogo and what is asked for; and why it is not whole, if it is not."""
    python = home / "bin" / "python"
    ready = home / "ready"
    if ready.is_file():
        return python, ready.read_text() or None
    subprocess.run([sys.executable, "-m", "venv", "--clear", home], check=True)
    constraints = home / "constraints.txt"
    constraints.write_text("torch<0\n")
    lines = [
        line for line in asked(folder) if re.split(r"[\[<>=!~; ]", line)[0].lower() not in OURS
    ]
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    code, said = command([*pip, "--editable", str(ROOT)], INSTALL_S)
    if code != 0:
        return python, last_error(said)
    problem = None
    if lines:
        code, said = command([*pip, "-c", str(constraints), *lines], INSTALL_S)
        problem = last_error(said) if code != 0 else None
    ready.write_text(problem or "")
    return python, problem


def examine(entry: Json, clones: Path, scratch: Path, *, installs: bool) -> Json:
    """Audit one environment and say what came of it."""
    name, began = entry["name"], time.monotonic()
    work = (scratch / "work" / folder_name(name)).absolute()
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir(parents=True)
    clone = clones / folder_name(name)
    ignored = shutil.ignore_patterns(".git", ".venv", "node_modules", "__pycache__")
    shutil.copytree(clone, work / "source", symlinks=True, ignore=ignored)
    auditor = commit_of(ROOT)
    python, problem, extra = Path(sys.executable), None, ["--install"]
    if not installs:
        home = (scratch / "venvs" / folder_name(name)).absolute()
        python, problem = own_python(work / "source", home)
        extra = []
    installed = round(time.monotonic() - began, 1)
    out = work / "out"
    words = [str(python), "-m", "gonogo", "audit", "source", *extra, "--out", str(out)]
    limit = ENDLESS_S + (INSTALL_S if installs else 0)
    seen = watch(words, limit, cwd=work, env={**os.environ, "COLUMNS": "200"})
    record = read_json(out / "audit.json")
    found = findings(record) or findings(read_json(out / "map.json"))
    return {
        "name": name,
        "commit": commit_of(clone),
        "gonogo": auditor,
        "not_installed": problem,
        "verdict": record.get("verdict"),
        "reason": record.get("reason"),
        "exit_code": seen.code,
        "opened": bool(record) or (out / "map.json").is_file(),
        "why_not": None if record else last_error(seen.said)[-SAID_CHARS:],
        "traceback": "Traceback (most recent call last)" in seen.said,
        "endless": seen.code is None,
        "seconds": {
            "install": installed,
            "first_line": seen.lines[0][0] if seen.lines else None,
            "first_finding": seen.first(FINDING),
            "verdict": seen.seconds,
        },
        "success": success(record),
        "missing": record.get("missing", []),
        "flown": record.get("flown"),
        "findings": found,
        "said": seen.said[-SAID_CHARS:],
    }


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
                "witness": shortened(found["witness"]),
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


def run(chosen: argparse.Namespace, entries: list[Json], path: Path) -> None:
    """Audit what is not on record yet, a line each."""
    record = Record(path, KIND, VERSION, [entry["name"] for entry in entries])
    named = [e for e in entries if not chosen.only or e["name"] in chosen.only]
    waiting = [e for e in named if chosen.again or e["name"] not in record.rows]
    installs = has_install()

    def one(entry: Json) -> str:
        row = examine(entry, chosen.clones, chosen.scratch, installs=installs)
        record.add(row)
        ids = ", ".join(found["key"] for found in row["findings"]) or "no finding"
        answer = row["verdict"] or ("endless" if row["endless"] else (row["why_not"] or "")[-160:])
        torn = " TRACEBACK" if row["traceback"] else ""
        line = " ".join(answer.split())
        return f"{entry['name']}: {line}{torn}, {row['seconds']['verdict']:.0f} s, {ids}"

    with ThreadPoolExecutor(chosen.jobs) as pool:
        for number, line in enumerate(pool.map(one, waiting), start=1):
            print(f"{number}/{len(waiting)} {line}", flush=True)


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
    parser.add_argument("--clones", type=Path, help="folder of the clones")
    parser.add_argument("--commands", type=Path, metavar="FOLDER", help="print what clones them")
    parser.add_argument("--set", choices=["development", "field"], default="field")
    parser.add_argument("--only", nargs="*", metavar="OWNER/NAME")
    parser.add_argument("--again", action="store_true", help="also what is on record")
    parser.add_argument("--jobs", type=int, default=1, help="environments at once")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the runs go")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder of field.md and field/")
    chosen = parser.parse_args()
    drawing = yaml.safe_load(MANIFEST.read_text())
    entries = [entry for entry in drawing[chosen.set] if entry["commit"] is not None]
    if chosen.commands is not None:
        print("\n".join(clone_commands(entries, chosen.commands)))
        return
    if chosen.clones is not None:
        absent = [
            e["name"] for e in entries if not (chosen.clones / folder_name(e["name"])).is_dir()
        ]
        if absent:
            print(f"no clone of {', '.join(absent)}", file=sys.stderr)
        entries = [entry for entry in entries if entry["name"] not in absent]
        own = chosen.set == "field"
        run(chosen, entries, (chosen.out if own else chosen.scratch) / "field" / "record.json")
    if chosen.set == "field":
        print(write_page(chosen.out))


if __name__ == "__main__":
    main()
