"""Tasks of several environments: flown where they belong, in their order, by a model that is told of each."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

from tests.conftest import ZOO

from gonogo.config import ModelConfig, RunConfig
from gonogo.errors import RecordError
from gonogo.models import saved as models
from gonogo.models.chat import chat_format
from gonogo.models.model_policy import ModelPolicy
from gonogo.models.tokenizer import Speaker, train_tokenizer
from gonogo.policies.named import find_policy
from gonogo.rollouts.builtin_policies import IdlePolicy
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.episodes import Episode
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import (
    Environments,
    TrainingEnvironment,
    environments_of,
    validation_of,
)

CHAT = (
    "{% for m in messages %}<|{{ 'user' if m.role == 'system' else m.role }}|>{{ m.content }}<|end|>"
    "{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}"
)
FLIGHT = Flight("somewhere", max_turns=2)


@pytest.fixture(scope="module")
def run(gridworld: Path) -> Iterator[RunConfig]:
    """The gridworld and the workshop, which is imported from the working directory."""
    text = {
        "target": str(gridworld),
        "out": "nowhere",
        "train": {
            "validation": {"tasks": {"options": {"split": "train"}, "start": 5}, "episodes": 2},
            "environments": [
                {"name": "door", "target": "workshop:Sound", "validation": {"options": {}}}
            ],
            "curriculum": {"stages": [{"name": "s", "environment": "door", "options": {}}]},
            "grpo": {},
        },
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ZOO)
        yield RunConfig.model_validate_json(json.dumps(text))


@pytest.fixture(scope="module")
def both(run: RunConfig) -> Iterator[Environments]:
    with closing(Environments(environments_of(run))) as environments:
        yield environments


def idle(where: TrainingEnvironment) -> IdlePolicy:
    return IdlePolicy(where.env.schemas.action)


def test_episodes_come_in_the_order_of_the_tasks(both: Environments) -> None:
    tasks = {
        7: TrainingTask({"seed": 1}, "door"),
        2: TrainingTask({"split": "train", "index": 3}),
        9: TrainingTask({"seed": 2}, "door"),
        4: TrainingTask({"split": "train", "index": 4}),
    }
    told: list[tuple[int, int]] = []
    flown = both.fly(tasks, idle, FLIGHT, lambda done, total: told.append((done, total)))
    assert [episode.index for episode in flown] == [7, 2, 9, 4]
    assert [episode.task for episode in flown] == [task.options for task in tasks.values()]
    names = [both.flew(episode).name for episode in flown]
    assert names == ["door", "gridworld", "door", "gridworld"]
    assert told[-1] == (4, 4) and told == sorted(told)


def test_validation_has_as_many_tasks_of_each(run: RunConfig) -> None:
    assert validation_of(run) == [
        *(TrainingTask({"split": "train", "index": number}) for number in (5, 6)),
        *(TrainingTask({"seed": number}, "door") for number in (0, 1)),
    ]


def test_validation_takes_kinds_of_tasks_in_turn(run: RunConfig) -> None:
    source = {
        "options": {"split": "train"},
        "in_turn": [{"level": "a"}, {"level": "b"}],
        "start": 5,
    }
    text = run.model_dump(mode="json")
    text["train"]["validation"] = {"tasks": source, "episodes": 3}
    levels = [("a", 5), ("b", 6), ("a", 7)]
    assert validation_of(RunConfig.model_validate_json(json.dumps(text)))[:3] == [
        TrainingTask({"split": "train", "level": level, "index": number})
        for level, number in levels
    ]


def test_streams_of_the_first_are_those_of_a_run_of_one(run: RunConfig) -> None:
    first, second = environments_of(run)
    assert first.stream(3, 1) == (3, 1)
    assert second.stream(3, 1) == (3, 1, 1)


def test_an_episode_of_none_of_them_is_no_episode_of_the_run(both: Environments) -> None:
    with pytest.raises(RecordError, match="none of the run's environments"):
        both.flew(Episode(0, {}, "elsewhere", "idle"))
    alone = Environments([both.first])  # whose folder may have moved since
    assert alone.flew(Episode(0, {}, "elsewhere", "idle")) is both.first


def test_one_model_is_told_of_the_environment_that_it_flies(
    both: Environments, tmp_path: Path
) -> None:
    """In training by the environment, and after it whichever of them the saved model is opened for."""
    tokenizer = train_tokenizer([each.env.instructions for each in both], 400)
    made = models.make(
        ModelConfig(hidden=32, intermediate=48, layers=1, heads=2, context=2048), tokenizer, 1
    )
    tokenizer.chat_template = CHAT
    turns = chat_format(tokenizer, both.first.env.instructions)
    speaker = Speaker(made.model, tokenizer, turns, made.context)
    models.save(speaker, tmp_path)

    def fresh(where: TrainingEnvironment) -> ModelPolicy:
        return ModelPolicy(speaker.told(where.env.instructions), "m", max_reply_tokens=4)

    def saved(where: TrainingEnvironment) -> ModelPolicy:
        schemas = where.env.schemas
        found = find_policy(str(tmp_path), where.env.target, schemas, seed=0)
        assert isinstance(found.policy, ModelPolicy)
        return found.policy

    tasks = {0: TrainingTask({"seed": 1}, "door"), 1: TrainingTask({"split": "train", "index": 3})}
    for policy in (fresh, saved):
        for episode in both.fly(tasks, policy, FLIGHT):
            tokens = episode.turns[0].tokens
            assert tokens is not None
            shown = tokenizer.decode(tokens.prompt_ids)
            assert shown.startswith(f"<|user|>{both.flew(episode).env.instructions}<|end|><|user|>")
    assert speaker.told(both.first.env.instructions).turns == turns == models.load(tmp_path).turns
    assert made.told("anything").turns == made.turns  # one made from scratch cannot read
