"""Reading a Dockerfile: the instructions that OpenEnv's templates use, and a plain no to everything else.

What this reads can be carried out without Docker in a scratch folder (:mod:`gonogo.submission.image`): stages,
working folders, copies, variables, commands that install Python packages and move files. System packages
(``apt-get``) are not installed by it, but named. Whatever else a file holds is refused by name, so that nothing is
passed over in silence.
"""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from gonogo.errors import DockerfileUnread

COMMANDS = frozenset(
    {
        "pip", "pip3", "uv", "python", "python3", "mv", "cp", "mkdir", "ln", "chmod", "touch", "rm", "cd", "echo",
        "true", "[", "test", "command", "if", "then", "else", "elif", "fi", "!", "set", "export", "apt-get",
    }
)  # fmt: skip
"""First words of shell commands that a RUN may have."""
SILENT = frozenset({"EXPOSE", "HEALTHCHECK", "LABEL", "STOPSIGNAL", "MAINTAINER"})
"""Instructions that change nothing of what runs."""
UV_IDIOM = re.compile(r"if ! command -v uv\b.*?\bfi\b\s*;?", re.DOTALL)
"""How OpenEnv's templates bring uv where the base image lacks it; here it is there already."""
APT = re.compile(r"apt-get\s[^;&|]*")
VARIABLE = re.compile(r"\$(?:\{(?P<braced>\w+)(?::-(?P<default>[^}]*))?\}|(?P<plain>\w+))")


@dataclass(frozen=True, slots=True)
class Workdir:
    """``WORKDIR``."""

    path: str


@dataclass(frozen=True, slots=True)
class CopyInstruction:
    """``COPY``: from the context, or from an earlier stage."""

    sources: tuple[str, ...]
    to: str
    stage: str | None


@dataclass(frozen=True, slots=True)
class EnvInstruction:
    """``ENV`` or ``ARG``; an ARG's value is for the build alone."""

    values: tuple[tuple[str, str], ...]
    kept: bool


@dataclass(frozen=True, slots=True)
class RunInstruction:
    """``RUN``: a shell's text."""

    text: str


@dataclass(frozen=True, slots=True)
class StartInstruction:
    """``CMD`` or ``ENTRYPOINT``: the words that start the server."""

    words: tuple[str, ...]
    entry: bool


Step = Workdir | CopyInstruction | EnvInstruction | RunInstruction | StartInstruction


@dataclass(frozen=True, slots=True)
class BuildStage:
    """From one FROM to the next.

    Attributes:
        base: The image or the earlier stage that it begins with.
        name: What later stages call it.
        steps: In order.
    """

    base: str
    name: str
    steps: tuple[Step, ...]


def read_dockerfile(text: str) -> list[BuildStage]:
    """A Dockerfile's stages.

    Raises:
        DockerfileUnread: It holds an instruction, or a form of one, that is not carried out here, or none that starts
            anything.
    """
    arguments: dict[str, str] = {}
    stages: list[BuildStage] = []
    for word, rest in instructions(text):
        if word == "ARG" and not stages:
            name, _, value = rest.partition("=")
            arguments[name.strip()] = unquoted(value)
        elif word == "FROM":
            stages.append(first_of(expand(rest, arguments), len(stages)))
        elif not stages:
            raise DockerfileUnread(f"{word} stands before the first FROM")
        elif word not in SILENT:
            last = stages[-1]
            stages[-1] = BuildStage(
                last.base, last.name, (*last.steps, step_of(word, rest, arguments))
            )
    if not stages:
        raise DockerfileUnread("it has no FROM")
    if not starts(stages[-1].name, stages):
        raise DockerfileUnread(
            "its last stage has neither CMD nor ENTRYPOINT, so the base image's starts"
        )
    return stages


def starts(name: str, stages: Sequence[BuildStage]) -> bool:
    """Whether a stage has a line that starts something, of its own or of an earlier stage that it begins with."""
    for number, stage in enumerate(stages):
        if stage.name == name:
            own = any(isinstance(step, StartInstruction) for step in stage.steps)
            return own or starts(stage.base, stages[:number])
    return False


def instructions(text: str) -> Iterator[tuple[str, str]]:
    """Instructions in order: the word in capitals, and the rest with continued lines joined."""
    joined = ""
    for line in text.splitlines():
        if not line.strip() or line.lstrip().startswith("#"):
            continue  # Docker drops comments between continued lines too
        joined += line.rstrip()
        if joined.endswith("\\"):
            joined = joined[:-1] + " "
            continue
        word, _, rest = joined.strip().partition(" ")
        if "<<" in rest and re.search(r"<<-?\"?\w", rest):
            raise DockerfileUnread(f"{word.upper()} has a here-document")
        yield word.upper(), rest.strip()
        joined = ""
    if joined:
        raise DockerfileUnread(f"its last line goes on: {joined[:60]}")


def first_of(rest: str, number: int) -> BuildStage:
    """An empty stage from what stands after FROM."""
    words = [word for word in rest.split() if not word.startswith("--")]
    if not words:
        raise DockerfileUnread("FROM names no image")
    named = len(words) == 3 and words[1].upper() == "AS"
    return BuildStage(words[0], words[2] if named else str(number), ())


def step_of(word: str, rest: str, arguments: Mapping[str, str]) -> Step:
    """One instruction of a stage."""
    if word == "WORKDIR":
        return Workdir(unquoted(rest))
    if word == "COPY":
        return copy_of(rest)
    if word in {"ENV", "ARG"}:
        return EnvInstruction(tuple(pairs(word, rest, arguments)), kept=word == "ENV")
    if word == "RUN":
        return run_of(rest)
    if word in {"CMD", "ENTRYPOINT"}:
        words = json_words(rest) if rest.startswith("[") else ["sh", "-c", rest]
        return StartInstruction(tuple(words), entry=word == "ENTRYPOINT")
    raise DockerfileUnread(f"it has the instruction {word}")


def copy_of(rest: str) -> CopyInstruction:
    """``COPY [--from=STAGE] SOURCE... TO``."""
    flags = re.findall(r"(?:^|\s)--(\w+)(?:=(\S+))?", rest)
    if other := [name for name, _ in flags if name not in {"from", "chown", "chmod", "link"}]:
        raise DockerfileUnread(f"COPY has the flag --{other[0]}")
    plain = re.sub(r"--\w+(=\S+)?\s+", "", rest).strip()
    names = json_words(plain) if plain.startswith("[") else split(plain)
    if len(names) < 2:
        raise DockerfileUnread(f"COPY names no place: {rest}")
    return CopyInstruction(tuple(names[:-1]), names[-1], dict(flags).get("from"))


def pairs(word: str, rest: str, arguments: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Names and values of an ENV or ARG."""
    first = rest.split(maxsplit=1)
    if word == "ENV" and first and "=" not in first[0]:
        yield first[0], first[1] if len(first) > 1 else ""
        return
    for each in split(rest):
        name, given, value = each.partition("=")
        yield name, value if given else arguments.get(name, "")


def run_of(rest: str) -> RunInstruction:
    """``RUN [--mount=...] COMMAND``, without the cache mounts, which change no result."""
    if mounts := [m for m in re.findall(r"--mount=(\S+)", rest) if "type=cache" not in m]:
        raise DockerfileUnread(f"RUN mounts what is no cache: {mounts[0]}")
    if other := re.match(r"--(?!mount=)(\S+)", rest):
        raise DockerfileUnread(f"RUN has the flag --{other[1]}")
    text = re.sub(r"^(--mount=\S+\s+)+", "", rest)
    if text.startswith("["):
        text = shlex.join(json_words(text))
    text = " ".join(UV_IDIOM.sub("", text).split()).rstrip("; ")
    if (word := unsupported(text)) is not None:
        raise DockerfileUnread(f"a RUN calls {word}")
    return RunInstruction(text)


def json_words(text: str) -> list[str]:
    """A JSON list of texts."""
    try:
        words = json.loads(text)
    except ValueError:
        raise DockerfileUnread(f"{text[:60]} is no JSON list") from None
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise DockerfileUnread(f"{text[:60]} is no list of texts")
    return words


def split(text: str) -> list[str]:
    """The words of a line, quotes understood."""
    try:
        return shlex.split(text)
    except ValueError as error:
        raise DockerfileUnread(f"{text[:60]}: {error}") from None


def unsupported(text: str) -> str | None:
    """The first command of a shell's text that is not carried out here; None where all are."""
    if "$(" in text or "`" in text:
        return "a command within a command"
    if ".." in re.split(r"[\s/\"']", text):
        return "a path with .."
    for part in re.split(r"&&|\|\||;|\||\bthen\b|\belse\b|\bif\b", text):
        words = part.replace("!", " ").split()
        while words and "=" in words[0]:
            words = words[1:]
        if words and Path(words[0]).name not in COMMANDS:
            return words[0]
    return None


def system_packages(text: str) -> tuple[str, list[str]]:
    """A shell's text without what ``apt-get`` does, and the packages that it would install."""
    packages = [
        word
        for found in APT.findall(text)
        if " install" in found
        for word in found.partition(" install")[2].split()
        if not word.startswith("-")
    ]
    return APT.sub("true ", text), packages


def expand(text: str, values: Mapping[str, str]) -> str:
    """A text with its variables replaced; one that is unknown by its default, or by nothing."""

    def value(found: re.Match[str]) -> str:
        name = found["braced"] or found["plain"]
        return values.get(name) or found["default"] or ""

    return VARIABLE.sub(value, text)


def unquoted(text: str) -> str:
    """A value without its quotes."""
    return text.strip().strip("\"'")


def ignored(name: str, patterns: Sequence[str]) -> bool:
    """Whether ``.dockerignore`` leaves a file out; the last pattern that fits decides.

    Args:
        name: The file, relative to the context.
        patterns: The lines of ``.dockerignore``.
    """
    out = False
    parts = name.split("/")
    above = ["/".join(parts[: n + 1]) for n in range(len(parts))]
    for line in patterns:
        pattern = line.strip()
        if not pattern or pattern.startswith("#"):
            continue
        wanted = pattern.startswith("!")
        pattern = pattern.lstrip("!").strip("/").removeprefix("./")
        forms = [pattern, pattern.removeprefix("**/")]
        if any(fnmatch(path, form) for path in above for form in forms):
            out = not wanted
    return out
