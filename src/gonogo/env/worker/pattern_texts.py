r"""The literal texts that a regular expression stands for, where it stands for nothing else.

Loaded by its path from :mod:`gonogo.env.worker.program`, and like it imports nothing of gonogo. A grader that asks
``re.search(rf"\b{re.escape(term)}\b", text)`` asks for a text; this finds the text in the pattern again.

Read are literal characters, groups, alternatives and what may be left out, as ``colou?r``. Anchors, ``\b`` and what
must not stand beside count for nothing. Space that may be there counts for nothing too, and space that must be there
for one blank. A pattern with anything else has no texts. Python's own parser of patterns is not asked: it is private.
"""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import product
from typing import NamedTuple

MOST_TEXTS = 64
"""Of a pattern: one that stands for more is a form and no list of answers."""
MOST_PATTERN = 10_000
"""Characters of a pattern."""
ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "f": "\f", "v": "\v", "a": "\a"}
ANCHORS = frozenset("bBAZz")
REPEATED = re.compile(r"\{(\d+(,\d*)?|,\d*)\}")
NAMED_GROUP = re.compile(r"\(\?P<\w+>")
FLAGS = re.compile(r"\(\?([aimsu]+)([:)])")


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


class PatternReader:
    """Reads a pattern from its start to its end.

    Args:
        pattern: The pattern.
        ignores_case: Whether its flags say so.
    """

    def __init__(self, pattern: str, *, ignores_case: bool) -> None:
        self._pattern, self._at, self._ignores_case = pattern, 0, ignores_case

    def read(self) -> PatternTexts:
        """What the pattern stands for.

        Raises:
            OtherPattern: It is no literal, or no pattern.
        """
        found = dict.fromkeys(self._alternatives())
        if self._at < len(self._pattern):
            raise OtherPattern
        texts = tuple(text for text in found if text.strip())
        if not texts:
            raise OtherPattern
        return PatternTexts(texts, len(found) == 1, self._ignores_case)

    def _alternatives(self) -> list[str]:
        found = self._sequence()
        while self._takes("|"):
            found += self._sequence()
        if len(found) > MOST_TEXTS:
            raise OtherPattern
        return found

    def _sequence(self) -> list[str]:
        found = [""]
        while self._at < len(self._pattern) and self._pattern[self._at] not in "|)":
            piece = self._piece()
            if len(found) * len(piece) > MOST_TEXTS:
                raise OtherPattern
            found = ["".join(both) for both in product(found, piece)]
        return found

    def _piece(self) -> list[str]:
        """The texts of one atom with its quantifier."""
        start = self._at
        atom = self._atom()
        is_space = self._pattern[start : self._at] in {" ", r"\ ", r"\s", r"[\s]", "[ ]"}
        if REPEATED.match(self._pattern, self._at) is not None:
            raise OtherPattern
        for sign in "?*+":
            if self._takes(sign):
                break
        else:
            return atom
        if not self._takes("?"):  # as few as there are, or as many
            self._takes("+")
        if atom == [""] or (sign != "?" and not is_space):
            raise OtherPattern
        if is_space:
            return atom if sign == "+" else [""]
        return [*atom, ""]

    def _atom(self) -> list[str]:
        """The texts of a character, a class or a group; of an anchor the empty one."""
        sign = self._next()
        if sign in "^$":
            return [""]
        if sign == "\\":
            return [self._escaped()]
        if sign == "[":
            return [self._class()]
        if sign == "(":
            return self._group()
        if sign in ".*+?" or REPEATED.match(self._pattern, self._at - 1) is not None:
            raise OtherPattern
        return [sign]

    def _escaped(self) -> str:
        sign = self._next()
        if sign in ANCHORS:
            return ""
        if sign == "s":
            return " "
        if sign in ESCAPES:
            return ESCAPES[sign]
        if sign.isalnum():
            raise OtherPattern
        return sign

    def _class(self) -> str:
        """A class of one character."""
        sign = self._next()
        if sign in "^]":
            raise OtherPattern
        if sign == "\\":
            if self._pattern[self._at : self._at + 1] in ANCHORS:
                raise OtherPattern
            sign = self._escaped()
        if not self._takes("]"):
            raise OtherPattern
        return sign

    def _group(self) -> list[str]:
        self._at -= 1
        if self._takes("(?!") or self._takes("(?<!"):
            self._skip()
            return [""]
        flags = FLAGS.match(self._pattern, self._at)
        named = NAMED_GROUP.match(self._pattern, self._at)
        if flags is not None:
            self._at = flags.end()
            self._ignores_case |= "i" in flags[1]
            if flags[2] == ")":
                return [""]
        elif named is not None:
            self._at = named.end()
        elif not (self._takes("(?:") or self._takes("(?>")):
            self._at += 1
            if self._takes("?"):
                raise OtherPattern
        found = self._alternatives()
        if not self._takes(")"):
            raise OtherPattern
        return found

    def _skip(self) -> None:
        """Go on behind the bracket that closes the group that has just begun."""
        depth, in_class = 1, False
        while depth:
            sign = self._next()
            if sign == "\\":
                self._next()
            elif in_class:
                in_class = sign != "]"
            elif sign == "[":
                in_class = True
                self._takes("^")
                self._takes("]")
            else:
                depth += {"(": 1, ")": -1}.get(sign, 0)

    def _takes(self, text: str) -> bool:
        """Whether a text comes next, which is then read."""
        comes = self._pattern.startswith(text, self._at)
        self._at += len(text) * comes
        return comes

    def _next(self) -> str:
        if self._at >= len(self._pattern):
            raise OtherPattern
        self._at += 1
        return self._pattern[self._at - 1]


@lru_cache(maxsize=1024)
def pattern_texts(pattern: str, flags: int) -> PatternTexts | None:
    """The literal texts that a pattern stands for; None of one that is anything else.

    Args:
        pattern: The pattern.
        flags: Those that it is compiled with.
    """
    if len(pattern) > MOST_PATTERN or flags & re.VERBOSE:
        return None
    try:
        return PatternReader(pattern, ignores_case=bool(flags & re.IGNORECASE)).read()
    except (OtherPattern, RecursionError):
        return None
