"""An image by its Dockerfile's steps: commands, servers, what is copied where; OpenEnv's template when slow."""

from __future__ import annotations

import socket
import sys
import threading
import time
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from gonogo.errors import DockerfileUnread, ImageFailure
from gonogo.submission.dockerfile import (
    BuildStage,
    CopyInstruction,
    EnvInstruction,
    RunInstruction,
    StartInstruction,
    Workdir,
)
from gonogo.submission.image import (
    TAIL_CHARS,
    Build,
    asked,
    free_port,
    has_docker,
    healthy,
    serve_image,
    size_of,
    with_port,
)
from gonogo.submission.openenv_cli import unanswered


def python(code: str, timeout_s: float = 30.0) -> str:
    return asked([sys.executable, "-c", code], timeout_s, "the command")


def test_what_a_command_prints_is_given() -> None:
    assert python("print('well')") == "well\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("import sys; print('out'); sys.exit('it is broken')", "the command failed: it is broken$"),
        ("print('said aloud'); raise SystemExit(3)", "the command failed: said aloud$"),
        (f"raise SystemExit('a' * {3 * TAIL_CHARS})", f"failed: a{{1,{TAIL_CHARS}}}$"),
    ],
)
def test_a_command_that_fails_is_told_by_its_last_words(code: str, said: str) -> None:
    with pytest.raises(ImageFailure, match=said):
        python(code)


def test_a_command_that_takes_too_long_is_ended() -> None:
    with pytest.raises(ImageFailure, match=r"the command did not end within 0\.3 s"):
        python("import time; time.sleep(60)", timeout_s=0.3)


def test_a_free_port_can_be_listened_on() -> None:
    with socket.socket() as server:
        server.bind(("127.0.0.1", free_port()))
        server.listen()


class Well(BaseHTTPRequestHandler):
    """A server that is healthy under one path."""

    def do_GET(self) -> None:
        self.send_response(200 if self.path == "/health" else 404)
        self.end_headers()

    def log_message(self, format: str, *args: object) -> None:
        """Keep quiet."""


@pytest.fixture
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Well)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_a_server_is_healthy_once_it_answers(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("http_proxy", "http://127.0.0.1:9")  # no proxy knows what is here
    assert healthy(url, 20.0, lambda: False)
    assert not healthy(f"{url}/elsewhere", 0.5, lambda: False)


def test_who_has_ended_is_not_waited_for() -> None:
    began = time.monotonic()
    assert not healthy(f"http://127.0.0.1:{free_port()}", 60.0, lambda: True)
    assert time.monotonic() - began < 30


class BareBuild(Build):
    """A build whose base image is an empty folder, and no virtual environment that takes seconds."""

    def _make_base(self) -> None:
        self._base.mkdir()


@pytest.fixture
def context(tmp_path: Path) -> Path:
    """A build context of two files, a folder, and a link."""
    folder = tmp_path / "context"
    (folder / "inner").mkdir(parents=True)
    for name in ("a.txt", "b.txt", "inner/c.txt", "inner/d.pyc"):
        (folder / name).write_text(name)
    (folder / "link").symlink_to("a.txt")
    return folder


@pytest.fixture
def scratch(tmp_path: Path) -> Path:
    """An empty folder."""
    folder = tmp_path / "scratch"
    folder.mkdir()
    return folder


Step = Workdir | CopyInstruction | EnvInstruction | RunInstruction | StartInstruction


def built(scratch: Path, context: Path, *stages: tuple[Step, ...]) -> tuple[Build, list[str]]:
    """A build of some stages, and the files and links that it leaves."""
    build = BareBuild(scratch, context, 20.0)
    build.carry_out([BuildStage("python:3.11", f"s{n}", steps) for n, steps in enumerate(stages)])
    root = scratch / "root"
    found = (path for path in root.rglob("*") if path.is_symlink() or path.is_file())
    return build, sorted(path.relative_to(root).as_posix() for path in found)


def test_a_servers_port() -> None:
    words = ["sh", "-c", "uvicorn app --host 0.0.0.0 --port 8000"]
    assert with_port(words, 5) == ["sh", "-c", "uvicorn app --host 127.0.0.1 --port 5"]
    assert with_port(["uvicorn", "--port", "8000"], 5) == ["uvicorn", "--port", "5"]
    assert with_port(["server"], 5) is None


def test_files_are_copied_to_the_places_that_an_image_has_them_at(
    scratch: Path, context: Path
) -> None:
    steps = (
        Workdir("/app"),
        CopyInstruction(("a.txt",), "renamed.txt", None),
        CopyInstruction(("a.txt", "b.txt"), "both", None),
        CopyInstruction(("*.txt",), "/many/", None),
        CopyInstruction((".",), "/all", None),
    )
    (context / ".dockerignore").write_text("**/*.pyc\n.dockerignore\n")
    _, files = built(scratch, context, steps)
    assert files == [
        "all/a.txt", "all/b.txt", "all/inner/c.txt", "all/link",
        "app/both/a.txt", "app/both/b.txt", "app/renamed.txt",
        "many/a.txt", "many/b.txt",
    ]  # fmt: skip
    assert (scratch / "root" / "all" / "link").is_symlink()


def test_a_stage_takes_files_of_an_earlier_one_and_nothing_else_of_it(
    scratch: Path, context: Path
) -> None:
    first = (CopyInstruction((".",), "/app", None),)
    second = (CopyInstruction(("/app/inner",), "/taken", "s0"),)
    build, files = built(scratch, context, first, second)
    assert files == ["taken/c.txt", "taken/d.pyc"]
    assert build.notes == ["a clean virtual environment with uv stands for python:3.11"]


def test_a_run_sees_the_image_s_paths_and_variables(scratch: Path, context: Path) -> None:
    steps = (
        EnvInstruction((("PLACE", "/made/here"),), kept=True),
        Workdir("${PLACE}"),
        RunInstruction('echo "$PLACE" > /made/said.txt && pwd > where.txt 2>/dev/null'),
    )
    _, files = built(scratch, context, steps)
    assert files == ["made/here/where.txt", "made/said.txt"]
    made = scratch / "root" / "made"
    assert (made / "said.txt").read_text() == f"{made}/here\n"
    assert (made / "here" / "where.txt").read_text() == f"{made}/here\n"


def test_a_stage_begins_with_the_variables_folder_and_command_of_the_earlier_one_that_it_is_from(
    scratch: Path, context: Path
) -> None:
    first = (
        EnvInstruction((("BUILT_WITH", "arg"),), kept=False),
        EnvInstruction((("PLACE", "/made/$BUILT_WITH"),), kept=True),
        Workdir("${PLACE}"),
        StartInstruction(("server", "--port", "1"), entry=False),
    )
    second = (RunInstruction('echo "$PLACE ${BUILT_WITH-gone}" > said.txt'),)
    build = BareBuild(scratch, context, 20.0)
    build.carry_out([BuildStage("python:3.11", "one", first), BuildStage("one", "two", second)])
    said = (scratch / "root" / "made" / "arg" / "said.txt").read_text()
    assert said == f"{scratch}/root/made/arg gone\n"
    with pytest.raises(ImageFailure, match="starts server, which is not in its PATH"):
        build.started(1.0).__enter__()


def test_an_entry_point_drops_the_command_of_the_earlier_stage(
    scratch: Path, context: Path
) -> None:
    first = (StartInstruction(("old", "--port", "1"), entry=False),)
    second = (StartInstruction(("new",), entry=True),)
    build = BareBuild(scratch, context, 20.0)
    build.carry_out([BuildStage("python:3.11", "one", first), BuildStage("one", "two", second)])
    with pytest.raises(DockerfileUnread, match="names no --port"):
        build.started(1.0).__enter__()


@pytest.mark.parametrize(
    ("step", "error", "said"),
    [
        (Workdir("../../x"), DockerfileUnread, "leaves the image"),
        (CopyInstruction(("a.txt",), "/x", "s7"), DockerfileUnread, "s7, which is no earlier"),
        (CopyInstruction(("hosts",), "/x", "/etc"), DockerfileUnread, "/etc, which is no earlier"),
        (CopyInstruction(("no.txt",), "/x", None), ImageFailure, "no such file in the build"),
        (RunInstruction("echo oh; exit 3"), ImageFailure, "exit code 3: oh"),
    ],
)
def test_a_step_that_fails_says_why(
    scratch: Path, context: Path, step: Step, error: type[Exception], said: str
) -> None:
    with pytest.raises(error, match=said):
        built(scratch, context, (step,))


def test_what_apt_installs_is_a_note(scratch: Path, context: Path) -> None:
    build, _ = built(scratch, context, (RunInstruction("apt-get install -y git"),))
    assert "not installed here, apt-get: git" in build.notes


def test_a_server_without_a_port_is_not_started(scratch: Path, context: Path) -> None:
    line = StartInstruction(("server", "--fast"), entry=False)
    build, _ = built(scratch, context, (line,))
    with pytest.raises(DockerfileUnread, match="names no --port"), build.started(1.0):
        pass


def test_a_file_of_two_names_is_counted_once(context: Path) -> None:
    before = size_of(context)
    (context / "again.txt").hardlink_to(context / "a.txt")
    assert size_of(context) == before
    (context / "more.txt").write_bytes(bytes(100))
    assert size_of(context) == before + 100


SERVER = """
import http.server, sys
from pathlib import Path

class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.end_headers()
        self.wfile.write(Path("told.txt").read_bytes())

http.server.HTTPServer(("127.0.0.1", int(sys.argv[2])), Handler).serve_forever()
"""
DOCKERFILE = """
FROM python:3.11-slim AS first
WORKDIR /app
COPY . /app/env
RUN mv /app/env/told.txt /app/moved.txt && ln -s /app/moved.txt /app/env/told.txt
FROM python:3.11-slim
ENV HERE=/app/env
WORKDIR ${HERE}
COPY --from=first /app/moved.txt /app/moved.txt
COPY --from=first /app/env /app/env
EXPOSE 8000
CMD ["python", "serve.py", "--port", "8000"]
"""


@pytest.fixture
def server(tmp_path: Path) -> Path:
    """A package with a server that needs nothing."""
    (tmp_path / "serve.py").write_text(SERVER)
    (tmp_path / "told.txt").write_text("well")
    (tmp_path / "Dockerfile").write_text(DOCKERFILE)
    return tmp_path


def build(folder: Path, dockerfile: str = "Dockerfile") -> tuple[str, float]:
    limits = {"build_s": 900.0, "startup_s": 60.0}
    with serve_image(folder, folder / dockerfile, "gonogo-test", port=8000, **limits) as image:
        return image.how, image.megabytes


@pytest.mark.slow
def test_steps_copies_links_and_the_last_line(server: Path) -> None:
    how, _ = build(server)
    assert how == ("docker" if has_docker() else "steps")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("COPY --from=first /app/moved.txt", "COPY --from=first /app/other.txt", "no such file"),
        ("RUN mv", "RUN rm /app/env/x && mv", "exit code 1"),
        ('"serve.py", "--port"', '"nothing.py", "--port"', "no answer at /health before it ended"),
    ],
)
def test_what_fails_is_said(server: Path, old: str, new: str, said: str) -> None:
    if has_docker():
        pytest.skip("Docker says it in its own words")
    (server / "Dockerfile").write_text(DOCKERFILE.replace(old, new))
    with pytest.raises(ImageFailure, match=said):
        build(server)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_templates_image_answers(echo: Path) -> None:
    limits = {"build_s": 1500.0, "startup_s": 120.0}
    with serve_image(
        echo, echo / "server" / "Dockerfile", "gonogo-test", port=8000, **limits
    ) as image:
        assert unanswered(image.url, 10) == []
        assert image.megabytes > 50
