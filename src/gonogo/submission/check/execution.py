"""Boxes about what runs: the Space answers and plays, so does the image, the URL is the Space's, the notebook ends."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

from gonogo.env.environment import Env
from gonogo.env.target import UrlTarget, resolve_url
from gonogo.errors import DockerfileUnread
from gonogo.records.submission import ImageSize
from gonogo.rollouts.builtin_policies import RandomPolicy
from gonogo.rollouts.episodes import Episode
from gonogo.submission.check.notebook import run_notebook
from gonogo.submission.check.subject import BoxAnswer, Subject, go, needs_you, no_go
from gonogo.submission.image import docker_words, serve_image
from gonogo.submission.openenv_cli import unanswered

PAGE = re.compile(r"https?://huggingface\.co/spaces/([\w.-]+)/([\w.-]+?)/?")
DOCKERFILES = ("Dockerfile", "server/Dockerfile")
"""The first that is there is a Space's, as ``openenv push`` has it."""
TURNS = 32
PORT = 8000
"""Where an OpenEnv server listens in its container, unless the manifest says otherwise."""
LONGER = "check.notebook_s of the config gives more"


def address(url: str) -> str:
    """The URL at which a Space's server answers, of its page's or of its own."""
    page = PAGE.fullmatch(url)
    if page is None:
        return url.rstrip("/")
    name = re.sub(r"[._]", "-", f"{page[1]}-{page[2]}".lower())
    return f"https://{name}.hf.space"


def look_at_space(subject: Subject) -> BoxAnswer:
    """Whether the Space answers ``/health`` and plays an episode."""
    if subject.run.check.space is not None:
        return play(subject, resolve_url(address(subject.run.check.space)))
    linked = {link.to for link in subject.links_there if PAGE.fullmatch(link.to)}
    if len(linked) != 1:
        return needs_you("no Space was given")
    (url,) = linked
    said = f"no Space was given; README.md links {url}"
    return needs_you(said, f"{subject.command} --space {shlex.quote(url)}")


def play(subject: Subject, server: UrlTarget) -> BoxAnswer:
    """Whether a server answers OpenEnv's HTTP API and flies an episode over its WebSocket.

    A first episode that is lost is flown again: a fresh server may compile or load for longer than a socket waits.
    That it was lost is said either way.
    """
    silent = unanswered(server.http, subject.run.rollout.startup_s)
    if silent:
        return no_go(f"{server}: {'; '.join(silent)}")
    episode, lost = at_random(subject, server), ""
    if episode.error is not None:
        episode, lost = at_random(subject, server), f" (the first was lost: {episode.error})"
    if episode.error is not None or episode.never_acted:
        said = episode.error or f"every action was refused{lost}"
        return no_go(f"{server} answers /health, and an episode at random is lost: {said}")
    how = "cut off there" if episode.timeout else "to its end"
    flown = f"an episode at random flew {len(episode.turns)} turns, {how}{lost}"
    return go(f"{server} answers /health and OpenEnv's other routes; {flown}")


def at_random(subject: Subject, server: UrlTarget) -> Episode:
    """An episode at random over a server's WebSocket."""
    seed = subject.run.seed
    with Env(server.http, subject.alone) as env:
        policy = RandomPolicy(env.schemas.action, seed, env.schemas.tools)
        flight = env.flight(max_turns=TURNS, seed=seed)
        (episode,) = env.rollout(policy, [{"seed": seed, **subject.run.map.reset}], flight)
    return episode


def look_at_submission(subject: Subject) -> BoxAnswer:
    """Whether the URL that is submitted is the Space's."""
    space, submitted = subject.run.check.space, subject.run.check.submission
    if space is None or submitted is None:
        asked = {"where the Space is": space, "which URL is submitted": submitted}
        return needs_you(f"not known: {' and '.join(n for n, url in asked.items() if url is None)}")
    hosts = [resolve_url(address(url)).http.lower() for url in (submitted, space)]
    if hosts[0] != hosts[1]:
        return no_go(f"{submitted} is submitted, and the Space is {space}")
    return go(f"{submitted} is the Space's")


def dockerfile_of(folder: Path) -> Path | None:
    """The Dockerfile that ``openenv push`` takes; None where there is none."""
    return next((folder / name for name in DOCKERFILES if (folder / name).is_file()), None)


def look_at_image(subject: Subject) -> BoxAnswer:
    """Whether the Dockerfile's steps and last line give a server that plays."""
    folder = subject.folder
    dockerfile = dockerfile_of(folder)
    if dockerfile is None:
        return no_go(f"the folder has neither {' nor '.join(DOCKERFILES)}")
    if subject.run.check.quick:
        return needs_you("not built: the check is a quick one", subject.command)
    tag = f"gonogo-check-{re.sub(r'[^a-z0-9]+', '-', subject.target.name.lower())}"
    words = " ".join(docker_words(folder, dockerfile, tag))
    command = f"{words} && docker run --rm -p 8000:8000 {tag}"
    plan, port = subject.run.check, subject.target.manifest.get("port", PORT)
    if not isinstance(port, int):
        return no_go(f"openenv.yaml: port must be a whole number, not {port!r}")
    try:
        limits = {"build_s": plan.build_s, "startup_s": subject.run.rollout.startup_s}
        with serve_image(folder, dockerfile, tag, port=port, **limits) as image:
            played = play(subject, resolve_url(image.url))
    except DockerfileUnread as error:
        return needs_you(f"{dockerfile.name}, without Docker: {error}", command)
    how = {
        "docker": f"built and run by Docker, {image.megabytes:.0f} MB",
        "steps": f"its steps carried out without Docker, {image.megabytes:.0f} MB beside the base image",
    }
    said = "; ".join([how[image.how], *image.notes, played.said])
    size_of = ImageSize(megabytes=image.megabytes, notes=tuple(image.notes), how=image.how)
    return BoxAnswer(played.word, said, None, size_of)


def find_notebook(subject: Subject) -> Path | None:
    """The notebook: the config's, the one that the README links, or the only one of the repository or folder."""
    if subject.run.check.notebook is not None:
        return subject.run.check.notebook.resolve()
    files = {subject.file_of(link) for link in subject.links_there if link.local}
    found = {path for path in files if path.suffix == ".ipynb" and path.is_file()}
    if not found:
        root = subject.repository or subject.folder
        places = (root.glob("*.ipynb"), root.glob("notebooks/*.ipynb"), subject.below("*.ipynb"))
        found = set().union(*places)
    return found.pop() if len(found) == 1 else None


def look_at_notebook(subject: Subject) -> BoxAnswer:
    """Whether the notebook runs from top to bottom in a fresh process."""
    notebook = find_notebook(subject)
    if notebook is None:
        return needs_you("README.md links no notebook, and there is not exactly one beside it")
    if subject.run.check.quick:
        return needs_you(f"{notebook} was not run: the check is a quick one", subject.command)
    try:
        with fresh(subject, notebook) as copy:
            found = run_notebook(copy, subject.run.check.notebook_s)
    except subprocess.TimeoutExpired:
        within = f"{subject.run.check.notebook_s:g} s"
        return needs_you(f"{notebook} did not end within {within} ({LONGER})")
    failed = found.failed
    if failed is not None and failed.late:
        return needs_you(f"{notebook}: code cell {failed.cell} {failed.error} ({LONGER})")
    if failed is not None:
        return no_go(
            f"{notebook}: code cell {failed.cell} of {found.cells} fails: {failed.error} "
            f"(cell: {failed.source})",
            failed,
        )
    return go(f"{notebook}: all {found.cells} code cells ran from top to bottom")


@contextmanager
def fresh(subject: Subject, notebook: Path) -> Iterator[Path]:
    """A copy of the notebook that may leave files around it: in a clone of its repository, where it is committed."""
    with TemporaryDirectory(prefix="gonogo-notebook-") as scratch:
        root = subject.repository
        inside = root is not None and notebook.is_relative_to(root)
        if root is None or not inside or subject.uncommitted(notebook) is not None:
            yield Path(shutil.copy(notebook, scratch))
            return
        clone = Path(scratch) / "clone"
        words = ["git", "clone", "--quiet", "--depth", "1", f"file://{root}", str(clone)]
        subprocess.run(words, check=True, capture_output=True, timeout=300)
        yield clone / notebook.relative_to(root)
