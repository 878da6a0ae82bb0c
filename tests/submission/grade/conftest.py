"""Records that any check's grader is run on; environments of the zoo as packages, after map, audit and grade."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from openenv.validation import NormalizedManifest, Subject
from tests.submission.grade import sound
from tests.submission.grade.sound import BY_ID, Json

from gonogo import config
from gonogo.auditing import audit
from gonogo.contract import check_env as mapping
from gonogo.records.audit import AuditReport
from gonogo.records.files import write_record
from gonogo.records.provenance import source_hash
from gonogo.records.record import Verdict
from gonogo.submission.grade import report as grade


@pytest.fixture
def judge(tmp_path: Path) -> Callable[..., Any]:
    """Run a check's grader on records; its result."""
    root, outputs = tmp_path / "package", tmp_path / "run"
    root.mkdir()
    (root / "policies.py").write_text("")

    def run(check: str, written: Json, declared: NormalizedManifest | None = None) -> Any:
        for kind, body in written.items():
            record = {**body, "source_hash": source_hash(root)}
            version = {"audit": AuditReport.version}.get(kind, 1)
            write_record(outputs / f"{kind}.json", kind, version, record)
        subject = Subject(root, declared or sound.manifest(), None, None, outputs)
        return BY_ID[check].run(subject)

    return run


ZOO = Path(__file__).parents[2] / "zoo"
RESET = {"episode_id": "canary", "seed": 3}
LITTLE = {"map.steps": 4, "map.seeds": 2, "map.tasks": 1, "audit.seeds": 4, "audit.search": 0}

APP = '''\
"""A class of the zoo behind OpenEnv's server."""

from typing import get_args

from openenv.core.env_server.http_server import create_app

from {module} import {name} as Case

pairs = (get_args(base) for c in Case.__mro__ for base in getattr(c, "__orig_bases__", ()))
action, observation = next(p for p in pairs if len(p) > 1 and all(isinstance(a, type) for a in p))[:2]
app = create_app(Case, action, observation, env_name="packed", max_concurrent_envs=8)
'''
POLICIES = '''\
"""The zoo's solver, as a policy of the package."""

from gonogo.env.worker.functions import serve

serve("policy", ["{module}:solve"])
'''


@pytest.fixture(scope="module")
def zoo_path() -> Iterator[None]:
    """Packages import the zoo's modules by name; for no longer than a module of tests, or others would too."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(ZOO))
        yield


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory, zoo_path: None) -> Callable[..., Path]:
    """Make a package of ``module:Class``; what is declared otherwise replaces a section's fields."""

    def make(case: str, canaries: Sequence[list[Json]] = (), **declared: Json) -> Path:
        module, _, name = case.partition(":")
        if canaries:
            told = {"canaries": "validation/canaries", **declared.get("capabilities", {})}
            declared["capabilities"] = told
        folder = tmp_path_factory.mktemp("package") / "packed"
        for file, text in (
            ("server/app.py", APP.format(module=module, name=name)),
            ("validation/policies.py", POLICIES.format(module=module)),
            ("openenv.yaml", yaml.safe_dump(manifest(declared))),
        ):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / file).write_text(text)
        for number, actions in enumerate(canaries):
            plan = {"plan_schema_version": "1", "reset": RESET, "actions": actions}
            file = folder / "validation" / "canaries" / f"{number}.json"
            file.parent.mkdir(exist_ok=True)
            file.write_text(json.dumps(plan))
        return folder

    return make


def manifest(declared: Json) -> Json:
    """A manifest that OpenEnv accepts."""
    sections: Json = {
        "reward": {"range": [0.0, 1.0], "oracle_tolerance": 0.1, "floor_margin": 0.1},
        "resources": {"cpu": 1.0, "memory_mb": 1024, "disk_mb": 64, "episode_timeout_s": 60.0},
        "capabilities": {
            "oracle": {"form": "script", "location": "validation/policies.py"},
            "verifier": {"kind": "reward_channel"},
        },
        "types": {"tags": ["zoo"]},
        "policies": {"script": "validation/policies.py", "names": ["solve"]},
    }
    validation = {name: {**fields, **declared.get(name, {})} for name, fields in sections.items()}
    return {"name": "packed", "app": "server.app:app", "validation": validation}


Graded = tuple[Verdict, dict[str, Json]]


@pytest.fixture(scope="module")
def graded(tmp_path_factory: pytest.TempPathFactory) -> Callable[..., Graded]:
    """Map, audit and grade a package; the verdict and the report's results by id."""

    def run(folder: Path, **fields: Any) -> Graded:
        out = tmp_path_factory.mktemp("run")
        plan = config.load(None, {"target": str(folder), "out": str(out), **LITTLE, **fields})
        mapping.run(plan)
        audit.run(plan)
        verdict = grade.run(plan)
        report = json.loads((out / grade.REPORT).read_text())
        return verdict, {result["check_id"]: result for result in report["results"]}

    return run
