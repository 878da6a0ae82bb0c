"""Servers: one that plays, one that is not there, one that is no OpenEnv server."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gonogo.submission.check.execution import (
    address,
    dockerfile_of,
    look_at_image,
    look_at_space,
    look_at_submission,
)
from gonogo.submission.check.subject import Subject

Subjects = Callable[..., Subject]
PAGE = "https://huggingface.co/spaces/Some_One/echo.env"
SERVER = "https://some-one-echo-env.hf.space"


def test_the_address_of_a_page() -> None:
    assert address(PAGE) == address(f"{PAGE}/") == SERVER
    assert address(f"{SERVER}/") == SERVER


def test_a_space_that_plays(subject: Subjects, serve: Callable[..., str], echo: Path) -> None:
    answer = look_at_space(subject(check__space=serve(echo)))
    assert answer.word == "GO", answer.said
    assert "an episode at random flew" in answer.said


@pytest.mark.parametrize(("losses", "word"), [(1, "GO"), (9, "NO-GO")])
def test_a_first_episode_that_is_lost_is_said_and_flown_again(
    package: Path, subject: Subjects, serve: Callable[..., str], losses: int, word: str
) -> None:
    (file,) = (package / "server").glob("*_environment.py")
    line = "        self._reset_count += 1\n"
    fails = (
        "        from pathlib import Path\n"
        f"        with Path({str(package.parent / 'resets')!r}).open('a+') as resets:\n"
        "            resets.write('x')\n"
        "            resets.seek(0)\n"
        f"            assert len(resets.read()) > {losses}, 'still cold'\n"
    )
    text = file.read_text()
    assert text.count(line) == 1
    file.write_text(text.replace(line, line + fails))
    answer = look_at_space(subject(check__space=serve(package)))
    assert answer.word == word, answer.said
    assert ("the first was lost" in answer.said) == (word == "GO")
    assert "still cold" in answer.said


def test_a_space_that_does_not_answer(subject: Subjects) -> None:
    answer = look_at_space(subject(check__space="http://127.0.0.1:9", rollout__startup_s=2.0))
    assert answer.word == "NO-GO"
    assert "GET /health returns healthy status" in answer.said
    assert look_at_space(subject()).word == "NEEDS YOU"


def test_a_space_that_the_readme_links_is_asked_for(package: Path, subject: Subjects) -> None:
    (package / "README.md").write_text(f"[Space]({PAGE})\n")
    looked = subject()
    answer = look_at_space(looked)
    assert (answer.word, answer.command) == ("NEEDS YOU", f"{looked.command} --space {PAGE}")
    said = look_at_submission(looked).said
    assert said == "not known: where the Space is and which URL is submitted"


@pytest.mark.parametrize(
    ("submission", "word"),
    [(SERVER, "GO"), (f"{PAGE}/", "GO"), (f"{PAGE}2", "NO-GO"), (None, "NEEDS YOU")],
)
def test_the_submissions_url(subject: Subjects, submission: str | None, word: str) -> None:
    given = {} if submission is None else {"check__submission": submission}
    assert look_at_submission(subject(check__space=PAGE, **given)).word == word


def test_an_image_that_is_not_built(package: Path, subject: Subjects) -> None:
    looked = subject(check__quick=True)
    answer = look_at_image(looked)
    assert (answer.word, answer.command) == ("NEEDS YOU", looked.command)
    (package / "server" / "Dockerfile").unlink()
    assert dockerfile_of(package) is None
    assert look_at_image(subject()).word == "NO-GO"


def test_the_dockerfile_is_the_one_that_openenv_push_takes(package: Path) -> None:
    assert dockerfile_of(package) == package / "server" / "Dockerfile"
    (package / "Dockerfile").write_text("FROM x\n")
    assert dockerfile_of(package) == package / "Dockerfile"


def test_a_dockerfile_that_only_docker_carries_out(package: Path, subject: Subjects) -> None:
    file = package / "server" / "Dockerfile"
    file.write_text('FROM x\nUSER someone\nCMD ["true"]\n')
    answer = look_at_image(subject())
    assert answer.word in {"NEEDS YOU", "NO-GO"}  # Docker, where it is, has no image x
    assert "USER" in answer.said or "docker build" in answer.said
    if answer.word == "NEEDS YOU":
        said = f"docker build -t gonogo-check-echo-env -f {file} "
        assert str(answer.command).startswith(said)
