"""reward-contract-fuzzer on one class, by its command line: a contract for a seed, and for another if that was clean.

Exact mode first. Where the tool says that it cannot audit exactly (too many states, or out of time), its sampled
mode, over a Gymnasium environment whose observations are the zoo's as text, at the documented search budget.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from rcfuzz import cli

from .common import ROOT, Json, Subject, forked
from .rcfuzz_env import contract
from .rcfuzz_gym import actions_of

SEEDS = (0, 1)
VIEWS = ("shown", "held", "exact")
CLOSE = 1e-6
FLAGGED, CLEAN = "exploit-found", "no-exploit-found"
EXACT_S, SAMPLED_S = 8.0, 180.0
LIMIT_S = 900.0
HEADER = f"import sys\nsys.path[:0] = [{str(ROOT)!r}]\n"
EXACT_MODULE = """from benchmarks.rival_drivers.common import Subject
from benchmarks.rival_drivers.rcfuzz_env import contract
ACTIONS, INTENDED, ZooEnv, HOW = contract(Subject.load({name!r}, {case!r}), {seed}, {view!r})
"""
SAMPLED_MODULE = """from benchmarks.rival_drivers.rcfuzz_gym import register
register({name!r}, {case!r})
"""
POLICY_MODULE = "from benchmarks.rival_drivers.rcfuzz_gym import act\n"


def audit(folder: Path, asked: Json, cpu_s: float) -> tuple[Json | None, str]:
    """Run the tool on a contract; its JSON report, or None and why not."""
    (folder / "contract.json").write_text(json.dumps(asked))
    (folder / "report.json").unlink(missing_ok=True)
    words = [
        "audit",
        str(folder / "contract.json"),
        "--json",
        str(folder / "report.json"),
        "--out",
        str(folder / "report.md"),
    ]
    code, printed = forked(lambda: cli.main(words), folder / "tool.log", cpu_s)
    if code is None:
        return None, f"out of time after {cpu_s:.0f} processor seconds"
    if not (folder / "report.json").is_file():
        return None, (printed.strip().splitlines() or [f"exit code {code}"])[-1][:300]
    report: Json = json.loads((folder / "report.json").read_text())
    return report, ""


def replay(subject: Subject, seed: int, actions: list[str]) -> float:
    """What the tool's best actions earn in the environment itself."""
    environment, _ = subject.start(seed)
    total = 0.0
    for action in actions:
        if environment.success is not None:
            break
        total += float(environment.step(subject.action.model_validate_json(action)).reward)
    return total


def exact(subject: Subject, case: str, seed: int, folder: Path) -> Json:
    """One seed's exact audit, in the coarsest view of the state that a replay confirms."""
    why = ""
    script, earned = subject.episode(subject.pair.solve, seed)
    for view in VIEWS:
        module = EXACT_MODULE.format(name=subject.pair.name, case=case, seed=seed, view=view)
        (folder / "env.py").write_text(HEADER + module + f"HORIZON = {subject.cls.HORIZON}\n")
        asked = {
            "name": f"{subject.pair.name}-{case}-{seed}",
            "env": {"type": "stateful", "module": "env.py", "horizon": subject.cls.HORIZON},
            "intended_actions": [json.dumps(action, sort_keys=True) for action in script],
        }
        report, why = audit(folder, asked, EXACT_S)
        if report is None:  # a finer view has only more states
            break
        if is_confirmed(subject, seed, report, earned):
            kept = ("verdict", "intended_return", "optimal_return", "margin_required", "degenerate")
            return {"seed": seed, "view": view, **{name: report[name] for name in kept}}
    return {
        "seed": seed,
        "verdict": None,
        "why": why or "no view of the state is confirmed by a replay",
    }


def is_confirmed(subject: Subject, seed: int, report: Json, earned: float) -> bool:
    """Whether both the solver and the tool's best actions earn in the environment what the tool says."""
    replayed = replay(subject, seed, report["optimal_actions"])
    found = (report["intended_return"] - earned, report["optimal_return"] - replayed)
    return all(abs(gap) < CLOSE for gap in found)


def sampled(name: str, case: str, horizon: int, folder: Path) -> Json:
    """The black-box audit, over seeds."""
    (folder / "rcfuzz_zoo.py").write_text(HEADER + SAMPLED_MODULE.format(name=name, case=case))
    (folder / "policy.py").write_text(HEADER + POLICY_MODULE)
    sys.path.insert(0, str(folder))
    asked = {
        "name": f"{name}-{case}-sampled",
        "mode": "sampled",
        "env": {
            "type": "gymnasium",
            "id": "rcfuzz_zoo:Zoo-v0",
            "action_names": actions_of(name, case),
            "horizon": horizon,
        },
        "intended_policy": {"module": "policy.py"},
        "search": {"episodes_per_candidate": 200, "budget": 60_000, "verify_episodes": 2000},
    }
    report, why = audit(folder, asked, SAMPLED_S)
    if report is None:
        return {"verdict": None, "why": why}
    kept = ("verdict", "intended_mean", "candidate_mean", "gap_ci", "margin_required", "degenerate")
    return {field: report[field] for field in (*kept, "episodes_spent")}


def drive(name: str, case: str, folder: Path) -> Json:
    """Audit one class; see :mod:`benchmarks.rivals` for the answer's fields."""
    subject = Subject.load(name, case)
    began = time.monotonic()
    how = contract(subject, SEEDS[0], "exact")[3]
    exacts = [exact(subject, case, SEEDS[0], folder)]
    if (
        exacts[0]["verdict"] == CLEAN
    ):  # flagged is flagged; what cannot be audited will not be with another seed
        exacts.append(exact(subject, case, SEEDS[1], folder))
    detail: Json = {"actions": how, "exact": exacts}
    verdicts = [found["verdict"] for found in exacts]
    if None in verdicts:
        detail["sampled"] = sampled(name, case, subject.cls.HORIZON, folder)
        verdicts.append(detail["sampled"]["verdict"])
    flagged = FLAGGED in verdicts
    reasons = [found.get("why", "") for found in [*exacts, detail.get("sampled", {})]]
    return {
        "flags": {"alarm": flagged, "alarm_in_scope": flagged and how == "all actions"},
        "taken": any(verdict is not None for verdict in verdicts),
        "why": next(filter(None, reasons), None),
        "detail": detail,
        "seconds": round(time.monotonic() - began, 1),
    }
