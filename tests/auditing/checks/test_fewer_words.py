"""To name everything is proven where a word too many never costs, and suspicious where it does."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.rows import row

from gonogo.auditing.checks.fewer_words import FEWER, never_cost, thinned
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


def test_fewer_words_of_a_text_a_form_and_a_list() -> None:
    assert [thinned("a b c d e", 2, n) for n in (0, 1)] == ["a b d e", "a c e"]
    form = '{"who": "a, b, c, d", "why": "a, b, c, d"}'
    assert thinned(form, 2, 0) == '{"who": "a, b, d", "why": "a, b, d"}'
    assert thinned(form, 2, 1) == '{"who": "a, c, d", "why": "a, c, d"}'
    assert thinned(["a", "b", "c", "d"], 2, 1) == ["b", "d"]
    assert thinned({"say": "two words", "n": 3}, 4, 0) == {"say": "two words", "n": 3}


def test_words_cost_where_some_of_them_earn_more() -> None:
    whole = row("all", Kind.WORDS, [0.4])

    def beside(*paid: float) -> Survey:
        fewer = [row(f"fewer {n}", FEWER, [pay]) for n, pay in enumerate(paid)]
        return Survey(
            {}, [whole, *(SurveyRow(f.name, f.kind, f.episodes, about="all") for f in fewer)]
        )

    assert never_cost(whole, beside(0.2, 0.4, 0.1, 0.0))
    assert not never_cost(whole, beside(0.2, 0.4, 0.1, 0.5))
    assert not never_cost(whole, beside(0.2, 0.4, 0.1))
