"""Lines of JSON from a process of foreign code, each within a time."""

from __future__ import annotations

__all__ = ["TIMEOUT_S", "take_lines"]


TIMEOUT_S = 120.0


def take_lines(buffer: bytearray, count: int) -> bytes | None:
    """Remove ``count`` lines from the front of the buffer; None while there are fewer."""
    if buffer.count(b"\n") < count:
        return None
    end = -1
    for _ in range(count):
        end = buffer.index(b"\n", end + 1)
    lines = bytes(memoryview(buffer)[: end + 1])
    del buffer[: end + 1]
    return lines
