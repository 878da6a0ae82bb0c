"""What this machine has, and what it is asked to do: freed memory really goes back."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")

from gonogo.models.extras import has_gpu
from gonogo.models.machine import ram, room_of
from gonogo.records.probe import MemoryBudget

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
