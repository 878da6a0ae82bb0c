"""What the sections of a README say, from records and the author's words."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.records_made import (
    audit_report,
    audited_task,
    component_exploits,
    contract_item,
    contract_report,
    estimate,
    evaluation_report,
    finding,
    headline_numbers,
    policy_result,
    reward_report,
    rubric_node,
    source_place,
    theme_report,
)
from tests.reporting.conftest import author

from gonogo.config import read_words
from gonogo.errors import Misuse
from gonogo.records.contract import ContractReport, SettableField
from gonogo.records.reward import SideNumber
from gonogo.reporting.readme_sections import (
    MOST_TASKS,
    Material,
    Section,
    component_rows,
    environment,
    folder_of,
    leaves_of,
    links,
    problem,
    quickstart,
    reward,
    schema_of,
    simple_action,
    typed,
    weights_of,
    written,
)
from gonogo.reporting.run_contents import StationRecords

BARE = {"packaging": {"files": {}, "project": None}}
TREE = rubric_node(
    "",
    rubric_node("Share", weight=0.25, file="a.py", line=3),
    rubric_node(
        "Group",
        rubric_node("Deep", weight=0.5, file="b.py", line=7),
        rubric_node("Free", file="b.py", line=9),
        weight=0.5,
    ),
)


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
        map=contract_report(**BARE),
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
    assert folder_of(contract_report(**BARE)) == Path("envs/x")


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


def said(**records: object) -> str:
    material = Material(StationRecords(**records), "", Path("README.md"), Path())  # type: ignore[arg-type]
    return str(reward(material).text)


def test_weights_are_multiplied_down_the_tree() -> None:
    assert list(leaves_of(TREE)) == [
        ("Rubric", 0.25, "`a.py:3`"),
        ("Rubric", 0.25, "`b.py:7`"),
        ("Rubric", None, "`b.py:9`"),
    ]


def test_a_component_is_listed_once_whether_rubric_or_breakdown_names_it() -> None:
    parts = [
        {"name": "rubric", "place": source_place("c.py", 1)},
        {"name": "bonus", "place": source_place("c.py", 2)},
        {"name": "malus", "place": None},
    ]
    found = contract_report(reward={"rubric": TREE, "breakdown": parts})
    rows = list(component_rows(found.reward))
    assert [row[0] for row in rows] == ["Rubric", "Rubric", "Rubric", "bonus", "malus"]
    assert rows[3:] == [("bonus", "-", "`c.py:2`"), ("malus", "-", "-")]
    assert weights_of(found) == {"rubric": 0.25}
    assert weights_of(contract_report()) == weights_of(None) == {}


def test_components_are_the_map_s_only_where_there_is_no_audit() -> None:
    found = contract_report(reward={"rubric": TREE, "declared": (0.0, 1.0)})
    assert "The range of an episode's reward is 0 to 1." in said(map=found)
    assert "| Rubric | 0.25 | `a.py:3` |" in said(map=found)
    assert "`a.py:3`" not in said(map=found, audit=audit_report())
    assert "reward is not declared." in said(map=contract_report())


def test_the_audit_s_findings_and_figures_are_told_by_task() -> None:
    numbers = headline_numbers(best_known_return=1.0, best_failing_return=0.25)
    tasks = [audited_task(task={"level": n}, numbers=numbers) for n in range(MOST_TASKS + 2)]
    text = said(audit=audit_report(finding("paid_for_idling"), tasks=tasks))
    assert "`gonogo audit` says NO-GO: a reason (2 episodes, 24 steps were flown)." in text
    assert "- **paid_for_idling**: " in text and "paid_for_idling happened." in text
    assert text.count("| best return of a failure | 0.250 |") == MOST_TASKS
    assert "2 more tasks stand in `audit.json`." in text
    assert "Task `" not in said(audit=audit_report(tasks=tasks[:1]))


@pytest.mark.parametrize(("tasks", "column"), [(1, False), (2, True)])
def test_both_sides_name_the_task_where_there_are_several(tasks: int, column: bool) -> None:
    sides = tuple(
        SideNumber(number="best known return", task={"level": n}, before=1.0, after=None)
        for n in range(tasks)
    )
    part = component_exploits("primary", "idle | all day")
    text = said(reward=reward_report(components=(part,), sides=sides))
    assert "| primary | 0.5 | `word`: Success is what it says. |" in text
    assert "| idle \\| all day | the panel's idle | `word` | 0.050 | 0.600 |" in text
    assert ("| task | figure | own reward | this reward |" in text) is column
    assert ("| all | audit | NO-GO | GO |" in text) is column


def test_without_records_the_audit_is_missing() -> None:
    bare = Material(StationRecords(), "", Path("README.md"), Path())
    assert reward(bare) == Section(None, ("audit.json (gonogo audit)",))
