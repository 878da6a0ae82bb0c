"""Looking at an environment without flying it: over the pipe all of it, over a URL what HTTP shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from gonogo.env.connect import connect
from gonogo.env.target import resolve
from gonogo.errors import EnvironmentFailure
from gonogo.records.inspection import NoRubric, RawAnswer
from gonogo.rollouts.types import Failure, Transition

Serve = Callable[..., str]


def test_a_folder_tells_signature_and_code(gridworld: Path) -> None:
    connection = connect(resolve(str(gridworld)), 1)
    described = connection.describe()
    connection.close()
    assert described.reset is not None
    assert [p.name for p in described.reset.parameters] == [
        "seed",
        "episode_id",
        "split",
        "index",
    ]
    assert described.reset.parameters[0].json_schema["anyOf"][0] == {"type": "integer"}
    assert described.code is not None
    assert str(described.code.step.file).endswith("server/environment.py")
    assert described.rubric == NoRubric()
    assert described.task_api is None
    assert described.problems == {}


def test_a_task_api_is_asked_and_its_refusals_are_http_statuses() -> None:
    connection = connect(resolve("tests.zoo.defects:Brittle"), 1)
    described = connection.describe()
    connection.close()
    assert described.task_api is not None
    (split,) = described.task_api.splits
    assert (split.name, split.num_tasks, len(split.preview)) == ("train", 2, 2)
    answers = described.task_api.answers
    assert answers.unknown_split is not None and answers.unknown_split.status == 500
    assert answers.negative_index is not None and answers.negative_index.status == 200


@pytest.mark.parametrize("over_a_url", [False, True])
def test_a_renewed_session_is_fresh_and_not_reset(
    gridworld: Path, serve: Serve, over_a_url: bool
) -> None:
    connection = connect(resolve(serve(gridworld) if over_a_url else str(gridworld)), 2)
    try:
        connection.reset({0: {"episode_id": "old"}, 1: {"episode_id": "kept"}})
        assert connection.renew([0]) == {0: None}
        states = connection.state([0, 1])
        assert states[0]["episode_id"] != "old"  # type: ignore[index]
        assert states[1]["episode_id"] == "kept"  # type: ignore[index]
        refused = connection.step({0: {"move": "stay"}})[0]
        assert isinstance(refused, Transition)
        assert refused.refusal == "the episode has ended: call reset"
        assert isinstance(connection.reset({0: {}})[0], Transition)
    finally:
        connection.close()


def test_raw_facts_of_the_last_answer(rogue: Path) -> None:
    connection = connect(resolve(str(rogue)), 1)
    try:
        for trick, expected in (("nan", ("float", True, False)), ("bool", ("bool", False, True))):
            connection.reset({0: {"trick": trick}})
            for word in "ab":
                connection.step({0: {"word": word}})
            raw = connection.raw([0])[0]
            assert raw is not None and raw.reward is not None
            assert (raw.reward.type, raw.reward.numeric, raw.reward.finite) == expected
        connection.step({0: {"word": "forbidden"}})
        assert connection.raw([0])[0] == RawAnswer(refused="invalid", errors=("value_error",))
        connection.reset({0: {"trick": "raise in reset"}})
        raised = connection.raw([0])[0]
        assert raised is not None and raised.raised is not None
        assert (raised.refused, raised.errors) == ("raised", ("RuntimeError",))
        where = raised.raised
        assert (where.file, where.code) == (
            "server/environment.py",
            'raise RuntimeError("no start today")',
        )
    finally:
        connection.close()


def test_over_a_url_http_is_what_can_be_seen(gridworld: Path, serve: Serve) -> None:
    connection = connect(resolve(serve(gridworld)), 1)
    try:
        described = connection.describe()
        assert described.metadata is not None
        assert described.metadata["name"] == "GridEnvironment"
        assert (described.reset, described.code, described.rubric) == (None, None, None)
        assert described.task_api is None
        assert connection.raw([0]) == {0: None}
    finally:
        connection.close()


def test_an_environment_that_cannot_be_made_cannot_be_described() -> None:
    connection = connect(resolve("tests.zoo.defects:Stillborn"), 1)
    try:
        with pytest.raises(EnvironmentFailure, match="no instance today"):
            connection.describe()
        for failure in (connection.renew([0])[0], connection.reset({0: {}})[0]):
            assert isinstance(failure, Failure)
            assert failure.kind == "unmade"
    finally:
        connection.close()
