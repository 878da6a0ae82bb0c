"""A reward upgraded that nobody here wrote: writes docs/reward/record.json and docs/reward.md.

    git clone https://github.com/meta-pytorch/OpenEnv
    python benchmarks/foreign_reward.py --environments OpenEnv/envs [--python PATH]
    python benchmarks/foreign_reward.py          only the page, from this record and those of benchmarks/reward.py

`gonogo audit` and `gonogo reward` run on OpenEnv's reasoning_gym by the command line, in a virtual environment with
what it asks for, gonogo and pytest: made as benchmarks/wild.py makes it, or given by its interpreter. Nothing of the
environment is kept here, and nothing of it is changed.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from foreign_reward_page import write_page
from wild import ENVIRONMENTS, command, commit_of, install, last_error, shortened, versions

from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.files import write_record
from gonogo.records.provenance import provenance, source_hash
from gonogo.records.reward import RewardReport

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
SCRATCH = ROOT / "runs" / "foreign_reward"
NAME = "reasoning_gym_env"
WORDS = (
    "--reset", "dataset_name=leg_counting", "--reset", "size=1",
    "--success", "score >= 1", "--reference", "benchmarks.wild_policies:leg_counting",
)  # fmt: skip
LIMIT_S = 1800.0
PACKAGES = ["reasoning-gym", "simpleeval"]


def station(name: str, python: Path, folder: Path, out: Path) -> Json:
    """Run one command; its exit code and seconds.

    Raises:
        SystemExit: It gave no verdict.
    """
    began = time.monotonic()
    words = [str(python), "-m", "gonogo", name, str(folder), "--out", str(out), *WORDS]
    if name == "reward":
        words.append("--without-theme")
    path = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    code, said = command(words, LIMIT_S, cwd=ROOT, env={**os.environ, "PYTHONPATH": path})
    if code not in (0, 1, 3):
        raise SystemExit(f"gonogo {name}: {last_error(said)}")
    print(f"gonogo {name}: exit code {code}", flush=True)
    return {"exit_code": code, "seconds": round(time.monotonic() - began, 1)}


def examine(environments: Path, python: Path | None, scratch: Path) -> Json:
    """Audit, upgrade, and what both left."""
    folder = (environments / NAME).resolve()
    if python is None:
        python = scratch / "venv" / "bin" / "python"
        wild = next(w for w in ENVIRONMENTS if w.name == NAME)
        setup = install(wild, folder, python.absolute())
        if setup["problem"]:
            raise SystemExit(setup["problem"])
        subprocess.run([str(python), "-m", "pip", "install", "--quiet", "pytest"], check=True)
    out = scratch / "run"
    shutil.rmtree(out, ignore_errors=True)
    commands = {name: station(name, python.absolute(), folder, out) for name in ("audit", "reward")}
    audit, upgraded = AuditReport.load(out), RewardReport.load(out)
    found = [finding.model_dump(mode="json") for finding in audit.findings]
    return {
        "environment": NAME,
        "commit": commit_of(folder),
        "source_hash": source_hash(folder),
        "words": list(WORDS),
        "packages_there": versions(python.absolute(), PACKAGES),
        "commands": commands,
        "map": ContractReport.load(out).reason,
        "findings": [{**f, "witness": shortened(f["witness"])} for f in found],
        "upgrade": upgraded.model_dump(
            include={
                "verdict", "reason", "before", "after", "sides", "flown", "tests", "reward_hash",
            }
        ),
        "components": [
            {
                "name": part.name,
                "weight": part.weight,
                "cases": len(part.cases),
                "guards": sorted({case.guard for case in part.cases}),
            }
            for part in upgraded.components
        ],
        **provenance(),
    }  # fmt: skip


def main() -> None:
    """Upgrade where the checkout is given; write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--environments", type=Path, help="folder envs of a checkout of OpenEnv")
    parser.add_argument("--python", type=Path, help="interpreter that has what it takes")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the run goes")
    parser.add_argument("--out", type=Path, default=DOCS, help="folder of reward.md and reward/")
    chosen = parser.parse_args()
    if chosen.environments is not None:
        if not (chosen.environments / NAME).is_dir():
            parser.error(f"--environments must hold {NAME}; {chosen.environments} does not")
        body = examine(chosen.environments, chosen.python, chosen.scratch.absolute())
        write_record(chosen.out / "reward" / "record.json", "foreign_reward", 1, body)
    print(write_page(chosen.out, ROOT / "benchmarks"))


if __name__ == "__main__":
    main()
