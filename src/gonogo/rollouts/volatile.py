"""Clocks and random ids: what differs between runs of one episode while nothing of the episode does.

An environment that shows the time, or an id that it draws for itself, answers the same seed and the same actions by
another text each time. That is no dropped seed. So the fields that differ between repetitions of one episode are
looked at: where all that differs are tokens that look like a time, a random id, an address of memory or an id of a
process, or where a number goes with the clock, the field is volatile. Its tokens are left out wherever episodes are
compared, the rest of it is compared like any other field, and the map notes it: other stations read it in its record.
Rewards and ends are never volatile.
"""

from __future__ import annotations

import re
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count, pairwise
from types import MappingProxyType
from typing import Any

from gonogo.records.contract import ContractReport
from gonogo.wire import Observation, State, TaskOptions

CLOCK, ID, ADDRESS = "a clock", "a random id", "an address of memory"
COUNTER = "a count of episodes"
KEYS = "{}"
"""Mark of a place that stands for the keys of an object."""
PATTERNS = {
    CLOCK: (
        r"\b\d{4}[-/]\d\d?[-/]\d\d?(?:[T ]\d\d:\d\d(?::\d\d(?:[.,]\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
        r"|\b20\d{6}[T_-]?\d{6}(?:\.?\d+)?Z?\b"
        r"|\b\d{1,2}:\d\d:\d\d(?:[.,]\d+)?(?: ?[APap][Mm])?"
        r"|\b1[5-9]\d{8}(?:\d{3}|\d{6}|\d{9})?(?:\.\d+)?\b"
        r"|\b\d+\.\d{2,} ?(?:ns|us|µs|ms|s|sec|seconds|milliseconds)\b"
    ),
    ADDRESS: r"\b0[xX][0-9a-fA-F]{6,}\b",
    ID: (
        r"\b[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}\b"
        r"|\b(?=[0-9a-fA-F]*\d)(?=[0-9a-fA-F]*[a-fA-F])[0-9a-fA-F]{8,64}\b"
        r"|(?<![\w-])(?=[\w-]*\d)(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{10,64}(?![\w-])"
        r"|\b(?:[Ss]ession|SESSION|[Pp]id|PID)\b[ :=#_-]*(?=[\w-]*\d)[\w-]+"
        r"|\b(?:session|run|request|trace|connection|instance|process|worker|client)(?:[ _-]?id)? ?[:=#_-] ?"
        r"(?=[\w-]*\d)[\w-]+"
    ),
}
"""What a token looks like, by what it is."""
STRICT = {kind: re.compile(pattern) for kind, pattern in PATTERNS.items()}
CHANCE = r"\b[0-9a-fA-F]{8,64}\b|(?<![\w-])(?=[\w-]*[A-Z])(?=[\w-]*[a-z])[\w-]{10,64}(?![\w-])"
"""Tokens that only chance keeps from looking like an id: a hexadecimal number without a letter."""
ANY = "|".join([*PATTERNS.values(), CHANCE])
BY_CHANCE = "a random id, by chance"
MASKS = {**PATTERNS, BY_CHANCE: f"{PATTERNS[ID]}|{CHANCE}", "several": ANY}
"""What is left out of a text, from the least on."""
LOOSE = {name: re.compile(pattern) for name, pattern in MASKS.items()}
TOKEN = re.compile("|".join(PATTERNS.values()))
NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
INDEX = re.compile(r"\[\d+\]")
OWN_NAMES = re.compile(
    r"(?:.*_)?(?:pid|ppid|uuid|guid|nonce|(?:session|run|request|trace|span|connection|instance|process|thread|"
    r"worker|client|correlation|episode|rollout|message|event)_?id)",
    re.IGNORECASE,
)
"""Names of ids that an environment draws for itself, whatever they hold."""
ID_NAMES = re.compile(r"(?:.*_)?(?:id|token|hash|ref|handle|key|address|addr)", re.IGNORECASE)
"""Names of ids that may as well be the task's: they have to be long."""
COUNTERS = re.compile(
    r"(?:.*_)?(?:episodes?|(?:episode|run|session|reset|game|request)s?_?"
    r"(?:no|nr|num|number|count|counter|index|idx|total|played|served|started)|resets)",
    re.IGNORECASE,
)
"""Names of what a process counts over all its episodes, where it grows from each to the next."""
SPANS = re.compile(
    r"(?:.*_)?(?:elapsed|latency|took|uptime|runtime|perf|cpu)(?:_.*)?", re.IGNORECASE
)
UNITS = (1.0, 1e3, 1e6, 1e9)
LONG_ID, LONG_NUMBER = 6, 10_000
NEAR_S = 7 * 86_400
ADDRESSES, ALIGNED = (1 << 32, 1 << 48), 16
FEWEST = 4


@dataclass(frozen=True, slots=True)
class Sample:
    """What one flight answered at one step.

    Attributes:
        process: Which process it was flown in.
        at: When, by a clock that goes on.
        step: The step; 0 is the reset.
        answer: What may hold something volatile: the observation and the state.
    """

    process: int
    at: float
    step: int
    answer: Mapping[str, Observation | State | None]


@dataclass(frozen=True, slots=True)
class Volatile:
    """A place that holds something volatile.

    Attributes:
        kind: What it looks like, in words.
        mask: Which tokens of a text are left out, one of :data:`MASKS`; None for none.
        columns: Which numbers of a text are left out, by their place among its numbers; None for all that it holds.
        values: Two of its values, in repetitions of one episode.
    """

    kind: str
    mask: str | None = None
    columns: tuple[int, ...] | None = None
    values: tuple[Any, Any] = (None, None)


NOTHING: Mapping[str, Volatile] = MappingProxyType({})
Point = tuple[int, float, Any]
"""A process, when it was, and a value."""


def place(path: str) -> str:
    """A path without places in lists and without tokens in keys: where all the like are."""
    return TOKEN.sub("<>", INDEX.sub("[]", path))


def keys_of(value: Mapping[Any, Any]) -> str:
    """The keys of an object as a text, in their order."""
    return " ".join(map(str, value))


def calm(value: Any, found: Volatile) -> Any:
    """A value without what is volatile in it."""
    if isinstance(value, str) and found.mask is not None:
        return LOOSE[found.mask].sub("<>", value)
    if isinstance(value, str) and (columns := found.columns) is not None:
        numbers = count()
        return NUMBER.sub(lambda m: "#" if next(numbers) in columns else m[0], value)
    return "volatile" if isinstance(value, str | int | float) else value


def calmed(value: Any, path: str, volatile: Mapping[str, Volatile]) -> Any:
    """A JSON value without what is volatile in it, at any depth.

    Args:
        value: It.
        path: Where it stands, such as ``observation``.
        volatile: What is volatile, by :func:`place`.
    """
    if not volatile:
        return value
    if isinstance(value, Mapping):
        keys = volatile.get(place(path) + KEYS)
        held = {key: calmed(inner, f"{path}.{key}", volatile) for key, inner in value.items()}
        if keys is None:
            return held
        # Keys that differ by chance alone are told apart by their order.
        return {f"{n} {calm(key, keys)}": inner for n, (key, inner) in enumerate(held.items())}
    if isinstance(value, list):
        return [calmed(inner, f"{path}[{n}]", volatile) for n, inner in enumerate(value)]
    found = volatile.get(place(path))
    return value if found is None else calm(value, found)


def volatile_in(contract: ContractReport, task: TaskOptions) -> dict[str, Volatile]:
    """What a map says is volatile in a task.

    Args:
        contract: The map.
        task: Reset options; a seed tells no tasks apart here.
    """
    wanted = {name: value for name, value in task.items() if name != "seed"}
    return {
        each.path: Volatile(each.kind, each.mask, each.columns)
        for each in contract.volatile
        if {name: value for name, value in each.task.items() if name != "seed"} == wanted
    }


def volatile_fields(samples: Sequence[Sample], *, counting: bool = False) -> dict[str, Volatile]:
    """The places that differ between repetitions of one episode, and in nothing but tokens; by :func:`place`.

    Args:
        samples: Answers of flights by one seed and the same actions.
        counting: Whether a whole number that grows from each episode to the next, in two processes alike, is a count,
            whatever its name.
    """
    points: dict[tuple[int, str], list[Point]] = defaultdict(list)
    for sample in samples:
        for path, value in leaves(sample.answer, ""):
            points[sample.step, path].append((sample.process, sample.at, value))
    differing = {
        key: here for key, here in points.items() if any(value != here[0][2] for *_, value in here)
    }
    judged = {key: judge(key[1], here, counting=counting) for key, here in differing.items()}
    # The same id under another name is the same id.
    same = {
        (key[0], tuple(differing[key])): known
        for key, known in judged.items()
        if known is not None and known.kind == ID and isinstance(differing[key][0][2], str)
    }
    found: dict[str, Volatile] = {}
    solid: set[str] = set()
    for (step, path), here in differing.items():
        known = judged[step, path] or same.get((step, tuple(here)))
        first = here[0][2]
        if known is None:
            solid.add(place(path))
        else:
            other = next(value for *_, value in here if value != first)
            found.setdefault(place(path), replace(known, values=(first, other)))
    return {path: known for path, known in found.items() if path not in solid}


def leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Every value that is no object and no list, by its path; the keys of each object as one more."""
    if isinstance(value, Mapping):
        yield f"{path}{KEYS}", keys_of(value)
        for key, inner in value.items():
            yield from leaves(inner, f"{path}.{TOKEN.sub('<>', str(key))}".lstrip("."))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from leaves(inner, f"{path}[{number}]")
    else:
        yield path, value


def judge(path: str, points: Sequence[Point], *, counting: bool = False) -> Volatile | None:
    """What is volatile in the values of a place; None where something else differs.

    Args:
        path: The place.
        points: Its values.
        counting: As for :func:`volatile_fields`.
    """
    name = INDEX.sub("", path).rpartition(".")[2]
    values = [value for _, _, value in points]
    if all(isinstance(value, str) for value in values):
        return judge_texts(name, values, points, counting=counting)
    if all(isinstance(value, int | float) and not isinstance(value, bool) for value in values):
        kind = judge_numbers(name, points) or (
            COUNTER if counting and goes_on_alike(points) else None
        )
        return None if kind is None else Volatile(kind)
    return None


def judge_texts(
    name: str, values: Sequence[str], points: Sequence[Point], *, counting: bool
) -> Volatile | None:
    """As :func:`judge`, of texts."""
    looks = next((kind for kind, seen in STRICT.items() if any(map(seen.search, values))), None)
    for mask, pattern in LOOSE.items():
        if looks is not None and len({pattern.sub("<>", value) for value in values}) == 1:
            # The next id of eight hexadecimal digits may have no letter, as one of forty-three has none.
            return Volatile(mask if mask in STRICT else looks, BY_CHANCE if mask == ID else mask)
    if all(re.fullmatch(r"\S+", value) for value in values):
        long = all(len(value) >= LONG_ID and re.search(r"\d", value) for value in values)
        if OWN_NAMES.fullmatch(name) or (long and ID_NAMES.fullmatch(name)):
            return Volatile(ID)
    if len({NUMBER.sub("#", value) for value in values}) == 1:
        columns = list(zip(*(map(float, NUMBER.findall(value)) for value in values), strict=True))
        differing = tuple(n for n, column in enumerate(columns) if len(set(column)) > 1)
        told = [[(p, at, columns[n][i]) for i, (p, at, _) in enumerate(points)] for n in differing]
        if all(map(goes_with_the_clock, told)):
            return Volatile(CLOCK, columns=differing)
        if counting and all(map(goes_on_alike, told)):
            return Volatile(COUNTER, columns=differing)
    return None


def judge_numbers(name: str, points: Sequence[Point]) -> str | None:
    """As :func:`judge`, of numbers; the kind alone."""
    values = [float(value) for _, _, value in points]
    now = time.time()
    if any(all(abs(value / unit - now) < NEAR_S for value in values) for unit in UNITS):
        return CLOCK
    if goes_with_the_clock(points) or is_span(name, values):
        return CLOCK
    if OWN_NAMES.fullmatch(name):
        return ID
    if COUNTERS.fullmatch(name) and goes_on(points):
        return COUNTER
    if all(ADDRESSES[0] <= value < ADDRESSES[1] and value % ALIGNED == 0 for value in values):
        return ADDRESS
    return ID if ID_NAMES.fullmatch(name) and min(values) >= LONG_NUMBER else None


def by_process(points: Sequence[Point]) -> list[list[tuple[float, float]]]:
    """When each process showed which number, in the order of time."""
    groups: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for process, at, value in points:
        groups[process].append((at, float(value)))
    return [sorted(group) for group in groups.values()]


def goes_with_the_clock(points: Sequence[Point]) -> bool:
    """Whether numbers grow as time does, in each process, and are others in another: a counter is neither."""
    series = by_process(points)
    if any([v for _, v in a] == [v for _, v in b] for a, b in pairwise(series)):
        return False
    return all(map(is_timed, series))


def goes_on(points: Sequence[Point]) -> bool:
    """Whether whole numbers grow from each episode to the next, as what counts them does.

    An instance counts its own: in a new one it begins as the first did.
    """
    series = [[value for _, value in group] for group in by_process(points)]
    pairs = [(a, b, values[0]) for values in series for a, b in pairwise(values)]
    return (
        all(a < b or b == begun for a, b, begun in pairs)
        and any(a < b for a, b, _ in pairs)
        and max(map(len, series)) >= FEWEST
        and all(float(v).is_integer() for _, _, v in points)
    )


def goes_on_alike(points: Sequence[Point]) -> bool:
    """The same where two processes count alike, which no chance does."""
    one, *others = [[value for _, value in group] for group in by_process(points)]
    return bool(others) and all(other == one for other in others) and goes_on(points)


def is_timed(series: Sequence[tuple[float, float]]) -> bool:
    """Whether each value is above the one before, by what a clock of some unit makes of the time between."""
    passed = series[-1][0] - series[0][0]
    grown = series[-1][1] - series[0][1]
    if len(series) < FEWEST or passed <= 0 or any(b <= a for (_, a), (_, b) in pairwise(series)):
        return False
    whole = all(value == int(value) for _, value in series)
    if whole and min(value for _, value in series) < LONG_NUMBER:
        return False
    return any(0.01 * unit <= grown / passed <= 2 * unit for unit in UNITS)


def is_span(name: str, values: Sequence[float]) -> bool:
    """Whether numbers are how long something took, by their name."""
    return bool(SPANS.fullmatch(name)) and min(values) >= 0
