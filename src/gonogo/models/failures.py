"""What a library raises over the files of a model that are broken."""

from __future__ import annotations

import struct

__all__ = ["broken_errors", "first_line"]


def broken_errors() -> tuple[type[Exception], ...]:
    """What is raised for a model that is broken, of a kind that transformers does not know, or that wants a package."""
    from safetensors import SafetensorError

    return (
        ArithmeticError,
        ImportError,
        LookupError,
        MemoryError,
        OSError,
        RuntimeError,
        SafetensorError,
        ValueError,
        struct.error,
    )


def first_line(error: BaseException) -> str:
    """The first line of what an error says."""
    return (str(error).strip() or type(error).__name__).splitlines()[0]
