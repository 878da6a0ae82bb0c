"""falsepass on one class, laid out as an OpenEnv folder: its automatic mode, then policies over whole episodes.

``falsepass init FOLDER`` sets an audit up, with a task and its reference action for each of 25 seeds in tasks.json.
``falsepass audit`` would start ``python -m falsepass.runner`` in a throw-away environment that uv builds; the module is
started here instead, in an environment with the same packages. All probes, mutation search as its help advises, and
the gate of its GitHub Action. For tasks over several turns its documentation has the user write policies: the second
audit does (falsepass_policies), with the pair's solver as the solver and the pair's exploit among the exploits.
"""

from __future__ import annotations

import ast
import inspect
import json
import time
from collections.abc import Callable
from pathlib import Path

from falsepass import cli, report, runner

from .common import ROOT, Json, Pilot, Subject, forked

LIMIT_S = 900.0
AUDIT_S = 240.0
TASKS = 25
SEARCH = ["--search", "120"]
GATE = ["ceiling>0.1", "errors>0"]
HANDED = "pair_exploit"
INIT = '"""An environment of the zoo."""\n'
MANIFEST = """spec_version: 1
name: {name}
type: space
runtime: fastapi
app: server.app:app
port: 8000
"""
PROJECT = """[project]
name = "{name}"
version = "0.1.0"
requires-python = "==3.11.*"
dependencies = ["openenv=={openenv}"]
"""
APP = """from openenv.core.env_server.http_server import create_app

from server.environment import {action}, {case}, {observation}

app = create_app({case}, {action}, {observation}, env_name="{name}", max_concurrent_envs=8)
"""
ADAPTER = """import sys

sys.path[:0] = [{root!r}]
from benchmarks.rival_drivers.falsepass_policies import ZooAdapter

ADAPTER = ZooAdapter({pair!r}, {case!r}, {tasks})
"""


def source_of(subject: Subject, case: str) -> str:
    """The module of the pair without the other class and without solver and exploit, which are no part of it."""
    other = {"Defect": "Sound", "Sound": "Defect"}[case]
    left_out = {other, "solve", "exploit", "ALSO", "OPTIONS", "READS_STATE", "WITNESS"}
    tree = ast.parse(Path(inspect.getfile(subject.cls)).read_text())
    tree.body = [node for node in tree.body if not names_in(node) & left_out]
    return ast.unparse(tree)


def names_in(node: ast.stmt) -> set[str]:
    """What a statement of a module names: a class, a function, or what is assigned to."""
    targets = getattr(node, "targets", [getattr(node, "target", None)])
    return {getattr(node, "name", ""), *(getattr(target, "id", "") for target in targets)}


def lay_out(subject: Subject, case: str, folder: Path) -> Path:
    """The OpenEnv folder of one class."""
    from importlib.metadata import version

    name = f"{subject.pair.name}_{case}".lower()
    base = Path(inspect.getfile(subject.cls)).with_name("_base.py")
    fields = {
        "action": subject.action.__name__,
        "observation": subject.observation.__name__,
        "name": name,
    }
    files = {
        "__init__.py": INIT,
        "openenv.yaml": MANIFEST.format(name=name),
        "pyproject.toml": PROJECT.format(name=name, openenv=version("openenv")),
        "server/__init__.py": INIT,
        "server/_base.py": base.read_text(),
        "server/environment.py": source_of(subject, case),
        "server/app.py": APP.format(case=case, **fields),
    }
    for place, text in files.items():
        (folder / "env" / place).parent.mkdir(parents=True, exist_ok=True)
        (folder / "env" / place).write_text(text)
    return folder / "env"


def tasks_of(subject: Subject) -> list[Json]:
    """Reset options and the solver's first action; as plain text where it is the action's one free text."""
    schema = subject.action.model_json_schema()["properties"]
    tasks = []
    for seed in range(TASKS):
        action = Pilot(subject.pair.solve).act(subject.start(seed)[1])
        (first, value), *more = action.items()
        plain = (
            not more
            and isinstance(value, str)
            and schema[first].get("type") == "string"
            and "enum" not in schema[first]
        )
        tasks.append(
            {**subject.pair.options, "seed": seed, "answer": value if plain else json.dumps(action)}
        )
    return tasks


def audited(job: Callable[[], int | None], place: Path, log: Path) -> Json:
    """Run an audit and read what it left: the digest that ``falsepass results --json`` prints, and the gate."""
    code, printed = forked(job, log, AUDIT_S)
    if not (place / "probe-results.json").is_file():
        stopped = place / "stopped.md"
        lines = printed.strip().splitlines() or [f"exit code {code}"]
        why = stopped.read_text().strip().splitlines()[-1] if stopped.is_file() else lines[-1]
        return {"stopped": "out of time" if code is None else why[:300]}
    payload = json.loads((place / "probe-results.json").read_text())
    untold = {**payload, "results": [row for row in payload["results"] if row["variant"] != HANDED]}
    return {"told": read(payload), "untold": read(untold)}


def read(payload: Json) -> Json:
    """What a run says: leads, as ``falsepass results --json`` counts them, and the conditions of the gate it fails."""
    digest = report.digest(payload)
    return {
        "inconclusive": digest.get("reason", "")[:200],
        "leads": len(digest["failing"]) + len(digest.get("facts_that_hold", [])),
        "failing": sorted({row["probe"] for row in payload["results"] if not row["passed"]}),
        "gate": report.gate(payload["results"], GATE),
    }


def automatic(subject: Subject, source: Path, folder: Path) -> Json:
    """``init`` and ``audit`` as in its quick start, with reference answers."""
    place = folder / "audits" / "automatic"
    words = ["init", str(source), "--dir", str(folder / "audits"), "--name", "automatic", "--force"]
    code, printed = forked(lambda: cli.main(words), folder / "init.log", AUDIT_S)
    if code != 0:
        return {"stopped": (printed.strip().splitlines() or [f"exit code {code}"])[-1][:300]}
    (place / "tasks.json").write_text(json.dumps(tasks_of(subject), indent=1))
    gate = [word for condition in GATE for word in ("--fail-on", condition)]
    asked = [str(place), "-n", str(TASKS), *SEARCH, *gate]
    return audited(lambda: runner.main(asked), place, folder / "automatic.log")


def policies(subject: Subject, case: str, source: Path, folder: Path) -> Json:
    """The audit with an adapter of policies, as its documentation advises for games and simulations."""
    place = folder / "audits" / "policies"
    place.mkdir(parents=True, exist_ok=True)
    (place / "env.toml").write_text(
        f'[env]\nid = "zoo"\nframework = "openenv"\nsource = {json.dumps(str(source))}\n'
    )
    (place / "adapter.py").write_text(
        ADAPTER.format(root=str(ROOT), pair=subject.pair.name, case=case, tasks=TASKS)
    )
    return audited(
        lambda: runner.main([str(place), "-n", str(TASKS)]), place, folder / "policies.log"
    )


def drive(name: str, case: str, folder: Path) -> Json:
    """Audit one class in both ways; see :mod:`benchmarks.rivals` for the answer's fields."""
    subject = Subject.load(name, case)
    began = time.monotonic()
    source = lay_out(subject, case, folder)
    runs = {
        "automatic": automatic(subject, source, folder),
        "policies": policies(subject, case, source, folder),
    }
    ran = [run for run in runs.values() if "stopped" not in run]
    first = runs["automatic"]
    concluded = "stopped" not in first and not first["told"]["inconclusive"]
    decisive = first if concluded else runs["policies"]
    flags = {}
    for told in ("told", "untold"):
        said = decisive.get(told, {"gate": [], "leads": 0})
        flags[f"alarm_{told}"] = bool(said["gate"] or said["leads"])
        flags[f"gate_{told}"] = bool(said["gate"])
    return {
        "flags": flags,
        "taken": bool(ran),
        "why": None if ran else "; ".join(run["stopped"] for run in runs.values()),
        "detail": {"decisive": "automatic" if concluded else "policies", **runs},
        "seconds": round(time.monotonic() - began, 1),
    }
