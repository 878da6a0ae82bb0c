"""Folders that are whole or not there: torn, changed and planted ones are left out, and a kill leaves none."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from gonogo.errors import Misuse
from gonogo.models.checkpoints import (
    MANIFEST,
    copy_folder,
    finish_folder,
    flaw,
    last_checkpoint,
    place_for,
    prune,
    require_safetensors,
    start_folder,
    writing,
)

ENDLESS = """
import sys
from pathlib import Path
from gonogo.models.checkpoints import writing
folder, number = Path(sys.argv[1]), 0
while True:
    with writing(folder / f"checkpoint-{number % 7}") as place:
        for name in "abc":
            (place / name).write_text(f"{number}" * 20000)
    number += 1
    print(number, flush=True)
"""


def write(folder: Path, content: str = "weights") -> Path:
    with writing(folder) as place:
        (place / "model.safetensors").write_text(content)
        (place / "best" / "sft").mkdir(parents=True)
        (place / "best" / "sft" / "config.json").write_text("{}")
    return folder


def test_a_folder_appears_when_it_is_finished_and_replaces_what_was_there(tmp_path: Path) -> None:
    folder = tmp_path / "checkpoint-2"
    with writing(folder) as place:
        (place / "model.safetensors").write_text("one")
        assert not folder.exists()
    assert flaw(folder) is None
    with pytest.raises(RuntimeError, match="in the middle"), writing(folder) as place:
        (place / "model.safetensors").write_text("two")
        raise RuntimeError("in the middle")
    assert (folder / "model.safetensors").read_text() == "one" and flaw(folder) is None
    with writing(folder) as place:
        assert not list(place.iterdir())  # nothing of the broken attempt
        (place / "other").write_text("three")
    assert sorted(path.name for path in folder.iterdir()) == [MANIFEST, "other"]
    assert [path.name for path in tmp_path.iterdir()] == ["checkpoint-2"]


def cut(folder: Path) -> None:
    (folder / "model.safetensors").write_text("weig")


def change(folder: Path) -> None:
    (folder / "model.safetensors").write_text("Weights")


def lose(folder: Path) -> None:
    (folder / "best" / "sft" / "config.json").unlink()


def add(folder: Path) -> None:
    (folder / "extra.json").write_text("{}")


def link(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder.parent / "elsewhere")
    (folder / "model.safetensors").symlink_to(folder.parent / "elsewhere")


def unseal(folder: Path) -> None:
    (folder / MANIFEST).unlink()


def cut_manifest(folder: Path) -> None:
    text = (folder / MANIFEST).read_text()
    (folder / MANIFEST).write_text(text[: len(text) // 2])


@pytest.mark.parametrize(
    ("harm", "said"),
    [
        (cut, "model.safetensors is not what was written"),
        (change, "model.safetensors is not what was written"),
        (lose, "best/sft/config.json is missing"),
        (add, "extra.json, which was not written with it"),
        (link, "model.safetensors is not what was written"),
        (unseal, "never finished"),
        (cut_manifest, "never finished"),
    ],
)
def test_the_newest_whole_checkpoint_is_taken_and_what_is_wrong_with_newer_ones_is_said(
    harm: Callable[[Path], None], said: str, tmp_path: Path
) -> None:
    for step in (5, 10, 9):
        write(tmp_path / f"checkpoint-{step}")
    start_folder(tmp_path / "checkpoint-15")
    (place_for(tmp_path / "checkpoint-15") / "model.safetensors").write_text("half")
    (tmp_path / "checkpoint-best").mkdir()
    assert last_checkpoint(tmp_path) == tmp_path / "checkpoint-10"
    harm(tmp_path / "checkpoint-10")
    heard: list[str] = []
    assert last_checkpoint(tmp_path, heard.append) == tmp_path / "checkpoint-9"
    assert len(heard) == 1 and "checkpoint-10 is left out" in heard[0] and said in heard[0]
    write(tmp_path / "checkpoint-10", "again")  # the same step, after going on from the one before
    assert last_checkpoint(tmp_path) == tmp_path / "checkpoint-10"
    assert last_checkpoint(tmp_path / "nowhere") is None


@pytest.mark.parametrize("name", ["optimizer.pt", "rng_state.pth", "best/sft/pytorch_model.bin"])
def test_a_checkpoint_with_a_pickle_is_left_out_even_if_its_manifest_names_it(
    name: str, tmp_path: Path
) -> None:
    folder = write(tmp_path / "checkpoint-1")
    (folder / name).write_text("a pickle")
    folder.rename(place_for(folder))
    finish_folder(folder)
    assert name in json.loads((folder / MANIFEST).read_text())["files"]
    assert f"it holds {name}, which a loader would unpickle" == flaw(folder)


def test_notes_for_people_may_change(tmp_path: Path) -> None:
    folder = write(tmp_path / "trained")
    (folder / "README.md").write_text("figures")
    assert flaw(folder) is None


def test_a_copy_stays_as_it_was_when_the_folder_is_replaced(tmp_path: Path) -> None:
    folder = write(tmp_path / "sft", "one")
    copy_folder(folder, tmp_path / "kept")
    write(folder, "two")
    assert flaw(tmp_path / "kept") is None
    assert (tmp_path / "kept" / "model.safetensors").read_text() == "one"


def test_pruning_keeps_the_newest_and_removes_what_kills_left(tmp_path: Path) -> None:
    for step in (2, 4, 10):
        write(tmp_path / f"checkpoint-{step}")
    for step in (12, 14):  # torn: had they been whole, the training would have gone on from them
        (tmp_path / f"checkpoint-{step}").mkdir()
    start_folder(tmp_path / "checkpoint-6")
    (tmp_path / "events").mkdir()
    prune(tmp_path / "checkpoint-10")
    assert {path.name for path in tmp_path.iterdir()} == {"checkpoint-4", "checkpoint-10", "events"}


def test_weights_that_are_pickles_are_refused(tmp_path: Path) -> None:
    (tmp_path / "pytorch_model.bin").touch()
    with pytest.raises(Misuse, match=r"no model\.safetensors; .* never from pickles"):
        require_safetensors(tmp_path)
    (tmp_path / "model-00001-of-00002.safetensors").touch()
    require_safetensors(tmp_path)
    (tmp_path / "adapter_config.json").touch()
    (tmp_path / "adapter_model.bin").touch()
    with pytest.raises(Misuse, match=r"no adapter_model\.safetensors"):
        require_safetensors(tmp_path)


def test_a_writer_that_is_killed_leaves_no_folder_that_is_half_written(tmp_path: Path) -> None:
    command = [sys.executable, "-c", ENDLESS, str(tmp_path)]
    for round_ in range(5):
        with subprocess.Popen(command, stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            for _ in range(8):
                writer.stdout.readline()
            time.sleep(0.0007 * round_)
            os.kill(writer.pid, signal.SIGKILL)
        folders = list(tmp_path.glob("checkpoint-*"))
        assert len(folders) >= 6  # one may have been in the middle of being replaced
        assert [flaw(folder) for folder in folders] == [None] * len(folders)
