"""An environment's image as a running server: by Docker where it is there, else by its Dockerfile's steps alone.

Without Docker the steps are carried out in a scratch folder (:mod:`gonogo.submission.image_steps`). So it is shown
that the package's files, its dependencies and its last line are enough; what the base image brings beside Python and
uv is not.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory

from gonogo.errors import DockerfileUnread, ImageFailure
from gonogo.folder import read_text
from gonogo.submission.dockerfile import read_dockerfile
from gonogo.submission.image_commands import TAIL_CHARS, asked, free_port, healthy
from gonogo.submission.image_steps import Build

__all__ = ["Image", "docker_words", "has_docker", "serve_image"]

DOCKER_S = 15.0
MB = 1e6


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
        told = subprocess.run(
            ["docker", "info"], capture_output=True, check=False, timeout=DOCKER_S
        )
    except subprocess.TimeoutExpired:
        return False
    return told.returncode == 0


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
    container = asked(
        ["docker", "run", "-d", "--rm", *published, tag], DOCKER_S, "docker run"
    ).strip()
    url = f"http://127.0.0.1:{port}"
    try:
        if not healthy(url, startup_s, lambda: False):
            logs = asked(["docker", "logs", "--tail", "100", container], DOCKER_S, "docker logs")[
                -TAIL_CHARS:
            ]
            raise ImageFailure(f"no answer at /health within {startup_s:g} s: {logs}")
        yield Image(url, "docker", round(int(size) / MB, 1))
    finally:
        subprocess.run(["docker", "rm", "-f", container], capture_output=True, check=False)
