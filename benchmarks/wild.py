"""Audits of public environments: how many findings are right, read by hand. Writes docs/wild/record.json, docs/wild.md.

    git clone https://github.com/meta-pytorch/OpenEnv
    python benchmarks/wild.py --environments OpenEnv/envs [--only NAME ...] [--again] [--jobs N]
    python benchmarks/wild.py                    only the page, from the record and the readings

Each environment gets a virtual environment of its own under --scratch, with gonogo's core from this repository and
what the environment's pyproject.toml asks for, and is audited there by the command line, which maps it first, as a
stranger would do it, with what its source calls success as an expression where none of its fields says it. An
environment that is in the record is left alone unless --again is given. Every finding is then read by hand against
the environment's source; the readings are docs/wild/readings.yaml. None of the environments' code is kept here.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import signal
import subprocess
import sys
import time
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))

from command_line import at_least_one
from wild_environments import ENVIRONMENTS, Wild
from wild_page import write_page

from gonogo.errors import MissingRecord
from gonogo.records.files import read_record, write_record
from gonogo.records.provenance import provenance, source_hash

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCRATCH = ROOT / "runs" / "wild"
KIND, VERSION = "wild", 1
STATIONS = ("map", "audit")
"""Whose records `gonogo audit` leaves: it maps what has no map."""
AUDIT_S = 1800
"""Seconds that the command may take."""
SETUP_S = 900
AUDIT_BYTES = 6 * 2**30
"""Memory that each process of an audit may have: one that is fed what it answers can grow without end."""
OURS = ("openenv-core", "openenv")
"""What a requirement's name begins with that gonogo's own openenv stands in for: both install `openenv`."""
MOST_ACTIONS = 6
MOST_CHARS = 200
MOST_SAID = 1000


def requirements(folder: Path) -> tuple[list[str], list[str]]:
    """What an environment asks for, without openenv, which gonogo brings; and what was left out."""
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    asked = project.get("dependencies", [])
    left_out = [line for line in asked if line.split("[")[0].split(">")[0].strip() in OURS]
    return [line for line in asked if line not in left_out], left_out


def command(
    words: list[str], limit_s: float, memory: int | None = None, **options: Any
) -> tuple[int | None, str]:
    """Run a command in a process group of its own.

    Args:
        words: The command.
        limit_s: Seconds that it may take.
        memory: Bytes that it and each process that it starts may have; None where there is no limit.
        options: For subprocess.Popen.

    Returns:
        Its exit code, None where it was ended after ``limit_s`` seconds; and what it printed to stderr.
    """
    process = subprocess.Popen(
        words,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
        **options,
    )
    if memory is not None:
        resource.prlimit(process.pid, resource.RLIMIT_AS, (memory, memory))
    try:
        _, said = process.communicate(timeout=limit_s)
    except subprocess.TimeoutExpired:
        # Worker processes lead sessions of their own and end when their pipe closes.
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None, f"no verdict within {limit_s:g} s"
    return process.returncode, said


def install(wild: Wild, folder: Path, python: Path) -> Json:
    """Make the virtual environment where there is none; say what is in it."""
    began = time.monotonic()
    wanted, left_out = requirements(folder)
    ready = python.parents[1] / "ready"
    problem = None
    if not ready.is_file():
        subprocess.run([sys.executable, "-m", "venv", "--clear", python.parents[1]], check=True)
        # What needs torch is left out: no version of it is below 0.
        constraints = python.parents[1] / "constraints.txt"
        constraints.write_text("torch<0\n")
        packages = ["--editable", str(ROOT), "-c", str(constraints), *wanted, *wild.packages]
        pip = [str(python), "-m", "pip", "install", "--quiet", *packages]
        code, said = command(pip, SETUP_S)
        if code == 0:
            ready.touch()
        else:
            problem = last_error(said)
    return {
        "seconds": round(time.monotonic() - began, 1),
        "installed": [*wanted, *wild.packages],
        "left_out": left_out,
        "problem": problem,
        "packages": {} if problem else versions(python, [*wanted, *wild.packages]),
    }


def versions(python: Path, wanted: list[str]) -> Json:
    """Versions of openenv, gonogo and what the environment asked for."""
    listed = subprocess.run(
        [str(python), "-m", "pip", "list", "--format", "json"],
        check=True,
        capture_output=True,
        text=True,
    )
    plain = [line.lower().replace("_", "-") for line in wanted]
    known = {item["name"]: item["version"] for item in json.loads(listed.stdout)}
    return {
        name: version
        for name, version in sorted(known.items())
        if name in {"openenv", "gonogo", "numpy", "pydantic", "fastmcp"}
        or any(line.startswith(name.lower().replace("_", "-")) for line in plain)
    }


def last_error(said: str) -> str:
    """What gonogo said last, or else the end of what a command said, without pip's warnings."""
    _, told, message = said.rpartition("gonogo: ")
    lines = [line for line in said.strip().splitlines() if not line.startswith("WARNING:")]
    return message[:MOST_SAID].strip() if told else "\n".join(lines[-8:])


def fly(wild: Wild, folder: Path, python: Path, out: Path) -> Json:
    """Audit, with the map before it; each station's verdict and the findings of both."""
    fields = {section: dict(values) for section, values in wild.fields.items()}
    if wild.success is not None:
        fields.setdefault("rollout", {})["success"] = wild.success
    if wild.reference is not None:
        audit = fields.setdefault("audit", {})
        audit["reference"] = f"benchmarks.wild_policies:{wild.reference}"
    out.mkdir(parents=True, exist_ok=True)
    config = out / "config.yaml"
    config.write_text(yaml.safe_dump({"target": str(folder), "out": str(out), **fields}))
    for station in STATIONS:
        (out / f"{station}.json").unlink(missing_ok=True)
    began = time.monotonic()
    words = [str(python), "-m", "gonogo", "audit", "--config", str(config)]
    code, said = command(
        words, AUDIT_S, AUDIT_BYTES, cwd=ROOT, env={**os.environ, **wild.variables}
    )
    findings: Json = {}
    for station in STATIONS:
        gather(out / f"{station}.json", station, findings)
    return {
        "seconds": round(time.monotonic() - began, 1),
        "stations": {name: result(out / f"{name}.json", code, said) for name in STATIONS},
        "findings": list(findings.values()),
        "judged": judged(out / "audit.json"),
    }


def judged(path: Path) -> list[Json]:
    """Who succeeds on each task of an audit's record, and what is paid most without trying; empty without one."""
    record = json.loads(path.read_text()) if path.is_file() else {"tasks": []}
    told = ("reachability", "paid_for_nothing")
    return [
        {"task": sheet["task"], **{name: sheet["numbers"][name] for name in told}}
        for sheet in record["tasks"]
    ]


def result(path: Path, code: int | None, said: str) -> Json:
    """A station's answer: from its record, or why there is none."""
    record = json.loads(path.read_text()) if path.is_file() else {}
    return {
        "verdict": record.get("verdict"),
        "exit_code": code,
        "reason": record.get("reason"),
        "problem": None if record else last_error(said),
        "notes": record.get("notes", []),
        "flown": record.get("flown"),
    }


def gather(path: Path, station: str, findings: Json) -> None:
    """Add a record's findings: each id once, with the stations and the tasks that showed it."""
    record = json.loads(path.read_text()) if path.is_file() else {"findings": []}
    for found in record["findings"]:
        known = findings.setdefault(
            found["id"],
            {
                "id": found["id"],
                "stations": [],
                "tasks": [],
                "explanation": found["explanation"],
                "witness": shortened(found["witness"]),
            },
        )
        for name, value in (("stations", station), ("tasks", found["task"])):
            if value not in known[name]:
                known[name].append(value)


def shortened(value: Any) -> Any:
    """A witness that a page can show: the first few items of each list, no text without end."""
    if isinstance(value, dict):
        return {key: shortened(inner) for key, inner in value.items()}
    if isinstance(value, list):
        kept = [shortened(inner) for inner in value[:MOST_ACTIONS]]
        more = len(value) - MOST_ACTIONS
        return [*kept, f"and {more} more"] if more > 0 else kept
    if isinstance(value, str) and len(value) > MOST_CHARS:
        return f"{value[:MOST_CHARS]}… ({len(value)} characters)"
    return value


def commit_of(folder: Path) -> str | None:
    """The commit of the checkout, where it is one."""
    asked = ["git", "-C", str(folder), "rev-parse", "HEAD"]
    answer = subprocess.run(asked, capture_output=True, text=True, check=False)
    return answer.stdout.strip() if answer.returncode == 0 else None


def examine(wild: Wild, environments: Path, scratch: Path) -> Json:
    """Everything about one environment."""
    folder = (environments / wild.name).resolve()
    python = scratch / "venvs" / wild.name / "bin" / "python"
    # Before the audit: a commit that is made meanwhile is not what audited.
    auditor = commit_of(ROOT)
    setup = install(wild, folder, python.absolute())
    body: Json = {"seconds": 0.0, "stations": {}, "findings": [], "judged": []}
    if setup["problem"] is None:
        body = fly(wild, folder, python.absolute(), (scratch / "runs" / wild.name).absolute())
    project = tomllib.loads((folder / "pyproject.toml").read_text())["project"]
    return {
        "name": wild.name,
        "version": project.get("version"),
        "commit": commit_of(folder),
        "source_hash": source_hash(folder),
        "gonogo": auditor,
        "success": wild.success,
        "reference": wild.reference,
        "fields": wild.fields,
        "variables": wild.variables,
        "setup": setup,
        **body,
    }


class Record:
    """The record on disk, added to by several threads.

    Args:
        path: Its file.
        kind: Its kind.
        version: Its schema's.
        order: Names of the environments, in the order in which they stand in it.
    """

    def __init__(self, path: Path, kind: str, version: int, order: list[str]) -> None:
        self._path, self._lock = path, Lock()
        self._kind, self._version, self._order = kind, version, order
        try:
            rows = read_record(path, kind, version)["environments"]
        except MissingRecord:
            rows = []
        self.rows: dict[str, Json] = {row["name"]: row for row in rows}

    def add(self, row: Json) -> None:
        """Put an environment's row in place and save."""
        with self._lock:
            self.rows[row["name"]] = row
            body = {"environments": [self.rows[name] for name in self._order if name in self.rows]}
            write_record(self._path, self._kind, self._version, {**body, **provenance()})


def run(chosen: argparse.Namespace) -> None:
    """Audit what is not in the record yet."""
    order = [wild.name for wild in ENVIRONMENTS]
    record = Record(chosen.out / "wild" / "record.json", KIND, VERSION, order)
    named = [w for w in ENVIRONMENTS if not chosen.only or w.name in chosen.only]
    waiting = [wild for wild in named if chosen.again or wild.name not in record.rows]

    def one(wild: Wild) -> str:
        print(f"{wild.name}: begins", flush=True)
        row = examine(wild, chosen.environments, chosen.scratch)
        record.add(row)
        verdicts = {name: answer["verdict"] for name, answer in row["stations"].items()}
        ids = [finding["id"] for finding in row["findings"]]
        print(f"{wild.name}: {row['setup']['problem'] or verdicts} {ids}", flush=True)
        return wild.name

    with ThreadPoolExecutor(chosen.jobs) as pool:
        for number, name in enumerate(pool.map(one, waiting), start=1):
            print(f"{number} of {len(waiting)} done, last {name}", flush=True)


def main() -> None:
    """Audit the environments where their folder is given; write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--environments", type=Path, help="folder envs of a checkout of OpenEnv")
    parser.add_argument("--only", nargs="*", choices=[w.name for w in ENVIRONMENTS], metavar="NAME")
    parser.add_argument("--again", action="store_true", help="also what is in the record")
    parser.add_argument("--jobs", type=at_least_one, default=2, help="environments at once")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the runs go")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder of wild.md and wild/")
    chosen = parser.parse_args()
    if chosen.environments is not None:
        absent = [w.name for w in ENVIRONMENTS if not (chosen.environments / w.name).is_dir()]
        if absent:
            parser.error(
                f"--environments must hold {', '.join(absent)}; {chosen.environments} does not"
            )
        run(chosen)
    for environment, finding in write_page(chosen.out):
        print(f"no page: {finding} of {environment} is not in both record and readings")


if __name__ == "__main__":
    main()
