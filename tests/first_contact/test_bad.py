"""``bad``: repositories of strangers that cannot be opened, each in one line that says what to do, with its exit code."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from gonogo.cli import main

HERE = Path(__file__).parent / "bad"
MOST_S = 600.0
"""Seconds that any of them may take, on a machine that does many other things too: none may hang."""

Said = tuple[int, str]
Asked = Callable[..., Said]

UNOPENED = {
    "no_variable": "no instance could be made: it needs the variable MAILROOM_API_KEY: set it, and give "
    "--env MAILROOM_API_KEY (env.py:6)",
    "no_module": "no instance could be made: the module 'mailroom_index' is not installed here (env.py:3): install it, "
    "as by pip install mailroom_index",
    "exits": "app.py: it ends its process by sys.exit(1) (app.py:10); it last printed: set MAILROOM_MODEL first; it "
    "needs the variable MAILROOM_MODEL: set it, and give --env MAILROOM_MODEL",
    "exits_hard": "reading its code ended its process, which exited with code 7; it last printed: set MAILROOM_MODEL "
    "first; it needs the variable MAILROOM_MODEL: set it, and give --env MAILROOM_MODEL",
    "crashes": "reading its code ended its process, which was ended by SIGSEGV (app.py:7)",
    "exits_when_made": "no instance could be made: it ends its process by sys.exit('bye') (env.py:7); it last "
    "printed: no licence was found",
    "needs_arguments": "env.py: Mailroom cannot be made without arguments, it takes config: write a function without "
    "any that returns one, and give package.module:function",
}
"""What is said of each that is misuse, without the folder before it and the traceback's file after it."""


@pytest.fixture
def asked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> Iterator[Asked]:
    """Runs a command on a copy of a folder: the exit code, and what was said of it. Nothing may be left of it."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)

    def ask(command: str, name: str, *flags: str) -> Said:
        folder = tmp_path / name
        if not folder.exists() and (HERE / name).exists():
            shutil.copytree(HERE / name, folder)
        before, began = listed(folder), time.monotonic()
        out = str(tmp_path / "out")
        monkeypatch.setattr("sys.argv", ["gonogo", command, name, "--out", out, *flags])
        with pytest.raises(SystemExit) as ended:
            main()
        said = capfd.readouterr()
        assert time.monotonic() - began < MOST_S
        assert "Traceback" not in said.out + said.err
        assert listed(folder) == before
        assert running_in(folder) == []
        return int(ended.value.code or 0), said.out + said.err

    yield ask


def listed(folder: Path) -> dict[str, bytes]:
    """The files of a folder, with what they hold."""
    return {str(p): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


def running_in(folder: Path) -> list[int]:
    """Processes that work in a folder."""
    found = []
    for each in Path("/proc").iterdir():
        if not each.name.isdigit():
            continue
        try:
            place = Path(os.readlink(each / "cwd"))
        except OSError:  # ended meanwhile, or somebody else's
            continue
        if place.is_relative_to(folder):
            found.append(int(each.name))
    return found


@pytest.mark.parametrize(
    ("command", "name"), [*(("map", name) for name in UNOPENED), ("audit", "no_variable")]
)
def test_what_cannot_be_opened_is_one_line_and_misuse(
    asked: Asked, tmp_path: Path, command: str, name: str
) -> None:
    code, said = asked(command, name)
    lines = [line for line in said.splitlines() if line.startswith("gonogo: ")]
    assert code == 2
    told = lines[-1].removeprefix(f"gonogo: {tmp_path / name} cannot be opened: ")
    assert told.partition("; traceback: ")[0] == UNOPENED[name]


def test_one_whose_code_hangs_says_where_and_which_flag(asked: Asked, tmp_path: Path) -> None:
    code, said = asked("map", "hangs", "--startup-s", "3")
    line = said.splitlines()[-1]
    assert code == 3
    assert line.startswith(
        f"gonogo: {tmp_path / 'hangs'}: not loaded within 3 s, and is at app.py:7; traceback: "
    )
    assert line.endswith(
        "; if it needs longer to start, give --startup-s (rollout.startup_s in a config)"
    )


@pytest.mark.parametrize(
    ("name", "needed"),
    [
        (
            "no_variable_in_reset",
            "it needs the variable MAILROOM_API_KEY: set it, and give --env MAILROOM_API_KEY",
        ),
        ("no_module_in_reset", "give --install, which installs what requirements.txt names"),
    ],
)
@pytest.mark.parametrize("command", ["map", pytest.param("audit", marks=pytest.mark.long)])
def test_a_reset_that_needs_what_is_not_there_is_a_hold_that_says_what(
    asked: Asked, command: str, name: str, needed: str
) -> None:
    code, said = asked(command, name)
    assert code == 3
    assert needed in " ".join(said.split())
    assert "--reset NAME=VALUE" not in said


def test_a_function_that_makes_an_environment_is_a_target(asked: Asked, tmp_path: Path) -> None:
    made = "from needs_arguments.env import Mailroom\n\n\ndef make():\n    return Mailroom({})\n"
    shutil.copytree(HERE / "needs_arguments", tmp_path / "needs_arguments")
    (tmp_path / "making.py").write_text(made)
    code, said = asked("map", "making:make")
    assert code in {0, 1}
    assert "cannot be opened" not in said


def test_a_rollout_says_why_its_episodes_were_lost(asked: Asked) -> None:
    flags = ("--policies", "idle", "--episodes", "2")
    code, said = asked("rollout", "no_module_in_reset", *flags)
    assert code == 3
    assert "idle: 2 of 2 episodes lost; the commonest reason: reset raised: No module named" in " ".join(said.split())


def test_an_app_that_is_a_link_out_of_the_folder_is_explained(
    asked: Asked, tmp_path: Path
) -> None:
    (tmp_path / "linked").mkdir()
    (tmp_path / "linked" / "app.py").symlink_to(HERE / "exits" / "app.py")
    code, said = asked("map", "linked")
    assert code == 2
    mend = "a link out of the folder; copy the file that it names into the folder"
    assert said.splitlines()[-1].endswith(f"linked cannot be opened: app.py cannot be read: {mend}")
