"""What a package needs, and where it is installed; an install that fails leaves nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from gonogo.env.install import (
    asks_for_openenv,
    beside_ours,
    declared,
    install,
    interpreter_of,
    place,
    reason_in,
    requirements,
    shared,
    tries,
)
from gonogo.errors import TargetError


def test_what_is_needed_comes_from_both_files_without_openenv_and_itself(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text(
        '[project]\nname = "a"\ndependencies = ["openenv-core[core]>=0.2", "b>=1"]'
    )
    (tmp_path / "requirements.txt").write_text(
        "b>=1\n# no\nc==2  # why\n-e .\nopenenv\n-r more.txt\n"
    )
    (tmp_path / "more.txt").write_text("openenv-extras\n")
    assert requirements(tmp_path) == ["b>=1", "c==2", "openenv-extras"]
    assert declared(tmp_path) == tmp_path / "pyproject.toml"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_list_is_read_as_its_first_bytes_say(encoding: str, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("b>=1\nopenenv-core\n", encoding=encoding)
    assert requirements(tmp_path) == ["b>=1"]
    assert asks_for_openenv(tmp_path)


@pytest.mark.parametrize(("held", "form"), [(b"\xff\xfeb", "UTF-16"), (b"b>=1\n\xe9\n", "UTF-8")])
def test_a_list_in_no_encoding_is_told(held: bytes, form: str, tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_bytes(held)
    with pytest.raises(TargetError, match=f"requirements.txt cannot be read: not {form}: byte "):
        install(tmp_path)


@pytest.mark.parametrize(
    ("files", "asks"),
    [
        ({}, True),  # nothing says what it needs
        ({"requirements.txt": "fastapi\n"}, False),
        ({"requirements.txt": "fastapi\nopenenv-core\n"}, True),
        (
            {"pyproject.toml": '[project]\nname = "openenv-mail"\ndependencies = ["fastapi"]'},
            False,
        ),
        (
            {
                "requirements.txt": "fastapi\n",
                "Dockerfile": "# OpenEnv\nFROM python\nRUN pip install \\\n  -r requirements.txt\n",
            },
            False,
        ),
        (
            {
                "requirements.txt": "fastapi\n",
                "server/Dockerfile": "FROM python\nRUN pip install \\\n  openenv\n",
            },
            True,
        ),
    ],
)
def test_openenv_is_asked_for_where_a_file_names_it_or_none_says_anything(
    files: dict[str, str], asks: bool, tmp_path: Path
) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text)
    assert asks_for_openenv(tmp_path) is asks


def test_another_need_has_another_place(tmp_path: Path) -> None:
    (tmp_path / "requirements.txt").write_text("b\n")
    before = place(tmp_path)
    (tmp_path / "requirements.txt").write_text("c\n")
    assert place(tmp_path) != before


def test_a_package_without_needs_has_no_interpreter(tmp_path: Path) -> None:
    assert install(tmp_path) is None
    assert declared(tmp_path) is None


def test_a_failed_install_is_one_line_and_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "env"
    folder.mkdir()
    (folder / "requirements.txt").write_text("this is no requirement\n")
    with pytest.raises(TargetError, match="--install: env: ") as caught:
        install(folder)
    assert "\n" not in str(caught.value)
    assert interpreter_of(folder) is None
    assert list((tmp_path / "cache" / "gonogo" / "venvs").iterdir()) == []


def test_an_interrupted_install_leaves_nothing(tmp_path: Path) -> None:
    folder = tmp_path / "env"
    folder.mkdir()
    (folder / "requirements.txt").write_text("toolz\n")
    cache = tmp_path / "cache"
    code = f"from pathlib import Path; from gonogo.env.install import install; install(Path({str(folder)!r}))"
    # Without uv, which is done before it can be interrupted.
    env = {**os.environ, "XDG_CACHE_HOME": str(cache), "PATH": str(tmp_path)}
    process = subprocess.Popen(
        [sys.executable, "-c", code], env=env, stderr=subprocess.PIPE, text=True
    )
    deadline = time.monotonic() + 60
    while not list(cache.rglob("site-packages/pip/_internal")) and time.monotonic() < deadline:
        time.sleep(0.02)
    process.send_signal(signal.SIGINT)
    assert "KeyboardInterrupt" in process.communicate(timeout=60)[1]
    assert list((cache / "gonogo" / "venvs").iterdir()) == []


@pytest.mark.parametrize("name", ["pyproject.toml", "requirements.txt"])
def test_needs_that_cannot_be_read_are_told(name: str, tmp_path: Path) -> None:
    if name.endswith("toml"):
        (tmp_path / name).write_text("[project\nname=")
    else:
        (tmp_path / name).mkdir()
    with pytest.raises(TargetError, match=f"--install: .*{name} cannot be read: ") as caught:
        install(tmp_path)
    assert "\n" not in str(caught.value)


def test_a_pin_that_openenv_does_not_fit_is_loosened_and_named() -> None:
    asked = ["pydantic==2.5.0", "numpy==1.20", "uvicorn[standard]==0.20", "-f wheels"]
    kept, loosened = beside_ours([*asked, f"fastapi=={shared()['fastapi']}"])
    assert loosened == ["pydantic==2.5.0", "uvicorn[standard]==0.20"]
    assert kept[:4] == ["pydantic", "numpy==1.20", "uvicorn[standard]", "-f wheels"]
    assert kept[4].startswith("fastapi==")


def test_files_that_contradict_each_other_are_tried_alone(tmp_path: Path) -> None:
    (tmp_path / "pyproject.toml").write_text('[project]\nname = "a"\ndependencies = ["b>=2"]')
    (tmp_path / "requirements.txt").write_text("b==1\n")
    assert [needed for _, needed in tries(tmp_path)] == [["b>=2", "b==1"], ["b>=2"], ["b==1"]]


@pytest.mark.parametrize(
    ("said", "reason"),
    [
        (
            "  × No solution found when resolving dependencies:\n  ╰─▶ Because you require b==1 and b>=2,\n"
            "      we can conclude that they are unsatisfiable.\n\n  hint: pre-releases",
            "Because you require b==1 and b>=2, we can conclude that they are unsatisfiable.",
        ),
        (
            "error: Request failed after 3 retries\n  Caused by: index.example does not answer",
            "index.example does not answer",
        ),
        (
            "ERROR: Could not find b\nERROR: No matching distribution found for b",
            "ERROR: No matching distribution found for b",
        ),
    ],
)
def test_the_reason_is_the_line_that_says_why(said: str, reason: str) -> None:
    assert reason_in(said) == reason
