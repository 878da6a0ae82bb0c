"""Tools: what the environment lists is seen, and reserved names are OpenEnv's own."""

from __future__ import annotations

from openenv.core.env_server.mcp_types import RESERVED_TOOL_NAMES as THEIRS

from gonogo.contract.flights import Shot, Trace
from gonogo.contract.provocations import RESERVED_TOOL_NAMES, check_tools, up_to_the_end
from gonogo.env.connect import connect
from gonogo.env.target import resolve
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Transition


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
