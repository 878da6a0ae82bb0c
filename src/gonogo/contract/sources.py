"""What an environment's folder says of the values that its actions take: its source, its README, its manifest.

Read and never run. Its tests, examples and scripts are read too: whoever wrote them knew what the environment takes.
A server's folder is elsewhere; of it there are the schemas and what it answers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from gonogo.contract.documented_pay import (
    DOCSTRING,
    MANIFEST,
    README,
    DocumentedPay,
    field_descriptions,
    manifest_texts,
)
from gonogo.contract.literals import Literals
from gonogo.contract.prose import objects_in, sentences, words_of
from gonogo.contract.source import Source, parse
from gonogo.contract.syntax import KEPT_FILES, KEPT_SOURCES, Function, nodes_of
from gonogo.env.target import FolderTarget, ImportTarget, Target, find_module
from gonogo.env.worker.openapi import ACTION, SESSION
from gonogo.folder import read_text, walk
from gonogo.records.inspection import EnvironmentCode
from gonogo.wire import Action, JsonValue, Manifest

MOST_FILES = 300
MOST_LINES = 60_000
MOST_VERBS = 60
NAMED_BY = ("type", "name", "id", "action", "action_type", "kind", "command")
"""Keys under which the name of an action is given."""
SKIPPED = frozenset(
    {"node_modules", "venv", "build", "dist", "site-packages", "runs", "__pycache__"}
)
READMES = ("readme.md", "readme.rst", "readme.txt", "readme")


@dataclass(frozen=True, slots=True)
class Sources:
    """What is known of an environment without flying it.

    Attributes:
        literals: Of its source.
        words: What README and docstrings quote.
        actions: Objects that are given together somewhere; many are no actions.
        manifest: ``openenv.yaml``; empty where there is none.
        verbs: What the manifest names where it speaks of actions.
        pay: What is said of the reward.
        sentences: What README, docstrings, descriptions of fields and the manifest say.
    """

    literals: Literals = field(default_factory=lambda: Literals([]))
    words: tuple[str, ...] = ()
    actions: tuple[Action, ...] = ()
    manifest: Manifest = field(default_factory=dict)
    verbs: tuple[str, ...] = ()
    pay: DocumentedPay = field(default_factory=DocumentedPay)
    sentences: tuple[str, ...] = ()

    @classmethod
    def of(cls, target: Target) -> Sources:
        """Read what lies beside a target; nothing of a server's.

        Args:
            target: The environment.
        """
        files = list(files_of(target))
        trees = [parsed for path in files if (parsed := tree_of(path)) is not None]
        texts = [text for path in files if (text := readme_of(path)) is not None]
        literals = literals_of(tuple(within(trees)))
        docs = [doc for tree in trees for doc in docstrings(tree)]
        spoken = [*texts, *docs]
        shown = [each for text in spoken for each in objects_in(text)]
        actions = [*held_in(shown), *literals.actions]
        manifest = target.manifest if isinstance(target, FolderTarget) else {}
        verbs = tuple(dict.fromkeys(verbs_in(manifest)))[:MOST_VERBS]
        described = (said for tree in trees for said in field_descriptions(tree))
        told = [
            *((README, text) for text in texts),
            *((DOCSTRING, text) for text in (*described, *docs)),
            *((MANIFEST, text) for text in manifest_texts(manifest)),
        ]
        lines = dict.fromkeys(line for _, text in told for line in sentences(text) if line)
        words = tuple(words_of(spoken))
        pay = DocumentedPay.of(told)
        return cls(literals, words, tuple(actions), manifest, verbs, pay, tuple(lines))


@lru_cache(KEPT_SOURCES)
def literals_of(trees: tuple[ast.Module, ...]) -> Literals:
    """What the files of a source say, read once; nobody changes it."""
    return Literals(trees)


def held_in(shown: Sequence[Action]) -> Iterator[Action]:
    """Objects that somebody wrote, and those that stand directly in one: many a README shows a whole request.

    Requests come first, each as a reader may mean it: what stands in it under a name such as ``action``, then itself
    without what says which episode is meant, which nobody would send as it stands there, then the whole. So few of
    them are enough to have sent each in one of its ways.

    Args:
        shown: The objects.
    """
    asked = [(each, list(meant_in(each))) for each in shown]
    for each, meant in asked:
        if meant:
            yield from (*meant, each)
    yield from (each for each, meant in asked if not meant)
    for each, meant in asked:
        inner = (held for held in each.values() if isinstance(held, dict))
        yield from (held for held in inner if held not in meant)


def meant_in(request: Action) -> Iterator[Action]:
    """What a request's action may be, but for the whole of it; nothing of an object that is no request."""
    for name, held in request.items():
        if name.lower() in ACTION and isinstance(held, dict):
            yield held
    rest = {name: held for name, held in request.items() if not SESSION.fullmatch(name)}
    if 0 < len(rest) < len(request):
        yield rest


def verbs_in(held: JsonValue, *, named: bool = False) -> Iterator[str]:
    """What a manifest names below a key that speaks of actions or tools: items of lists, each itself or by its name.

    Args:
        held: The manifest, or a part of it.
        named: Whether a key above it speaks of them.
    """
    if isinstance(held, dict):
        for key, inner in held.items():
            asked = bool({"action", "actions", "tools", "commands"} & set(str(key).split("_")))
            yield from verbs_in(inner, named=asked or (named and key in {"enum", "values"}))
    elif isinstance(held, list) and named:
        for item in held:
            said = item
            if isinstance(item, dict):
                said = next((item[key] for key in NAMED_BY if key in item), None)
            if isinstance(said, str) and said.isidentifier():
                yield said


def files_of(target: Target) -> Iterator[Path]:
    """The files of a target's folder, those of its package first."""
    if isinstance(target, ImportTarget):
        file = find_module(target.path.partition(":")[0])
        if file is None:
            return
        yield file
        folder: Path | None = file.parent if (file.parent / "__init__.py").is_file() else None
    else:
        folder = target.folder if isinstance(target, FolderTarget) else None
    if folder is not None:
        found = walk(folder, lambda name: name.startswith(".") or name in SKIPPED).files
        code = [path for path in found if path.suffix == ".py" or path.name.lower() in READMES]
        yield from sorted(code, key=lambda path: "test" in path.as_posix())[:MOST_FILES]


def tree_of(path: Path) -> ast.Module | None:
    """A file's tree; None of what is no Python."""
    if path.suffix != ".py":
        return None
    parsed = parse(path, path.name)
    return None if parsed is None else parsed.tree


def readme_of(path: Path) -> str | None:
    """A README's text; None of any other file."""
    if path.name.lower() not in READMES:
        return None
    try:
        return read_text(path)
    except OSError:
        return None


def within(trees: Sequence[ast.Module]) -> list[ast.Module]:
    """As many trees as are not too long together."""
    kept, lines = [], 0
    for tree in trees:
        lines += tree.body[-1].end_lineno or 0 if tree.body else 0
        if lines <= MOST_LINES:
            kept.append(tree)
    return kept


@lru_cache(KEPT_FILES)
def docstrings(tree: ast.Module) -> tuple[str, ...]:
    """The docstrings of a file."""
    written = (ast.Module, ast.ClassDef, Function)
    nodes = (node for node in nodes_of(tree) if isinstance(node, written))
    return tuple(ast.get_docstring(node) or "" for node in nodes)


def prose_of(source: Source, code: EnvironmentCode | None, target: Target) -> str:
    """What a folder's README says, and the environment's own classes, their files and the reset, with their comments.

    Args:
        source: The environment's source.
        code: Where its code lies; None where that cannot be seen.
        target: The environment.
    """
    files = files_of(target) if isinstance(target, FolderTarget) else ()
    said = [text for path in files if (text := readme_of(path)) is not None]
    places = () if code is None else code.environment.classes
    classes = [cls for place in places if (cls := source.cls(place)) is not None]
    nodes = [*source.trees_of(places), *classes, *(f for cls in classes for f in cls.body)]
    reset = None if code is None else source.function(code.reset)
    if reset is not None and reset[1] not in nodes:
        nodes.append(reset[1])
    written = (ast.Module, ast.ClassDef, Function)
    docs = (ast.get_docstring(node) or "" for node in nodes if isinstance(node, written))
    comments = ("\n".join(source.comments(place)) for place in places)
    return "\n\n".join([*said, *docs, *comments])
