"""The card of an environment: what its flights and its code tell, its gaps, and the tables that show it."""

from __future__ import annotations

import ast
import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from tests.contract.walking import LONGEST, run
from tests.records_made import contract_item, contract_report, finding, rubric_node, source_place

from gonogo import config
from gonogo.contract import check_env as station
from gonogo.contract.card import (
    LINES,
    action_part,
    action_rows,
    card_rows,
    contract_rows,
    end_text,
    ends_text,
    limit_of_turns,
    limit_text,
    lines_of,
    markdown,
    method_text,
    observation_fields,
    parameters_text,
    places_text,
    print_map,
    range_text,
    reset_part,
    reward_part,
    reward_rows,
    shown,
    splits_text,
    state_fields,
    step_part,
    tasks_part,
    terminal_part,
    unknown,
)
from gonogo.contract.findings import CHECKS
from gonogo.contract.literals import Literals
from gonogo.contract.source import Source, read_source
from gonogo.contract.tasks import Discovery, Task
from gonogo.contract.trajectories import Shot, Trace
from gonogo.env.target import resolve
from gonogo.records.contract import ContractReport, EpisodeLimit, MethodCode, SourcePlace
from gonogo.records.inspection import Description, TaskApi, TaskApiAnswers, TaskSplit
from gonogo.records.submission import ThemeReport
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Transition
from gonogo.submission.theme import report as theme

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


def test_the_limit_lies_above_every_end_whatever_the_seed(tmp_path: Path) -> None:
    mapped = run("Marathon", tmp_path)
    station.run(mapped)
    terminal = ContractReport.load(tmp_path).terminal
    assert LONGEST <= terminal.limit <= 2 * LONGEST
    assert terminal.cut == ()
    assert mapped.within(terminal.limit).rollout.max_turns == terminal.limit


def test_what_never_ends_is_cut_and_every_station_says_so(tmp_path: Path) -> None:
    mapped = run("Treadmill", tmp_path, map__end_steps=100)
    station.run(mapped)
    report = ContractReport.load(tmp_path)
    assert report.terminal.limit == config.RolloutConfig().max_turns
    assert report.terminal.cut == (100,) * report.terminal.sought
    assert "broken off at step 100" in markdown(report)
    theme.run(mapped)
    assert any(
        "8 of 8 episodes were cut after 64 turns" in n for n in ThemeReport.load(tmp_path).notes
    )


def test_a_limit_that_the_config_gives_stands(tmp_path: Path) -> None:
    given = run("Marathon", tmp_path, rollout__max_turns=40)
    assert given.within(600).rollout.max_turns == 40
    found = limit_of_turns(given, [], [])
    assert (found.limit, found.why) == (40, "the config's rollout.max_turns")


def flight(*rewards: float, done: bool = False, **last: Any) -> Trace:
    """A flight that paid these rewards, with something said beside the last answer."""
    shots = [Shot(None, Transition({"x": 0, "y": 0}, None, False), {"step_count": 0}, None)]
    for step, reward in enumerate(rewards, start=1):
        ended = done and step == len(rewards)
        answer = Transition({"x": step, "y": 0}, reward, ended, last if ended else {})
        shots.append(Shot({"go": step}, answer, {"step_count": step}, None))
    return Trace({"seed": 1}, shots)


def test_the_limit_leaves_room_above_the_longest_end(tmp_path: Path) -> None:
    chosen = run("Marathon", tmp_path)
    short = limit_of_turns(chosen, [flight(*[0.0] * 10, done=True)], [])
    assert short.limit == config.RolloutConfig().max_turns
    far = limit_of_turns(chosen, [flight(*[0.0] * 100, done=True)], [flight(*[0.0] * 30)])
    assert (far.limit, far.sought, far.cut) == (128, 1, (30,))
    assert far.why == "the longest end that was seen came after 100 turns"
    never = limit_of_turns(chosen, [flight(0.0)], [flight(0.0, done=True)])
    assert never.why == "no episode was seen to end by itself" and never.cut == ()


NO_SOURCE = Source({})


LIMIT = EpisodeLimit(limit=64, why="so", sought=0, cut=())


def test_ends_are_counted_by_what_they_say() -> None:
    won = [flight(0.0, 1.0, done=True, success=True) for _ in range(2)]
    late = flight(0.0, done=True, timeout=True)
    part = terminal_part(NO_SOURCE, [*won, late, flight(0.0)], LIMIT)
    assert (part.ended, part.flown, part.steps, part.places) == (3, 4, (1, 2), None)
    assert [(e.success, e.timeout, e.episodes) for e in part.ends] == [
        (True, False, 2),
        (None, True, 1),
    ]
    assert (part.limit, part.why) == (64, "so")


def test_a_step_is_told_by_what_changed_with_it() -> None:
    part = step_part(Description(), NO_SOURCE, [flight(0.0, 0.0), flight(0.0)])
    assert (part.steps, part.changed, part.code) == (3, {"x": 3}, None)
    refused = flight(0.0)
    refused.shots.append(Shot({}, Transition({"x": 9}, None, False, refusal="no"), None, None))
    assert step_part(Description(), NO_SOURCE, [refused]).steps == 1


def test_the_rewards_range_and_components_are_those_that_were_seen() -> None:
    told = flight(-1.0, 2.0, done=True, components={"reach": 1.0, "speed": 0.5})
    part = reward_part(Description(), NO_SOURCE, [told, flight(0.5)], (0.0, 1.0))
    assert (part.declared, part.seen) == ((0.0, 1.0), (-1.0, 2.0))
    assert [(each.name, each.place) for each in part.breakdown] == [
        ("reach", None),
        ("speed", None),
    ]
    assert reward_part(Description(), NO_SOURCE, [], None).seen is None


def test_fields_are_told_with_the_last_value_seen() -> None:
    schema = {
        "properties": {
            "x": {"type": "integer", "description": "East."},
            "z": {"type": "string"},
            "reward": {"type": "number"},
        }
    }
    east, unseen = observation_fields(schema, [flight(0.0, 0.0)])
    assert (east.name, east.description, east.example) == ("x", "East.", 2)
    assert (unseen.name, unseen.example) == ("z", None)
    (count,) = state_fields({}, [flight(0.0)])
    assert (count.name, count.words, count.example) == ("step_count", "not in the schema", 1)


def test_a_reset_is_told_by_one_that_was_flown() -> None:
    part = reset_part(Description(), NO_SOURCE, [Trace({"seed": 9}), flight(0.0)])
    assert part.example is not None
    assert (part.example.options, part.example.observation) == ({"seed": 1}, {"x": 0, "y": 0})
    assert (part.parameters, part.open, part.code) == (None, None, None)


def test_splits_are_shown_by_their_first_tasks() -> None:
    split = TaskSplit(name="train", num_tasks=40, preview=tuple({"index": n} for n in range(40)))
    described = Description(task_api=TaskApi(splits=(split,), answers=TaskApiAnswers()))
    found = Discovery((Task({}, "default"),), (Task({"level": 3}, "manifest"),), (), ())
    part = tasks_part(described, found)
    assert [task.options for task in part.flown] == [{}]
    assert [task.options for task in part.left_out] == [{"level": 3}]
    assert part.splits is not None and part.splits[0].preview == tuple(
        {"index": n} for n in range(5)
    )
    assert tasks_part(Description(), found).splits is None


def test_each_gap_is_a_sentence_that_says_what_would_show_it(gridworld: Path) -> None:
    ends = terminal_part(NO_SOURCE, [], LIMIT)
    pays = reward_part(Description(), NO_SOURCE, [], None)
    found = Discovery((), (), ("who",), ())
    said = list(unknown(resolve("http://host:1"), ends, pays, NO_SOURCE, found))
    assert said[0].startswith("where the code decides the end and the reward (")
    assert said[1].startswith("manifest, client and packaging (")
    assert said[2].endswith("give --reset who=VALUE")
    folder = resolve(str(gridworld))
    seen = read_source(gridworld, [])
    nothing = Discovery((), (), (), ())
    assert not list(
        unknown(
            folder,
            terminal_part(seen, [], LIMIT),
            reward_part(Description(), seen, [], None),
            seen,
            nothing,
        )
    )
    assert len(list(unknown(folder, ends, pays, seen, nothing))) == 2


def test_what_is_not_seen_is_said_so() -> None:
    rows = dict(card_rows(contract_report()))
    assert rows["reset"] == rows["step"] == "its code cannot be seen"
    assert rows["reset takes"] == "its signature cannot be seen"
    assert rows["ends decided"] == "its code cannot be seen"
    assert rows["reward computed"] == "nowhere"
    assert (rows["tools"], rows["splits"]) == ("none", "no task API")
    assert rows["ends seen"] == "none in 0 flights"


def test_a_method_says_where_it_is_and_what_it_sets() -> None:
    code = MethodCode(file="env.py", line=3, doc="Start.", sets=("goal", "count"))
    assert method_text(code, "initialises") == "env.py:3 Start.; initialises goal, count"


@pytest.mark.parametrize(
    ("reset", "said"),
    [
        ({"parameters": [], "open": False}, "nothing"),
        ({"parameters": [], "open": True}, "any other"),
        (
            {
                "parameters": [
                    {"name": "who", "schema": {}, "default": None, "required": True},
                    {"name": "seed", "schema": {}, "default": None, "required": False},
                ],
                "open": True,
            },
            "who (needed), seed, any other",
        ),
    ],
)
def test_what_a_reset_takes(reset: dict[str, object], said: str) -> None:
    assert parameters_text(contract_report(reset=reset).reset) == said


def test_ends_and_where_the_limit_cut() -> None:
    ends = [
        {"success": True, "timeout": False, "episodes": 3},
        {"success": None, "timeout": True, "episodes": 1},
    ]
    terminal = contract_report(
        terminal={"ended": 4, "flown": 6, "steps": (2, 9), "ends": ends, "sought": 5, "cut": (7, 9)}
    ).terminal
    assert ends_text(terminal) == (
        "4 of 6 flights, after 2 to 9 steps: 3 succeeded, 1 without a word of success by timeout"
    )
    assert limit_text(terminal) == (
        "64: so much was flown; 2 of 5 flights that looked for an end were broken off at step 7 to 9"
    )
    assert end_text(False, False) == "failed"


def test_the_rewards_range_is_declared_or_seen() -> None:
    told = contract_report(reward={"declared": (0, 1), "seen": (-0.5, 1)}).reward
    assert range_text(told) == "declared [0, 1], seen -0.5 to 1"
    assert range_text(contract_report().reward) == "no range declared"


def test_places_are_the_first_few_with_what_they_stand_under() -> None:
    places = [source_place("env.py", line) for line in range(8)]
    said = places_text(places)
    assert said.startswith("env.py:0 ; env.py:1") and said.endswith("; and 2 more")
    under = SourcePlace(file="env.py", line=3, inside="", text="done=True", when="self.lost")
    assert places_text([under]) == "env.py:3 done=True (if self.lost)"


def test_rubrics_are_indented_and_the_breakdown_comes_after_them() -> None:
    tree = rubric_node(
        "", rubric_node("reach", weight=0.25, file="r.py", line=9), file="r.py", line=1
    )
    reward = contract_report(
        reward={"rubric": tree, "breakdown": [{"name": "speed", "place": None}]}
    ).reward
    assert list(reward_rows(reward)) == [
        ("Rubric", "", "r.py:1"),
        ("· reach: Rubric", "0.25", "r.py:9"),
        ("speed", "", "its code was not found"),
    ]


def test_a_check_is_told_with_its_task() -> None:
    item = contract_item("episode", "fail", "it died", task={"level": 2})
    ((what, verdict, said),) = contract_rows(contract_report(contract=[item]))
    assert (what, verdict) == (CHECKS["episode"], "FAIL")
    assert said.endswith(": it died") and "level" in said


def test_splits_with_their_numbers() -> None:
    split = TaskSplit(name="train", num_tasks=3, preview=())
    assert splits_text([split, split.model_copy(update={"name": "test"})]) == "train (3), test (3)"
    assert splits_text([]) == "none"


def test_a_value_is_one_line_of_a_bounded_length() -> None:
    assert shown({"a": "é"}) == '{"a": "é"}' and shown(None) == ""
    assert shown("two\n  lines") == "two lines"
    assert len(shown("x" * 500)) == 161


def both(report: ContractReport) -> list[str]:
    console = Console(file=io.StringIO(), width=400)
    print_map(report, console)
    assert isinstance(console.file, io.StringIO)
    return [markdown(report), console.file.getvalue()]


def test_the_page_and_the_terminal_say_the_same() -> None:
    report = contract_report(
        findings=[finding("seed_ignored", task=None)], unknown=("manifest (a URL)",)
    )
    for text in both(report):
        for said in ("seed_ignored", "seed_ignored happened", "manifest (a URL)", "Findings"):
            assert said in text


def test_a_long_text_is_shown_by_its_first_lines() -> None:
    lines = list(lines_of("\n".join(["", "x" * 5000, *map(str, range(100))])))
    assert lines[0] == "(nothing)"
    assert lines[1].endswith("…") and len(lines[1]) < 1000
    assert len(lines) == LINES + 1 and lines[-1] == f"… and {102 - LINES} more lines"
    assert list(lines_of(None)) == ["no episode could be flown"]


def test_a_field_whose_schema_names_no_choices_is_told_with_what_the_code_looks_among() -> None:
    code = """
class Desk:
    ACTIONS = ["wait", "read", "close"]

    def step(self, action: str):
        if action not in self.ACTIONS:
            raise ValueError(action)
"""
    schema = {"type": "object", "properties": {"action": {"type": "string"}}}
    part = action_part(Space(schema), (), Literals([ast.parse(code)]))
    assert part.listed == {"action": ("wait", "read", "close")}
    ((name, said, *_),) = action_rows(contract_report(action=part.model_dump()))
    assert name == "action" and said.endswith("The code looks among: wait, read, close")
    named = {"type": "object", "properties": {"action": {"enum": ["wait", "read"]}}}
    assert action_part(Space(named), (), Literals([ast.parse(code)])).listed == {}
