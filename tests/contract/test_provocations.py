"""Tools and examples: reserved names are OpenEnv's own, and what a schema allows may be refused."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path

import pytest
from openenv.core.env_server.mcp_types import RESERVED_TOOL_NAMES as THEIRS

from gonogo import config
from gonogo.contract import check_env as station
from gonogo.contract.provocations import RESERVED_TOOL_NAMES, check_tools, up_to_the_end
from gonogo.contract.trajectories import Shot, Trace
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.policies.named import find_policy
from gonogo.records.contract import ContractReport
from gonogo.records.record import Verdict
from gonogo.rollouts.engine import Flight, fly, try_example
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Transition

WORDS = Path(__file__).parents[1] / "first_contact" / "large_enum" / "words_env"
PLAIN = "class Act(Action):\n    word: Literal[tuple(WORDS)]\n"
PICKY = """
from pydantic import ConfigDict, model_validator
from pydantic_core import PydanticCustomError


class Act(Action):
    model_config = ConfigDict(json_schema_extra={"examples": EXAMPLES})

    kind: Literal["say", "rest"]
    word: str | None = None

    @model_validator(mode="after")
    def says_a_word(self):
        if self.kind == "say" and not self.word:
            raise PydanticCustomError("no_word", "say needs a word")
        return self
"""
SEVERAL = """
from pydantic import Field, model_validator


class Act(Action):
    FIELDS

    @model_validator(mode="after")
    def agrees(self):
        if not (RULE):
            raise ValueError("fields disagree")
        return self

    @property
    def word(self):
        return "able"
"""


def test_reserved_names_are_openenvs() -> None:
    assert RESERVED_TOOL_NAMES == THEIRS


def test_tools_are_listed_called_and_refused_by_name() -> None:
    connection = connect(resolve("tests.zoo.defects:Toolbox"), 1)
    try:
        tools = connection.describe().tools
        item = check_tools(tools)
        connection.reset({0: {}})
        call = Space(connection.schemas.action, tools).idle()
        answer = connection.step({0: call})[0]
    finally:
        connection.close()
    assert item.checked.verdict == "fail"
    assert item.finding is not None
    assert item.finding.id == "reserved_tool_name"
    assert isinstance(answer, Transition)
    assert answer.refusal is None
    assert answer.observation["tool_name"] == "say"


def test_no_tools_are_not_applicable_and_others_pass() -> None:
    assert check_tools([]).checked.verdict == "na"
    assert check_tools([{"name": "say"}]).checked.verdict == "pass"


def test_what_is_sent_past_the_end_is_no_part_of_a_flight() -> None:
    def shot(done: bool) -> Shot:
        return Shot({}, Transition({}, None, done), None, None)

    trace = Trace({}, [shot(False), shot(True), shot(True)])
    assert [s.answer.done for s in up_to_the_end(trace).shots] == [False, True]
    assert len(up_to_the_end(Trace({}, [shot(False), shot(False)])).shots) == 2


def refusing(folder: Path, act: str) -> Path:
    """An environment whose validator asks for more than its schema says."""
    shutil.copytree(WORDS, folder)
    file = folder / "server" / "world.py"
    code = file.read_text()
    assert PLAIN in code
    file.write_text(code.replace(PLAIN, act))
    return folder


@pytest.fixture
def picky(tmp_path: Path) -> Path:
    return refusing(tmp_path / "words_env", PICKY.replace("EXAMPLES", "[]"))


def test_an_example_is_an_action_that_the_class_takes_and_idle_goes_on(
    picky: Path, tmp_path: Path
) -> None:
    run = config.load(None, {"target": str(picky), "out": str(tmp_path / "run")})
    station.run(run)
    record = ContractReport.load(tmp_path / "run")
    (item,) = [i for i in record.contract if i.id == "example"]
    assert (item.verdict, item.finding) == ("pass", None)
    assert record.model.instructions.endswith('For example: {"kind": "rest"}')

    where = resolve(str(picky))
    with closing(connect(where, 1)) as connection:
        assert try_example(connection, connection.schemas.codec(), {}) is None
        idle = find_policy("idle", where, connection.schemas, seed=0).policy
        (episode,) = fly(connection, idle, [{"seed": 1}], Flight("words", 6))
    assert [turn.invalid is None for turn in episode.turns[:3]] == [False, True, True]
    assert [turn.action for turn in episode.turns[1:3]] == [{"kind": "rest"}] * 2


@pytest.mark.parametrize(
    ("fields", "rule", "example"),
    [
        (
            "start: int = Field(ge=0, le=9)\n    end: int = Field(ge=0, le=9)",
            "self.end > self.start",
            {"start": 0, "end": 9},
        ),
        (
            'kind: Literal["go", "turn"]\n    to: str | None = None\n    speed: float | None = None',
            "self.to and self.speed is not None",
            {"kind": "go", "to": "text", "speed": 0.0},
        ),
        (
            "a: str | None = None\n    b: int | None = None",
            "(self.a is None) != (self.b is None)",
            {"b": 0},
        ),
        ("row: list[int]\n    column: list[int]", "len(self.row) == len(self.column) == 1", None),
    ],
)
def test_fields_that_depend_on_each_other_are_no_finding(
    tmp_path: Path, fields: str, rule: str, example: dict[str, object] | None
) -> None:
    act = SEVERAL.replace("FIELDS", fields).replace("RULE", rule)
    where = resolve(str(refusing(tmp_path / "words_env", act)))
    with closing(connect(where, 1)) as connection:
        codec = connection.schemas.codec()
        assert try_example(connection, codec, {}) is None
    assert example is None or codec.example() == example


def test_an_example_is_a_finding_where_every_simple_action_is_refused(tmp_path: Path) -> None:
    act = SEVERAL.replace("FIELDS", "code: str").replace("RULE", 'self.code == "xyzzy-17"')
    folder = refusing(tmp_path / "words_env", act)
    run = config.load(None, {"target": str(folder), "out": str(tmp_path / "run"), "map.steps": 4})
    assert station.run(run) is Verdict.NO_GO
    (item,) = [i for i in ContractReport.load(tmp_path / "run").contract if i.id == "example"]
    assert (item.verdict, item.finding) == ("fail", "example_refused")
    assert '{"code": ""} is refused: action: Value error, fields disagree' in item.said


def test_an_example_of_the_author_s_own_is_sent_instead(picky: Path, tmp_path: Path) -> None:
    file = picky / "server" / "world.py"
    given = 'json_schema_extra={"examples": [{"kind": "rest"}]}'
    file.write_text(file.read_text().replace('json_schema_extra={"examples": []}', given))
    station.run(config.load(None, {"target": str(picky), "out": str(tmp_path / "run")}))
    record = ContractReport.load(tmp_path / "run")
    (item,) = [i for i in record.contract if i.id == "example"]
    assert item.verdict == "pass"
    assert "idle's" in item.said and "say needs a word" in item.said
    assert record.model.instructions.endswith('For example: {"kind": "rest"}')
