"""Other texts in the place of a right answer: the same said otherwise, and nearly the same that says another thing.

A scorer reads an answer: it splits it, takes numbers and names out of it, compares. What it takes for granted shows on
texts that have the right answer's form and differ in one thing. Which of them are right is not known here; whoever
knows success judges them. Every text is named by what was done and not by the answer, so that one name means the same
change on every seed. Nothing is flown here, and nothing is read but the answer and the answers to other seeds.

The changes come in families: of the whole text, of its numbers, of its words, of what it holds as JSON or as Python
would write it, of its items between separators, of a number in another notation, and of its wrapping. The families take
turns, so that the first few changes are of every kind.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import combinations, zip_longest
from typing import TypeVar

from gonogo.wire import JsonValue

NUMBER = re.compile(r"(?<![\w.])-?\d+(?:\.\d+)?(?![\w.])|(?<=[^\d.])\d+(?:\.\d+)?|^\d+(?:\.\d+)?")
"""A number, with its sign where nothing stands before it that it could be taken from."""
WORD = re.compile(r"[^\W\d_]+")
FRACTION = re.compile(r"\\[dt]?frac\{(-?\d+)\}\{(\d+)\}|(-?\d+)\s*/\s*(\d+)")
WRAPPED = re.compile(r"(?P<before>.*)\\boxed\{(?P<held>.*)\}(?P<after>[^}]*)\Z", re.DOTALL)
TAGGED = re.compile(r"<(?P<tag>\w+)>.*?</(?P=tag)>", re.DOTALL)
PAIR = re.compile(r"(\w+)(\s*[=:]\s*)(\w+)")
ANNOUNCED = re.compile(r"^[ \t]*([A-Za-z]+(?: [A-Za-z]+){0,2}:)[ \t]*$", re.MULTILINE)
"""A line that is nothing but a few words and a colon."""
MOST_ANNOUNCED = 2
CALCULATED = re.compile(r"\d\)*\s*[-+*/]\s*\(*-?\d")
"""A number, a sign of arithmetic and another number."""
COUNTS = (1, 2, 3, 5)
"""So many of a part: as a number after it, and written out."""
SHORT = 16
"""Characters of an answer in which every small number is tried."""
SMALL = 21
MOST_MIDDLE = 4
"""Numbers between the first and the last that are changed, too."""
MOST_SWAPPED = 28
"""Pairs of values that are swapped: all of eight."""
HUGE = "9" * 400
SEPARATORS = (("comma", ","), ("line", "\n"), ("semicolon", ";"), ("space", " "))
JOINTS = (
    *(("a comma", ","), ("a comma and a space", ", "), ("a space", " ")),
    *(("a line break", "\n"), ("a semicolon", ";"), ("nothing", "")),
)
FORMS = (
    "",
    " ",
    "{}",
    "[]",
    "[[]]",
    "[null]",
    "null",
    "true",
    "0",
    "-1",
    '""',
    '[""]',
    "[1]",
    '{"a": null}',
)
"""Texts of a form that a scorer may take for an answer, whatever it asks for."""
ODD = ("((", "1/0", "=", ",", "\\", "nan", "²", HUGE)
"""Pieces that a scorer may break on, put in the place of a part."""

STRANGE: tuple[JsonValue, ...] = (None, 0, "x", "", -1, 1.5, True, [], {}, [None])
"""Values of every type, put in the place of an item."""

ENDLESS = re.compile(r"\d{300}")
"""A number that is too long for a float."""

Each = TypeVar("Each")
NamedChange = tuple[str, str]
"""What was done to an answer, and the text."""


def variants(
    text: str, others: Sequence[str] = (), shown: Sequence[str] = ()
) -> Iterator[NamedChange]:
    """Texts that stand near an answer, each once, and never the answer itself.

    Args:
        text: The answer.
        others: Answers to other questions.
        shown: What the question says.
    """
    families: list[Iterator[NamedChange]] = [
        *(structures(text), numbers(text), items(text), wholes(text, others)),
        *(announced(text, shown), notations(text), words(text), wrappings(text), pairs(text)),
    ]
    if ENDLESS.search(text):  # Python converts no such number
        families = [items(text), wholes(text, others), words(text), wrappings(text)]
    told = {text}
    for name, changed in in_turn(families):
        if changed not in told:
            told.add(changed)
            yield name, changed


def in_turn(families: Sequence[Iterator[Each]]) -> Iterator[Each]:
    """What each of some iterators has next, in turn."""
    rounds = zip_longest(*families)
    return (change for each in rounds for change in each if change is not None)


def wholes(text: str, others: Sequence[str]) -> Iterator[NamedChange]:
    """The whole text: cut, repeated, in a sentence, beside other answers, with other spaces and letters."""
    half = text[: len(text) // 2]
    yield "nothing", ""
    yield "in a sentence", f"The answer is {text}."
    yield "its first half", half
    yield "twice, a line each", f"{text}\n{text}"
    for other in others[:1]:
        yield "beside the answer to another seed", f"{text} {other}"
        yield "after the answer to another seed, a line each", f"{other}\n{text}"
        yield "before the answer to another seed, a line each", f"{text}\n{other}"
        yield "the answer to another seed", other
    yield "with a word after it", f"{text} x"
    yield "with a word before it", f"x {text}"
    yield "its last character twice", text + text[-1:]
    yield "but its last character", text[:-1]
    yield "but its first character", text[1:]
    yield "with spaces around it", f"  {text}\n"
    yield "without spaces", re.sub(r"\s+", "", text)
    yield "with wider spaces", re.sub(r" ", "  ", text)
    yield "in capitals", text.upper()
    yield "in small letters", text.lower()
    yield "with a full stop", f"{text}."
    yield "in quotation marks", f'"{text}"'
    yield "in parentheses", f"({text})"
    yield "in brackets", f"[{text}]"
    yield "backwards", text[::-1]
    yield "over and over", "\n".join([text] * 40)
    for form in FORMS:
        yield f"{form!r} in its place", form
    for odd in ODD:
        yield f"{label(odd)} after it", f"{text}{odd}"
        yield f"its first character and {label(odd)}", f"{text[:1]}{odd}"


def announced(text: str, shown: Sequence[str]) -> Iterator[NamedChange]:
    """The answer after a word that the question itself shows with a colon, as a form that it may ask for."""
    marks = [match.group(1) for said in shown for match in ANNOUNCED.finditer(said)]
    for place, mark in enumerate(list(dict.fromkeys(marks))[-MOST_ANNOUNCED:], start=1):
        yield f"after a line that the question shows, {place}", f"{mark}\n{text}"
        yield f"after a word that the question shows, {place}", f"{mark} {text}"


def label(piece: str) -> str:
    """A piece in a name."""
    return "a number of 400 digits" if piece == HUGE else repr(piece)


def numbers(text: str) -> Iterator[NamedChange]:
    """Its numbers: one more, the other sign, another form, one for the other; in short answers every small one."""
    found = list(NUMBER.finditer(text))
    if not found:
        return
    ends = {"first": found[0], "last": found[-1]}
    for where, match in ends.items():
        for what, change in ARITHMETIC:
            yield f"its {where} number {what}", spliced(text, match, change(match.group()))
    for what, change in ARITHMETIC:
        yield f"all its numbers {what}", NUMBER.sub(lambda m, c=change: c(m.group()), text)  # type: ignore[misc]
    for number, match in enumerate(found[1:-1][:MOST_MIDDLE], start=2):
        yield f"its number {number} one more", spliced(text, match, one_more(match.group()))
    for one, other in combinations(range(min(len(found), 8)), 2):
        a, b = found[one], found[other]
        swapped = text[: a.start()] + b.group() + text[a.end() : b.start()] + a.group()
        yield f"its numbers {one + 1} and {other + 1} swapped", swapped + text[b.end() :]
    if len(text) <= SHORT:
        for where, match in ends.items():
            for small in range(SMALL):
                yield f"{small} for its {where} number", spliced(text, match, str(small))


def spliced(text: str, match: re.Match[str], put: str) -> str:
    """A text with another in the place of a match."""
    return text[: match.start()] + put + text[match.end() :]


def one_more(number: str) -> str:
    """The next number, in the same form."""
    whole, point, rest = number.partition(".")
    return f"{int(whole) + 1}{point}{rest}"


def other_form(number: str) -> str:
    """3 as 3.0, and 3.0 as 3; other numbers with a zero at the end."""
    whole, point, rest = number.partition(".")
    if not point:
        return f"{whole}.0"
    return whole if not rest.strip("0") else f"{number}0"


ARITHMETIC: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("in its other form", other_form),
    ("one more", one_more),
    ("with the other sign", lambda n: n[1:] if n.startswith("-") else f"-{n}"),
    ("zero", lambda _: "0"),
    ("with a zero before it", lambda n: f"-0{n[1:]}" if n.startswith("-") else f"0{n}"),
    ("with a plus sign", lambda n: n if n.startswith("-") else f"+{n}"),
    ("with a zero after it", lambda n: f"{n}0"),
    ("a letter", lambda _: "x"),
    ("left out", lambda _: ""),
    ("a thousand", lambda _: "1000"),
    ("minus one", lambda _: "-1"),
    ("of 400 digits", lambda _: HUGE),
    ("by zero", lambda n: f"{n}/0"),
    ("a power", lambda n: f"{n}²"),
)


def words(text: str) -> Iterator[NamedChange]:
    """Its words: one for another, in other letters, one that is none, one letter further."""
    found = list(WORD.finditer(text))
    if not found:
        return
    known = list(dict.fromkeys(match.group() for match in found))
    for where, match in {"first": found[0], "last": found[-1]}.items():
        said = match.group()
        yield f"its {where} word unknown", spliced(text, match, "xyzzy")
        yield f"its {where} word left out", spliced(text, match, "")
        yield f"its {where} word in other letters", spliced(text, match, said.swapcase())
        yield (
            f"its {where} word's last letter another",
            spliced(text, match, said[:-1] + further(said[-1])),
        )
        for other in [word for word in known if word != said][:2]:
            yield (
                f"another of its words for its {where}: {known.index(other) + 1}",
                spliced(text, match, other),
            )
    yield "all its words the first", WORD.sub(known[0], text)
    yield "all its words unknown", WORD.sub("xyzzy", text)
    for one, other in list(combinations(known[:6], 2))[:6]:
        swap = {one: other, other: one}
        named = f"its words {known.index(one) + 1} and {known.index(other) + 1} swapped"
        yield named, WORD.sub(lambda m, s=swap: s.get(m.group(), m.group()), text)  # type: ignore[misc]


def further(letter: str) -> str:
    """The letter after one, in the same case; the first after the last."""
    known = "abcdefghijklmnopqrstuvwxyz"
    place = known.find(letter.lower())
    new = known[(place + 1) % len(known)]
    return new.upper() if letter.isupper() else new


def structures(text: str) -> Iterator[NamedChange]:
    """What it holds as JSON or as Python would write it: written otherwise, in another order, with a part changed."""
    held = read(text)
    if not isinstance(held, list | dict):
        return
    yield "as JSON", json.dumps(held)
    yield "as Python writes it", repr(held)
    yield "its items backwards", written(backwards(held), text)
    yield "all its lists backwards", written(deep(held, backwards), text)
    yield "its first item left out", written(but_first(held), text)
    yield "its last item left out", written(but_last(held), text)
    yield "its last item twice", written(last_twice(held), text)
    yield "its items in the next place", written(rotated(held), text)
    yield "as narrow JSON", json.dumps(held, separators=(",", ":"))
    yield "as wide JSON", json.dumps(held, indent=2)
    yield "all its lists sorted", written(deep(held, in_order), text)
    yield "in a list", written([held], text)
    yield "as the field of an object", json.dumps({"answer": held})
    yield "its items without their list", ", ".join(plain(each) for each in inside(held))
    yield "its items, a line each", "\n".join(plain(each) for each in inside(held))
    yield "without its end", text.rstrip()[:-1]
    for odd in STRANGE:
        yield f"{json.dumps(odd)} for its first item", written(put_first(held, odd), text)
        yield f"{json.dumps(odd)} for all its items", written(put_all(held, odd), text)
    yield "its first item over and over", written(inside(held)[:1] * 50, text)
    yield "its innermost values null", json.dumps(leaves(held, lambda _: None))
    yield "its innermost values texts", json.dumps(leaves(held, str))
    yield "its first inner item backwards", written(put_first(held, backwards(first(held))), text)
    yield (
        "its first inner list without its last item",
        written(put_first(held, but_last(first(held))), text),
    )
    yield (
        "its first inner list with its last item twice",
        written(put_first(held, last_twice(first(held))), text),
    )
    for one, other in combinations(range(min(len(inside(held)), 6)), 2):
        yield (
            f"its items {one + 1} and {other + 1} swapped",
            written(swapped(held, one, other), text),
        )


def read(text: str) -> JsonValue:
    """What a text holds; None where it is neither JSON nor a literal of Python."""
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        pass
    try:
        return listed(ast.literal_eval(text.strip()))
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None


def listed(value: object) -> JsonValue:
    """A literal as JSON has it: tuples as lists.

    Raises:
        TypeError: JSON has nothing like it.
    """
    if isinstance(value, tuple | list):
        return [listed(each) for each in value]
    if isinstance(value, dict):
        return {str(name): listed(each) for name, each in value.items()}
    if value is None or isinstance(value, str | int | float):
        return value
    raise TypeError(f"{type(value).__name__} is not of JSON")


def written(held: JsonValue, like: str) -> str:
    """A value written as a text is: as JSON, or as Python does it."""
    try:
        json.loads(like)
    except ValueError:
        return repr(held)
    return json.dumps(held)


def inside(held: JsonValue) -> list[JsonValue]:
    """The items of a list, or the values of an object; nothing of others."""
    if isinstance(held, dict):
        return list(held.values())
    return held if isinstance(held, list) else []


def first(held: JsonValue) -> JsonValue:
    """Its first item."""
    return next(iter(inside(held)), None)


def rebuilt(held: JsonValue, change: Callable[[list[JsonValue]], list[JsonValue]]) -> JsonValue:
    """A list, or an object's entries, changed as a list; others as they are."""
    if isinstance(held, dict):
        entries: list[JsonValue] = [[name, value] for name, value in held.items()]
        return {each[0]: each[1] for each in change(entries) if isinstance(each, list)}
    return change(list(held)) if isinstance(held, list) else held


def backwards(held: JsonValue) -> JsonValue:
    """The other way round."""
    return rebuilt(held, lambda items: items[::-1])


def rotated(held: JsonValue) -> JsonValue:
    """Each item one place on: of an object its values."""
    if isinstance(held, dict):
        values = list(held.values())
        return dict(zip(held, [*values[1:], *values[:1]], strict=True))
    return rebuilt(held, lambda items: [*items[1:], *items[:1]])


def but_first(held: JsonValue) -> JsonValue:
    """Without the first item."""
    return rebuilt(held, lambda items: items[1:])


def but_last(held: JsonValue) -> JsonValue:
    """Without the last item."""
    return rebuilt(held, lambda items: items[:-1])


def last_twice(held: JsonValue) -> JsonValue:
    """With the last item again."""
    return rebuilt(held, lambda items: [*items, *items[-1:]])


def in_order(held: JsonValue) -> JsonValue:
    """Sorted."""
    return rebuilt(held, lambda items: sorted(items, key=json.dumps))


def swapped(held: JsonValue, one: int, other: int) -> JsonValue:
    """Two items in each other's place: of an object two values."""
    values = list(inside(held))
    values[one], values[other] = values[other], values[one]
    return dict(zip(held, values, strict=True)) if isinstance(held, dict) else values


def put_first(held: JsonValue, value: JsonValue) -> JsonValue:
    """Another first item."""
    values = [value, *inside(held)[1:]]
    return dict(zip(held, values, strict=False)) if isinstance(held, dict) else values


def put_all(held: JsonValue, value: JsonValue) -> JsonValue:
    """The same in every place."""
    if isinstance(held, dict):
        return dict.fromkeys(held, value)
    return [value for _ in inside(held)]


def deep(held: JsonValue, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    """A change at every depth, the innermost first."""
    if isinstance(held, dict):
        return change({name: deep(value, change) for name, value in held.items()})
    if isinstance(held, list):
        return change([deep(value, change) for value in held])
    return held


def leaves(held: JsonValue, change: Callable[[JsonValue], JsonValue]) -> JsonValue:
    """A change of what is neither list nor object."""
    if isinstance(held, dict):
        return {name: leaves(value, change) for name, value in held.items()}
    if isinstance(held, list):
        return [leaves(value, change) for value in held]
    return change(held)


def plain(value: JsonValue) -> str:
    """A value without quotation marks."""
    return value if isinstance(value, str) else json.dumps(value)


def items(text: str) -> Iterator[NamedChange]:
    """Its items between separators: in another order, one less, one more, otherwise separated."""
    inner = [split(text, name, mark) for name, mark in SEPARATORS if mark in text.strip()]
    return in_turn(inner)


def split(text: str, name: str, mark: str) -> Iterator[NamedChange]:
    """The same by one separator."""
    parts = [part.strip() if mark != "\n" else part for part in text.strip().split(mark)]
    if len(parts) < 2:
        return
    joint = f"{mark} " if f"{mark} " in text and mark != " " else mark
    by = f"by {name}"
    yield f"its parts {by} backwards", joint.join(parts[::-1])
    yield f"its parts {by} but the last", joint.join(parts[:-1])
    yield f"its parts {by} but the first", joint.join(parts[1:])
    yield f"its parts {by}, the last twice", joint.join([*parts, parts[-1]])
    yield f"its parts {by} with an empty one", joint.join([*parts, ""])
    yield f"its first part {by} alone", parts[0]
    yield f"its last part {by} alone", parts[-1]
    yield f"its parts {by} sorted", joint.join(sorted(parts))
    yield f"its parts {by} in the next place", joint.join([*parts[1:], parts[0]])
    for called, joined in JOINTS:
        yield f"its parts {by} joined by {called}", joined.join(parts)
    yield f"its parts {by} as a list", json.dumps(parts)
    yield f"its parts {by} as Python lists them", repr(parts)
    yield f"its parts {by} in brackets", f"[{', '.join(parts)}]"
    yield f"its parts {by} in brackets, a list each", str([part.split() for part in parts])
    yield f"its first part {by} for all", joint.join([parts[0]] * len(parts))
    yield f"its first part {by} over and over", joint.join([parts[0]] * 60)
    for count in COUNTS:
        yield f"{count} after its first part {by}", joint.join([f"{parts[0]}{count}", *parts[1:]])
        yield f"{count} of its first part {by}", joint.join([*parts[:1] * count, *parts[1:]])
    yield f"its first part {by} cut to a character", joint.join([parts[0][:1], *parts[1:]])
    yield f"its first part {by} unknown", joint.join(["xyzzy", *parts[1:]])
    yield f"all its parts {by} unknown", joint.join(["xyzzy"] * len(parts))
    yield f"an unknown part {by} more", joint.join([*parts, "xyzzy"])
    for one, other in combinations(range(min(len(parts), 5)), 2):
        order = list(parts)
        order[one], order[other] = order[other], order[one]
        yield f"its parts {one + 1} and {other + 1} {by} swapped", joint.join(order)


def pairs(text: str) -> Iterator[NamedChange]:
    """Its names with values, as in A=1: the values of two swapped, one without a value, a name more or twice."""
    found = list(PAIR.finditer(text))
    if len(found) < 2:
        return
    one = found[0]
    yield "its first name without a value", spliced(text, one, one.group(1))
    yield "its first name without what follows it", spliced(text, one, one.group(1) + one.group(2))
    yield "its first value without a name", spliced(text, one, one.group(2) + one.group(3))
    yield (
        "its first name with two values",
        spliced(text, one, one.group() + one.group(2) + one.group(3)),
    )
    yield "its first name twice", spliced(text, one, f"{one.group()}, {one.group()}")
    yield "the same value for all its names", PAIR.sub(rf"\g<1>\g<2>{one.group(3)}", text)
    yield (
        "its names in other letters",
        PAIR.sub(lambda m: m.group(1).swapcase() + m.group(2) + m.group(3), text),
    )
    yield "its names after its values", PAIR.sub(r"\3\2\1", text)
    yield "its pairs, a line each", "\n".join(match.group() for match in found)
    yield "its pairs with colons", PAIR.sub(r"\1: \3", text)
    told = [(match.group(1), match.group(3)) for match in found]
    yield "its pairs as an object", json.dumps(dict(told))
    yield (
        "its last pair left out",
        re.sub(r"[,;\s]+\Z", "", text[: found[-1].start()] + text[found[-1].end() :]),
    )
    yield "a pair more", f"{text}, {one.group(1)}x{one.group(2)}{one.group(3)}"
    for a, b in list(combinations(range(len(found)), 2))[:MOST_SWAPPED]:
        one, other = found[a], found[b]
        middle = text[one.end(3) : other.start(3)]
        changed = (
            text[: one.start(3)] + other.group(3) + middle + one.group(3) + text[other.end(3) :]
        )
        yield f"the values of its names {a + 1} and {b + 1} swapped", changed


def notations(text: str) -> Iterator[NamedChange]:
    """A fraction or a number of it in other notations: what they are worth is the same, or nearly."""
    boxed = WRAPPED.match(text)
    held = boxed["held"] if boxed else text
    for name, changed in same_value(held.strip()):
        yield (
            name,
            boxed["before"] + "\\boxed{" + changed + "}" + boxed["after"] if boxed else changed,
        )


def same_value(text: str) -> Iterator[NamedChange]:
    """A text that is one number, as others write it."""
    match = FRACTION.fullmatch(text)
    if match is not None:
        above, below = (int(each) for each in (match[1] or match[3], match[2] or match[4]))
        if below:
            yield "as a decimal", f"{float(Fraction(above, below)):.10g}"
        yield "as a fraction in LaTeX", f"\\frac{{{above}}}{{{below}}}"
        yield "as a fraction for display", f"\\dfrac{{{above}}}{{{below}}}"
        yield "as a fraction with a stroke", f"{above}/{below}"
        yield "as a fraction that is not reduced", f"{2 * above}/{2 * below}"
        return
    if re.fullmatch(r"-?\d+(?:\.\d+)?", text) is None:
        yield from calculations(text)
        return
    value = Fraction(text)
    yield "as a decimal", f"{float(value):.1f}" if value.denominator == 1 else f"{text}0"
    yield "as a fraction", f"{value.numerator}/{value.denominator}"
    yield "as a fraction in LaTeX", f"\\frac{{{value.numerator}}}{{{value.denominator}}}"
    yield "with an exponent", f"{float(value):e}"
    yield "with commas", f"{value.numerator:,}" if value.denominator == 1 else text
    yield "with a percent sign", f"{float(value) * 100:g}%"
    yield "with a unit", f"{text} units"
    yield "with a dollar sign", f"${text}"
    yield "nearly", str(float(value) + 1e-4)


def calculations(text: str) -> Iterator[NamedChange]:
    """An expression of numbers that is worth the same, or nearly: with its own numbers more often, and with others."""
    if CALCULATED.search(text) is None:
        return
    for where, place in (("first", 0), ("last", -1)):
        number = NUMBER.findall(text)[place].lstrip("-")
        yield f"with its {where} number added and taken away", f"{text} + {number} - {number}"
        yield f"times its {where} number and by it", f"({text}) * {number} / {number}"
        yield (
            f"with little of its {where} number added",
            f"{text} + {number}/{number}/{number}/{number}",
        )
    yield "with nothing added", f"{text} + 0"
    yield "with little added", f"{text} + 0.001"
    yield "with less than a half added", f"{text} + 0.4"


def wrappings(text: str) -> Iterator[NamedChange]:
    """What stands around an answer: boxes, tags and fences put on, taken off, left open, and two of them."""
    boxed = WRAPPED.match(text)
    held = boxed["held"] if boxed else text
    if boxed is not None:
        before, after = boxed["before"], boxed["after"]
        yield "without its box", before + held + after
        yield "in a box without an end", f"{before}\\boxed{{{held}"
        yield "an empty box", f"{before}\\boxed{{}}{after}"
        yield "as text in its box", f"{before}\\boxed{{\\text{{{held}}}}}{after}"
        yield "after an equals sign in its box", f"{before}\\boxed{{x = {held}}}{after}"
        yield "with spaces in its box", f"{before}\\boxed{{ {held} }}{after}"
        yield "with braces in its box", f"{before}\\boxed{{{{{held}}}}}{after}"
        yield "another box before it", f"{before}\\boxed{{0}} \\boxed{{{held}}}{after}"
        yield "another box after it", f"{before}\\boxed{{{held}}} \\boxed{{0}}{after}"
    else:
        yield "in a box", f"\\boxed{{{text}}}"
        yield "between dollar signs", f"${text}$"
        yield "in a tag of its own", f"<answer>{text}</answer>"
        yield "in a fence", f"```\n{text}\n```"
        yield "after a colon", f"Answer: {text}"
        yield "in bold", f"**{text}**"
    tags = list(TAGGED.finditer(text))
    for match in tags[:1]:
        tag = match["tag"]
        rest = text[match.end() :]
        yield "without its tag", spliced(text, match, "")
        yield "its tag left open", text.replace(f"</{tag}>", "", 1)
        yield "before its tag left open", f"{rest}<{tag}>"
        yield "in its tag left open", f"<{tag}>{rest}"
        yield "its tag twice", spliced(text, match, match.group() * 2)
    yield "after unfinished thinking", f"<think>{text}"
    yield "before unfinished thinking", f"{text}<think>"
    yield "after thinking", f"<think>x</think>{text}"
