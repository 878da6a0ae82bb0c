"""How strangers name success, and what an environment's source says of it: words of names, thresholds, texts, verdicts.

Only words and values are read here, from names, schemas and files of source; nothing is run. What they come to is
ranked in :mod:`gonogo.auditing.success_candidates`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from gonogo.folder import UnreadableFile, read_text, walk


def spelt(text: str) -> frozenset[str]:
    """The words of a line."""
    return frozenset(text.split())


SUCCESS = spelt(
    "success successful successfully succeeded succeed solved won win victory correct passed resolved achieved "
    "accomplished victorious"
)
"""Words that say success by themselves."""
GOAL = spelt("goal target objective task exit treasure mission quest puzzle level test tests")
REACHED = spelt(
    "reached found met done complete completed finished cleared fulfilled satisfied pass"
)
"""With a word of :data:`GOAL` they say success."""
FINISHED = spelt(
    "complete completed finished accepted approved reached healthy safe match matched exact optimal found ok done "
    "perfect fixed correctly"
)  # fmt: skip
"""Words that may say success, or only an end."""
FAILURE = spelt(
    "not no un fail fails failed failure failing error errors invalid breach breached lost lose loss timeout truncated "
    "terminated violated violation penalty wrong incorrect dead crash crashed blocked unsuccessful unsolved unresolved "
    "incomplete aborted cancelled rejected over above below false falsely fake "
    "premature prematurely wrongly incorrectly"
)  # fmt: skip
ACTION = spelt(
    "action last previous step tool call execution execute exec executed move command request parse parsed syntax "
    "format api query verification validation compile compiled compilation http was valid exit ran"
)  # fmt: skip
"""Words after which success is one of an action and not of the episode."""
LAST = spelt("last previous latest recent current")
"""Words by which a place is called that tells of the case that was last, and perhaps not of the episode."""
VERDICT = spelt(
    "status outcome result verdict state phase match ending evaluation judgement judgment conclusion resolution"
)
SCORE = spelt(
    "score grade accuracy progress percent percentage completion fraction ratio similarity rating quality coverage"
)
LIMITS = spelt(
    "max min maximum minimum threshold required weight bonus confidence difficulty step steps time turn turns seed id "
    "cost temperature"
)  # fmt: skip
PAY = spelt("reward rewards return returns")
COUNTED = spelt(
    "done complete completed solved resolved found collected correct delivered finished passed paid placed matched "
    "identified fixed achieved answered processed translated cleared satisfied"
)  # fmt: skip
TOTAL = spelt("total required target goal needed expected all num count max active n")
ALL = spelt("all everything fully every")
"""With a word for being done they say success: nothing is left to do."""
SAYS = 2.6
"""Strength from which a name says success by itself."""
CHOICES = spelt("action actions available tool tools option options valid possible")
"""What may be done, of which no number is a success."""
LEFT = spelt(
    "remaining left unresolved pending unsolved outstanding todo unfinished unpaid missing"
)
END = spelt("done terminated finished over ended")
"""Words by which a variable is called that says that an episode is over."""
ONLY_END = END - {"finished"} | spelt("is has was episode game")
"""Words of a name that says no more than that an episode is over, however it went."""
PARTS = spelt("breakdown components component parts criteria rubric rubrics checks subscores")
"""Words by which an object is called that holds what is graded, part by part."""
WHOLE = spelt(
    "is has was task episode overall all total every full fully level mission goal puzzle final best current "
    "cumulative average mean grader"
)  # fmt: skip
"""Words beside one for success, or for a score, with which it is still that of the whole."""
RESOURCES = spelt(
    "step steps time turn turns attempt attempts hint hints budget tries lives moves seconds minutes hours quota "
    "tokens calls queries health hp energy fuel ammo capacity credits day days ticks round rounds week weeks month "
    "months period periods iteration iterations trial trials chance chances guess guesses shot shots"
)  # fmt: skip
"""What runs out without success."""
SAYING = spelt(
    "message feedback notes note result info log output text response summary explanation reason status observation"
)
"""Words by which a field is called that holds a sentence about what happened."""
NEGATION = re.compile(
    r"\b(not|no|never|un\w+|in(correct|complete|valid)\w*|fail\w*|wrong|error|cannot|could|try|unless|if|until|must|should|"
    r"expected|before|0)\b",
    re.IGNORECASE,
)
PHRASE = re.compile(
    r"\b(success(ful(ly)?)?|succeeded|solved|you (win|won)|won|victory|correct|congratulations|well done|passed|"
    r"resolved|complete[d]?|achieved|accomplished|accepted|approved|goal reached)\b",
    re.IGNORECASE,
)
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
FRAGMENT = re.compile(r"[^\w '-]+|\d+")
LEAST_PHRASE, MOST_PHRASE = 5, 60
MOST_SOURCES, MOST_CHARS = 200, 200_000
ASIDE = re.compile(
    r"^(test_.*|.*_test|conftest|inference|baseline|client|train.*|demo|validate.*|setup)\.py$"
)
"""Files beside an environment's own source: what plays it, trains on it or tests it."""


def words_of(name: str) -> frozenset[str]:
    """The words of a name, in lower case: ``is_taskDone`` has is, task and done."""
    return frozenset(word.lower() for word in WORD.findall(name))


def says_end(name: str) -> bool:
    """Whether a name says that an episode is over, and no more."""
    return words_of(name) <= ONLY_END


def part_of(name: str) -> frozenset[str]:
    """The words of a name that say of which part it tells: ``category_correct`` has category; none for the whole."""
    return words_of(name) - SUCCESS - FINISHED - REACHED - SCORE - WHOLE


def says_failure(name: str) -> bool:
    """Whether a name says the contrary of success."""
    return bool(words_of(name) & FAILURE)


def name_strength(name: str) -> float:
    """How much a name speaks of success: 3 where it says it, 1.4 where it may only say an end, 0 where neither."""
    words = words_of(name)
    if words & FAILURE:
        return 0.0
    if words & SUCCESS or (words & GOAL and words & REACHED):
        return 3.0
    if words & ALL and words & (REACHED | COUNTED | FINISHED):
        return SAYS
    return 1.4 if words & FINISHED - {"done"} else 0.0


@dataclass(frozen=True, slots=True)
class Threshold:
    """A number from which on an environment's source takes something for a success or an end.

    Attributes:
        name: What is compared.
        value: The number.
        ends: Whether the episode ends with it; otherwise it is called a success.
    """

    name: str
    value: float
    ends: bool


@dataclass(slots=True)
class SourceWords:
    """What an environment's source says of success.

    Attributes:
        thresholds: Numbers from which on it is one.
        verdicts: Texts that say success, by the name that they are given to.
        phrases: Parts of sentences that say success, with the name that they are given to; an empty one where none is.
        prose: README, manifest and docstrings, in lower case.
        ends: Names of truth values that are set where an episode is ended, or that end it.
    """

    thresholds: list[Threshold] = field(default_factory=list)
    verdicts: dict[str, list[str]] = field(default_factory=dict)
    phrases: list[tuple[str, str]] = field(default_factory=list)
    prose: str = ""
    ends: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, folder: Path | None) -> SourceWords:
        """What the files of a folder say; nothing where there is none, and nothing of those that cannot be read."""
        found = cls()
        if folder is None:
            return found
        files = walk(folder, skipped).files
        for path in [p for p in files if p.suffix == ".py" and not ASIDE.match(p.name)][
            :MOST_SOURCES
        ]:
            if (tree := parsed(path, folder)) is not None:
                found.read(tree)
        prose = [p for p in files if p.suffix.lower() in {".md", ".yaml", ".yml"}][:MOST_SOURCES]
        texts = [text for path in prose if (text := text_of(path, folder)) is not None]
        found.prose = "\n".join([found.prose, *texts]).lower()
        return found

    def read(self, tree: ast.Module) -> None:
        """Take in a module."""
        visitor = SourceReader(self, dict(constants(tree)))
        visitor.visit(tree)

    def speaks_of(self, name: str) -> bool:
        """Whether README, manifest or a docstring name a field near a word for success."""
        place = self.prose.find(name.lower()) if name else -1
        while place >= 0:
            near = self.prose[max(0, place - 80) : place + len(name) + 80].replace(
                name.lower(), " "
            )
            if words_of(near) & SUCCESS:
                return True
            place = self.prose.find(name.lower(), place + len(name))
        return False


def skipped(name: str) -> bool:
    """Whether a file or folder is none of an environment's source."""
    return name.startswith(".") or name in {
        "__pycache__", "tests", "test", "node_modules", "runs", "build", "dist", "venv", "examples", "site-packages",
    }  # fmt: skip


def text_of(path: Path, folder: Path) -> str | None:
    """A file's text; None where it cannot be read or is too long."""
    try:
        return read_text(path, folder, MOST_CHARS)
    except (FileNotFoundError, UnreadableFile):
        return None


def parsed(path: Path, folder: Path) -> ast.Module | None:
    """A module's tree; None where it has none."""
    text = text_of(path, folder)
    if text is None:
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None


def constants(tree: ast.Module) -> Iterator[tuple[str, float]]:
    """The names that a module or its classes give to numbers."""
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, ast.AnnAssign):
            targets = [node.target]
        else:
            continue
        value = number_in(node.value)
        for target in targets:
            if value is not None and (name := name_of(target)):
                yield name, value


def number_in(node: ast.expr | None) -> float | None:
    """The number that a node stands for; None where it is none."""
    if (
        isinstance(node, ast.Constant)
        and isinstance(node.value, int | float)
        and not isinstance(node.value, bool)
    ):
        return float(node.value)
    return None


def name_of(node: ast.expr | None) -> str:
    """The last name in a node: of a variable, an attribute, a key; empty where there is none."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        return str(node.slice.value)
    return ""


class SourceReader(ast.NodeVisitor):
    """Reads one module into the words of an environment.

    Args:
        into: What is read.
        known: Numbers by the names that the module gives them.
    """

    def __init__(self, into: SourceWords, known: Mapping[str, float]) -> None:
        self._into, self._known = into, known
        self._given: list[str] = [""]
        self._docstrings: set[int] = set()

    def visit_Module(self, node: ast.Module) -> None:
        """Docstrings are prose and no texts of the environment."""
        for each in ast.walk(node):
            if isinstance(each, ast.Expr) and isinstance(each.value, ast.Constant):
                self._docstrings.add(id(each.value))
                if isinstance(each.value.value, str):
                    self._into.prose += each.value.value + "\n"
        self.generic_visit(node)

    def visit_Assign(self, node: ast.Assign) -> None:
        """What is given to a name is read under it."""
        self._under(name_of(node.targets[0]), node.value)

    def visit_AugAssign(self, node: ast.AugAssign) -> None:
        """As :meth:`visit_Assign`."""
        self._under(name_of(node.target), node.value)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        """As :meth:`visit_Assign`."""
        if node.value is not None:
            self._under(name_of(node.target), node.value)

    def visit_keyword(self, node: ast.keyword) -> None:
        """As :meth:`visit_Assign`."""
        if node.arg not in {"description", "doc", "help", "title"}:
            self._under(node.arg or "", node.value)

    def visit_Dict(self, node: ast.Dict) -> None:
        """As :meth:`visit_Assign`, key by key."""
        for key, value in zip(node.keys, node.values, strict=True):
            name = str(key.value) if isinstance(key, ast.Constant) else ""
            self._under(name or self._given[-1], value)

    def visit_FunctionDef(self, node: ast.FunctionDef) -> None:
        """What a function returns is read under its name."""
        self._given.append(node.name)
        self._together(node.body)
        if words_of(node.name) & END:
            for each in ast.walk(node):
                if isinstance(each, ast.Return) and each.value is not None:
                    self._into.ends.update(alternatives(each.value))
        self.generic_visit(node)
        self._given.pop()

    def visit_If(self, node: ast.If) -> None:
        """What is compared before an end or a success is called one is a threshold."""
        names = [
            name_of(t)
            for each in node.body
            if isinstance(each, ast.Assign) and is_true(each.value)
            for t in each.targets
        ]
        for name in names:
            self._thresholds(name, node.test)
        self._together(node.body)
        self.generic_visit(node)

    def visit_Constant(self, node: ast.Constant) -> None:
        """A text is a verdict or a sentence."""
        if not isinstance(node.value, str) or id(node) in self._docstrings:
            return
        text, name = node.value.strip(), self._given[-1]
        if words_of(name) & VERDICT and len(text.split()) <= 2 and name_strength(text) > 0:
            self._into.verdicts.setdefault(name, [])
            if text not in self._into.verdicts[name]:
                self._into.verdicts[name].append(text)
        for phrase in phrases_in(node.value):
            if (name, phrase) not in self._into.phrases:
                self._into.phrases.append((name, phrase))

    def visit_Compare(self, node: ast.Compare) -> None:
        """A text that something is compared with is not given to anything."""
        self._given.append("")
        self.generic_visit(node)
        self._given.pop()

    def _together(self, body: Sequence[ast.stmt]) -> None:
        """What is made true where an episode is ended, in the same lines, or is a reason to end it."""
        given = [
            (name_of(t), each.value)
            for each in body
            if isinstance(each, ast.Assign)
            for t in each.targets
        ]
        if any(words_of(name) & END and is_true(value) for name, value in given):
            self._into.ends.update(
                name for name, value in given if is_true(value) or isinstance(value, ast.Compare)
            )
        for name, value in given:
            if words_of(name) & END:
                self._into.ends.update(alternatives(value))

    def _under(self, name: str, value: ast.expr) -> None:
        self._thresholds(name, value)
        self._given.append(name or self._given[-1])
        self.visit(value)
        self._given.pop()

    def _thresholds(self, name: str, test: ast.expr) -> None:
        words = words_of(name)
        ends = bool(words & END)
        if not ends and name_strength(name) < 3:
            return
        for compare in compared(test):
            left, operator, right = compare.left, compare.ops[0], compare.comparators[0]
            if isinstance(operator, ast.LtE | ast.Lt):
                left, right = right, left
            elif not isinstance(operator, ast.GtE | ast.Gt | ast.Eq):
                continue
            value = number_in(right)
            value = self._known.get(name_of(right)) if value is None else value
            if value is not None and (told := name_of(left)) and not words_of(told) & RESOURCES:
                threshold = Threshold(told, value, ends)
                if threshold not in self._into.thresholds:
                    self._into.thresholds.append(threshold)


def compared(test: ast.expr) -> Iterator[ast.Compare]:
    """The comparisons that suffice for a condition, or that it needs: those of its ands and ors."""
    if isinstance(test, ast.BoolOp):
        for value in test.values:
            yield from compared(value)
    elif isinstance(test, ast.Call) and name_of(test.func) == "bool" and test.args:
        yield from compared(test.args[0])
    elif isinstance(test, ast.Compare) and len(test.ops) == 1:
        yield test


def alternatives(test: ast.expr) -> Iterator[str]:
    """The names any of which suffices for a condition."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.Or):
        for value in test.values:
            yield from alternatives(value)
    elif name := name_of(test):
        yield name


def is_true(node: ast.expr) -> bool:
    """Whether a node is True as it stands."""
    return isinstance(node, ast.Constant) and node.value is True


def phrases_in(text: str) -> Iterator[str]:
    """The parts of a text, between its marks and numbers, that say success."""
    for part in FRAGMENT.split(text):
        phrase = part.strip()
        if (
            LEAST_PHRASE <= len(phrase) <= MOST_PHRASE
            and PHRASE.search(phrase)
            and not NEGATION.search(phrase)
        ):
            yield phrase


def any_words(names: Iterable[str]) -> frozenset[str]:
    """The words of several names together."""
    return frozenset(word for name in names for word in words_of(name))
