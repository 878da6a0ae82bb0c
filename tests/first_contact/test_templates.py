"""Chat templates of pretrained models as they come: some take no system prompt, some reason before each reply."""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from transformers import AutoTokenizer

from gonogo import api
from gonogo.models.pretrained import load_pretrained
from gonogo.models.chat import chat_format
from gonogo.models.tokenizer import encode
from gonogo.config import ModelConfig, RunConfig, load
from gonogo.errors import ConfigError, Misuse
from gonogo.records.record import Verdict
from gonogo.records.probe import ProbeReport
from gonogo.rollouts.episodes import read_episodes
from gonogo.training.probe.report import run as probe
from gonogo.training.phases import run as train

HERE = Path(__file__).with_name("templates")
QUIET = {"chat_template_kwargs": {"enable_thinking": False}}
SYSTEM, ONE, REPLY, TWO = "Reply in JSON.", "at 1", '{"move":"north"}', "at 2"
EMPTY = "<think>\n\n</think>\n\n"
Make = Callable[[str], Path]


@pytest.fixture(scope="module")
def make(tmp_path_factory: pytest.TempPathFactory) -> Make:
    """Makes a tiny model with a template: one of the folder's, or a text of its own."""
    made: dict[str, Path] = {}

    def model(template: str) -> Path:
        if template not in made:
            folder = tmp_path_factory.mktemp("templates")
            file = HERE / f"{template}.jinja"
            if not file.name.isascii() or len(file.name) > 40 or not file.is_file():
                file = folder / "own.jinja"
                file.write_text(template)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(sys, "argv", ["mkmodel.py", str(folder / "model"), str(file)])
                runpy.run_path(str(HERE / "mkmodel.py"))
            made[template] = folder / "model"
        return made[template]

    return model


def talk(folder: Path, model: ModelConfig, system: str = SYSTEM) -> str:
    """Two turns as the decoder and a trainer write them, the second one open."""
    speaker = load_pretrained(str(folder), 1024, system, model)
    turns, tokenizer = speaker.turns, speaker.tokenizer
    ids = [
        *turns.chunk(encode(tokenizer, ONE), turn=0), *encode(tokenizer, REPLY), turns.end,
        *turns.chunk(encode(tokenizer, TWO), turn=1),
    ]  # fmt: skip
    return str(tokenizer.decode(ids))


@pytest.mark.parametrize(
    ("template", "model", "said"),
    [
        ("a_no_system", {},
         f"<bos><|turn|>user\n{SYSTEM}\n\n{ONE}<|over|>\n<|turn|>model\n{REPLY}<|over|>\n"
         f"<|turn|>user\n{TWO}<|over|>\n<|turn|>model\n"),
        ("b_think_open", QUIET,
         f"<|turn|>system\n{SYSTEM}<|over|>\n<|turn|>user\n{ONE}<|over|>\n<|turn|>assistant\n{EMPTY}"
         f"{REPLY}<|over|>\n<|turn|>user\n{TWO}<|over|>\n<|turn|>assistant\n{EMPTY}"),
        ("c_hybrid", QUIET,
         f"<|turn|>system\n{SYSTEM}<|over|>\n<|turn|>user\n{ONE}<|over|>\n<|turn|>assistant\n{EMPTY}"
         f"{REPLY}<|over|>\n<|turn|>user\n{TWO}<|over|>\n<|turn|>assistant\n{EMPTY}"),
        ("c_hybrid", {},
         f"<|turn|>system\n{SYSTEM}<|over|>\n<|turn|>user\n{ONE}<|over|>\n<|turn|>assistant\n"
         f"{REPLY}<|over|>\n<|turn|>user\n{TWO}<|over|>\n<|turn|>assistant\n"),
        ("d_system_last", {},
         f"<bos><|turn|>{SYSTEM}\n\n{ONE}[/]{REPLY}<|over|><|turn|>{TWO}[/]"),
    ],
    ids=["no system", "reasoning off", "hybrid, off", "hybrid", "system in the last turn"],
)  # fmt: skip
def test_the_template_carries_an_episode(
    template: str, model: dict[str, Any], said: str, make: Make
) -> None:
    assert talk(make(template), ModelConfig.model_validate(model)) == said


TURNS = "{% for m in messages %}<|turn|>{{ m.role }}:{{ m.content }}<|over|>{% endfor %}"
ASK = "{% if add_generation_prompt %}<|turn|>assistant:{% endif %}"
OTHERS = {
    "contents in parts": (
        "{% for m in messages %}<|turn|>{{ m.role }}:{% for p in m.content %}{{ p['text'] }}{% endfor %}"
        "<|over|>{% endfor %}" + ASK,
        f"<|turn|>system:{SYSTEM}<|over|><|turn|>user:{ONE}<|over|><|turn|>assistant:{REPLY}<|over|>"
        f"<|turn|>user:{TWO}<|over|><|turn|>assistant:",
    ),
    "an answer in a channel of its own": (
        "{% for m in messages %}<|turn|>{{ m.role }}{% if m.role == 'assistant' %}|final{% endif %}:"
        "{{ m.content }}<|over|>{% endfor %}{% if add_generation_prompt %}<|turn|>assistant{% endif %}",
        f"<|turn|>system:{SYSTEM}<|over|><|turn|>user:{ONE}<|over|><|turn|>assistant|final:{REPLY}<|over|>"
        f"<|turn|>user:{TWO}<|over|><|turn|>assistant|final:",
    ),
    "no word of the reply to come": (
        TURNS,
        f"<|turn|>system:{SYSTEM}<|over|><|turn|>user:{ONE}<|over|><|turn|>assistant:{REPLY}<|over|>"
        f"<|turn|>user:{TWO}<|over|><|turn|>assistant:",
    ),
    "an empty block of reasoning unasked": (
        TURNS + "{% if add_generation_prompt %}<|turn|>assistant:[THINK][/THINK]{% endif %}",
        f"<|turn|>system:{SYSTEM}<|over|><|turn|>user:{ONE}<|over|><|turn|>assistant:[THINK][/THINK]"
        f"{REPLY}<|over|><|turn|>user:{TWO}<|over|><|turn|>assistant:[THINK][/THINK]",
    ),
    "a system prompt twice": (
        "{% if messages[0].role == 'system' %}{{ messages[0].content }}{% endif %}" + TURNS + ASK,
        f"<|turn|>user:{SYSTEM}\n\n{ONE}<|over|><|turn|>assistant:{REPLY}<|over|>"
        f"<|turn|>user:{TWO}<|over|><|turn|>assistant:",
    ),
}


@pytest.mark.parametrize("kind", OTHERS)
def test_other_templates_of_the_kind_do_too(kind: str, make: Make, tmp_path: Path) -> None:
    """Given as a template of the user's own, in place of one that fails."""
    template, said = OTHERS[kind]
    own = tmp_path / "own.jinja"
    own.write_text(template)
    assert talk(make("{{ raise_exception('never') }}"), ModelConfig(chat_template=own)) == said


REFUSED = {
    "reasoning left open": ("b_think_open", r"'<think>\\n'.*chat_template_kwargs.*enable_thinking: false"),
    "whatever is said": ("{{ raise_exception('no talk') }}", "template fails: no talk"),
    "no Jinja": ("{% for m in messages %}", "template fails: .*endfor"),
    "an unknown name": ("{{ strftime_later('%d') }}", "template fails: .*strftime_later"),
    "a sum of a text and nothing": ("{{ 'a' + none }}", "template fails: .*str"),
    "without end": ("{% for i in range(10**12) %}{% endfor %}", "template fails: .*[Rr]ange"),
    "numbered turns": (
        "{% for m in messages %}<|turn|>{{ loop.index }}{{ m.content }}<|over|>{% endfor %}",
        "same turn in different ways",
    ),
}  # fmt: skip


@pytest.mark.parametrize("kind", REFUSED)
def test_one_that_carries_none_is_misuse_with_the_model_and_the_reason(
    kind: str, make: Make
) -> None:
    template, said = REFUSED[kind]
    folder = make(template)
    with pytest.raises(Misuse, match=said) as caught:
        load_pretrained(str(folder), 1024, SYSTEM)
    assert str(caught.value).startswith(f"{folder}: ")


@pytest.mark.parametrize("name", ["tools", "tokenize", "add_generation_prompt"])
def test_a_variable_that_is_none_of_the_template_s_is_misuse(name: str, make: Make) -> None:
    model = ModelConfig(chat_template_kwargs={name: True})
    with pytest.raises(Misuse, match=f"chat_template_kwargs must name variables.*'{name}'"):
        chat_format(AutoTokenizer.from_pretrained(make("c_hybrid")), SYSTEM, model)


def config(gridworld: Path, out: Path, **sections: Any) -> RunConfig:
    """A run of very little on the zoo's gridworld."""
    body = {
        "target": str(gridworld), "out": str(out), "seed": 1, "theme": {"required": False},
        "rollout": {"slots": 8, "max_turns": 3, "max_reply_tokens": 8},
        **sections,
    }  # fmt: skip
    return RunConfig.model_validate_json(json.dumps(body))


def test_a_template_that_is_no_file_is_a_config_error(gridworld: Path, tmp_path: Path) -> None:
    lost = {"target": str(gridworld), "out": str(tmp_path), "model.chat_template": "lost.jinja"}
    with pytest.raises(ConfigError, match=r"chat_template must be a Jinja file, and lost\.jinja"):
        load(None, lost)


@pytest.mark.parametrize(("template", "model"), [("a_no_system", {}), ("b_think_open", QUIET)])
def test_rollout_and_probe_fly_it(
    template: str, model: dict[str, Any], make: Make, gridworld: Path, tmp_path: Path
) -> None:
    folder = str(make(template))
    flying = config(
        gridworld, tmp_path / "flown", model=model,
        evaluation={"policies": [folder], "episodes": 2, "split": "train"},
    )  # fmt: skip
    assert not api.rollout(flying, file=tmp_path / "episodes.jsonl").lost
    (first, *_) = read_episodes(tmp_path / "episodes.jsonl")
    tokens = first.turns[0].tokens
    assert tokens is not None
    shown = AutoTokenizer.from_pretrained(folder).decode(tokens.prompt_ids)
    assert "Reply" in shown and shown.endswith("model\n" if not model else EMPTY)
    probing = config(
        gridworld, tmp_path / "probed", model=model,
        probe={"models": [f"it={folder}"], "episodes": 2, "split": "train", "memory_gb": 8},
    )  # fmt: skip
    probe(probing)
    (found,) = [row for row in ProbeReport.load(probing.out).candidates if row.name == "it"]
    assert found.measured is not None and found.measured.episodes == 2, found


@pytest.mark.long
def test_it_is_trained_saved_and_reloaded(make: Make, gridworld: Path, tmp_path: Path) -> None:
    run = config(
        gridworld, tmp_path, log="none",
        model={"pretrained": str(make("a_no_system")), "context": 1024, "lora": {"rank": 4}},
        train={
            "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 2},
            "curriculum": {"stages": [{"name": "all", "options": {"split": "train"}}]},
            "sft": {"teacher": "random", "episodes": 4, "max_steps": 1, "batch": 2, "validate_every": 1},
            "grpo": {"steps": 1, "tasks_per_step": 1, "group_size": 2, "validate_every": 1},
        },
    )  # fmt: skip
    assert train(run) is Verdict.GO
