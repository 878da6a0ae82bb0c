"""The pages: every link, anchor, command and option in README and docs exists, and the site builds without network."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
import typer
from markdown_it import MarkdownIt
from markdown_it.token import Token

from gonogo.cli.commands import app
from gonogo.config import RunConfig
from gonogo.records.findings import FINDINGS
from gonogo.records.stations import STATIONS

ROOT = Path(__file__).parents[1]
PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").glob("*.md")])
MARKDOWN = MarkdownIt("commonmark").enable("table")
COMMANDS = typer.main.get_command(app).commands
ADDRESS = "https://example.com/someone/gonogo"


def tokens(page: Path) -> Iterator[Token]:
    for token in MARKDOWN.parse(page.read_text()):
        yield token
        yield from token.children or ()


def anchors(page: Path) -> set[str]:
    """What GitHub calls the page's headings."""
    found = MARKDOWN.parse(page.read_text())
    said = [
        "".join(part.content for part in after.children or ())
        for token, after in pairwise(found)
        if token.type == "heading_open"
    ]
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in said}


def absent(path: Path) -> bool:
    """Whether it is about an environment that was deleted, which gonogo allows."""
    return path.is_relative_to(ROOT / "envs") and not (ROOT / "envs").exists()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_what_a_page_links_is_there(page: Path) -> None:
    links = [
        str(token.attrGet("href") or token.attrGet("src") or "")
        for token in tokens(page)
        if token.type in {"link_open", "image"}
    ]
    dead = []
    for link in links:
        scheme, host, path, _, anchor = urlsplit(link)
        there = (page.parent / unquote(path)).resolve() if path else page
        if scheme or host or absent(there):
            continue
        if not there.exists() or (
            anchor and there.suffix == ".md" and anchor not in anchors(there)
        ):
            dead.append(link)
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_link_that_shows_the_name_of_a_module_leads_to_it(page: Path) -> None:
    links = re.findall(r"\[`?([\w./-]+\.py)`?\]\(([^)#\s]+)", page.read_text())
    assert [shown for shown, to in links if Path(shown).name != Path(to).name] == []


def called(page: Path) -> Iterator[list[str]]:
    """The words of every command line of gonogo's that a page shows, after `gonogo`."""
    for token in tokens(page):
        if token.type == "code_inline":
            lines = [token.content] if token.content.startswith("gonogo ") else []
        elif token.type == "fence" and token.info in {"sh", "bash"}:
            lines = token.content.replace("\\\n", " ").splitlines()
        else:
            continue
        for line in lines:
            if found := re.search(r"(?:^|/|&& )gonogo ([^|&;]*)", line):
                yield shlex.split(found[1], comments=True)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_the_commands_and_options_that_a_page_shows_exist(page: Path) -> None:
    unknown = []
    for name, *words in (words for words in called(page) if words):
        if name.isupper():  # any command, any module
            continue
        options = {
            option for each in COMMANDS[name].params for option in each.opts
        } if name in COMMANDS else set()  # fmt: skip
        given = {word.partition("=")[0] for word in words if word.startswith("--")} - {"--help"}
        if name not in COMMANDS or not given <= options:
            unknown.append((name, *sorted(given - options)))
    assert unknown == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_make_has_the_targets_that_a_page_shows(page: Path) -> None:
    shown = re.findall(r"(?:^|`|\" )make ([a-z-]+)", page.read_text(), re.MULTILINE)
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert set(shown) <= set(targets)


def test_the_readme_has_every_command_in_its_table() -> None:
    rows = re.findall(r"^\| `gonogo (\w+)[^|]*\|", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert sorted(rows) == sorted(COMMANDS)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built as `make docs` does."""
    pytest.importorskip("mkdocs", reason="make docs installs it")
    out = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(out)],
        cwd=ROOT,
        env={**os.environ, "NO_MKDOCS_2_WARNING": "1", "GONOGO_REPOSITORY_URL": ADDRESS},
        capture_output=True,
        text=True,
        check=False,
    )
    assert built.returncode == 0, built.stderr
    return out


@pytest.mark.slow
def test_the_reference_is_the_code(site: Path) -> None:
    pages = {
        path.parent.name: re.sub(r"<[^>]+>", "", path.read_text())
        for path in (site / "reference").glob("*/index.html")
    }
    said = {name for each in COMMANDS.values() for what in each.params for name in what.opts}
    options = {name for name in said if name.startswith("--")}
    schema = RunConfig.model_json_schema()
    fields = {
        name
        for model in [schema, *schema["$defs"].values()]
        for name in model.get("properties", ())
    }
    wanted = {
        "commands": {f"gonogo {name}" for name in COMMANDS} | options,
        "config": fields,
        "findings": {*FINDINGS},
        "stations": {station.asks for station in STATIONS.values()},
        "skill": {"No invented API."},
    }
    missing = {
        (name, word) for name, words in wanted.items() for word in words if word not in pages[name]
    }
    assert missing == set()


@pytest.mark.slow
def test_the_site_needs_no_network_and_leads_into_the_repository(site: Path) -> None:
    pages = {path: path.read_text() for path in site.rglob("*.html")}
    fetched = [
        (path.name, link)
        for path, text in pages.items()
        for link in re.findall(r'<(?:script|link|img)[^>]*(?:src|href)="(https?://[^"]+)"', text)
    ]
    assert fetched == []
    audit = (site / "audit" / "index.html").read_text()
    assert f'href="{ADDRESS}/blob/HEAD/benchmarks/zoo.json"' in audit
    assert 'href="../reference/commands/#gonogo-audit"' in audit
    for path, text in pages.items():
        for link in re.findall(r'(?:href|src)="([^":#]+)[#"]', text):
            # The page of what is not found is shown anywhere, so that its links begin at the root.
            base = site if link.startswith("/") else path.parent
            assert (base / link.lstrip("/")).exists(), f"{path.relative_to(site)}: {link}"


@pytest.mark.long
def test_the_examples_of_the_api_run(tmp_path: Path) -> None:
    """Those that fly."""
    code = "\n".join(block for block in examples() if "gg.train(" not in block)
    assert code.count("gg.") > 6
    ran = run_examples(code, tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "paid_for_idling" in ran.stdout


@pytest.mark.long
@pytest.mark.timeout(900)
def test_the_example_that_trains_runs(tmp_path: Path) -> None:
    (code,) = [block for block in examples() if "gg.train(" in block]
    ran = run_examples(f"import gonogo as gg\n{code}", tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.startswith("GO runs/api-train/models/trained ")
    assert (tmp_path / "runs" / "api-train" / "report.html").is_file()


def examples() -> list[str]:
    """The API's examples, a block each."""
    blocks = MARKDOWN.parse((ROOT / "docs" / "api.md").read_text())
    return [block.content for block in blocks if block.type == "fence" and block.info == "python"]


def run_examples(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run them in a folder that has the repository's tests, and and whose runs go with it."""
    for name in ("tests", "envs", "configs"):
        (folder / name).symlink_to(ROOT / name)
    return subprocess.run(
        [sys.executable, "-c", code],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=900,
    )
