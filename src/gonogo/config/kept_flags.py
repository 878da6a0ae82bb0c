"""What a run was begun with, kept in its folder: its config file and the options that say how its environment is flown.

A later command on the same folder that gives no config goes on with them, unless it gives others; so what one station
has proven, the next does not take back for want of an option. A command that gives a config begins anew.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, ClassVar

import yaml
from pydantic import Field, PlainSerializer

from gonogo.config.run_config import ENDS, ConfigFields, RunConfig, load
from gonogo.errors import MissingRecord, Misuse, RecordError
from gonogo.records.record import Record
from gonogo.wire import JsonObject


class Flags(Record):
    """What a run was begun with."""

    kind: ClassVar[str] = "flags"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "map"

    target: str
    """Its environment."""
    config: Annotated[Path, PlainSerializer(str)] | None
    """Its config file, absolute; None where it had none."""
    options: JsonObject = Field(default_factory=dict)
    """Fields of the config that options replaced, by their dotted names."""


OPTIONS = {
    "seed": "--seed",
    "rollout.success": "--success",
    "rollout.timeout_s": "--timeout-s",
    "rollout.startup_s": "--startup-s",
    "rollout.env": "--env",
    "map.reset": "--reset",
    "map.steps": "--steps",
    "audit.reference": "--reference",
    "audit.minutes": "--minutes",
    "audit.budget": "--budget",
    "audit.seeds": "--seeds",
}
"""Fields that are kept, and the options that replace them. What pays is none of them: it says what is audited."""
AUDITING = (*ENDS, "audit.seeds")
"""Kept fields that no command uses but those that audit."""
DROPPED: tuple[Any, ...] = ("", [""], {})
"""What an option is given as where it is to be kept no more."""


def flags_of(out: Path) -> Flags | None:
    """What the folder's run was begun with; None where it does not say."""
    try:
        return Flags.load(out)
    except RecordError:
        return None


def recall(out: Path, target: str) -> Flags:
    """What the folder's run was begun with, of this very environment; nothing where it is of another.

    Where both minutes and steps are kept, as gonogo once did, the steps say where an audit ends, as they did then.

    Args:
        out: The run's folder.
        target: The environment.
    """
    flags = flags_of(out)
    if flags is None or place(flags.target) != place(target):
        return Flags(target=target, config=None)
    gone = flags.config is not None and not flags.config.is_file()
    file = None if gone else flags.config
    options = dict(flags.options)
    if options.get("audit.budget") is not None:
        options.pop("audit.minutes", None)
    return Flags(target=target, config=file, options=options)


def goes_on(
    target: str, out: str, given: ConfigFields, takes: Collection[str] = AUDITING
) -> tuple[Path | None, ConfigFields, str]:
    """What a command without a config flies with in the folder that it was given.

    Args:
        target: The environment.
        out: The run's folder.
        given: Fields by their dotted names.
        takes: Fields that the command has an option for: of :data:`AUDITING` no other is spoken of.

    Returns:
        The config file of the folder's run, the fields with those that its run was begun with but for what was given
        as an empty text, and a sentence about what was not given and is used; empty where nothing is.
    """
    flags = recall(Path(out), target)
    ended = any(given.get(name) is not None for name in ENDS)
    kept = {name: v for name, v in flags.options.items() if not (ended and name in ENDS)}
    used = [name for name in kept if name not in AUDITING or name in takes]
    words = words_of({name: kept[name] for name in used if name not in given})
    if flags.config is not None:
        words = ["--config", shown(flags.config), *words]
    said = f"{out} goes on with {shlex.join(words)}" if words else ""
    dropped = {name for name in OPTIONS if given.get(name) in DROPPED}
    fields = {**kept, **given}
    return flags.config, {name: fields[name] for name in fields if name not in dropped}, said


@contextmanager
def keeping(out: Path, config: Path | None, given: ConfigFields, target: str) -> Iterator[None]:
    """Keep what a command was given in the run's folder; not where it turns out to be misuse, or leaves nothing there.

    Args:
        out: The run's folder.
        config: Its config file.
        given: Fields that were given or recalled, by their dotted names.
        target: The environment.

    Raises:
        MissingRecord: The folder was emptied in the meantime.
    """
    file = Flags.path(out)
    before = flags_of(out)
    options = {name: given[name] for name in OPTIONS if name in given}
    config = None if config is None else config.absolute()
    now = Flags(target=target, config=config, options=options)
    if now != before:
        now.save(out)
    try:
        yield
        if not file.exists():
            raise emptied(out)
    except Misuse:
        if before is None:
            file.unlink(missing_ok=True)
        elif out.is_dir():
            before.save(out)
        raise
    except (OSError, MissingRecord) as error:
        # One of these is raised by whatever looks for what is not there any more.
        if file.exists():
            raise
        raise emptied(out) from error
    finally:
        if [each.name for each in out.glob("[!.]*")] == [file.name]:
            file.unlink()


def emptied(out: Path) -> MissingRecord:
    """The error of a command whose folder was emptied under it."""
    return MissingRecord(
        f"what the run's folder {out} held was removed while a command worked in it: give the same command "
        "again to start over"
    )


def options_of(run: RunConfig, fields: Collection[str], *, file: bool = True) -> list[str]:
    """The words of a command line that make a command fly as the run does.

    Args:
        run: The run.
        fields: What the command takes, by the dotted names of :data:`OPTIONS`.
        file: Whether it takes a config.

    Returns:
        The run's config, where its folder has one, and the options for what is another than that config says. What
        was taken away has none: no word of a command line says it.
    """
    kept = recall(run.out, run.target).config if file else None
    base = load(kept, {"target": run.target, "out": str(run.out)})
    known, now = flat(base), flat(run)
    changed = {
        name: now[name]
        for name in OPTIONS
        if name in fields and now[name] != known[name] and now[name] is not None
    }
    if now["audit.budget"] is not None:  # steps go before minutes, and both are refused
        changed.pop("audit.minutes", None)
    return [*([] if kept is None else ["--config", shown(kept)]), *words_of(changed)]


def flat(run: RunConfig) -> ConfigFields:
    """The kept fields of a config, by their dotted names."""
    whole = run.model_dump(mode="json")
    found = {}
    for name in OPTIONS:
        value: Any = whole
        for part in name.split("."):
            value = value[part]
        found[name] = value
    return found


def words_of(fields: ConfigFields) -> list[str]:
    """Fields as options; each reset option has its own."""
    words: list[str] = []
    for name, value in fields.items():
        if isinstance(value, list):
            words += [word for each in value for word in (OPTIONS[name], str(each))]
        elif isinstance(value, dict):
            for key, what in value.items():
                said = yaml.safe_dump(what, default_flow_style=True, width=2**31).removesuffix(
                    "\n...\n"
                )
                words += [OPTIONS[name], f"{key}={said.strip()}"]
        else:
            words += [OPTIONS[name], str(value)]
    return words


def shown(file: Path) -> str:
    """A file's name as it is shorter to type."""
    near = os.path.relpath(file)
    return str(file) if near.startswith("..") else near


def place(target: str) -> str:
    """A target by one name, however it is spelt."""
    folder = os.path.expanduser(target)
    return os.path.realpath(folder) if os.path.isdir(folder) else target
