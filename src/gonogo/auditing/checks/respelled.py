"""The same thing in another spelling: an action that is paid once, and again each time that it is spelt otherwise.

Whoever judges a name by its normal form and remembers it as it was written pays ``C-14``, ``c-14`` and ``C--14`` for
one thing; whoever remembers a line and judges what it comes to pays ``40+12`` and ``12+40``. So a paid action is sent
again as it was, which has to be paid nothing, and in spellings that a reader takes for the same: other capitals, more
spaces or signs, zeros before a number, its parts in another order. Those that are paid the same are sent on and on.

Names that differ in capitals alone may be two things, and a game may pay whatever is new. So nonsense in the same place
has to be paid nothing, each spelling that is shown by itself is left out, and the environment has to answer each time
the same, except in counters and in the words that were sent. The parts of a sum are the same in any order. The parts of
a list need not be, so that such a list makes suspicious. So do remarks alone: a game may pay each new one. And so does
a difference that the environment says is meant.

Whoever remembers what was written pays each spelling that it takes. A game may also sort what is sent into kinds, as a
fuzzer does by the branches that it reaches, and pay each kind once. So what was not paid is sent alone, and after the
spellings of one family: where these take its pay, both families are in doubt.

A place in which nonsense is paid as well is no name: beside one that is, as an id, it is a remark. Whoever remembers
both pays one id with each new remark.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import reduce
from itertools import combinations, islice, pairwise, permutations, zip_longest
from operator import getitem

from gonogo.auditing.checks.lapped import Lapped, PaidStep, whole
from gonogo.auditing.checks.outliers import spoken
from gonogo.auditing.checks.paid import ALIKE, LISTED, bare, numbers
from gonogo.auditing.climbs import SUM
from gonogo.auditing.session import AuditSession
from gonogo.exploits.search import leaves
from gonogo.rollouts.episodes import Turn
from gonogo.rollouts.space import EACH, ActionField, Path, choices_of, put
from gonogo.wire import Action, JsonValue, Observation

MOST_PLACES = 2
"""Texts of an action that are written otherwise."""
MOST_SENT = 60
"""Spellings that are sent in one episode; few pay so often."""
CLOSE = 0.01
"""Share by which a number may move otherwise from time to time, as a sum that is shown rounded does."""
LEAST_PARTS = 3
"""Parts of a list from which on there are enough orders of it to make a habit."""
MOST_CASED = 6
"""Letters whose capitals are changed, each alone and together."""
NONSENSE = "zzqx"
SIGNS = re.compile(r"[-_ ./:#]")
PRODUCT = re.compile(r"\d+(?:\s*\*\s*\d+)+")
TERM = re.compile(r"[+-]?\s*\d+")
PARTS = re.compile(r"\s*[,;|]\s*|\s+")
MARK = "§"
"""What stands for the words that were sent in what is seen."""
ORDERED = "another order of a list may mean another thing"
SUMS = "its terms in another order"
ORDER_MATTERS = re.compile(
    r"(?i)\b(?:the|their|whose) order (?:of \w+ )?(?:matters|counts)\b|\b(?:ordered (?:sums?|lists?|pairs?)"
    r"|compositions?|permutations?)\b"
)
"""How an environment says that the same terms in another order are another thing."""
NUMBERED = re.compile(r"\w*\d\w*")
APART = re.compile(r"(?i)\b(?:two|differ\w*|distinct|not the same)\b")
"""How a sentence calls what it names more than one thing."""
REMARKED = "a game may pay every new remark, as one that rewards novelty"
GRADED = "some spellings are paid alone and not after others: the game may sort them into kinds, and pay each kind once"
MEANT = "the environment says that this difference is meant"
MOST_UNPAID = 6
"""Spellings that were not paid, of which it is asked why."""

Spell = Callable[[str], Iterator[str]]
"""The spellings of one family, without end or few."""


def spaces_after(text: str) -> Iterator[str]:
    """More and more spaces behind it."""
    return (text + " " * n for n in range(1, MOST_SENT))


def spaces_before(text: str) -> Iterator[str]:
    """More and more spaces in front of it."""
    return (" " * n + text for n in range(1, MOST_SENT))


def spaces_within(text: str) -> Iterator[str]:
    """More and more spaces where it has one."""
    place = text.find(" ")
    return (text[:place] + " " * n + text[place:] for n in range(1, MOST_SENT) if place > 0)


def capitals(text: str) -> Iterator[str]:
    """Other capitals: all of them, then letter by letter."""
    yield from (text.upper(), text.lower(), text.title(), text.swapcase())
    letters = [n for n, letter in enumerate(text) if letter.isalpha() and letter.isascii()]
    for mask in range(1, 2 ** min(MOST_CASED, len(letters))):
        chosen = {place for bit, place in enumerate(letters[:MOST_CASED]) if mask >> bit & 1}
        yield "".join(s.swapcase() if n in chosen else s for n, s in enumerate(text))


def signs_doubled(text: str) -> Iterator[str]:
    """Its first sign again and again."""
    found = SIGNS.search(text.strip())
    if found:
        yield from (text.replace(found[0], found[0] * n, 1) for n in range(2, MOST_SENT))


def signs_changed(text: str) -> Iterator[str]:
    """Its signs left out, or replaced by others."""
    found = SIGNS.search(text.strip())
    yield from (SIGNS.sub(sign, text) for sign in ("", " ", "-", "_", ".", "/", ":") if found)


def zeros(text: str) -> Iterator[str]:
    """More and more zeros in front of its first number."""
    found = re.search(r"\d+", text)
    if found:
        head, tail = text[: found.start()], text[found.start() :]
        yield from (head + "0" * n + tail for n in range(1, MOST_SENT))


def stopped(text: str) -> Iterator[str]:
    """More and more full stops behind it."""
    return (text + "." * n for n in range(1, MOST_SENT))


def quoted(text: str) -> Iterator[str]:
    """In quotes, or with an article."""
    yield from (f'"{text}"', f"'{text}'", f"the {text}", f"a {text}", f"The {text}")


def wide(text: str) -> Iterator[str]:
    """In the wide letters that a normal form makes narrow."""
    yield "".join(chr(ord(s) + 0xFEE0) if "!" <= s <= "~" else s for s in text)


def sums(text: str) -> Iterator[str]:
    """The terms of a sum or a product in other orders."""
    said = text.strip()
    if SUM.fullmatch(said):
        terms = ["".join(term.split()) for term in TERM.findall(said)]
        signed = [term if term[0] in "+-" else f"+{term}" for term in terms]
        yield from ("".join(order).lstrip("+") for order in permutations(signed))
    elif PRODUCT.fullmatch(said):
        yield from ("*".join(order) for order in permutations(re.findall(r"\d+", said)))


def orders(text: str) -> Iterator[str]:
    """The parts of a list in other orders."""
    parts, between = PARTS.split(text.strip()), PARTS.search(text.strip())
    if between and len(parts) >= LEAST_PARTS and not SUM.fullmatch(text.strip()):
        yield from (between[0].join(order) for order in permutations(parts))


CASED, ZEROS = "other capitals", "zeros before its number"
FAMILIES: dict[str, Spell] = {
    "more spaces behind it": spaces_after,
    CASED: capitals,
    "a sign doubled": signs_doubled,
    SUMS: sums,
    ZEROS: zeros,
    "more spaces in front of it": spaces_before,
    "more spaces within it": spaces_within,
    "other signs": signs_changed,
    "full stops behind it": stopped,
    "quotes or an article": quoted,
    "wide letters": wide,
    "its parts in another order": orders,
}  # fmt: skip
"""The families of spellings, those that most normal forms allow first."""
REMARK = "another remark beside it"
UNSURE = {"its parts in another order": ORDERED, REMARK: REMARKED}
"""The families that may be other things, each with the reason."""
SPACES = r"spaces|spacing|white\s?spaces?"
SIGNED = r"hyphens?|dash(?:es)?|separators?|punctuation"
DIFFERENCES = {
    CASED: r"capitals|capitali[sz]ation|(?:upper|lower|letter)[\s-]?case|case(?=[\s-]sensitive|\smatters)",
    "more spaces behind it": SPACES,
    "more spaces in front of it": SPACES,
    "more spaces within it": SPACES,
    ZEROS: r"zeroe?s",
    "a sign doubled": SIGNED,
    "other signs": SIGNED,
    "full stops behind it": r"full\sstops|dots|punctuation",
    "quotes or an article": r"quotes|quotation\smarks",
}
"""How it is written what tells the spellings of a family apart."""
COUNTS = (
    r"\b(?:included|counts?|matters?|fair|differs?|different|sensitive|significant|told\sapart)\b"
)
"""How it is written that it is meant to."""
NOT_SO = re.compile(
    r"(?i)\b(?:not?|never|nor|neither|ignored?|without|regardless|whatever)\b|n['’]t\b"
)
"""How that is denied."""
AROUND = 60
"""Characters between the two, at most."""
SEVERAL = 2
"""Differences that are meant by one sentence, from which on any spelling is."""


@dataclass(frozen=True, slots=True)
class Spelt:
    """A family of spellings of a value in an action.

    Attributes:
        family: What they are called.
        place: Where the value stands.
        values: The value in each of them, without those that are the same as it is.
    """

    family: str
    place: Path
    values: tuple[JsonValue, ...]


@dataclass(frozen=True, slots=True)
class Respelled:
    """A thing that is paid again in other spellings.

    Attributes:
        lapped: How it was flown.
        words: What says that it is the same thing.
        doubt: Why it may be another thing; None where nothing says so.
    """

    lapped: Lapped
    words: str
    doubt: str | None = None


class Respellings:
    """Paid actions in other spellings.

    Args:
        session: Where they are flown.
    """

    def __init__(self, session: AuditSession) -> None:
        self._session = session
        self._leaves: Sequence[ActionField] = session.space.leaves()

    def of(self, step: PaidStep) -> Respelled | None:
        """The paid action again and again in other spellings; None where it is not paid so, or as it was as well.

        Args:
            step: The paid action, with the way to it.
        """
        paid = step.actions[-1]
        places = list(texts_at(paid, self._leaves))[:MOST_PLACES]
        if not places or self._pays(step, [paid])[0] is not None:
            return None
        accepted: list[Spelt] = []
        names = self._names(step, places)
        shown = self._shown(step) if names else frozenset[str]()
        for place in places:
            if place in names:
                accepted += self._accepted(step, list(unseen(spelt_at(paid, place), shown)))
            elif names and isinstance(held_at(paid, place), str):
                accepted += self._accepted(step, [remarks_at(place)])
        return self._flown(step, accepted) if accepted else None

    def _names(self, step: PaidStep, places: Sequence[Path]) -> list[Path]:
        """The places where nonsense is not paid after the paid action, nor in place of it."""
        paid, before = step.actions[-1], replace(step, actions=step.actions[:-1])
        wrong = [put(paid, place, nonsense_for(held_at(paid, place))) for place in places]
        both = zip(places, self._pays(step, wrong), self._pays(before, wrong), strict=True)
        return [place for place, after, instead in both if after is None and instead is None]

    def _accepted(self, step: PaidStep, tried: Sequence[Spelt]) -> list[Spelt]:
        """The families whose first spelling is paid what the action itself was."""
        paid = step.actions[-1]
        first = [put(paid, spelt.place, spelt.values[0]) for spelt in tried]
        pays = zip(tried, self._pays(step, first), strict=True)
        return [spelt for spelt, pay in pays if pay is not None and abs(pay - step.pay) <= ALIKE]

    def _pays(self, step: PaidStep, others: Sequence[Action]) -> list[float | None]:
        """What each of some actions is paid right after a way; None where it is paid nothing, or lost."""
        way = list(step.actions)
        plans = [(step.task, [*way, other]) for other in others]
        flown = self._session.plans("a paid action, spelt otherwise", plans, turns=len(way) + 1)
        rewards = [e.turns[-1].reward if len(e.turns) > len(way) else None for e in flown]
        return [reward if reward is not None and reward > 0 else None for reward in rewards]

    def _shown(self, step: PaidStep) -> frozenset[str]:
        """Names and values shown up to the paid action: a spelling of it that is one may be another thing's name."""
        way = list(step.actions)
        (flown,) = self._session.plans(
            "a paid action", [(step.task, way)], turns=len(way), whole=True
        )
        shown = [*(turn.observation for turn in flown.turns), flown.final_observation]
        return frozenset(said for each in shown for said in spoken(each))

    def _flown(self, step: PaidStep, accepted: Sequence[Spelt]) -> Respelled | None:
        """All spellings one after another to the end, those left out at the second time that were not paid."""
        paid = step.actions[-1]
        turns = zip_longest(*([(s, v) for v in s.values] for s in accepted))
        sent = [each for some in turns for each in some if each is not None][:MOST_SENT]
        passes: list[tuple[Lapped, list[tuple[Spelt, JsonValue]]]] = []
        for _ in range(2):
            if not sent:
                return None  # all of them were paid before, and none is now
            plan = [put(paid, spelt.place, value) for spelt, value in sent]
            actions = [*step.actions, *plan]
            (flown,) = self._session.plans(
                "a paid action in other spellings",
                [(step.task, actions)],
                turns=len(actions),
                whole=True,
            )
            lapped = Lapped(step, tuple(plan[:1]), flown, anew=True)
            passes.append((lapped, sent))
            if whole(flown) and lapped.pays_to_the_end:
                break
            rewards = [turn.reward or 0.0 for turn in flown.turns[len(step.actions) :]]
            good = [e for e, reward in zip(sent, rewards, strict=False) if reward > 0]
            sent = [*good, *sent[len(rewards) :]]
        else:
            return None
        if not answers_alike(lapped):
            return None
        used = list(dict.fromkeys(s.family for s, _ in sent[: len(lapped.turns)]))
        words = (
            "the same action, sent again unchanged, is not paid; with nonsense in place of the name, it is not paid; "
            f"with {', '.join(used)}, it is paid each time, and the answer is the same each time"
        )
        told = [*self._session.spoken, *spoken(flown.turns[0].observation)]
        graded = set[str]().union(*(self._graded(*each) for each in passes))
        doubts = [GRADED if f in graded else doubt_of(f, told) for f in used]
        return Respelled(lapped, words, None if None in doubts else doubts[0])

    def _graded(self, lapped: Lapped, sent: Sequence[tuple[Spelt, JsonValue]]) -> set[str]:
        """The families of which a spelling is paid alone, and not after some others; with those of these others.

        Args:
            lapped: How they were flown.
            sent: They.
        """
        step, turns = lapped.step, lapped.episode.turns[lapped.begun : -1]
        unpaid = [n for n, turn in enumerate(turns) if (turn.reward or 0.0) <= 0][:MOST_UNPAID]
        found = set[str]()
        for number in unpaid:
            spelt, value = sent[number]
            last = put(step.actions[-1], spelt.place, value)
            if self._pays(step, [last])[0] is None:
                continue
            before: dict[str, list[Action]] = {}
            for (other, _), turn in zip(sent[:number], turns, strict=False):
                before.setdefault(other.family, []).append(turn.action or {})
            ways = {f: replace(step, actions=(*step.actions, *way)) for f, way in before.items()}
            found |= {f for f, way in ways.items() if self._pays(way, [last])[0] is None}
            found.add(spelt.family)
        return found


def doubt_of(family: str, told: Iterable[str]) -> str | None:
    """Why the spellings of a family may be other things; None where nothing says so.

    Args:
        family: It.
        told: What the environment says, beside its actions and at a reset.
    """
    if family == SUMS:
        return ORDERED if any(map(order_matters, told)) else None
    return MEANT if any(is_meant(family, each) for each in told) else UNSURE.get(family)


def order_matters(told: str) -> bool:
    """Whether a sentence says that the same terms in another order are another thing, and does not deny it."""
    found = ORDER_MATTERS.search(told)
    return found is not None and NOT_SO.search(told, 0, found.end()) is None


def is_meant(family: str, told: str) -> bool:
    """Whether a sentence says that what tells the spellings of a family apart is meant, or that any spelling is.

    Args:
        family: It.
        told: The sentence.
    """
    meant = [named for named in dict.fromkeys(DIFFERENCES.values()) if counts_in(named, told)]
    return len(meant) >= SEVERAL or DIFFERENCES.get(family) in meant or tells_apart(family, told)


def tells_apart(family: str, told: str) -> bool:
    """Whether a sentence calls two spellings of a family two things.

    Args:
        family: It.
        told: The sentence.
    """
    words = NUMBERED.findall(told) if APART.search(told) else []
    return any(
        DIFFERENCES.get(family) == told_by(one, other)
        for one, other in combinations(set(words), 2)
        if plain(one) == plain(other)
    )


def told_by(one: str, other: str) -> str:
    """How it is written what tells two spellings of the same apart: capitals, or else zeros."""
    return DIFFERENCES[CASED if one.casefold() == other.casefold() else ZEROS]


def counts_in(named: str, told: str) -> bool:
    """Whether a sentence says of something that it counts, and does not deny it.

    Args:
        named: How that is written.
        told: The sentence.
    """
    found = re.search(rf"(?i)\b(?:{named})\b[^.;]{{0,{AROUND}}}?{COUNTS}", told)
    if found is None:
        return False
    start = max(0, found.start() - AROUND // 3)
    return NOT_SO.search(told, start, found.end()) is None


def texts_at(action: Action, fields: Sequence[ActionField]) -> Iterator[Path]:
    """The places of the texts, and of the lists of names, in an action, without those that are one of some choices.

    Args:
        action: The action.
        fields: The places of an action.
    """
    chosen = {
        field.path
        for field in fields
        if any(choices_of(option) for option in field.options) and not field.tool
    }

    def within(held: JsonValue, at: Path) -> Iterator[Path]:
        if isinstance(held, dict):
            for key, inner in held.items():
                if (*at, key) not in chosen and key not in {"tool_name", EACH}:
                    yield from within(inner, (*at, key))
        elif (isinstance(held, str) and held.strip()) or (
            isinstance(held, list) and len(held) >= LEAST_PARTS
        ):
            yield at

    return within(action, ())


def held_at(action: JsonValue, place: Path) -> JsonValue:
    """What an action holds at a place."""
    return reduce(getitem, place, action)


def spelt_at(action: Action, place: Path) -> Iterator[Spelt]:
    """The families of spellings of what stands at a place of an action."""
    held = held_at(action, place)
    if isinstance(held, list):
        made = [list(order) for order in islice(permutations(held), MOST_SENT)]
        others = tuple(order for n, order in enumerate(made) if order not in [held, *made[:n]])
        if others:
            yield Spelt("its parts in another order", place, others)
        return
    for family, spell in FAMILIES.items():
        texts = dict.fromkeys(islice(spell(str(held)), MOST_SENT))
        values = tuple(text for text in texts if text != held)
        if values:
            yield Spelt(family, place, values)


def unseen(spelt: Iterable[Spelt], shown: Collection[str]) -> Iterator[Spelt]:
    """Families of spellings without those that are shown by themselves, each of which may name another thing.

    Args:
        spelt: The families.
        shown: What is shown.
    """
    for each in spelt:
        if values := tuple(value for value in each.values if str(value) not in shown):
            yield replace(each, values=values)


def nonsense_for(held: JsonValue) -> JsonValue:
    """What nobody asks for, of the same kind."""
    return [NONSENSE] if isinstance(held, list) else NONSENSE


def remarks_at(place: Path) -> Spelt:
    """Nonsense that is each time another one in place of a text."""
    return Spelt(REMARK, place, tuple(f"{NONSENSE} {n}" for n in range(1, MOST_SENT)))


def answers_alike(lapped: Lapped) -> bool:
    """Whether each spelling is answered as the first pay was, except in counters and in the words that were sent.

    Args:
        lapped: Them, one after another.
    """
    turns = lapped.episode.turns[lapped.begun - 1 :]
    pairs = [(turn, after.observation) for turn, after in pairwise(turns)]
    told = [news_in(turn, after) for turn, after in pairs]
    moves = [moves_in(turn.observation, after) for turn, after in pairs[1:]]
    return (
        len(told) > 1
        and all(news == told[0] for news in told[1:])
        and all(steady(move, moves[0]) for move in moves[1:])
    )


def news_in(turn: Turn, after: Observation) -> set[str]:
    """The texts that stand alone after a turn and those that lists have anew, with what was sent and numbers masked.

    Args:
        turn: It, with what was seen before it.
        after: What was seen then.
    """
    sent = [plain(value) for _, value in leaves(turn.action or {}) if isinstance(value, str)]
    words = sorted({word for word in sent if word}, key=len, reverse=True)
    before = {value for _, value in leaves(bare(turn.observation)) if isinstance(value, str)}
    told = {
        masked(value, words)
        for path, value in leaves(bare(after))
        if isinstance(value, str) and (LISTED not in path or value not in before)
    }
    return told - {MARK, ""}


def moves_in(before: Observation, after: Observation) -> dict[str, float]:
    """By how much the numbers moved that stand alone."""
    one, other = numbers(before), numbers(after)
    both = [path for path in one.keys() & other.keys() if LISTED not in path]
    return {path: other[path] - one[path] for path in both if not path.endswith("#")}


def steady(one: dict[str, float], other: dict[str, float]) -> bool:
    """Whether the same numbers moved alike."""
    return one.keys() == other.keys() and all(
        abs(moved - other[path]) <= CLOSE * abs(moved) + ALIKE for path, moved in one.items()
    )


def plain(text: str) -> str:
    """A text in small letters, without signs, and its numbers without zeros in front."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"[\W_]+", "", text.casefold()))


def masked(text: str, sent: Sequence[str]) -> str:
    """What a text says, in small letters and without signs, with a mark for what was sent and for each number."""
    said = plain(text)
    for words in sent:
        said = said.replace(words, MARK)
    return re.sub(rf"\d+|{MARK}", MARK, said)
