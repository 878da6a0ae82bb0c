"""What this machine has, and what it is asked to do: freed memory really goes back."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")


from gonogo.config import ModelConfig
from gonogo.errors import MissingExtra, Misuse
from gonogo.models import machine
from gonogo.models.machine import has_gpu, ram, room_of
from gonogo.records.probe import MemoryBudget
from gonogo.wire import JsonObject as Json

PROGRAM = """
import sys, torch
from gonogo.models.machine import return_freed_memory
def held():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * 4096
torch.ones(30 << 18)  # freed: glibc learns to keep what is no larger
before = held()
kept, passing = [], []
for _ in range(32):
    passing.append(torch.ones(10 << 18))
    kept.append(torch.ones(1 << 10))
passing.clear()
if sys.argv[1] == "asked":
    return_freed_memory()
print(held() - before)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="glibc is Linux's")
def test_freed_tensors_go_back_to_the_system() -> None:
    def held(asked: str) -> int:
        said = subprocess.run(
            [sys.executable, "-c", PROGRAM, asked], capture_output=True, text=True, check=True
        )
        return int(said.stdout)

    assert held("asked") < 0.1 * held("not asked")


def test_a_machine_that_is_named_is_one_with_a_gpu() -> None:
    assert room_of(8.0, "the named") == MemoryBudget(gb=8.0, whose="the named", on_cpu=False)


@pytest.mark.skipif(has_gpu(), reason="there is a GPU")
def test_without_a_gpu_the_ram_is_what_a_training_may_take() -> None:
    room = room_of(None, "the named")
    assert (round(room.gb, 3), room.whose, room.on_cpu) == (
        round(ram()[0] / 1e9, 3), "this machine's RAM", True
    )  # fmt: skip


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
    monkeypatch.setattr(machine, "find_spec", lambda name: None if name == gone else name)
    config = ModelConfig.model_validate_json(json.dumps({"pretrained": "a/b", **model}))
    with pytest.raises(MissingExtra, match=said):
        machine.prepare(config)


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
    monkeypatch.setattr(machine, "find_spec", has("unsloth"))
    monkeypatch.setattr(machine, "has_gpu", lambda: gpu)
    config = ModelConfig.model_validate_json(json.dumps({"pretrained": "a/b", **model}))
    assert machine.uses_unsloth(config) is unsloth


def test_all_that_is_missing_is_named_in_the_order_in_which_to_install_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = ModelConfig.model_validate({"pretrained": "x.gguf", "precision": "4bit", "lora": {}})
    monkeypatch.setattr(machine, "find_spec", has())
    assert [each.extra for each in machine.missing_extras(config)] == ["train", "4bit", "gguf"]
    monkeypatch.setattr(machine, "find_spec", has(*machine.TRAINERS))
    assert [each.extra for each in machine.missing_extras(config)] == ["4bit", "gguf"]


def test_unsloth_without_a_gpu_is_refused_before_it_is_imported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    config = ModelConfig.model_validate(
        {"pretrained": "a/b", "precision": "bf16", "lora": {}, "loader": "unsloth"}
    )
    monkeypatch.setattr(machine, "find_spec", has("unsloth"))
    monkeypatch.setattr(machine, "has_gpu", lambda: False)
    with pytest.raises(Misuse, match="unsloth needs a GPU"):
        machine.prepare(config)
