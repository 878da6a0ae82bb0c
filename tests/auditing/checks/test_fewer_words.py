"""To name everything is proven where a word too many never costs, and suspicious where it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import row

from gonogo.auditing.checks.fewer_words import FEWER, are_needed, never_cost, thinned
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity

pytestmark = pytest.mark.usefixtures("from_the_root")


@pytest.mark.parametrize(
    ("case", "severity"),
    [("NightOfAll", Severity.EFFORTLESS), ("NightOfSome", Severity.SUSPICIOUS)],
)
def test_naming_everything_blocks_where_a_word_too_many_never_costs(
    case: str, severity: Severity, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.nights:{case}", "audit.seeds": 8, "audit.budget": 4_000}
    _, report = fly_audit(tmp_path, given, {})
    assert {f.severity for f in report.findings if f.id == "keywords_pay"} <= {severity}
    assert any(f.blocks for f in report.findings) is (severity is Severity.EFFORTLESS)


def test_a_text_a_form_and_a_list_with_a_word_left_out() -> None:
    assert [thinned("a b c d e", n) for n in (0, 3, 7)] == ["a c d e", "a b d e", "a b c e"]
    form = '{"who": "a, b, c, d", "why": "a, b, c, d"}'
    assert thinned(form, 0) == '{"who": "a, c, d", "why": "a, b, c, d"}'
    assert thinned(form, 7) == '{"who": "a, b, c, d", "why": "a, b, d"}'
    assert thinned(["a", "b", "c", "d"], 2) == ["a", "c", "d"]
    assert thinned({"say": "two words", "n": 3, "few": ["a"]}, 0) == {
        "say": "two words",
        "n": 3,
        "few": ["a"],
    }


def test_words_cost_where_the_text_without_one_earns_more() -> None:
    whole = row("all", Kind.WORDS, [0.4])

    def beside(*paid: float) -> Survey:
        fewer = [row(f"fewer {n}", FEWER, [pay]) for n, pay in enumerate(paid)]
        about = [SurveyRow(f.name, f.kind, f.episodes, about="all") for f in fewer]
        return Survey({}, [whole, *about])

    assert never_cost(whole, beside(*[0.3, 0.4] * 4))
    assert not never_cost(whole, beside(*[0.3, 0.4] * 3, 0.3, 0.41))
    assert not never_cost(whole, beside(0.3, 0.4))
    assert are_needed(whole, beside(*[0.3, 0.4] * 4))
    assert not are_needed(whole, beside(*[0.3, 0.4] * 3, 0.4, 0.4))
    assert not are_needed(whole, beside(0.3, 0.3))
