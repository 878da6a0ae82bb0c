"""The quickstart: names that the map saw, and the action that does least."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.records_made import contract_item, contract_report

from gonogo.records.contract import ContractReport, SettableField
from gonogo.reporting.gather import StationRecords
from gonogo.reporting.quickstart import quickstart, schema_of, simple_action, typed
from gonogo.reporting.sections import Material, Section


def field(name: str, words: str, **given: Any) -> SettableField:
    known = {"required": True, "choices": None, "bounds": {}, "default": None, "description": None}
    return SettableField.model_validate({"name": name, "words": words, **known, **given})


def mapped(*fields: SettableField, **given: Any) -> ContractReport:
    said = {"target": "/a/envs/my env", "action": {"fields": fields, "tools": ()}, **given}
    return contract_report(**said)


PACKED = {
    "packaging": {"files": {"app": "server.app:app", "project": "pyproject.toml"}, "project": None}
}


def text_of(found: ContractReport, file: str = "/a/README.md") -> str:
    section = quickstart(Material(StationRecords(map=found), "", Path(file), Path()))
    assert section.missing == ()
    return str(section.text)


@pytest.mark.parametrize(
    ("given", "fills"),
    [
        (field("a", "integer"), True),
        (field("a", "integer", bounds={"minimum": 3}), True),
        (field("a", "string", bounds={"pattern": "^x"}), False),
        (field("a", "array of integer", bounds={"minItems": 2}), False),
        (field("a", "anything"), False),
        (field("a", "anything", choices=("x", "y")), True),
        (field("a", "integers"), False),
    ],
)
def test_a_value_is_made_up_of_a_plain_type_or_a_choice(given: SettableField, fills: bool) -> None:
    assert typed(given) is fills


def test_the_action_that_does_least_takes_the_map_s_bounds_and_choices() -> None:
    fields = field("n", "integer", bounds={"minimum": 3}), field("move", "text", choices=("a", "b"))
    assert schema_of(fields[0]) == {"minimum": 3, "type": "integer"}
    assert schema_of(fields[1]) == {"enum": ["a", "b"]}
    assert simple_action(mapped(*fields)) == {"n": 3, "move": "a"}
    strange = field("x", "anything")
    assert simple_action(mapped(*fields, strange)) is None
    optional = strange.model_copy(update={"required": False})
    assert simple_action(mapped(*fields, optional)) is not None


def test_a_package_is_started_by_its_own_names_and_flown() -> None:
    found = mapped(field("n", "integer"), manifest={"port": 7860}, **PACKED)
    said = text_of(found)
    for line in (
        "cd 'envs/my env'", "pip install .", "uvicorn server.app:app --port 7860",
        "with GenericEnvClient(base_url='http://localhost:7860').sync() as env:",
        "        result = env.step({'n': 0})", "gonogo fly 'envs/my env'",
    ):  # fmt: skip
        assert line in said.splitlines()
    here = text_of(found, "/a/envs/my env/README.md").splitlines()
    assert not any(line.startswith("cd ") for line in here)
    assert "gonogo audit ." in here


def test_what_cannot_be_served_or_acted_on_is_left_out() -> None:
    code = mapped(field("n", "integer"), target="a.b:Class")
    assert "uvicorn" not in text_of(code) and "GenericEnvClient" not in text_of(code)
    server = mapped(field("n", "integer"), target="http://there:1")
    assert "base_url='http://there:1'" in text_of(server) and "uvicorn" not in text_of(server)
    strange = mapped(field("x", "anything"), **PACKED)
    assert "uvicorn" in text_of(strange) and "GenericEnvClient" not in text_of(strange)


def test_the_package_s_own_client_is_named() -> None:
    item = contract_item("client_separation", evidence={"classes": ("GridEnv",)})
    assert "a client of its own, `GridEnv`." in text_of(mapped(contract=(item,)))


def test_without_a_map_there_is_nothing_to_start() -> None:
    bare = Material(StationRecords(), "", Path("README.md"), Path())
    assert quickstart(bare) == Section(None, ("map.json (gonogo map)",))
