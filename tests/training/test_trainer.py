"""The model in training on a foreign environment: its teacher, the same curve after an interrupt, its validation."""

from __future__ import annotations

import shutil
from contextlib import closing
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.env.opening import opened
from tests.training.small_trainings import (
    GRPO,
    SFT,
    Log,
    chat_config,
    chat_folder,
    factors,
    frozen,
    scratch_config,
    train,
    trainee,
    weights,
    with_a_closed_stage,
)

from gonogo.config import SftConfig, Stage
from gonogo.env.environment import connect
from gonogo.env.target import Target, resolve
from gonogo.errors import EnvironmentFailure, Misuse
from gonogo.models import saved as models
from gonogo.models.checkpoints import flaw
from gonogo.models.forwards import inner
from gonogo.models.pretrained import load_whole
from gonogo.models.tokenizer import Speaker
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import validation_of
from gonogo.training.saved_model_check import flown
from gonogo.training.saving import keep
from gonogo.training.teachers import best_of, fly_teacher
from gonogo.training.trainer import Trainee, check_transcripts, mean_score, new_speaker
from gonogo.training.transcripts import Transcript
from gonogo.wire import JsonObject as Json


def test_noise_in_a_field_that_the_action_has_not_stops_before_anything_flies(
    tmp_path: Path, grid: Connection, target: Target
) -> None:
    run = scratch_config(tmp_path, target)
    assert run.train is not None and run.train.sft is not None
    sft = run.train.sft.model_copy(update={"noise": {"move": 0.1, "speed": 0.1}})
    with pytest.raises(
        Misuse, match=r"noise must name fields of the action, .*'move'.*not \['speed'\]"
    ):
        fly_teacher(run, sft, run.train.curriculum.stages, [], opened(run, grid), Log().observer())
    (stage,) = run.train.curriculum.stages
    noisy = stage.model_copy(update={"noise": {"warp": 0.1}})
    with pytest.raises(Misuse, match=rf"the noise of stage {stage.name} must .*not \['warp'\]"):
        fly_teacher(run, run.train.sft, [noisy], [], opened(run, grid), Log().observer())


def test_a_function_of_the_user_s_teaches(
    tmp_path: Path, grid: Connection, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "east.py").write_text(
        "def walk(observation, memory):\n    return {'move': 'east'}\n"
    )
    monkeypatch.chdir(tmp_path)
    run = scratch_config(tmp_path, target)
    assert run.train is not None and run.train.sft is not None
    sft = run.train.sft.model_copy(update={"teacher": "east:walk", "noise": {}})
    tasks = [TrainingTask({"split": "train", "index": n}) for n in range(3)]
    stages = run.train.curriculum.stages
    flown = fly_teacher(run, sft, stages, tasks, opened(run, grid), Log().observer())
    assert {turn.action["move"] for episode in flown for turn in episode.turns} == {"east"}


def test_noisy_decisions_are_the_explorer_s_that_the_config_names(
    tmp_path: Path, grid: Connection, target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "walks.py").write_text(
        "def east(observation, memory):\n    return {'move': 'east'}\n"
        "def west(observation, memory):\n    return {'move': 'west'}\n"
    )
    monkeypatch.chdir(tmp_path)
    run = scratch_config(tmp_path, target)
    assert run.train is not None and run.train.sft is not None
    stages = run.train.curriculum.stages
    sft = run.train.sft.model_copy(
        update={"teacher": "walks:east", "explorer": "walks:west", "noise": {"move": 0.3}}
    )
    tasks = [TrainingTask({"split": "train", "index": n}) for n in range(20)]
    flown = fly_teacher(run, sft, stages, tasks, opened(run, grid), Log().observer())
    turns = [turn for episode in flown for turn in episode.turns]
    assert {(turn.action["move"], turn.noisy) for turn in turns} == {
        ("east", False),
        ("west", True),
    }
    lost = sft.model_copy(update={"explorer": "nobody"})
    with pytest.raises(Misuse, match=r"train.sft.explorer must be one of .* not 'nobody'"):
        fly_teacher(run, lost, stages, tasks, opened(run, grid), Log().observer())


def test_a_stage_has_a_noise_of_its_own(tmp_path: Path, grid: Connection, target: Target) -> None:
    """Where it is nothing, the teacher's flights are what they are without noise; next to it others are noisy."""
    run = scratch_config(tmp_path, target)
    assert run.train is not None and run.train.sft is not None
    (stage,) = run.train.curriculum.stages
    calm, sft = stage.model_copy(update={"name": "calm", "noise": {}}), run.train.sft
    loud = sft.model_copy(update={"noise": {"move": 0.5}})
    quiet = sft.model_copy(update={"noise": {}})

    def moves(sft: SftConfig, stages: list[Stage]) -> list[list[Any]]:
        tasks = [
            TrainingTask({"split": "train", "index": n}, stage=n % len(stages)) for n in range(12)
        ]
        flown = fly_teacher(run, sft, stages, tasks, opened(run, grid), Log().observer())
        return [[turn.action for turn in episode.turns] for episode in flown]

    steady, mixed = moves(quiet, [stage]), moves(loud, [stage, calm])
    assert mixed[1::2] == steady[1::2]
    assert mixed[::2] != steady[::2]


@pytest.mark.parametrize("stage", ["sft", "grpo"])
def test_an_interrupt_and_a_resume_give_the_same_curve_and_weights(
    stage: str,
    tmp_path: Path,
    grid: Connection,
    target: Target,
    traces: list[Episode],
    pupil: Path,
) -> None:
    def train(folder: str, log: Log) -> Speaker:
        run = with_a_closed_stage(scratch_config(tmp_path / folder, target), imitated=2)
        assert run.train is not None and run.train.sft is not None
        speaker = new_speaker(run, traces, "") if stage == "sft" else models.load(pupil)
        ours = trainee(run, grid, speaker, log)
        course = ours.sft(run.train.sft, traces) if stage == "sft" else ours.grpo(traces)
        assert course.best is not None
        return speaker

    whole, first, second = Log(), Log(stop_after=2), Log()
    straight = weights(train("straight", whole))
    stopped = weights(train("broken", first))
    assert not all(torch.equal(straight[name], stopped[name]) for name in straight)
    resumed = weights(train("broken", second))
    assert [row["step"] for row in whole.rows] == [0, 1, 2, 3, 4]
    assert first.curve() + second.curve() == whole.curve()
    assert all(torch.equal(straight[name], resumed[name]) for name in straight)
    if stage == "grpo":
        row = whole.rows[1]
        assert {
            "reward/overall",
            "reward/reach",
            "episode/timeout_rate",
            "episode/success_rate",
            "imitation/loss",
        } <= set(row)
        assert (row["level"], row["stage"]) == ("all", "grpo")
        assert 3 <= len(whole.shown[0]) <= 5


def test_a_phase_whose_patience_has_ended_is_over_and_its_best_model_comes_back(
    tmp_path: Path, grid: Connection, target: Target, traces: list[Episode]
) -> None:
    run = scratch_config(tmp_path / "run", target)
    assert run.train is not None and run.train.sft is not None
    sft = run.train.sft.model_copy(update={"patience": 1, "learning_rate": 1e-9})
    first, second = Log(), Log()
    speaker = new_speaker(run, traces, "")
    tokenizer = speaker.tokenizer
    trainee(run, grid, speaker, first).sft(sft, traces)
    assert [row["step"] for row in first.rows] == [0, 1, 2]  # nothing better after two steps
    best = models.model_folder(run.out, "sft")
    kept = (best / "model.safetensors").read_bytes()
    # Killed before the phase was noted, while something later was being kept.
    keep(models.make(run.model.model_copy(update={"layers": 1}), tokenizer, 9), best, [])
    assert (best / "model.safetensors").read_bytes() != kept
    course = trainee(run, grid, new_speaker(run, traces, ""), second).sft(sft, traces)
    assert second.rows == [] and course.over
    assert (course.best, course.best_step) == (first.rows[0]["validation/score"], 0)
    assert (best / "model.safetensors").read_bytes() == kept and flaw(best) is None


def test_sampled_validation_draws_the_same_each_time_and_in_a_fresh_process(
    tmp_path: Path, grid: Connection, target: Target, pupil: Path
) -> None:
    def said(episodes: list[Episode]) -> list[list[str | None]]:
        return [[turn.reply for turn in episode.turns] for episode in episodes]

    run = scratch_config(tmp_path, target)
    assert run.train is not None
    flyer = trainee(run, grid, models.load(pupil), Log())
    greedy = flyer.validation_episodes()
    assert {episode.decoding for episode in greedy} == {"greedy"}
    validation = run.train.validation.model_copy(update={"decoding": "sampled"})
    train = run.train.model_copy(update={"validation": validation})
    drawing = run.model_copy(update={"train": train})
    flyer = trainee(drawing, grid, models.load(pupil), Log())
    sampled = flyer.validation_episodes()
    assert {episode.decoding for episode in sampled} == {"sampled"}
    assert said(sampled) != said(greedy)
    assert said(flyer.validation_episodes()) == said(sampled)
    assert said(flown(drawing, models.load(pupil), validation_of(drawing))) == said(sampled)


@pytest.mark.parametrize(("validated", "borne"), [(20, True), (19, False)])
def test_a_validation_bears_as_many_losses_as_everything_else(
    tmp_path: Path, gridworld: Path, traces: list[Episode], validated: int, borne: bool
) -> None:
    leaky = tmp_path / "leaky"
    shutil.copytree(gridworld, leaky, ignore=shutil.ignore_patterns("__pycache__"))
    world = leaky / "server" / "environment.py"
    place = '        """Place the goal."""\n'
    raises = "        if index == 901:\n            raise OSError('no file')\n"
    world.write_text(world.read_text().replace(place, place + raises))
    run = scratch_config(tmp_path / "run", resolve(str(leaky)))
    assert run.train is not None
    validation = run.train.validation.model_copy(update={"episodes": validated})
    train = run.train.model_copy(update={"validation": validation})
    with closing(connect(resolve(str(leaky)), 8)) as connection:
        flyer = trainee(
            run.model_copy(update={"train": train}), connection, new_speaker(run, traces, ""), Log()
        )
        if borne:
            assert flyer.validate() == 0.0 and flyer._figures == {"validation/lost": 1}
        else:
            with pytest.raises(EnvironmentFailure, match=r"validation: 1 of 19 .* more than 5%"):
                flyer.validate()


@pytest.mark.long
@pytest.mark.parametrize("precision", ["fp32", "bf16"])
@pytest.mark.parametrize("phase", [{"sft": SFT}, {"grpo": GRPO}], ids=["sft", "grpo"])
def test_only_the_factors_learn_and_an_interrupt_changes_nothing(
    phase: Json, precision: str, chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:  # fmt: skip
    model = {"pretrained": str(chat), "precision": precision, "lora": {"rank": 4, "alpha": 8}}

    def fly(folder: str, log: Log) -> Speaker:
        run = chat_config(tmp_path / folder, target, model, phase)
        speaker = new_speaker(run, [], told)
        train(run, speaker, grid, log)
        return speaker

    whole, first, second = Log(), Log(stop_after=2), Log()
    straight = fly("straight", whole)
    fly("broken", first)
    resumed = fly("broken", second)
    assert first.curve() + second.curve() == whole.curve()
    assert [row["step"] for row in whole.rows] == [0, 1, 2, 3, 4]
    assert all(weight.dtype == torch.float32 for weight in factors(straight).values())
    assert all(
        torch.equal(weight, factors(resumed)[name]) for name, weight in factors(straight).items()
    )
    base = load_whole(chat, dtype=inner(straight.model).dtype)
    kept = dict(base.named_parameters())
    for name, weight in frozen(straight).items():
        plain = name.removeprefix("base_model.model.").replace(".base_layer", "")
        assert torch.equal(weight, kept[plain])
    stage = "sft" if "sft" in phase else "trained"
    back = models.load(models.model_folder(tmp_path / "straight", stage))
    assert back.turns == straight.turns and back.base == straight.base
    assert not (models.model_folder(tmp_path / "straight", stage) / "model.safetensors").exists()


@pytest.mark.skipif(find_spec("bitsandbytes") is None, reason="the 4bit extra is not installed")
def test_four_bit_weights_are_trained_beside(
    tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    chat = chat_folder(tmp_path / "chat", width=64)  # a block of bitsandbytes
    model = {"pretrained": str(chat), "precision": "4bit", "lora": {"rank": 4, "alpha": 8}}
    run = chat_config(tmp_path, target, model, {"sft": SFT})
    speaker = new_speaker(run, [], told)
    assert (
        type(inner(speaker.model).model.layers[0].mlp.up_proj.base_layer).__name__ == "Linear4bit"
    )
    log = Log()
    train(run, speaker, grid, log)
    losses = [row["loss"] for row in log.rows if "loss" in row]
    assert len(losses) == SFT["max_steps"] and losses[-1] < losses[0]


@pytest.mark.long
def test_a_model_learns_from_the_best_of_its_own_episodes(
    chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    taught = {**SFT, "max_steps": 120, "learning_rate": 1e-2, "validate_every": 120}
    model = {"pretrained": str(chat)}
    first = chat_config(tmp_path / "first", target, model, {"sft": taught}, turns=12)
    speaker = new_speaker(first, [], told)
    train(first, speaker, grid, Log())  # else it says nothing that is an action
    itself = {"sft": {**SFT, "teacher": "self", "keep": 0.5}}
    own = chat_config(tmp_path / "own", target, model, itself, turns=12)
    assert own.train is not None and own.train.sft is not None
    log = Log()
    trainee = Trainee(own, own.train, opened(own, grid), speaker, own.out, log.observer())
    own_flown = trainee.fly_own([TrainingTask({"split": "train", "index": n}) for n in range(12)])
    best = best_of(own_flown, own.train.sft.keep)
    assert 0 < len(best) <= 6
    assert all(turn.tokens is not None for episode in best for turn in episode.turns)
    trainee.sft(own.train.sft, best)
    assert [row["step"] for row in log.rows] == [0, 1, 2, 3, 4]


def test_an_episode_that_is_longer_than_the_context_is_misuse(
    chat: Path, tmp_path: Path, grid: Connection, target: Target, told: str
) -> None:
    model = {"pretrained": str(chat), "context": 64, "lora": {"rank": 4}}
    run = chat_config(tmp_path, target, model, {"sft": SFT})
    with pytest.raises(Misuse, match=r"model.context must hold an episode, .* not 64"):
        train(run, new_speaker(run, [], told), grid, Log())


def test_what_there_is_to_learn_has_to_be_there_and_to_fit() -> None:
    shown, said = Transcript((1, 2), (-1, -1), (0.0,) * 2), Transcript((1, 2), (-1, 0), (0.0,) * 2)
    check_transcripts([shown, said], 2)
    with pytest.raises(Misuse, match="no action that the environment took"):
        check_transcripts([shown], 2)
    with pytest.raises(Misuse, match=r"takes 2 tokens, not 1: raise it"):
        check_transcripts([said], 1)


def test_a_lost_episode_has_no_score_and_one_paid_for_nothing_counts_as_zero() -> None:
    paid, unpaid, lost = (
        Episode(0, {}, "x", "m", episode_return=value, error=error)
        for value, error in ((1.0, None), (None, None), (None, "crash"))
    )
    assert mean_score([paid, unpaid, lost]) == 0.5


def test_a_new_model_follows_the_seed_and_the_words_of_the_traces(
    tmp_path: Path, target: Target, traces: list[Episode]
) -> None:
    run = scratch_config(tmp_path, target)
    first, again = (weights(new_speaker(run, traces, "")) for _ in range(2))
    assert all(torch.equal(first[name], again[name]) for name in first)
    other = weights(new_speaker(run.model_copy(update={"seed": 6}), traces, ""))
    assert not all(torch.equal(first[name], other[name]) for name in first)


def test_a_mapping_of_tasks_gives_the_indices_of_their_episodes(
    tmp_path: Path, grid: Connection, target: Target
) -> None:
    run = scratch_config(tmp_path, target)
    assert run.train is not None and run.train.sft is not None
    wanted = {7: TrainingTask({"split": "train", "index": 1}), 3: TrainingTask({"split": "train"})}
    heard: list[int] = []
    observer = replace(Log().observer(), flown=lambda episode: heard.append(episode.index))
    stages = run.train.curriculum.stages
    found = fly_teacher(run, run.train.sft, stages, wanted, opened(run, grid), observer)
    assert [episode.index for episode in found] == [7, 3]
    assert sorted(heard) == [3, 7]
