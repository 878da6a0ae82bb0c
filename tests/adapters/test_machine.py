"""What this machine is asked to do: freed memory really goes back."""

from __future__ import annotations

import subprocess
import sys

import pytest

pytest.importorskip("torch")

PROGRAM = """
import sys, torch
from gonogo.adapters.machine import return_freed_memory
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
