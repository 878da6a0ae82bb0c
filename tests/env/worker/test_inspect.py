"""What the worker tells of an environment beside flying it, over the pipe and of objects made by hand."""

from __future__ import annotations

import math
import typing
from pathlib import Path
from typing import Any

import pytest
from openenv.core.env_server.types import Observation
from openenv.core.rubrics import Rubric, WeightedSum
from pydantic import BaseModel, ValidationError
from tests.zoo.single import Counter

from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.worker import inspect as worker_inspect
from gonogo.env.worker.inspect import (
    answer,
    attempt,
    in_words,
    is_finite,
    is_own,
    location,
    nonfinite,
    openenv_bases,
    place_of,
    raw,
    reset_signature,
    rubric_tree,
    schema_of,
    shown,
    subclasses_in,
)
from gonogo.records.inspection import NoRubric, RawAnswer


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


class Half(Rubric):
    """Pays half."""

    def forward(self, action: Any, observation: Any) -> float:
        return 0.5


def test_a_rubric_tells_its_tree_with_the_weights_of_a_sum() -> None:
    told = rubric_tree(WeightedSum([Half(), Half()], weights=[0.25, 0.75]))
    assert (told["class"], told["weight"]) == ("WeightedSum", None)
    assert [(child["class"], child["weight"]) for child in told["children"]] == [
        ("Half", 0.25),
        ("Half", 0.75),
    ]
    assert told["children"][0]["file"] == __file__
    assert rubric_tree(None) == {}


def test_a_reset_tells_its_parameters_and_whether_it_takes_others() -> None:
    told = reset_signature(Counter())
    assert told["open"] is True
    assert [p["name"] for p in told["parameters"]] == ["seed", "episode_id"]
    assert [p["required"] for p in told["parameters"]] == [False, False]
    assert {"type": "integer"} in told["parameters"][0]["schema"]["anyOf"]


def test_an_annotation_without_a_schema_has_an_empty_one() -> None:
    assert schema_of(list[int]) == {"items": {"type": "integer"}, "type": "array"}
    assert schema_of(None) == schema_of(typing.Callable) == schema_of(object()) == {}


class Gone(LookupError):
    """What an app has a handler for."""

    status_code = 404


@pytest.mark.parametrize(
    ("error", "status"),
    [(Gone(), 404), (IndexError(), 400), (NotImplementedError(), 501), (KeyError("x"), 500)],
)
def test_what_a_method_raises_is_the_status_that_the_route_would_answer(
    error: Exception, status: int
) -> None:
    def ask() -> None:
        raise error

    assert answer(ask, [Gone]) == {"status": status, "said": in_words(error)}
    assert answer(lambda: [1], [Gone]) == {"status": 200, "said": [1]}
    assert (attempt(ask), attempt(lambda: 1)) == (None, 1)


class Seen(Observation):
    """An observation with what JSON does not hold."""

    heat: float = math.nan
    rows: tuple[dict[str, float], ...] = ({"x": 1.0, "y": math.inf},)


def test_what_json_does_not_show_of_an_observation_is_told() -> None:
    told = raw(Seen(reward=math.nan), fitted=True)
    assert told["refused"] is None
    assert told["reward"] == {"type": "float", "shown": "nan", "numeric": True, "finite": False}
    assert told["nonfinite"] == ["heat", "rows[0].y"]
    assert raw(Seen(reward=True), fitted=True)["reward"]["numeric"] is False
    assert raw(Seen(), fitted=True)["reward"]["type"] == "null"


class Strict(BaseModel):
    """Takes a number."""

    number: int


def test_a_validation_that_failed_is_the_actions_only_where_it_did_not_fit() -> None:
    with pytest.raises(ValidationError) as caught:
        Strict.model_validate({"number": "x"})
    assert raw(caught.value, fitted=False) == {"refused": "invalid", "errors": ["int_parsing"]}
    told = raw(caught.value, fitted=True)
    assert (told["refused"], told["errors"]) == ("raised", ["ValidationError"])


WAYS = [("meant", True), ("beside", True), ("builtin", False), ("cannot be", False)]


def fails(how: str) -> None:
    if how == "meant":
        raise ValueError("not\n that")
    if how == "beside": raise ValueError("not that")  # fmt: skip  # noqa: E701
    if how == "builtin":
        raise ValueError(f"not that: {int(how)}")
    assert how == "meant", "no such way"


@pytest.mark.parametrize(("how", "meant"), WAYS)
def test_an_error_is_told_by_the_environments_line_and_whether_it_is_meant(
    how: str, meant: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(Path(__file__).parent)
    with pytest.raises((ValueError, AssertionError)) as caught:
        fails(how)
    told = place_of(caught.value)
    assert (told["file"], told["meant"]) == (Path(__file__).name, meant)
    assert told["said"] == ("not that" if meant else told["said"])
    line = Path(__file__).read_text().splitlines()[told["line"] - 1]
    assert told["code"] == line.strip()


def test_what_is_installed_is_not_the_environments_own() -> None:
    assert is_own(__file__)
    assert not is_own(pytest.__file__)
    assert not is_own(typing.__file__)
    assert not is_own(worker_inspect.__file__)


def test_values_that_are_hard_to_look_at_are_looked_at() -> None:
    class Shy:
        def __repr__(self) -> str:
            raise RuntimeError("not today")

    assert shown(Shy()) == "RuntimeError: not today"
    assert not is_finite(10**400) and not is_finite(math.inf) and is_finite(3)
    assert list(nonfinite({"a": (1.0, -math.inf), "b": {"c": math.nan}}, "")) == ["a[1]", "b.c"]
    assert location(len) == {"file": None, "line": None}


def test_a_module_tells_the_classes_that_it_defines_itself() -> None:
    assert "tests.zoo.single.Counter" in list(
        subclasses_in(
            __import__("tests.zoo.single", fromlist=["Counter"]), openenv_bases(Counter)[0]
        )
    )
    here = __import__("sys").modules[__name__]
    assert list(subclasses_in(here, Rubric)) == [f"{__name__}.Half"]
    assert list(subclasses_in(here, Counter)) == []  # it is imported here
