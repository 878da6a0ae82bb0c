"""vLLM's server flies a model in training: the same ids, its adapters, refusals; over a real one where it is there."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.answering import Answering
from tests.env.opening import opened
from tests.models.vllm_serving import (
    CONTEXT,
    LORA,
    NOBODY,
    PROGRAM,
    base_folder,
    loaded,
    served_config,
    serving,
)
from tests.training.small_trainings import Log

from gonogo.config import ModelConfig, RunConfig
from gonogo.env.environment import Env
from gonogo.env.target import Target
from gonogo.errors import Misuse, PolicyFailure
from gonogo.models.model_policy import ModelPolicy
from gonogo.models.pretrained import load_trainable
from gonogo.models.sampling import Sampled
from gonogo.models.tokenizer import Speaker
from gonogo.models.vllm import Question, Served, ServedReplies, VllmServer, name_of, read_completion
from gonogo.records.record import Verdict
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection
from gonogo.runners.runner import LocalRunner
from gonogo.training import trainer as trainee
from gonogo.training.dry_run import rehearse
from gonogo.training.grpo import GroupRollout
from gonogo.training.phases import run as train
from gonogo.training.saving import keep
from gonogo.training.trainer import Trainee
from gonogo.training.transcripts import flown
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
    body = Question((5, 6), 3, 4, temperature=0.7, seed=9).body("gonogo-1").model_dump(mode="json")
    asked = {name: body[name] for name in ("model", "prompt", "max_tokens", "stop_token_ids")}
    assert asked == {"model": "gonogo-1", "prompt": [5, 6], "max_tokens": 4, "stop_token_ids": [3]}
    assert (body["temperature"], body["seed"]) == (0.7, 9)
    assert (body["top_p"], body["top_k"], body["ignore_eos"]) == (1.0, 0, True)
    greedy = Question((5,), None, 4).body("m").model_dump(mode="json")
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


needs_vllm = [
    pytest.mark.slow,
    pytest.mark.timeout(900),
    pytest.mark.skipif(PROGRAM is None, reason="no vllm program: GONOGO_VLLM names none"),
]
TASKS = [{"split": "train", "index": number // 2} for number in range(8)]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory, target: Target, grid: Connection) -> Path:
    return base_folder(tmp_path_factory.mktemp("served") / "base", target, grid)


@pytest.fixture(scope="module")
def url(base: Path) -> Iterator[str]:
    words = ["--max-model-len", str(CONTEXT), "--logprobs-mode", "processed_logprobs"]
    with serving(base, *words) as address:
        yield address


def speaker_of(base: Path, factors: float = 0.0) -> Speaker:
    """A base model with factors: new ones that change nothing, or random ones of a size."""
    config = ModelConfig(pretrained=str(base), context=CONTEXT, lora=LORA)
    speaker = load_trainable(config, "told", 3)
    move(speaker, factors)
    return speaker


def move(speaker: Speaker, size: float) -> None:
    stream = torch.Generator().manual_seed(1)
    with torch.no_grad():
        for name, weight in speaker.model.named_parameters():
            if "lora_B" in name:
                weight.normal_(std=size, generator=stream) if size else weight.zero_()


def flights(
    speaker: Speaker, grid: Connection, temperature: float | None, served: Served | None
) -> list[Episode]:
    policy = ModelPolicy(
        speaker, "m", max_reply_tokens=16, temperature=temperature, seed=(1, 2), served=served
    )
    try:
        return fly(grid, policy, TASKS, Flight("grid", max_turns=4, slots=8))
    finally:
        policy.close()


def said(episodes: list[Episode]) -> list[tuple[tuple[int, ...], ...]]:
    assert all(episode.error is None for episode in episodes)
    return [
        tuple(turn.tokens.completion_ids for turn in episode.turns if turn.tokens is not None)
        for episode in episodes
    ]


class TestServed:
    pytestmark = needs_vllm

    @pytest.mark.parametrize("factors", [0.0, 0.2])
    def test_greedy_ids_are_those_of_our_decoder(
        self, factors: float, base: Path, url: str, grid: Connection, tmp_path: Path
    ) -> None:
        speaker, served = speaker_of(base, factors), Served(VllmServer(url, 60))
        served.send(speaker, tmp_path)
        ours, theirs = flights(speaker, grid, None, None), flights(speaker, grid, None, served)
        assert said(theirs) == said(ours)
        for one, other in zip(ours, theirs, strict=True):
            assert flown(other).ids == flown(one).ids
            assert flown(other).logprobs == pytest.approx(flown(one).logprobs, abs=1e-4)

    def test_samples_repeat_and_their_probabilities_are_the_models(
        self, base: Path, url: str, grid: Connection, tmp_path: Path
    ) -> None:
        speaker, served = speaker_of(base, 0.2), Served(VllmServer(url, 60))
        served.send(speaker, tmp_path)
        first, again = flights(speaker, grid, 0.8, served), flights(speaker, grid, 0.8, served)
        assert said(first) == said(again)
        assert len(set(said(first))) > 4  # two episodes a task
        for episode in first:
            transcript = flown(episode)
            ids = torch.tensor([transcript.ids])
            with torch.no_grad():
                scores = (speaker.model(input_ids=ids).logits[0, :-1] / 0.8).log_softmax(-1)
            chosen = scores.gather(-1, ids[0, 1:, None])[:, 0]
            own = torch.tensor(transcript.turn[1:]) >= 0
            wanted = torch.tensor(transcript.logprobs[1:])
            assert torch.allclose(chosen[own], wanted[own], atol=1e-4)
            assert (wanted[~own] == 0).all()

    def test_an_update_replaces_the_adapter_and_changes_what_is_said(
        self, base: Path, url: str, grid: Connection, tmp_path: Path
    ) -> None:
        speaker, served = speaker_of(base), Served(VllmServer(url, 60))
        first = served.send(speaker, tmp_path)
        before = said(flights(speaker, grid, None, served))
        assert served.send(speaker, tmp_path) == first
        move(speaker, 0.3)
        second = served.send(speaker, tmp_path)
        assert second != first and second in loaded(url) and first not in loaded(url)
        assert [place.name for place in tmp_path.iterdir()] == [second]
        assert said(flights(speaker, grid, None, served)) != before

    def test_other_weights_are_refused_by_what_they_say(
        self, base: Path, url: str, grid: Connection, tmp_path: Path
    ) -> None:
        speaker, served = speaker_of(base, 0.2), Served(VllmServer(url, 60))
        served.send(speaker, tmp_path)
        move(speaker, 0.5)
        with pytest.raises(
            Misuse, match=r"differ from the model's by .* weights of model.pretrained"
        ):
            ModelPolicy(speaker, "m", max_reply_tokens=4, served=served)
        with torch.no_grad():  # another base model, with its own factors
            next(speaker.model.parameters()).mul_(1.5)
        served.send(speaker, tmp_path)
        with pytest.raises(
            Misuse, match=r"differ from the model's by .* weights of model.pretrained"
        ):
            ModelPolicy(speaker, "m", max_reply_tokens=4, served=served)

    def test_grpo_learns_from_what_the_server_said(
        self, base: Path, url: str, target: Target, grid: Connection, tmp_path: Path
    ) -> None:
        run = served_config(tmp_path, target, base, url)
        assert run.train is not None
        log, speaker = Log(), speaker_of(base)
        Trainee(run, run.train, opened(run, grid), speaker, tmp_path, log.observer()).grpo()
        steps = [row for row in log.rows if row["step"] > 0]
        assert [row["step"] for row in steps] == [1, 2, 3]
        assert any(row["grad_norm"] > 0 for row in steps)
        # The ratio to the server's own log-probabilities is 1 but for rounding.
        assert all(row["clip_ratio/region_mean"] == 0 for row in steps)
        assert all(row["episode/lost"] == 0 for row in steps)
        factors = [w for n, w in speaker.model.named_parameters() if "lora_B" in n]
        assert any(bool(weight.any()) for weight in factors)
        assert len(list((tmp_path / "served").iterdir())) == 1

    def test_a_saved_model_is_evaluated_there_as_here(
        self, base: Path, url: str, target: Target, grid: Connection, tmp_path: Path
    ) -> None:
        keep(speaker_of(base, 0.2), tmp_path / "models" / "moved", [1, 2, 3])
        flown_by = []
        for address in (None, url):
            run = served_config(tmp_path, target, base, address)
            with Env.of(run) as env, closing(LocalRunner(run, env)) as solo:
                tasks = dict(enumerate(TASKS))
                flown_by.append(
                    [solo.fly(name, tasks, lambda _: None) for name in ("moved", "random")]
                )
        (here, chance), (there, same) = flown_by
        assert said(there) == said(here)
        assert [e.episode_return for e in same] == [e.episode_return for e in chance]
        run = served_config(tmp_path, target, base, url)
        with (
            Env.of(run) as env,
            closing(LocalRunner(run, env)) as solo,
            pytest.raises(Misuse, match="whole weights are not sent"),
        ):
            solo.fly(str(base), {0: TASKS[0]}, lambda _: None)

    def test_a_dry_run_says_what_it_serves(
        self, base: Path, url: str, target: Target, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:  # fmt: skip
        assert rehearse(served_config(tmp_path, target, base, url)) == Verdict.GO
        said = " ".join(capsys.readouterr().out.replace("│", " ").split())
        assert "takes adapters; its weights are compared" in said

    def test_a_server_started_otherwise_is_refused_and_one_that_ends_scores_nothing(
        self, base: Path, grid: Connection, tmp_path: Path
    ) -> None:
        speaker = speaker_of(base)
        words = ["--max-model-len", "512", "--logprobs-mode", "raw_logprobs"]
        with serving(base, *words, adapters=False) as address:
            server = VllmServer(address, 60)
            with pytest.raises(Misuse, match=r"must read model.context \(1024\) tokens, not 512"):
                server.check(CONTEXT)
            with pytest.raises(Misuse, match="VLLM_ALLOW_RUNTIME_LORA_UPDATING=True"):
                server.check(512)
            served = Served(server)
            with pytest.raises(Misuse, match=r"must load the adapter in .* and did not"):
                served.send(speaker, tmp_path / "served")
            served.adapter = loaded(address)[0]  # the factors are new: they change nothing
            with pytest.raises(Misuse, match="--logprobs-mode processed_logprobs"):
                served.replies(speaker, 4, 2.0)
            policy = ModelPolicy(speaker, "m", max_reply_tokens=16, served=served)
        lost = fly(grid, policy, TASKS, Flight("grid", max_turns=4, slots=8))
        assert all("gave no answer" in str(episode.error) for episode in lost)
        assert all(episode.episode_return is None for episode in lost)


def test_what_is_served_has_factors_and_a_cache_of_its_own(target: Target, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="give it or vllm, not both"):
        served_config(tmp_path, target, tmp_path, NOBODY, cache_mib=64)
    settings = served_config(tmp_path, target, tmp_path, NOBODY).model_dump(mode="json")
    with pytest.raises(ValueError, match=r"rollout.vllm needs model.lora"):
        RunConfig.model_validate_json(
            json.dumps({**settings, "model": {**settings["model"], "lora": None}})
        )
    grpo = {**settings["train"]["grpo"], "temperature": 2.5}
    with pytest.raises(ValueError, match=r"must be at most 2 with rollout\.vllm, not 2\.5"):
        RunConfig.model_validate_json(
            json.dumps({**settings, "train": {**settings["train"], "grpo": grpo}})
        )
    with pytest.raises(ValueError, match=r"rollout\.vllm"):
        served_config(tmp_path, target, tmp_path, "127.0.0.1:8000")


@pytest.mark.long
def test_the_models_own_log_probabilities_as_the_old_ones_change_nothing(
    base: Path, target: Target, grid: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def curve(folder: str, served: bool) -> list[Json]:
        monkeypatch.setattr(
            trainee, "GroupRollout", lambda *a, **k: GroupRollout(*a, **{**k, "served": served})
        )
        run = served_config(tmp_path / folder, target, base, None)
        assert run.train is not None
        log = Log()
        environments = opened(run, grid)
        Trainee(run, run.train, environments, speaker_of(base), run.out, log.observer()).grpo()
        return log.curve()

    without, held = curve("without", False), curve("held", True)
    assert any(row.get("grad_norm", 0) > 0 for row in held)
    for one, other in zip(without, held, strict=True):
        figures = {name: value for name, value in one.items() if isinstance(value, int | float)}
        assert {name: other[name] for name in figures} == pytest.approx(figures, rel=1e-3, abs=1e-4)


def test_factors_are_called_by_what_they_are(chat: Path, told: str) -> None:
    config = ModelConfig(pretrained=str(chat), context=CONTEXT, lora=LORA)
    first, again, other = (load_trainable(config, told, seed) for seed in (1, 1, 2))
    assert name_of(first) == name_of(again) != name_of(other)
    move(again, 0.1)
    assert name_of(again) != name_of(first)
    whole = ModelConfig(pretrained=str(chat), context=CONTEXT)
    with pytest.raises(Misuse, match="whole weights are not sent"):
        name_of(load_trainable(whole, told, 1))


def test_nothing_flies_before_factors_were_sent(chat: Path, told: str) -> None:
    config = ModelConfig(pretrained=str(chat), context=CONTEXT, lora=LORA)
    with pytest.raises(Misuse, match="no adapter was sent"):
        Served(VllmServer(NOBODY, 5)).replies(load_trainable(config, told, 1), 4, None)


def test_an_episode_keeps_all_its_tokens_and_asks_with_a_seed_of_its_own(
    served: Answering, address: str
) -> None:
    def answer(body: Json) -> bytes:
        choice = {
            "prompt_token_ids": body["prompt"],
            "token_ids": [8, 3],
            "logprobs": {"token_logprobs": [-1.0, -2.0]},
            "finish_reason": "stop",
        }
        return json.dumps({"choices": [choice]}).encode()

    served.answer = answer
    replies = ServedReplies(
        VllmServer(address, 5), "a", stop=3, context=12, longest=4, temperature=1.0
    )
    for slot in (0, 1):
        replies.begin(slot, np.random.default_rng(slot))
    said = replies.reply({0: [5, 6], 1: [7]})
    assert said == {slot: Sampled((8, 3), (-1.0, -2.0)) for slot in (0, 1)}
    assert replies.room(0, 4) and not replies.room(0, 5)  # 4 tokens are there, and 4 may come
    served.answer = lambda _: b"!500gone"
    lost = replies.reply({0: [9]})[0]
    assert isinstance(lost, PolicyFailure)
    prompts = [body["prompt"] for body in served.asked]
    assert sorted(prompts[:2]) == [[5, 6], [7]] and prompts[2] == [5, 6, 8, 3, 9]
    assert len({body["seed"] for body in served.asked}) == 3
    replies.end([0, 1, 99])
    replies.begin(0)
    assert replies.room(0, 7)
