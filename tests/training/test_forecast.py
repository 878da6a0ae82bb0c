"""What a training will take, and how long an episode is without a tokenizer."""

from __future__ import annotations

import json
from typing import Any

import pytest

from gonogo.config import Architecture, RunConfig
from gonogo.models.machine import Speed
from gonogo.models.memory import GB, cache_bytes, weights_bytes
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training.forecast import (
    MARKERS,
    Length,
    PhaseForecast,
    TrainingForecast,
    bytes_of,
    most_tokens,
)

SHAPE = Architecture(
    layers=2, hidden=32, heads=4, kv_heads=2, head_width=8, intermediate=48, vocabulary=300, tied=True,
)  # fmt: skip
LENGTH = Length(tokens=200, most=400, mean=100.0, said=20.0, turns=4.0, exact=True, step_s=0.5)
MATRICES = Speed(operations=1e6, bytes=1e30, calls=1e30)
"""A machine that only products of matrices take time on."""


def forecast(speed: Speed | None = None, **changes: Any) -> TrainingForecast:
    given = {
        "target": "x", "out": "y",
        "model": {"context": 1024, **changes.pop("model", {})},
        "rollout": {"slots": 8, **changes.pop("rollout", {})},
        "train": {
            "validation": {"tasks": {"options": {}}, "episodes": 4},
            "curriculum": {"stages": [{"name": "all", "options": {}}]},
            "sft": {"episodes": 12, "max_steps": 4, "batch": 3, "validate_every": 2},
            "grpo": {"steps": 5, "tasks_per_step": 2, "group_size": 4, "validate_every": 5},
            **changes,
        },
    }  # fmt: skip
    run = RunConfig.model_validate_json(json.dumps(given))
    assert run.train is not None
    return TrainingForecast(run, run.train, SHAPE, LENGTH, speed)


def parts(speed: Speed | None = None, **changes: Any) -> dict[str, PhaseForecast]:
    return {part.name: part for part in forecast(speed, **changes).parts()}


def test_each_part_is_counted_in_its_order() -> None:
    found = parts()
    assert list(found) == [
        "traces", "sft", "sft validation", "grpo flights", "grpo", "grpo validation",
    ]  # fmt: skip
    assert [found[name].episodes for name in ("traces", "grpo flights")] == [12, 5 * 8]
    # Before the first step, every second one, and at the end.
    assert found["sft validation"].episodes == (2 + 2) * 4
    assert found["grpo validation"].episodes == (2 + 1) * 4
    assert (found["sft"].trained, found["grpo"].trained) == (4 * 3 * 100, 40 * 100)
    assert (found["traces"].said, found["grpo flights"].said) == (0, 40 * 20)
    assert all(part.seconds is None for part in found.values())  # another machine will train


def test_what_the_model_itself_teaches_it_says_and_what_is_imitated_is_trained() -> None:
    sft = {"teacher": "self", "episodes": 12, "max_steps": 4, "batch": 3}
    own = {"pretrained": "a/b"}
    assert parts(sft=sft, grpo=None, model=own)["traces"].said == 12 * 20
    grpo = {"steps": 5, "tasks_per_step": 2, "group_size": 4, "imitated": 3}
    closed = {"stages": [{"name": name, "options": {}} for name in ("all", "far")]}
    assert parts(grpo=grpo, curriculum=closed)["grpo"].trained == (40 + 15) * 100


def test_time_is_two_operations_a_weight_forward_and_as_many_for_each_gradient() -> None:
    forward = 2 * SHAPE.linear_parameters * 4 * 3 * 100 / 1e6
    assert parts(MATRICES)["sft"].seconds == pytest.approx(3 * forward)
    again = parts(MATRICES, gradient_checkpointing=True)["sft"].seconds
    assert again == pytest.approx(4 * forward)
    model = {"pretrained": "a/b", "lora": {}}
    assert parts(MATRICES, model=model)["sft"].seconds == pytest.approx(2 * forward)
    waited = parts(Speed(1e30, 1e30, 1e30))  # the environment's own steps
    assert waited["traces"].seconds == pytest.approx(12 * 4 * 0.5)


def test_memory_is_the_weights_the_cache_of_the_slots_and_what_is_trained() -> None:
    made = forecast()
    found = made.memory_gb(200, on_cpu=False)
    assert found["weights"] == weights_bytes(SHAPE, 32) / GB
    assert found["cache of the slots"] == 8 * cache_bytes(SHAPE, 200, 32) / GB
    assert found["kept by the C library"] == 0
    assert found["at once"] > found["weights"] + found["activations of a pass"]
    # What is beyond the model's context is never computed.
    whole, beyond = (made.memory_gb(n, on_cpu=False) for n in (1024, 9999))
    assert whole == beyond and whole["at once"] > found["at once"]
    assert made.memory_gb(200, on_cpu=True)["kept by the C library"] > 0


def test_a_server_has_a_cache_of_its_own() -> None:
    model = {"pretrained": "a/b", "lora": {}}
    made = forecast(model=model, rollout={"vllm": "http://127.0.0.1:9/v1"})
    assert made.memory_gb(200, on_cpu=False)["cache of the slots"] == 0


def episode(*turns: Turn) -> Episode:
    return Episode(0, {}, "x", "someone", turns=list(turns))


def test_bytes_are_those_of_all_that_is_shown_and_said() -> None:
    assert bytes_of(episode()) == most_tokens(episode()) == 0
    shown, replied = Turn("é", {}), Turn("ab", {}, reply="🚀")
    assert bytes_of(episode(shown)) == 2
    assert bytes_of(episode(shown, replied)) == 2 + 2 + 4
    assert most_tokens(episode(shown, replied)) == 8 + 2 * MARKERS


def test_an_action_counts_where_there_is_no_reply() -> None:
    action = {"move": "north"}
    silent, said = Turn("", {}, action=action), Turn("", {}, action=action, reply="north!")
    assert bytes_of(episode(silent)) == len('{"move":"north"}')
    assert bytes_of(episode(said)) == len("north!")
    quoting = Turn("", {}, action={"say": '"' * 9})  # JSON escapes what Python shows as it is
    assert bytes_of(episode(quoting)) == len('{"say":""}') + 2 * 9


def test_no_tokenizer_of_bytes_exceeds_it() -> None:
    pytest.importorskip("trl", reason="the train extra is not installed")
    from gonogo.models.tokenizer import scratch_format, train_tokenizer
    from gonogo.training.transcripts import taught

    tokenizer = train_tokenizer([], 260)  # bytes alone
    flown = episode(*(Turn(f"seen {n}", {}, action={"move": "north", "n": n}) for n in range(3)))
    counted = taught(flown, tokenizer, scratch_format(tokenizer))
    assert len("seen 0" * 3) < len(counted.ids) <= most_tokens(flown)
