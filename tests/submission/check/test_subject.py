"""What the boxes look at: files and links of the folder, its repository, the run's records; and what they answer."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import contract_report, estimate, evaluation_report, policy_result

from gonogo import config
from gonogo.env.target import FolderTarget, resolve
from gonogo.errors import MissingRecord, RecordError, StaleRecord
from gonogo.records.provenance import source_hash
from gonogo.records.submission import BoxEvidence, BoxWord, MissingParts
from gonogo.submission.check.subject import (
    BoxAnswer,
    Link,
    Subject,
    go,
    headings_of,
    links_of,
    mean_score,
    needs_you,
    no_go,
)

SEEN = MissingParts(missing=("Links",))


def test_what_is_told_needs_no_command_and_what_is_not_may_name_one() -> None:
    assert go("it is", SEEN) == BoxAnswer(BoxWord.GO, "it is", None, SEEN)
    assert no_go("it is not", SEEN) == BoxAnswer(BoxWord.NO_GO, "it is not", None, SEEN)
    asked = needs_you("unseen", "gonogo map x", SEEN)
    assert asked == BoxAnswer(BoxWord.NEEDS_YOU, "unseen", "gonogo map x", SEEN)


def test_evidence_may_be_nothing_more_than_the_sentence() -> None:
    assert {each("so").evidence for each in (go, no_go, needs_you)} == {BoxEvidence()}
    assert needs_you("unseen").command is None


@pytest.mark.parametrize(
    ("text", "links"),
    [
        ("[a](b.md)", [Link("b.md", image=False)]),
        ('![a](b.png "title")', [Link("b.png", image=True)]),
        ("[![badge](b.svg)](run)", [Link("run", image=False), Link("b.svg", image=True)]),
        ("[that][one]\n\n[one]: https://x.y", [Link("https://x.y", image=False)]),
        ("<https://x.y/z>", [Link("https://x.y/z", image=False)]),
        ("at https://x.y/z, twice: https://x.y/z.", [Link("https://x.y/z", image=False)]),
        ("| a |\n| - |\n| ![p](p.png) |", [Link("p.png", image=True)]),
        ('<video src="v.mp4">\n\n</video>', [Link("v.mp4", image=False)]),
        ('in <img src="p.png"> line', [Link("p.png", image=True)]),
        ("`[a](b.md)` and `https://x.y`", []),
        ("```\n[a](b.md) https://x.y\n```", []),
        ("    [a](b.md)\n", []),
        ("<!-- [a](b.md) -->", []),
    ],
)
def test_links(text: str, links: list[Link]) -> None:
    assert links_of(text) == links


def test_headings() -> None:
    text = "# One #\n\nTwo\n---\n\n### `Three` *times*\n\n#### Four\n\n```\n# Five\n```\n"
    assert headings_of(text) == ["One", "Two", "Three times"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A package of a manifest and a README, in a place whose name has a space."""
    where = tmp_path / "my envs" / "grid"
    (where / "server").mkdir(parents=True)
    (where / "server" / "app.py").write_text("app = None\n")
    (where / "openenv.yaml").write_text("name: grid\napp: server.app:app\n")
    (where / "README.md").write_text("![b](plots/before_after.png) and `[no](link.md)`\n")
    return where


@pytest.fixture
def looked(folder: Path, tmp_path: Path) -> Callable[..., Subject]:
    """What boxes look at, anew: what was read once is kept."""

    def make(**fields: Any) -> Subject:
        given = {"target": str(folder), "out": str(tmp_path / "run"), **fields}
        target = resolve(str(folder))
        assert isinstance(target, FolderTarget)
        return Subject(config.load(None, given), target)

    return make


def test_the_command_names_what_was_given(looked: Callable[..., Subject], folder: Path) -> None:
    notebook = folder / "a b.ipynb"
    notebook.write_text("{}")
    subject = looked(**{"check.notebook": str(notebook)})
    words = ["gonogo", "check", str(folder), "--out", str(subject.run.out)]
    assert shlex.split(subject.command) == [*words, "--notebook", str(notebook)]
    assert shlex.split(looked().command) == words
    assert subject.alone.slots == 1


def test_a_link_means_a_file_whatever_is_said_of_a_place_in_it(
    looked: Callable[..., Subject], folder: Path
) -> None:
    for to in ("docs/a%20b.md", "docs/a b.md#part", "docs/../docs/a%20b.md?raw=1"):
        assert looked().file_of(Link(to, image=False)) == folder / "docs" / "a b.md"


def test_files_are_found_below_but_not_in_hidden_folders(
    looked: Callable[..., Subject], folder: Path
) -> None:
    for name in ("a.ipynb", "inner/b.ipynb", ".git/c.ipynb", "inner/.hidden/d.ipynb"):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text("{}")
    assert {path.name for path in looked().below("*.ipynb")} == {"a.ipynb", "b.ipynb"}


def test_a_plot_is_the_one_that_the_readme_shows_and_else_any(
    looked: Callable[..., Subject], folder: Path
) -> None:
    assert looked().plots == {}
    other, shown = folder / "old" / "before_after.png", folder / "plots" / "before_after.png"
    for file in (other, shown, folder / "old" / "reward_curve.png"):
        file.parent.mkdir(exist_ok=True)
        file.write_bytes(b"")
    assert looked().plots == {
        "before_after.png": shown,
        "reward_curve.png": other.parent / "reward_curve.png",
    }
    shown.unlink()
    assert looked().plots["before_after.png"] == other
    (folder / "README.md").unlink()
    assert looked().plots["before_after.png"] == other
    with pytest.raises(MissingRecord, match=r"README\.md cannot be read"):
        _ = looked().links


def test_what_is_committed(package: Path, subject: Callable[..., Subject]) -> None:
    seen, file = subject(), package / "client.py"
    assert seen.repository == package.parent
    assert seen.uncommitted(file) is None
    file.write_text("changed\n")
    assert seen.uncommitted(file) == "it was changed after it was committed"
    (package / "new.txt").write_text("new\n")
    assert seen.uncommitted(package / "new.txt") == "it is not committed"


def test_a_folder_in_no_repository_has_nothing_committed(
    looked: Callable[..., Subject], folder: Path
) -> None:
    assert looked().repository is None
    said = looked().uncommitted(folder / "README.md")
    assert said == "the folder is in no git repository"


def test_the_map_names_a_split_where_it_found_one(
    looked: Callable[..., Subject], folder: Path
) -> None:
    assert looked().split is None
    out, source = looked().run.out, source_hash(folder)
    contract_report(source_hash=source).save(out)
    assert looked().split is None
    splits = ({"name": "easy", "num_tasks": 3, "preview": []},)
    contract_report(source_hash=source, tasks={"splits": splits}).save(out)
    assert looked().split == "easy"
    (folder / "more.py").write_text("")
    assert looked().split is None, "a map of another version says nothing"
    with pytest.raises(StaleRecord):
        _ = looked().map


def test_the_published_evaluation_comes_before_the_run_s(
    looked: Callable[..., Subject], folder: Path
) -> None:
    plot = folder / "plots" / "before_after.png"
    plot.parent.mkdir()
    plot.write_bytes(b"")
    given = {"idle": policy_result(estimate(0.0))}
    source = source_hash(folder)
    evaluation_report(given, source_hash=source, level="run").save(looked().run.out)
    assert looked().evaluation[0].level == "run"
    evaluation_report(given, source_hash=source, level="published").save(plot.parent)
    record, file = looked().evaluation
    assert (record.level, file.parent) == ("published", plot.parent)


def test_a_mean_that_is_not_there_is_named_by_its_field() -> None:
    policies = {"idle": policy_result(estimate(0.25)), "lost": policy_result(estimate(None))}
    record = evaluation_report(policies)
    assert mean_score(record, Path("e.json"), "idle") == 0.25
    for name in ("lost", "nobody"):
        with pytest.raises(RecordError, match=rf"e\.json: the field policies\.{name}\.score\.mean"):
            mean_score(record, Path("e.json"), name)
