"""The submission list: each box has a name of its own, a question, a reason, and a command that gonogo has."""

from __future__ import annotations

import re
from collections.abc import Callable

import typer.main

from gonogo.cli.commands import app
from gonogo.submission.check import run as station
from gonogo.submission.check.boxes import BOXES
from gonogo.submission.check.subject import Subject

Subjects = Callable[..., Subject]


def test_names_are_unique_and_commands_can_be_filled(subject: Subjects) -> None:
    assert len({box.name for box in BOXES}) == len(BOXES)
    for box in BOXES:
        assert "{" not in station.filled(box.command, subject())


def test_every_command_of_gonogo_that_a_box_names_is_there() -> None:
    named = {found for box in BOXES for found in re.findall(r"\bgonogo (\w+)", box.command)}
    assert {"map", "evaluate", "publish", "report", "train", "rollout", "reward"} <= named
    assert named <= typer.main.get_group(app).commands.keys()


def test_every_box_says_what_has_to_be_so_and_why() -> None:
    assert all(box.question and box.why and box.command for box in BOXES)
    assert len({box.question for box in BOXES}) == len({box.look for box in BOXES}) == len(BOXES)
