"""What an environment's own words say of its reward: a running total, pay for length, and what a part or all is worth.

READMEs, docstrings, descriptions of fields and the manifest are read sentence by sentence. A sentence says only what it
says of the reward itself. ``cumulative_reward`` is another field, and a reward that is to be maximised over an episode
is summed up by whoever reads it. So these are claims: whoever relies on one has to see that the environment keeps it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gonogo.contract.prose import DENIED, sentences
from gonogo.records.tables import cut
from gonogo.wire import JsonValue

README, DOCSTRING, MANIFEST = "README", "docstring", "openenv.yaml"
"""Where a sentence may stand."""
SHOWN_CHARS = 160
LEAST_LETTERS = 3
"""Of a value that is looked for in a sentence: shorter ones stand everywhere."""
CLOSE = 0.01
"""By which a pay may differ from a mark that is written: a third is 0.33."""
SUMS = r"(?:totals?|sums?|scores?|rewards?|returns?|points|marks|tally|values?|credits?|grades?)"
GAP = r"[\s|\\:*`\"'()\[\],=—–→-]"
RUNNING = re.compile(
    r"(?i)^[\W_]*(?:(?:the|this)\s+)?(?:(?:obs|observation|result)(?:[’']s\s+|\.))?[`\"']*reward(?!\w)"
    # Types and separators, as a table or a docstring has them, and a verb.
    rf"(?:{GAP}+(?:float|int|number|integer|none|null|optional|field|value|signal|returned|given"
    rf"|(?:for|at|after|in|of)\s+(?:each|every)\s+step))*{GAP}*"
    r"(?:(?:is|holds|contains|equals|gives|means|shows|reports|returns|carries)\b)?\s*"
    r"(?:(?:the|a|an|its|your|current|latest|episode[’']s|agent[’']s)\s+)*"
    rf"(?:(?:cumulative|cumulated|accumulated|running)\s+(?:(?!average|mean|max|min)\w+\s+)?{SUMS}\b"
    r"|(?:cumulative|cumulated|accumulated)\b(?=\s*(?:[.,;:|()—–-]|$|over\b|across\b|so\s+far\b))"
    rf"|{SUMS}\b(?:\s+(?!chang|delta|differ|improv|gain|increas|minus|above|beyond)\w+){{0,5}}?"
    r"\s+(?:so\s+far|to\s+date|until\s+now|up\s+to\s+now)\b)"
)
"""A sentence, a row of a table or a field's description that begins with the reward, and says that it is a total."""
PAYS = re.compile(r"(?i)\b(?:rewards?|rewarded|scores?|scored|pays?|paid|earns?|earned|points)\b")
PER_LENGTH = re.compile(
    r"(?i)(?:\blen\([^()]*\)|(?:\blen(?:gth)?|_len(?:gth)?|characters|chars|words|tokens)\b)[`)]*\s*[×x*·]\s*[`(]*\d"
    r"|\d[`)]*\s*[×x*·]\s*[`(]*(?:\w*len(?:gth)?\b|\w*(?:characters|chars|words|tokens)\b)"
    r"|\d\S*(?:\s+points?)?\s+(?:per|for\s+each|for\s+every|each|every)\s+(?:character|char|letter|word|token)\b"
    r"|(?:based\s+(?:\w+\s+)?on|proportional\s+to|depends\s+(?:\w+\s+)?on|(?:scales|grows)\s+with|equals)\s+"
    r"(?:[\w’']+\s+){0,4}length\b"
)
"""Words for a pay that each character or word of a text raises by as much."""
BOUNDED = re.compile(
    r"(?i)\b(?:penal\w+|minus|deduct\w*|subtract\w*|negative|costs?|less|up\s+to|at\s+most|capped|max\w*|limit\w*"
    r"|clip\w*|bounded|normali[sz]\w+|bonus|part(?:ly|ial\w*)?|plus)\b"
)
"""Words that make it a cost, or a part of a pay that has a bound."""
MARK = re.compile(r"(?<![\w.])(?:(\d*\.\d+)|(\d+(?:\.\d+)?)\s*%)(?![\w.]*\d)")
WORTH = re.compile(
    r"(?i)\b(?:rewards?|rewarded|scores?|scored|pays?|paid|earns?|earned|points?|marks?|marked|grades?|graded"
    r"|credits?|worth|returns?)\b"
)
"""What makes a number in a sentence one of the reward."""
AMOUNT = (
    r"[`*]*(\d+(?:\.\d+)?(?:\s*/\s*\d+)?)[`*]*(?!\.?\d|\s*(?:[/*+×−-]\s*[\w(]|%))"
    r"(?!\s*(?:steps?|turns?|actions?)\b)"
)
FROM_NOTHING = r"(?<![\w.-])0(?:\.0+)?[`*]*"
FULL = re.compile(
    r"(?i)\b(?:up\s+to|at\s+most|out\s+of|capped\s+at"
    r"|max(?:imum)?(?:\s+(?!(?:steps?|turns?|actions?|number|length)\b)\w+){0,2}?(?:\s+(?:of|is)|\s*[:=])?"
    rf"|(?:is|are)\s+worth)\s+{AMOUNT}"
    rf"|{FROM_NOTHING}\s*(?:to|and|-|–|—|,|\.\.+)\s*{AMOUNT}"
    rf"|\b(?:perfect|flawless|faultless|full)\b[^.;:]*?\b(?:pays?|earns?|scores?|is|gives?|gets?)\s+{AMOUNT}"
)
"""A number that all of something is worth, as words for the most that there is say, or a range that begins at 0."""
SHARE = re.compile(
    r"(?i)\b(?:rewards?|scores?|returns?|marks?|grades?)\b(?:\s+\w+){0,4}?\s*(?:is|are|:|=|equals)\s+(?:the\s+)?"
    r"(?:share|fraction|proportion)\s+of\b"
)
"""A reward that is called a share, of which all is 1."""
TAKEN = re.compile(
    r"(?i)\b(?:penal\w+|minus|deduct\w*|subtract\w*|loses?|costs?|fines?|takes?|less|bonus)\b[^.;]*$"
)
"""Words before such a number that make it a cost, or only what comes on top."""
REPEATED = re.compile(
    r"(?i)\b(?:(?:say|read|type|write|spell|play|sing)(?:s|ing)?\s+(?:(?:it|them|this|that|what)\b[^.;:|]*?)?"
    r"(?:back|again)\b|word for word|letter for letter|read-?back|repeats? (?:it|them|what|after)\b"
    r"|(?:copy|transcribe|echo) (?:it|them|what|each|(?:the|a|an) (?:text|line|message|phrase|words?|recording))\b)"
)
"""How a sentence asks to say or write once more what is shown."""


@dataclass(frozen=True, slots=True)
class DocumentedSentence:
    """A sentence, and where it stands.

    Attributes:
        where: ``README``, ``docstring`` or ``openenv.yaml``.
        words: It.
    """

    where: str
    words: str

    def __str__(self) -> str:
        """For a reader."""
        return f"as its {self.where} says: “{cut(self.words, SHOWN_CHARS)}”"

    @property
    def marks(self) -> list[float]:
        """The numbers between 0 and 1 that it names, and its percentages."""
        found = MARK.findall(self.words)
        marks = [float(number) if number else float(percent) / 100 for number, percent in found]
        return [mark for mark in marks if 0 < mark < 1]

    @property
    def full_marks(self) -> list[float]:
        """The numbers that it calls the most that is paid, for whatever part of an episode."""
        if not WORTH.search(self.words):
            return []
        found = FULL.finditer(self.words)
        told = (m for m in found if not TAKEN.search(self.words[: m.start()]))
        marks = [quotient(number) for m in told for number in m.groups() if number is not None]
        marks += [1.0] if SHARE.search(self.words) else []
        return [mark for mark in dict.fromkeys(marks) if mark > 0]

    def names(self, name: str) -> bool:
        """Whether a name stands in it, as an identifier or in words."""
        parts = [re.escape(part) for part in re.split(r"[\W_]+", name) if part]
        if sum(map(len, parts)) < LEAST_LETTERS:
            return False
        spelt = r"[\s_-]+".join(parts)
        return bool(re.search(rf"(?i)(?<![^\W_]){spelt}(?![^\W_])", self.words))


@dataclass(frozen=True, slots=True)
class DocumentedPay:
    """What an environment's words say of its reward.

    Attributes:
        total: The sentence that calls the reward a running total; None without one.
        length: The sentence that says that length is paid; None without one.
        parts: The sentences that name marks.
        full: The sentences that say what is paid at most.
        repeated: The sentence that asks to say what is shown once more; None without one.
    """

    total: DocumentedSentence | None = None
    length: DocumentedSentence | None = None
    parts: tuple[DocumentedSentence, ...] = ()
    full: tuple[DocumentedSentence, ...] = ()
    repeated: DocumentedSentence | None = None

    @classmethod
    def of(cls, texts: Iterable[tuple[str, str]]) -> DocumentedPay:
        """Read texts, each with where it stands.

        Args:
            texts: Place and text of each.
        """
        said = dict.fromkeys(
            DocumentedSentence(where, words)
            for where, text in texts
            for words in sentences(text)
            if words
        )
        return cls(
            next((each for each in said if RUNNING.search(each.words)), None),
            next((each for each in said if says_length(each.words)), None),
            tuple(each for each in said if each.marks),
            tuple(each for each in said if each.full_marks),
            next((each for each in said if asks_to_repeat(each.words)), None),
        )

    @property
    def full_marks(self) -> list[tuple[float, DocumentedSentence]]:
        """What is said to be paid at most, each number with its sentence."""
        return [(mark, each) for each in self.full for mark in each.full_marks]

    def part(self, names: Iterable[str], earned: float) -> DocumentedSentence | None:
        """The sentence that gives just what was earned to one decision; None without one.

        Args:
            names: What the decision is called: its field, and the value.
            earned: The return.
        """
        known = list(names)
        return next(
            (
                each
                for each in self.parts
                if any(abs(mark - earned) <= CLOSE for mark in each.marks)
                and any(map(each.names, known))
            ),
            None,
        )


def quotient(number: str) -> float:
    """The value of a number, or of a fraction of two."""
    above, _, below = number.partition("/")
    return float(above) / (float(below or 1) or 1.0)


def asks_to_repeat(sentence: str) -> bool:
    """Whether a sentence asks to say or write once more what is shown, and does not forbid it."""
    found = REPEATED.search(sentence)
    return found is not None and not DENIED.search(sentence[: found.start()])


def says_length(sentence: str) -> bool:
    """Whether a sentence says that each character or word is paid, without a bound."""
    found = PER_LENGTH.search(sentence)
    if found is None or not PAYS.search(sentence) or BOUNDED.search(sentence):
        return False
    return not DENIED.search(sentence[: found.start()])


def field_descriptions(tree: ast.Module) -> Iterator[str]:
    """The descriptions of fields in a file, each after its field's name."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.AnnAssign) or not isinstance(node.target, ast.Name):
            continue
        given = node.value.keywords if isinstance(node.value, ast.Call) else []
        for one in given:
            text = one.value.value if isinstance(one.value, ast.Constant) else None
            if one.arg == "description" and isinstance(text, str):
                yield f"{node.target.id}: {text}"


def manifest_texts(held: JsonValue, name: str = "") -> Iterator[str]:
    """The texts of a manifest, each after the name of what it describes.

    Args:
        held: The manifest, or a part of it.
        name: Of the part.
    """
    if isinstance(held, dict):
        called = held.get("name")
        for key, inner in held.items():
            own = called if isinstance(called, str) and key == "description" else str(key)
            yield from manifest_texts(inner, name if own == "description" and name else own)
    elif isinstance(held, list):
        for item in held:
            yield from manifest_texts(item, name)
    elif isinstance(held, str):
        yield f"{name}: {held}"
