"""The forms that texts are asked to have, and texts that have one and say nothing.

A form is the names of a JSON object with their types, the tags around the parts of a text, or the headings above them.
It is read from the source, where it asks an object that it parsed for keys, a mapping holds types by name or a class
lists typed fields, from objects and layouts that README and docstrings show, and from what an observation asks for in
words. Nothing of what is asked for is known then but how it looks.
"""

from __future__ import annotations

import ast
import json
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from gonogo.contract.parsed_keys import parsed_keys
from gonogo.contract.prose import MOST_CHARS, objects_in
from gonogo.contract.syntax import KEPT_SOURCES, nodes_of
from gonogo.wire import JsonValue

MOST_FORMS, MOST_NAMES = 8, 24
LEAST_NAMES = 2
TYPES = {
    "str": "string", "string": "string", "text": "string", "date": "string", "int": "number", "integer": "number",
    "float": "number", "number": "number", "numeric": "number", "decimal": "number", "bool": "boolean",
    "boolean": "boolean", "list": "array", "array": "array", "tuple": "array", "set": "array", "sequence": "array",
    "dict": "object", "object": "object", "mapping": "object",
}  # fmt: skip
"""Words for types, and what JSON calls them."""
FILLINGS: tuple[dict[str, JsonValue], ...] = (
    {"string": "x", "number": 1, "boolean": True, "array": ["x"], "object": {"x": "x"}},
    {"string": "qzxj vkwp", "number": 7, "boolean": True, "array": ["qzxj"], "object": {"qzxj": 7}},
    {"string": "", "number": 0, "boolean": False, "array": [], "object": {}},
)
"""What stands for a value of each type: two that say nothing, in different words, and what is empty."""
OWN_BASES = re.compile(r"(?i)(action|observation|state|env|environment|request|response|payload)$")
"""Names of classes, and of their bases, that are the wire's and not the text's."""
KEYWORD = re.compile(r"(?i)\b(?:json|fields?|keys?)\b")
"""What a list of names may follow,"""
REACH = re.compile(r"[^:.\n]{0,60}:?")
LEADS = re.compile(r"(?i):|\b(?:with|are|containing)\b:?")
"""within so much, after one of these."""
LIST = re.compile(r"[^\n;]{3,600}")
SENTENCE_ENDS = re.compile(r"[.!?](?=\s)|[\n;]")
PARTS = re.compile(r",\s*\band\b|,|\band\b")
BULLET = re.compile(
    r"\s*\n[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+[*`\"']*([A-Za-z_]\w*)[*`\"']*[ \t]*((?:[:(,–—-][^\n]*)?)(?=\n|$)"
)
"""One line of a list, which names one thing and may say more of it."""
ITEM = re.compile(r"[\"'`]?([A-Za-z_]\w*)[\"'`]?\s*(?:\(([^)]*)\)|:\s*(\w+))?\s*\.?")
SKETCHED = re.compile(r"[\"'](\w+)[\"']\s*:\s*([^,}\n]+)")
BRACED = re.compile(r"\{[^{}]{3,1500}\}")
TAG = re.compile(r"<([A-Za-z_]\w*)>(?=[^<>]{0,400}</\1>)")
GAP = "\N{REPLACEMENT CHARACTER}"
"""What stands for a part in a layout."""
BLOCK = re.compile(
    r"^[ \t]*```(\w*)[^\n]*\n(.*?)^[ \t]*```|((?:^(?: {4}|\t)[^\n]*(?:\n|\Z)|^[ \t]*\n)+)",
    re.MULTILINE | re.DOTALL,
)
"""What Markdown shows as it is: what stands between fences, or is indented."""
PROSE = frozenset({"", "text", "txt", "markdown", "md"})
"""Languages of fences between which there is no code."""
HEADING = re.compile(r"#{2,4} +\S")
"""With one mark alone it would be a comment of a shell."""
LABEL = re.compile(r"((?:[-*] +)?([A-Za-z][A-Za-z_ ]{0,30}):)(?:\s|$)")
"""The begin of a line that says what stands in it."""
NUMERIC = re.compile(r"^[<\[]?\s*(?:-?\d|int|float|num)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a text is to look.

    Attributes:
        names: What its parts are called.
        types: What JSON calls the type of each; None of those that are not known.
        tagged: Whether each part stands in a tag of its name.
        layout: A text in which :data:`GAP` stands for each part; None of a form that has tags or is a JSON object.
    """

    names: tuple[str, ...]
    types: tuple[str | None, ...]
    tagged: bool = False
    layout: str | None = None

    def fillings(self) -> list[str]:
        """Texts of this form that say nothing; where a type is not known, one after the other may be it."""
        known = self.tagged or self.layout is not None or None not in self.types
        guesses = ["string"] if known else ["string", "number"]
        return [self.filled(values, guess) for guess in guesses for values in FILLINGS]

    @property
    def holds_one_text(self) -> bool:
        """Whether it has one part, which is a text between tags, and so can be given several times."""
        return len(self.names) == 1 and self.tagged

    def saying(self, text: str) -> str:
        """A text of this form that says something in each part.

        Args:
            text: What it says.
        """
        return self.filled({"string": text}, "string")

    def said_everywhere(self, words: Sequence[str], most: int) -> str | None:
        """A text of this form that has the same words in each part; None of one that holds numbers alone.

        Args:
            words: The words.
            most: Characters of all parts together, beyond which words are left out.
        """
        if self.layout is None and set(self.types) <= {"number", "boolean"}:
            return None
        room, said = most // max(1, len(self.names)), list[str]()
        for word in words:
            room -= len(word) + 2
            if room < 0:
                break
            said.append(word)
        text = ", ".join(said)
        values = {"string": text, "number": 1, "boolean": True, "array": list(said)}
        return self.filled({**values, "object": {"x": text}}, "string")

    def filled(self, values: dict[str, JsonValue], guess: str) -> str:
        """A text of this form.

        Args:
            values: What stands for a value of each type.
            guess: The type of what has none.
        """
        if self.layout is not None:
            return self.layout.replace(GAP, str(values[guess]))
        held = {n: values[t or guess] for n, t in zip(self.names, self.types, strict=True)}
        if self.tagged:
            return "\n".join(f"<{name}>{value}</{name}>" for name, value in held.items())
        return json.dumps(held)


def forms_of_texts(trees: Sequence[ast.Module], texts: Iterable[str]) -> list[TextForm]:
    """The forms that an environment's source and texts speak of, each once.

    Args:
        trees: Files of its source.
        texts: README, docstrings, what an episode shows.
    """
    said = [text[:MOST_CHARS] for text in texts]
    found = [
        *(form for text in said for form in asked_for(text)),
        *forms_of_code(tuple(trees)),
        *(form for text in said for form in shown(text)),
    ]
    kept: dict[tuple[frozenset[str], bool], TextForm] = {}
    for form in found:
        least = 1 if form.tagged else LEAST_NAMES
        if least <= len(form.names) <= MOST_NAMES:
            key = frozenset(form.names), form.layout is not None
            known = kept.get(key)
            if known is None or (None in known.types and None not in form.types):
                kept[key] = form
    return list(kept.values())[:MOST_FORMS]


@lru_cache(KEPT_SOURCES)
def forms_of_code(trees: tuple[ast.Module, ...]) -> tuple[TextForm, ...]:
    """The forms of what the files of a source parse, and of what they give types."""
    parsed = (TextForm(tuple(keys), tuple(keys.values())) for keys in parsed_keys(trees))
    return (*parsed, *(form for tree in trees for form in typed(tree)))


def typed(tree: ast.Module) -> Iterator[TextForm]:
    """Mappings from names to types, and classes of typed fields that are not the wire's."""
    for node in nodes_of(tree):
        if isinstance(node, ast.Dict):
            names = [k.value if isinstance(k, ast.Constant) else None for k in node.keys]
            types = [type_of(value) for value in node.values]
            if all(isinstance(name, str) for name in names) and None not in types:
                yield TextForm(tuple(map(str, names)), tuple(types))
        elif isinstance(node, ast.ClassDef):
            said = [node.name, *(ast.unparse(base) for base in node.bases)]
            fields = [f for f in node.body if isinstance(f, ast.AnnAssign)]
            plain = (node.bases or node.decorator_list) and not any(map(OWN_BASES.search, said))
            pairs = [
                (f.target.id, type_of(f.annotation))
                for f in fields
                if isinstance(f.target, ast.Name)
            ]
            if plain and pairs:
                yield TextForm(tuple(n for n, _ in pairs), tuple(t or "string" for _, t in pairs))


def type_of(node: ast.expr) -> str | None:
    """What JSON calls the type that an expression names; None where it names none. Of a union the first decides."""
    while isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
        node = node.left
    if isinstance(node, ast.Name):
        return TYPES.get(node.id.lower())
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return TYPES.get(node.value.strip().lower())
    if isinstance(node, ast.Tuple | ast.List) and node.elts:
        return type_of(node.elts[-1])
    if isinstance(node, ast.Subscript):
        return type_of(node.value) or type_of(node.slice)
    return None


def asked_for(text: str) -> Iterator[TextForm]:
    """What a text asks for after the words JSON, fields or keys; of each sentence what names most.

    One such word may stand before another, as in "a JSON object with exactly these keys: a, b": the list is then the
    later one's, and what is read after the first is no list. Lines below one another are read only where the sentence
    speaks of JSON: a README lists the fields of many things.
    """
    best, end, is_json = TextForm((), ()), 0, False
    for word in KEYWORD.finditer(text):
        if SENTENCE_ENDS.search(text, end, word.start()):
            yield best
            best, is_json = TextForm((), ()), False
        end, is_json = word.end(), is_json or word.group().lower() == "json"
        reach = REACH.match(text, end)
        stop = end if reach is None else reach.end()
        leads = [lead.end() for lead in LEADS.finditer(text, end, stop)]
        found = [(bulleted(text, p) if is_json else None) or listed(text, p) for p in leads]
        most = max(found, key=lambda form: len(form.names), default=best)
        best = most if len(most.names) >= len(best.names) else best
    yield best


def bulleted(text: str, place: int) -> TextForm | None:
    """The names that stand on lines of their own after a place; None where there are none."""
    names: dict[str, str | None] = {}
    while line := BULLET.match(text, place):
        words = re.findall(r"[A-Za-z]+", line.group(2))[:6]
        names[line.group(1)] = next(kinds_in(words), None)
        place = line.end()
    return TextForm(tuple(names), tuple(names.values())) if names else None


def listed(text: str, place: int) -> TextForm:
    """The names that a text lists after a place, each perhaps with a type or before a list's."""
    names: list[str] = []
    types: list[str | None] = []
    waiting: list[int] = []
    found = LIST.match(text, place)
    for part in PARTS.split(found.group() if found else ""):
        item = ITEM.match(part.strip())
        if item is None:
            break
        said = item.group(2) or item.group(3)
        waiting.append(len(names))
        names.append(item.group(1))
        types.append(None)
        if said is not None:
            kind = next(kinds_in(re.findall(r"[A-Za-z]+", said)), "string")
            for known in waiting:
                types[known] = kind
            waiting = []
        if part.strip()[item.end() :].strip() or part.strip().endswith("."):
            break
    return TextForm(tuple(names), tuple(types))


def kinds_in(words: Iterable[str]) -> Iterator[str]:
    """What JSON calls the types that some words name."""
    for word in words:
        for form in (word.lower(), word.lower().rstrip("s")):
            if form in TYPES:
                yield TYPES[form]


def shown(text: str) -> Iterator[TextForm]:
    """The objects that a text shows, also those that are only sketched, and the tags in which its parts stand."""
    for held in objects_in(text):
        yield TextForm(tuple(held), tuple(type_of_value(value) for value in held.values()))
    for braced in BRACED.finditer(text):
        pairs = SKETCHED.findall(braced.group())
        kinds = ("number" if NUMERIC.match(said) else "string" for _, said in pairs)
        yield TextForm(tuple(name for name, _ in pairs), tuple(kinds))
    tags = tuple(dict.fromkeys(TAG.findall(text)))
    yield TextForm(tags, tuple("string" for _ in tags), tagged=True)
    for language, fenced, indented in BLOCK.findall(text):
        if language in PROSE:
            yield laid_out(textwrap.dedent(fenced or indented))


def laid_out(block: str) -> TextForm:
    """The form of a block of text that shows headings, or nothing but lines that each begin with a word in capitals.

    Args:
        block: Its lines, without the indent that they share.
    """
    lines = [line.strip() for line in block.splitlines() if line.strip()]
    headings = [HEADING.match(line) is not None for line in lines]
    labels = [
        None if headed else LABEL.match(line) for headed, line in zip(headings, lines, strict=True)
    ]
    if sum(headings) < LEAST_NAMES and not all(
        label and label.group(2).isupper() for label in labels
    ):
        return TextForm((), ())
    names, layout = list[str](), list[str]()
    for line, headed, label in zip(lines, headings, labels, strict=True):
        if headed:
            names.append(line.lstrip("# "))
            # The heading before it has something below it, whatever is shown there.
            layout += [GAP] if layout and layout[-1].startswith("#") else []
            layout.append(line)
        elif label is not None:
            names.append(label.group(2))
            layout.append(f"{label.group(1)} {GAP}")
        elif layout and layout[-1] != GAP:
            layout.append(GAP)
    layout += [GAP] if layout and layout[-1].startswith("#") else []
    return TextForm(tuple(names), tuple("string" for _ in names), layout="\n".join(layout))


def type_of_value(value: JsonValue) -> str:
    """What JSON calls the type of a value."""
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int | float):
        return "number"
    if isinstance(value, list | dict):
        return "array" if isinstance(value, list) else "object"
    return "string"
