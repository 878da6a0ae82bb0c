"""Values that prose names: descriptions of fields, docstrings, a README, refusals, texts of observations.

What stands in quotes or backticks is a value; so is each item of a list that follows "one of", "e.g.", "must be" or
the like, of a list in brackets, and of alternatives with a bar or a slash between. Numbers and what looks like an
identifier come last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache

from gonogo.records.tables import cut
from gonogo.wire import Action, JsonValue

MOST_CHARS = 20_000
"""Of a text that is read."""
LONGEST, MOST_WORDS = 80, 5
"""Characters and words of one item of a list."""
MOST = 200
MOST_KEPT = 2_000
"""Texts whose values are kept: environments say the same again and again."""
QUOTED = re.compile(
    r"`([^`\n]{1,200})`|\"([^\"\n]{1,200})\"|(?<!\w)'([^'\n]{1,200})'(?!\w)|“([^”]{1,200})”"
)
LEADS = re.compile(
    r"(?:one of|any of|either|e\.g\.?,?|i\.e\.?,?|eg:|such as|like|for example:?,?|options?(?: are)?:"
    r"|choices?(?: are)?:|choose from|choose:|values?(?: are)?:|allowed(?: are)?:?|valid(?: \w+){0,2}(?: are)?:"
    r"|available(?: \w+){0,2}(?: are)?:|supported(?: \w+){0,2}(?: are)?:|must be(?: one of| either)?"
    r"|should be(?: one of| either)?|can be|expected(?: one of)?:?|known(?: \w+){0,2}:|use one of"
    r"|try(?: one of)?:|from:|in:|:)\s*",
    re.IGNORECASE,
)
ENDS = re.compile(r"[.;!?](?:\s|$)|\n\s*\n|\)")
BRACKETS = re.compile(r"[\[{(]([^\[\]{}()\n]{1,2000})[\]})]")
BARS = re.compile(r"[\w.-]+(?:\s*\|\s*[\w.-]+)+|\w[\w-]*(?:/\w[\w-]*)+")
PARTS = re.compile(r"\s*(?:,|;|\||/|\bor\b|\band\b|→|->|\n\s*[-*])\s*")
NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.]*\w)")
IDENTIFIER = re.compile(r"\b(?=\w*[A-Za-z])[A-Za-z]\w*(?:[-_:#.]\w+)+\b|\b[A-Z]+\d+\b")
LISTED, SAID, LIKE = 3.0, 2.0, 1.0
"""How surely a text means a value: an item of a list or a quotation, alternatives, what looks like one."""
NO_ITEM = re.compile(
    r"^(?:a|an|the|if|to|is|it|this|etc|when|optional|required|none)\b", re.IGNORECASE
)
SENTENCES = re.compile(r"(?<=[.!?;])\s+|\n\s*\n|\n(?=\s*(?:[-*+#|>]|\d+[.)])\s)")
"""Between sentences, and the items of lists."""
PASSAGES = re.compile(r"\n\s*\n|\n(?=\s*(?:[-*+#|>]|\d+[.)])\s)")
"""Between the paragraphs of a text and the items of its lists."""
WRITTEN_NUMBERS = {
    word: number
    for number, word in enumerate(
        ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), start=2
    )
}
DENIED = re.compile(r"(?i)(?:\b(?:not|never|no|without|cannot)\b|n[’']t\b)(?:\s+\w+){0,2}\s*$")
"""What denies what follows it at once."""
SHOWN_CHARS, BEFORE = 160, 60
"""Characters of a sentence that are shown, and those of them before what was found in it."""
MOST_STEPS = 10
"""That an action may cost; more are the length of an episode."""
COSTS = re.compile(
    r"\b(?:costs?(?:\s*[:=])?|consumes?|counts? (?:as|for)|counted (?:as|for)|takes?(?: up)?|uses?(?: up)?|spends?"
    r"|(?:is|are) (?:worth|counted as))"
    rf"\s+(\d{{1,3}}|{'|'.join(WRITTEN_NUMBERS)})\s+(?:(?:\w+|of the)\s+){{0,2}}?(?:steps|turns)\b"
    # What has so many steps of its own, or walks them, need not cost any.
    r"(?!\s+of\s+(?!(?:the|your|its)\s+(?:\w+\s+)?(?:budget|allowance|limit|total|steps|turns)\b))"
    r"(?!\s+(?:forwards?|backwards?|back|ahead|along|left|right|up|down|to(?:wards?)?\s+the|north|south|east|west)\b)",
    re.IGNORECASE,
)
TAKES_BACK = re.compile(
    r"\b(?:takes?|gives?|gets?|sets?|turns?|winds?|rolls?)\s+(?:\w+\s+){0,5}?(?:steps?|turns?|step_count|counter)\s+"
    r"(?:\w+\s+){0,3}?back\b"
    r"|\b(?:takes?|gives?|rolls?)\s+back\s+(?:\w+\s+){0,4}?(?:steps?|turns?|step_count|counter)\b"
    r"|\b(?:decrements?|decreases?|reduces?|lowers?|refunds?|restores?|rewinds?)\s+(?:\w+\s+){0,4}?"
    r"(?:steps?|turns?|step_count|counter)\b"
    r"|\b(?:costs?|consumes?|uses?|takes?)\s+(?:no|zero|0)\s+(?:\w+\s+)?(?:steps?|turns?)\b"
    r"|\b(?:does|do)(?:\s+not|n[’']t)\s+(?:count|cost|consume|use)\b[^.;]{0,30}?\b(?:steps?|turns?)\b",
    re.IGNORECASE,
)
"""What is said of an action that costs no step, or takes steps back."""
OF_SUBJECT = re.compile(
    r"[^\w\s.;!?,:]*(?:\s+[\w-]+){0,2}\s+|[^.;!?]{0,80}[(:,–—-]\s*(?:(?:which|that|it)\s+)?|[^.;!?]{0,80}[.;]\s+",
    re.IGNORECASE,
)
"""What may stand between a subject and its verb: quotes and two words, or what says more of it up to a mark; after a
full stop or a semicolon the verb alone."""


def sentences(prose: str) -> Iterator[str]:
    """The sentences of a text, and the items of its lists, each on one line."""
    for sentence in SENTENCES.split(prose):
        yield " ".join(sentence.replace("**", "").split())


def words_at(sentence: str, found: re.Match[str]) -> str:
    """The words of a sentence about what was found in it, cut for a reader."""
    return cut(sentence[max(0, found.start() - BEFORE) :], SHOWN_CHARS)


def values_in(text: str) -> tuple[tuple[JsonValue, float], ...]:
    """The values that a text names, the surest first, each once.

    Args:
        text: The prose, of which the beginning is read.
    """
    return read_values(text[:MOST_CHARS])


@lru_cache(maxsize=MOST_KEPT)
def read_values(text: str) -> tuple[tuple[JsonValue, float], ...]:
    """The same of a whole text; what was read is kept."""
    found: dict[JsonValue, float] = {}
    for value in quoted(text):
        found.setdefault(value, LISTED)
    for item in listed(text):
        found.setdefault(item, LISTED)
    for match in BARS.finditer(text):
        for item in PARTS.split(match.group()):
            found.setdefault(item.strip(), SAID)
    for match in IDENTIFIER.finditer(text):
        found.setdefault(match.group(), LIKE)
    ordered = sorted(found.items(), key=lambda pair: -pair[1])
    numbers = ((number_of(match.group()), LIKE) for match in NUMBER.finditer(text))
    return tuple((value, near) for value, near in [*ordered, *numbers] if value != "")[:MOST]


def quoted(text: str) -> Iterator[str]:
    """What stands in quotation marks."""
    for match in QUOTED.finditer(text.replace("```", "\n")):
        yield next(group for group in match.groups() if group is not None)


def listed(text: str) -> Iterator[str]:
    """The items of lists: after words that lead one in, and in brackets."""
    spans = [match.group(1) for match in BRACKETS.finditer(text)]
    spans = [span for span in spans if len(PARTS.split(span)) > 1]
    for match in LEADS.finditer(text):
        rest = text[match.end() : match.end() + 2000].lstrip("[({")
        end = ENDS.search(rest)
        spans.append(rest[: end.start()] if end else rest)
    for span in spans:
        for part in PARTS.split(span):
            item = part.strip().strip("\"'`[]{}()<>.,:*“”").strip()
            short = 0 < len(item) <= LONGEST and len(item.split()) <= MOST_WORDS
            if short and not NO_ITEM.match(item):
                yield item


def number_of(text: str) -> int | float:
    """The number that a text says."""
    return float(text) if "." in text else int(text)


def objects_in(text: str) -> Iterator[Action]:
    """The JSON objects that a text holds, as code blocks of a README do."""
    decoder, place = json.JSONDecoder(), text.find("{")
    tries = 0
    while place >= 0 and tries < MOST:
        tries += 1
        try:
            value, end = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            end = place + 1
        else:
            if isinstance(value, dict):
                yield value
        place = text.find("{", end)


def words_of(texts: Iterable[str]) -> list[str]:
    """What some texts quote, each once, in their order."""
    return list(dict.fromkeys(value for text in texts for value in quoted(text[:MOST_CHARS])))[
        :MOST
    ]


def step_costs(text: str, names: Iterable[str]) -> dict[str, int]:
    """How many steps a text says that actions cost, by their names: of each the most, and none that costs one.

    Args:
        text: The prose.
        names: What actions are called, however it is capitalised. A cost belongs to the one that is named last before
            it in the same paragraph or item of a list, if that is the subject of the sentence.

    Returns:
        The steps; 0 of an action that costs none, or takes steps back.
    """
    known = sorted(filter(None, names), key=lambda name: (-len(name), name))
    if not known:
        return {}
    free = {name: 0 for said, called in told_of(text, known, TAKES_BACK) for name in called}
    found: dict[str, int] = {}
    for said, called in told_of(text, known, COSTS):
        number = said.group(1).lower()
        steps = WRITTEN_NUMBERS.get(number) or int(number)
        if steps <= MOST_STEPS:
            found |= {name: max(found.get(name, 1), steps) for name in called}
    return free | {name: steps for name, steps in found.items() if steps > 1}


def told_of(
    text: str, known: Sequence[str], what: re.Pattern[str]
) -> Iterator[tuple[re.Match[str], list[str]]]:
    """What is said of actions, each with the names of those of which it is said; as for :func:`step_costs`.

    Args:
        text: The prose.
        known: The names.
        what: Matches it.
    """
    if what.search(text) is None:
        return
    named = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, known))})(?!\w)", re.IGNORECASE)
    for passage in PASSAGES.split(text):
        for said in what.finditer(passage):
            before = [*named.finditer(passage, 0, said.start())][-1:]
            called = {
                match.group().lower()
                for match in before
                if OF_SUBJECT.fullmatch(passage, match.end(), said.start())
            }
            yield said, [name for name in known if name.lower() in called]
