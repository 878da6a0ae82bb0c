r"""The literal texts that a regular expression stands for, where it stands for nothing else.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. A grader that asks
``re.search(rf"\b{re.escape(term)}\b", text)`` asks for a text; this finds the text in the pattern again.

Python's own parser reads the pattern. It is private: where it is missing, no pattern has texts. Taken are literal
characters, sets of them, groups, alternatives and what may be left out, as ``colou?r``. Anchors, ``\b`` and what must
not stand beside count for nothing. Space that may be there counts for nothing too, and space that must be there for one
blank. A pattern with anything else has no texts.
"""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple

try:
    PARSER: Any = importlib.import_module("re._parser")
except ImportError:
    PARSER = None

MOST_TEXTS = 64
"""Of a pattern: one that stands for more is a form and no list of answers."""
MOST_PATTERN = 10_000
"""Characters of a pattern."""


class PatternTexts(NamedTuple):
    """What a pattern stands for.

    Attributes:
        texts: The literal texts, in the pattern's order.
        is_one: Whether it is nothing but one text, so that whether it matches says whether that is there.
        ignores_case: Whether a text in other case will do.
    """

    texts: tuple[str, ...]
    is_one: bool
    ignores_case: bool

    def has(self, text: str, within: str) -> bool:
        """Whether one of its texts is in another text."""
        return text.casefold() in within.casefold() if self.ignores_case else text in within


class OtherPattern(Exception):
    """The pattern is no literal text and no alternation of such."""


def texts_of(tree: Any) -> list[str]:
    """The texts of a sequence, as the parser gives it.

    Raises:
        OtherPattern: It has something that is no literal.
    """
    found = [""]
    for kind, argument in tree:
        if str(kind) not in PIECES:
            raise OtherPattern
        piece = PIECES[str(kind)](argument)
        if len(found) * len(piece) > MOST_TEXTS:
            raise OtherPattern
        found = ["".join(both) for both in product(found, piece)]
    return found


def text_of_item(item: tuple[Any, Any]) -> str:
    """The text of one item of a set."""
    kind, argument = map(str, item)
    if kind == "LITERAL":
        return chr(item[1])
    if argument == "CATEGORY_SPACE":
        return " "
    raise OtherPattern


def texts_of_group(group: tuple[Any, int, int, Any]) -> list[str]:
    """The texts of a group; its flags count for the whole pattern."""
    _, flags, _, inner = group
    inner.state.flags |= flags
    return texts_of(inner)


def texts_of_repeated(repeat: tuple[int, Any, Any]) -> list[str]:
    """The texts of what may be left out, and of space that comes any number of times."""
    least, most, inner = repeat
    texts = texts_of(inner)
    if texts == [" "] and least <= 1:
        return [" " * least]
    if (least, most) != (0, 1):
        raise OtherPattern
    return [*texts, ""]


PIECES: dict[str, Callable[[Any], list[str]]] = {
    "LITERAL": lambda code: [chr(code)],
    "AT": lambda _: [""],
    "ASSERT_NOT": lambda _: [""],
    "IN": lambda items: [text_of_item(item) for item in items],
    "BRANCH": lambda branch: [text for each in branch[1] for text in texts_of(each)],
    "SUBPATTERN": texts_of_group,
    "ATOMIC_GROUP": texts_of,
    "MAX_REPEAT": texts_of_repeated,
    "MIN_REPEAT": texts_of_repeated,
    "POSSESSIVE_REPEAT": texts_of_repeated,
}
"""Readers of what stands for texts, by the parser's names."""


@lru_cache(maxsize=1024)
def pattern_texts(pattern: str, flags: int) -> PatternTexts | None:
    """The literal texts that a pattern stands for; None of one that is anything else.

    Args:
        pattern: The pattern.
        flags: Those that it is compiled with.
    """
    if PARSER is None or len(pattern) > MOST_PATTERN:
        return None
    try:
        tree = PARSER.parse(pattern, flags & (re.IGNORECASE | re.VERBOSE))
        found = dict.fromkeys(texts_of(tree))
    except (OtherPattern, re.error, OverflowError, RecursionError, ValueError, Warning):
        return None
    texts = tuple(text for text in found if text.strip())
    ignores_case = bool(tree.state.flags & re.IGNORECASE)
    return PatternTexts(texts, len(found) == 1, ignores_case) if texts else None
