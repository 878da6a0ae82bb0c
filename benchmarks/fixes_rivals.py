"""falsepass and rl-envdoctor on a scorer of answers, each as its documentation says; benchmarks/fixes.py asks for it.

Both take a function of the reply, and rows with a prompt and a reference answer: falsepass a file of reward functions
in TRL's manner with its rows (``falsepass init rewards.py --dataset rows.jsonl``, then the audit with its mutation
search and the gate of its GitHub Action; its module is started directly, in place of the virtual environment that uv
would make), rl-envdoctor a ``FunctionTarget`` (``envdoctor scan target::target``). They get the side's own stored
answer; of a side that stores none, falsepass gets rows without that column, and rl-envdoctor the empty answer that is
the default of its ``Case``.

What a tool says is told as tags, so that one rule judges all: ``pays`` (a bad answer is paid), ``rejects`` (a good one
is not, or not more than an empty one), ``crashes`` (the scorer raises), ``nondeterministic``.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from field import read_json, watch

__all__ = ["RIVALS", "envdoctor_tags", "falsepass_tags", "scanned"]

Json = dict[str, Any]
RIVALS = {"falsepass": "0.11.0", "rl-envdoctor": "0.1.0"}
"""The tools and the versions that are measured."""
ROWS = 25
LIMIT_S = 300
GATE = ("ceiling>0.1", "errors>0")
SERIOUS = ("critical", "high")
"""Severities at which rl-envdoctor ends with an error, as it does by itself."""
CHECKS = {
    "exploit_pays_out": "pays",
    "grader_accepts_wrong": "pays",
    "empty_ties_correct": "pays",
    "completion_independent_reward": "pays",
    "prompt_leaks_answer": "pays",
    "judge_pays_for_tone": "pays",
    "invalid_reward": "pays",
    "baseline_sanity": "rejects",
    "reward_saturation": "rejects",
    "grader_crash": "crashes",
    "nondeterministic_reward": "nondeterministic",
}
"""Checks of rl-envdoctor by what they say; of the others none is about what is paid."""
ROWS_PROGRAM = """import json, sys

sys.path.insert(0, {folder!r})
from scorer import SIDE, stored_answer

with open("rows.jsonl", "w") as file:
    for number in range(min(SIDE.entries, {rows})):
        entry = SIDE.entry(number)
        row = {{"prompt": entry["question"], "number": number}}
        if (stored := stored_answer(entry)) is not None:
            row["answer"] = stored
        file.write(json.dumps(row) + "\\n")
"""
REWARDS = """import sys

sys.path.insert(0, {folder!r})
from scorer import SIDE


def scorer(completions, number, **kwargs):
    said = [each if isinstance(each, str) else each[0]["content"] for each in completions]
    return [SIDE.score(text, SIDE.entry(which)) for text, which in zip(said, number)]
"""
TARGET = """import json, sys

sys.path.insert(0, {folder!r})
from envdoctor import Case, FunctionTarget
from scorer import SIDE

rows = [json.loads(line) for line in open("rows.jsonl")]
cases = [
    Case(id=str(row["number"]), prompt=row["prompt"], answer=row.get("answer", ""), info={{"number": row["number"]}})
    for row in rows
]


def scorer(completion, case):
    return SIDE.score(completion, SIDE.entry(case.info["number"]))


target = FunctionTarget(scorer, cases, name="scorer")
"""


def falsepass_tags(payload: Json) -> tuple[list[str], list[str]]:
    """What falsepass found, and what of it fails its gate, as tags.

    Args:
        payload: Its ``probe-results.json``.
    """
    adapter = payload["meta"].get("adapter")
    said = adapter.get("validity", "ok") if isinstance(adapter, dict) else "ok"
    stopped = said.startswith("inconclusive")
    counted = [
        r for r in payload["results"] if not r.get("same_as_good") and not r.get("no_control")
    ]
    rows = [row for row in counted if row["answer_free"]] if stopped else counted
    failed = [row for row in rows if not row["passed"]]
    tags = {"rejects"} if stopped else set()
    tags |= {"pays" for row in failed if row["expected"] == "zero" and row["score"] is not None}
    tags |= {"rejects" for row in failed if row["expected"] == "full" and row["score"] is not None}
    tags |= {"nondeterministic" for row in failed if row["probe"] == "P11"}
    errors = any(row["errors"] for row in payload["results"])
    tags |= {"crashes"} if errors else set()
    paid = [row["score"] for row in rows if row["expected"] == "zero" and row["score"] is not None]
    gate = {"pays"} if paid and max(paid) > 0.1 else set()
    return sorted(tags), sorted(gate | ({"crashes"} if errors else set()))


def envdoctor_tags(report: Json) -> tuple[list[str], list[str]]:
    """What rl-envdoctor found, and what of it makes it end with an error, as tags.

    Args:
        report: What it writes with ``--json``.
    """
    known = [(CHECKS.get(each["check"]), each["severity"]) for each in report["findings"]]
    told = {tag for tag, _ in known if tag is not None}
    serious = {tag for tag, severity in known if tag is not None and severity in SERIOUS}
    return sorted(told), sorted(serious)


def scanned(tool: str, side: Path) -> Json:
    """One side of a pair, audited by one of the tools.

    Args:
        tool: One of :data:`RIVALS`.
        side: Folder of the side, with the scorer in ``env``.
    """
    began, place = time.monotonic(), side / tool
    place.mkdir(exist_ok=True)
    folder = str(side / "env")
    texts = {
        "rows.py": ROWS_PROGRAM.format(folder=folder, rows=ROWS),
        "rewards.py": REWARDS.format(folder=folder),
        "target.py": TARGET.format(folder=folder),
    }
    for name, text in texts.items():
        (place / name).write_text(text)
    python, bin_ = sys.executable, Path(sys.executable).parent
    audit = place / "audits" / "scorer"
    gate = [word for condition in GATE for word in ("--fail-on", condition)]
    if tool == "falsepass":
        init = ["init", "rewards.py", "--dataset", "rows.jsonl", "--func", "scorer"]
        places = ["--dir", str(place / "audits"), "--name", "scorer", "--force"]
        answer, tags = audit / "probe-results.json", falsepass_tags
        calls = [
            [str(bin_ / "falsepass"), *init, *places],
            [
                python,
                "-m",
                "falsepass.runner",
                str(audit),
                "-n",
                str(ROWS),
                "--search",
                "120",
                *gate,
            ],
        ]
    else:
        answer, tags = place / "report.json", envdoctor_tags
        scan = ["scan", "target::target", "--json", str(answer), "--n", str(ROWS)]
        calls = [[str(bin_ / "envdoctor"), *scan]]
    answer.unlink(missing_ok=True)
    said = ""
    for call in ([python, "rows.py"], *calls):
        path = {**os.environ, "PYTHONPATH": str(place), "PYTHONHASHSEED": "0"}
        seen = watch(call, LIMIT_S, cwd=place, env=path)
        said = seen.said
        if seen.code is None:
            said = f"no answer within {LIMIT_S} s"
            break
    record = read_json(answer)
    found, serious = tags(record) if record else ([], [])
    return {
        "taken": bool(record),
        "why_not": None if record else " ".join(said.split())[-300:],
        "tags": found,
        "gate": serious,
        "seconds": round(time.monotonic() - began, 1),
    }
