"""What the environment raises at actions of its own schema: a refusal that is meant is none, what costs is found."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from gonogo.auditing.checks.contract_breaks import Suspect
from gonogo.auditing.checks.environment_errors import (
    LOOKS,
    Raised,
    answers_nonsense,
    ends_refused,
    is_conversion,
    key_at,
    key_of,
    met_in,
    not_looked_into,
    proof_of,
    prove_raised,
    raised,
    refusals,
    refused_to_the_end,
)
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow
from gonogo.exploits.panel import Kind
from gonogo.records.findings import ContractWitness, Severity
from gonogo.records.inspection import RaisedError
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action

LATE = Path(__file__).parents[2] / "first_contact" / "late"
LOOK: Action = {"kind": "look"}
REPLACE: Action = {"kind": "replace", "first": 3}
NUMBER: Action = {"said": "x3"}
ABOUT = "spec_version: 1\nname: quiz\ntype: space\nruntime: fastapi\napp: app:app\nport: 8000\n"
QUIZ = """
from typing import Any
from openenv.core.env_server.http_server import create_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

class Said(Action):
    said: str

class Quiz(Environment):
    def __init__(self) -> None:
        super().__init__()
        self._steps = 0

    def reset(self, seed: Any = None, episode_id: Any = None, **_: Any) -> Observation:
        self._steps = 0
        return Observation(reward=0.0)

    def step(self, action: Said, timeout_s: Any = None, **_: Any) -> Observation:
        if {counted}: self._steps += 1
        known = not {asks} or any(map(str.isdigit, action.said))
        right = known and self.score(action.said) == 3
        if not {counted}: self._steps += 1
        return Observation(reward=float(right), done=True)

    def score(self, said: str) -> int:
        if "?" in said: raise ValueError("one number")
        return int(said or 0)

    @property
    def state(self) -> State:
        return State(episode_id="x", step_count=self._steps)

app = create_app(Quiz, Said, Observation, env_name="quiz")
"""
"""Scores a text by the number that it is; what is none raises, in the count or before it."""


def error(**told: object) -> RaisedError:
    known = {"type": "KeyError", "said": "'x'", "file": "env.py", "line": 3, "code": "y = d['x']"}
    return RaisedError.model_validate({**known, "meant": False, **told})


def episode(*invalid: str | None, lost: str | None = None) -> Episode:
    turns = [Turn("", {}, action={}, invalid=said) for said in invalid]
    return Episode(0, {}, "t", "p", turns=turns, error=lost)


def test_an_error_nobody_meant_is_proven_by_the_shortest_way_to_it(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of(str(LATE))
    flown = session.plans("plan", [({"seed": 1}, [LOOK, LOOK, REPLACE, LOOK])])
    survey = Survey({}, [SurveyRow("plan", Kind.CYCLE, flown)])
    (found,), looked = raised(session, survey)
    assert looked == {f"TypeError server/env.py:{found.error.line}"} == {key_of(found.error)}
    assert raised(session, survey, looked) == ([], set())
    assert (found.error.type, found.error.file) == ("TypeError", "server/env.py")
    assert found.suspect.turns == 3 and not found.of_a_server
    (proof,), notes = prove_raised(session, {}, [found], survey)
    assert notes == []
    assert (proof.finding.id, proof.policy) == ("action_raises", "plan")
    assert "step_count is 2 after the next action, not 1" in proof.finding.explanation
    assert isinstance(proof.finding.witness, ContractWitness)
    assert proof.finding.witness.actions == ({"kind": "replace"},)
    assert proof.episode is not None and proof.episode.turns[-1].invalid is not None


@pytest.mark.parametrize(
    ("counted", "asks", "severity", "said"),
    [
        (True, False, Severity.CONTRACT, "step_count is 1 after it, not 0"),
        (False, True, Severity.CONTRACT, "where other nonsense is answered"),
        (False, False, Severity.SUSPICIOUS, "which may stand for a refusal"),
    ],
)
def test_what_escapes_from_a_scorer_blocks_where_it_is_no_refusal(
    counted: bool,
    asks: bool,
    severity: Severity,
    said: str,
    session_of: Callable[[str], AuditSession],
    tmp_path: Path,
) -> None:
    folder = tmp_path / "quiz"
    folder.mkdir()
    (folder / "openenv.yaml").write_text(ABOUT)
    (folder / "app.py").write_text(QUIZ.format(counted=counted, asks=asks))
    session = session_of(str(folder))
    rows = [SurveyRow("number", Kind.CONSTANT, session.plans("p", [({"seed": 1}, [NUMBER])]))]
    for text in ("???", "qwxz", ""):
        flown = session.plans("p", [({"seed": 1}, [{"said": text}])])
        rows.append(SurveyRow(text, Kind.NONSENSE, flown, "said"))
    survey = Survey({}, rows)
    (found, *_), _ = raised(session, survey)
    assert (found.error.type, found.error.code) == ("ValueError", "return int(said or 0)")
    (proof,), notes = prove_raised(session, {}, [found], survey)
    assert notes == []
    assert (proof.finding.id, proof.finding.severity) == ("action_raises", severity)
    assert said in proof.finding.explanation


def test_nonsense_is_answered_where_most_of_it_is_in_that_field() -> None:
    rows = [
        SurveyRow("x", Kind.NONSENSE, [episode(None, "no")], "said"),
        SurveyRow("y", Kind.NONSENSE, [episode(None), episode(None)], "said"),
        SurveyRow("z", Kind.NONSENSE, [episode("no")] * 3, "name"),
        SurveyRow("w", Kind.CLAIM, [episode(None)] * 3, "name"),
    ]
    flown = Survey({}, rows)
    assert answers_nonsense("said", flown)
    assert not answers_nonsense("name", flown)
    assert not answers_nonsense(None, flown)
    assert not answers_nonsense("size", flown)


def test_a_refusal_that_is_meant_is_no_error(
    session_of: Callable[[str], AuditSession], rogue: Path
) -> None:
    session = session_of(str(rogue))
    plan = ({"trick": "raise", "seed": 1}, [{"word": "a"}, {"word": "b"}])
    flown = session.plans("plan", [plan])
    assert flown[0].turns[1].invalid == "step went wrong"
    found, looked = raised(session, Survey({}, [SurveyRow("plan", Kind.CYCLE, flown)]))
    assert (found, looked) == ([], {"step went wrong"})


def test_an_error_that_is_not_raised_again_is_a_note(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of(str(LATE))
    flown = session.plans("plan", [({"seed": 1}, [LOOK])])
    row = SurveyRow("plan", Kind.CYCLE, flown)
    found = Raised(Suspect(row, flown[0], 1), error())
    proofs, (note,) = prove_raised(session, {}, [found], Survey({}, [row]))
    assert proofs == []
    assert note == f"plan: {found.words} was not raised again in a fresh process"


def test_an_error_is_known_by_its_line_and_of_a_server_by_its_words() -> None:
    assert key_of(error()) == key_of(error(said="'y'")) == "KeyError env.py:3"
    assert key_of(error(line=4)) != key_of(error())
    served = {"type": None, "file": None, "line": None, "code": None}
    one, other = (error(said=f"no box {n} in 'a{n}'", **served) for n in (1, 22))
    assert key_of(one) == key_of(other) != key_of(error(said="no bag 1 in 'a'", **served))
    suspect = Suspect(SurveyRow("x", "x", []), episode(), 0)
    assert Raised(suspect, one).words == "no box 1 in 'a1'" and Raised(suspect, one).of_a_server
    assert Raised(suspect, error()).words == "KeyError: 'x' (env.py:3: y = d['x'])"


def test_each_message_is_looked_at_once_the_guides_first() -> None:
    rows = [
        SurveyRow("malformed", Kind.MALFORMED, [episode("of a kind that is none")]),
        SurveyRow("random", Kind.RANDOM, [episode(None, "no box 3"), episode("shut")]),
        SurveyRow("guide", REFERENCE, [episode(None, None, "no box 17")]),
    ]
    found = refusals(Survey({}, rows))
    assert [(each.row.name, each.turns) for each in found] == [("guide", 3), ("random", 1)]
    rows[1].episodes[1].turns[0].erred = "KeyError game.py:1"
    found = refusals(Survey({}, rows))
    assert [(each.row.name, each.turns) for each in found] == [("random", 1), ("guide", 3)]
    (guide,) = refusals(Survey({}, rows), {key_at(found[0])})
    assert guide.row.name == "guide" and refusals(Survey({}, rows), [*map(key_at, found)]) == []
    (guide,) = refusals(Survey({}, rows), {"KeyError game.py:1", "no box "})
    assert guide.row.name == "guide"  # only of whom is to succeed are its words an error


def test_two_errors_of_the_same_words_are_two_and_a_refusal_hides_none() -> None:
    turns = [Turn("", {}, action={}, invalid="'x'") for _ in range(4)]
    turns[1].erred, turns[2].erred, turns[3].erred = (f"KeyError game.py:{n}" for n in (3, 7, 7))
    guide = SurveyRow("guide", REFERENCE, [Episode(0, {}, "t", "p", turns=turns[:1])])
    other = SurveyRow("cycle", Kind.CYCLE, [Episode(0, {}, "t", "p", turns=turns[1:])])
    found = refusals(Survey({}, [guide, other]))
    assert [(each.row.name, each.turns) for each in found] == [
        ("cycle", 1),
        ("cycle", 2),
        ("guide", 1),
    ]
    assert not_looked_into(
        Survey({}, [guide, other]), {key_at(found[2]), "KeyError game.py:3"}
    ) == (
        ["cycle: 'x' is an error that the audit ended before it looked into"],
        [],
    )


def test_beyond_so_many_looks_the_next_are_looked_at_in_the_next_turn(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of(str(LATE))
    (flown,) = session.plans("p", [({"seed": 1}, [LOOK, REPLACE])])
    (turn,) = [turn for turn in flown.turns[:2] if turn.erred]
    said = [Turn("", {}, action=LOOK, invalid="no " + "x" * n) for n in range(LOOKS)]
    many = [Episode(0, flown.task, "t", "p", turns=[turn]) for turn in said]
    told = SurveyRow("told", Kind.NONSENSE, many)
    looked = raised(session, Survey({}, [told]))[1]
    assert len(looked) == LOOKS
    turn.erred = ""  # as of a place that could not be told
    survey = Survey({}, [told, SurveyRow("replacing", Kind.CONSTANT, [flown])])
    ((found,), _) = raised(session, survey, looked)
    assert found.suspect.row.name == "replacing" and found.error.type == "TypeError"


def test_what_confirmations_and_exploration_met_counts(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown = session_of(str(LATE)).plans("p", [({"seed": 1}, [LOOK, REPLACE]), ({}, [LOOK])])
    assert [bool(met_in(Survey({}, []), Survey({}, []), [e]).episodes) for e in flown] == [
        True,
        False,
    ]
    fresh = Survey({}, [SurveyRow("replacing", Kind.CONSTANT, flown)])
    for met in (met_in(Survey({}, []), Survey({}, []), flown), met_in(Survey({}, []), fresh, [])):
        assert len(not_looked_into(met, ())[0]) == 1


def nonsense(text: str, said: str | None, erred: str = "", kind: str = Kind.NONSENSE) -> SurveyRow:
    turn = Turn("", {}, action={"said": text}, invalid=said, erred=erred)
    return SurveyRow(text, kind, [Episode(0, {}, "t", "p", turns=[turn])], "said")


def test_where_nonsense_is_refused_a_text_that_was_not_converted_is_a_note() -> None:
    line = "ValueError quiz.py:9"
    words = "invalid literal for int() with base 10: 'qz'"
    refused = [nonsense("qz", words, line), nonsense("???", "one number")]
    assert is_conversion(line, Survey({}, refused))
    held, noted = not_looked_into(Survey({}, refused), ())
    assert held == [] and noted == [
        f"qz: {words} is an error that the audit ended before it looked into"
    ]
    anywhere = nonsense("qz", words, line, Kind.RANDOM)
    anywhere = SurveyRow("random", Kind.RANDOM, anywhere.episodes)
    assert is_conversion(line, Survey({}, [refused[1], anywhere]))
    answered = [nonsense(text, None) for text in "ab"]
    for rows, key in (
        ([*refused, *answered, nonsense("c", None)], line),  # most nonsense is answered
        ([*refused, nonsense("12", words, line, REFERENCE)], line),  # who is to succeed met it
        ([nonsense("qz", words, "KeyError quiz.py:9"), refused[1]], "KeyError quiz.py:9"),
        ([anywhere], line),  # nothing is known of nonsense
    ):
        assert not is_conversion(key, Survey({}, rows))
        assert any(
            note.endswith("looked into") for note in not_looked_into(Survey({}, rows), ())[0]
        )


def test_an_error_is_told_apart_from_a_refusal_where_it_is_met(
    session_of: Callable[[str], AuditSession],
) -> None:
    flown = session_of(str(LATE)).plans("p", [({"seed": 1}, [LOOK, REPLACE])])
    survey = Survey({}, [SurveyRow("replacing", Kind.CONSTANT, flown)])
    (said,), _ = not_looked_into(survey, ())
    assert said.startswith("replacing: ") and said.endswith("ended before it looked into")
    again = Episode.from_json(flown[0].to_json())
    first, erred = (turn.erred for turn in again.turns[:2])
    assert first == "" and erred.startswith("TypeError server/env.py:")
    assert not_looked_into(survey, {erred}) == ([], [])


@pytest.mark.parametrize(
    ("episodes", "said"),
    [
        ([episode(None, "no"), episode("not so")], "no"),
        ([episode("no"), episode("no", None)], None),
        ([episode("no"), episode("no", None, lost="it died")], "no"),
        ([episode(lost="it died")], None),
        ([episode()], None),
    ],
)
def test_a_row_ends_refused_where_each_of_its_episodes_does(
    episodes: list[Episode], said: str | None
) -> None:
    assert refused_to_the_end(SurveyRow("x", REFERENCE, episodes)) == said
    assert ends_refused(SurveyRow("x", REFERENCE, episodes)) == (said is not None)
    assert not ends_refused(SurveyRow("x", Kind.RANDOM, episodes))


def test_what_is_quoted_is_what_the_shortened_actions_raise(
    session_of: Callable[[str], AuditSession],
) -> None:
    session = session_of(str(LATE))
    flown = session.plans("plan", [({"seed": 1}, [LOOK, LOOK, REPLACE, LOOK])])
    survey = Survey({}, [SurveyRow("plan", Kind.CYCLE, flown)])
    (found,), _ = raised(session, survey)
    other = found.error.model_copy(update={"said": "4 errors of a longer action"})
    (proof,), _ = prove_raised(session, {}, [replace(found, error=other)], survey)
    assert isinstance(proof.finding.witness, ContractWitness)
    assert proof.finding.witness.raised == found.error
    assert found.error.said in proof.finding.explanation
    assert "4 errors" not in proof.finding.explanation


def test_a_witness_holds_running_totals_as_they_were_answered(
    context_of: Callable[..., AuditContext],
) -> None:
    context = context_of("tests.zoo.turns:BrokenTally")
    context.learned.totals = True
    plan: list[Action] = [{"number": 1}] * 3
    with closing(AuditSession(context)) as session:
        (flown,) = session.plans("plan", [({"seed": 1}, plan)])
        found = Raised(Suspect(SurveyRow("x", Kind.CYCLE, [flown]), flown, 3), error())
        proof = proof_of(session, {}, found, plan, "action_raises", "and so on")
    assert proof is not None and proof.episode is not None
    assert [turn.reward for turn in proof.episode.turns] == [0.5, 0.5, None]
    assert proof.finding.witness.rewards == (0.5, 1.0, None)
