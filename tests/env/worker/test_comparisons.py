"""What an environment's code compares is told, and the code does what it did."""

from __future__ import annotations

import ast
import asyncio
import builtins
import enum
import importlib.util
import inspect
import math
import operator
import runpy
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from contextlib import closing
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
from gonogo.env.worker.comparisons import Comparisons, OwnFiles, StepLog, install, rewritten
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
        ("startswith", "kex", "k", True, "own.py:4:11"),
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
    assert log.entries == [("==", (1,), 1, None, "own.py:1:0", 1)]
    assert compared("a == 1", a=Foreign()) == []


def test_a_step_tells_so_much_and_no_more() -> None:
    loop = "def step(n, m):\n    for i in range(n):\n        i % m == -1\n    return n == -2\n"
    assert len(entries(loop, 10_000, 10)) == 11
    log = Comparisons()
    with log.step() as counted:
        made(loop, log)["step"](20, 10)
    assert [entry[-1] for entry in counted.entries] == [2] * 10 + [1]
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


def test_code_outside_of_functions_stays_as_it_is() -> None:
    source = b"A = 1 == 2\nclass B:\n    c = A == 3\n    d: 1 < 2 = {}.get(A)\n@(lambda f: f)\ndef g(x: 1 < 2): ...\n"
    trees: list[ast.AST] = []

    def kept(tree: Any, path: str) -> CodeType:
        trees.append(tree)
        return compiled(tree, path)

    assert rewritten(source, "own.py", "own.py", kept) is not None
    assert ast.dump(trees[0]) == ast.dump(ast.parse(source))


@pytest.mark.parametrize(
    "source",
    [
        "def (",
        "x = '\0'",
        "def f(x):\n    return " + "-" * 5000 + "x == 1",
        "from numba import njit\n@njit\ndef f(x):\n    return x == 1",
        "from .fast import njit\n@njit(cache=True)\ndef f(x):\n    return x == 1",
        "import numba.core\ndef f(x):\n    return x == 1",
    ],
)
def test_a_file_that_cannot_be_changed_is_loaded_as_it_is(source: str) -> None:
    assert rewritten(source.encode(), "own.py", "own.py", compiled) is None


def test_a_file_with_a_coding_of_its_own_is_read_by_it() -> None:
    source = "# -*- coding: latin-1 -*-\ndef step(x):\n    return x == 'gr\xfcn'\n"
    log = Comparisons()
    code = rewritten(source.encode("latin-1"), "own.py", "own.py", compiled)
    assert code is not None
    module: dict[str, Any] = dict(log.names)
    exec(code, module)
    with log.step() as told:
        module["step"]("rot")
    assert told.entries == [("==", "rot", "gr\xfcn", False, "own.py:3:11", 1)]


def test_whose_a_file_is(tmp_path: Path) -> None:
    own = OwnFiles([str(tmp_path / "env"), str(tmp_path / "one.py")])
    assert own.name(str(tmp_path / "env" / "server" / "app.py")) == "server/app.py"
    assert own.name(str(tmp_path / "one.py")) == "one.py"
    for other in ("two.py", "env2/app.py", "env/.venv/lib/x.py", "env/site-packages/x.py"):
        assert own.name(str(tmp_path / other)) is None
    everything = OwnFiles(["/"])
    assert everything.name(inspect.__file__) is None
    assert everything.name(comparisons.__file__) is None


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

class Heard(Observation):
    code: list[str] = []

class Room(Environment[Say, Heard, State]):
    SUPPORTS_CONCURRENT_SESSIONS = True
    def reset(self, seed=None, episode_id=None, **kwargs: Any) -> Heard:
        self.turn = 0
        assert self.turn == 0
        return Heard(done=False, reward=None)
    def step(self, action: Say, timeout_s=None, **kwargs: Any) -> Heard:
        self.turn += 1
        if action.word in WORDS:
            raise ValueError("no such word")
        if action.word == "sesame":
            return Heard(done=True, reward=1.0)
        return Heard(done=False, reward=PRICES.get(action.word, 0.0), code=list(Room.step.__code__.co_names))
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
        "from .room import Heard, Room, Say\n"
        "app = create_app(Room, Say, Heard)\n"
    )
    (tmp_path / "server" / "__init__.py").write_text("")
    (tmp_path / "openenv.yaml").write_text("spec_version: 1\nname: room\napp: server.app:app\n")
    return tmp_path


def place(text: str, source: str) -> str:
    """Line and column of a text, as a site has them."""
    before = source[: source.index(text)]
    return f"{before.count(chr(10)) + 1}:{len(before) - before.rfind(chr(10)) - 1}"


KNOWN = ["alpha", "beta", "delta", "gamma"]
HEARD = place("action.word in", ENVIRONMENT), place('action.word == "sesame"', ENVIRONMENT)
ASKED = place("PRICES.get", ENVIRONMENT)


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
        Comparison("in", "zzqx", KNOWN, False, f"server/room.py:{HEARD[0]}"),
        Comparison("==", "zzqx", "sesame", False, f"server/room.py:{HEARD[1]}"),
        Comparison("in", "zzqx", ["pear"], False, f"server/room.py:{ASKED}"),
    )
    assert told[0][1] == (Comparison("in", "alpha", KNOWN, True, f"server/room.py:{HEARD[0]}"),)
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
        ("in", f"room.py:{HEARD[0]}"),
        ("==", f"room.py:{HEARD[1]}"),
    ]


def test_a_plain_app_s_steps_tell_what_was_compared(tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(APP)
    with closing(connect(resolve(str(tmp_path)), 1, WAITS, compare=True)) as opened:
        opened.reset({0: {}})
        site = f"app.py:{place('body.word ==', APP)}"
        assert stepped(opened).comparisons == (Comparison("==", "zzqx", "sesame", False, site),)
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
