"""The package's boxes on OpenEnv's template, whole and broken in one place each; the newest release, as pip sees it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import contract_item, contract_report

from gonogo.errors import RecordError
from gonogo.records.contract import ContractItem, ContractReport
from gonogo.records.provenance import source_hash
from gonogo.records.submission import BaseClasses, LargeFiles
from gonogo.submission.check.package import (
    LINE,
    look_at_base_class,
    look_at_client,
    look_at_contract,
    look_at_files,
    look_at_manifest,
    look_at_release,
    look_at_tools,
    newest_release,
    requirement_of,
)
from gonogo.submission.check.subject import BoxAnswer, Subject


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A registry that has one package in three releases."""
    page = tmp_path / "some-package" / "index.html"
    page.parent.mkdir()
    names = (f"some_package-{version}-py3-none-any.whl" for version in ("1.2", "1.10", "2.0rc1"))
    page.write_text("".join(f'<a href="{name}">{name}</a>' for name in names))
    monkeypatch.setenv("PIP_INDEX_URL", tmp_path.as_uri())
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.delenv("PIP_NO_INDEX", raising=False)
    return tmp_path


def test_the_newest_is_no_candidate_and_10_is_more_than_2(registry: Path) -> None:
    assert newest_release("some-package", 60.0) == "1.10"


def test_where_nothing_answers_in_time_nothing_is_known(registry: Path) -> None:
    assert newest_release("some-package", 0.01) is None


def test_the_line_that_names_it_is_told_from_the_others() -> None:
    said = "WARNING: something (else) is so\nopenenv (0.3.1)\nAvailable versions: 0.3.1, 0.3.0\n"
    found = LINE.search(said)
    assert found is not None and found["version"] == "0.3.1"


Subjects = Callable[..., Subject]


def test_a_registry_that_cannot_be_seen(subject: Subjects, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", "/nowhere")
    answer = look_at_release(subject())
    assert answer.word == "NEEDS YOU"
    assert "cannot be seen from here" in answer.said


@pytest.mark.parametrize("name", ["openenv-core[core]", "OpenEnv_Core"])
def test_a_package_that_wants_the_earlier_name(package: Path, subject: Subjects, name: str) -> None:
    (package / "pyproject.toml").write_text(f"[project]\ndependencies = ['{name}>=0.2.2']\n")
    answer = requirement_of(subject())
    assert isinstance(answer, BoxAnswer)
    assert (
        answer.said == f"pyproject.toml wants {name}>=0.2.2, and newer releases are named openenv"
    )


def test_a_manifest_without_the_block_is_told_what_to_add(package: Path, subject: Subjects) -> None:
    (package / "openenv.yaml").write_text("spec_version: 1\nname: echo_env\nport: 8000\n")
    answer = look_at_manifest(subject())
    assert answer.word == "NO-GO"
    assert "no `validation:` block; add a `validation:` block" in answer.said


def test_the_templates_manifest(package: Path, subject: Subjects) -> None:
    assert look_at_manifest(subject()).word == "GO"
    text = (package / "openenv.yaml").read_text()
    (package / "openenv.yaml").write_text(text.replace("cpu: 1.0", "cpu: -1.0"))
    answer = look_at_manifest(subject())
    assert answer.word == "NO-GO"
    assert "cpu" in answer.said
    (package / "openenv.yaml").write_text(text)
    (package / "client.py").unlink()
    assert "Required file missing: client.py" in look_at_manifest(subject()).said


def test_the_running_class_says_its_base(subject: Subjects) -> None:
    answer = look_at_base_class(subject())
    assert (answer.word, answer.evidence) == ("GO", BaseClasses(bases=("Environment",)))


def test_large_files(package: Path, subject: Subjects) -> None:
    assert look_at_files(subject()).word == "GO"
    for name, megabytes in (("a.safetensors", 6), ("b.dat", 6), ("c.dat", 11), (".d.dat", 11)):
        (package / name).write_bytes(bytes(megabytes * 10**6))
    answer = look_at_files(subject())
    assert answer.word == "NO-GO"
    assert answer.evidence == LargeFiles(files={"a.safetensors": 6.0, "c.dat": 11.0})


def mapped(package: Path, out: Path, *contract: ContractItem) -> None:
    contract_report(source_hash=source_hash(package), contract=contract).save(out)


def test_what_the_map_says_of_the_contract(package: Path, subject: Subjects) -> None:
    looked = subject()
    good = {"episode": "pass", "after_done": "na", "client_separation": "fail"}
    mapped(package, looked.run.out, *(contract_item(*each) for each in good.items()))
    assert look_at_contract(looked).said == (
        "1 items of the contract hold in the map's flights; not applicable: after_done"
    )
    assert look_at_client(looked).word == "NO-GO"
    assert look_at_tools(looked).word == "GO"
    mapped(package, looked.run.out, contract_item("seed_control", "fail", "two seeds, one episode"))
    assert look_at_contract(subject()).said == "seed_control: two seeds, one episode"


@pytest.mark.parametrize("contract", ["all well", [{"id": "episode", "verdict": True}]])
def test_a_map_that_was_edited(package: Path, subject: Subjects, contract: Any) -> None:
    looked = subject()
    mapped(package, looked.run.out)
    file = ContractReport.path(looked.run.out)
    file.write_text(json.dumps(json.loads(file.read_text()) | {"contract": contract}))
    with pytest.raises(RecordError, match=r"map\.json: contract(: |\.0\.verdict: )"):
        look_at_contract(looked)
