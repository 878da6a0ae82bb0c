"""Folders that are whole or not there, and the newest whole checkpoint among them.

A process may be killed at any moment. What it is writing has a hidden name until every byte is on the disk and a
manifest names each file with its hash; then it gets the name under which others look for it. A reader believes the
manifest and nothing else: a folder without one, with a file more, less or other than it says, or with a file that a
loader would unpickle, is left out and said. Nothing is ever unpickled: :func:`require_safetensors` guards what others
have written.
"""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from gonogo.errors import Misuse, RecordError
from gonogo.records.training import FolderManifest

MANIFEST = FolderManifest.path(Path()).name
WITNESS = "gonogo_witness.safetensors"
"""What a saved model said in training, beside it; see :mod:`gonogo.training.saving`."""
ROUNDED = "_16bit"
"""End of the name of the folder with a model's weights in 16 bit, beside those that were trained."""
PICKLED = frozenset({".bin", ".ckpt", ".dill", ".joblib", ".pickle", ".pkl", ".pt", ".pth"})
"""Endings of files that torch and others unpickle: none is ever written here, and none is read."""
NOTES = ".md"
"""Ending of files for people, which are written again when there is more to tell: no manifest is about them."""
KEPT = 2
"""Checkpoints that stay: the one before the newest is there if the newest is lost."""
NAMED = re.compile(r"checkpoint-(\d+)")


@contextmanager
def writing(folder: Path) -> Iterator[Path]:
    """A place to write a folder's files; when the block ends well, they replace what the folder held.

    Args:
        folder: The name that they get.
    """
    place = start_folder(folder)
    yield place
    finish_folder(folder)


def place_for(folder: Path) -> Path:
    """Where files lie that are to become a folder."""
    return folder.with_name(f".{folder.name}.new")


def start_folder(folder: Path) -> Path:
    """Make the place for a folder's files, empty."""
    place = place_for(folder)
    shutil.rmtree(place, ignore_errors=True)  # of a process that was killed
    place.mkdir(parents=True)
    return place


def finish_folder(folder: Path) -> None:
    """Seal what was written in :func:`place_for` the folder, and give it the folder's name."""
    place, old = place_for(folder), folder.with_name(f".{folder.name}.old")
    files = {name: _digest(place / name) for name in _names(place) if name != MANIFEST}
    FolderManifest(files=files).save(place)
    for path in [*(place / name for name in files), *_folders(place)]:
        _to_disk(path)
    shutil.rmtree(old, ignore_errors=True)
    if folder.exists():
        folder.rename(old)
    place.rename(folder)
    _to_disk(folder.parent)
    shutil.rmtree(old, ignore_errors=True)


def flaw(folder: Path) -> str | None:
    """Why a folder is not to be read; None where it is what was written.

    Args:
        folder: One that :func:`finish_folder` may have finished.
    """
    try:
        files = FolderManifest.load(folder).files
    except RecordError:
        return f"it was never finished: it has no {MANIFEST}"
    names = [name for name in _names(folder) if name != MANIFEST]
    if pickled := [name for name in names if Path(name).suffix in PICKLED]:
        return f"it holds {pickled[0]}, which a loader would unpickle"
    if missing := sorted(files.keys() - set(names)):
        return f"{missing[0]} is missing"
    for name in names:
        if name not in files:
            return f"it holds {name}, which was not written with it"
        if (folder / name).is_symlink() or _digest(folder / name) != files[name]:
            return f"{name} is not what was written"
    return None


def last_checkpoint(folder: Path, say: Callable[[str], None] | None = None) -> Path | None:
    """The newest whole checkpoint in a folder, or None.

    Args:
        folder: Of a phase's checkpoints.
        say: Takes a sentence for each newer one that is not whole.
    """
    for path in reversed(_checkpoints(folder)):
        wrong = flaw(path)
        if wrong is None:
            return path
        if say is not None:
            say(f"{path} is left out: {wrong}.")
    return None


def step_of(checkpoint: Path) -> int:
    """The step that a checkpoint was written after."""
    named = NAMED.fullmatch(checkpoint.name)
    if named is None:
        raise ValueError(f"no checkpoint's name: {checkpoint.name}")
    return int(named[1])


def prune(checkpoint: Path) -> None:
    """Remove what a checkpoint makes needless: older ones but the newest, and what killed processes left behind.

    Later ones go too: they were torn, or the training would have gone on from them.

    Args:
        checkpoint: A whole one, the newest.
    """
    folder = checkpoint.parent
    known = _checkpoints(folder)
    older = [path for path in known if step_of(path) <= step_of(checkpoint)]
    needless = set(known) - set(older[-KEPT:])
    for path in [*needless, *folder.glob(".checkpoint-*.*")]:
        shutil.rmtree(path)


def require_safetensors(folder: Path) -> None:
    """Refuse a model's folder whose weights could only be unpickled.

    Args:
        folder: With a whole model's weights, or an adapter's.

    Raises:
        Misuse: It has no safetensors of the kind that a loader would look for first.
    """
    kind = "adapter_model" if (folder / "adapter_config.json").is_file() else "model"
    if not any(folder.glob(f"{kind}*.safetensors")):
        raise Misuse(
            f"{folder}: it has no {kind}.safetensors; weights are read from safetensors only, never from pickles"
        )


def copy_folder(source: Path, target: Path) -> None:
    """Copy a finished folder, by hard links where the disk can: its files are replaced and never written into."""
    shutil.copytree(source, target, copy_function=_link, dirs_exist_ok=True)


def _link(source: str, target: str) -> None:
    try:
        os.link(source, target)
    except OSError:  # another disk, or one without links
        shutil.copy2(source, target)


def _checkpoints(folder: Path) -> list[Path]:
    """Folders that are named as checkpoints, by their steps."""
    return sorted((p for p in folder.glob("checkpoint-*") if NAMED.fullmatch(p.name)), key=step_of)


def _names(folder: Path) -> list[str]:
    """Files in a folder and below it, without notes for people."""
    files = (p for p in folder.rglob("*") if not p.is_dir() or p.is_symlink())
    return sorted(p.relative_to(folder).as_posix() for p in files if p.suffix != NOTES)


def _folders(folder: Path) -> list[Path]:
    return [folder, *(path for path in folder.rglob("*") if path.is_dir())]


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _to_disk(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
