"""An image by its Dockerfile's steps: small ones here, OpenEnv's template among the slow tests."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo.errors import ImageFailure
from gonogo.submission.image import has_docker, serve_image
from gonogo.submission.openenv_cli import unanswered

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
def context(tmp_path: Path) -> Path:
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
def test_steps_copies_links_and_the_last_line(context: Path) -> None:
    how, _ = build(context)
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
def test_what_fails_is_said(context: Path, old: str, new: str, said: str) -> None:
    if has_docker():
        pytest.skip("Docker says it in its own words")
    (context / "Dockerfile").write_text(DOCKERFILE.replace(old, new))
    with pytest.raises(ImageFailure, match=said):
        build(context)


@pytest.mark.slow
@pytest.mark.timeout(1800)
def test_the_templates_image_answers(echo: Path) -> None:
    limits = {"build_s": 1500.0, "startup_s": 120.0}
    with serve_image(
        echo, echo / "server" / "Dockerfile", "gonogo-test", port=8000, **limits
    ) as image:
        assert unanswered(image.url, 10) == []
        assert image.megabytes > 50
