"""Where an environment's source swallows whatever goes wrong: parsed and never run."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from gonogo.contract.source import Source
from gonogo.contract.syntax import elements_of, name_of
from gonogo.records.contract import SourcePlace

BROAD = frozenset({"Exception", "BaseException"})


@dataclass(frozen=True, slots=True)
class SwallowingHandler:
    """An ``except`` of whatever kind of error, which raises none itself.

    Attributes:
        place: Its first line.
        lines: The lines of what it does.
    """

    place: SourcePlace
    lines: range

    def __str__(self) -> str:
        return f"{self.place.file}:{self.place.line} swallows what goes wrong ({self.place.text})"


def swallowing_handlers(source: Source) -> Iterator[SwallowingHandler]:
    """The handlers of a source that catch errors of whatever kind and go on.

    Args:
        source: The source.
    """
    for file in source.files.values():
        for node in ast.walk(file.tree):
            if not isinstance(node, ast.ExceptHandler) or not is_broad(node):
                continue
            if not any(isinstance(inner, ast.Raise) for inner in ast.walk(node)):
                first, last = node.body[0].lineno, node.end_lineno or node.lineno
                text = " ".join(file.lines[node.lineno - 1].split())
                place = SourcePlace(file=file.name, line=node.lineno, inside="", text=text)
                yield SwallowingHandler(place, range(first, last + 1))


def is_broad(node: ast.ExceptHandler) -> bool:
    """Whether a handler catches errors of whatever kind."""
    if node.type is None:
        return True
    return any(name_of(each) in BROAD for each in elements_of(node.type))
