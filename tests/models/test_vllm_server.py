"""What vLLM's server answers is read, and nonsense is no reply; nobody there stops before anything flies."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from tests.answering import Answering
from tests.models.vllm_serving import NOBODY, served_config

from gonogo.env.environment import Env
from gonogo.env.target import Target
from gonogo.errors import Misuse, PolicyFailure
from gonogo.models.vllm_server import Question, VllmServer, read_completion
from gonogo.records.record import Verdict
from gonogo.runners.local import LocalRunner
from gonogo.training.dry_run import rehearse
from gonogo.training.phases import run as train
from gonogo.wire import JsonObject as Json

HUB = "Qwen/Qwen2.5-7B-Instruct"


ASKED = Question((5, 6), 3, 4)


SAID = {
    "prompt_token_ids": [5, 6],
    "token_ids": [7, 3],
    "logprobs": {"token_logprobs": [-0.5, -1]},
    "finish_reason": "stop",
}


def test_a_completion_is_read() -> None:
    assert read_completion({"choices": [SAID]}, ASKED) == ([7, 3], [-0.5, -1.0])


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"prompt_token_ids": [5, 7]}, "other tokens than were sent"),
        ({"token_ids": []}, "said 0 tokens"),
        ({"token_ids": [7] * 5}, "said 5 tokens of 1 to 4"),
        ({"token_ids": ["7", 3]}, "no ids"),
        ({"finish_reason": "abort"}, "ended for 'abort'"),
        ({"logprobs": {"token_logprobs": [-0.5]}}, "log-probabilities are none"),
        ({"logprobs": {"token_logprobs": [-0.5, None]}}, "log-probabilities are none"),
        ({"logprobs": None}, "no completion"),
    ],
)
def test_nonsense_is_no_reply(changes: Json, why: str) -> None:
    with pytest.raises(PolicyFailure, match=why):
        read_completion({"choices": [{**SAID, **changes}]}, ASKED)


@pytest.mark.parametrize("answer", [{}, [], None, {"choices": []}, {"choices": [1]}])
def test_what_is_no_completion_is_refused(answer: object) -> None:
    with pytest.raises(PolicyFailure, match="no completion"):
        read_completion(answer, ASKED)


def test_nobody_there_stops_before_anything_flies(
    target: Target, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = served_config(tmp_path / "out", target, tmp_path, NOBODY)
    with pytest.raises(Misuse, match=r"rollout.vllm must be the URL of vLLM's API: .* no answer"):
        train(run)
    with pytest.raises(Misuse, match=r"rollout.vllm must be"):
        LocalRunner(run, Env.of(run))
    assert not (tmp_path / "out").exists()
    chat = run.model_copy(update={"model": run.model.model_copy(update={"pretrained": HUB})})
    assert rehearse(chat, 500.0) == Verdict.NO_GO
    assert "rollout.vllm must be" in " ".join(capsys.readouterr().out.split())


def test_a_question_asks_for_the_models_own_distribution() -> None:
    body = Question((5, 6), 3, 4, temperature=0.7, seed=9).body("gonogo-1")
    asked = {name: body[name] for name in ("model", "prompt", "max_tokens", "stop_token_ids")}
    assert asked == {"model": "gonogo-1", "prompt": [5, 6], "max_tokens": 4, "stop_token_ids": [3]}
    assert (body["temperature"], body["seed"]) == (0.7, 9)
    assert (body["top_p"], body["top_k"], body["ignore_eos"]) == (1.0, 0, True)
    greedy = Question((5,), None, 4).body("m")
    assert (greedy["temperature"], greedy["stop_token_ids"], greedy["seed"]) == (0.0, [], None)


def test_replies_come_in_the_order_of_the_questions_and_a_refusal_is_one_of_them(
    served: Answering, address: str
) -> None:
    def answer(body: Json) -> bytes:
        if body["prompt"] == [9]:
            return b"!500out of memory"
        return json.dumps({"choices": [{**SAID, "prompt_token_ids": body["prompt"]}]}).encode()

    served.answer = answer
    asked = [Question((number,), 3, 4) for number in (7, 9, 8)]
    first, second, third = VllmServer(address, 5).complete("gonogo-1", asked)
    assert first == third == ([7, 3], [-0.5, -1.0])
    assert isinstance(second, PolicyFailure) and "answered 500: out of memory" in str(second)
    assert {body["model"] for body in served.asked} == {"gonogo-1"}


def test_what_lists_no_models_as_vllm_does_is_refused(served: Answering, address: str) -> None:
    server = VllmServer(address, 5)
    assert server.names() == {"served"}
    with pytest.raises(Misuse, match="does not list models as vLLM does"):
        server.check(64)


def test_an_adapter_is_loaded_once(served: Answering, address: str, tmp_path: Path) -> None:
    served.answer = lambda _: b"done"
    server = VllmServer(address, 5)
    server.load("served", tmp_path)
    assert served.asked == []  # it is there
    server.load("gonogo-1", tmp_path)
    (asked,) = served.asked
    assert (asked["lora_name"], asked["lora_path"]) == ("gonogo-1", str(tmp_path.resolve()))
    served.answer = lambda _: b"!400no such folder"
    with pytest.raises(Misuse, match=r"must load the adapter in .* and did not: .*no such folder"):
        server.load("gonogo-2", tmp_path)
