"""Who succeeds without trying: what is accused of it, and what is right all the same."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.checks.free_success import blocks_still, early_successes, free_successes
from gonogo.auditing.checks.without_success import without_success
from gonogo.auditing.survey import EXPLORED, Survey, SurveyRow
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.records.record import Verdict
from gonogo.records.success import JudgedSuccess, SuccessCandidate
from gonogo.wire import Action

pytestmark = pytest.mark.usefixtures("from_the_root")
SEND = {"kind": "send"}
ENOUGH = 6_000
"""Steps after which each defect is proven."""
SOUND = ["FullBasket", "EvenShift", "OneLever", "FairQuestion", "LopsidedQuestion"]


def audit_careless(case: str, out: Path, budget: int = ENOUGH) -> Audit:
    """Audit an environment of the zoo with nothing to help."""
    given = {"target": f"tests.zoo.careless:{case}", "audit.seeds": 20, "audit.budget": budget}
    return fly_audit(out, given, {})


@pytest.mark.parametrize(
    ("case", "plan"), [("AnyBasket", ({"kind": "send"},)), ("LopsidedShift", ({"to": "desk"},))]
)
def test_a_constant_that_succeeds_on_most_of_many_tasks_is_proven(
    case: str, plan: tuple[object, ...], tmp_path: Path
) -> None:
    verdict, report = audit_careless(case, tmp_path)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("success_costs_nothing", Severity.EFFORTLESS)
    assert finding.witness.plan == plan  # type: ignore[union-attr]


@pytest.mark.parametrize("case", SOUND)
def test_a_sound_game_is_not_accused_of_a_free_success(case: str, tmp_path: Path) -> None:
    verdict, report = audit_careless(case, tmp_path)
    assert verdict is not Verdict.NO_GO
    assert [finding for finding in report.findings if finding.blocks] == []


def test_a_claim_of_all_that_is_asked_for_is_proven_where_nothing_of_it_was_done(
    tmp_path: Path,
) -> None:
    verdict, report = audit_careless("ClaimedRound", tmp_path / "claimed")
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("success_costs_nothing", Severity.EFFORTLESS)
    assert len(finding.witness.actions) == 1  # type: ignore[union-attr]
    _, sound = audit_careless("DoneRound", tmp_path / "done")
    assert [finding for finding in sound.findings if finding.blocks] == []


def test_a_form_alone_that_succeeds_is_proven_before_the_panel(tmp_path: Path) -> None:
    given = {"target": "tests.zoo.careless:AnyNote", "audit.budget": 800}
    verdict, report = fly_audit(tmp_path, given)
    (finding,) = [each for each in report.findings if each.blocks]
    assert "the panel" in report.budget.unreached and verdict is Verdict.NO_GO
    assert (finding.id, finding.severity) == ("success_costs_nothing", Severity.EFFORTLESS)
    assert "the form alone" in finding.explanation
    assert "so does the same form filled otherwise" in finding.explanation


def test_a_form_of_which_the_content_counts_is_not_accused(tmp_path: Path) -> None:
    _, report = audit_careless("RightNote", tmp_path)
    assert [finding.id for finding in report.findings if finding.blocks] == []


def ended(made: SurveyRow) -> SurveyRow:
    """A row whose episodes ended by themselves."""
    for episode in made.episodes:
        episode.turns[-1].done = True
    return made


def sends(paid: float = 1.0) -> SurveyRow:
    return ended(row("always send", Kind.CONSTANT, [paid], success=True, action=SEND))


def refused() -> SurveyRow:
    return ended(row("random", Kind.RANDOM, [0.0]))


def suspected(*rows: SurveyRow) -> Suspicion:
    (found,) = free_successes(Survey({}, [*rows]))
    return found


def test_a_valid_constant_blocks_where_the_tasks_differ_and_some_end_is_no_success() -> None:
    found = suspected(IDLE, sends(), refused())
    assert (found.id, found.severity) == ("success_costs_nothing", Severity.EFFORTLESS)


def copied(kind: str, context: Action | None, turns: int = 1) -> SurveyRow:
    paid = [*[0.0] * (turns - 1), 1.0]
    made = ended(row("copied list", kind, paid, success=True, field="done"))
    for episode in made.episodes:
        for turn in episode.turns:
            turn.action = {"list": [episode.task["seed"]]}
    return replace(made, episodes=made.episodes * 2, context=context)


def test_a_copy_blocks_only_as_the_first_step_of_all_beside_another_choice() -> None:
    def severities(made: SurveyRow) -> list[Severity]:
        return [s.severity for s in free_successes(Survey({}, [IDLE, made, refused()]))]

    close = {"kind": "close"}
    assert severities(copied(Kind.ECHO, close)) == [Severity.EFFORTLESS]
    assert severities(copied(Kind.ECHO, None)) == []
    assert severities(copied(Kind.ECHO, close, turns=2)) == []
    some = copied(Kind.SHOTGUN, close, turns=2)
    assert severities(some) == [Severity.SUSPICIOUS]
    for episode in some.episodes:  # what never differs is a constant
        for turn in episode.turns:
            turn.action = {"list": [1, 2, 3]}
    assert severities(some) == [Severity.EFFORTLESS]


def test_a_constant_may_be_the_right_one_of_a_single_task() -> None:
    still = row("idle", Kind.IDLE, [0.0] * 6, action={}, shown={"case": "pull"})
    assert suspected(still, sends(), refused()).severity is Severity.SUSPICIOUS
    ids = row("idle", Kind.IDLE, [0.0] * 6, action={})
    for number, episode in enumerate(ids.episodes):
        episode.turns[0].observation = {"episode": f"3f2a9c1e-0000-4000-8000-00000000000{number}"}
    assert suspected(ids, sends(), refused()).severity is Severity.SUSPICIOUS


def test_a_flag_that_every_end_sets_says_nothing_of_the_task() -> None:
    assert suspected(IDLE, sends()).severity is Severity.SUSPICIOUS
    dear = ended(row("random", Kind.RANDOM, [1.0]))
    assert suspected(IDLE, sends(), dear).severity is Severity.SUSPICIOUS
    assert suspected(IDLE, sends(0.01), refused()).severity is Severity.SUSPICIOUS
    late = ended(row("random", Kind.RANDOM, [0.0] * 9))
    assert suspected(IDLE, sends(), late).severity is Severity.SUSPICIOUS
    untold = refused()
    for episode in untold.episodes:
        episode.success = None
    others = [ended(row("x", Kind.CYCLE, [0.0] * 3)), untold]
    assert suspected(IDLE, sends(), *others).severity is Severity.EFFORTLESS


@pytest.mark.parametrize(("days", "weighs"), [(1, "EFFORTLESS"), (30, "SUSPICIOUS")])
def test_the_end_of_the_time_of_all_denies_nothing(days: int, weighs: str) -> None:
    idle = ended(row("idle", Kind.IDLE, [0.0] * days, action={}))
    order = row("always order 10", Kind.CONSTANT, [1.0 / days] * days, success=True, action=SEND)
    assert suspected(idle, ended(order)).severity is Severity[weighs]


def test_a_constant_that_is_paid_far_less_than_the_best_tells_nothing() -> None:
    def accused(best: float, *others: SurveyRow) -> bool:
        dear = row("solve", Kind.SHOTGUN, [best], success=True)
        survey = Survey({}, [IDLE, sends(), dear, *others])
        return "always send" in {s.row.name for s in free_successes(survey)}

    assert accused(1.9, refused())
    assert not accused(1.9)
    assert not accused(2.1, refused())


def test_what_rests_on_a_doubtful_success_is_suspicious() -> None:
    mark = SuccessCandidate(
        expression="reward >= 1", strength=2.0, why="", held=1, ends=2, return_held=1.0, return_else=0.0,
        circular=True,
    )  # fmt: skip
    judged = JudgedSuccess(said_by="assumed", expression="reward >= 1", why="", candidates=(mark,))
    survey = replace(Survey({}, [IDLE, sends(), refused()]), judged=judged)
    (found,) = free_successes(survey)
    assert found.severity is Severity.SUSPICIOUS


def many(made: SurveyRow, good: int, of: int) -> SurveyRow:
    """A row on many seeds, of which some succeed."""
    episodes = [replace(made.episodes[n % 6], task={"seed": n}) for n in range(of)]
    for number, episode in enumerate(episodes):
        episode.success = number < good
        episode.episode_return = float(number < good)
    return replace(made, episodes=episodes)


@pytest.mark.parametrize(
    ("good", "drawn", "of", "accused"),
    [(12, 0, 20, True), (12, 9, 20, False), (9, 0, 20, False), (6, 0, 10, False)],
)
def test_half_of_many_tasks_are_too_many_where_chance_gets_less(
    good: int, drawn: int, of: int, accused: bool
) -> None:
    rows = [IDLE, SOLVED, many(sends(), good, of), many(refused(), drawn, of)]
    found = list(free_successes(Survey({}, rows)))
    assert bool(found) is accused
    assert all(s.severity is Severity.EFFORTLESS for s in found)


def right_on(made: SurveyRow, seeds: Iterable[int], of: int = 20) -> SurveyRow:
    """A row on many seeds, of which some succeed."""
    good = [seed in set(seeds) for seed in range(of)]
    episodes = [
        replace(made.episodes[0], task={"seed": seed}, success=right, episode_return=float(right))
        for seed, right in enumerate(good)
    ]
    return replace(made, episodes=episodes)


def answers(name: str, seeds: Iterable[int], **action: str) -> SurveyRow:
    """A constant that is right on some of twenty seeds."""
    made = ended(row(f"always {name}", Kind.CONSTANT, [1.0], field="label", action={**action}))
    return right_on(made, seeds)


def fair(first: int, *others: SurveyRow) -> list[Suspicion]:
    """What is said of a question of which one answer is right on the first seeds, where others are none or right."""
    yes = answers("yes", range(first), label="yes", unit="C")
    solved = right_on(replace(SOLVED, name="solve"), range(first))
    return list(free_successes(Survey({}, [IDLE, solved, many(refused(), 0, 20), yes, *others])))


def test_one_of_few_fair_answers_is_no_free_success() -> None:
    assert [s.severity for s in fair(12)] == [Severity.EFFORTLESS]
    assert fair(12, answers("no", range(12, 20), label="no", unit="C")) == []
    lopsided = fair(16, answers("no", range(16, 20), label="no", unit="C"))
    assert [s.row.name for s in lopsided] == ["always yes"]


def test_a_fair_answer_differs_in_one_field_whatever_field_carries_it() -> None:
    no = replace(answers("no", range(12, 20), label="no", unit="C"), field="unit")
    assert fair(12, no) == []
    far = replace(answers("no", range(12, 20), label="no", unit="K"), field="unit")
    assert [s.row.name for s in fair(12, far)] == ["always yes"]


def test_what_is_right_on_the_same_seeds_is_the_same_answer() -> None:
    same = answers("yes in kelvin", range(12), label="yes", unit="K")
    assert {s.row.name for s in fair(12, same)} == {"always yes", "always yes in kelvin"}


def test_a_constant_has_to_earn_what_those_earn_who_try() -> None:
    def weighs(good: int, *others: SurveyRow) -> tuple[Severity | None, int]:
        rows = [IDLE, many(refused(), 0, 20), right_on(sends(), range(good)), *others]
        (found,) = free_successes(Survey({}, rows), "always send")
        return found.severity, found.least_seeds

    solved = right_on(SOLVED, range(20))
    assert weighs(19, solved) == (Severity.EFFORTLESS, 0)
    assert weighs(16, solved) == (Severity.SUSPICIOUS, 12)
    explored = right_on(row("explored 1", EXPLORED, [0.0, 1.0], action={"kind": "ask"}), range(19))
    assert weighs(19, explored) == (Severity.EFFORTLESS, 0)
    # Nobody else is known: who sends the same, and other habits.
    copied = right_on(row("explored 1", EXPLORED, [1.0], action=SEND), range(20))
    other = right_on(row("x", Kind.SHOTGUN, [0.0] * 3), range(20))
    for others in ([], [copied], [other]):
        assert weighs(20, *others) == (Severity.EFFORTLESS, 12)
        assert weighs(19, *others) == (Severity.SUSPICIOUS, 12)


def test_what_is_paid_half_of_the_best_is_suspicious() -> None:
    dear = row("solve", Kind.SHOTGUN, [1.9], success=True)
    survey = Survey({}, [IDLE, refused(), sends(), dear])
    (found,) = free_successes(survey, "always send")
    assert found.severity is Severity.SUSPICIOUS


def test_one_row_alone_may_be_asked_and_what_blocks_comes_first() -> None:
    nonsense = ended(row("nonsense", Kind.NONSENSE, [1.0], action={"to": "?", "text": "?"}))
    rows = [IDLE, many(refused(), 0, 20), many(sends(), 20, 20), many(nonsense, 12, 20)]
    survey = Survey({}, rows)
    assert without_success(survey)["success_costs_nothing"].row.name == "always send"
    (asked,) = without_success(survey, again="nonsense").values()
    assert (asked.row.name, asked.severity) == ("nonsense", Severity.SUSPICIOUS)
    assert without_success(survey, again="random") == {}
    assert blocks_still(survey, "always send") and not blocks_still(survey, "nonsense")


def form(text: str, *, success: bool = True, paid: float = 1.0) -> SurveyRow:
    action = {"kind": "send", "text": text}
    return ended(row(text, Kind.FORM, [paid], success=success, field="text", action=action))


def blocking(*rows: SurveyRow) -> list[str]:
    found = free_successes(Survey({}, [IDLE, *rows]))
    return [s.row.name for s in found if s.severity is Severity.EFFORTLESS]


def test_a_form_is_free_only_where_another_filling_with_nothing_in_common_succeeds_too() -> None:
    some, other = form('{"a": "x", "n": 1}'), form('{"a": "qzxj", "n": 7}')
    assert blocking(some, other) == [some.name, other.name]
    assert blocking(some) == []
    assert blocking(some, replace(other, context={"kind": "keep"})) == []
    assert blocking(some, form('{"a": "qzxj", "n": 7}', success=False)) == []
    # What both say may be what is right.
    assert blocking(form('{"a": "x", "yes": true}'), form('{"a": "qzxj", "yes": true}')) == []
    assert len(blocking(form("<a>x</a>"), form("<a>qzxj</a>"))) == 2


def test_a_form_waits_for_the_panel_where_exploration_found_a_dearer_success() -> None:
    rows = [IDLE, form('{"a": "x", "n": 1}'), form('{"a": "qzxj", "n": 7}')]
    survey = Survey({}, rows)
    assert len(list(early_successes(survey, []))) == 2
    assert len(list(early_successes(survey, rows[1].episodes))) == 2
    dear = row("explored", EXPLORED, [0.0, 2.0], success=True)
    assert list(early_successes(survey, dear.episodes)) == []
