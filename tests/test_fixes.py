"""The pairs of fixes are laid out as they were, and judged by the rule that was frozen with their labels."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from benchmarks import fixes, fixes_page, fixes_rivals

from gonogo.records.findings import FINDINGS

Json = dict[str, Any]
FROZEN, PAIRS = fixes.pairs_of()
AS_FROZEN = "a9f5fd45f7810271bd854933b143a237a809353477c52198fcda7e837472f973"
"""Of rules and labels in the commit that froze them, 23d18914."""


def side(*names: str, suspicious: bool = False) -> Json:
    """A side with findings."""
    severity = fixes_page.SUSPICIOUS if suspicious else "contract"
    found = [{"id": each, "names": [each], "severity": severity} for each in names]
    return {"verdict": "NO_GO" if names else "GO", "findings": found, "seconds": 1.0, "why_not": ""}


def answer(before: Json, after: Json) -> Json:
    """Both sides."""
    return {"gonogo": "0" * 40, "lacking": [], "before": before, "after": after}


def test_rules_and_labels_are_those_that_were_frozen() -> None:
    names = ("name", "repository", "before", "after", "file", "kind", "wrong")
    labels = [[str(pair[name]) for name in names] for pair in PAIRS]
    told = json.dumps([FROZEN["rule"], FROZEN["found"], FROZEN["success"], labels])
    assert hashlib.sha256(told.encode()).hexdigest() == AS_FROZEN


def test_every_frozen_pair_has_a_kind_that_is_judged() -> None:
    assert len({pair["name"] for pair in PAIRS}) == len(PAIRS) >= 40
    assert {pair["kind"] for pair in PAIRS} <= fixes_page.FOUND.keys() == fixes_page.TAGS.keys()
    assert {pair["repository"] for pair in PAIRS} <= FROZEN["repositories"].keys()
    assert fixes_page.REWARD.union(*fixes_page.FOUND.values()) <= FINDINGS.keys()


@pytest.mark.parametrize(
    ("kind", "before", "after", "expected"),
    [
        ("crashes", side("action_raises"), side(), (True, False)),
        ("crashes", side("seed_ignored"), side(), (False, False)),
        ("crashes", side("constant_answer_pays"), side(), (True, False)),
        ("crashes", side("constant_answer_pays"), side("constant_answer_pays"), (False, False)),
        ("accepts", side("constant_answer_pays"), side("constant_answer_pays"), (True, True)),
        ("rejects", side("unreachable_reward", suspicious=True), side(), (False, False)),
        ("nondeterministic", side(), side("process_dependent"), (False, True)),
    ],
)
def test_a_label_is_found_as_the_frozen_rule_says(
    kind: str, before: Json, after: Json, expected: tuple[bool, bool]
) -> None:
    both = answer(before, after)
    assert (fixes_page.named(kind, both), fixes_page.accused(kind, both)) == expected


def test_the_page_counts_what_is_on_record() -> None:
    chosen = [next(p for p in PAIRS if p["kind"] == kind) for kind in ("crashes", "rejects")]
    right = answer(side("action_raises"), side())
    tags = {"taken": True, "why_not": None, "tags": ["crashes"], "gate": [], "seconds": 1.0}
    clean = {**tags, "tags": []}
    runs = [
        {
            "told": right,
            "falsepass": {"gonogo": None, "lacking": [], "before": tags, "after": clean},
        },
        {"told": answer(side(), {**side(), "verdict": None, "why_not": "no package | here"})},
    ]
    rows = [
        {"name": pair["name"], "scorer": True, "runs": run}
        for pair, run in zip(chosen, runs, strict=True)
    ]
    text = fixes_page.page({"pairs": rows}, FROZEN)
    assert "| 1 of 2 | 1 of 1: 1.00 (0.21 to 1.00) | 0 of 1: 0.00 (0.00 to 0.79) |" in text
    assert "| falsepass 0.11.0, anything that it says | 1 | 1 of 1: 1.00" in text
    assert "| falsepass 0.11.0, what fails its own gate | 1 | 0 of 1: 0.00" in text
    assert f"- {chosen[1]['name']}, told, after: no package \\| here" in text
    assert "Nothing is on record yet" in fixes_page.page(None, FROZEN)


def test_pairs_run_in_an_order_that_is_drawn_and_environments_are_told_nothing() -> None:
    order = fixes.drawn(PAIRS)
    assert order == fixes.drawn(PAIRS) != PAIRS
    assert {pair["name"] for pair in order} == {pair["name"] for pair in PAIRS}
    scorer = next(pair for pair in PAIRS if pair["driver"] in fixes.SCORERS)
    other = next(pair for pair in PAIRS if pair["driver"] not in fixes.SCORERS)
    assert fixes.asked(scorer, ["told", "falsepass"], {"told": {}}) == ["falsepass"]
    assert fixes.asked(other, ["told"], {}) == ["alone"]
    assert fixes.asked(other, ["told"], {"alone": {}}) == []
    assert fixes.asked(other, ["falsepass"], {}) == []


def test_all_are_compared_on_the_scorers_that_each_came_to_an_end_with() -> None:
    told = answer(side("action_raises"), side())
    tags = {"taken": True, "why_not": None, "tags": [], "gate": [], "seconds": 1.0}
    took = {"gonogo": None, "lacking": [], "before": tags, "after": tags}
    lost = {**took, "after": {**tags, "taken": False}}
    rows = [
        {"name": name, "scorer": True, "runs": runs}
        for name, runs in {
            "all": {"told": told, "falsepass": took},
            "refused": {"told": told, "falsepass": lost},
            "not asked": {"told": told},
            "not told": {"falsepass": took},
        }.items()
    ]
    assert [row["name"] for row in fixes_page.of_all(rows)] == ["all"]
    named_so = {"pairs": [{"name": "all", "kind": "crashes"}]}
    short = fixes_page.in_short({"pairs": rows[:1]}, named_so)
    assert "Of their faults gonogo names 1 of 1: 1.00 (0.21 to 1.00)" in short
    assert "falsepass 0.11.0, what fails its own gate, names 0 of 1: 0.00" in short
    assert "rl-envdoctor" not in short
    assert fixes_page.in_short({"pairs": []}, named_so) == fixes_page.in_short(None, named_so) == ""
    assert len(fixes_page.of_all(rows[2:3])) == 1


def test_what_was_looked_at_before_is_left_out_of_a_row() -> None:
    assert {pair["name"] for pair in PAIRS} >= fixes_page.LOOKED_AT
    runs = {"told": answer(side("action_raises"), side())}
    names = ["rubiks_cube-a6bf23e6", "boxnet-ff5407f7"]
    rows = [{"name": name, "scorer": True, "runs": runs} for name in names]
    rest = fixes_page.page({"pairs": rows}, FROZEN)
    assert "only pairs not looked at before | 1 of 1 | 1 of 1: 1.00" in rest


def test_the_page_says_what_was_given_up_and_what_the_budget_did_not_reach() -> None:
    some = {**side(), "limit_s": 600.0, "unreached": ["the search"], "exit_code": 0}
    lost = {**side(), "verdict": None, "limit_s": 150.0, "unreached": None, "exit_code": None}
    rows = [{"name": "all", "scorer": True, "runs": {"told": answer(some, lost)}}]
    text = fixes_page.circumstances({"pairs": rows, "machine": {"cpu_count": 2}}, 9)
    assert "Cores of the machine: 2." in text and "8 were not run" in text
    assert "given up, after 150 or 600 s: 1 of 2" in text
    assert "in so many of 1 audits: the search (1)." in text
    del lost["limit_s"]
    lost["why_not"] = "no verdict within 240 s"
    assert fixes_page.limit_of(lost) == ["240"] and fixes_page.limit_of(side()) == []
    rows = [{"name": "all", "scorer": True, "runs": {"told": answer(side(), side())}}]
    text = fixes_page.circumstances({"pairs": rows}, 9)
    assert "given up: 0 of 2" in text and text.endswith("did not reach is not on record.")


def test_an_audit_has_its_limit_and_what_it_did_not_reach_on_record(tmp_path: Path) -> None:
    (tmp_path / "before" / "tree").mkdir(parents=True)
    pair = {"driver": "gym", "file": "none.py", "class": "None"}
    told = fixes.audited(pair, "before", "alone", tmp_path, 60)
    assert (told["verdict"], told["limit_s"], told["unreached"]) == (None, 60, None)


def test_the_page_is_written_from_the_record() -> None:
    record = json.loads(fixes.RECORD.read_text()) if fixes.RECORD.is_file() else None
    assert fixes_page.PAGE.read_text() == fixes_page.page(record, FROZEN)


def test_tags_follow_from_what_the_others_say() -> None:
    row = {"answer_free": False, "passed": False, "expected": "zero", "score": 0.5, "errors": []}
    told = {**row, "probe": "P6"}
    payload = {"meta": {"adapter": {"validity": "ok"}}, "results": [told]}
    assert fixes_rivals.falsepass_tags(payload) == (["pays"], ["pays"])
    payload["meta"]["adapter"]["validity"] = "inconclusive: no control"
    assert fixes_rivals.falsepass_tags(payload) == (["rejects"], [])
    report = {
        "findings": [
            {"check": "grader_crash", "severity": "medium"},
            {"check": "exploit_pays_out", "severity": "critical"},
            {"check": "slow_grader", "severity": "low"},
        ]
    }
    assert fixes_rivals.envdoctor_tags(report) == (["crashes", "pays"], ["pays"])


SCORER = """import json
from dataclasses import dataclass


@dataclass
class Config:
    seed: int = 0
    size: int = 3


class Dataset:
    def __init__(self, config):
        self.config = config

    def __getitem__(self, number):
        answer = None if number == 2 else json.dumps([number])
        told = {"example_answer": "[2]"}
        return {"question": f"Which list holds {number} alone?", "answer": answer, "metadata": told}

    def score_answer(self, answer, entry):
        stored = entry["answer"] or entry["metadata"]["example_answer"]
        return READS(answer) == json.loads(stored)
"""
GUARDED = """

def READS(text):
    try:
        return json.loads(text)
    except ValueError:
        return None
"""
LOOK = """
import json
from scorer import SIDE, as_text, is_right, stored_answer

entries = [SIDE.entry(number) for number in range(3)]
print(json.dumps([
    [stored_answer(each) for each in entries],
    [is_right("[1]", each) for each in entries],
    [is_right("x", each) for each in entries],
    [as_text(((1, 2), (3, 4))), as_text((1, 2))],
]))
"""


def test_both_sides_are_laid_out_and_the_mended_one_says_what_is_right(tmp_path: Path) -> None:
    clones, place = tmp_path / "clones", tmp_path / "clones" / "them+scorers"
    file = place / "scorers" / "games" / "one.py"
    file.parent.mkdir(parents=True)
    git = ["git", "-C", str(place), "-c", "user.name=x", "-c", "user.email=x"]
    subprocess.run(["git", "init", "-q", str(place)], check=True)
    commits = []
    for text in (SCORER + "\n\nREADS = json.loads\n", SCORER + GUARDED):
        file.write_text(text)
        (place / "other").mkdir(exist_ok=True)
        (place / "other" / "big.py").write_text("")
        subprocess.run([*git, "add", "-A"], check=True)
        subprocess.run([*git, "commit", "-qm", "x"], check=True)
        head = subprocess.run([*git, "rev-parse", "HEAD"], capture_output=True, check=True)
        commits.append(head.stdout.decode().strip())
    pair = {
        "name": "one",
        "before": commits[0],
        "after": commits[1],
        "file": "scorers/games/one.py",
        "kind": "crashes",
        "driver": "dataset",
        "dataset": "Dataset",
        "settings": "Config",
    }
    work = tmp_path / "work"
    url = "https://github.com/them/scorers"
    assert fixes.made(pair, fixes.clone_of(clones, url), work) == []
    for each in fixes.SIDES:
        env = work / each / "env"
        assert not (env / "theirs" / "other").exists()
        assert "kind" not in json.loads((env / "pair.json").read_text())
        assert (work / each / "reference.py").is_file()
        seen = subprocess.run(
            [sys.executable, "-c", LOOK], cwd=env, capture_output=True, text=True, check=True
        )
        stored, right, wrong, grids = json.loads(seen.stdout)
        assert grids == ["1 2\n3 4", "(1, 2)"]
        assert stored == ["[0]", "[1]", "[2]"]
        assert right == [False, True, False]
        assert wrong == [False] * 3
    words, _, cwd = fixes.command_of(pair, work / "before", "told")
    assert words == ["env", *fixes.TOLD, *fixes.WITH_POLICY]
    assert cwd == work / "before"
    assert fixes.command_of(pair, work / "before", "alone")[0] == ["env"]


REMEMBER = """
import itertools
import json
from scorer import remembered

dear, unsteady = itertools.count(), itertools.count()
steady = remembered(lambda number: {"question": number, "told": [next(dear) * 0]})
other = remembered(lambda number: {"question": next(unsteady)})
first = steady(7)
first["told"].append("changed by who got it")
print(json.dumps([[steady(7) for _ in range(4)], next(dear), [other(7)["question"] for _ in range(4)]]))
"""


def test_a_question_that_is_the_same_twice_is_made_no_more_and_another_one_is(
    tmp_path: Path,
) -> None:
    shutil.copy(Path(fixes.__file__).with_name("fixes_scorer.py"), tmp_path / "scorer.py")
    (tmp_path / "theirs").mkdir()
    (tmp_path / "theirs" / "one.py").write_text("")
    pair = {
        "driver": "expression",
        "file": "one.py",
        "score": "1.0",
        "questions": [],
        "truth": None,
    }
    (tmp_path / "pair.json").write_text(json.dumps(pair))
    seen = subprocess.run(
        [sys.executable, "-c", REMEMBER], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    steady, made, unsteady = json.loads(seen.stdout)
    assert steady == [{"question": 7, "told": [0]}] * 4
    assert made == 2  # and not once for each of five questions
    assert unsteady == [0, 1, 2, 3]


def test_readings_stand_on_the_page_where_they_are_of_all_that_is_accused() -> None:
    name = next(pair["name"] for pair in PAIRS if pair["kind"] == "crashes")
    told, kinds = answer(side(), side("action_raises")), {name: "crashes"}
    rows = [{"name": name, "runs": {"told": told}}]
    read = [{key: "x" for key in fixes_page.READ_AS} | {"pair": name, "reading": "right"}]
    _, said, table = fixes_page.accusations(rows, kinds, read)
    assert said.endswith("1 right, 0 wrong, 0 adapter.") and name in table
    assert fixes_page.accusations(rows, kinds, []) == []
