"""Tools and examples: reserved names are OpenEnv's own, and what a schema allows may be refused."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest
from openenv.core.env_server.mcp_types import RESERVED_TOOL_NAMES as THEIRS

from gonogo import config
from gonogo.contract import check_env as station
from gonogo.contract.findings import Item
from gonogo.contract.provocations import (
    PATIENCE,
    RESERVED_TOOL_NAMES,
    after_done_item,
    check_example,
    check_malformed,
    check_reconnect,
    check_tools,
    difference_told,
    find_ends,
    flown_to_its_end,
    misbehaviour,
    up_to_the_end,
)
from gonogo.contract.sources import Sources
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import HistoryPlan, Shot, Trace, make_plan
from gonogo.contract.trajectories import fly as fly_traced
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.explore.values import ValuePool
from gonogo.policies.named import find_policy
from gonogo.records.contract import ContractReport
from gonogo.records.findings import ContractWitness
from gonogo.records.record import Verdict
from gonogo.rollouts.engine import Flight, fly, try_example
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Failure, Transition
from gonogo.wire import Action

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


@pytest.mark.parametrize(
    ("reward", "paid", "found"),
    [
        pytest.param(0.0, 0.5, "revived_after_done", id="a step like any other"),
        pytest.param(None, 0.5, None, id="a refusal in the environment's own words"),
        pytest.param(None, None, "revived_after_done", id="no step has a reward"),
        pytest.param(0.5, 0.5, "paid_after_done", id="paid"),
    ],
)
def test_an_answer_without_the_reward_of_a_step_makes_no_episode_run_again(
    reward: float | None, paid: float | None, found: str | None
) -> None:
    shots = [
        Shot({}, Transition({}, answered, done), {"step_count": number}, None)
        for number, (answered, done) in enumerate(((None, False), (paid, True), (reward, False)))
    ]
    item = after_done_item(Task({}, "default"), Trace({}, shots))
    assert (None if item.finding is None else item.finding.id) == found
    assert item.checked.verdict == ("pass" if found is None else "fail")


STRICT = """
from fastapi import FastAPI
from pydantic import BaseModel, field_validator

app, here = FastAPI(), {"turn": 0}


class Act(BaseModel):
    level: int

    @field_validator("level", mode="before")
    @classmethod
    def whole(cls, value):
        if not isinstance(value, int) or not 0 <= value <= 9:
            raise ValueError("level is 0 to 9")
        return value


def seen(reward=0.0, done=False):
    return {"observation": dict(here), "reward": reward, "done": done}


@app.post("/reset")
def reset():
    here["turn"] = 0
    return seen()


@app.post("/step")
def step(action: Act):
    here["turn"] += 1
    return seen(1.0 if action.level == 7 else 0.0, here["turn"] >= 5)
"""


def test_a_validator_of_a_plain_app_ends_no_session(tmp_path: Path) -> None:
    folder = tmp_path / "strict"
    folder.mkdir()
    (folder / "app.py").write_text(STRICT)
    run = config.load(None, {"target": str(folder), "out": str(tmp_path / "run")})
    station.run(run)
    record = ContractReport.load(tmp_path / "run")
    (item,) = [i for i in record.contract if i.id == "malformed_actions"]
    assert item.verdict == "pass" and item.evidence.refused
    assert "malformed_action_fatal" not in {finding.id for finding in record.findings}


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


@pytest.mark.parametrize(
    ("rule", "said", "action"),
    [
        ('self.code == "xyzzy-17"', "the plainest action of the schema", {"code": ""}),
        ("len(self.code) < 1000", "code: the longest text", None),
    ],
)
def test_what_ends_a_session_is_one_fault_and_nothing_follows_it(
    tmp_path: Path, rule: str, said: str, action: Action | None
) -> None:
    act = SEVERAL.replace("FIELDS", "code: str").replace("RULE", rule)
    where = resolve(str(refusing(tmp_path / "words_env", act)))
    with closing(connect(where, 1)) as connection:
        space = Space(connection.schemas.action)
        plan = make_plan(Task({}, "default"), space, 0, 2, 4)
        item, _ = check_malformed(connection, plan, space, 60)
    assert item.finding is not None and item.finding.id == "malformed_action_fatal"
    assert item.checked.said.startswith(f"{said}: a validator raises ValueError")
    witness = item.finding.witness
    assert isinstance(witness, ContractWitness) and len(witness.actions or ()) == 1
    assert action is None or witness.actions == (action,)


def test_no_end_is_looked_for_where_all_is_refused(tmp_path: Path) -> None:
    act = PICKY.replace("EXAMPLES", "[]")
    where = resolve(str(refusing(tmp_path / "words_env", act)))
    with closing(connect(where, 1)) as connection:
        refused, taken = (
            Space({"properties": {"kind": {"enum": [kind]}}, "required": ["kind"]})
            for kind in ("say", "rest")
        )
        plan = make_plan(Task({}, "default"), refused, 0, 2, 4)
        steps = PATIENCE + 2
        in_vain = find_ends(connection, plan, refused, steps, 60)
        others = find_ends(connection, plan, taken, steps, 60)
    assert {len(trace.actions) for trace in in_vain} == {PATIENCE}
    assert all(len(trace.actions) == steps or trace.done for trace in others)


def test_an_example_is_a_finding_where_every_simple_action_is_refused(tmp_path: Path) -> None:
    act = SEVERAL.replace("FIELDS", "code: str").replace("RULE", 'self.code == "xyzzy-17"')
    folder = refusing(tmp_path / "words_env", act)
    run = config.load(None, {"target": str(folder), "out": str(tmp_path / "run"), "map.steps": 4})
    assert station.run(run) is Verdict.NO_GO
    (item,) = [i for i in ContractReport.load(tmp_path / "run").contract if i.id == "example"]
    assert (item.verdict, item.finding) == ("fail", "example_refused")
    assert '{"code": ""} is refused: action: Value error, fields disagree' in item.said


def test_what_the_readme_shows_and_the_environment_takes_is_an_example_too(tmp_path: Path) -> None:
    act = SEVERAL.replace("FIELDS", "code: str").replace("RULE", 'self.code == "xyzzy-17"')
    folder = refusing(tmp_path / "words_env", act)
    (folder / "README.md").write_text('Say the word: `{"code": "xyzzy-17"}`, not `{"word": 3}`.')
    station.run(config.load(None, {"target": str(folder), "out": str(tmp_path / "run")}))
    (item,) = [i for i in ContractReport.load(tmp_path / "run").contract if i.id == "example"]
    assert (item.verdict, item.finding) == ("pass", None)
    assert '{"code": "xyzzy-17"}, which README or source show, is accepted' in item.said


def test_what_the_readme_shows_is_sent_for_as_long_as_there_is_time(tmp_path: Path) -> None:
    act = SEVERAL.replace("FIELDS", "code: str").replace("RULE", 'self.code == "xyzzy-17"')
    where = resolve(str(refusing(tmp_path / "words_env", act)))
    with closing(connect(where, 1)) as connection:
        codec, space = connection.schemas.codec(), Space(connection.schemas.action)
        plan = make_plan(Task({}, "default"), space, 0, 2, 3)
        known = [{"code": "plugh-3"}, {"code": "xyzzy-17"}]
        item = check_example(connection, plan, space, codec, known, 60.0)
        late = check_example(connection, plan, space, codec, known, 0.0)
        often = [*known[:1] * 12, *known[1:]]
        again = check_example(connection, plan, space, codec, often, 60.0)
    assert (item.checked.verdict, late.checked.verdict, late.finding) == ("pass", "na", None)
    assert "no time was left" in late.checked.said
    assert again.checked.verdict == "pass"


REQUESTED = """
import uuid
from fastapi import FastAPI, HTTPException, Request
app, walks = FastAPI(), {}
MOVES = {"l" + "eft": -1, "r" + "ight": 1}
@app.post("/reset")
def reset():
    key = uuid.uuid4().hex
    walks[key] = 0
    return {"session_id": key, "observation": {"at": 0}}
@app.post("/step")
async def step(request: Request):
    body = await request.json()
    TAKES
    if action.get("move") not in MOVES:
        raise HTTPException(422, "unknown action")
    walks[key] += MOVES[action["move"]]
    return {"observation": {"at": walks[key]}, "reward": 0.0, "done": walks[key] == 3}
"""


@pytest.mark.parametrize(
    ("takes", "sent"),
    [
        (
            'key = body.get("session_id"); action = body.get("action") or {}',
            {"move": "right"},
        ),
        (  # where the code does not tell that the action stands alone below its name
            'key, held = body.get("session_id"), [body.get("action")]; action = held[0] or {}',
            {"action": {"move": "right"}},
        ),
    ],
)
def test_the_action_within_the_request_that_a_readme_shows_is_an_example(
    tmp_path: Path, takes: str, sent: Action
) -> None:
    (tmp_path / "app.py").write_text(REQUESTED.replace("TAKES", takes))
    shown = '{"session_id": "5ca1ab1e", "action": {"move": "right"}}'
    (tmp_path / "README.md").write_text(f"Step with\n```json\n{shown}\n```\n")
    given = {"target": str(tmp_path), "out": str(tmp_path / "run"), "map.steps": 4}
    station.run(config.load(None, given))
    items = {item.id: item for item in ContractReport.load(tmp_path / "run").contract}
    item = items["example"]
    # The app itself holds as many as are asked for: it is driven in one.
    assert items["isolation_sessions"].said == "it is flown in one session at a time"
    assert (item.verdict, item.finding) == ("pass", None)
    assert f"{json.dumps(sent)}, which README or source show, is accepted" in item.said

    where = resolve(str(tmp_path))
    with closing(connect(where, 1)) as connection:  # exploration begins with it
        assert sent in ValuePool(connection.schemas, Sources.of(where)).given


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


def past_the_end(*after: Transition, counts: bool = False, totals: bool = False) -> str | None:
    """What is found where these answers come after an end, whose state counts on or stands."""
    answers = [Transition({"at": 0}, None, False), Transition({"at": 1}, 1.0, True), *after]
    shots = [
        Shot({}, answer, {"step_count": number if counts else min(number, 1)}, None)
        for number, answer in enumerate(answers)
    ]
    item = after_done_item(Task({}, "default"), Trace({}, shots), totals=totals)
    return None if item.finding is None else item.finding.id


def test_an_answer_after_the_end_in_which_nothing_moves_is_a_refusal_without_its_flag() -> None:
    still = Transition({"at": 1}, 0.0, False)
    assert past_the_end(still, still) is None
    assert past_the_end(still, still, counts=True) == "revived_after_done"
    told = Transition({"at": 1, "last_action_error": "episode_done"}, 0.0, False)
    assert past_the_end(told, told, counts=True) is None


def test_where_a_reward_is_documented_as_a_total_a_step_after_the_end_is_paid_what_it_adds() -> (
    None
):
    said = [Transition({"at": 1}, paid, False) for paid in (1.0, None, 1.0, 1.25)]
    paid = "paid_after_done"
    assert past_the_end(*said[:1]) == past_the_end(*said[:3]) == paid
    assert past_the_end(*said[:1], totals=True) is past_the_end(*said[:3], totals=True) is None
    assert past_the_end(*said, totals=True) == paid


@pytest.mark.parametrize(
    ("target", "paid"), [("documented:Standing", False), ("turns:Tally", True)]
)
def test_a_map_reads_whether_a_reward_is_documented_as_a_total(
    target: str, paid: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parents[2])
    station.run(config.load(None, {"target": f"tests.zoo.{target}", "out": str(tmp_path)}))
    found = {finding.id for finding in ContractReport.load(tmp_path).findings}
    assert ("paid_after_done" in found) is paid


def test_without_a_state_that_moves_the_observations_after_the_end_tell() -> None:
    shots = [Shot({}, Transition({"at": at}, 0.0, at == 1), {}, None) for at in (0, 1, 2, 3)]
    item = after_done_item(Task({}, "default"), Trace({}, shots))
    assert item.finding is not None and item.finding.id == "revived_after_done"


STEPPED = Transition({"at": 1}, 0.0, False)


def misjudged(answer: Transition, before: Transition = STEPPED) -> str | None:
    """What is found where a value of another type is answered so in the middle of an episode."""
    good = Shot({}, before, {}, None)
    trace = Trace({}, [good, good, Shot({}, answer, {}, None), good])
    item = misbehaviour(Task({}, "default"), trace, "ticket: type", True)
    return None if item is None or item.finding is None else item.finding.id


def test_an_error_in_words_that_pays_nothing_refuses_a_value_of_another_type() -> None:
    assert misjudged(Transition({"at": 1}, -10.0, False, {"error": "invalid_ticket"})) is None
    assert misjudged(Transition({"at": 1, "info": {"action_valid": False}}, -1.0, False)) is None
    accepted = "malformed_action_accepted"
    assert misjudged(Transition({"at": 2}, -10.0, False, {"error": None})) == accepted
    assert misjudged(Transition({"at": 2}, 4.0, False, {"error": "none of note"})) == accepted


def test_what_a_good_step_says_too_is_no_refusal() -> None:
    accepted = "malformed_action_accepted"
    for told in ({"success": False}, {"attitude_error": 0.3}, {"error": 7}):
        assert misjudged(Transition({"at": 2, **told}, 0.0, False)) == accepted
    lasting = {"at": 1, "valid": False, "info": {"error": "it rains"}}
    before = Transition(lasting, 0.0, False)
    assert misjudged(Transition({**lasting, "at": 2}, 0.0, False), before) == accepted
    told = {**lasting, "info": {"error": "no such ticket"}}
    assert misjudged(Transition(told, 0.0, False), before) is None


def test_an_episode_that_has_not_succeeded_is_no_refusal_after_its_end() -> None:
    goes_on = Transition({"at": 2, "success": False, "pointing_error": 0.3}, 0.0, False)
    assert past_the_end(goes_on, goes_on, counts=True) == "revived_after_done"


def reconnected(new: Shot) -> str | None:
    """What is told of the answer in a session that was never reset, after an episode of two steps."""
    shots = [
        Shot(
            {}, Transition({"episode": "a1", "topics": ["x"], "at": at}, 0.0, False),
            None if new.state is None else {"episode_id": "a1", "step_count": at}, None,
        )
        for at in range(3)
    ]  # fmt: skip
    return difference_told(new, Trace({}, shots))


def test_an_observation_tells_a_fresh_session_from_the_lost_one() -> None:
    state = {"episode_id": "a1", "step_count": 2}
    same = {"episode": "a1", "topics": ["x"], "at": 9}
    assert reconnected(Shot({}, Transition(same, 0.0, False), state, None)) is None
    assert reconnected(Shot({}, Transition(same, 0.0, False), None, None)) is None
    other = Transition({**same, "episode": ""}, 0.0, False)
    assert reconnected(Shot({}, other, None, None)) == "the observation's episode"
    bare = Transition({"episode": "a1", "at": 9}, 0.0, False)
    assert reconnected(Shot({}, bare, state, None)) == "the observation's topics"
    moved = Shot({}, Transition(same, 0.0, False), {**state, "step_count": 1}, None)
    assert reconnected(moved) == "step_count"


MUTE = """
from openenv.core.env_server.interfaces import Action, Environment, Observation, State


class Act(Action):
    move: int = 0


class Seen(Observation):
    said: str = ""


class Mute(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **options):
        return Seen(said="go")

    def step(self, action: Act, timeout_s=None, **_) -> Seen:
        return Seen(said="on", reward=0.0)

    @property
    def state(self):
        STATE
"""


@pytest.mark.parametrize(
    ("state", "found"),
    [
        ("raise RuntimeError('no state')", False),
        ("return State(episode_id='one', step_count=0)", True),
    ],
)
def test_a_state_that_cannot_be_read_is_no_evidence(
    tmp_path: Path, state: str, found: bool
) -> None:
    (tmp_path / "mute_env.py").write_text(MUTE.replace("STATE", state))
    with closing(connect(resolve(str(tmp_path)), 1)) as connection:
        space = Space(connection.schemas.action)
        plan = make_plan(Task({}, "default"), space, 0, 2, 3)
        item = check_reconnect(connection, plan)
    assert (item.finding is not None) is found
    assert item.checked.verdict == ("fail" if found else "na")


FILING = """
from typing import Literal

from openenv.core.env_server.interfaces import Action, Environment, Observation, State


class Act(Action):
    kind: Literal["file", "look"]
    box: Literal["a", "b"] | None = None
    note: str | None = None


class Seen(Observation):
    said: str = ""


class Filing(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **_) -> Seen:
        self._errors, self._state = 0, State(episode_id=episode_id, step_count=0)
        return Seen()

    def step(self, action: Act, timeout_s=None, **_) -> Seen:
        self._state.step_count += 1
        long, bare = len(action.note or "") > 1000, action.kind == "file" and action.box is None
        if BREAKS:
            self._errors = ERRORS
        if self._errors:
            self._errors -= 1
            raise TypeError("the box has no name")
        if self._state.step_count > LIMIT:
            raise RuntimeError("the office is closed")
        return Seen(said=action.kind, reward=0.0, done=self._state.step_count == LIMIT)

    @property
    def state(self) -> State:
        return self._state
"""
FILED = [{"kind": "look"}, {"kind": "file", "box": "a"}, {"kind": "look", "note": "b"}]


def filing(
    folder: Path, breaks: str, errors: int, good: Sequence[Action] = FILED, limit: int = 99
) -> Item:
    """What malformed actions come to where such an action breaks a step and those after it, so many in all."""
    code = FILING.replace("BREAKS", breaks).replace("ERRORS", str(errors))
    code = code.replace("LIMIT", str(limit))
    (folder / "filing_env.py").write_text(code)
    with closing(connect(resolve(str(folder)), 1)) as connection:
        space = Space(connection.schemas.action)
        plan = HistoryPlan(Task({}, "default"), (0, 1), True, (tuple(good), tuple(good)))
        return check_malformed(connection, plan, space, 60)[0]


@pytest.mark.parametrize(("ended", "found"), [(False, "malformed_action_fatal"), (True, None)])
def test_what_is_lost_past_an_end_is_not_lost_by_a_malformed_action(
    ended: bool, found: str | None
) -> None:
    shots = [Shot({}, Transition({}, 0.0, done), {}, None) for done in (False, False, False, ended)]
    another = Failure("episode_id changed", kind="identity")
    trace = Trace({}, shots, another, {})
    item = misbehaviour(Task({}, "default"), trace, "box: an empty text", True)
    assert (item and item.checked.finding) == found


@pytest.mark.parametrize(
    ("breaks", "finding", "said", "fields"),
    [
        ("long", "malformed_action_fatal", "note: the longest text: refused", {"kind", "note"}),
        ("bare", "step_raises", '{"kind": "file"}, an action of the schema: refused', {"kind"}),
    ],
)
def test_what_is_extreme_is_not_blamed_for_what_the_plain_action_does(
    tmp_path: Path, breaks: str, finding: str, said: str, fields: set[str]
) -> None:
    item = filing(tmp_path, breaks, 9)
    assert item.finding is not None and item.finding.id == finding
    assert item.checked.said.startswith(f"{said}, and so are the 2 actions after it")
    witness = item.finding.witness
    assert isinstance(witness, ContractWitness) and witness.actions is not None
    assert set(witness.actions[1]) == fields


def test_an_action_after_which_another_is_accepted_is_not_fatal(tmp_path: Path) -> None:
    assert filing(tmp_path, "long", 2).checked.verdict == "pass"


def test_a_bad_action_that_counts_as_the_last_step_is_not_fatal(tmp_path: Path) -> None:
    assert filing(tmp_path, "long", 1, limit=2).checked.verdict == "pass"


def test_where_three_good_actions_end_an_episode_two_are_enough(tmp_path: Path) -> None:
    item = filing(tmp_path, "long", 9, limit=3)
    assert item.finding is not None and item.finding.id == "malformed_action_fatal"
    assert "refused, and so is the action after it" in item.checked.said


@pytest.mark.parametrize("limit", [2, 3])
def test_too_few_good_actions_or_one_that_is_accepted_prove_nothing(
    tmp_path: Path, limit: int
) -> None:
    errors = 1 if limit == 3 else 9
    assert filing(tmp_path, "long", errors, limit=limit).checked.verdict == "pass"


def test_what_was_tried_with_one_action_is_said_of_one(tmp_path: Path) -> None:
    item = filing(tmp_path, "long", 2, FILED[:2])
    assert "refused, and so is the action after it" in item.checked.said


def test_an_end_is_flown_again_at_the_first_reset_of_a_session(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Where resets go on to other tasks, a reader begins with the first one; only what does not end there is later."""
    monkeypatch.chdir(Path(__file__).parents[2])
    script = [{"number": 1}] * 6
    for name, sent, task in (("PaidAlways", script, "sum"), ("PaidLate", script[:2], "product")):
        with closing(connect(resolve(f"tests.zoo.turns:{name}"), 1)) as connection:
            seen = [fly_traced(connection, 0, {"seed": 1}, sent) for _ in range(2)][-1]
            again = flown_to_its_end(connection, seen)
            assert again.done
            assert again.shots[-1].answer.observation["task"] == task
