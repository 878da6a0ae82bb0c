"""What success may be in an environment that does not say it: candidates, as expressions, ranked by how they behave.

A candidate is made from a name, a value or a text that behaves or is called like success in any of the usual ways. It
is an expression of :class:`~gonogo.env.success.SuccessRule`, so that ``--success`` takes it as it stands. Its rank
comes from its name, from the environment's own words, and from what was flown: a success is false at the start, true at
some ends and not at all of them, and goes with high returns. Where no episode succeeded, names, schemas and words have
to do. A candidate that is only the reward again is marked, and stands behind the others.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from keyword import iskeyword
from statistics import fmean
from typing import ClassVar

from gonogo.auditing.success_words import (
    ACTION,
    COUNTED,
    FAILURE,
    LEFT,
    LIMITS,
    PAY,
    PHRASE,
    RESOURCES,
    SAYING,
    SCORE,
    TOTAL,
    VERDICT,
    SourceWords,
    any_words,
    name_strength,
    phrases_in,
    says_failure,
    words_of,
)
from gonogo.env.success import SuccessRule
from gonogo.records.audit import SuccessCandidate
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Schemas
from gonogo.wire import JsonSchema, JsonValue, Metadata, Observation, State

ASSUMED = 2.0
"""Strength from which a candidate is taken for success; a weaker one is only proposed."""
MOST_ENDS, MOST_EARLIER = 200, 6
MOST_CANDIDATES, MOST_TOLD = 80, 5
DEEPEST, MOST_KEYS = 3, 60
SHORT = 32
"""Length up to which a text is a verdict and no sentence."""
BESIDE = frozenset({"reward", "done", "metadata", "success_untold"})
"""What stands beside an observation, or was put there by gonogo."""
LEAST_ENDS = 4
"""Ends from which a candidate that held at all of them tells nothing."""
SCHEMA_BOUND, UNIT_BOUND = "its declared maximum", "the top of its range"


@dataclass(frozen=True, slots=True)
class Ending:
    """The end of an episode, and what it showed before.

    Attributes:
        observation: At the end.
        metadata: At the end, without what gonogo put there.
        state: At the end; None where it was not asked for.
        done: Whether the environment ended the episode.
        reward: Of the last step.
        total: The return.
        earlier: What was seen before, from the reset on, as far as it was kept.
    """

    observation: Observation
    metadata: Metadata
    state: State | None
    done: bool
    reward: float | None
    total: float | None
    earlier: tuple[Observation, ...]

    @classmethod
    def of(cls, episode: Episode, state: State | None = None) -> Ending:
        """The end of a flown episode."""
        seen = [turn.observation for turn in episode.turns if turn.observation]
        apart = max(1, len(seen) // MOST_EARLIER)
        last = episode.turns[-1]
        return cls(
            episode.final_observation, episode.final_metadata, state, last.done, last.reward,
            episode.episode_return, tuple(seen[::apart]),
        )  # fmt: skip


def propose(
    episodes: Sequence[Episode],
    schemas: Schemas,
    words: SourceWords | None = None,
    states: Sequence[State | None] = (),
) -> list[SuccessCandidate]:
    """What success may be, the likeliest first.

    Args:
        episodes: What was flown, with what was seen at the ends; it may be that none succeeded.
        schemas: Of the environment.
        words: What its source says; None where there is none to read.
        states: The state at the end of each episode, as far as it was asked for; empty for none.
    """
    known = [*states, *[None] * (len(episodes) - len(states))]
    ended = [(e, s) for e, s in zip(episodes, known, strict=True) if e.error is None and e.turns]
    apart = max(1, len(ended) // MOST_ENDS)
    ends = [Ending.of(episode, state) for episode, state in ended[::apart]]
    search = CandidateSearch(ends, schemas, words or SourceWords())
    found = sorted(search.ranked(), key=lambda each: -each.strength)
    return found[:MOST_TOLD]


@dataclass(frozen=True, slots=True)
class Leaf:
    """A place of an observation, of metadata or of the state, and what stood there at the ends.

    Attributes:
        source: ``observation``, ``metadata`` or ``state``.
        path: The names that lead to it.
        values: What stood there, where it was shown.
        schema: What is declared of it; empty where nothing is.
    """

    source: str
    path: tuple[str, ...]
    values: tuple[JsonValue, ...]
    schema: JsonSchema = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its own name."""
        return self.path[-1]

    @property
    def text(self) -> str:
        """The place as an expression."""
        first, rest = self.path[0], self.path[1:]
        own = {*SuccessRule.SOURCES, *SuccessRule.FUNCTIONS, "done", "reward"}
        plain = first.isidentifier() and not (
            iskeyword(first) or first.startswith("_") or first in own
        )
        if self.source == "observation" and plain:
            return first + "".join(map(subscript, rest))
        return self.source + "".join(map(subscript, self.path))

    @property
    def discount(self) -> float:
        """What it costs to lie deep, or to be about an action."""
        above = any_words(self.path[:-1])
        about_action = bool((above | words_of(self.name)) & ACTION)
        return 0.1 * (len(self.path) - 1) + (2.0 if about_action else 0.0)

    def is_of(self, *kinds: str) -> bool:
        """Whether all its values are of a JSON type, or, where there are none, it is declared so."""
        told = [v for v in self.values if v is not None]
        if told:
            return all(kind_of(value) in kinds for value in told)
        return bool(declared_kinds(self.schema) & set(kinds))


def subscript(name: str) -> str:
    """A key, asked for."""
    return f"[{json.dumps(name, ensure_ascii=False)}]"


def kind_of(value: JsonValue) -> str:
    """The JSON type of a value."""
    if isinstance(value, bool):
        return "boolean"
    kinds = {int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


def declared_kinds(schema: JsonSchema) -> set[str]:
    """The JSON types that a schema takes."""
    forms = [schema, *[f for f in schema.get("anyOf", []) if isinstance(f, dict)]]
    told = [form.get("type") for form in forms]
    return {"number" if kind == "integer" else str(kind) for kind in told if isinstance(kind, str)}


@dataclass(frozen=True, slots=True)
class Guess:
    """An expression before it is tried.

    Attributes:
        expression: The expression.
        strength: What its name and its words are worth.
        why: Where it is from.
        circular: Whether it is the reward again.
    """

    expression: str
    strength: float
    why: str
    circular: bool = False


class CandidateSearch:
    """The candidates of one environment.

    Args:
        ends: How its episodes ended.
        schemas: Of the environment.
        words: What its source says.
    """

    HELD_AT_START: ClassVar[float] = 0.2

    def __init__(self, ends: Sequence[Ending], schemas: Schemas, words: SourceWords) -> None:
        self._ends, self._schemas, self._words = ends, schemas, words
        fields = schemas.observation.get("properties", {})
        shown = [name for end in ends for name in end.observation]
        self._fields = list(dict.fromkeys([*fields, *shown]))
        self._leaves = list(self._all_leaves())

    def ranked(self) -> Iterator[SuccessCandidate]:
        """Each expression once, tried on all ends."""
        best: dict[str, Guess] = {}
        for guess in self._guesses():
            if guess.expression not in best or best[guess.expression].strength < guess.strength:
                best[guess.expression] = guess
        likely = sorted(best.values(), key=lambda guess: -guess.strength)
        for guess in likely[:MOST_CANDIDATES]:
            if (candidate := self._tried(guess)) is not None:
                yield candidate

    def _guesses(self) -> Iterator[Guess]:
        for leaf in self._leaves:
            yield from self._flags(leaf)
            yield from self._verdicts(leaf)
            yield from self._scores(leaf)
            yield from self._left(leaf)
            yield from self._sentences(leaf)
        yield from self._counts()
        yield from self._paid()

    # Where things stand.

    def _all_leaves(self) -> Iterator[Leaf]:
        declared = {
            "observation": self._schemas.observation, "metadata": {}, "state": self._schemas.state,
        }  # fmt: skip
        for source, schema in declared.items():
            every = [getattr(end, source) for end in self._ends]
            shown = [value for value in every if isinstance(value, dict)]
            found = leaves(source, (), shown, schema, schema)
            yield from (leaf for leaf in found if leaf.path[0] not in BESIDE)

    # What may be success.

    def _flags(self, leaf: Leaf) -> Iterator[Guess]:
        if leaf.name == "done" or says_failure(leaf.name):
            return
        strength = name_strength(leaf.name) - leaf.discount + self._spoken(leaf)
        if leaf.is_of("boolean"):
            yield Guess(leaf.text, strength, f"{leaf.text} is a truth value{called(leaf.name)}")
        elif strength >= 2 and leaf.values and all(value in (0, 1, None) for value in leaf.values):
            yield Guess(
                f"{leaf.text} == 1", strength - 0.2, f"{leaf.text} is 0 or 1{called(leaf.name)}"
            )

    def _verdicts(self, leaf: Leaf) -> Iterator[Guess]:
        if not (leaf.is_of("string") and words_of(leaf.name) & (VERDICT | SCORE)):
            return
        declared = [*leaf.schema.get("enum", []), leaf.schema.get("const")]
        source = self._words.verdicts.get(leaf.name, [])
        for value in dict.fromkeys([*leaf.values, *declared, *source]):
            if isinstance(value, str) and len(value) <= SHORT and len(value.split()) <= 3:
                strength = 0.9 * name_strength(value) - leaf.discount
                if strength > 0:
                    where = "shows" if value in leaf.values else "may show"
                    yield Guess(
                        f"{leaf.text} == {json.dumps(value, ensure_ascii=False)}",
                        strength - (0.0 if value in leaf.values else 0.4),
                        f"{leaf.text} {where} {value!r}",
                    )

    def _scores(self, leaf: Leaf) -> Iterator[Guess]:
        words = words_of(leaf.name)
        if not leaf.is_of("number") or not words & SCORE or words & (LIMITS | FAILURE):
            return
        circular = bool(words & PAY) or self._is_reward(leaf)
        for value, how, strength in self._marks(leaf):
            yield Guess(
                f"{leaf.text} >= {value:g}",
                strength - leaf.discount - circular,
                f"{leaf.text} is called a score, and {value:g} is {how}",
                circular,
            )

    def _marks(self, leaf: Leaf) -> Iterator[tuple[float, str, float]]:
        """From where on a score is a success: where the source says so, else the most there can be."""
        words = words_of(leaf.name)
        for mark in self._words.thresholds:
            if words_of(mark.name) & words & SCORE or mark.name == leaf.name:
                yield (
                    mark.value,
                    "where the source calls it an end"
                    if mark.ends
                    else "where the source calls it a success",
                    2.3,
                )
        most = leaf.schema.get("maximum")
        if isinstance(most, int | float):
            yield float(most), SCHEMA_BOUND, 1.7
            return
        numbers = [float(v) for v in leaf.values if isinstance(v, int | float)]
        if words & {"percent", "percentage"} or (
            numbers and 1 < max(numbers) <= 100 and words & {"progress", "completion"}
        ):
            yield 100.0, UNIT_BOUND, 1.5
        elif all(0 <= number <= 1 for number in numbers):
            yield 1.0, UNIT_BOUND, 1.4

    def _left(self, leaf: Leaf) -> Iterator[Guess]:
        words = words_of(leaf.name)
        if not words & LEFT or words & RESOURCES:
            return
        if leaf.is_of("number"):
            yield Guess(f"{leaf.text} == 0", 0.9 - leaf.discount, f"{leaf.text} counts down to 0")
        elif leaf.is_of("array", "object"):
            yield Guess(
                f"len({leaf.text}) == 0", 0.9 - leaf.discount, f"nothing is left in {leaf.text}"
            )

    def _counts(self) -> Iterator[Guess]:
        """Counts that reach a total beside them."""
        counted = [leaf for leaf in self._leaves if leaf.is_of("number", "array")]
        for done in counted:
            mine = words_of(done.name)
            if not mine & COUNTED or mine & (LEFT | RESOURCES | LIMITS | FAILURE):
                continue
            for total in counted:
                theirs = words_of(total.name)
                beside = total.source == done.source and total.path[:-1] == done.path[:-1]
                if (
                    not beside
                    or total is done
                    or theirs & (COUNTED | LEFT | RESOURCES | FAILURE | PAY)
                ):
                    continue
                stem = bool((mine - COUNTED) & theirs)
                if not (stem or (theirs & TOTAL and not mine - COUNTED)):
                    continue
                strength = 2.2 if theirs & TOTAL else 1.6
                yield Guess(
                    f"{amount(done)} == {amount(total)}",
                    strength - done.discount,
                    f"{done.text} reaches {total.text}",
                )

    def _sentences(self, leaf: Leaf) -> Iterator[Guess]:
        if (
            not (leaf.is_of("string") and words_of(leaf.name) & SAYING)
            or words_of(leaf.name) & FAILURE
        ):
            return
        seen = [
            phrase
            for text in dict.fromkeys(leaf.values)
            if isinstance(text, str)
            for phrase in phrases_in(text)
        ]
        told = [
            phrase
            for name, phrase in self._words.phrases
            if name == leaf.name or words_of(name) & SAYING
        ]
        shown = [str(value) for value in leaf.values]
        mine = words_of(leaf.name)
        near = {phrase for name, phrase in self._words.phrases if words_of(name) & mine & SAYING}
        for phrase in dict.fromkeys([*seen, *told]):
            held = any(phrase in text for text in shown)
            strength = 1.8 if held else 1.2
            strength += 0.4 * phrase.isupper() + 0.4 * (phrase in near)
            strength -= 0.6 * (len(phrase.split()) == 1) + 0.6 * bool(words_of(phrase) & ACTION)
            yield Guess(
                f"{json.dumps(phrase, ensure_ascii=False)} in ({leaf.text} or {json.dumps('')})",
                strength - 0.1 * (len(leaf.path) - 1),
                f"{leaf.text} {'says' if held else 'may say'} {phrase!r}",
            )

    def _paid(self) -> Iterator[Guess]:
        """The reward where the source calls some of it a success: in a circle, but better than nothing."""
        shown = {leaf.name for leaf in self._leaves}
        for mark in self._words.thresholds:
            if words_of(mark.name) & (PAY | SCORE | {"total", "value"}) and mark.name not in shown:
                yield Guess(
                    f"done and reward >= {mark.value:g}",
                    2.2 if mark.ends else 1.4,
                    f"the source compares {mark.name} with {mark.value:g} "
                    f"{'to end an episode' if mark.ends else 'to call it a success'}, and the reward seems to be it",
                    circular=True,
                )

    # What speaks for it.

    def _spoken(self, leaf: Leaf) -> float:
        """What the environment's own words add to a name."""
        described = str(leaf.schema.get("description", ""))
        return 0.3 * (bool(PHRASE.search(described)) or self._words.speaks_of(leaf.name))

    def _is_reward(self, leaf: Leaf) -> bool:
        """Whether a place always holds the last reward."""
        pairs = [
            (value, end.reward)
            for end in self._ends
            if (value := value_in(getattr(end, leaf.source), leaf.path)) is not None
        ]
        return len({value for value, _ in pairs}) > 1 and all(
            value == reward for value, reward in pairs
        )

    def _tried(self, guess: Guess) -> SuccessCandidate | None:
        """A guess with what came of it; None where it is no expression, or was true from the start."""
        try:
            rule = SuccessRule(guess.expression, self._fields)
            held = [self._holds(rule, end) for end in self._ends]
            before = [
                [rule.says(seen, {}, False) is True for seen in end.earlier] for end in self._ends
            ]
        except ValueError:
            return None
        starts = [each[0] for each in before if each]
        if starts and fmean(starts) > self.HELD_AT_START:
            return None
        paid = [
            (yes, end.total)
            for yes, end in zip(held, self._ends, strict=True)
            if end.total is not None
        ]
        with_it, without = ([t for yes, t in paid if yes is wanted] for wanted in (True, False))
        order = out_earns(with_it, without)
        strength, why = guess.strength - (1.0 if any(starts) else 0.0), [guess.why]
        if any(held) and all(held) and len(held) >= LEAST_ENDS:
            strength, why = strength - 2.0, [*why, "it held at every end"]
        elif any(held):
            why.append(f"it held at {sum(held)} of {len(held)} ends")
            if order is not None and not guess.circular:
                strength += 1.2 if order >= 0.75 else 0.6 if order >= 0.5 else -1.5
                why.append(
                    "where returns are high"
                    if order >= 0.75
                    else "whatever was paid"
                    if order >= 0.5
                    else "where returns are low"
                )
        else:
            why.append("it held at no end so far")
        ended = [yes for yes, end in zip(held, self._ends, strict=True) if end.done]
        if len(ended) >= LEAST_ENDS and all(ended) and not all(held):
            strength, why = strength - 2.0, [*why, "at every end that the environment made"]
        return SuccessCandidate(
            expression=guess.expression,
            strength=round(strength, 2),
            why=", ".join(why),
            held=sum(held),
            ends=len(held),
            return_held=fmean(with_it) if with_it else None,
            return_else=fmean(without) if without else None,
            circular=guess.circular,
        )

    @staticmethod
    def _holds(rule: SuccessRule, end: Ending) -> bool:
        said = rule.says(
            end.observation, end.metadata, end.done, state=end.state, reward=end.reward
        )
        return said is True


def called(name: str) -> str:
    """What a name says, as the end of a sentence."""
    return " that is named like success" if name_strength(name) >= 3 else ""


def amount(leaf: Leaf) -> str:
    """How much a place holds, as an expression."""
    return f"len({leaf.text})" if leaf.is_of("array") else leaf.text


def out_earns(ones: Sequence[float], others: Sequence[float]) -> float | None:
    """Probability that one of some returns is above one of others, ties counting half; None without both."""
    if not ones or not others:
        return None
    return fmean(0.5 * ((one > other) + (one >= other)) for one in ones for other in others)


def value_in(value: JsonValue, path: Iterable[str]) -> JsonValue:
    """What stands at a path; None where nothing does."""
    for name in path:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def leaves(
    source: str,
    path: tuple[str, ...],
    shown: Sequence[JsonValue],
    schema: JsonSchema,
    root: JsonSchema,
) -> Iterator[Leaf]:
    """The places below some objects, and those that are only declared.

    Args:
        source: Of what.
        path: Where the objects stand.
        shown: The objects.
        schema: What is declared of them.
        root: The schema that references are looked up in.
    """
    declared = schema.get("properties", {})
    names = dict.fromkeys([*declared, *(name for value in shown for name in value)])
    for name in list(names)[:MOST_KEYS]:
        values = [value[name] for value in shown if name in value]
        inner = resolved(declared.get(name, {}), root)
        objects = [value for value in values if isinstance(value, dict)]
        yield Leaf(
            source, (*path, name), tuple(v for v in values if not isinstance(v, dict)), inner
        )
        if len(path) + 1 < DEEPEST and (objects or "properties" in inner):
            yield from leaves(source, (*path, name), objects, inner, root)


def resolved(schema: JsonValue, root: JsonSchema) -> JsonSchema:
    """A schema behind its reference; empty where there is none."""
    if not isinstance(schema, dict):
        return {}
    forms = [f for f in schema.get("anyOf", []) if isinstance(f, dict) and f.get("type") != "null"]
    if "$ref" not in schema and len(forms) == 1:
        return {**schema, **resolved(forms[0], root)}
    name = str(schema.get("$ref", "")).rpartition("/")[2]
    target = root.get("$defs", {}).get(name)
    return {**target, **schema} if isinstance(target, dict) else schema
