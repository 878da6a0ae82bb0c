"""Does gonogo still answer what it answered? For changes that may move code but no verdict, id or number.

Commands run in processes of their own on fixed environments: maps and audits, one evaluation, one tiny training with
the evaluation of its model. Of each record the ids, verdicts, numbers and truth values are kept; sentences, times,
versions and hashes are not. ``benchmarks/frozen.json`` holds what they were when it was written.

    python benchmarks/frozen.py             # all, and the first differences of each; exits with 1 if there is one
    python benchmarks/frozen.py rows door   # the parts whose names begin so
    python benchmarks/frozen.py --quick     # the subset that takes under two minutes on one core
    python benchmarks/frozen.py --write     # write the file anew, of the parts that are asked for

Losses and sampled replies differ between processors, so the training is compared only on the machine type that the
file was written on; --write keeps its name.

A map resets without a seed too. What such a flight meets by chance, an end or a reward that no other saw, may differ:
run that part again before you look for a fault.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

Json = dict[str, Any]

ROOT = Path(__file__).resolve().parents[1]
FILE = Path(__file__).with_suffix(".json")
CONTACT = ROOT / "tests" / "first_contact"
GRID = ROOT / "tests" / "zoo" / "gridworld"
AUDITS: dict[str, tuple[str, Json]] = {
    "rows": ("rows", {}),
    "rows_solved": ("rows", {"reference": "policies:rows"}),
    "crash": ("crash", {"reference": "policies:crash"}),
    "door": ("door", {"reference": "policies:door"}),
    "stockroom": ("stockroom", {}),
    "achieved": ("achieved", {}),
    "words": ("words", {}),
    "late": ("late", {}),
    "clock": ("clock", {}),
    "union": ("union_action/ships_env", {}),
    "nested": ("nested_done/todo_env", {}),
    "beside": ("text_beside/reading_env", {}),
    "tools": ("mcp_tools/desk_env", {}),
    "reported": ("tests.zoo.cases.self_reported_reward:Defect", {}),
    "sound": ("tests.zoo.cases.self_reported_reward:Sound", {}),
}
"""Name: target, from ``tests/first_contact`` on, and what its audit is given beside a small budget."""
QUICK = ("rows", "crash", "door", "union", "tools", "sound", "evaluation")
RECORDS = ("map.json", "audit.json", "evaluation.json", "train.json")
LOGS = ("training.jsonl",)
LEFT_OUT = re.compile(
    r"(created|python|packages|machine|config|seconds|.*_s|.*_hash|hash|at|speed|threads|memory|bytes|.*_bytes|"
    r"line|ci95|changed|.*_mib|finished|began|versions?|schema|tokens_per_second|witness|replay|steps_per_second|sizes?)"
)
"""Keys of what a machine, a moment or a place in a file decides."""
WORDS = re.compile(
    r"(id|verdict|finding|policy|kind|name|word|check|why_id|field|source|task|better|answer)"
)
"""Keys whose texts are ids."""
CLOSE, SHOWN = 1e-6, 10
TRAINING: Json = {
    "seed": 3,
    "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300},
    "theme": {"required": False},
    "rollout": {"slots": 8, "max_turns": 6, "max_reply_tokens": 16},
    "train": {
        "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 4},
        "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
        "sft": {
            "episodes": 24,
            "max_steps": 60,
            "batch": 4,
            "validate_every": 30,
            "teacher": "walker",
        },
        "grpo": {"steps": 3, "tasks_per_step": 2, "group_size": 4},
    },
    "evaluation": {
        "policies": ["idle", "random", "untrained", "trained"],
        "episodes": 16,
        "start": 5000,
        "memorisation": True,
    },
}
EVALUATION: Json = {
    "seed": 1,
    "rollout": {"slots": 8, "max_turns": 12},
    "evaluation": {"policies": ["idle", "random", "walker"], "episodes": 40},
}


def command(words: list[str], cwd: Path) -> int:
    """Run a command of gonogo; its exit code."""
    paths = os.pathsep.join([str(CONTACT), str(ROOT)])
    given = {**os.environ, "OMP_NUM_THREADS": "1", "PYTHONPATH": paths, "COLUMNS": "200"}
    return subprocess.run(
        [sys.executable, "-m", "gonogo", *words],
        cwd=cwd,
        env=given,
        capture_output=True,
        check=False,
    ).returncode


def write(settings: Json, folder: Path) -> str:
    """A config of the settings, in the folder."""
    file = folder / "config.yaml"
    file.write_text(yaml.safe_dump(settings))
    return str(file)


def audit(name: str, out: Path) -> list[int]:
    """Map and audit one environment."""
    target, given = AUDITS[name]
    settings = {
        "map": {"budget_s": 600.0},
        "audit": {"seeds": 4, "search": 400, "minutes": 60, **given},
        "out": str(out),
    }
    place = target if ":" in target else str(CONTACT / target)
    return [command(["audit", "--config", write({"target": place, **settings}, out)], CONTACT)]


def evaluation(out: Path) -> list[int]:
    """Evaluate three policies that learn nothing."""
    file = write({"target": str(GRID), "out": str(out), **EVALUATION}, out)
    return [command(["evaluate", "--config", file], ROOT)]


def training(out: Path) -> list[int]:
    """Train a tiny model, and evaluate it."""
    file = write({"target": str(GRID), "out": str(out), **TRAINING}, out)
    return [command([word, "--config", file], ROOT) for word in ("train", "evaluate")]


def leaves(value: Any, path: str = "", key: str = "") -> Iterator[tuple[str, Any]]:
    """What is kept of a record: each leaf by its path."""
    if isinstance(value, dict):
        for name, inner in value.items():
            if not LEFT_OUT.fullmatch(name):
                yield from leaves(inner, f"{path}.{name}", name)
    elif isinstance(value, list):
        yield f"{path}#", len(value)
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]", key)
    elif not isinstance(value, str) or WORDS.fullmatch(key):
        yield path, value


def answers(name: str) -> Json:
    """Fly one part: exit codes, and the leaves of every record that it left."""
    work = {"evaluation": evaluation, "training": training}.get(name) or (
        lambda out: audit(name, out)
    )
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder)
        found: Json = {"exit": work(out)}
        for record in RECORDS:
            if (out / record).exists():
                found |= dict(leaves(json.loads((out / record).read_text()), record))
        for log in LOGS:
            if (out / log).exists():
                rows = [json.loads(row) for row in (out / log).read_text().splitlines()]
                found |= dict(leaves(rows, log))
    return found


def same(a: Any, b: Any) -> bool:
    """Whether two leaves are equal, but for the last digits of a number."""
    if isinstance(a, float) and isinstance(b, float):
        return math.isclose(a, b, rel_tol=CLOSE, abs_tol=CLOSE) or (math.isnan(a) and math.isnan(b))
    return bool(a == b) and type(a) is type(b)


def differences(was: Json, is_: Json) -> Iterator[str]:
    """Every leaf that is another, one line each."""
    nothing = "nothing"
    for path in sorted({*was, *is_}):
        a, b = was.get(path, nothing), is_.get(path, nothing)
        if not same(a, b):
            yield f"{path}: was {a!r}, is {b!r}"


def main() -> int:
    """Fly what is asked for, and compare or write it."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("parts", nargs="*", help="parts by the beginnings of their names")
    parser.add_argument("--quick", action="store_true", help="a subset")
    parser.add_argument("--write", action="store_true", help="write the file instead")
    given = parser.parse_args()
    everything = [*AUDITS, "evaluation", "training"]
    wanted = [
        name
        for name in (QUICK if given.quick else everything)
        if not given.parts or name.startswith(tuple(given.parts))
    ]
    if not wanted:
        parser.error(f"no part begins so: give some of {', '.join(everything)}")
    frozen: Json = json.loads(FILE.read_text()) if FILE.exists() else {"parts": {}}
    code = 0
    for name in wanted:
        if name == "training" and not given.write and frozen.get("machine") != machine():
            print(f"{name}: left out, for it was written on {frozen.get('machine')}", flush=True)
            continue
        found = answers(name)
        if given.write:
            frozen["parts"][name] = found
            if name == "training":
                frozen["machine"] = machine()
            FILE.write_text(json.dumps(frozen, indent=0, sort_keys=True) + "\n")
            print(f"{name}: {len(found)} leaves written, exit {found['exit']}", flush=True)
            continue
        lines = list(differences(frozen["parts"].get(name, {}), found))
        print(
            f"{name}: {f'{len(lines)} differ' if lines else f'{len(found)} leaves the same'}",
            flush=True,
        )
        for line in lines[:SHOWN]:
            print(f"    {line}", flush=True)
        code = code or int(bool(lines))
    return code


def machine() -> str:
    """What decides the last digits of a loss."""
    said = Path("/proc/cpuinfo")
    found = re.search(r"model name\s*: (.*)", said.read_text()) if said.exists() else None
    return found[1] if found else platform.processor()


if __name__ == "__main__":
    sys.exit(main())
