"""The worker's program: its frames, one instance a slot, and an answer for each whatever the environment does."""

from __future__ import annotations

import io
import json
import os
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from tests.zoo import single

from gonogo.config import RolloutConfig
from gonogo.env.environment import connect
from gonogo.env.target import resolve
from gonogo.env.worker.answers import frame
from gonogo.env.worker.load import load_class
from gonogo.env.worker.program import (
    ANSWER,
    GREETING,
    Answers,
    Worker,
    beside,
    encode_plainly,
    finish,
    mute,
    read_frame,
    reset_parameters,
    sibling,
)
from gonogo.errors import EnvironmentFailure
from gonogo.rollouts.types import Failure

Json = dict[str, Any]


def frames(stream: io.BytesIO) -> Iterator[tuple[int, Any]]:
    """What was answered, by slot."""
    data = stream.getvalue()
    while data:
        length, slot = ANSWER.unpack_from(data)
        body, data = data[ANSWER.size :][:length], data[ANSWER.size + length :]
        yield slot, json.loads(body)


def served(path: str, *requests: list[Any]) -> list[tuple[int, Any]]:
    """What a worker of a class answers to some requests, until it is told to close."""
    out = io.BytesIO()
    asked = b"".join(map(frame, requests))
    Worker(load_class(path), Answers(out), {"kind": "class", "path": path}).serve(io.BytesIO(asked))
    return list(frames(out))


def test_a_frame_is_read_whole_and_none_at_the_end() -> None:
    stream = io.BytesIO(frame(["step", [[0, {"add": 1}]]]) + b"\0\0")
    assert read_frame(stream) == ["step", [[0, {"add": 1}]]]
    assert read_frame(stream) is None


def test_an_instance_a_slot_answers_resets_steps_and_states() -> None:
    said = served(
        "tests.zoo.single:AsyncCounter",
        ["reset", [[0, {"seed": 5, "unknown": 1}], [3, {}]]],
        ["step", [[3, {"add": 2}]]],
        ["state", [[3, None]]],
        ["fits", [[0, [{"add": 1}, {"add": "x"}]]]],
        ["close", []],
        ["state", [[0, None]]],
    )
    assert [slot for slot, _ in said] == [0, 3, 3, 3, 0]
    (reset, _, step, state, fits) = (answer for _, answer in said)
    kind, shown, (episode, count) = reset
    assert (kind, shown["observation"]["total"], count) == ("ok", 5, 0) and episode
    assert (step[1]["observation"]["total"], step[1]["reward"], step[2][1]) == (2, 2.0, 1)
    assert state == ["ok", state[1], None] and state[1]["step_count"] == 1
    assert fits == ["ok", [True, False], None]


def test_a_retired_or_renewed_instance_is_another_one() -> None:
    said = served(
        "tests.zoo.single:Counter",
        ["reset", [[0, {"seed": 5}]]],
        ["renew", [[0, None]]],
        ["step", [[0, {"add": 1}]]],
        ["retire", [[0, None]]],
        ["step", [[0, {"add": 1}]]],
    )
    answers = [answer for _, answer in said]
    assert answers[1] == ["ok", None, None]
    assert answers[3] == ["ok", {"late": None}, None]
    assert [answers[place][1]["observation"]["total"] for place in (2, 4)] == [1, 1]


def test_what_is_refused_raised_or_cannot_be_made_has_a_kind_of_its_own(
    capsys: pytest.CaptureFixture[str],
) -> None:
    invalid, raw = served(
        "tests.zoo.single:Counter", ["step", [[0, {"add": "x"}]]], ["raw", [[0, None]]]
    )
    assert invalid[1][0] == "invalid"
    assert invalid[1][1] == [
        {
            "loc": ["add"],
            "msg": "Input should be a valid integer, unable to parse string as an integer",
            "input": "x",
        }
    ]
    assert raw[1][1] == {"refused": "invalid", "errors": ["int_parsing"]}
    ((_, raised),) = served("tests.zoo.single:Numbered", ["reset", [[0, {"seed": 1, "index": 2}]]])
    assert raised[:2] == ["raised", "give either seed or index"]
    ((_, unmade),) = served("tests.zoo.defects:Stillborn", ["reset", [[2, {}]]])
    assert unmade[0] == "unmade" and "no instance today" in unmade[1]["error"]
    assert "no instance today" in capsys.readouterr().err


def test_an_error_of_a_step_that_nobody_meant_tells_its_type_and_place() -> None:
    asked = [["step", [[0, {"add": number}]]] for number in (1, 2, 3, 4, 5, 0)]
    answers = [answer for _, answer in served("tests.zoo.single:Fallible", *asked)]
    kinds = [kind for kind, *_ in answers]
    assert kinds == ["raised", "erred", "raised", "erred", "erred", "ok"]
    lines = Path(single.__file__).read_text().splitlines()
    for answer, code in ((answers[1], "total=None"), (answers[3], "{}[str(action.add)]")):
        kind, _, place = answer[1]["at"].rpartition(" ")
        file, _, line = place.rpartition(":")
        assert kind == {"total=None": "ValidationError"}.get(code, "KeyError")
        assert file.endswith("tests/zoo/single.py") and code in lines[int(line) - 1]
    assert (answers[3][1]["at"], answers[3][1]["said"]) == (answers[4][1]["at"], "'4'")


def test_an_error_whose_place_cannot_be_told_is_a_refusal_and_no_death(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    asked = [["step", [[0, {"add": number}]]] for number in (4, 0)]
    answers = [answer for _, answer in served("tests.zoo.single:Fallible", *asked)]
    assert [kind for kind, *_ in answers] == ["raised", "ok"]


def test_an_answer_that_cannot_be_json_is_the_error_it_is() -> None:
    out = io.BytesIO()
    answers = Answers(out)
    answers.write([1, "ok", {"x": float("nan")}, None])
    answers.write([2, "ok", {"x": object()}, ["e", 1]])
    answers.write([3, "ok", "\ud800", None])
    answers.greet({"error": "no"})
    (nan, odd, half, greeting) = frames(out)
    assert nan == (1, ["ok", {"x": None}, None])
    assert odd[0] == 2 and odd[1][0] == "raised" and "object" in odd[1][1] and odd[1][2] == ["e", 1]
    assert half[0] == 3 and half[1][0] == "raised"
    assert greeting == (GREETING, {"error": "no"})


def test_what_is_wrong_with_an_action_is_told_with_its_inputs_as_texts() -> None:
    errors = [{"loc": ["word", 0], "msg": "no", "input": "\ud800"}]
    said = json.loads(encode_plainly(ValueError("x"), "invalid", errors, None))
    assert said == ["invalid", [{"loc": ["word", "0"], "msg": "no", "input": "'\\ud800'"}], None]


def test_a_reset_is_given_the_options_that_it_takes() -> None:
    def closed(seed: int | None = None, *, level: str = "") -> None: ...
    def open_to_all(seed: int | None = None, **_: Any) -> None: ...

    assert reset_parameters(closed) == {"seed", "level"}
    assert reset_parameters(open_to_all) is None


def test_a_synchronous_environment_is_answered_without_a_loop() -> None:
    async def at_once() -> list[Any]:
        return [0, "ok", None, None]

    assert finish(at_once()) == [0, "ok", None, None]


def test_modules_beside_it_are_loaded_once_by_names_that_no_environment_has() -> None:
    assert beside("worker_load").name == "load.py" and beside("worker_load").is_file()
    assert sibling("worker_load") is sibling("worker_load")
    assert sibling("worker_load").__name__ == "worker_load"


def test_what_the_environment_forked_reads_and_writes_nothing_of_the_wire() -> None:
    reads, writes = os.pipe()
    kept = os.dup(reads)
    mute([reads, writes])
    os.write(writes, b"lost")
    assert os.read(reads, 4) == b"" and os.read(kept, 4) == b""
    for descriptor in (reads, writes, kept):
        os.close(descriptor)


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


def test_closing_has_one_deadline_and_what_was_late_is_said() -> None:
    began = time.monotonic()
    with closing(
        connect(
            resolve("tests.zoo.stranger:Clinging"), 4, RolloutConfig(timeout_s=20, startup_s=60)
        )
    ) as connection:
        connection.reset({slot: {} for slot in range(4)})
        described = connection.describe()
        renewed = connection.renew(range(4))
    assert set(renewed.values()) == {None}
    assert described.problems["close"] == "close() of the environment did not return within 4 s"
    assert time.monotonic() - began < 40
