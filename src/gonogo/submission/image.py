"""An environment's image as a running server: by Docker where it is there, else by its Dockerfile's steps alone.

Without Docker the steps are carried out in a scratch folder that stands for the image's root. Each stage begins with a
clean virtual environment in place of the base image; absolute paths are rewritten into the scratch folder, and the
server is started as the last line says, on a free port of this machine. So it is shown that the package's files, its
dependencies and its last line are enough; what the base image brings beside Python and uv is not.
"""

from __future__ import annotations

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory

from gonogo.env.variables import build_environment, hint
from gonogo.env.worker.process import TAIL_LINES, Command, begun, run_to_end, spawn
from gonogo.errors import DockerfileUnread, ImageFailure
from gonogo.folder import read_text
from gonogo.submission.dockerfile import (
    BuildStage,
    CopyInstruction,
    EnvInstruction,
    RunInstruction,
    StartInstruction,
    Step,
    Workdir,
    expand,
    ignored,
    read_dockerfile,
    system_packages,
)

TAIL_CHARS = 800
"""How much of a program's last output an error shows."""
DOCKER_S = 15.0
PATHS = re.compile(r"(?<![\w.$}/*-])/(?!dev/null\b|bin/(?:sh|bash)\b|usr/bin/env\b)(?=[\w.])")
"""Where an absolute path of the image begins in a text."""
PORT = re.compile(r"(--port[ =])\d+")
UV_IMAGE = "astral-sh/uv"
SYSTEM_PATH = "/usr/local/bin:/usr/bin:/bin"
MB = 1e6


def asked(words: Sequence[str], timeout_s: float, what: str) -> str:
    """What a command of the user's own printed, as Docker or pip.

    Raises:
        ImageFailure: It failed, or took too long.
    """
    try:
        ended = subprocess.run(
            list(words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired as error:
        raise ImageFailure(f"{what} did not end within {timeout_s:g} s") from error
    if ended.returncode != 0:
        raise ImageFailure(f"{what} failed: {(ended.stderr or ended.stdout)[-TAIL_CHARS:].strip()}")
    return ended.stdout


def free_port() -> int:
    """A port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def healthy(url: str, within_s: float, ended: Callable[[], bool]) -> bool:
    """Wait until a local server answers ``/health``; False where it does not, or has ended."""
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline and not ended():
        try:
            opener.open(f"{url}/health", timeout=2).close()
            return True
        except OSError:
            time.sleep(0.2)
    return False


@dataclass(slots=True)
class ImageConfig:
    """What an image has beside its files, and a stage takes over from the earlier one that it begins with.

    Attributes:
        env: Its variables.
        cwd: Its working folder.
        entry: The words of its ENTRYPOINT.
        command: The words of its CMD.
        inherited: Whether the command is the earlier stage's; an ENTRYPOINT drops it then.
    """

    env: dict[str, str]
    cwd: Path
    entry: tuple[str, ...] = ()
    command: tuple[str, ...] = ()
    inherited: bool = False


class Build:
    """A Dockerfile's steps, carried out in a scratch folder.

    Args:
        scratch: An empty folder.
        context: The build context.
        step_s: Seconds that each step may take.

    Attributes:
        notes: What was not carried out.
    """

    def __init__(self, scratch: Path, context: Path, step_s: float) -> None:
        # Every stage has the same place, so that a path written into a file holds in the next stage as in an image.
        self._root, self._stages = scratch / "root", scratch / "stages"
        self._base, self._scratch = scratch / "base", scratch
        self._context, self._step_s = context, step_s
        self._config = ImageConfig({}, self._root)
        self._ends: dict[str, ImageConfig] = {}
        self._arguments: dict[str, str] = {}
        self._bare = 0
        self.notes: list[str] = []

    def carry_out(self, stages: Sequence[BuildStage]) -> None:
        """All stages in order; the last one stays as the root.

        Raises:
            DockerfileUnread: A step cannot be carried out here.
            ImageFailure: A step failed.
        """
        self._stages.mkdir()
        self._make_base()
        for number, stage in enumerate(stages):
            if number:
                os.rename(self._root, self._stages / stages[number - 1].name)
            self._begin(stage)
            for step in stage.steps:
                self._step(step)
            self._ends[stage.name] = self._config

    def _make_base(self) -> None:
        """What stands for a base image: a clean virtual environment with uv, made where every stage has it."""
        self._root.mkdir()
        place = self._root / "usr" / "local"
        asked([sys.executable, "-m", "venv", str(place)], self._step_s, "python -m venv")
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "uv"]
        asked(pip, self._step_s, "pip install uv, which OpenEnv's base image has,")
        for name in ("root", "tmp"):
            (self._root / name).mkdir()
        self._bare = size_of(self._root)
        os.rename(self._root, self._base)

    def _begin(self, stage: BuildStage) -> None:
        self._arguments = {}  # an ARG ends with its stage
        if (earlier := self._ends.get(stage.base)) is not None:
            shutil.copytree(self._stages / stage.base, self._root, symlinks=True)
            self._config = replace(earlier, env=dict(earlier.env), inherited=True)
            return
        shutil.copytree(self._base, self._root, symlinks=True)
        self._note(f"a clean virtual environment with uv stands for {stage.base}")
        env = {
            **build_environment(),
            "PATH": f"{self._root}/usr/local/bin:{SYSTEM_PATH}",
            "HOME": f"{self._root}/root",
            "TMPDIR": f"{self._root}/tmp",
            "LANG": "C.UTF-8",
            "UV_CACHE_DIR": str(self._scratch / "cache"),
            "PIP_DISABLE_PIP_VERSION_CHECK": "1",
        }
        self._config = ImageConfig(env, self._root)

    @property
    def _variables(self) -> dict[str, str]:
        """What a step of the present stage sees: an ENV outweighs an ARG."""
        return {**self._arguments, **self._config.env}

    def _note(self, said: str) -> None:
        self.notes += [said] if said not in self.notes else []

    def _step(self, step: Step) -> None:
        config = self._config
        match step:
            case Workdir(path):
                config.cwd = self._place(path)
                config.cwd.mkdir(parents=True, exist_ok=True)
            case EnvInstruction(values, kept):
                held = config.env if kept else self._arguments
                for name, value in values:
                    held[name] = self._text(value)
            case CopyInstruction():
                self._copy(step)
            case RunInstruction(text):
                self._run(text)
            case StartInstruction(words, entry=False):
                config.command, config.inherited = words, False
            case StartInstruction(words):
                config.entry = words
                config.command = () if config.inherited else config.command

    def _text(self, text: str) -> str:
        """A text of the image with its paths in the scratch folder and its variables replaced."""
        return expand(PATHS.sub(f"{self._root}/", text), self._variables)

    def _place(self, path: str) -> Path:
        place = Path(os.path.normpath(self._config.cwd / self._text(path)))
        if not place.is_relative_to(self._root):
            raise DockerfileUnread(f"the path {path} leaves the image")
        return place

    def _copy(self, step: CopyInstruction) -> None:
        if step.stage is not None and UV_IMAGE in step.stage:
            return
        if step.stage is not None and step.stage not in self._ends:
            raise DockerfileUnread(f"COPY takes from {step.stage}, which is no earlier stage")
        origin = self._context if step.stage is None else self._stages / step.stage
        to = self._place(step.to)
        for source in step.sources:
            name = expand(source, self._variables).lstrip("/")
            found = [origin] if name in {"", ".", "./"} else sorted(origin.glob(name.rstrip("/")))
            if not found:
                where = (
                    step.stage
                    or f"the build context, {self._context}, which is all that a Space has"
                )
                raise ImageFailure(f"COPY {source}: there is no such file in {where}")
            for path in found:
                into = len(step.sources) > 1 or len(found) > 1 or step.to.endswith("/")
                self._copy_one(path, to, into=into, context=step.stage is None)

    def _copy_one(self, path: Path, to: Path, *, into: bool, context: bool) -> None:
        patterns = self._left_out if context else []

        def left_out(folder: str, names: list[str]) -> set[str]:
            at = Path(os.path.relpath(folder, self._context))
            return {name for name in names if ignored((at / name).as_posix(), patterns)}

        place = to / path.name if into or to.is_dir() else to
        if not path.is_dir():
            place.parent.mkdir(parents=True, exist_ok=True)
        try:
            if path.is_dir():
                leave = left_out if patterns else None
                shutil.copytree(path, to, symlinks=True, dirs_exist_ok=True, ignore=leave)
            else:
                shutil.copy2(path, place, follow_symlinks=False)
        except OSError as error:  # a pipe or a device among the files, or one that cannot be read
            raise ImageFailure(f"COPY {path}: {error}") from error

    @cached_property
    def _left_out(self) -> list[str]:
        """The patterns of ``.dockerignore``."""
        file = self._context / ".dockerignore"
        try:
            return read_text(file).splitlines() if file.is_file() else []
        except OSError as error:
            raise ImageFailure(str(error)) from error

    def _run(self, command: str) -> None:
        text, packages = system_packages(command)
        if packages:
            self._note(f"not installed here, apt-get: {', '.join(packages)}")
        # Only the paths are rewritten: the shell replaces its variables itself.
        shell = PATHS.sub(f"{self._root}/", text)
        try:
            status, said = run_to_end(
                ["sh", "-ec", shell], self._config.cwd, self._variables, self._step_s
            )
        except subprocess.TimeoutExpired:
            raise ImageFailure(f"a RUN did not end within {self._step_s:g} s") from None
        if status != 0:
            said = f"exit code {status}: {said[-TAIL_CHARS:]}{hint(said)}"
            raise ImageFailure(f"RUN {command[:120]}: {said}")

    @contextmanager
    def started(self, startup_s: float) -> Iterator[str]:
        """The server as the last line starts it, on a free port; gives its URL.

        Raises:
            ImageFailure: It ended, or did not answer in time.
        """
        port = free_port()
        line = [*self._config.entry, *self._config.command]
        words = with_port(line, port)
        if words is None:
            raise DockerfileUnread(
                "its last line names no --port, so that a free one cannot be given"
            )
        words = [PATHS.sub(f"{self._root}/", word) for word in words]
        env = {**self._config.env, "PORT": str(port), "PYTHONDONTWRITEBYTECODE": "1"}
        program = shutil.which(words[0], path=env["PATH"])
        if program is None:
            raise ImageFailure(f"its last line starts {words[0]}, which is not in its PATH")
        command = Command([program, *words[1:]], self._config.cwd, env)
        with open(os.devnull, "rb") as nothing:
            process = begun(command, spawn, nothing.fileno(), None, ())
        url = f"http://127.0.0.1:{port}"
        try:
            if not healthy(url, startup_s, lambda: process.wait(0) is not None):
                status = process.wait(0)
                ended = f"before it ended with exit code {status}"
                how = f"within {startup_s:g} s" if status is None else ended
                said = process.tail(TAIL_LINES)
                said = f"{said[-TAIL_CHARS:]}{hint(said)}"
                raise ImageFailure(f"{' '.join(line)}: no answer at /health {how}: {said}")
            yield url
        finally:
            process.end()

    def megabytes(self) -> float:
        """What the steps have added to the base image."""
        return (size_of(self._root) - self._bare) / MB


def with_port(words: Sequence[str], port: int) -> list[str] | None:
    """A server's words with another port, and for this machine alone; None where they name none."""
    out, before = [], ""
    for word in words:
        changed = str(port) if before == "--port" else PORT.sub(rf"\g<1>{port}", word)
        out.append(changed.replace("0.0.0.0", "127.0.0.1"))
        before = word
    return out if any(str(port) in word for word in out) else None


def size_of(folder: Path) -> int:
    """Bytes of the files below a folder, each once."""
    found = (path.lstat() for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    return sum({(each.st_dev, each.st_ino): each.st_size for each in found}.values())


@dataclass(slots=True)
class Image:
    """A server that an image's last line started.

    Attributes:
        url: Where it answers.
        how: ``docker`` or ``steps``.
        megabytes: The image's size; by the steps alone what they add to the base image.
        notes: What was not carried out, and why.
    """

    url: str
    how: str
    megabytes: float
    notes: list[str] = field(default_factory=list)


def has_docker() -> bool:
    """Whether Docker's engine answers here."""
    if shutil.which("docker") is None:
        return False
    try:
        asked(["docker", "info"], DOCKER_S, "docker info")
    except ImageFailure:
        return False
    return True


def docker_words(folder: Path, dockerfile: Path, tag: str) -> list[str]:
    """The command that builds an image."""
    return ["docker", "build", "-t", tag, "-f", str(dockerfile), str(folder)]


@contextmanager
def serve_image(
    folder: Path, dockerfile: Path, tag: str, *, port: int, build_s: float, startup_s: float
) -> Iterator[Image]:
    """Build an environment's image, start its server, and stop it at the end.

    Args:
        folder: The build context.
        dockerfile: The Dockerfile.
        tag: The image's name, for Docker.
        port: Where the server listens in its container; for Docker.
        build_s: Seconds that each step may take.
        startup_s: Seconds until the server answers ``/health``.

    Raises:
        DockerfileUnread: Without Docker, the Dockerfile holds what is not carried out here.
        ImageFailure: A step failed, or the server did not answer.
    """
    if has_docker():
        with served_by_docker(folder, dockerfile, tag, port, build_s, startup_s) as image:
            yield image
        return
    try:
        stages = read_dockerfile(read_text(dockerfile, folder))
    except OSError as error:
        raise DockerfileUnread(f"the Dockerfile cannot be read: {error}") from error
    with TemporaryDirectory(prefix="gonogo-image-") as scratch:
        build = Build(Path(scratch), folder, build_s)
        build.carry_out(stages)
        with build.started(startup_s) as url:
            yield Image(url, "steps", round(build.megabytes(), 1), build.notes)


@contextmanager
def served_by_docker(
    folder: Path, dockerfile: Path, tag: str, inside: int, build_s: float, startup_s: float
) -> Iterator[Image]:
    """The same by Docker."""
    asked(docker_words(folder, dockerfile, tag), build_s, "docker build")
    size = asked(["docker", "image", "inspect", "-f", "{{.Size}}", tag], DOCKER_S, "docker inspect")
    port = free_port()
    published = ["-p", f"127.0.0.1:{port}:{inside}"]
    run = ["docker", "run", "-d", "--rm", *published, tag]
    container = asked(run, DOCKER_S, "docker run").strip()
    url = f"http://127.0.0.1:{port}"
    try:
        if not healthy(url, startup_s, lambda: False):
            logs = asked(["docker", "logs", "--tail", "100", container], DOCKER_S, "docker logs")
            said = f"no answer at /health within {startup_s:g} s: {logs[-TAIL_CHARS:]}"
            raise ImageFailure(said)
        yield Image(url, "docker", round(int(size) / MB, 1))
    finally:
        subprocess.run(["docker", "rm", "-f", container], capture_output=True, check=False)
