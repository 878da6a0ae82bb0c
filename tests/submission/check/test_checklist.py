"""The submission list from records to table: one row a box, each of its own, and no fault of one hides another."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
import typer.main

from gonogo import config
from gonogo.cli.commands import app
from gonogo.errors import Misuse
from gonogo.records.record import Verdict
from gonogo.records.submission import CheckReport
from gonogo.submission.check import checklist as station
from gonogo.submission.check.checklist import BOXES, LIST, LOOKS
from gonogo.submission.check.subject import Subject

Subjects = Callable[..., Subject]


def test_names_are_unique_and_commands_can_be_filled(subject: Subjects) -> None:
    assert BOXES.keys() == LOOKS.keys()
    assert len(set(LOOKS.values())) == len(LOOKS)
    assert LIST.count("- name: ") == len(BOXES)
    for box in BOXES.values():
        assert "{" not in station.filled(box.command, subject())


def test_every_command_of_gonogo_that_a_box_names_is_there() -> None:
    named = {
        found for box in BOXES.values() for found in re.findall(r"\bgonogo (\w+)", box.command)
    }
    assert {"map", "evaluate", "publish", "report", "train", "rollout", "reward"} <= named
    assert named <= typer.main.get_group(app).commands.keys()


def test_every_box_says_what_has_to_be_so_and_why() -> None:
    assert all(box.question and box.why and box.command for box in BOXES.values())
    assert len({box.question for box in BOXES.values()}) == len(BOXES)


def test_what_was_not_trained_is_trained_before_it_is_evaluated(subject: Subjects) -> None:
    looked = subject()
    box = BOXES["baseline"]
    assert station.filled(box.command, looked).startswith(f"gonogo train {looked.target} --out ")
    looked.run.out.mkdir()
    (looked.run.out / "train.json").write_text("{}")
    assert station.filled(box.command, looked).startswith("gonogo evaluate ")


def test_policies_are_named_once(subject: Subjects, gridworld: Path) -> None:
    box = BOXES["components"]
    words = station.filled(box.command, subject(target=str(gridworld))).split()
    names = words[words.index("--policies") + 1].split(",")
    assert len(set(names)) == len(names)
    assert {"idle", "random", "walker", "walker_careless"} <= set(names)
    assert "random_careless" not in names


def test_the_template_is_no_submission_and_every_box_says_why(subject: Subjects) -> None:
    looked = subject(check__quick=True)
    assert station.run(looked.run) is Verdict.NO_GO
    record = CheckReport.load(looked.run.out, looked.source)
    found = {row.name: row for row in record.boxes}
    assert list(found) == list(BOXES)
    assert found["manifest"].answer == found["base_class"].answer == "GO"
    assert found["contract"].command == f"gonogo map {looked.target} --out {looked.run.out}"
    assert all(row.command for row in found.values() if row.answer == "NEEDS YOU")
    page = (looked.run.out / station.PAGE).read_text()
    assert f"\n{found['contract'].command}\n" in page.partition("```sh\n")[2]


def test_faults_inside_of_boxes_are_their_answers(package: Path, subject: Subjects) -> None:
    (package / "README.md").write_bytes(b"\xff\xfe\x00")
    looked = subject(check__quick=True)
    looked.run.out.mkdir()
    (looked.run.out / "map.json").write_text("{}")
    (looked.run.out / "train.json").write_text(json.dumps({"schema": "gonogo/train/0"}))
    names = BOXES.keys() - {"release"}
    answers = {name: station.answer(BOXES[name], looked) for name in names}
    for name in ("sections", "links", "contract", "model"):
        assert answers[name].word == "NEEDS YOU", name
    assert "schema must be gonogo/train/1, not 'gonogo/train/0'" in answers["model"].said


def test_a_server_is_no_package(tmp_path: Path) -> None:
    run = config.load(None, {"target": "http://localhost:1", "out": str(tmp_path)})
    with pytest.raises(Misuse, match="give its folder"):
        station.run(run)
