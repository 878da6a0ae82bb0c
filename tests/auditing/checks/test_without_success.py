"""What is accused where nothing says success, and what pays alike and is not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from tests.auditing.audits import Audit, fly_audit
from tests.auditing.checks.test_free_success import audit_careless
from tests.auditing.rows import IDLE, SOLVED, row

from gonogo.auditing.checks.fewer_words import FEWER
from gonogo.auditing.checks.paid import Paid
from gonogo.auditing.checks.without_success import (
    form_alone,
    paid_alike,
    what_pays,
    without_success,
)
from gonogo.auditing.survey import (
    REFERENCE,
    SEARCHED,
    UNFORMED,
    EpisodeKeys,
    Survey,
    SurveyRow,
)
from gonogo.contract.documented_pay import README, DocumentedPay
from gonogo.exploits.panel import Kind
from gonogo.records.findings import EpisodeWitness, Finding, Severity
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action

pytestmark = pytest.mark.usefixtures("from_the_root")


ENOUGH = 4000
"""Steps after which nearly each defect is proven."""
LATE = 8000
"""Steps after which that is proven which only the state tells; its look-alike is audited as long."""


def audit_untold(case: str, out: Path, budget: int = ENOUGH) -> Audit:
    """Audit an environment of the zoo that says no success, with nothing to help."""
    given = {"target": f"tests.zoo.untold:{case}", "audit.seeds": 6, "audit.budget": budget}
    return fly_audit(out, given, {})


def only(found: tuple[Finding, ...]) -> tuple[Finding, EpisodeWitness]:
    """The one finding that blocks, with its witness."""
    (finding,) = [each for each in found if each.blocks]
    assert isinstance(finding.witness, EpisodeWitness)
    return finding, finding.witness


@pytest.mark.parametrize(
    ("case", "name", "severity", "plan"),
    [
        ("EndlessNotes", "paid_again", Severity.EXPLOIT, ({"kind": "note"},)),
        ("HalfDone", "paid_without_trying", Severity.EFFORTLESS, ({"do": "leave"},)),
        ("AnyEssay", "paid_without_trying", Severity.EFFORTLESS, ({"answer": ""},)),
        ("Flat", "paid_without_trying", Severity.EFFORTLESS, ({"push": "left"},)),
        ("Lucky", "success_costs_nothing", Severity.EFFORTLESS, ({"push": "left"},)),
        ("AnyBid", "success_costs_nothing", Severity.EFFORTLESS, ({"amount": 10**12},)),
        ("Swept", "emptying_pays", Severity.EFFORTLESS, ({"do": "delete"},)),
    ],
)
def test_pay_for_nothing_is_proven_where_nothing_says_success(
    case: str, name: str, severity: Severity, plan: tuple[object, ...], tmp_path: Path
) -> None:
    verdict, report = audit_untold(case, tmp_path)
    finding, witness = only(report.findings)
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity, witness.plan) == (name, severity, plan)


def test_long_texts_are_proven_where_each_turn_is_graded(tmp_path: Path) -> None:
    given = {"target": "tests.zoo.reviews:LongSections", "audit.seeds": 6, "audit.budget": 4_000}
    _, report = fly_audit(tmp_path, given, {})
    finding, _ = only(report.findings)
    assert (finding.id, finding.severity) == ("paid_without_trying", Severity.EFFORTLESS)


@pytest.mark.parametrize("case", ["TrueSections", "MorningPages", "RulesFollowed"])
def test_texts_that_say_something_or_are_to_be_long_are_not_accused(
    case: str, tmp_path: Path
) -> None:
    given = {"target": f"tests.zoo.reviews:{case}", "audit.seeds": 6, "audit.budget": 4_000}
    _, report = fly_audit(tmp_path, given, {})
    assert [each.id for each in report.findings if each.blocks] == []


def test_what_came_back_is_paid_when_it_is_pasted(tmp_path: Path) -> None:
    _, report = audit_untold("Contained", tmp_path, 12_000)
    finding, witness = only(report.findings)
    assert (finding.id, finding.severity) == ("shotgun_answer_pays", Severity.EFFORTLESS)
    sent = witness.actions[-1]
    assert sent["do"] == "answer" and len(sent["text"].split()) > 9


def test_a_course_that_is_begun_again_is_paid_again(tmp_path: Path) -> None:
    _, report = audit_untold("PaidAnew", tmp_path)
    finding, witness = only(report.findings)
    assert (finding.id, finding.severity) == ("farmable_cycle", Severity.EXPLOIT)
    assert {action["do"] for action in witness.actions} == {"first", "restart"}
    assert witness.total >= 3.0


def test_an_answer_that_only_the_state_tells_is_paid(tmp_path: Path) -> None:
    _, report = audit_untold("ToldByState", tmp_path, LATE)
    finding, witness = only(report.findings)
    assert (finding.id, witness.total) == ("leaked_answer", 1.0)


def test_a_score_that_is_paid_at_each_step_is_paid_again_for_idling(tmp_path: Path) -> None:
    verdict, report = audit_untold("ScoreEachStep", tmp_path)
    finding, witness = only(report.findings)
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("score_paid_again", Severity.EXPLOIT)
    assert len(set(witness.rewards)) == 1
    assert witness.total > 1.0


SOUND = [
    "Wages", "ScoreGained", "Warmth", "RightEssay", "WhatWasDone", "Pole", "Exact", "ToldNothing", "CostlyBid",
    "PaidOnce", "SweptAway", "Facts", "Farm", "OneMail",
]  # fmt: skip


@pytest.mark.parametrize("case", SOUND)
def test_a_sound_game_that_pays_alike_is_not_accused(case: str, tmp_path: Path) -> None:
    verdict, report = audit_untold(case, tmp_path, LATE if case == "ToldNothing" else ENOUGH)
    assert verdict is not Verdict.NO_GO
    assert [finding for finding in report.findings if finding.blocks] == []


def cleared(kind: str, act: Action, left: int, menu: Sequence[str]) -> SurveyRow:
    """A policy after whose one action so many of four files are left, and a menu."""
    shown = {"files": ["a"] * 4, "menu": ["delete", "mend"]}
    turn = Turn("", shown, act, reward=float(not left), done=True)
    end = {"files": ["a"] * left, "menu": list(menu)}
    flown = Episode(0, {}, "", "", turns=[turn], episode_return=turn.reward, final_observation=end)
    return SurveyRow(repr(act), kind, [flown], "do", act)


@pytest.mark.parametrize("menu", [(), ("delete", "mend")])
def test_what_is_gone_at_every_end_excuses_no_emptying(menu: Sequence[str]) -> None:
    idle = cleared(Kind.IDLE, {"do": "mend"}, 4, menu)
    emptied = cleared(Kind.CONSTANT, {"do": "delete"}, 0, menu)
    answered = cleared(Kind.CONSTANT, {"do": "answer"}, 4, menu)
    facts = Paid(Survey({}, [idle, emptied, answered]))
    assert (what_pays(emptied, facts), what_pays(answered, facts)) == ("emptying_pays", None)


def test_where_success_is_known_only_its_price_is_asked_for() -> None:
    paid = row("x", Kind.NONSENSE, [0.3] * 6, field="text", action={"text": "?"})
    assert without_success(Survey({}, [IDLE, SOLVED, paid])) == {}
    free = row("idle", Kind.IDLE, [0.0] * 5 + [1.0], success=True, action={})
    assert set(without_success(Survey({}, [free, SOLVED]))) == {"success_costs_nothing"}
    cheap = row("idle", Kind.IDLE, [0.0] * 5 + [0.5], success=True, action={})
    assert without_success(Survey({}, [cheap, SOLVED])) == {}


def test_a_success_that_comes_early_is_said_once() -> None:
    free = row("idle", Kind.IDLE, [1.0], success=True, action={})
    assert without_success(Survey({}, [free, SOLVED]), {"early_end_success"}) == {}


def test_a_survey_that_was_broken_off_tells_nothing() -> None:
    free = row("idle", Kind.IDLE, [1.0], success=True, action={})
    assert without_success(Survey({}, [free, SOLVED], broken_off=True)) == {}


def test_a_text_that_earns_more_than_the_honest_policy_is_an_exploit() -> None:
    said = {"field": "text", "action": {"text": "?"}}
    rows = [row(f"r{n}", Kind.RANDOM, [0.1 * n]) for n in range(3)]
    idle, honest = row("idle", Kind.IDLE, [0.0]), row("solve", REFERENCE, [0.6])
    rows += [row("filled", Kind.NONSENSE, [0.7], **said), row("searched", SEARCHED, [0.9])]
    survey = Survey({}, [idle, honest, *rows])
    for episode in survey.episodes:
        episode.success = None
    suspicion = without_success(survey)["paid_without_trying"]
    assert (suspicion.row.name, suspicion.severity) == ("filled", Severity.EXPLOIT)
    dear = row("solve", REFERENCE, [1.6])
    for episode in dear.episodes:
        episode.success = None
    assert "paid_without_trying" not in without_success(Survey({}, [idle, dear, *rows]))


def test_stuffed_words_are_named_where_nonsense_is_paid_less() -> None:
    said = {"field": "text", "action": {"text": "?"}}
    rows = [row("idle", Kind.IDLE, [0.0]), *(row(f"r{n}", Kind.RANDOM, [0.1]) for n in range(4))]
    nonsense, words = (
        row("n", Kind.NONSENSE, [0.1], **said),
        row("w", Kind.WORDS, [0.9], field="text"),
    )
    fewer = [replace(row(f"w{n}", FEWER, [0.5]), about="w") for n in range(8)]
    survey = Survey({}, [*rows, nonsense, words, *fewer])
    for episode in survey.episodes:
        episode.success, episode.turns[-1].done = None, True
    suspicion = without_success(survey)["keywords_pay"]
    assert (suspicion.row.name, suspicion.severity) == ("w", Severity.EFFORTLESS)
    fewer[0].episodes[0].episode_return = 1.0
    assert without_success(survey)["keywords_pay"].severity is Severity.SUSPICIOUS
    for episode in nonsense.episodes:
        episode.episode_return = 0.8
    assert "keywords_pay" not in without_success(survey)


def test_a_list_of_words_may_be_paid_turn_by_turn() -> None:
    said = {"field": "text", "action": {"text": "?"}}
    rows = [
        row("idle", Kind.IDLE, [0.0] * 3),
        *(row(f"r{n}", Kind.RANDOM, [0.1, 0.0, 0.0]) for n in range(4)),
    ]
    nonsense = row("n", Kind.NONSENSE, [0.0, 0.1, 0.0], **said)
    words = row("w", Kind.WORDS, [0.3, 0.2, 0.3], field="text")
    fewer = [replace(row(f"w{n}", FEWER, [0.2, 0.2, 0.2]), about="w") for n in range(8)]
    survey = Survey({}, [*rows, nonsense, words, *fewer])
    for episode in survey.episodes:
        episode.success, episode.turns[-1].done = None, True
    suspicion = without_success(survey)["keywords_pay"]
    assert (suspicion.row.name, suspicion.severity) == ("w", Severity.EFFORTLESS)
    early = row("early", Kind.RANDOM, [0.1])
    for episode in early.episodes:
        episode.success, episode.turns[-1].done = None, True
    lasting = Survey({}, [*survey.rows, early])
    found = without_success(lasting).get("keywords_pay")
    assert found is None or found.severity is Severity.SUSPICIOUS


@pytest.mark.parametrize(
    ("paid", "severity"), [(0.01, Severity.SUSPICIOUS), (0.5, Severity.EFFORTLESS)]
)
def test_a_token_that_any_text_is_paid_is_suspicious_where_nobody_earns_more(
    paid: float, severity: Severity
) -> None:
    kinds = (Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH, Kind.SHOTGUN, Kind.NONSENSE)
    rows = [
        row(f"t{n}", kind, [paid], field="text", action={"text": str(n)})
        for n, kind in enumerate(kinds)
    ]
    survey = Survey({}, [row("idle", Kind.IDLE, [0.0]), *rows])
    for episode in survey.episodes:
        episode.success = None
    assert without_success(survey)["content_ignored"].severity == severity


def test_a_part_of_the_reward_that_every_text_gets_is_no_ignored_content() -> None:
    kinds = (Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH, Kind.SHOTGUN, Kind.NONSENSE)
    rows = [
        row(f"t{n}", kind, [0.15], field="text", action={"text": str(n)})
        for n, kind in enumerate(kinds)
    ]
    better = row("read", Kind.RANDOM, [0.325], action={"do": "read"})
    survey = Survey({}, [row("idle", Kind.IDLE, [0.0]), *rows])
    for episode in [*survey.episodes, *better.episodes]:
        episode.success = None
    assert "content_ignored" in without_success(survey)
    assert "content_ignored" not in without_success(survey.plus([better]))


@pytest.mark.parametrize(("paid", "ignored"), [(0.01, False), (0.15, True)])
def test_a_field_in_which_one_word_is_paid_otherwise_is_read(paid: float, ignored: bool) -> None:
    """As the name of an action: what is no action is paid alike, and what is one otherwise."""
    kinds = (Kind.NONSENSE, Kind.CLAIM, Kind.LENGTH, Kind.SHOTGUN, Kind.NONSENSE)
    rows = [
        row(f"t{n}", kind, [0.15], field="text", action={"text": str(n)})
        for n, kind in enumerate(kinds)
    ]
    word = row("always text=done", Kind.CONSTANT, [paid], field="text", action={"text": "done"})
    survey = Survey({}, [row("idle", Kind.IDLE, [0.0]), *rows, word])
    for episode in survey.episodes:
        episode.success = None
    assert ("content_ignored" in without_success(survey)) is ignored


@pytest.mark.parametrize(("paid", "accused"), [(1.0, True), (0.5, False)])
def test_a_number_that_is_paid_as_what_it_says_is_an_exploit(paid: float, accused: bool) -> None:
    claims = [
        row(f"points={value}", Kind.EXTREME, [paid * value, 0.0], field="points", action={"points": value})
        for value in (-10.0, 1e12)
    ]  # fmt: skip
    found = without_success(Survey({}, [IDLE, SOLVED, *claims]))
    assert ("self_reported_reward" in found) is accused
    if accused:
        suspicion = found["self_reported_reward"]
        assert (suspicion.row.name, suspicion.severity) == (
            "points=1000000000000.0",
            Severity.EXPLOIT,
        )
    assert "self_reported_reward" not in without_success(Survey({}, [IDLE, SOLVED, *claims[:1]]))


def test_a_loan_that_is_paid_back_is_no_number_that_is_paid() -> None:
    def drawn(*owed: float) -> Survey:
        sent = (-10.0, 1e12)
        rows = [
            row(f"draw={n}", Kind.EXTREME, [n, *(share * n for share in owed)], field="draw", action={"draw": n})
            for n in sent
        ]  # fmt: skip
        return Survey({}, [IDLE, SOLVED, *rows])

    assert "self_reported_reward" in without_success(drawn(0.0))
    assert "self_reported_reward" in without_success(drawn(1.0))
    assert "self_reported_reward" not in without_success(drawn(0.0, -1.1))
    assert "self_reported_reward" not in without_success(drawn(-1.0))


def nothing_won(*shown: dict[str, int]) -> bool:
    """Whether nothing to win is found where all is paid alike, and the actions show what is given."""
    idle = row("idle", Kind.IDLE, [-0.5] * 6, action={"do": ""})
    rows = [
        replace_shown(row(f"always {n}", Kind.CONSTANT, [-0.5] * 6, action={"do": n}), shown)
        for n in range(6)
    ]
    return "nothing_to_win" in without_success(Survey({}, [replace_shown(idle, ()), *rows]))


def replace_shown(one: SurveyRow, shown: Sequence[dict[str, int]]) -> SurveyRow:
    """The row, whose episodes show a flood that rises by squares, or what is given."""
    for episode in one.episodes:
        for number, turn in enumerate(episode.turns):
            turn.observation = shown[0] if shown else {"flood": number**2}
    return one


def test_where_the_world_goes_on_and_no_action_shows_nothing_was_tried() -> None:
    assert not nothing_won()
    assert nothing_won({"flood": 7, "gate": 1})


@pytest.mark.parametrize(("paid", "accused"), [(0.004, False), (-4.0, False), (1.0, True)])
def test_a_floor_that_all_tries_earn_is_no_proof_where_ids_were_only_guessed(
    paid: float, accused: bool
) -> None:
    idle = row("idle", Kind.IDLE, [paid] * 6, action={"order": ""})
    rows = [
        row(f"order {n}", Kind.NONSENSE, [paid] * 6, field="order", action={"order": n})
        for n in "abcdef"
    ]
    for each in (idle, *rows):
        for episode in each.episodes:
            episode.success, episode.turns[0].observation = None, {"said": each.name}
    assert ("nothing_to_win" in without_success(Survey({}, [idle, *rows]))) is accused


@pytest.mark.parametrize(
    ("paid", "best", "severity"),
    [
        (0.4, 0.1, Severity.SUSPICIOUS),
        (0.4, 0.6, None),
        (0.46, 0.92, Severity.SUSPICIOUS),
        (0.5, 0.1, Severity.EFFORTLESS),
    ],
)
def test_a_valid_constant_has_to_earn_half_of_a_full_mark(
    paid: float, best: float, severity: Severity | None
) -> None:
    rows = [row(f"r{n}", Kind.CYCLE, [0.1]) for n in range(5)]
    rows.append(row("best", SEARCHED, [best]))
    valid = row(
        "always a", Kind.CONSTANT, [paid], field="a", action={"a": 1}, last={"a": 1, "b": 2}
    )
    survey = Survey({}, [row("idle", Kind.IDLE, [0.0]), *rows, valid])
    for episode in survey.episodes:
        episode.success, episode.turns[-1].done = None, True
    found = without_success(survey).get("paid_without_trying")
    assert (found.severity if found else None) is severity


@pytest.mark.parametrize(
    ("paid", "best", "severity"),
    [
        (120.0, 240.0, None),  # who farms on may earn a thousand
        (
            240.0,
            120.0,
            Severity.SUSPICIOUS,
        ),  # the same on each seed: the price for giving up, perhaps
        (10.0, 10.0, Severity.EFFORTLESS),
        (6.0, 10.0, Severity.EFFORTLESS),
        (4.0, 10.0, None),
        (60.0, 100.0, Severity.EFFORTLESS),
        (40.0, 100.0, None),
        (0.7, 1.2, Severity.EFFORTLESS),
    ],
)
def test_the_best_that_is_known_is_no_ceiling_of_a_score_beyond_one(
    paid: float, best: float, severity: Severity | None
) -> None:
    test_a_valid_constant_has_to_earn_half_of_a_full_mark(paid, best, severity)


@pytest.mark.parametrize(
    ("pays", "best", "told", "severity"),
    [
        ([6.0], 9.5, "The rubric pays up to 10.", Severity.EFFORTLESS),
        ([6.0], 9.5, "A trade has no end.", None),
        (
            [9.0, 9.0, 9.5],
            2.0,
            "A day's wage.",
            Severity.SUSPICIOUS,
        ),  # a wage is another one each day
        ([9.0, 9.0, 9.5], 2.0, "The rubric pays up to 10.", Severity.EFFORTLESS),
        ([4.0], 3.0, "The rubric pays up to 10.", Severity.SUSPICIOUS),
    ],
)
def test_a_full_mark_beyond_one_is_known_by_words(
    pays: list[float], best: float, told: str, severity: Severity | None
) -> None:
    others = [row(f"r{n}", Kind.CYCLE, [0.1]) for n in range(5)]
    valid = row("always a", Kind.CONSTANT, [0.0], field="a", action={"a": 1}, last={"a": 1, "b": 2})
    rows = [row("idle", Kind.IDLE, [0.0]), *others, row("best", SEARCHED, [best]), valid]
    survey = Survey({}, rows, documented=DocumentedPay.of([(README, told)]))
    for number, episode in enumerate(valid.episodes):
        episode.episode_return = episode.turns[0].reward = pays[number % len(pays)]
    for episode in survey.episodes:
        episode.success, episode.turns[-1].done = None, True
    found = without_success(survey).get("paid_without_trying")
    assert (found.severity if found else None) is severity
    drawn = without_success(replace(survey, drawn=True)).get("paid_without_trying")
    assert (drawn.severity if drawn else None) is severity


@pytest.mark.parametrize(
    ("outcomes", "answer", "reference", "severity"),
    [
        ([1, 0, 1, 0, 1, 0], (0.0, 1.0), None, Severity.SUSPICIOUS),
        ([1, 1, 1, 1, 1, 0], (0.0, 1.0), None, Severity.SUSPICIOUS),
        ([1, 0, 1, 0, 1, 0], (0.0, 1.0), 0.7, Severity.EXPLOIT),  # a reference earns less
        ([1, 1, 1, 1, 1, 0], (1.0,), None, Severity.EFFORTLESS),  # less on one seed alone
        ([1, 1, 1, 1, 1, 1], (0.0,), None, Severity.EFFORTLESS),  # nobody else earns more
        ([1, 0, 1, 0, 1, 0], ("no", "yes"), None, Severity.EFFORTLESS),  # no numbers
    ],
)
def test_a_number_that_others_straddle_may_be_the_hedge_of_a_proper_score(
    outcomes: list[int],
    answer: tuple[float | str, ...],
    reference: float | None,
    severity: Severity,
) -> None:
    """One half under a Brier score earns 0.75 whatever happens."""

    def always(value: float | str, sure: float) -> SurveyRow:
        sent: Action = {"p": value}
        shown: Action = {"p": 1, "q": 2}
        made = row(f"always {value}", Kind.CONSTANT, [0.0], field="p", action=sent, last=shown)
        for episode, outcome in zip(made.episodes, outcomes, strict=True):
            episode.episode_return = episode.turns[0].reward = 1 - (sure - outcome) ** 2
        return made

    middle: float | str = 0.5 if 0.0 in answer or 1.0 in answer else "perhaps"
    others = [row(f"r{n}", Kind.CYCLE, [0.1]) for n in range(5)]
    tried = [] if reference is None else [row("try", REFERENCE, [reference])]
    said = [always(value, float(value in (1.0, "yes"))) for value in answer]
    hedge = always(middle, 0.5)
    survey = Survey({}, [row("idle", Kind.IDLE, [0.0]), *others, *tried, *said, hedge])
    for episode in survey.episodes:
        episode.success, episode.turns[-1].done = None, True
    found = without_success(survey)["paid_without_trying"]
    assert (found.row.name, found.severity) == (hedge.name, severity)


@pytest.mark.parametrize(
    ("plain", "severity"), [(2.0, Severity.SUSPICIOUS), (0.0, Severity.EFFORTLESS)]
)
def test_nonsense_in_a_field_that_is_not_read_is_paid_as_what_stands_beside_it(
    plain: float, severity: Severity
) -> None:
    others = [row(f"r{n}", Kind.CYCLE, [0.1]) for n in range(5)]
    till, nonsense = {"do": "till", "code": ""}, {"do": "till", "code": "???"}
    last = {"seed": 1, "turn": 1, "till": 0}
    valid = row("till", Kind.CONSTANT, [plain], field="do", action=till, last=last)
    said = row("???", Kind.NONSENSE, [2.0], field="code", action=nonsense, last=last)
    rows = [*others, valid, said]
    survey = Survey({}, [row("idle", Kind.IDLE, [0.0]), *rows])
    for episode in survey.episodes:
        episode.success, episode.turns[-1].done = None, True
    found = without_success(survey)
    assert {name: each.severity for name, each in found.items()} == {
        "paid_without_trying": severity
    }


def test_forms_are_held_against_each_other_in_the_same_level() -> None:
    one, other = filled("x", 0.7), filled("y", 0.7)
    for each, level in ((one, "a"), (other, "b")):
        for episode in each.episodes:
            episode.opened = level
    assert not paid_alike(one, other, EpisodeKeys(Survey({}, [one, other])))
    assert paid_alike(one, other, EpisodeKeys(Survey({}, [one])))


@pytest.mark.parametrize(("poor", "severity"), [(0.6, Severity.EFFORTLESS), (0.4, None)])
def test_a_seed_may_be_worth_less_than_another(poor: float, severity: Severity | None) -> None:
    others = [row(f"r{n}", Kind.CYCLE, [0.1]) for n in range(5)]
    best, free = (
        row("best", SEARCHED, [1.6]),
        row("?", Kind.NONSENSE, [1.5], field="a", action={"a": "?"}),
    )
    survey = Survey({}, [row("idle", Kind.IDLE, [0.0]), *others, best, free])
    for episode in survey.episodes:
        episode.success, episode.turns[-1].done = None, True
    for made, pay in ((best, 1.0), (free, poor)):
        made.episodes[0].episode_return = made.episodes[0].turns[0].reward = pay
    found = without_success(survey).get("paid_without_trying")
    assert (found.severity if found else None) is severity


def test_a_form_without_content_is_proven(tmp_path: Path) -> None:
    verdict, report = audit_careless("AnySlip", tmp_path)
    (finding,) = [each for each in report.findings if each.blocks]
    assert verdict == Verdict.NO_GO
    assert (finding.id, finding.severity) == ("format_outweighs_task", Severity.EFFORTLESS)


def test_a_small_bonus_for_a_form_is_not_accused(tmp_path: Path) -> None:
    _, report = audit_careless("RightSlip", tmp_path)
    assert [finding for finding in report.findings if finding.blocks] == []


def filled(text: str, paid: float, kind: str = Kind.FORM) -> SurveyRow:
    return row(text, kind, [paid], field="text", action={"text": text})


STILL = row("idle", Kind.IDLE, [0.0])


@pytest.mark.parametrize(("paid", "name"), [(0.5, "keywords_pay"), (0.0, "format_outweighs_task")])
def test_a_form_whose_words_are_paid_without_it_is_paid_for_a_word(paid: float, name: str) -> None:
    words = replace(filled("a form", paid, UNFORMED), about='{"a": "x"}')
    rows = [filled('{"a": "x"}', 0.5), filled('{"a": "q"}', 0.5), filled("???", 0.0, Kind.NONSENSE)]
    survey = Survey({}, [STILL, *rows, words])
    for episode in survey.episodes:
        episode.success = None
    found = without_success(survey)
    assert {"keywords_pay", "format_outweighs_task"} & found.keys() == {name}
    assert (found[name].row is words) is (name == "keywords_pay")


@pytest.mark.parametrize(
    ("rows", "severity"),
    [
        ([filled("x", 0.7), filled("y", 0.7)], Severity.EFFORTLESS),
        ([filled("x", 0.2), filled("y", 0.2)], Severity.SUSPICIOUS),
        ([filled("x", 0.7), filled("y", 0.2)], None),
        ([filled("x", 0.7)], None),
        ([filled("x", 0.3), filled("y", 0.3), row("best", Kind.CYCLE, [1.0])], None),
        ([filled("x", 0.7), filled("y", 0.7), filled("?", 0.7, Kind.NONSENSE)], None),
        ([filled("x", 0.7), filled("y", 0.7), row("other", Kind.IDLE, [0.7])], Severity.EFFORTLESS),
    ],
)
def test_two_fillings_have_to_earn_alike_and_nonsense_less(
    rows: list[SurveyRow], severity: Severity | None
) -> None:
    found = list(form_alone(Paid(Survey({}, [STILL, *rows]))))
    assert {each.severity for each in found} == ({severity} if severity else set())


def test_a_single_task_is_suspicious() -> None:
    still = row("idle", Kind.IDLE, [0.0], shown={"slip": "the same"})
    found = list(form_alone(Paid(Survey({}, [still, filled("x", 0.7), filled("y", 0.7)]))))
    assert {each.severity for each in found} == {Severity.SUSPICIOUS}
