"""Sections of the README are functions of records, words and a place; what they lack is named."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import (
    contract_report,
    estimate,
    evaluation_report,
    policy_result,
    theme_report,
)
from tests.reporting.conftest import author

from gonogo.config import read_words
from gonogo.errors import Misuse
from gonogo.reporting.gather import StationRecords
from gonogo.reporting.sections import (
    Material,
    Section,
    environment,
    folder_of,
    links,
    problem,
    written,
)

PACKED = {"packaging": {"files": {}, "project": None}}


def material(folder: Path, records: StationRecords, **fields: object) -> Material:
    """What a README in the folder is written from, with the author's words."""
    words = read_words(author(folder, **fields))
    return Material(records, words, folder / "README.md", folder / "plots")


def test_what_a_record_says_cannot_end_a_section() -> None:
    section = written(iter(["  one ", "<!-- links:end -->"]), "map.json")
    assert section == Section("one\n\n&lt;!-- links:end -->\n", ("map.json",))


def test_the_problem_is_the_gap_and_the_theme_with_its_reasons(tmp_path: Path) -> None:
    claim = {
        "maps": {"answer": True, "reason": "It lasts."},
        "trains": {"answer": False, "reason": "Not yet."},
    }
    chosen = material(tmp_path, StationRecords(), theme="2", themes={"2": claim})
    section = problem(chosen)
    assert section.missing == ()
    assert str(section.text).splitlines()[::2] == [
        "What the author says of gap.",
        "What the author says of remember.",
        "**Theme 2: (super) long-horizon planning and instruction following.** It lasts.",
    ]
    assert problem(material(tmp_path, StationRecords())).missing == ("theme.json (gonogo theme)",)
    scored = problem(material(tmp_path, StationRecords(theme=theme_report(theme="5"))))
    assert scored.missing == () and "**Theme 5: wild card.**" in str(scored.text)
    drafted = problem(material(tmp_path, StationRecords(), drafted_by="scribe"))
    assert "*The words were drafted by scribe" in str(drafted.text)


def test_without_words_there_is_no_problem_but_an_environment(tmp_path: Path) -> None:
    lacking = Material(
        StationRecords(map=contract_report()), "no words", tmp_path / "README.md", tmp_path
    )
    assert problem(lacking) == Section(None, ("no words",))
    section = environment(lacking)
    assert section.missing == ("no words",)
    assert "Contract: GO, mapped." in str(section.text)
    bare = Material(StationRecords(), "no words", tmp_path / "README.md", tmp_path)
    assert environment(bare) == Section(None, ("map.json (gonogo map)",))


def test_links_are_seen_from_the_readme(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("envs/x/openenv.yaml", "envs/x/client.py", "docs/train.ipynb"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    records = StationRecords(
        map=contract_report(**PACKED),
        evaluation=evaluation_report({"idle": policy_result(estimate(0.0))}),
    )
    given = {"notebook": "docs/train.ipynb", "space": "https://example.org/a"}
    words = read_words(author(tmp_path, links=given))
    where = tmp_path / "envs" / "x"
    text = links(Material(records, words, Path("envs/x/README.md"), Path("envs/x/plots"))).text
    assert str(text).splitlines() == [
        "- [The Space](https://example.org/a)",
        "- [The notebook that trains](../../docs/train.ipynb)",
        "- [`openenv.yaml`](openenv.yaml): OpenEnv's manifest",
        "- [`client.py`](client.py): the client",
        "- [`evaluation.json`](plots/evaluation.json): what the results come from",
        "- [OpenEnv](https://github.com/huggingface/OpenEnv): the interface that this environment has",
    ]
    (tmp_path / "docs" / "train.ipynb").unlink()
    with pytest.raises(Misuse, match=r"links\.notebook must be an address, or a file"):
        links(Material(records, words, where / "README.md", where))


def test_only_what_is_packed_has_a_folder() -> None:
    assert folder_of(contract_report()) is None
    assert folder_of(contract_report(**PACKED)) == Path("envs/x")
