"""Memory is counted as the system counts it."""

from __future__ import annotations

import subprocess
import sys

from gonogo.submission.grade.usage import peak_mb


def test_memory_is_that_of_a_process_and_its_children() -> None:
    holds = "x = bytearray(b'x' * 80_000_000); print(1, flush=True); input()"
    starts = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {holds!r}])"
    with subprocess.Popen(
        [sys.executable, "-c", starts], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as child:
        assert child.stdout is not None
        child.stdout.readline()
        peak = peak_mb(child.pid)
        child.communicate(b"\n")  # the one that holds it ends, and then who started it
    assert peak is not None
    assert 80 < peak < 200
    assert peak_mb(None) is None


def test_a_process_that_has_ended_has_taken_nothing() -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as child:
        child.wait()
    assert peak_mb(child.pid) is None
