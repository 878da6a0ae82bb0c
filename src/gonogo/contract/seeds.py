"""What is known of a reset's seed, by its code.

Whether a reset takes a seed and drops it, flights alone cannot tell: where every seed gives the same episode, the seed
may decide something that nobody has seen yet. So the code is followed; what cannot be followed counts as a use. A seed
that is kept, itself or as a generator, and never used is dropped only where the code makes another generator: else
there is nothing to draw, and the environment is one fixed task.

An environment of Gymnasium hands its seed on to that reset, whatever it draws from. If nothing of its code reads
``np_random``, the seed decides nothing there. If the code draws from a generator of its own all the same, the seed was
meant to decide that, and does not: it is dropped. An environment that draws nothing is one fixed task, and drops no
seed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from gonogo.contract.prose import DENIED, sentences, words_at
from gonogo.contract.source import Source
from gonogo.contract.syntax import (
    Function,
    argument_names,
    assignments,
    called_in,
    functions_of,
    is_name,
    is_self,
    name_of,
    nodes_of,
    packages_of,
    reachable,
    text_items,
    variables_in,
)
from gonogo.records.inspection import Description, EnvironmentClass
from gonogo.rollouts.schema import forms_of
from gonogo.wire import JsonSchema, Tool

OWN = frozenset({"np_random", "_np_random", "np_random_seed", "_np_random_seed"})
PACKAGES = frozenset({"gymnasium", "gym"})
GENERATORS = frozenset({"default_rng", "RandomState", "Random"})
"""What makes a generator."""
NUMPY = frozenset({"np", "numpy"})
SEED = "seed"
SHOWS = re.compile(r"(?i)(state|observation|obs|info|metadata|dict)$")
"""What is made to be shown."""
FIXED = "one fixed task: its code keeps the seed and draws nothing from it"
"""What is said of a puzzle that has one start."""
LOGS = re.compile(r"(^print|(^|\.)(log|debug|info|warning))$")
DRAWS_NOTHING = re.compile(
    r"(?i)\bdeterministic\b|\bno\s+(?:randomness|stochasticity|random\s+(?:elements?|numbers?|events?))\b"
    r"|\bnothing\s+(?:\w+\s+){0,4}(?:random|drawn|stochastic)\b|\b(?:contains?|has|uses?)\s+no\s+random\w*"
    r"|\bseeds?\b[^.;]{0,30}\b(?:no\s+effect|not?\s+(?:used|needed)|ignored|unused)\b"
)
"""Words of who says that nothing is drawn."""
OF_WORLDS = re.compile(
    r"(?i)\b(?:env(?:ironment)?s?|episodes?|worlds?|games?|resets?|seeds?|tasks?|scenarios?|levels?)\b"
)
OF_STEPS = re.compile(r"(?i)\b(?:transitions?|dynamics|physics|simulat\w+)\b")
"""Words of what follows an action: nothing of it says how an episode begins, unless the sentence says that as well."""
OF_STARTS = re.compile(r"(?i)\b(?:resets?|seeds?|initial|start(?:s|ing)?)\b")
"""Words of how an episode begins."""
OF_GRADES = re.compile(
    r"(?i)\b(?:grad\w+|scor\w+|reward\w*|rubrics?|verif\w+|judg\w+|evaluat\w+)\b"
)
"""Words of a grader, of which nothing follows for what resets give."""
BY_SEED = re.compile(
    r"(?i)\b(?:given|by|per|from|with|for|under|via|same|fixed|each|a|any|every|controlled|when)\s+(?:\w+\s+){0,2}seed\w*"
    r"|\bseeded\b|\bseed[- ]?(?:based|controlled|driven)\b|\bseed\s*="
)
"""Words of what a seed decides."""


@dataclass(frozen=True, slots=True)
class SeedUse:
    """What is known of a reset's seed.

    Attributes:
        dropped: Whether it is taken, and nothing of the code uses it.
        why: Where it is not known to be dropped: what that rests on, in words.
        unclear: Whether it may be dropped all the same.
        fixed: The words of README or docstrings that say that nothing is drawn; None where nothing says so.
        turns: The words that say that each reset goes on to the next episode; None where nothing says so.
    """

    dropped: bool
    why: str
    unclear: bool = False
    fixed: str | None = None
    turns: str | None = None


def nothing_drawn(prose: str) -> str | None:
    """The words that say that episodes are drawn by nothing, so that a seed has nothing to decide; None without any.

    Args:
        prose: What README and docstrings say.
    """
    for sentence in sentences(prose):
        found = DRAWS_NOTHING.search(sentence)
        if found is None or DENIED.search(sentence[: found.start()]):
            continue
        other = OF_GRADES.search(sentence) or BY_SEED.search(sentence)
        if OF_STEPS.search(sentence) and not OF_STARTS.search(sentence):
            continue
        if OF_WORLDS.search(sentence) and other is None:
            return words_at(sentence, found)
    return None


def kept_by_gymnasium(reset: Function, trees: Sequence[ast.Module], seed: str) -> bool:
    """Whether a reset hands its seed to Gymnasium's alone, whose generator nobody reads, and the code draws elsewhere.

    Args:
        reset: The environment's.
        trees: The files of its classes.
        seed: The parameter's name.
    """
    nodes = [node for tree in trees for node in nodes_of(tree)]
    imported = any(packages_of(tree) & PACKAGES for tree in trees)
    read = any(isinstance(node, ast.Attribute) and node.attr in OWN for node in nodes)
    made = any(name in GENERATORS for tree in trees for name in called_in(tree))
    if not imported or read or not made:
        return False
    given = {
        id(keyword.value)
        for node in ast.walk(reset)
        if isinstance(node, ast.Call) and is_reset_above(node.func)
        for keyword in node.keywords
    }
    mentions = [node for node in ast.walk(reset) if is_name(node, seed)]
    return bool(mentions) and all(id(mention) in given for mention in mentions)


def is_reset_above(node: ast.expr) -> bool:
    """Whether a node is ``super().reset``."""
    return (
        isinstance(node, ast.Attribute)
        and node.attr == "reset"
        and isinstance(node.value, ast.Call)
        and name_of(node.value.func) == "super"
    )


def seed_use(
    described: Description, source: Source, tasks: int, action: JsonSchema | None = None
) -> SeedUse:
    """What the reset's signature and code say of the seed.

    Args:
        described: What the environment says of itself.
        source: Its source.
        tasks: How many tasks were found; where there are several, they are told apart by reset options.
        action: Schema of an action.
    """
    if (where := seeded_by(described.tools, action)) is not None:
        return SeedUse(False, f"the seed is given in an action: {where}")
    if tasks > 1:
        return SeedUse(False, "its tasks are told apart by reset options")
    unseen = "one task only, or a seed that is dropped: the code cannot be seen"
    if described.reset is None:
        return SeedUse(False, unseen, unclear=True)
    if not any(parameter.name == SEED for parameter in described.reset.parameters):
        return SeedUse(False, "one task only: its reset takes no seed")
    code = described.code
    found = source.function(code.reset) if code else None
    if code is None or found is None:
        return SeedUse(False, unseen, unclear=True)
    return use_in_code(source, code.environment, found[1])


def seeded_by(tools: Iterable[Tool], action: JsonSchema | None) -> str | None:
    """The tool or the action that takes the seed, in words; None where none does.

    Args:
        tools: The environment's.
        action: Schema of an action.
    """
    for tool in tools:
        taken = tool.get("input_schema")
        if isinstance(taken, dict) and takes_seed(taken, taken):
            return f"{tool.get('name')} takes a {SEED}"
    forms = forms_of(action, action) if action else ()
    taken_by = any(takes_seed(form, action or {}) for form in forms)
    return f"its field {SEED}" if taken_by else None


def takes_seed(form: JsonSchema, root: JsonSchema) -> bool:
    """Whether an object has a field that is called a seed and may take a whole number: other seeds are sown.

    Args:
        form: Schema of the object.
        root: Where references lead.
    """
    field = (form.get("properties") or {}).get(SEED)
    kinds = forms_of(field, root) if isinstance(field, dict) else []
    return any(kind.get("type", "integer") == "integer" and "enum" not in kind for kind in kinds)


def use_in_code(source: Source, environment: EnvironmentClass, reset: Function) -> SeedUse:
    """What the code of a reset does with its seed.

    Args:
        source: The environment's source.
        environment: Where its classes are.
        reset: The code.
    """
    if SEED not in argument_names(reset):
        return SeedUse(False, "its code takes the seed inside of something else", unclear=True)
    classes = [source.cls(each) for each in environment.classes]
    # Another file of the folder may be a training script, which draws what the environment does not.
    trees = source.trees_of([environment, *environment.classes])
    if kept_by_gymnasium(reset, trees, SEED):
        return SeedUse(True, "")
    trail = Trail(source, classes)
    if not trail.is_used(reset, SEED):
        if trail.is_kept and not trail.draws_otherwise(trees):
            return SeedUse(False, FIXED)
        return SeedUse(True, "")
    why = "its code uses the seed, and nothing that was seen depends on it"
    return SeedUse(False, why, unclear=True)


class Trail:
    """Where a seed goes from a reset: on to other methods, into names and attributes, until it is used or lost.

    Args:
        source: The environment's source.
        classes: The environment's own classes, the nearest first; None for each that cannot be seen.
    """

    def __init__(self, source: Source, classes: Sequence[ast.ClassDef | None]) -> None:
        self._source = source
        seen = [cls for cls in classes if cls is not None]
        self._whole = bool(seen) and len(seen) == len(classes)
        self._methods: dict[str, list[Function]] = {}
        for cls in seen:
            for name, function in {f.name: f for f in functions_of(cls)}.items():
                self._methods.setdefault(name, []).append(function)
        self._live = list(reachable(seen))
        self._known: set[tuple[int | None, str]] = set()
        self._places: set[str] = set()

    @property
    def is_kept(self) -> bool:
        """Whether what was followed was kept under some name, itself or as a generator that was made of it."""
        return bool(self._places)

    def draws_otherwise(self, trees: Iterable[ast.Module]) -> bool:
        """Whether the environment draws from a generator that is not kept where what was followed is kept.

        That is one that it makes elsewhere, or the one that everybody has, where it seeds that.

        Args:
            trees: Files of the environment's classes; the functions of theirs that its methods call may draw as well.
        """
        plain = {f.name: f for tree in trees for f in tree.body if isinstance(f, Function)}
        for function in with_called(self._live, plain):
            nodes = list(ast.walk(function))
            pairs = (pair for node in nodes for pair in assignments(node))
            kept = [value for target, value in pairs if name_of(target) in self._places]
            for node in nodes:
                if not isinstance(node, ast.Call):
                    continue
                made = name_of(node.func) in GENERATORS
                if seeds_all(node.func) or (made and not any(holds(v, node) for v in kept)):
                    return True
        return False

    def is_used(self, function: Function, name: str) -> bool:
        """Whether a method does anything with a name but keep it or hand it on to where nobody uses it."""
        if (id(function), name) in self._known:
            return False
        self._known.add((id(function), name))
        named = (n for n in ast.walk(function) if isinstance(n, ast.Name) and n.id == name)
        return self._any_used(function, named)

    def _is_read(self, name: str) -> bool:
        """Whether anything uses an attribute of the environment; what an overridden method does counts for nothing."""
        if (None, name) in self._known:
            return False
        self._known.add((None, name))
        hooked = name in self._methods or "__setattr__" in self._methods
        if not self._whole or hooked or self._source.reads_from_outside(name):
            return True
        return any(self._reads(function, name) for function in self._live)

    def _reads(self, function: Function, name: str) -> bool:
        """Whether a method uses an attribute of this name, or gives the whole environment away."""
        nodes = list(ast.walk(function))
        bases = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        if any(is_self(n) and id(n) not in bases for n in nodes):
            return True
        named = (n for n in nodes if isinstance(n, ast.Attribute) and n.attr == name)
        return self._any_used(function, named)

    def _any_used(self, function: Function, named: Iterator[ast.Name | ast.Attribute]) -> bool:
        """Whether any mention in a method is a use."""
        idle = {*tests_of_none(function), *echoes(function)}
        return any(
            self._ends_in_use(function, node)
            for node in named
            if isinstance(node.ctx, ast.Load) and id(node) not in idle
        )

    def _ends_in_use(self, function: Function, mention: ast.expr) -> bool:
        """Whether a mention is a use, or becomes one where it is kept or handed on."""
        pairs = (pair for node in ast.walk(function) for pair in assignments(node))
        kept = [target for target, value in pairs if holds(value, mention)]
        taken = [
            self._parameter(function, call, called, argument)
            for call, called, argument in handed_on(function)
            if holds(argument, mention)
        ]
        if not kept and not taken:
            return True
        return any(self._is_kept(function, target) for target in kept) or any(
            parameter is None or self.is_used(*parameter) for parameter in taken
        )

    def _is_kept(self, function: Function, target: ast.expr) -> bool:
        """Whether what an assignment keeps is used."""
        if isinstance(target, ast.Name):
            self._places.add(target.id)
            return self.is_used(function, target.id)
        if isinstance(target, ast.Attribute) and is_self(target.value):
            self._places.add(target.attr)
            return self._is_read(target.attr)
        return True

    def _parameter(
        self,
        function: Function,
        call: ast.Call,
        called: ast.Attribute,
        argument: ast.expr | ast.keyword,
    ) -> tuple[Function, str] | None:
        """The method that takes an argument, and by what name; None where that cannot be told."""
        named = self._methods.get(called.attr, [])
        if is_above(called.value) and function in named:
            named = named[named.index(function) + 1 :]
        elif not is_self(called.value):
            named = []
        name = parameter_of(named[0], call, argument) if named and self._whole else None
        return None if name is None else (named[0], name)


def with_called(functions: Iterable[Function], plain: Mapping[str, Function]) -> list[Function]:
    """Functions, and the plain ones that they name, as far as that goes.

    Args:
        functions: Where the walk begins.
        plain: Functions of modules, by name.
    """
    found = list(functions)
    left = dict(plain)
    for function in found:  # grows as it goes
        named = left.keys() & set(variables_in(function))
        found += [left.pop(name) for name in sorted(named)]
    return found


def seeds_all(func: ast.expr) -> bool:
    """Whether a call seeds the generator that the module ``random`` or numpy has for everybody.

    One that draws from it unseeded gives other episodes, which flights see: what is drawn so is shown nowhere.
    """
    if not isinstance(func, ast.Attribute) or func.attr != "seed":
        return False
    of = func.value
    numpys = isinstance(of, ast.Attribute) and of.attr == "random" and name_of(of.value) in NUMPY
    return numpys or is_name(of, "random")


def holds(outer: ast.AST, inner: ast.expr) -> bool:
    """Whether a node stands inside another."""
    return any(node is inner for node in ast.walk(outer))


def is_above(node: ast.expr) -> bool:
    """Whether a node is ``super()``."""
    return isinstance(node, ast.Call) and is_name(node.func, "super")


def is_within(node: ast.expr) -> bool:
    """Whether a node is ``self``, ``super()`` or something that the environment holds."""
    while isinstance(node, ast.Attribute | ast.Subscript):
        node = node.value
    return is_self(node) or is_above(node)


def handed_on(
    function: Function,
) -> Iterator[tuple[ast.Call, ast.Attribute, ast.expr | ast.keyword]]:
    """Each argument of calls of the environment's methods and of what it holds, after the call and what is called."""
    for node in ast.walk(function):
        if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
            continue
        given: list[ast.expr | ast.keyword] = [*node.args, *node.keywords]
        if is_within(node.func.value):
            yield from ((node, node.func, argument) for argument in given)


def parameter_of(
    function: Function, call: ast.Call, argument: ast.expr | ast.keyword
) -> str | None:
    """The name by which a method takes an argument; None where that cannot be told."""
    taken = function.args
    if isinstance(argument, ast.keyword):
        names = [each.arg for each in [*taken.args, *taken.kwonlyargs]]
        return argument.arg if argument.arg in names else None
    before = call.args[: call.args.index(argument) + 1]
    places = [*taken.posonlyargs, *taken.args][1:]
    if function.decorator_list or any(isinstance(each, ast.Starred) for each in before):
        return None
    return places[len(before) - 1].arg if len(before) <= len(places) else None


def tests_of_none(function: Function) -> set[int]:
    """What is only asked whether there is any."""
    return {
        id(node.left)
        for node in ast.walk(function)
        if isinstance(node, ast.Compare)
        and all(isinstance(op, ast.Is | ast.IsNot) for op in node.ops)
    }


def echoes(function: Function) -> set[int]:
    """What is only said again: as a field of the seed's name, or in what is printed or logged."""
    said: list[ast.expr] = []
    for node in ast.walk(function):
        said += [value for key, value in text_items(node) if key == SEED]
        if isinstance(node, ast.Call) and SHOWS.search(ast.unparse(node.func)):
            said += [keyword.value for keyword in node.keywords if keyword.arg == SEED]
        if isinstance(node, ast.Call) and LOGS.search(ast.unparse(node.func)):
            said += [
                inner
                for given in node.args
                for inner in ast.walk(given)
                if isinstance(inner, ast.expr)
            ]
    return {id(value) for value in said}
