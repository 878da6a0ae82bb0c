"""The word that somebody may have meant, where the one that was given is none."""

from __future__ import annotations

import ast
from collections.abc import Iterable
from difflib import get_close_matches
from pathlib import Path


def closest(word: str, known: Iterable[str]) -> str | None:
    """The known word that is nearest to one that is none; None where none is near.

    Args:
        word: As it was given.
        known: What it could have been.
    """
    words = {each.lower(): each for each in known}
    found = get_close_matches(word.lower(), list(words), n=1)
    return words[found[0]] if found else None


def nearest(word: str, known: Iterable[str]) -> str:
    """The end of a sentence that asks whether the nearest known word was meant; empty where none is near.

    Args:
        word: As it was given.
        known: What it could have been.
    """
    found = closest(word, known)
    return "" if found is None else f"; did you mean {found!r}?"


def names_in(file: Path) -> set[str] | None:
    """Names that a module's file gives, by its text alone; None where only running it would tell.

    Args:
        file: Python source.
    """
    try:
        tree = ast.parse(file.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    names: set[str] = set()
    waiting: list[ast.AST] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            names.add(node.name)  # what is in it is its own
            continue
        if isinstance(node, ast.alias):
            names.add(node.asname or node.name.partition(".")[0])
        elif isinstance(node, ast.Name):
            names.add(node.id)
        waiting += ast.iter_child_nodes(node)
    return None if names & {"*", "__getattr__", "globals", "setattr", "exec"} else names
