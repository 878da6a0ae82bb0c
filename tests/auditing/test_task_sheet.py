"""What an audited task comes to: what is missing to judge it, and the checks beside the panel."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest
from tests.auditing.conftest import Opened
from tests.auditing.rows import IDLE, SOLVED, row
from tests.records_made import contract_report, finding

from gonogo.auditing.checks.components import Ledger
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.figures import farming
from gonogo.auditing.survey import COMPARED, REFERENCE, Survey
from gonogo.auditing.suspicions import Suspicion
from gonogo.auditing.task_sheet import (
    AnalysisResults,
    analyse,
    check_rewards,
    explained,
    places_of_success,
    uncalibrated,
    untold_notes,
)
from gonogo.errors import ConfigError
from gonogo.exploits.panel import Kind
from gonogo.records.success import JudgedSuccess, SuccessCandidate

pytestmark = pytest.mark.usefixtures("from_the_root")
CARD = contract_report()


def test_nothing_is_missing_where_somebody_succeeds() -> None:
    assert uncalibrated(Survey({}, [IDLE, SOLVED])) == []


def test_what_is_missing_is_said_the_gravest_alone() -> None:
    lost = row("gone", Kind.CONSTANT, [0.0])
    for episode in lost.episodes:
        episode.error = "it died\nits last words"
    assert uncalibrated(Survey({}, [lost])) == [
        "every episode was lost: it died; if its reset needs an option, give it: --reset NAME=VALUE"
    ]
    assert uncalibrated(Survey({}, [IDLE, lost])) == ["every episode of gone was lost: it died"]
    silent = row("idle", Kind.IDLE, [0.0])
    for episode in silent.episodes:
        episode.success = None
    (said,) = uncalibrated(Survey({}, [silent]))
    assert said == "the environment never says whether an episode succeeded"
    unpaid = row("solve", REFERENCE, [0.0], success=True)
    for episode in unpaid.episodes:
        episode.episode_return = None
    (said,) = uncalibrated(Survey({}, [IDLE, unpaid]))
    assert said == "none of 6 successes was given a reward: it is None at every step"


def test_a_success_of_who_knows_the_answers_is_none_to_rest_a_go_on() -> None:
    told = row("what its own code compares, put in", COMPARED, [1.0], success=True)
    said = uncalibrated(Survey({}, [IDLE, told]))
    assert said == ["no policy without the answers succeeded: give one that does with --reference"]
    assumed = JudgedSuccess(said_by="assumed", expression="reward >= 1", why="", candidates=())
    chance = replace(SOLVED, episodes=[*SOLVED.episodes[:2], *IDLE.episodes[:4]])
    (said,) = uncalibrated(Survey({}, [IDLE, told, chance]), assumed)
    assert "the best is solve, in 2 of 6" in said


def test_an_assumed_success_that_chance_alone_reaches_says_nothing() -> None:
    luck = row("explored 1", Kind.CONSTANT, [0.0, 1.0])
    for episode in luck.episodes[:2]:
        episode.success = True
    assumed = JudgedSuccess(said_by="assumed", expression="reward >= 1", why="", candidates=())
    (said,) = uncalibrated(Survey({}, [IDLE, luck]), assumed)
    assert said.startswith(
        "no policy reaches the assumed success in half of its episodes; the best is explored 1, in 2 of 6"
    )
    told = JudgedSuccess(said_by="environment", expression=None, why="", candidates=())
    assert uncalibrated(Survey({}, [IDLE, luck]), told) == []
    for episode in luck.episodes[:3]:
        episode.success = True
    (said,) = uncalibrated(Survey({}, [IDLE, luck]), assumed)
    assert said.startswith("whether an episode succeeded: nothing that the environment says")


@pytest.mark.parametrize("word", [True, False])
def test_what_no_word_calls_success_is_asked_for(word: bool) -> None:
    candidate = SuccessCandidate(
        expression="state['solved']", strength=1.0, why="", held=6, ends=12,
        return_held=1.0, return_else=0.0, circular=False, word=word,
    )  # fmt: skip
    assumed = JudgedSuccess(
        said_by="assumed", expression="state['solved']", why="", candidates=(candidate,)
    )
    assert (uncalibrated(Survey({}, [IDLE, SOLVED]), assumed) == []) is word


def test_an_assumed_success_that_idling_reaches_says_nothing() -> None:
    idle, luck = row("idle", Kind.IDLE, [0.4], success=True), row("luck", "x", [1.0], success=True)
    assumed = JudgedSuccess(said_by="assumed", expression="reward >= 0.4", why="", candidates=())
    (said,) = uncalibrated(Survey({}, [idle, luck]), assumed)
    assert said.startswith("idling reaches the assumed success in 6 of 6 episodes")
    told = JudgedSuccess(said_by="environment", expression=None, why="", candidates=())
    assert uncalibrated(Survey({}, [idle, luck]), told) == []


@pytest.mark.parametrize("success", [None, False])
def test_that_every_action_was_refused_is_said(success: bool | None) -> None:
    tried = row("always a", Kind.CONSTANT, [0.0, 0.0], action={"do": "a"})
    for episode in tried.episodes:
        episode.success = success
        for turn in episode.turns:
            turn.invalid = "'no'"
    (said,) = uncalibrated(Survey({}, [tried]))
    assert said == "all 12 actions that were sent were refused: 'no'"
    tried.episodes[0].turns[0].invalid = None
    (said,) = uncalibrated(Survey({}, [tried]))
    assert "refused: 'no'" not in said


def test_who_was_refused_to_the_end_is_named_where_nobody_succeeds() -> None:
    tried = row("solve", REFERENCE, [0.0, 0.0])
    (said,) = uncalibrated(Survey({}, [IDLE, tried]))
    assert said == "no policy succeeded: give one that does with --reference"
    for episode in tried.episodes:
        episode.turns[-1].invalid = "no such box"
    (said,) = uncalibrated(Survey({}, [IDLE, tried]))
    assert said.endswith("; every episode of solve ends refused: no such box")


def test_each_analysis_is_in_the_record_and_suspects_by_the_findings_name(
    opened: Callable[..., Opened],
) -> None:
    session, flown = opened("leaked_answer__copied:Defect")
    found = AnalysisResults()
    assert found.distinct.model_dump() == {"note": "the audit ended before it was reached"}
    done = [*analyse(session, flown, CARD, np.random.default_rng(1), found)]
    assert done == [*found.by] and len(done) == 3
    (leak,) = found.suspicions
    assert isinstance(leak, Suspicion) and leak.id == "leaked_answer"
    assert leak.witness.success is True
    assert [copy.verdict for copy in found.leakage.copies] == ["leak"]
    assert found.metamorphic
    assert found.distinct.model_dump()
    assert farming(flown).length.episodes == len(flown.failed)
    assert Ledger(flown, CARD).record().note


def test_a_proof_names_the_one_component_that_pays_it(opened: Callable[..., Opened]) -> None:
    names = ("always bed=0", "random", "always bed=5")
    _, flown = opened("paid_for_idling__component:Defect", *names)
    proof = Confirmed(finding("paid_for_idling"), None, flown.idle.name, "paid_for_idling")
    assert explained(proof, flown, CARD).finding.component == "thrift"
    stranger = Confirmed(
        finding("paid_for_idling", component="speed"), None, "nobody", "paid_for_idling"
    )
    assert explained(stranger, flown, CARD).finding.component is None


def test_success_is_told_with_its_places() -> None:
    guide = row("solve", REFERENCE, [1.0], success=True)
    for episode in guide.episodes[:2]:
        episode.final_metadata = {"success": True}
    guide.episodes[2].final_observation = {"won": True}
    assert places_of_success(Survey({}, [IDLE, guide])) == ("metadata.success", "observation.won")
    assert places_of_success(Survey({}, [IDLE])) == ()


def test_reward_functions_have_to_answer_a_number_for_some_episode() -> None:
    unpaid = row("idle", Kind.IDLE, [0.0])
    check_rewards(["m:f"], Survey({}, [unpaid]))
    for episode in unpaid.episodes:
        episode.episode_return = None
    check_rewards([], Survey({}, [unpaid]))
    with pytest.raises(
        ConfigError, match=r"m:f must answer a number for .*, not None for each of 6"
    ):
        check_rewards(["m:f"], Survey({}, [unpaid]))


def test_nothing_is_noted_where_every_end_tells_success() -> None:
    guide = row("solve", REFERENCE, [1.0], success=True)
    assert untold_notes("won", Survey({}, [IDLE, guide])) == []
