"""A scorer of answers, before or after its fix; benchmarks/fixes.py copies this into the folder that it audits.

``pair.json`` beside this file says which scorer: the side's own sources are in ``theirs``, the mended ones wherever
``truth`` points. Success is what the mended scorer pays in full; if it refuses what the other side's data stores,
success is the stored answer, word for word. Scorers that are written for a framework which is not there get plain
objects in the place of the framework's classes.
"""

from __future__ import annotations
import __future__

import ast
import copy
import dataclasses
import importlib
import json
import sys
from collections.abc import Callable, Collection
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["SIDE", "is_right", "stored_answer"]

Json = dict[str, Any]
Score = Callable[[str, Json], float]
Entry = Callable[[int], Json]
HERE = Path(__file__).parent
PAIR: Json = json.loads((HERE / "pair.json").read_text())
SIZE = 500
FULL = 1.0
MARK = "GOLD"
EXAMPLES = ("example_correct_answer", "example_answer", "possible_answer")
"""Where a dataset stores an answer that it does not call the answer."""


@dataclasses.dataclass(frozen=True, slots=True)
class Side:
    """One side's scorer.

    Attributes:
        entries: How many questions there are.
        entry: The question of a number, with what the scorer needs to know of it.
        score: What an answer to it is paid.
    """

    entries: int
    entry: Entry
    score: Score


class Fields:
    """An object of whatever it is given, in the place of a framework's class."""

    def __init__(self, *_: Any, **fields: Any) -> None:
        self.__dict__.update(fields)

    def model_dump(self, *, exclude: Collection[str] = (), **_: Any) -> Json:
        """What it was given, without some names."""
        return {name: value for name, value in self.__dict__.items() if name not in exclude}


def dataset(tree: Path) -> Side:
    """A dataset with its own ``score_answer``, imported without what lies around it."""
    where = Path(PAIR.get("module", PAIR["file"])).with_suffix("").parts
    for depth in range(1, len(where)):
        name = ".".join(where[:depth])
        package = ModuleType(name)
        package.__path__ = [str(tree.joinpath(*where[:depth]))]
        sys.modules[name] = package
    sys.path.insert(0, str(tree))
    module = importlib.import_module(".".join(where))
    made = getattr(module, PAIR["settings"])
    known = {each.name for each in dataclasses.fields(made)}
    given = {"seed": 0, "size": SIZE, **PAIR.get("config", {})}
    config = made(**{name: value for name, value in given.items() if name in known})
    if hasattr(config, "validate"):
        config.validate()
    data = getattr(module, PAIR["dataset"])(config)
    second = PAIR.get("second")

    def score(answer: str, entry: Json) -> float:
        return float(data.score_answer(answer, entry if second is None else entry[second]))

    sys.path.remove(str(tree))
    return Side(SIZE, remembered(lambda number: dict(data[number])), score)


def remembered(entry: Entry) -> Entry:
    """The same questions without making one again that came out the same twice running: some take a second to make.

    A question that differs the second time is made anew each time, so that a dataset that gives others still does.
    """
    made: dict[int, Json] = {}
    same: set[int] = set()
    unsteady: set[int] = set()

    def known(number: int) -> Json:
        if number in same:
            return copy.deepcopy(made[number])
        new = entry(number)
        if number in unsteady:
            return new
        if number in made:
            (same if made[number] == new else unsteady).add(number)
        # Kept apart, because who gets it may change it.
        made[number] = copy.deepcopy(new)
        return new

    return known


def names(tree: Path) -> Json:
    """What the pair's files define, each statement for itself: what needs a framework gets plain objects."""
    space: Json = {"Fields": Fields, "__name__": "theirs"}
    for file in (*PAIR.get("with", ()), PAIR["file"]):
        for node in ast.parse((tree / file).read_text()).body:
            code = compile(
                ast.Module([node], []),
                file,
                "exec",
                __future__.annotations.compiler_flag,
                dont_inherit=True,
            )
            try:
                exec(code, space)
            except ImportError:
                assert isinstance(node, ast.Import | ast.ImportFrom)
                for each in node.names:
                    space.setdefault((each.asname or each.name).partition(".")[0], Fields)
            except (NameError, AttributeError, TypeError):
                if isinstance(node, ast.FunctionDef | ast.ClassDef):
                    raise
    return space


def finished(running: Any) -> Any:
    """What a coroutine returns that waits for nothing."""
    try:
        running.send(None)
    except StopIteration as end:
        return end.value
    raise RuntimeError("the scorer waits for something")


def verifier(tree: Path) -> Side:
    """A server's ``verify``, given the question as a request and the answer as the response."""
    server = names(tree)[PAIR["server"]](config=Fields(grading_mode=None))

    def score(answer: str, entry: Json) -> float:
        said = Fields(type="output_text", text=answer)
        message = Fields(type="message", role="assistant", content=[said])
        asked = Fields(input=[Fields(role="user", content=entry["question"])])
        body = {
            "template_metadata": None,
            "expected_answer": entry["gold"],
            "expected_result": entry["gold"],
            "verifier_metadata": None,
        }
        body |= {"response": Fields(output=[message], output_text=answer)}
        body |= {name: value for name, value in entry.items() if name not in {"gold", "question"}}
        return float(finished(server.verify(Fields(**body, responses_create_params=asked))).reward)

    return Side(len(PAIR["questions"]), lambda number: dict(PAIR["questions"][number]), score)


def expression(tree: Path) -> Side:
    """The pair's expression over the names of its files, with ``answer`` and ``gold``."""
    space, code = names(tree), compile(PAIR["score"], "score", "eval")

    def score(answer: str, entry: Json) -> float:
        return float(eval(code, {**space, "answer": answer, "gold": entry["gold"]}))

    return Side(len(PAIR["questions"]), lambda number: dict(PAIR["questions"][number]), score)


DRIVERS = {"dataset": dataset, "verify": verifier, "expression": expression}


def loaded(tree: Path) -> Side:
    """A side's scorer; its modules are forgotten, so that the other side's can be imported."""
    before = set(sys.modules)
    side = DRIVERS[PAIR["driver"]](tree)
    top = Path(PAIR["file"]).parts[0]
    for name in set(sys.modules) - before:
        if name.partition(".")[0] == top:
            del sys.modules[name]
    return side


SIDE = loaded(HERE / "theirs")
TRUTH = loaded(Path(PAIR["truth"])) if PAIR["truth"] else SIDE


def stored_answer(entry: Json) -> str | None:
    """The answer that the side's own data holds, in the form that is asked for; None where it holds none."""
    if "gold" in entry:
        return str(PAIR["answer"]).replace(MARK, entry["gold"])
    if entry["answer"] is not None:
        return as_text(entry["answer"])
    told = entry.get("metadata") or {}
    example = next((told[name] for name in EXAMPLES if name in told), None)
    return example if example is None or isinstance(example, str) else json.dumps(example)


def as_text(answer: Any) -> str:
    """An answer as a reply has it: a grid, which is a tuple of rows, as lines of its cells."""
    if isinstance(answer, tuple) and answer and all(isinstance(row, tuple) for row in answer):
        return "\n".join(" ".join(map(str, row)) for row in answer)
    return str(answer)


def full(answer: str, entry: Json) -> bool:
    """Whether the mended scorer pays an answer in full; where it raises, so does the step, on either side."""
    return TRUTH.score(answer, entry) >= FULL


def is_right(answer: str, entry: Json) -> bool:
    """Whether the mended scorer pays an answer in full; word for word where it refuses what is stored."""
    stored = stored_answer(entry)
    if stored is None or full(stored, entry):
        return full(answer, entry)
    return answer == stored
