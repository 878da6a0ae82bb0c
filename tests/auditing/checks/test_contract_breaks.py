"""What breaks the contract in the audit's own flights leaves an episode that a replay shows again."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, cast

import pytest
from tests.records_made import contract_report

from gonogo import config
from gonogo.api import replay_file
from gonogo.auditing.checks.contract_breaks import (
    BreakProofs,
    Suspect,
    after_end,
    ends_of,
    late_at_some_reset,
    prove_late,
    range_of,
    suspect,
)
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.flight_log import FlightLog
from gonogo.auditing.progress import AuditProgress
from gonogo.auditing.session import AuditContext, AuditSession, LastAnswer
from gonogo.auditing.survey import Survey, SurveyRow
from gonogo.contract.reset_search import MOST_RESETS
from gonogo.env.environment import Env
from gonogo.records.contract import ContractReport
from gonogo.records.findings import ContractWitness
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Failure
from gonogo.wire import JsonObject as Json

ROOT = Path(__file__).parents[3]
CARD = contract_report()


def replayed(proof: Confirmed, folder: Path) -> Verdict:
    """What a replay says of a proof."""
    assert proof.episode is not None
    (folder / "witnesses.jsonl").write_text(f"{proof.episode.to_json()}\n")
    return replay_file(folder / "witnesses.jsonl", None).verdict


def breaks_of(
    session: AuditSession, survey: Survey, card: ContractReport = CARD
) -> list[Confirmed]:
    """What is proven of a survey's contract breaks, each as if a fresh process showed it."""
    proven: list[Confirmed] = []
    breaks = BreakProofs(card, set, lambda proof: proven.append(proof) is None)
    breaks.prove(session, {}, breaks.suspects(survey))
    return proven


def test_a_break_that_no_fresh_process_shows_stands_for_no_other() -> None:
    """The next suspect of the same id is tried at once, and the one that failed is not tried again."""

    def lost(number: int) -> Episode:
        turns = [Turn("", {}, action={"number": number})]
        return Episode(0, {"seed": 1}, "t", "p", turns=turns, error="it died")

    class Dying:
        """Every step ends the process."""

        flown: ClassVar[list[Any]] = []

        def look(self, task: Any, actions: Any) -> LastAnswer:
            self.flown.append(actions[-1]["number"])
            return LastAnswer(Failure("it died", "died"), None, None)

    rows = [SurveyRow("x", "panel", [lost(number) for number in range(9)])]
    survey, session, taken = Survey({}, rows), Dying(), list[int]()

    def stands(proof: Confirmed) -> bool:
        taken.append((proof.finding.witness.actions or ())[0]["number"])
        return taken[-1] == 6

    breaks = BreakProofs(CARD, set, stands)
    for stage in (1, 2):
        breaks.prove(cast("AuditSession", session), {}, breaks.suspects(survey))
        assert taken == session.flown == ([*range(4)] if stage == 1 else [*range(7)])


def test_what_is_proven_is_not_flown_again_and_another_kind_of_loss_is_looked_for() -> None:
    def lost(number: int, error: str) -> Episode:
        turns = [Turn("", {}, action={"number": number})]
        return Episode(0, {"seed": 1}, "t", "p", turns=turns, error=error)

    class Losing:
        """The first numbers hang, the others end the process."""

        flown: ClassVar[list[Any]] = []

        def look(self, task: Any, actions: Any) -> LastAnswer:
            self.flown.append(actions[-1]["number"])
            hangs = self.flown[-1] < 6
            return LastAnswer(Failure("x", "timeout" if hangs else "died"), None, None)

    rows = [
        SurveyRow("x", "panel", [lost(n, f"no answer within {n} s at 0xf{n}") for n in range(6)])
    ]
    session, proven = Losing(), list[str]()

    def stands(proof: Confirmed) -> bool:
        proven.append(proof.finding.id)
        return True

    breaks = BreakProofs(CARD, lambda: proven, stands)

    def prove() -> None:
        survey = Survey({}, rows)
        breaks.prove(cast("AuditSession", session), {}, breaks.suspects(survey))

    prove()
    assert (session.flown, proven) == ([0], ["hangs"])
    prove()
    assert not breaks.suspects(Survey({}, rows))
    assert session.flown == [0]
    rows += [SurveyRow("y", "panel", [lost(6, "it died"), lost(7, "it died")])]
    prove()
    prove()
    assert (session.flown, proven) == ([0, 6], ["hangs", "dies"])


def test_a_null_that_could_not_be_told_is_told_until_it_is_proven(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A NaN stands in place of a reward that others are paid; what is proven is not minimised again."""

    def paid(reward: float | None) -> Episode:
        turns = [Turn("", {}, action={"number": 1}, reward=reward, done=True)]
        return Episode(0, {"seed": 1}, "t", "p", turns=turns, episode_return=reward)

    class Remote:
        """What was answered before it was JSON is not seen."""

        def look(self, task: Any, actions: Any) -> LastAnswer:
            return LastAnswer(Failure("x", "raised"), None, None)

    known, flown = set[str](), list[Suspect]()
    session = cast("AuditSession", Remote())
    breaks = BreakProofs(CARD, lambda: known, lambda proof: known.add("nan_reward") is None)
    suspects = breaks.suspects(Survey({}, [SurveyRow("x", "panel", [paid(1.0), paid(None)])]))
    (null,) = suspects.nulls
    (said,) = breaks.prove(session, {}, suspects)
    assert said.startswith("the reward of x is null")

    def proven(session: AuditSession, task: Json, suspect: Suspect) -> Confirmed:
        flown.append(suspect)
        witness = ContractWitness(reset={}, actions=())
        return Confirmed.of("nan_reward", {}, witness, "so", suspect.episode, "x")

    monkeypatch.setattr("gonogo.auditing.checks.contract_breaks.prove_nan", proven)
    for _ in range(2):
        assert not breaks.prove(session, {}, suspects)
        assert flown == [null]
    known.clear()  # it rested on a success that is no longer assumed
    assert not breaks.prove(session, {}, suspects)
    assert flown == [null, null]


def test_a_success_that_is_paid_on_is_replayed_past_its_end(
    opened: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    field, survey = opened("paid_after_done:Defect")
    looked: set[str] = set()
    (proof,) = prove_late(lambda: field, survey, looked, {})
    assert proof.finding.id == "paid_after_done"
    assert proof.episode is not None
    assert [turn.done for turn in proof.episode.turns[-2:]] == [True, True]
    assert proof.episode.turns[-1].reward
    assert replayed(proof, tmp_path) is Verdict.GO
    assert looked
    field, survey = opened("paid_after_done:Sound")
    assert not prove_late(lambda: field, survey, looked, {})


def test_a_step_is_past_an_end_only_where_the_flight_ends_there_again(
    session_of: Callable[[str], AuditSession],
) -> None:
    """A desk pays for each turn of waiting: one that was seen to end an episode does not end it again."""
    session = session_of("tests.zoo.helpdesk:Helpdesk")
    turn = Turn("", {}, action={"verb": "wait"}, reward=0.1, done=True)
    seen = Episode(0, {"seed": 1}, "t", "p", turns=[turn], episode_return=0.1)
    assert not prove_late(lambda: session, Survey({}, [SurveyRow("x", "panel", [seen])]), set(), {})


def test_an_episode_that_runs_again_after_its_end_is_told_once(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.walks:Relay")
    step = {"foot": "left"}
    turns = [Turn("", {}, action=step, reward=1.0, done=over) for over in (False, True)]
    seen = Episode(0, {"seed": 1}, "t", "p", turns=turns, episode_return=2.0)
    survey = Survey({}, [SurveyRow("x", "panel", [seen])])
    (proof,) = prove_late(lambda: session, survey, set(), {})
    assert proof.finding.id == "paid_after_done"
    assert not prove_late(lambda: session, survey, set(), {}, revives=True)


@pytest.mark.parametrize(("name", "before"), [("PaidLate", 1), ("PaidEarly", 0)])
def test_a_late_payment_is_shown_at_a_reset_of_a_fresh_process(
    name: str, before: int, session_of: Callable[[str], AuditSession], tmp_path: Path
) -> None:
    """Of the first one, by its own end, if that shows it; else of the one that did, after the resets before it."""
    session = session_of(f"tests.zoo.turns:{name}")
    task, step = {"seed": 1}, {"number": 1}
    session.look(task, [])
    turns = [Turn("", {}, action=step, reward=0.5, done=over) for over in (False, True)]
    seen = Episode(0, task, f"tests.zoo.turns:{name}", "p", turns=turns, episode_return=1.0)
    (proof,) = prove_late(lambda: session, Survey({}, [SurveyRow("x", "panel", [seen])]), set(), {})
    # what it was seen with is not flown again in the same process: these resets are those of the flight that saw it
    assert session.resets_before(task, [step] * 3) == (task,)
    assert len(proof.finding.witness.resets_before or ()) == before
    assert ("at reset 2 of a fresh process" in proof.finding.explanation) is (before == 1)
    assert "otherwise" not in proof.finding.explanation
    assert replayed(proof, tmp_path) is Verdict.GO


def test_a_late_payment_that_no_fresh_process_shows_is_a_note(
    session_of: Callable[[str], AuditSession],
) -> None:
    """What made it was named so long before that no search goes back to it."""
    session = session_of("tests.zoo.turns:Keeping")
    task, step = {"seed": 1}, {"number": 1}
    for options in ({**task, "task": "hard"}, *[task] * (MOST_RESETS + 1)):
        session.look(options, [])
    turns = [Turn("", {}, action=step, reward=1.0, done=over) for over in (False, True)]
    seen = Episode(0, task, "tests.zoo.turns:Keeping", "p", turns=turns, episode_return=2.0)
    survey, doubts = Survey({}, [SurveyRow("x", "panel", [seen])]), dict[str, str]()
    assert prove_late(lambda: session, survey, set(), doubts) == []
    (said,) = doubts.values()
    assert said == (
        "paid_after_done was seen in a running session, but a fresh process did not show it within 24 resets (x: step "
        "2 ended the episode and was paid 1; the same action, sent again after the end, was paid 1)"
    )


def test_what_an_end_and_a_step_after_it_were_paid_is_of_one_flight(
    session_of: Callable[[str], AuditSession],
) -> None:
    """Each flight of the same actions is paid another number: two numbers of two flights prove nothing."""
    session = session_of("tests.zoo.turns:Lots")
    turn = Turn("", {}, action={"number": 0}, reward=7.0, done=True)
    seen = Episode(0, {"seed": 1}, "t", "p", turns=[turn], episode_return=7.0)
    (proof,) = prove_late(lambda: session, Survey({}, [SurveyRow("x", "panel", [seen])]), set(), {})
    end, late = proof.finding.witness.rewards
    assert late == end / 2
    assert f"was paid {end:g}; the same action" in proof.finding.explanation
    assert "in one and the same episode" in proof.finding.explanation
    assert proof.episode is None


def test_other_actions_follow_an_end_too() -> None:
    turns = [
        Turn("", {}, action={"word": "a"}, reward=0.4),
        Turn("", {}, action={"word": "b"}, reward=0.1, done=True),
    ]
    end = Suspect(SurveyRow("x", "panel", []), Episode(0, {}, "t", "p", turns=turns), 2)
    assert after_end(end, {"word": ""}) == [{"word": "b"}, {"word": ""}, {"word": "a"}]
    assert after_end(end, {"word": "a"}) == [{"word": "b"}, {"word": "a"}]
    long = replace(end.episode, turns=[*turns[:1] * 60, turns[1]])
    assert after_end(Suspect(end.row, long, 61), {"word": ""}) == [{"word": "b"}]


def test_an_end_is_looked_past_once_and_a_success_first() -> None:
    def ended(word: str, reward: float, success: bool | None = None) -> Episode:
        turns = [Turn("", {}, action={"word": word}, reward=reward, done=True)]
        return Episode(
            0, {"seed": 1}, "t", "p", turns=turns, episode_return=reward, success=success
        )

    rows = [
        SurveyRow("dull", "panel", [ended("a", 0.1), ended("b", 0.3), ended("a", 0.2)]),
        SurveyRow("good", "panel", [ended("c", 0.1, success=True)]),
        SurveyRow("cut", "panel", [replace(ended("d", 0.9), turns=[])]),
    ]
    ends = ends_of(Survey({}, rows))
    assert [(end.row.name, end.actions[-1]["word"]) for end in ends] == [
        ("good", "c"), ("dull", "b"), ("dull", "a"),
    ]  # fmt: skip
    assert ends[-1].episode.turns[-1].reward == 0.2


def test_a_lost_episode_is_replayed_as_lost(rogue: Path, tmp_path: Path) -> None:
    run = config.load(None, {"target": str(rogue), "out": str(tmp_path)})
    with closing(AuditProgress()) as watch:
        log = FlightLog(tmp_path / "log.jsonl")
        with closing(
            AuditSession(AuditContext(Env.of(run), run, CARD, log, watch.part("x")))
        ) as session:
            plan = ({"trick": "exit", "seed": 1}, [{"word": "a"}, {"word": "b"}])
            rows = [SurveyRow("plan", "panel", session.plans("plan", [plan]))]
            (proof,) = breaks_of(session, Survey({}, rows))
    assert proof.finding.id == "dies"
    assert replayed(proof, tmp_path) is Verdict.GO


def test_a_reward_beyond_what_the_environment_declares_is_proven_and_replayed(
    opened: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    field, survey = opened("reward_out_of_range:Defect")
    (proof,) = breaks_of(field, survey)
    assert proof.finding.id == "reward_out_of_range"
    assert max(proof.finding.witness.rewards) > 1
    assert replayed(proof, tmp_path) is Verdict.GO
    field, survey = opened("reward_out_of_range:Sound")
    assert not suspect(survey, CARD)


@pytest.mark.parametrize(
    ("metadata", "declared", "limits"),
    [
        ({"reward_range": [0, 1.0]}, None, [0, 1.0]),
        ({"reward_range": [0, 1.0]}, [-1.0, 2.0], [-1.0, 2.0]),
        ({"reward_range": [0, True]}, None, None),
        ({"reward_range": "0 to 1"}, None, None),
        ({}, None, None),
    ],
)
def test_the_range_is_the_manifests_or_what_an_episode_tells(
    metadata: Json, declared: list[float] | None, limits: list[float] | None
) -> None:
    episode = Episode(0, {}, "t", "p", final_metadata=metadata)
    assert range_of(episode, contract_report(reward={"declared": declared})) == limits


@pytest.mark.parametrize(
    ("shown", "last", "limits"),
    [
        ([None, None], [0, 1], [0, 1]),
        ([[0, 1], [0, 1]], [0, 1], [0, 1]),
        ([[0, 1], [0, 2]], [0, 0], None),
    ],
)
def test_a_range_that_changes_from_turn_to_turn_is_no_declaration(
    shown: list[list[int] | None], last: list[int], limits: list[int] | None
) -> None:
    """A game tells what the next round is worth."""
    told: list[Json] = [{} if each is None else {"reward_range": each} for each in shown]
    episode = Episode(0, {}, "t", "p", turns=[Turn("", each) for each in told])
    episode.final_observation = {"reward_range": last}
    assert range_of(episode, CARD) == limits


def tallied(name: str, *totals: float) -> Survey:
    """A survey with an episode of the zoo's tally that ends, counted by what each step adds."""
    turns = [Turn("", {}, action={"number": 1}, reward=total) for total in totals]
    turns[-1].done = True
    seen = Episode(0, {"seed": 1}, f"tests.zoo.turns:{name}", "p", turns=turns, success=True)
    seen = replace(seen, episode_return=1.0, components={"sum": 1.0}, final_observation={"said": 2})
    seen.count_by_step()
    return Survey({}, [SurveyRow("x", "panel", [seen])])


@pytest.mark.parametrize("name", ["Tally", "LateTally"])
def test_of_running_totals_a_step_past_an_end_is_paid_what_it_adds(
    name: str, session_of: Callable[[str], AuditSession], tmp_path: Path
) -> None:
    """Where it is answered with the score so far, it is paid nothing."""
    session = session_of(f"tests.zoo.turns:{name}")
    proofs = prove_late(lambda: session, tallied(name, 0.5, 1.0), set(), {})
    assert len(proofs) == (name == "LateTally")
    for proof in proofs:
        assert "step 2 ended the episode and was paid 0.5" in proof.finding.explanation
        assert proof.finding.explanation.endswith("after the end, was paid 0.5")
        assert proof.finding.witness.rewards == (0.5, 1.0, 1.5)
        assert replayed(proof, tmp_path) is Verdict.GO


def test_a_late_payment_holds_nothing_of_what_the_suspect_came_to(
    session_of: Callable[[str], AuditSession], tmp_path: Path
) -> None:
    """The first reset of a process pays otherwise than the one that was seen, whose totals are stale there."""
    session = session_of("tests.zoo.turns:TurningTally")
    session.look({"seed": 1}, [])
    (proof,) = prove_late(lambda: session, tallied("TurningTally", 0.5, 1.0), set(), {})
    assert proof.finding.witness.rewards == (0.125, 0.25)
    assert proof.episode is not None
    read = Episode.from_json(proof.episode.to_json())
    assert read.rewards == (0.125, 0.25)
    assert (read.episode_return, read.success, read.components) == (None, None, {})
    assert read.final_observation == {}
    assert replayed(proof, tmp_path) is Verdict.GO


def test_a_late_total_is_held_against_the_one_before_it_in_a_fresh_process_too(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of("tests.zoo.turns:Tally")
    survey = tallied("Tally", 0.5, 1.0)
    end = Suspect(survey.rows[0], survey.episodes[0], 2)
    look = session.look({"seed": 1}, [*end.actions, {"number": 1}])
    assert look.rewards == (0.5, 1.0, 1.0)
    assert late_at_some_reset(session, end, [*end.actions, {"number": 1}], look) is None


def test_what_is_answered_is_held_against_the_range_and_not_what_a_step_adds(
    context_of: Callable[..., AuditContext],
) -> None:
    """A total that falls within the range is a negative step, and one beyond it may be a step within."""
    falls = tallied("LateTally", 0.6, 0.4)
    assert [turn.reward for turn in falls.episodes[0].turns][1] < 0
    context = context_of("tests.zoo.turns:LateTally")
    context.learned.totals = True
    with closing(AuditSession(context)) as session:
        one = contract_report(reward={"declared": [0.0, 1.0]})
        assert not suspect(falls, one)
        less = contract_report(reward={"declared": [0.0, 0.8]})
        plan = ({"seed": 1}, [{"number": 1}] * 2)
        rows = [SurveyRow("x", "panel", session.plans("x", [plan]))]
        (proof,) = breaks_of(session, Survey({}, rows), less)
    assert proof.finding.id == "reward_out_of_range"
    assert "step 2 is paid 1, outside" in proof.finding.explanation
