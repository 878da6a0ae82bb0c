"""A package that is missing is named by the command that installs it."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

from gonogo.config import ModelConfig
from gonogo.errors import MissingExtra, Misuse
from gonogo.models import extras
from gonogo.wire import JsonObject as Json


@pytest.mark.parametrize(
    ("model", "gone", "said"),
    [
        (
            {"precision": "4bit", "lora": {}},
            "bitsandbytes",
            r"model.precision 4bit .*gonogo\[4bit\]",
        ),
        (
            {"loader": "unsloth", "precision": "bf16", "lora": {}},
            "unsloth",
            r"training .*gonogo\[unsloth\]",
        ),
        ({"pretrained": "x.gguf"}, "gguf", r"the file x.gguf .*gonogo\[gguf\]"),
        ({}, "peft", r"training .*gonogo\[train\]"),
    ],
    ids=["4bit", "unsloth", "gguf", "train"],
)
def test_a_missing_extra_names_the_command_that_installs_it(
    model: Json, gone: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", lambda name: None if name == gone else name)
    config = ModelConfig.model_validate_json(json.dumps({"pretrained": "a/b", **model}))
    with pytest.raises(MissingExtra, match=said):
        extras.prepare(config)


def has(*there: str) -> Callable[[str], str | None]:
    return lambda name: name if name in there else None


@pytest.mark.parametrize(
    ("model", "gpu", "unsloth"),
    [
        ({"precision": "bf16", "lora": {}}, True, True),
        ({"precision": "bf16", "lora": {}}, False, False),
        ({"lora": {}}, True, False),
        ({"precision": "bf16", "lora": {}, "loader": "transformers"}, True, False),
        ({"precision": "bf16", "lora": {}, "loader": "unsloth"}, False, True),
    ],
    ids=["all is there", "no GPU", "fp32", "the config says no", "the config says yes"],
)
def test_unsloth_loads_what_the_config_says_or_where_all_is_there(
    model: Json, gpu: bool, unsloth: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extras, "find_spec", has("unsloth"))
    monkeypatch.setattr(extras, "has_gpu", lambda: gpu)
    config = ModelConfig.model_validate_json(json.dumps({"pretrained": "a/b", **model}))
    assert extras.uses_unsloth(config) is unsloth


def test_all_that_is_missing_is_named_in_the_order_in_which_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = ModelConfig.model_validate({"pretrained": "x.gguf", "precision": "4bit", "lora": {}})
    monkeypatch.setattr(extras, "find_spec", has())
    assert [each.extra for each in extras.missing_extras(config)] == ["train", "4bit", "gguf"]
    monkeypatch.setattr(extras, "find_spec", has(*extras.TRAINERS))
    assert [each.extra for each in extras.missing_extras(config)] == ["4bit", "gguf"]


def test_unsloth_without_a_gpu_is_refused_before_it_is_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = ModelConfig.model_validate(
        {"pretrained": "a/b", "precision": "bf16", "lora": {}, "loader": "unsloth"}
    )
    monkeypatch.setattr(extras, "find_spec", has("unsloth"))
    monkeypatch.setattr(extras, "has_gpu", lambda: False)
    with pytest.raises(Misuse, match="unsloth needs a GPU"):
        extras.prepare(config)
