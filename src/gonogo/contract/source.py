"""An environment's source, parsed and never run: where it decides the end and the reward.

A *place* is a file and a line with its text; which places matter is
told by names (``done``, ``reward``, ``score``, a rubric's ``forward``), so the list may hold too much or
too little: it says where to look, and running the environment decides.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

from gonogo.contract.syntax import (
    KEPT_FILES,
    Function,
    assignments,
    is_self,
    names_in,
    nodes_of,
    text_items,
)
from gonogo.folder import read_text, walk
from gonogo.records.contract import MethodCode, SourcePlace
from gonogo.records.inspection import CodePlace

ENDS = re.compile(r"_?(is_|episode_)?(done|terminated|truncated|finished|game_over)")
REWARDS = re.compile(r"_?([a-z]+_)*(rewards?|scores?)(_[a-z]+)*")
SKIPPED = frozenset({"tests", "test", "validation", "examples", "build", "dist", "plots", "runs"})
MAX_FILES = 400
MAX_BYTES = 1_000_000
MOST = 20
SHOWN_CHARS = 140


@dataclass(frozen=True)
class File:
    """A parsed file: its name for a reader, its lines, its tree."""

    name: str
    lines: Sequence[str]
    tree: ast.Module

    @cached_property
    def statements(self) -> list[tuple[ast.stmt, str, ast.expr | None]]:
        """What :func:`statements` finds in it."""
        return list(statements(self.tree))

    def place(
        self, node: ast.stmt | ast.expr | ast.keyword, inside: str, when: ast.expr | None = None
    ) -> SourcePlace:
        """A node's place."""
        return SourcePlace(
            file=self.name,
            line=node.lineno,
            inside=inside,
            text=" ".join(self.lines[node.lineno - 1].split())[:SHOWN_CHARS],
            when=None if when is None else ast.unparse(when)[:SHOWN_CHARS] or None,
        )


class Source:
    """The source of one environment.

    Args:
        files: Parsed files by path; the environment class's own comes first.
    """

    def __init__(self, files: Mapping[Path, File]) -> None:
        self.files = files

    def __bool__(self) -> bool:
        return bool(self.files)

    def ends(self) -> list[SourcePlace]:
        """Where the end of an episode is decided."""
        return self._sites(ENDS)

    def rewards(self) -> list[SourcePlace]:
        """Where the reward is computed: assignments and arguments of that name, and rubrics."""
        rubrics = [place for file in self.files.values() for place in rubric_places(file)]
        return [*rubrics, *self._sites(REWARDS)][:MOST]

    def key(self, name: str) -> SourcePlace | None:
        """Where a field of a breakdown is written: a dictionary key, an argument or an attribute of its name."""
        for file in self.files.values():
            for node, inside, _ in file.statements:
                for inner in () if isinstance(node, Function) else ast.walk(node):
                    written = written_key(inner, name)
                    if written is not None:
                        return file.place(written, inside)
        return None

    def method(self, place: CodePlace) -> MethodCode | None:
        """What a method says and touches: its docstring's first line, and the attributes it sets.

        Methods of the same class that it calls count as part of it. A route's function sets what its module holds.
        """
        found = self.function(place)
        if found is None or place.line is None:
            return None
        cls, function = found
        sets = globals_set(function) if cls is None else attributes_set(cls, function.name, set())
        return MethodCode(
            file=self.name_of(place.file),
            line=place.line,
            doc=(ast.get_docstring(function) or "").partition("\n")[0],
            sets=tuple(sorted(sets)),
        )

    def function(self, place: CodePlace) -> tuple[ast.ClassDef | None, Function] | None:
        """The method that begins at a line, after its class, which a function has not; None where none is known to."""
        file = self.files.get(Path(place.file)) if place.file else None
        if file is None:
            return None
        methods = [(cls, node) for cls in self._classes(place.file) for node in cls.body]
        functions = [(None, node) for node in nodes_of(file.tree)]
        for cls, node in [*methods, *functions]:
            if isinstance(node, Function) and first_line(node) == place.line:
                return cls, node
        return None

    def cls(self, place: CodePlace) -> ast.ClassDef | None:
        """The class that begins at a line; None where none is known to."""
        classes = self._classes(place.file)
        return next((cls for cls in classes if first_line(cls) == place.line), None)

    def comments(self, place: CodePlace) -> list[str]:
        """The comments of the class that begins at a line, without what stands before them."""
        cls = self.cls(place)
        if cls is None:
            return []
        lines = self.files[Path(place.file or "")].lines[cls.lineno - 1 : cls.end_lineno]
        return [line.partition("#")[2].strip() for line in lines if "#" in line]

    def trees_of(self, places: Iterable[CodePlace]) -> list[ast.Module]:
        """The trees of the files that some places are in, each once."""
        paths = dict.fromkeys(Path(place.file) for place in places if place.file)
        return [self.files[path].tree for path in paths if path in self.files]

    def reads_from_outside(self, name: str) -> bool:
        """Whether any code reads an attribute of this name of something else than ``self``."""
        return any(
            isinstance(node, ast.Attribute)
            and node.attr == name
            and isinstance(node.ctx, ast.Load)
            and not is_self(node.value)
            for file in self.files.values()
            for node in nodes_of(file.tree)
        )

    def name_of(self, file: str | None) -> str | None:
        """A file's name for a reader."""
        if file is None:
            return None
        found = self.files.get(Path(file))
        return name_below(Path(file), None) if found is None else found.name

    def _classes(self, file: str | None) -> Iterator[ast.ClassDef]:
        """The classes of a file; none where it is not known."""
        found = None if file is None else self.files.get(Path(file))
        nodes = iter(()) if found is None else ast.walk(found.tree)
        return (node for node in nodes if isinstance(node, ast.ClassDef))

    def _sites(self, wanted: re.Pattern[str]) -> list[SourcePlace]:
        """Places where something of a wanted name gets a value; constants only where there is nothing else."""
        decided: list[SourcePlace] = []
        keyed: list[SourcePlace] = []
        constant: list[SourcePlace] = []
        for file in self.files.values():
            for node, inside, when in file.statements:
                value = wanted_value(node, wanted)
                if value is None:
                    keyed += [file.place(each, inside, when) for each in keyed_values(node, wanted)]
                    continue
                fixed = isinstance(value, ast.Constant) and not value.value
                (constant if fixed else decided).append(file.place(value, inside, when))
        return distinct_places(decided or keyed or constant)[:MOST]


def read_source(folder: Path | None, first: Sequence[Path]) -> Source:
    """Parse an environment's source.

    Args:
        folder: The environment's folder; None where only single files are known.
        first: Files that are read in any case, before the others.
    """
    paths = list(dict.fromkeys([*first, *(files_of(folder) if folder is not None else ())]))
    files = {}
    for path in paths[:MAX_FILES]:
        parsed = parse(path, name_below(path, folder))
        if parsed is not None:
            files[path] = parsed
    return Source(files)


def name_below(path: Path, folder: Path | None) -> str:
    """A file's name for a reader, without what only this machine has.

    Below the environment's folder it is relative to that; else to the working directory, or where Python imports it
    from, whichever is nearer. A file that lies nowhere there keeps its whole path.
    """
    if folder is not None and path.is_relative_to(folder):
        return path.relative_to(folder).as_posix()
    roots = [Path.cwd(), *(Path(entry) for entry in sys.path if entry)]
    names = [path.relative_to(root).as_posix() for root in roots if path.is_relative_to(root)]
    return min(names, key=len, default=path.as_posix())


def files_of(folder: Path) -> Iterator[Path]:
    """Python files of an environment; not its tests, its client, or what is hidden."""
    found = walk(folder, lambda name: name.startswith(".") or name in SKIPPED)
    for path in found.files:
        if path.suffix == ".py" and path.name not in {"client.py", "conftest.py", "setup.py"}:
            yield path


def parse(path: Path, name: str) -> File | None:
    """A parsed file, or None where it is no readable Python."""
    try:
        text = read_text(path, most=MAX_BYTES)
        return File(name, text.splitlines(), parsed(path, text))
    except (OSError, ValueError, SyntaxError, RecursionError, MemoryError):
        return None


@lru_cache(KEPT_FILES)
def parsed(path: Path, text: str) -> ast.Module:
    """The tree of a file's text, which nobody changes; another file of the same text has its own nodes."""
    return ast.parse(text)


def statements(tree: ast.Module) -> Iterator[tuple[ast.stmt, str, ast.expr | None]]:
    """Every function and every statement in one, with the function's name and the condition it stands under.

    What stands in a class but in no function, such as a model's fields, gives nothing a value.
    """
    waiting: list[tuple[ast.AST, str, bool, ast.expr | None]] = [(tree, "", False, None)]
    while waiting:
        node, label, flows, when = waiting.pop()
        if isinstance(node, Function) or (isinstance(node, ast.stmt) and flows):
            yield node, label, when
        if isinstance(node, ast.ClassDef | Function):
            label, flows = f"{label}.{node.name}".strip("."), isinstance(node, Function)
        under = node.test if isinstance(node, ast.If) else None
        within = {id(child) for child in node.body} if isinstance(node, ast.If) else frozenset()
        for child in reversed(list(ast.iter_child_nodes(node))):
            if not isinstance(child, ast.expr):  # no expression holds a statement
                waiting.append((child, label, flows, under if id(child) in within else when))


def wanted_value(node: ast.stmt, wanted: re.Pattern[str]) -> ast.expr | None:
    """The value that a statement gives to something of a wanted name, or None."""
    if isinstance(node, Function) and wanted.fullmatch(node.name):
        returned = [n.value for n in ast.walk(node) if isinstance(n, ast.Return) and n.value]
        return returned[-1] if returned else None
    for target, value in assignments(node, augmented=True):
        if any(wanted.fullmatch(name) for name in names_in(target)):
            return value
    if isinstance(node, ast.Assign | ast.AnnAssign | ast.Return | ast.Expr):
        for inner in ast.walk(node):
            if isinstance(inner, ast.Call):
                for keyword in inner.keywords:
                    if keyword.arg and wanted.fullmatch(keyword.arg):
                        return keyword.value
    return None


def keyed_values(node: ast.stmt, wanted: re.Pattern[str]) -> Iterator[ast.expr]:
    """The values that a statement gives to keys of a wanted name, as an answer in JSON is written."""
    if not isinstance(node, ast.Assign | ast.AnnAssign | ast.Return | ast.Expr):
        return
    for inner in ast.walk(node):
        for key, value in text_items(inner):
            if wanted.fullmatch(key) and not isinstance(value, ast.Constant):
                yield value


def written_key(node: ast.AST, name: str) -> ast.expr | ast.keyword | None:
    """The key by which a node gives a field of this name a value, or None."""
    if isinstance(node, ast.Dict):
        keys = (key for key in node.keys if isinstance(key, ast.Constant) and key.value == name)
        return next(keys, None)
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        key = node.slice
        return key if isinstance(key, ast.Constant) and key.value == name else None
    return node if isinstance(node, ast.keyword) and node.arg == name else None


def rubric_places(file: File) -> Iterator[SourcePlace]:
    """Where rubrics compute: the ``forward`` of every class whose bases sound like rubrics."""
    for cls in nodes_of(file.tree):
        if isinstance(cls, ast.ClassDef) and any("Rubric" in ast.unparse(b) for b in cls.bases):
            for function in cls.body:
                if isinstance(function, Function) and function.name == "forward":
                    yield file.place(function, f"{cls.name}.forward")


def attributes_set(cls: ast.ClassDef, method: str, seen: set[str]) -> set[str]:
    """Attributes of ``self`` that a method sets, with those that the class's methods it calls set."""
    if method in seen:
        return set()
    seen.add(method)
    out: set[str] = set()
    for function in cls.body:
        if not isinstance(function, Function) or function.name != method:
            continue
        for node in ast.walk(function):
            if not (isinstance(node, ast.Attribute) and is_of_self(node.value)):
                continue
            if isinstance(node.ctx, ast.Store):
                out.add(node.attr)
            else:
                out |= attributes_set(cls, node.attr, seen)
    return out


def globals_set(function: Function) -> set[str]:
    """Names of a module that a function of it sets, or sets something of."""
    nodes = list(ast.walk(function))
    declared = {name for node in nodes if isinstance(node, ast.Global) for name in node.names}
    stored = {n.id for n in nodes if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
    own = {n.arg for n in nodes if isinstance(n, ast.arg)} | (stored - declared)
    held = {
        node.value.id
        for node in nodes
        if isinstance(node, ast.Attribute | ast.Subscript)
        and isinstance(node.ctx, ast.Store)
        and isinstance(node.value, ast.Name)
    }
    return (declared & stored) | (held - own)


def is_of_self(node: ast.expr) -> bool:
    """Whether a node is ``self``, or an attribute of it."""
    while isinstance(node, ast.Attribute):
        node = node.value
    return is_self(node)


def first_line(node: Function | ast.ClassDef) -> int:
    """The line that Python names a function or a class by: its first decorator's, or its own."""
    return min([node.lineno, *(d.lineno for d in node.decorator_list)])


def distinct_places(places: Iterable[SourcePlace]) -> list[SourcePlace]:
    """The places in order, each line once."""
    found = {(place.file, place.line): place for place in reversed(list(places))}
    return [p for p in reversed(found.values())]
