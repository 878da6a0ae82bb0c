"""What an environment's code compares is told, and the code does what it did."""

from __future__ import annotations

import asyncio
import builtins
import contextlib
import difflib
import enum
import importlib.util
import inspect
import math
import operator
import re
import runpy
import sys
import threading
import traceback
import warnings
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from contextlib import closing
from copy import deepcopy
from functools import partial
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gonogo.config import RolloutConfig
from gonogo.env.environment import Env, connect
from gonogo.env.target import resolve
from gonogo.env.worker import comparisons
from gonogo.env.worker.comparisons import Comparisons, StepLog, install
from gonogo.env.worker.rewriting import rewritten
from gonogo.rollouts.types import Comparison, Inspection, Transition

WAITS = RolloutConfig(startup_s=60, timeout_s=20)
OPERATORS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
    "in": lambda left, right: left in right,
    "not in": lambda left, right: left not in right,
}


def compiled(tree: Any, path: str) -> CodeType:
    code: CodeType = compile(tree, path, "exec", dont_inherit=True)
    return code


def made(source: str, log: Comparisons | None = None) -> dict[str, Any]:
    """What a file defines, as it would be loaded; as it is where there is no log."""
    code = rewritten(source.encode(), "own.py", "own.py", compiled) if log else None
    assert (code is None) == (log is None)
    module: dict[str, Any] = {"__name__": "own", **(log.names if log else {})}
    exec(code or compile(source, "own.py", "exec", dont_inherit=True), module)
    return module


RAISED = (AssertionError, AttributeError, LookupError, NameError, TypeError, ValueError)


def result_of(call: Callable[[], Any]) -> tuple[Any, ...]:
    """What a call gives, or raises, so that it can be compared."""
    try:
        given = call()
    except RAISED as error:
        return (
            type(error),
            str(error),
            [f.lineno for f in traceback.extract_tb(error.__traceback__)][-1],
        )
    return type(given), repr(given)


def entries(source: str, *arguments: Any) -> list[tuple[Any, ...]]:
    """What a file's function ``step`` compares, without how often."""
    log = Comparisons()
    step = made(source, log)["step"]
    with log.step() as told:
        step(*arguments)
    return [entry[:5] for entry in told.entries]


def compared(expression: str, **names: Any) -> list[tuple[Any, ...]]:
    """Operator, sides and result of each comparison of an expression of some names."""
    found = entries(f"def step({', '.join(names)}):\n    return {expression}\n", *names.values())
    return [entry[:4] for entry in found]


class Label(enum.Enum):
    """Members that stand for texts."""

    EMPTY = "empty"
    FOX = "fox"


def test_a_member_of_an_enumeration_that_is_another_is_equal_to_it() -> None:
    assert compared("a is b", a=Label.EMPTY, b=Label.FOX) == [("==", "empty", "fox", False)]
    assert compared("a is not b", a=Label.FOX, b=Label.FOX) == [("!=", "fox", "fox", False)]
    assert compared("a is None", a=Label.FOX) == []
    assert compared("a is b, a is not b", a=1000, b=int("1000")) == []
    assert compared("a is b", a="fox", b=Label.FOX) == []


MATCHED = """
class Label:
    FOX = "fox"

def step(word):
    match word:
        case "go" | "run":
            return 1
        case ("stop" | -1) as last:
            return last
        case Label.FOX | None | True:
            return 2
        case "fly" if word == "never":
            return 3
    match word:
        case ["go"] | {"fox": "go"} | str("go"):
            return 4
"""


def test_the_literals_of_a_match_are_compared_up_to_the_one_that_holds() -> None:
    assert inner(MATCHED, "run") == [("==", "run", "go", False), ("==", "run", "run", True)]
    literals = ["go", "run", "stop", -1, "fly"]
    assert inner(MATCHED, "zqax") == [("==", "zqax", each, False) for each in literals]
    assert inner(MATCHED, Untouchable()) == inner(MATCHED, ["go"]) == []


class Untouchable:
    """What may be compared and nothing else."""

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        raise AssertionError("a foreign repr was called")

    __str__ = __repr__


class Moody(Untouchable):
    def __eq__(self, other: object) -> bool:
        raise ValueError("not today")

    __lt__ = __contains__ = __eq__  # type: ignore[assignment]
    __hash__ = None  # type: ignore[assignment]


SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=3),
    st.binary(max_size=2),
)
OPERANDS = st.one_of(
    SCALARS,
    st.lists(SCALARS, max_size=4),
    st.lists(SCALARS, max_size=4).map(tuple),
    st.sets(SCALARS, max_size=4),
    st.dictionaries(SCALARS, SCALARS, max_size=3),
    st.builds(Moody),
    st.just(float("nan")),
    st.lists(st.floats(0, 3), max_size=3).map(np.array),
)


@settings(max_examples=300, deadline=None)
@given(left=OPERANDS, right=OPERANDS, op=st.sampled_from(sorted(OPERATORS)))
def test_a_comparison_gives_or_raises_what_it_did(left: Any, right: Any, op: str) -> None:
    source = f"def step(a, b):\n    return a {op} b\n"
    log = Comparisons()
    plain, changed = (partial(made(source, each)["step"], left, right) for each in (None, log))
    with np.errstate(all="ignore"), log.step() as told:
        assert result_of(changed) == result_of(plain)
    for entry in told.entries:
        assert entry[3] is bool(OPERATORS[op](left, right))


@settings(max_examples=200, deadline=None)
@given(
    sides=st.lists(SCALARS, min_size=3, max_size=4),
    ops=st.lists(st.sampled_from(["<", "<=", "==", "!=", ">"]), min_size=3, max_size=3),
)
def test_a_chain_works_out_as_much_as_it_did(sides: list[Any], ops: list[str]) -> None:
    chain = "s(0)" + "".join(f" {op} s({n + 1})" for n, op in enumerate(ops[: len(sides) - 1]))
    source = f"def step(s):\n    return {chain}\n"
    outcomes = []
    for log in (None, Comparisons()):
        asked: list[int] = []

        def side(n: int, asked: list[int] = asked) -> Any:
            asked.append(n)
            return sides[n]

        outcomes.append((result_of(partial(made(source, log)["step"], side)), asked))
    assert outcomes[0] == outcomes[1]


ODD = """
import asyncio

def order(say):
    return say("left") == say("right"), say(1) in say([1]), say("ab").startswith(say("a")), say({1: 2})[say(1)]

def walrus(x):
    if (n := x + 1) > 3 and 0 < (m := n) < 9:
        return n, m
    return n

def chain_walrus(x):
    return 0 < x < (y := 5) and y

def generator(x):
    got = (yield 1) == (yield 2)
    yield got, 0 < x < (yield 3)

async def awaits(x):
    async def later(value):
        await asyncio.sleep(0)
        return value
    return await later(x) == 3, 0 < x < await later(4), [y async for y in numbers() if y < x < 9]

async def numbers():
    for y in range(3):
        yield y

def run(x):
    return asyncio.run(awaits(x))

class Base:
    limit = 5
    def low(self):
        return 1

class Own(Base):
    __hidden = 3
    inner = [n for n in range(4) if n > 1]
    pick = staticmethod(lambda n: n > limit)
    def low(self):
        return super().low() < 2 and 0 < 1 < super().low() + 1, self.__hidden == 3, 1 < 2 < self.__hidden
    def names(self, x):
        y = x == 2
        return sorted(locals()), 0 < 1 < len(locals())

def nested(xs):
    found = [x for x in xs if x in [y for y in xs if y != 2]]
    return found, {x: x > 1 for x in xs}, any(0 <= x < len(xs) for x in xs), (lambda x=1 < 2: x == 1)()

def identity(x):
    return x is None, x is not None, not x == 1, -1 < x

def matched(x):
    match x:
        case {"a": 1} if x["a"] == 1:
            return "map"
        case [1, *_] if len(x) > 1:
            return "list"
        case str() as text if text.endswith("z"):
            return text
    return None

def stored(d, k):
    d[k] = 1
    d[k] += 1
    del d[k]
    d.setdefault(k, []).append(d[k] == [])
    return d

def annotated(x: int if 1 < 2 else str, *, k=1 < 2) -> dict[str, int]:
    y: list[int] = [x]
    z: "Own" if x == 1 else int
    return y, k

def formatted(x):
    return f"{x == 1} {x!r:>{4 if x > 1 else 2}} {[each for each in 'ab' if each != 'a']}"

def asserted(x):
    assert x == 1, f"{x} is not 1"

def unbound():
    return missing == 1

def typed(x):
    T = int
    return list[T], isinstance(x, dict[str, T].__origin__)
"""
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("order", (lambda value: value,)),
    *(("walrus", (n,)) for n in (1, 5)),
    *(("chain_walrus", (n,)) for n in (1, 9)),
    ("run", (3,)),
    ("nested", ([1, 2, 3],)),
    *(("identity", (n,)) for n in (1, None)),
    *(("matched", (x,)) for x in ({"a": 1}, [1, 2], "fizz", "no", 3)),
    ("stored", ({}, "k")),
    ("annotated", (1,)),
    ("formatted", (2,)),
    *(("asserted", (n,)) for n in (1, 2)),
    ("unbound", ()),
    ("typed", ({},)),
]


@pytest.mark.parametrize(("name", "arguments"), CALLS)
def test_all_that_may_stand_in_a_comparison_does_what_it_did(
    name: str, arguments: tuple[Any, ...]
) -> None:
    log = Comparisons()
    plain, changed = made(ODD), made(ODD, log)
    with log.step():
        assert result_of(partial(changed[name], *arguments)) == result_of(
            partial(plain[name], *arguments)
        )


DEEP = """
class Node:
    def __init__(self, inner):
        self.inner = inner
    def __eq__(self, other):
        mine, theirs = self.inner, other.inner
        return mine == theirs

def step(n):
    one = other = None
    for _ in range(n):
        one, other = Node(one), Node(other)
    return one == other
"""


def test_names_are_compared_in_no_function_of_ours() -> None:
    deepest = next(n for n in range(2000, 0, -1) if not isinstance(depth(n, None), str))
    assert depth(deepest, Comparisons()) is True
    source = "def step(n):\n    if n > 5:\n        x = 1\n    return 0 < n < x\n"
    with pytest.raises(UnboundLocalError, match="cannot access local variable 'x'"):
        entries(source, 3)
    source = "def step(a, b):\n    return 0 < a < b\n"
    with pytest.raises(TypeError) as caught:
        entries(source, 1, "a")
    frames = traceback.extract_tb(caught.value.__traceback__)
    assert [frame.name for frame in frames if frame.filename == "own.py"] == ["step"]


def depth(n: int, log: Comparisons | None) -> bool | str:
    """Whether two chains of so many links are equal; the name of what is raised if they are too long."""
    step: Callable[[int], bool] = made(DEEP, log)["step"]
    try:
        return step(n)
    except RecursionError as error:
        return type(error).__name__


def test_classes_and_generators_do_what_they_did() -> None:
    log = Comparisons()
    for module in (plain := made(ODD), changed := made(ODD, log)):
        own = module["Own"]()
        assert own.low() == (True, True, True)
        assert own.names(2) == (["self", "x", "y"], True)
        assert own.inner == [2, 3]
        assert own.__class__.__annotations__ == {}
        going = module["generator"](1)
        assert [next(going), going.send("a"), going.send("a"), going.send(9)] == [
            1,
            2,
            3,
            (True, True),
        ]
    assert inspect.signature(changed["annotated"]) == inspect.signature(plain["annotated"])
    for name in ("order", "generator", "run", "annotated"):
        assert changed[name].__code__.co_firstlineno == plain[name].__code__.co_firstlineno
        assert changed[name].__code__.co_varnames == plain[name].__code__.co_varnames


def test_operands_are_worked_out_once_and_in_their_order() -> None:
    said: list[Any] = []

    def say(value: Any) -> Any:
        said.append(value)
        return value

    log = Comparisons()
    with log.step():
        made(ODD, log)["order"](say)
    assert said == ["left", "right", 1, [1], "ab", "a", {1: 2}, 1]


def test_a_traceback_names_the_same_lines() -> None:
    source = "def step(a, b):\n    x = 1\n    return (x,\n        a\n        < b)\n"
    lines = []
    for log in (None, Comparisons()):
        with pytest.raises(TypeError) as caught:
            made(source, log)["step"](1, "a")
        frames = traceback.extract_tb(caught.value.__traceback__)[1:]
        lines.append({(frame.filename, frame.lineno) for frame in frames})
    assert lines[0] == lines[1] == {("own.py", 4)}


def test_both_sides_the_operator_and_the_place_are_told() -> None:
    source = "def step(word):\n    if word == 'key':\n        return 1\n    return word.startswith('k')\n"
    assert entries(source, "kex") == [
        ("==", "kex", "key", False, "own.py:2:7"),
        ("startswith", "kex", "k", True, "own.py:4:16"),
    ]


class Color(enum.StrEnum):
    RED = "red"


class Level(enum.Enum):
    LOW = 1
    NONE = None


def test_what_stands_for_a_number_or_a_text_is_told() -> None:
    assert compared("a == b", a=Color.RED, b="blue") == [("==", "red", "blue", False)]
    assert compared("a == b", a=Level.LOW, b=2.5) == [("==", 1, 2.5, False)]
    assert compared("a in b", a=3, b=range(2, 5)) == [("in", 3, (2, 3, 4), True)]
    assert compared("a in b", a=3, b=range(10**30)) == [("in", 3, tuple(range(64)), True)]
    assert compared("a not in b", a="x", b={"c": 1, "b": 2}) == [("not in", "x", ("c", "b"), True)]
    assert compared("a in b.values()", a=1, b={"c": 1, "b": 2}) == [("in", 1, (1, 2), True)]
    assert compared("a in b", a="x", b={"c", "b", 3, 1.5}) == [
        ("in", "x", (1.5, 3, "b", "c"), False)
    ]
    assert compared("a == b", a=["x", None, 1], b=("y", [])) == [("==", ("x", 1), ("y",), False)]
    assert compared("a < b", a=np.int64(3), b=np.float32(0.5)) == [("<", 3, 0.5, False)]
    assert compared("a.endswith(b)", a="abc", b=("c", "d")) == [
        ("endswith", "abc", ("c", "d"), True)
    ]
    assert compared("a in b", a=(1, 2), b={(1, 2), (3, 4)}) == []  # a place in a set of places
    assert compared("1 <= a < b", a=3, b=2) == [("<=", 1, 3, True), ("<", 3, 2, False)]


def test_a_key_that_is_not_there_is_told_with_those_that_are() -> None:
    miss = [("in", "x", ("a", "b"), False)]
    assert compared("d.get(k)", d={"a": 1, "b": 2}, k="x") == miss
    assert compared("d.get(k, 0)", d={"a": 1, "b": 2}, k="x") == miss
    assert compared("d.get(k) or d['b']", d={"a": 1, "b": 2}, k="a") == []
    source = "def step(d, k):\n    try:\n        return d[k]\n    except KeyError:\n        return None\n"
    assert [entry[:4] for entry in entries(source, {"a": 1, "b": 2}, "x")] == miss
    assert entries(source, {"a": 1}, "a") == entries(source, [1, 2], 1) == []


class Key:
    """Has the hash of a text, and counts with what it is compared."""

    def __init__(self) -> None:
        self.times = 0

    def __hash__(self) -> int:
        return hash("x")

    def __eq__(self, other: object) -> bool:
        self.times += 1
        return False


@pytest.mark.parametrize("expression", ["d.get(k)", "d.get(k, 0)", "d[k]"])
def test_a_dictionary_is_asked_once_for_a_key(expression: str) -> None:
    source = f"def step(d, k):\n  try:\n    return {expression}\n  except KeyError as e:\n    return e.args\n"
    asked = []
    for log in (None, Comparisons()):
        step, key = made(source, log)["step"], Key()
        with contextlib.nullcontext() if log is None else log.step():
            given = step({key: 1, "a": 2}, "x")
        asked.append((given, key.times))
    assert asked[0] == asked[1]


@pytest.mark.parametrize(
    "value",
    [
        True,
        None,
        b"x",
        1j,
        math.nan,
        math.inf,
        1 << 63,
        "x" * 1001,
        "\ud800",
        [],
        [None],
        Level.NONE,
        Untouchable(),
        object(),
        type("Text", (str,), {})("x"),
        type("List", (list,), {})([1]),
        np.array([1, 2]),
    ],
    ids=lambda value: type(value).__name__,
)
def test_what_json_has_not_or_a_stranger_made_is_not_told(value: Any) -> None:
    assert compared("(a == b) is None", a=value, b=1) == []
    assert compared("(a == b) is None", a=1, b=value) == []


def test_nothing_of_a_stranger_is_called() -> None:
    class Meta(type):
        def __eq__(cls, other: object) -> bool:
            raise AssertionError("a foreign class was compared")

        __hash__ = None  # type: ignore[assignment]

    class Foreign(metaclass=Meta):
        def __getattribute__(self, name: str) -> Any:
            raise AssertionError(f"{name} was read")

        def __eq__(self, other: object) -> Any:
            return self

        __hash__ = None  # type: ignore[assignment]

    log = StepLog()
    for value in (Foreign(), [Foreign(), 1], Untouchable(), Moody()):
        log.add("==", value, 1, None, "own.py:1:0")
    assert log.entries == [("==", (1,), 1, None, "own.py:1:0", 1, (0,))]
    assert compared("a == 1", a=Foreign()) == []


def test_a_step_tells_so_much_and_no_more() -> None:
    loop = "def step(n, m):\n    for i in range(n):\n        i % m == -1\n    return n == -2\n"
    assert len(entries(loop, 10_000, 10)) == 11
    log = Comparisons()
    with log.step() as counted:
        made(loop, log)["step"](20, 10)
    assert [entry[5] for entry in counted.entries] == [2] * 10 + [1]
    assert [entry[6] for entry in counted.entries[:10]] == [(n, n + 10) for n in range(10)]
    told = entries(loop, 10_000, 10_000)
    assert len(told) == comparisons.MOST_AT_SITE + 1
    assert told[-1][:3] == ("==", 10_000, -2)  # a loop leaves room for what comes after it
    many = "def step(x):\n" + "".join(f"    x == {n}\n" for n in range(1500))
    assert len(entries(many, -1)) == comparisons.MOST_ENTRIES
    texts = "def step(x):\n" + "".join(f"    x == x[:-{n}]\n" for n in range(1, 400))
    told = entries(texts, "x" * 1000)
    assert sum(len(str(side)) for entry in told for side in entry[1:3]) <= comparisons.MOST_TEXT
    assert len(told) > 50
    assert compared("a in b", a=1, b=list(range(500))) == [("in", 1, tuple(range(64)), True)]
    assert compared("a in b", a=1, b=set(range(500))) == [("in", 1, tuple(range(64)), True)]
    assert compared("a in b", a=1, b=set(range(comparisons.MOST_SCANNED + 1))) == []


def test_numbers_are_kept_after_texts_that_fit_no_more() -> None:
    texts = "def step(x):\n" + "".join(f"    x == x[:-{n}]\n" for n in range(1, 400))
    told = entries(f"{texts}    len(x) == 3\n    'a' == 'b'\n", "x" * 1000)
    assert [each[:4] for each in told[-2:]] == [("==", 1000, 3, False), ("==", "a", "b", False)]


LOOPS = [
    "i == 1",
    "f(i) < 5",
    "0 <= f(i) < n",
    "abs(i - 5)",
    "f(i) ** 2 == {i} - {n}",
    "d.get(i)",
    "'b'.count('b')",
]


@pytest.mark.parametrize("expression", LOOPS)
def test_a_place_is_looked_at_so_often_and_no_more(
    expression: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looks: list[str] = []
    current = Comparisons._current

    def counted(self: Comparisons, site: str) -> StepLog | None:
        looks.append(site)
        return current(self, site)

    monkeypatch.setattr(Comparisons, "_current", counted)
    entries(f"def step(n, d, f):\n    for i in range(n):\n        {expression}\n", 9000, {}, int)
    assert max(Counter(looks).values()) <= comparisons.MOST_LOOKS


def inner(source: str, *arguments: Any) -> list[tuple[Any, ...]]:
    """What a file's function ``step`` compares, without where and how often."""
    return [entry[:4] for entry in entries(source, *arguments)]


TEXT = "the red fox"


@pytest.mark.parametrize(
    ("expression", "told"),
    [
        (r"re.search(r'\bred\b', a)", [("in", "red", TEXT, True)]),
        (r"re.search(r'\bre\b', a)", [("in", "re", TEXT, False)]),
        ("re.match('red', a)", [("in", "red", TEXT, False)]),
        (
            "re.fullmatch(pattern='THE red FOX', string=a, flags=re.I)",
            [("in", "THE red FOX", TEXT, True)],
        ),
        ("re.findall('o', a)", [("in", "o", TEXT, True)]),
        (
            "re.compile('(?:red|blue)').search(a)",
            [("in", "red", TEXT, True), ("in", "blue", TEXT, False)],
        ),
        (
            "re.compile('RED|q', re.I).search(a)",
            [("in", "RED", TEXT, True), ("in", "q", TEXT, False)],
        ),
        ("re.compile('the').fullmatch(a, 0, 3)", [("in", "the", TEXT, True)]),
        ("re.search(re.compile('cat'), a)", [("in", "cat", TEXT, False)]),
        ("re.search('r.d', a)", []),
        ("re.search(b'red', a.encode())", []),
        ("re.search('red', 'red' * 400)", []),
    ],
)
def test_a_literal_that_is_searched_is_told(expression: str, told: list[Any]) -> None:
    assert compared(expression, a=TEXT, re=re) == told


def test_functions_that_are_imported_by_name_are_told() -> None:
    source = """
from difflib import SequenceMatcher as Matcher
from math import isclose
from re import search as looked

def step(text):
    return looked("red", text), isclose(1, 2), Matcher(None, text, "red").ratio()

search = looked
"""
    assert inner(source, TEXT) == [
        ("in", "red", TEXT, True),
        ("==", 1, 2, False),
        ("==", TEXT, "red", False),
    ]


def test_what_a_text_or_a_list_is_searched_for_is_told() -> None:
    for method in ("count", "find", "index", "rfind", "rindex"):
        assert compared(f"a.{method}(b)", a=TEXT, b="red") == [("in", "red", TEXT, True)]
    assert compared("a.count(b)", a=TEXT, b="cat") == [("in", "cat", TEXT, False)]
    assert compared("a.find(b, 6)", a=TEXT, b="red") == [("in", "red", TEXT, False)]
    assert compared("a.count(b)", a=[1, "x"], b="x") == [("in", "x", (1, "x"), True)]
    assert compared("a.count(b)", a=(1, None), b=2) == [("in", 2, (1,), False)]
    assert compared("a.index(b, 1)", a=deque([1, 2]), b=2) == [("in", 2, (1, 2), None)]
    assert compared("a.count(b)", a=[1, Untouchable()], b=1) == [("in", 1, (1,), None)]
    assert compared("a.count(b)", a=[Untouchable()], b=Untouchable()) == []
    assert compared("a.count(b)", a=b"xx", b=b"x") == compared("a.count()", a=Calls()) == []
    source = "def step(a):\n    try:\n        a.index('z')\n    except ValueError:\n        a.find('z')\n"
    assert inner(source, TEXT) == [("in", "z", TEXT, False)] * 2


class Calls:
    def count(self, *given: Any, **named: Any) -> Any:
        return given, named

    get = search = isclose = intersection = index = count
    find = None


@pytest.mark.parametrize(
    ("expression", "held"),
    [
        ("a & b", False),
        ("a - b", False),
        ("a ^ b", False),
        ("a & (b | {'x'})", True),
        ("a.intersection(b)", False),
        ("a.difference(list(b))", False),
        ("a.symmetric_difference(tuple(b))", False),
        ("a.issubset(['y', 'x', 'x'])", True),
        ("frozenset(a).issuperset(b)", False),
        ("a.isdisjoint(dict.fromkeys(b))", None),
        ("dict.fromkeys(a).keys() - b", False),
        ("dict.fromkeys(b).keys().isdisjoint(a)", False),
        ("a - {'y', 'x'}", True),
    ],
)
def test_two_sets_are_told(expression: str, held: bool | None) -> None:
    told = compared(expression, a={"x", "y"}, b={"y"})
    assert [(entry[0], entry[3]) for entry in told] == ([] if held is None else [("==", held)])


def test_sets_are_equal_by_what_is_told_of_them() -> None:
    assert compared("a & b", a={"x", "y"}, b={"y"}) == [("==", ("x", "y"), ("y",), False)]
    assert compared("a & b", a={1, None}, b={1}) == [("==", (1,), (1,), None)]
    assert compared("a & b", a=set(range(99)), b={1}) == [("==", tuple(range(64)), (1,), None)]
    assert compared("a & b", a=set(), b={1}) == compared("a - b", a=3, b=1) == []
    assert compared("a.union(b)", a={1}, b={2}) == compared("a | b", a={1}, b={2}) == []
    assert compared("a & b", a=Counter("aab"), b=Counter("ab")) == []


@pytest.mark.parametrize(
    "expression",
    ["abs(a - b)", "m.fabs(a - b)", "(a - b) ** 2", "m.isclose(a, b)"],
)
def test_two_numbers_are_told_where_their_difference_is_measured(expression: str) -> None:
    assert compared(expression, a=3, b=1.5, m=math) == [("==", 3, 1.5, False)]
    assert compared(expression, a=np.float64(2), b=2, m=math) == [("==", 2, 2, True)]
    assert compared("a - b, a - 1, -(a - b), (a - b) ** 3", a=3, b=1) == []
    assert compared("abs(a - b)", a=np.array([1, 2]), b=1) == []
    assert compared("m.isclose(a, b, rel_tol=0.5)", a=3, b=2, m=math) == [("==", 3, 2, True)]
    assert compared("m.isclose(a, b=b)", a=3, b=2, m=Calls()) == []
    assert compared("abs(a - b)", a={1}, b={2}, abs=len) == []


def test_what_is_matched_in_sequence_is_told() -> None:
    names = {"d": difflib, "a": "fox", "b": "fix"}
    assert compared("d.SequenceMatcher(None, a, b).ratio()", **names) == [
        ("==", "fox", "fix", False)
    ]
    assert compared("d.SequenceMatcher(b=b, a=a, autojunk=False)", **names) == [
        ("==", "fox", "fix", False)
    ]
    assert compared("d.SequenceMatcher(None, [1, 2], [2, 1])", d=difflib) == [
        ("==", (1, 2), (2, 1), False)
    ]
    assert compared("d.SequenceMatcher()", d=difflib) == []


def test_what_collections_has_counts_as_what_it_is_made_of() -> None:
    kept: defaultdict[str, list[int]] = defaultdict(list, a=[1])
    assert compared("a in b", a="x", b=kept) == [("in", "x", ("a",), False)]
    assert compared("b.get(a)", a="x", b=kept) == [("in", "x", ("a",), False)]
    assert compared("a == b", a=deque([1, 2]), b=deque([1])) == [("==", (1, 2), (1,), False)]
    assert compared("a in b.keys()", a="x", b=OrderedDict(a=1)) == [("in", "x", ("a",), False)]
    assert compared("a == b", a=Counter("aab"), b=Counter("b")) == [
        ("==", ("a", "b"), ("b",), False)
    ]
    assert compared("b[a]", a="x", b=Counter("b")) == [("in", "x", ("b",), False)]
    assert list(kept) == ["a"]
    assert compared("b[a]", a="x", b=kept) == [("in", "x", ("a",), False)]
    assert list(kept) == ["a", "x"]


def test_the_order_of_a_loop_is_told() -> None:
    log = Comparisons()
    source = "def step(a, b):\n    return [x == y for x, y in zip(a, b)]\n"
    with log.step() as told:
        made(source, log)["step"]("abab", "xyxz")
    assert [(*entry[1:3], *entry[5:]) for entry in told.entries] == [
        ("a", "x", 2, (0, 2)),
        ("b", "y", 1, (1,)),
        ("b", "z", 1, (3,)),
    ]
    loop = "def step(n):\n    for i in range(n):\n        1 == 2\n"
    with log.step() as told:
        made(loop, log)["step"](2000)
    ((*_, times, at),) = told.entries
    assert (times, at) == (comparisons.MOST_LOOKS, tuple(range(comparisons.MOST_NUMBERS)))


def test_numbers_of_a_step_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(comparisons, "MOST_NUMBERED", 3)
    log = StepLog()
    for right in (1, 1, 1, 1, 2, 2):
        log.add("==", 0, right, False, "own.py:1:0")
    assert [entry[5:] for entry in log.entries] == [(4, (0, 1, 2)), (2, (4,))]


SEARCHING = """
import asyncio
import re

class Base:
    def count(self, *given, **named):
        return "base", given, named

class Own(Base):
    def count(self, *given, **named):
        y = given
        return super().count(*given, **named), super().count(1, b=2), sorted(locals()), len(given) - len(y)

    def sets(self):
        return super().count({1}) == 1, {1} & {super().count(2)[0]}

def order(say):
    return (
        say("abc").count(say("b"), say(0)),
        re.search(flags=say(0), pattern=say("b"), string=say("abc")),
        say({1}) & say({2}),
        abs(say(3) - say(2)),
    )

def walrus(x):
    if (n := x.find(m := "b")) and ((p := {n}) & {n, (q := 1)}):
        return n, m, p, q, (r := n) - r, abs((t := n) - (u := 2)), t, u
    return n

def generator(x):
    got = x.count((yield 1))
    yield got, {1} & (yield 2), x.index(b for b in x) if got else any(x.count(c) for c in x)

async def awaits(x):
    async def later(value):
        await asyncio.sleep(0)
        return value
    return (await later(x)).find(await later("b")), {1} & await later({1}), [x.count(y) async for y in letters()]

async def letters():
    for letter in "ab":
        yield letter

def run(x):
    return asyncio.run(awaits(x))

def stars(x, given, named):
    return x.count(*given), re.search(*given, x), re.search("b", x, **named)

def nested(x):
    return [y for y in x if x.count(y) - 1 == 0], {y: {y} - {"a"} for y in x}, (lambda z: z.index("b"))(x)

def several(x, y):
    x.count(y)
    x -= y
    x &= y
    return x

def matched(x):
    match x:
        case -1 - 2j:
            return "complex"
        case 1 | 2:
            return "number"
    return f"{x - x!r:>{len({1} & {1})}}"

def missing():
    return re.search("b", nothing.count("b"))

def plain(f, *given):
    return f(*given)
"""


@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("order", (lambda value: value,)),
        *(("walrus", (x,)) for x in ("abc", "b", "c")),
        *(("run", (x,)) for x in ("abc", "c")),
        ("stars", ("abc", ("b",), {"flags": 2})),
        ("stars", ("abc", (), {})),
        *(("nested", (x,)) for x in ("abc", "c")),
        ("several", (Counter("ab"), Counter("b"))),
        ("several", (Calls(), 1)),
        *(("matched", (x,)) for x in (-1 - 2j, 2, 3, {1})),
        ("missing", ()),
    ],
)
def test_calls_and_operators_do_what_they_did(name: str, arguments: tuple[Any, ...]) -> None:
    log = Comparisons()
    plain, changed = made(SEARCHING), made(SEARCHING, log)
    with log.step():
        assert result_of(partial(changed[name], *deepcopy(arguments))) == result_of(
            partial(plain[name], *deepcopy(arguments))
        )


def test_calls_in_classes_and_generators_do_what_they_did() -> None:
    log = Comparisons()
    outcomes, said = [], list[list[Any]]()
    for module in (made(SEARCHING), made(SEARCHING, log)):
        asked: list[Any] = []
        module["order"](lambda value, asked=asked: asked.append(value) or value)
        said.append(asked)
        going = module["generator"]("abc")
        outcomes.append(
            [
                module["Own"]().count(3, c=4),
                module["Own"]().sets(),
                next(going),
                going.send("z"),
                going.send({1}),
            ]
        )
    assert outcomes[0] == outcomes[1]
    assert said[0] == said[1] == ["abc", "b", 0, 0, "b", "abc", {1}, {2}, 3, 2]


EXPRESSIONS = [
    "a & b",
    "a - b",
    "a ^ b",
    "abs(a - b)",
    "(a - b) ** 2",
    "a.count(b)",
    "a.find(b)",
    "a.index(b, 0)",
    "a.get(b)",
    "a.startswith(b)",
    "a.isdisjoint(b)",
    "a.difference(b)",
    "re.search(a, b)",
    "re.match(b, a, flags=b)",
    "re.compile(a).search(b, 1)",
    "math.isclose(a, b)",
    "math.isclose(a, b, rel_tol=a)",
    "difflib.SequenceMatcher(None, a, b).ratio()",
    "c.count(a, b=b)",
    "c.find(a)",
    "c.search(function=a, self=b, site=a)",
    "c.isclose(b)",
    "c.intersection(a)",
]


@settings(max_examples=400, deadline=None)
@given(left=OPERANDS, right=OPERANDS, expression=st.sampled_from(EXPRESSIONS))
def test_a_call_gives_or_raises_what_it_did(left: Any, right: Any, expression: str) -> None:
    source = f"import difflib, math, re\ndef step(a, b, c):\n    return {expression}\n"
    log = Comparisons()
    plain, changed = (
        partial(made(source, each)["step"], left, right, Calls()) for each in (None, log)
    )
    with np.errstate(all="ignore"), warnings.catch_warnings(), log.step():
        warnings.simplefilter("ignore")
        assert same_result(changed) == same_result(plain)


def same_result(call: Callable[[], Any]) -> tuple[Any, ...]:
    """What a call gives or raises, without its line."""
    try:
        given = call()
    except (*RAISED, OverflowError, re.error, AssertionError) as error:
        return type(error), str(error)
    try:
        return type(given), repr(given)
    except AssertionError:  # a stranger
        return (type(given),)


def test_only_a_step_is_told_and_each_its_own() -> None:
    log = Comparisons()
    module = made("async def step(x, wait):\n    await wait(0)\n    return x == 'key'\n", log)

    async def asked(text: str) -> list[tuple[Any, ...]]:
        with log.step() as told:
            await module["step"](text, asyncio.sleep)
        await module["step"]("after", asyncio.sleep)
        return told.entries

    async def both() -> list[list[tuple[Any, ...]]]:
        return await asyncio.gather(asked("one"), asked("two"))

    assert [[entry[1] for entry in each] for each in asyncio.run(both())] == [["one"], ["two"]]


def test_a_thread_belongs_to_the_only_step_that_is_asked() -> None:
    log = Comparisons()
    step = made("def step(x):\n    return x == 'key'\n", log)["step"]
    with log.step() as told:
        thread = threading.Thread(target=step, args=("in a thread",))
        thread.start()
        thread.join()
    step("after")
    assert [entry[1] for entry in told.entries] == ["in a thread"]


def test_a_file_with_a_coding_of_its_own_is_read_by_it() -> None:
    source = "# -*- coding: latin-1 -*-\ndef step(x):\n    return x == 'gr\xfcn'\n"
    log = Comparisons()
    code = rewritten(source.encode("latin-1"), "own.py", "own.py", compiled)
    assert code is not None
    module: dict[str, Any] = dict(log.names)
    exec(code, module)
    with log.step() as told:
        module["step"]("rot")
    assert told.entries == [("==", "rot", "gr\xfcn", False, "own.py:3:11", 1, (0,))]


@pytest.fixture
def installed(tmp_path: Path) -> Iterator[Comparisons]:
    """Installed in this process, and undone."""
    load, path, known = SourceFileLoader.get_code, list(sys.path), set(sys.modules)
    log = install([str(tmp_path)])
    sys.path.insert(0, str(tmp_path))
    try:
        yield log
    finally:
        SourceFileLoader.get_code = load  # type: ignore[method-assign]
        sys.path[:] = path
        for name in log.names:
            delattr(builtins, name)
        for name in set(sys.modules) - known:
            del sys.modules[name]


STEP = "def step(x):\n    return x == 'key'\n"


def test_whichever_way_a_file_is_imported(installed: Comparisons, tmp_path: Path) -> None:
    package = tmp_path / "gg_own"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (package / "models.py").write_text(STEP)
    (package / "app.py").write_text("from .models import step\n")
    (tmp_path / "gg_late.py").write_text(STEP)
    relative = importlib.import_module("gg_own.app").step
    spec = importlib.util.spec_from_file_location("another_name", tmp_path / "gg_late.py")
    assert spec is not None
    assert spec.loader is not None
    by_path = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(by_path)
    run = runpy.run_module("gg_late")["step"]
    with installed.step() as told:
        for n, step in enumerate((relative, by_path.step, run)):
            step(f"x{n}")
    sites = [(entry[1], entry[4]) for entry in told.entries]
    assert sites == [
        ("x0", "gg_own/models.py:2:11"),
        ("x1", "gg_late.py:2:11"),
        ("x2", "gg_late.py:2:11"),
    ]
    assert list(tmp_path.rglob("*.pyc")) == []


def test_a_broken_file_says_what_it_did(installed: Comparisons, tmp_path: Path) -> None:
    (tmp_path / "gg_broken.py").write_text("def (\n")
    with pytest.raises(SyntaxError, match="invalid syntax") as caught:
        importlib.import_module("gg_broken")
    assert caught.value.lineno == 1


ENVIRONMENT = """
from typing import Any
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State

WORDS = {"alpha", "beta", "gamma", "delta"}
PRICES = {"pear": 3}

class Say(Action):
    word: str

class Answer(Observation):
    code: list[str] = []

class Room(Environment[Say, Answer, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True
    def reset(self, seed=None, episode_id=None, **kwargs: Any) -> Answer:
        self.turn = 0
        assert self.turn == 0
        return Answer(done=False, reward=None)
    def step(self, action: Say, timeout_s=None, **kwargs: Any) -> Answer:
        self.turn += 1
        if action.word in WORDS:
            raise ValueError("no such word")
        if action.word == "sesame":
            return Answer(done=True, reward=1.0)
        return Answer(done=False, reward=PRICES.get(action.word, 0.0), code=list(Room.step.__code__.co_names))
    @property
    def state(self) -> State:
        return State(step_count=self.turn)
"""
APP = """
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Say(BaseModel):
    word: str
@app.post("/reset")
def reset():
    return {"observation": {"ready": True}}
@app.post("/step")
def step(body: Say):
    return {"observation": {}, "reward": float(body.word == "sesame"), "done": False}
@app.post("/listen")
async def listen(body: Say):
    return {}
"""


def stepped(connection: Inspection, word: str = "zzqx") -> Transition:
    answer = connection.step({0: {"word": word}})[0]
    assert isinstance(answer, Transition)
    return answer


@pytest.fixture
def room(tmp_path: Path) -> Path:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "room.py").write_text(ENVIRONMENT)
    (tmp_path / "server" / "app.py").write_text(
        "from openenv.core.env_server.http_server import create_app\n"
        "from .room import Answer, Room, Say\n"
        "app = create_app(Room, Say, Answer)\n"
    )
    (tmp_path / "server" / "__init__.py").write_text("")
    (tmp_path / "openenv.yaml").write_text("spec_version: 1\nname: room\napp: server.app:app\n")
    return tmp_path


def place(text: str, source: str) -> str:
    """Line and column of a text, as a site has them."""
    before = source[: source.index(text)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10)) - 1}"


KNOWN = ["alpha", "beta", "delta", "gamma"]
COMPARED_AT = place("action.word in", ENVIRONMENT), place('action.word == "sesame"', ENVIRONMENT)
ASKED_AT = place("get(action", ENVIRONMENT)


def test_a_folder_s_steps_tell_what_was_compared(room: Path) -> None:
    told = []
    for seed in (1, 2):
        with closing(connect(resolve(str(room)), 2, WAITS, hash_seed=seed, compare=True)) as opened:
            began = opened.reset({0: {}, 1: {}})[0]
            assert isinstance(began, Transition)
            assert began.comparisons is None
            answers = opened.step({0: {"word": "zzqx"}, 1: {"word": "alpha"}})
            told.append([a.comparisons for a in answers.values() if isinstance(a, Transition)])
            assert stepped(opened, "sesame").done
            (refused,) = opened.step({1: {"words": 3}}).values()
            assert isinstance(refused, Transition)
            assert refused.comparisons == ()
    assert told[0] == told[1]
    assert told[0][0] == (
        Comparison("in", "zzqx", KNOWN, False, f"server/room.py:{COMPARED_AT[0]}", at=(0,)),
        Comparison("==", "zzqx", "sesame", False, f"server/room.py:{COMPARED_AT[1]}", at=(1,)),
        Comparison("in", "zzqx", ["pear"], False, f"server/room.py:{ASKED_AT}", at=(2,)),
    )
    assert told[0][1] == (
        Comparison("in", "alpha", KNOWN, True, f"server/room.py:{COMPARED_AT[0]}", at=(0,)),
    )
    assert list(room.rglob("*.pyc")) == []


def test_without_the_flag_the_code_is_the_environment_s_and_nothing_is_told(room: Path) -> None:
    seen = []
    for compare in (True, False):
        with closing(connect(resolve(str(room)), 1, WAITS, compare=compare)) as opened:
            opened.reset({0: {}})
            answer = stepped(opened)
            seen.append((answer.comparisons is None, "gonogo" in str(answer.observation["code"])))
    assert seen == [(False, True), (True, False)]


def test_lines_are_measured_beside(room: Path) -> None:
    with closing(Env(str(room), WAITS).connect(1, compare=True)) as opened:
        assert opened.cover()
        opened.reset({0: {}})
        answer = stepped(opened)
        again = stepped(opened)
    assert answer.reached
    assert again.reached == ()
    assert answer.comparisons == again.comparisons
    assert answer.comparisons


def test_an_import_path_s_steps_tell_what_was_compared(
    room: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(room)
    with closing(connect(resolve("server.room:Room"), 1, WAITS, compare=True)) as opened:
        opened.reset({0: {}})
        told = stepped(opened).comparisons
    assert told is not None
    assert [(each.op, each.site) for each in told][:2] == [
        ("in", f"room.py:{COMPARED_AT[0]}"),
        ("==", f"room.py:{COMPARED_AT[1]}"),
    ]


def test_a_plain_app_s_steps_tell_what_was_compared(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    with closing(connect(resolve(str(tmp_path)), 1, WAITS, compare=True)) as opened:
        opened.reset({0: {}})
        site = f"app.py:{place('body.word ==', APP)}"
        assert stepped(opened).comparisons == (
            Comparison("==", "zzqx", "sesame", False, site, at=(0,)),
        )
        assert stepped(opened, "sesame").reward == 1.0


def test_a_gymnasium_id_s_steps_tell_what_was_compared() -> None:
    pytest.importorskip("gymnasium")
    with closing(connect(resolve("gym:CartPole-v1"), 1, WAITS, compare=True)) as opened:
        opened.reset({0: {"seed": 1}})
        (answer,) = opened.step({0: {"action": 1}}).values()
    assert isinstance(answer, Transition)
    assert answer.comparisons
    assert ("==", 1, 1) in [each[:3] for each in answer.comparisons]
    assert all(each.site.startswith("cartpole.py:") for each in answer.comparisons)


@pytest.mark.parametrize("app", [None, APP], ids=["OpenEnv's", "with routes of its own"])
def test_a_server_s_steps_tell_nothing(
    room: Path, serve: Callable[..., str], app: str | None
) -> None:
    if app is not None:
        health = '@app.get("/health")\ndef health():\n    return {}\n'
        (room / "server" / "app.py").write_text(app + health)
    with closing(connect(resolve(serve(room)), 1, WAITS, compare=True)) as opened:
        opened.reset({0: {}})
        assert stepped(opened, "sesame").reward == 1.0
        assert stepped(opened).comparisons is None
