"""The theme end to end on the zoo: real maps and audits, an author's file in every state; and the page."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.records_made import theme_facts, theme_report
from tests.submission.theme.conftest import ROOT, Json, filled, plan

from gonogo import config
from gonogo.auditing import audit
from gonogo.config import THEMES, blank, read_words
from gonogo.contract import check_env as mapping
from gonogo.errors import ConfigError, MissingRecord, StaleRecord
from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict
from gonogo.records.submission import Statement, ThemeReport
from gonogo.submission.theme import report as station
from gonogo.submission.theme.report import STATEMENT, markdown, sheets_of
from gonogo.submission.theme.rubric import CRITERIA, score, totals

CASES = "tests.zoo.cases"


def write(run: config.RunConfig, data: Any) -> None:
    run.words.write_text(yaml.safe_dump(data))


def test_the_first_call_writes_a_template_and_holds(run: Callable[..., config.RunConfig]) -> None:
    assert station.run(run()) is Verdict.HOLD
    assert read_words(run().words) == blank()
    record = ThemeReport.load(run().out)
    assert "statement.gap is empty" in record.missing
    assert "confirmed is not true" in record.reason
    page = (run().out / station.PAGE).read_text()
    assert "**HOLD**" in page and "3.2 World modelling: personalised tasks" in page


def test_what_flights_show_of_the_gridworld(run: Callable[..., config.RunConfig]) -> None:
    station.run(run())
    record = ThemeReport.load(run().out)
    facts = record.facts
    # It is walked in a few moves, nothing in it is hidden or can be raised, and it is what OpenEnv's grid world is.
    assert facts.decisions.holds is False and facts.decisions.to_succeed
    assert facts.hidden.went_another_way == 0
    assert facts.curriculum.holds is False
    assert facts.agents.others_named_by == ()
    assert facts.audit.holds is None
    assert facts.underexplored.holds is False
    assert facts.underexplored.nearest[0].name == "grid_world_env"
    refuted = [p for p in record.points if p.by == "measured" and p.criterion == "maps"]
    assert {p.theme for p in refuted} == {"2", "4"}
    assert all(p.reason.strip() for p in record.points)


def test_a_finished_and_confirmed_file_is_go_and_is_never_changed(
    run: Callable[..., config.RunConfig],
) -> None:
    write(run(), filled())
    before = run().words.read_bytes()
    assert station.run(run()) is Verdict.GO
    assert run().words.read_bytes() == before
    record = ThemeReport.load(run().out)
    assert (record.theme, record.missing, record.confirmed) == ("5", (), True)
    page = (run().out / station.PAGE).read_text()
    assert "A sentence." in page and "Walking is original." in page


@pytest.mark.parametrize(
    ("changes", "verdict", "reason"),
    [
        ({"confirmed": False}, Verdict.HOLD, "confirmed is not true"),
        ({"statement": {**filled()["statement"], "gap": " "}}, Verdict.HOLD, "gap is empty"),
        ({"theme": 2}, Verdict.NO_GO, "theme 2 is refuted"),
        ({"theme": "1"}, Verdict.HOLD, "nothing says that the core mechanic maps to theme 1"),
        ({"theme": None, "themes": {}}, Verdict.HOLD, "say which in the field theme"),
        ({"theme": None}, Verdict.GO, "it has most points"),
    ],
)
def test_a_file_that_is_not_finished_holds_and_one_that_flights_refute_is_no_go(
    run: Callable[..., config.RunConfig], changes: Json, verdict: Verdict, reason: str
) -> None:
    write(run(), filled(**changes))
    assert station.run(run()) is verdict
    assert reason in ThemeReport.load(run().out).reason


def without(field: str) -> Json:
    return {name: value for name, value in filled().items() if name != field}


@pytest.mark.parametrize(
    ("data", "rule"),
    [
        ("theme: [", "not YAML"),
        ("- 1", "must hold a mapping of fields, not list"),
        ("theme: 1\ntheme: 2\n", "a field is given twice: theme"),
        (without("pitch"), "pitch: Field required"),
        (filled(pitsch=1), "pitsch: there is no such field; did you mean 'pitch'?"),
        (filled(theme=7), r"theme: Input should be '1', '2', .*, not \"7\""),
        (filled(themes={"6": filled()["themes"]["5"]}), 'themes.6.*not "6"'),
        (filled(paper={"answer": True, "reason": ""}), "reason must say why the answer is true"),
        (filled(confirmed="yes"), 'confirmed: Input should be a valid boolean, not "yes"'),
    ],
)
def test_a_broken_file_is_named_by_field_and_value(
    run: Callable[..., config.RunConfig], data: Any, rule: str
) -> None:
    text = data if isinstance(data, str) else yaml.safe_dump(data)
    run().words.write_text(text)
    with pytest.raises(ConfigError, match=rule) as caught:
        station.run(run())
    assert str(run().words) in str(caught.value) and caught.value.exit_code == 2
    assert not ThemeReport.path(run().out).exists() and run().words.read_text() == text


@pytest.mark.parametrize(
    ("field", "value", "error", "rule"),
    [
        ("source_hash", "0" * 64, StaleRecord, r"source_hash is '000.*source has changed since"),
        ("target", "elsewhere", StaleRecord, "target must be .* not 'elsewhere'"),
        ("schema", "gonogo/map/9", StaleRecord, "schema must be gonogo/map/1, not 'gonogo/map/9'"),
        ("tasks", 3, StaleRecord, r"map\.json: tasks: Input should be .*; run map again"),
    ],
)
def test_a_stale_or_edited_map_is_refused_with_the_field(
    run: Callable[..., config.RunConfig], field: str, value: Any, error: type[Exception], rule: str
) -> None:
    file = ContractReport.path(run().out)
    file.write_text(json.dumps({**json.loads(file.read_text()), field: value}))
    with pytest.raises(error, match=rule):
        station.run(run())
    assert not run().words.exists()


def test_without_a_map_nothing_is_measured(gridworld: Path, tmp_path: Path) -> None:
    with pytest.raises(MissingRecord, match="gonogo map writes it"):
        station.run(plan(gridworld, tmp_path))


def test_an_audit_that_found_an_exploit_refutes_that_the_reward_trains(tmp_path: Path) -> None:
    case = f"{CASES}.paid_for_idling__watch"
    settings = plan(
        f"{case}:Defect", tmp_path, **{"audit.reference": f"{case}:solve", "audit.seeds": 12}
    )
    mapping.run(settings)
    assert audit.run(settings) is Verdict.NO_GO
    claim = {"answer": True, "reason": "It does."}
    write(settings, filled(themes={"5": {"maps": claim, "trains": claim}}))
    station.run(settings)
    record = ThemeReport.load(tmp_path)
    (trains,) = [p for p in record.points if p.theme == "5" and p.criterion == "trains"]
    assert (trains.points, trains.by) == (0, "measured")
    assert "paid_for_idling" in trains.reason and "says otherwise" in trains.reason
    assert record.facts.decisions.to_succeed, "the audit's reference was flown"


def test_what_is_not_shown_is_seen_where_the_same_goes_another_way(tmp_path: Path) -> None:
    case = f"{CASES}.leaked_answer__map"
    settings = plan(f"{case}:Sound", tmp_path)
    mapping.run(settings)
    station.run(settings)
    assert ThemeReport.load(tmp_path).facts.hidden.holds is True


def test_the_flagships_statement_is_finished_and_confirmed() -> None:
    words = read_words(ROOT / "configs" / "themes" / "flightrules.yaml")
    assert (words.theme, words.missing()) == ("2", [])
    assert None not in {claim.maps.answer for claim in words.themes.values()}


def scored(**fields: object) -> ThemeReport:
    """A record with all points of what was measured."""
    points = score(theme_facts(), blank())
    return theme_report(points=tuple(points), totals=totals(points), **fields)


def test_each_theme_has_a_row_and_the_chosen_one_is_marked() -> None:
    scores = sheets_of(scored(theme="3.1"))[0].rows
    assert [row[0] for row in scores] == [
        f"{theme} {title}{' ← chosen' * (theme == '3.1')}" for theme, title in THEMES.items()
    ]
    # Of what was measured the domain alone earns its points.
    assert {row[1:] for row in scores} == {("0", "0", "2", "0", "0", "2")}


def test_what_is_the_same_for_all_themes_is_said_once() -> None:
    reasons = sheets_of(scored())[1].rows
    shared = [row for row in reasons if row[0] == "all"]
    assert [row[1] for row in shared] == [
        CRITERIA[name][1] for name in ("underexplored", "paper", "pitch")
    ]
    assert len(reasons) == len(shared) + 2 * len(THEMES)


def test_the_statement_leaves_out_what_is_empty_and_says_who_drafted_it() -> None:
    said = dict.fromkeys(Statement.model_fields, "") | {"gap": "Nobody can."}
    record = scored(statement=Statement(**said), drafted_by="scribe", confirmed=False)
    rows = dict(sheets_of(record)[3].rows)
    assert list(rows) == ["theme", "capability gap", "drafted by", "confirmed"]
    assert (rows["drafted by"], rows["confirmed"]) == ("scribe", "no")
    assert sorted(STATEMENT) == sorted(Statement.model_fields)


def test_the_page_says_facts_and_what_is_missing() -> None:
    text = markdown(scored(missing=("statement.gap is empty",)))
    assert text.startswith("# Theme of x")
    assert "| underexplored | yes | far |" in text
    assert "| agents | cannot be told | one agent acts |" in text
    assert "statement.gap is empty" in text
