"""Torch's threads: measured on the model at hand, unless the user has said how many; a run keeps its number."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch

from gonogo.config import ModelConfig, RunConfig
from gonogo.models import saved as models
from gonogo.models.tokenizer import Speaker, train_tokenizer
from gonogo.training import threads
from gonogo.training.phases import Training
from gonogo.training.tracking import TrainingDisplay


@pytest.fixture(scope="module")
def speaker() -> Speaker:
    shape = ModelConfig(hidden=32, intermediate=48, layers=2, heads=2, context=512)
    return models.make(shape, train_tokenizer(["at 1, at 2"] * 3, 300), 0)


@pytest.fixture
def four(monkeypatch: pytest.MonkeyPatch) -> None:
    """A machine of four threads, whose user has said nothing."""
    for name in threads.SETTLING:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(torch, "get_num_threads", lambda: 4)


@pytest.mark.parametrize(
    ("seconds", "wanted"),
    [
        ({1: 1.0, 2: 0.6, 4: 0.35}, 4),
        ({1: 1.0, 2: 0.6, 4: 0.59}, 2),
        ({1: 1.0, 2: 0.99, 4: 4.0}, 1),
        ({1: 1.0, 2: 9.0}, 1),
    ],
    ids=["all", "no more than help", "one", "nor more where they stand in each other's way"],
)
def test_the_quickest_is_taken_and_no_more_than_help(
    seconds: dict[int, float], wanted: int, speaker: Speaker, tmp_path: Path, four: None,
    monkeypatch: pytest.MonkeyPatch,
) -> None:  # fmt: skip
    monkeypatch.setattr(threads, "measured", lambda *args: seconds[args[-1]])
    choice = threads.choose(speaker, 8, tmp_path)
    assert (choice.threads, choice.seconds) == (wanted, seconds)
    assert threads.of_run(tmp_path) == wanted
    assert f"threads: {wanted}; a short step takes 1 s with 1" in choice.said()


def test_a_measurement_leaves_the_model_and_the_random_state_as_they_were(
    speaker: Speaker, tmp_path: Path
) -> None:
    before, state = torch.get_num_threads(), torch.get_rng_state()
    weights = {name: value.clone() for name, value in speaker.model.state_dict().items()}
    choice = threads.choose(speaker, 4, tmp_path)
    assert all(seconds > 0 for seconds in choice.seconds.values())
    assert torch.get_num_threads() == before and torch.equal(torch.get_rng_state(), state)
    after = speaker.model.state_dict()
    assert all(torch.equal(after[name], value) for name, value in weights.items())
    assert all(weight.grad is None for weight in speaker.model.parameters())


def test_a_user_s_word_settles_it(four: None, monkeypatch: pytest.MonkeyPatch) -> None:
    assert not threads.settled()
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    assert threads.settled()


def test_a_training_says_its_number_and_goes_on_with_it(
    gridworld: Path, tmp_path: Path, speaker: Speaker, four: None,
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    """Also where a second measurement would come to another."""
    taken: list[int] = []
    monkeypatch.setattr(torch, "set_num_threads", taken.append)
    split: dict[str, Any] = {"options": {"split": "train"}}
    body = {
        "target": str(gridworld), "out": str(tmp_path),
        "train": {"validation": {"tasks": split}, "curriculum": {"stages": [{"name": "all", **split}]}, "sft": {}},
    }  # fmt: skip
    run = RunConfig.model_validate_json(json.dumps(body))
    assert run.train is not None
    models.save(speaker, models.model_folder(tmp_path, "untrained"))
    for quickest in (2, 1):

        def seconds(*args: Any, quickest: int = quickest) -> float:
            return 1.0 if args[-1] == quickest else 2.0

        monkeypatch.setattr(threads, "measured", seconds)
        with TrainingDisplay() as board:
            training = Training(run, run.train, board, Alone())
            taken.clear()
            with training._threads():
                assert taken[-1] == 2
            assert taken[-1] == 4
            training._environments.close()
    assert capsys.readouterr().err.count("threads: 2; a short step takes") == 1


class Alone:
    """The only process of a training."""

    count, rank, main = 1, 0, True


def test_torch_takes_what_is_chosen_and_gets_back_what_it_had() -> None:
    before = torch.get_num_threads()
    with threads.kept_threads(before + 1):
        assert torch.get_num_threads() == before + 1
    assert torch.get_num_threads() == before
