"""Dockerfiles: those of OpenEnv's form are read, everything else is refused by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.errors import DockerfileUnread
from gonogo.submission.dockerfile import (
    CopyInstruction,
    RunInstruction,
    StartInstruction,
    Workdir,
    expand,
    ignored,
    read_dockerfile,
    system_packages,
)

SERVER = 'CMD ["uvicorn", "server.app:app", "--port", "8000"]\n'


def test_the_templates_dockerfile(echo: Path) -> None:
    builder, final = read_dockerfile((echo / "server" / "Dockerfile").read_text())
    assert (builder.name, builder.base) == ("builder", "ghcr.io/huggingface/openenv-base:latest")
    assert CopyInstruction((".",), "/app/env", None) in builder.steps
    assert RunInstruction("mv /app/env/.venv /app/.venv") in builder.steps
    assert CopyInstruction(("/app/.venv",), "/app/.venv", "builder") in final.steps
    assert Workdir("/app") in final.steps
    assert isinstance(final.steps[-1], StartInstruction)
    assert not any(
        "curl" in step.text for step in builder.steps if isinstance(step, RunInstruction)
    )


def test_comments_and_continued_lines() -> None:
    text = "FROM a\n# word\nRUN pip install \\\n  # in between\n  numpy\n" + SERVER
    assert read_dockerfile(text)[0].steps[0] == RunInstruction("pip install numpy")


@pytest.mark.parametrize(
    ("line", "named"),
    [
        ("USER nobody", "the instruction USER"),
        ("ADD https://example.org/x /x", "the instruction ADD"),
        ("RUN useradd someone", "calls useradd"),
        ("RUN pip install numpy && npm install", "calls npm"),
        ("RUN rm -rf ../x", "a path with .."),
        ("RUN echo $(whoami)", "a command within a command"),
        ("RUN <<EOF", "here-document"),
        ("RUN --mount=type=secret,id=x pip install x", "mounts what is no cache"),
        ("COPY --parents a b", "flag --parents"),
        ("COPY a", "names no place"),
        ('COPY "a b', "No closing quotation"),
        ("CMD [1, 2]", "is no list of texts"),
    ],
)
def test_what_is_not_carried_out_is_named(line: str, named: str) -> None:
    with pytest.raises(DockerfileUnread, match=named.replace("(", "\\(")):
        read_dockerfile(f"FROM a\n{line}\n{SERVER}")


@pytest.mark.parametrize("text", ["", "WORKDIR /app", "FROM a\nWORKDIR /app", "FROM a\nRUN x \\"])
def test_what_starts_nothing(text: str) -> None:
    with pytest.raises(DockerfileUnread):
        read_dockerfile(text)


def test_a_stage_may_be_started_as_the_earlier_one_that_it_begins_with() -> None:
    first, last = read_dockerfile(f"FROM a AS one\n{SERVER}FROM one\nWORKDIR /app\n")
    assert (last.base, last.steps) == (first.name, (Workdir("/app"),))
    with pytest.raises(DockerfileUnread, match="neither CMD nor ENTRYPOINT"):
        read_dockerfile(f"FROM a AS one\n{SERVER}FROM a\nWORKDIR /app\n")


def test_system_packages_are_named_and_left_out() -> None:
    text = "apt-get update && apt-get install -y --no-install-recommends git curl && pip install x"
    left, packages = system_packages(text)
    assert packages == ["git", "curl"]
    assert [part.strip() for part in left.split("&&")] == ["true", "true", "pip install x"]


def test_variables() -> None:
    assert expand("${A}/b:$B:${C:-d}:$E", {"A": "x", "B": "y"}) == "x/b:y:d:"


@pytest.mark.parametrize(
    ("name", "out"),
    [
        ("tests/a.py", True),
        ("a.pyc", True),
        ("b/c.pyc", True),
        ("a.py", False),
        ("keep.pyc", False),
    ],
)
def test_what_dockerignore_leaves_out(name: str, out: bool) -> None:
    assert ignored(name, ["# words", "", "tests/", "**/*.pyc", "!keep.pyc"]) is out
