"""Training through TRL on a foreign environment: same curve after an interrupt, same losses as by hand."""

from __future__ import annotations

import shutil
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.env.opening import opened
from torch.nn import functional as F

from gonogo.config import RunConfig, SftConfig, Stage
from gonogo.env.connect import connect
from gonogo.env.target import Target, resolve
from gonogo.errors import EnvironmentFailure, Misuse
from gonogo.models import saved as models
from gonogo.models.checkpoints import flaw
from gonogo.models.speaker import Speaker
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Connection
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import SAMPLING, validation_of
from gonogo.training.grpo import by_length
from gonogo.training.reload import flown
from gonogo.training.saving import keep
from gonogo.training.sft import batches
from gonogo.training.trainer import Trainee, TrainingObserver, fly_teacher, new_speaker
from gonogo.training.transcripts import taught
from gonogo.wire import JsonObject as Json


def config(out: Path, target: Target) -> RunConfig:
    text = f"""{{
      "target": "{target}", "out": "{out}", "seed": 5,
      "model": {{"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 300}},
      "rollout": {{"slots": 8, "max_turns": 4, "max_reply_tokens": 16}},
      "train": {{
        "validation": {{"tasks": {{"options": {{"split": "train"}}, "start": 900}}, "episodes": 4}},
        "curriculum": {{"stages": [{{"name": "all", "options": {{"split": "train"}}}}]}},
        "sft": {{"episodes": 12, "noise": {{"move": 0.1}},
          "max_steps": 4, "batch": 4, "warmup_steps": 1, "validate_every": 2}},
        "grpo": {{"steps": 4, "tasks_per_step": 2, "group_size": 4, "validate_every": 2, "save_every": 4}}
      }}
    }}"""
    return RunConfig.model_validate_json(text)


class Log:
    """Rows and shown replies; asks to stop after a step."""

    def __init__(self, stop_after: int | None = None) -> None:
        self.rows: list[Json] = []
        self.shown: list[list[Episode]] = []
        self.stop_after = stop_after

    def observer(self) -> TrainingObserver:
        return TrainingObserver(
            lambda row: self.rows.append(row.line),
            lambda _, said: self.shown.append(said),
            self.stop,
            print,
        )

    def stop(self) -> bool:
        return self.stop_after is not None and len(self.rows) >= self.stop_after

    def curve(self) -> list[Json]:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in self.rows]


def trainee(run: RunConfig, grid: Connection, speaker: Speaker, log: Log) -> Trainee:
    assert run.train is not None
    return Trainee(run, run.train, opened(run, grid), speaker, run.out, log.observer())


@pytest.fixture(scope="module")
def traces(
    tmp_path_factory: pytest.TempPathFactory, grid: Connection, target: Target
) -> list[Episode]:
    run = config(tmp_path_factory.mktemp("traces"), target)
    assert run.train is not None and run.train.sft is not None
    tasks = [TrainingTask({"split": "train", "index": n}) for n in range(12)]
    return fly_teacher(
        run, run.train.sft, run.train.curriculum.stages, tasks, opened(run, grid), Log().observer()
    )


@pytest.fixture(scope="module")
def pupil(
    tmp_path_factory: pytest.TempPathFactory,
    grid: Connection,
    target: Target,
    traces: list[Episode],
) -> Path:
    """A model that knows some of the teacher's words, so that its episodes differ."""
    run = config(tmp_path_factory.mktemp("pupil"), target)
    assert run.train is not None and run.train.sft is not None
    sft = run.train.sft.model_copy(
        update={"max_steps": 60, "learning_rate": 1e-2, "validate_every": 60}
    )
    trainee(run, grid, new_speaker(run, traces, ""), Log()).sft(sft, traces)
    return models.model_folder(run.out, "sft")


def test_noise_in_a_field_that_the_action_has_not_stops_before_anything_flies(
    tmp_path: Path, grid: Connection, target: Target
) -> None:
    run = config(tmp_path, target)
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
    run = config(tmp_path, target)
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
    run = config(tmp_path, target)
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
    run = config(tmp_path, target)
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


def weights(speaker: Speaker) -> dict[str, Any]:
    return {name: value.clone() for name, value in speaker.model.state_dict().items()}


@pytest.mark.parametrize(("weight", "learn_noise"), [(0.0, True), (0.25, True), (0.25, False)])
def test_the_loss_of_sft_is_that_of_what_is_learned_and_of_shown_tokens_by_their_weight(
    tmp_path: Path,
    grid: Connection,
    target: Target,
    traces: list[Episode],
    weight: float,
    learn_noise: bool,
) -> None:
    run = config(tmp_path, target)
    assert run.train is not None and run.train.sft is not None
    assert any(turn.noisy for episode in traces for turn in episode.turns)
    sft = run.train.sft.model_copy(
        update={
            "max_steps": 1, "batch": len(traces), "shown_weight": weight, "learn_noise": learn_noise
        }
    )  # fmt: skip
    log, speaker = Log(), new_speaker(run, traces, "")
    total, said = 0.0, 0
    for episode in traces:
        each = taught(episode, speaker.tokenizer, speaker.turns, noise=learn_noise)
        ids, turn = torch.tensor([each.ids]), torch.tensor(each.turn[1:])
        with torch.no_grad():
            losses = F.cross_entropy(
                speaker.model(ids).logits[0, :-1], ids[0, 1:], reduction="none"
            )
        total += float((losses * torch.where(turn >= 0, 1.0, weight)).sum())
        said += int((turn >= 0).sum())
    trainee(run, grid, speaker, log).sft(sft, traces)
    (loss,) = [row["loss"] for row in log.rows if "loss" in row]
    assert loss == pytest.approx(total / said, rel=1e-4)


def with_a_closed_stage(run: RunConfig, **grpo: object) -> RunConfig:
    """Half of what is taught is of a stage that is never opened, and imitated beside reinforcement."""
    assert run.train is not None and run.train.grpo is not None
    (stage,) = run.train.curriculum.stages
    curriculum = run.train.curriculum.model_copy(
        update={"stages": (stage, stage.model_copy(update={"name": "closed"})), "promote_at": 1.0}
    )
    train = run.train.model_copy(
        update={"curriculum": curriculum, "grpo": run.train.grpo.model_copy(update=grpo)}
    )
    return run.model_copy(update={"train": train})


def test_what_is_taught_of_a_closed_stage_is_imitated_beside_reinforcement(
    tmp_path: Path, grid: Connection, target: Target, traces: list[Episode], pupil: Path
) -> None:
    """The first step's loss is that of the model as it was, and it falls; without, it does not."""

    def train(weight: float) -> list[float]:
        run = with_a_closed_stage(
            config(tmp_path / str(weight), target),
            imitated=6, imitation_weight=weight, learning_rate=3e-3,
        )  # fmt: skip
        log, speaker = Log(), models.load(pupil)
        trainee(run, grid, speaker, log).grpo(traces)
        return [row["imitation/loss"] for row in log.rows[1:]]

    speaker, total, said = models.load(pupil), 0.0, 0
    for episode in traces[
        1::2
    ]:  # stages of equal shares are taught in turn, and all six of one are drawn
        each = taught(episode, speaker.tokenizer, speaker.turns)
        ids, turn = torch.tensor([each.ids]), torch.tensor(each.turn[1:])
        with torch.no_grad():
            losses = F.cross_entropy(
                speaker.model(ids).logits[0, :-1], ids[0, 1:], reduction="none"
            )
        total += float(losses[turn >= 0].sum())
        said += int((turn >= 0).sum())
    imitated, hardly = train(3.0), train(1e-9)
    assert imitated[0] == hardly[0] == pytest.approx(total / said, rel=1e-4)
    assert imitated[-1] < hardly[-1]


def test_the_gradient_of_what_is_imitated_is_added_by_its_weight(
    tmp_path: Path, grid: Connection, target: Target, traces: list[Episode], pupil: Path
) -> None:
    """In a step's gradient norm: far heavier than the episodes' own, it grows as its weight does."""

    def norm(weight: float) -> float:
        run = with_a_closed_stage(
            config(tmp_path / str(weight), target), steps=1, imitated=6, imitation_weight=weight
        )
        log = Log()
        trainee(run, grid, models.load(pupil), log).grpo(traces)
        (row,) = log.rows[1:]
        return float(row["grad_norm"])

    assert norm(2e4) == pytest.approx(2 * norm(1e4), rel=1e-2)


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
        run = with_a_closed_stage(config(tmp_path / folder, target), imitated=2)
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
    run = config(tmp_path / "run", target)
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

    run = config(tmp_path, target)
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


@pytest.mark.parametrize("kind", ["turn", "gigpo"])
def test_advantages_reach_the_tokens_of_their_turn(
    kind: Literal["turn", "gigpo"], tmp_path: Path, grid: Connection, target: Target, pupil: Path
) -> None:
    from gonogo.rollouts.losses import Losses
    from gonogo.training.callback import TrainingCallback, TrainingHooks
    from gonogo.training.credit import Credit, advantages
    from gonogo.training.curriculum import Curriculum
    from gonogo.training.grpo import GroupRollout

    run = config(tmp_path, target)
    assert run.train is not None and run.train.grpo is not None
    speaker = models.load(pupil)
    flyer = trainee(run, grid, speaker, Log())
    course = TrainingCallback(
        TrainingHooks("grpo", lambda: 0.0, lambda: None, lambda row: None, lambda: False, 1)
    )
    rollout = GroupRollout(
        lambda tasks, step: flyer.fly(tasks, "t", 1.0, SAMPLING, step),
        Curriculum(run.train.curriculum), run.train.grpo.model_copy(update={"credit": kind}),
        lambda step, said: None, course, Losses("flights", 8),
    )  # fmt: skip

    class State:
        global_step = 0

    class Trainer:
        state, processing_class = State(), speaker.tokenizer

    rows = rollout.rollout(["0"] * 4 + ["1"] * 4, Trainer())
    wide = max(map(len, rows["completion_ids"]))
    table = rollout.advantages(rows["turns"], wide).numpy()
    assert table.any()
    credit = Credit(kind, 0.5, 0.5)
    groups = advantages([rollout.episodes[:4], rollout.episodes[4:]], credit)
    for start, by_turn in zip((0, 4), groups, strict=True):
        for row, values in enumerate(by_turn, start=start):
            tokens = [-1, *rows["turns"][row]]  # the first token is TRL's prompt
            for column, turn in enumerate(tokens[1:]):
                wanted = values[turn] if turn >= 0 else 0.0
                assert table[row, column] == pytest.approx(wanted, abs=1e-6)
            assert (table[row, len(tokens) - 1 :] == 0).all()
            flown = [t for turn in rollout.episodes[row].turns if turn.tokens for t in
                     (*turn.tokens.prompt_ids, *turn.tokens.completion_ids)]  # fmt: skip
            assert rows["prompt_ids"][row] + rows["completion_ids"][row] == flown


def test_micro_batches_hold_every_row_once_without_padding() -> None:
    lengths = torch.tensor([3, 7, 1, 5])
    mask = (torch.arange(7) < lengths[:, None]).long()
    batch = {
        "prompt_ids": torch.arange(4)[:, None],
        "completion_ids": torch.arange(28).view(4, 7),
        "completion_mask": mask,
        "num_items_in_batch": torch.tensor(9),
    }
    first, second = by_length(batch, 2)
    assert first["prompt_ids"][:, 0].tolist() == [2, 0]
    assert second["prompt_ids"][:, 0].tolist() == [3, 1]
    assert first["completion_ids"].shape == (2, 3)
    assert second["completion_ids"].shape == (2, 7)
    assert first["completion_ids"][1].tolist() == [0, 1, 2]
    assert first["num_items_in_batch"] == 9


@pytest.mark.parametrize(("count", "batch"), [(40, 4), (37, 8), (3, 4)])
def test_batches_are_of_similar_length_and_repeat_from_the_seed(count: int, batch: int) -> None:
    lengths = list(np.random.default_rng(1).integers(1, 500, count))
    order = batches(lengths, batch, 6, np.random.default_rng(2))
    assert order == batches(lengths, batch, 6, np.random.default_rng(2))
    assert len(order) == 6 * batch and set(order) <= set(range(count))
    if count == 40:
        spread = np.ptp(np.array(lengths)[order].reshape(6, batch), axis=1).mean()
        assert spread < np.ptp(lengths) / 3


def test_a_warmup_by_length_begins_with_the_shortest_and_ends_with_all() -> None:
    lengths = list(np.random.default_rng(1).permutation(1000) + 1)
    order = batches(lengths, 2, 300, np.random.default_rng(2), warmup=200)
    assert order == batches(lengths, 2, 300, np.random.default_rng(2), warmup=200)
    assert order != batches(lengths, 2, 300, np.random.default_rng(2))
    first, last, after = (np.array(lengths)[order[start : start + 40]] for start in (0, 360, 400))
    assert max(first) < 300 and max(last) > 800 and max(after) > 900
    # Nothing is shown twice as long as something else has not been.
    assert len(set(order[:400])) == 400


def test_a_warmup_by_length_is_no_longer_than_the_training() -> None:
    order = batches([5, 3, 9], 4, 6, np.random.default_rng(2), warmup=100)
    assert len(order) == 24 and set(order) == {1}


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
    run = config(tmp_path / "run", resolve(str(leaky)))
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
