"""What success may be in an environment that does not say it: candidates, as expressions, ranked by how they behave.

A candidate is made from a name, a value or a text that behaves or is called like success in any of the usual ways. It
is an expression of :class:`~gonogo.env.success.SuccessRule`, so that ``--success`` takes it as it stands. Its rank
comes from its name, from the environment's own words, and from what was flown: a success is false at the start, true at
some ends and not at all of them, stays true, and goes with high returns. Where no episode succeeded, names, schemas and
words have to do. A candidate that is only the reward again is marked, and stands behind the others.

Rather none is assumed than the toss of a coin. What never held is proposed and no more. So is what held, unless its
name says success, a policy that is meant to succeed reaches it, or it held at more than a few ends, and ends episodes
with the highest last reward, or all where it held earned more than all others: else it may be one part of what is
graded, or a flag of any end. Nothing is assumed that behaves like less than success: idling reaches it, it comes and
goes, or one value of an action brings it about, whatever else is done.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean
from typing import ClassVar

from gonogo.auditing.resets import Opening
from gonogo.auditing.success_places import Leaf, amount, leaves, value_in
from gonogo.auditing.success_words import (
    ACTION,
    CHOICES,
    COUNTED,
    FAILURE,
    LAST,
    LEFT,
    LIMITS,
    PARTS,
    PAY,
    PHRASE,
    RESOURCES,
    SAYING,
    SAYS,
    SCORE,
    SUCCESS,
    TOTAL,
    VERDICT,
    SourceWords,
    any_words,
    name_strength,
    part_of,
    phrases_in,
    says_end,
    says_failure,
    words_of,
)
from gonogo.env.success import SuccessRule
from gonogo.records.success import SuccessCandidate
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Schemas
from gonogo.wire import JsonValue, Metadata, Observation, State

MOST_ENDS, MOST_BEST, MOST_EARLIER = 160, 40, 4
MOST_CANDIDATES = 80
ENDS = 1.3
"""Strength of a truth value that the source sets where it ends an episode, whatever it is called."""
SHORT = 32
"""Length up to which a text is a verdict and no sentence."""
BESIDE = frozenset({"reward", "done", "metadata", "success_untold"})
"""What stands beside an observation, or was put there by gonogo."""
FULL_MARK = 1.0
"""What is paid for a whole success where nobody says otherwise."""
SURE = 4.0
"""Strength from which a candidate may be assumed that neither names success nor goes with the highest pay."""
UNSURE = 1.9
"""About the strength of those that are no more than a toss of a coin: a part of success, any end, or never seen."""
LEAST_ENDS = 4
"""Ends from which a candidate that held at all of them tells nothing; one that held at no more may do so by chance."""
SETTLED = 0.8
"""Share of the best last reward that all ends are paid where a candidate held, if it settles what is paid."""
OFTEN_IDLE, NEARLY_ALL = 0.5, 0.9
"""Share of idle's episodes from which on idling reaches a candidate, and of those with a value from which on it is the
value that does."""
GRADES = 3
"""Different grades within a score's range from which its top is perfection, and success may be less."""
OTHERS = 2
"""Values beside one from which an object holds parts."""
MOST_PASSED, COMES_AND_GOES, OFTEN = 24, 2, 0.1
"""Steps of an episode that are looked at, and the episodes, as a number and as a share, in which success has to be lost
for a word to be of an action."""
OF_ALL = frozenset({"all", "every", "ok"})
"""Words by which it is of all of them."""
PLURAL = re.compile(r"[^aeious]s$|[eo]s$")
"""How the name of several ends; ``success``, ``status`` and ``axis`` do otherwise."""
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
        guided: Whether a policy flew it that is meant to succeed.
        sent: What was sent, as a text.
        passed: All that was seen and said beside it after an action and before the end.
        best_before: The highest reward of a step before the last; None without one.
        idle: Whether the policy flew it that does nothing.
        values: Each value that was sent, as a text, with the place in an action where it stood.
        task: The reset options, as a text.
    """

    observation: Observation
    metadata: Metadata
    state: State | None
    done: bool
    reward: float | None
    total: float | None
    earlier: tuple[Observation, ...]
    guided: bool = False
    sent: str = ""
    passed: tuple[tuple[Observation, Metadata], ...] = ()
    best_before: float | None = None
    idle: bool = False
    values: frozenset[tuple[str, str]] = frozenset()
    task: str = ""

    @classmethod
    def of(cls, episode: Episode, *, guided: bool = False, idle: bool = False) -> Ending:
        """The end of a flown episode."""
        seen = [turn.observation for turn in episode.turns if turn.observation]
        apart = max(1, len(seen) // MOST_EARLIER)
        *before, last = episode.rewards
        return cls(
            episode.final_observation, episode.final_metadata, episode.final_state, episode.turns[-1].done,
            last, episode.episode_return, tuple(seen[::apart]), guided,
            json.dumps([turn.action for turn in episode.turns], ensure_ascii=False),
            tuple((after.observation, turn.aside) for turn, after in pairwise(episode.turns)),
            max((reward for reward in before if reward is not None), default=None),
            idle,
            frozenset(each for turn in episode.turns for each in values_in(turn.action)),
            json.dumps(episode.task, sort_keys=True),
        )  # fmt: skip


def propose(
    episodes: Sequence[Episode],
    schemas: Schemas,
    words: SourceWords | None = None,
    openings: Sequence[Opening] = (),
    guides: Collection[str] = (),
    idle: str = "",
) -> list[SuccessCandidate]:
    """What success may be, the likeliest first.

    Args:
        episodes: What was flown, with what was seen at the ends; it may be that none succeeded. Where the state is
            to be looked at, they hold it.
        schemas: Of the environment.
        words: What its source says; None where there is none to read.
        openings: What some resets show, metadata and state among it.
        guides: Names of the policies that are meant to succeed.
        idle: Name of the policy that does nothing.
    """
    ended = [e for e in episodes if e.error is None and e.turns]
    ends = [
        Ending.of(e, guided=e.policy in guides, idle=e.policy == idle) for e in telling(ended, idle)
    ]
    search = CandidateSearch(ends, schemas, words or SourceWords(), openings)
    return sorted(search.ranked(), key=lambda each: -each.strength)


@dataclass(frozen=True, slots=True)
class Guess:
    """An expression before it is tried.

    Attributes:
        expression: The expression.
        strength: What its name and its words are worth.
        why: Where it is from.
        circular: Whether it is the reward again.
        word: Whether it is a word for success, and no mark on a score or a count, nor a word for any end.
        may: Whether it may be such a word, if it behaves like one: a truth value, a verdict or a sentence.
        sure: Whether it needs nothing more than to hold at some ends: a truth value whose name says success, or the
            reward where all that is ever paid is the same full mark.
        last: Whether its name is of the last case, of which an episode may have many.
        part: Why it may be about a part of an episode's work; empty where nothing says so.
    """

    expression: str
    strength: float
    why: str
    circular: bool = False
    word: bool = False
    may: bool = False
    sure: bool = False
    last: bool = False
    part: str = ""


def telling(episodes: Sequence[Episode], idle: str) -> list[Episode]:
    """As many of some episodes as are looked at: idle's, those with the highest last rewards, and every few others."""
    best = sorted(range(len(episodes)), key=lambda n: -(episodes[n].rewards[-1] or 0.0))
    apart = max(1, len(episodes) // MOST_ENDS)
    still = (n for n, episode in enumerate(episodes) if episode.policy == idle)
    chosen = {*still, *best[:MOST_BEST], *range(0, len(episodes), apart)}
    return [episodes[n] for n in sorted(chosen)]


class CandidateSearch:
    """The candidates of one environment.

    Args:
        ends: How its episodes ended.
        schemas: Of the environment.
        words: What its source says.
        openings: What some resets show.
    """

    HELD_AT_START: ClassVar[float] = 0.2

    def __init__(
        self,
        ends: Sequence[Ending],
        schemas: Schemas,
        words: SourceWords,
        openings: Sequence[Opening] = (),
    ) -> None:
        self._ends, self._schemas, self._words = ends, schemas, words
        self._openings = openings
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
        if says_end(leaf.name) or says_failure(leaf.name):
            return
        named, ends = name_strength(leaf.name), leaf.name in self._words.ends
        strength = max(named, ENDS * ends) - leaf.discount + self._spoken(leaf)
        word = named >= SAYS
        if leaf.is_of("boolean"):
            why = f"{leaf.text} is a truth value{called(leaf.name)}"
            why += " with which the source ends an episode" if ends else ""
            may, last = ends or named > 0, is_of_last(leaf)
            part = self._part(leaf)
            yield Guess(leaf.text, strength, why, False, word, may, word, last, part)
        elif counts_things(leaf.name):
            return
        elif strength >= 2 and leaf.values and all(value in (0, 1, None) for value in leaf.values):
            why = f"{leaf.text} is 0 or 1{called(leaf.name)}"
            yield Guess(f"{leaf.text} == 1", strength - 0.2, why, word=word, part=self._part(leaf))

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
                        word=name_strength(value) >= SAYS,
                        may=True,
                        last=is_of_last(leaf),
                    )

    def _scores(self, leaf: Leaf) -> Iterator[Guess]:
        words = words_of(leaf.name)
        if not leaf.is_of("number") or not words & SCORE or words & (LIMITS | FAILURE):
            return
        circular = bool(words & PAY) or self._is_reward(leaf)
        between = {v for v in leaf.values if isinstance(v, int | float) and 0 < v < 1}
        for value, how, strength in self._marks(leaf):
            top = how in (SCHEMA_BOUND, UNIT_BOUND) and len(between) >= GRADES
            yield Guess(
                f"{leaf.text} >= {value:g}",
                strength - leaf.discount - circular,
                f"{leaf.text} is called a score, and {value:g} is {how}",
                circular,
                part=self._part(leaf) or ("less than all may be a success" if top else ""),
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
            if not mine & COUNTED or mine & (LEFT | RESOURCES | LIMITS | FAILURE | CHOICES):
                continue
            for total in counted:
                theirs = words_of(total.name)
                beside = total.source == done.source and total.path[:-1] == done.path[:-1]
                if (
                    not beside
                    or total is done
                    or theirs & (COUNTED | LEFT | RESOURCES | FAILURE | PAY | CHOICES)
                ):
                    continue
                stem = bool((mine - COUNTED) & theirs)
                if not (stem or (theirs & TOTAL and not mine - COUNTED)):
                    continue
                if self._no_target(done, total):
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
            if held and self._echoed(leaf, phrase):
                continue
            strength = 1.8 if held else 1.2
            strength += 0.4 * phrase.isupper() + 0.4 * (phrase in near)
            strength -= 0.6 * (len(phrase.split()) == 1) + 0.6 * bool(words_of(phrase) & ACTION)
            others = [text for text in shown if phrase in text and text != phrase]
            apart = [text for text in others if not is_inside(phrase, text)]
            whole = phrase in shown and not apart
            if not whole and len(apart) < len(others):
                continue
            said = json.dumps(phrase, ensure_ascii=False)
            yield Guess(
                f"{leaf.text} == {said}" if whole else f'{said} in ({leaf.text} or "")',
                strength - 0.1 * (len(leaf.path) - 1),
                f"{leaf.text} {'says' if held else 'may say'} {phrase!r}",
                word=name_strength(phrase) >= SAYS,
                may=True,
                part=self._one_of_several(phrase),
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
        if self._is_sparse():
            yield Guess(
                f"done and reward >= {FULL_MARK:g}",
                2.1,
                f"nothing but an end is paid, and always {FULL_MARK:g}",
                circular=True,
                sure=True,
            )

    def _is_sparse(self) -> bool:
        """Whether nothing but an end is ever paid, and always the full mark, as in a puzzle.

        Costs may be taken on the way. At more than half of the ends it is no success, but what any end is given. Less
        than the full mark may be part of a success that nobody has reached.
        """
        ends = [end for end in self._ends if end.reward is not None and end.total is not None]
        most = max((end.reward or 0.0 for end in ends), default=0.0)
        won = [end for end in ends if end.done and end.reward == most]
        rest = [end.total or 0.0 for end in ends if end not in won]
        enough = len(rest) >= max(LEAST_ENDS, len(won))
        way = max((e.best_before for e in self._ends if e.best_before is not None), default=0.0)
        if most != FULL_MARK or not won or not enough or max(rest) > 0 or way > 0:
            return False
        return all((end.total or 0.0) <= most for end in won)

    def _echoed(self, leaf: Leaf, phrase: str) -> bool:
        """Whether a place says something to whoever said it before: that is the agent's own word."""
        return any(
            phrase in end.sent and phrase in str(value_in(getattr(end, leaf.source), leaf.path))
            for end in self._ends
        )

    # Of what it is said.

    def _part(self, leaf: Leaf) -> str:
        """Why a place is of a part of what is asked: it stands among the parts, or others tell of other parts."""
        said, above = words_of(leaf.name) & (SUCCESS | SCORE), leaf.path[:-1]
        listing = [n for n, name in enumerate(above) if words_of(name) & PARTS]
        first = listing[0] + 1 if listing else len(above)
        part = frozenset(word for name in leaf.path[first:] for word in part_of(name))
        if not part or not said:
            return ""
        others = {
            o.path[first]
            for o in self._leaves
            if o.source == leaf.source
            and o.path[:first] == leaf.path[:first]
            and len(o.path) > first
        } - {leaf.path[first]}
        alike = [n for n in others if words_of(n) & said and part_of(n) not in (part, frozenset())]
        alike = [name for name in alike if not words_of(name) & ACTION]
        listed = bool(listing) and len(others) >= OTHERS
        return "it is of one part of what is asked" if listed or alike else ""

    def _one_of_several(self, phrase: str) -> str:
        """Why a sentence is of one task: places of like names say others with the same word for success."""
        own = [words_of(name) for name, said in self._words.phrases if said == phrase and name]
        word = PHRASE.search(phrase)
        if not own or word is None:
            return ""
        mine = frozenset.union(*own)
        for name, said in self._words.phrases:
            theirs, other = words_of(name), PHRASE.search(said)
            same = other is not None and other.group().lower() == word.group().lower()
            if same and said != phrase and theirs not in own and theirs & mine - SAYING:
                return "it is one of several sentences that say it, each of another place"
        return ""

    def _no_target(self, done: Leaf, total: Leaf) -> bool:
        """Whether a total is none to be reached: more was counted, or it differs between episodes of one task."""
        totals: dict[str, JsonValue] = {}
        for end in self._ends:
            both = [value_in(getattr(end, o.source), o.path) for o in (done, total)]
            one, most = (len(v) if isinstance(v, list) else v for v in both)
            if not (isinstance(one, int | float) and isinstance(most, int | float)):
                continue
            if one > most or totals.setdefault(end.task, most) != most:
                return True
        return False

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
        starts += [
            rule.says(o.observation, o.metadata, False, state=o.state) is True
            for o in self._openings
        ]
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
                worth, said = worth_of(order, word=guess.word)
                strength, why = strength + worth, [*why, said]
        else:
            why.append("it held at no end so far")
        if meant := [yes for yes, end in zip(held, self._ends, strict=True) if end.guided]:
            strength += 0.8 if fmean(meant) >= 0.5 else -1.5
            why.append(
                f"at {sum(meant)} of {len(meant)} ends of the policies that are meant to succeed"
            )
        both = zip(before, held, strict=True)
        passing = any(a and not b for each, yes in both for a, b in pairwise([*each, yes]))
        if passing:
            strength, why = strength - 1.0, [*why, "it passes while an episode goes on"]
        pays = not guess.circular and not passing and self._ends_with_pay(held, before)
        ends = guess.may and pays
        if ends:
            strength, why = (
                strength + 0.9,
                [*why, "it ends an episode with the highest last reward"],
            )
        if self._at_every_end(held):
            strength, why = strength - 2.0, [*why, "at every end that the environment made"]
        richest = pays or (order == 1 and not guess.circular)
        led = bool(meant) and fmean(meant) >= 0.5
        strength = self._assured(guess, strength, sum(held), led=led, richest=richest)
        doubts = self._doubts(guess, rule, held, led=led, likely=strength > UNSURE)
        strength = min(strength, UNSURE if doubts else strength)
        why += doubts
        return SuccessCandidate(
            expression=guess.expression,
            strength=round(strength, 2),
            why=", ".join(why),
            held=sum(held),
            ends=len(held),
            return_held=fmean(with_it) if with_it else None,
            return_else=fmean(without) if without else None,
            circular=guess.circular,
            word=(guess.word or ends) and not (passing or doubts),
            doubted=bool(doubts),
        )

    def _at_every_end(self, held: Sequence[bool]) -> bool:
        """Whether something held at every end that the environment made, and at no others."""
        ended = [yes for yes, end in zip(held, self._ends, strict=True) if end.done]
        return len(ended) >= LEAST_ENDS and all(ended) and not all(held)

    @staticmethod
    def _assured(guess: Guess, strength: float, held: int, *, led: bool, richest: bool) -> float:
        """The strength of what is more than the toss of a coin; of anything else one that is not assumed.

        Args:
            guess: It.
            strength: What speaks for it.
            held: At how many ends it held.
            led: Whether the policies that are meant to succeed reach it.
            richest: Whether it goes with the highest pay.
        """
        often = held > LEAST_ENDS and (richest or strength >= SURE)
        sure = guess.sure or led or often
        return strength if held and sure else min(strength, UNSURE + strength / 100)

    def _ends_with_pay(self, held: Sequence[bool], before: Sequence[Sequence[bool]]) -> bool:
        """Whether where it holds the environment ends the episode, with a higher last reward than all others."""
        if any(any(each) for each in before) or not all(
            end.done for yes, end in zip(held, self._ends, strict=True) if yes
        ):
            return False
        last = [
            (yes, e.reward) for yes, e in zip(held, self._ends, strict=True) if e.reward is not None
        ]
        with_it, without = ([r for yes, r in last if yes is wanted] for wanted in (True, False))
        return bool(with_it and without) and min(with_it) > max(without)

    def _doubts(
        self,
        guess: Guess,
        rule: SuccessRule,
        held: Sequence[bool],
        *,
        led: bool,
        likely: bool,
    ) -> list[str]:
        """Why a guess may be true of less than the episode.

        Args:
            guess: It.
            rule: The same, to be asked.
            held: Whether it held at each end.
            led: Whether the policies that are meant to succeed reach it.
            likely: Whether it is strong enough to be worth a look at all steps.
        """
        if self._goes_on_after(guess, rule):
            return ["it is said of a case after which others follow"]
        doubts = [guess.part] if guess.part and not led else []
        if likely and self._comes_and_goes(rule, held):
            doubts.append("it comes and goes while episodes go on")
        if likely and not led:
            doubts += self._reached_by_less(guess, held)
        return doubts

    def _reached_by_less(self, guess: Guess, held: Sequence[bool]) -> list[str]:
        """Why less than success may bring a guess about: idling, or a part of the work, or one value of an action.

        A part of the work, or a button that always works, is seen by the pay: some of its ends are paid far less than
        the best.
        """
        idle = [yes for yes, end in zip(held, self._ends, strict=True) if end.idle]
        if idle and fmean(idle) >= OFTEN_IDLE:
            return [f"idling reaches it in {sum(idle)} of {len(idle)} episodes"]
        share = self._least_share(held)
        if share is not None and share >= SETTLED:
            return []
        if share is not None and share < 0:
            return ["some of its ends are fined, while others are paid"]
        if share is not None and guess.may and not guess.sure:
            return ["some of its ends are paid far less than the best, as parts of a success are"]
        alone = self._value_alone(held)
        return [f"{alone} brings it about, whatever else is done and paid"] if alone else []

    def _least_share(self, held: Sequence[bool]) -> float | None:
        """The least share of the best last reward that an end is paid where a guess held, 1 where none is paid so.

        None where the best is not above 0: then there are no shares of it.
        """
        ends = list(zip(held, self._ends, strict=True))
        last = [(yes, end.reward) for yes, end in ends if end.reward is not None]
        least = min((reward for yes, reward in last if yes), default=None)
        best = max((reward for _, reward in last), default=0.0)
        if least is None:
            return 1.0
        return least / best if best > 0 else None

    def _value_alone(self, held: Sequence[bool]) -> str:
        """One value that all episodes sent where a guess held, and hardly any others; empty where none is."""
        ends = list(zip(held, self._ends, strict=True))
        for place, value in sorted(frozenset.intersection(*(e.values for yes, e in ends if yes))):
            sent = [(yes, end.sent) for yes, end in ends if (place, value) in end.values]
            several = len({text for yes, text in sent if yes}) > LEAST_ENDS
            if several and fmean(yes for yes, _ in sent) >= NEARLY_ALL:
                return f"{place}={value}"
        return ""

    def _goes_on_after(self, guess: Guess, rule: SuccessRule) -> bool:
        """Whether a guess is about the last case, and an episode went on where it held."""
        shown = (seen for end in self._ends for seen in end.passed) if guess.last else ()
        return any(rule.says(seen, told, False) is True for seen, told in shown)

    def _comes_and_goes(self, rule: SuccessRule, held: Sequence[bool]) -> bool:
        """Whether it was true on the way and then false, in several episodes: it is of an action, or of one case."""
        lost = ever = 0
        for yes, end in zip(held, self._ends, strict=True):
            apart = max(1, len(end.passed) // MOST_PASSED)
            says = [rule.says(seen, told, False) for seen, told in end.passed[::apart]]
            first = says.index(True) if True in says else None
            ever += yes or first is not None
            lost += first is not None and (False in says[first:] or not yes)
        return lost >= max(COMES_AND_GOES, OFTEN * ever)

    @staticmethod
    def _holds(rule: SuccessRule, end: Ending) -> bool:
        said = rule.says(
            end.observation, end.metadata, end.done, state=end.state, reward=end.reward
        )
        return said is True


def counts_things(name: str) -> bool:
    """Whether a number's name holds a plural, as ``conflicts_resolved`` does: then 1 is one of several."""
    words = words_of(name)
    return not words & OF_ALL and any(PLURAL.search(word) for word in words)


def is_of_last(leaf: Leaf) -> bool:
    """Whether a place tells of the last case by its name: its success may not be the episode's."""
    return bool(any_words(leaf.path) & LAST)


def is_inside(phrase: str, text: str) -> bool:
    """Whether a phrase is part of a longer word in a text, as ``correct`` is of ``incorrect``."""
    return re.search(rf"\w{re.escape(phrase)}|{re.escape(phrase)}\w", text) is not None


def called(name: str) -> str:
    """What a name says, as the end of a sentence."""
    return " that is named like success" if name_strength(name) >= SAYS else ""


def worth_of(order: float, *, word: bool) -> tuple[float, str]:
    """What it is worth that returns are so much higher where a candidate held, and how that is said.

    Args:
        order: Probability that a return where it held is above one where it did not.
        word: Whether it is a word for success: failures that are paid are what an audit looks for.
    """
    if order >= 0.75:
        return 1.2, "where returns are high"
    if order >= 0.5:
        return 0.6, "whatever was paid"
    return (-0.5 if word else -1.5), "where returns are low"


def out_earns(ones: Sequence[float], others: Sequence[float]) -> float | None:
    """Probability that one of some returns is above one of others, ties counting half; None without both."""
    if not ones or not others:
        return None
    return fmean(0.5 * ((one > other) + (one >= other)) for one in ones for other in others)


def values_in(action: JsonValue, place: str = "") -> Iterator[tuple[str, str]]:
    """Each value in an action, as a text, with its place."""
    if not isinstance(action, dict):
        yield place, json.dumps(action, ensure_ascii=False)
        return
    for name, value in action.items():
        yield from values_in(value, f"{place}.{name}" if place else name)
