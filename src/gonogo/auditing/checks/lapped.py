"""A lap of paid actions that was flown, and what says of one that it is no game, where no end is known.

Four things do. One of two actions takes back what the other was paid for: by its own name, by the opposite number,
because the same action again does, as a switch, or as is seen: what the paid action names is put somewhere and is taken
away again, or a part of what is seen is changed and put back. There, the other action's name or a sentence on it has
to say so, too, and all has to be as it was: goods that leave are no longer seen either. And time alone does not do it.
A text is paid at each step, whatever is done beside it. The same action again is not paid, but is in other words. And
all other pays on the way to the lap come once, however often they are done. A game of endurance or of production does
none of these.

A score that is shown, stands still and is paid in full at each step is another thing: all else is paid too much, too.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import pairwise
from statistics import fmean

from gonogo.auditing.checks.paid import ALIKE, LISTED, LITTLE, MOSTLY, bare, numbers, seen
from gonogo.auditing.plans import scaled, texts_of, verb_of
from gonogo.auditing.resets import key_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import total
from gonogo.exploits.search import leaves
from gonogo.records.tables import cut
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.space import ActionField, choices_of, put, value_at
from gonogo.wire import Action, JsonValue, TaskOptions

LEAST_LAPS = 5
"""Paid laps that make a habit of the reward; fewer do where they have more steps than this and each step is paid."""
LEAST_RETURN = 0.25
"""Of what a lap earns to its end, from which it is more than a token: scores are mostly given within 0 and 1."""
FEW = 2
"""Other pays on the way to a lap, all of which come once."""
SEVERAL = 2
"""Things that are put back at once, so that it is no lever's way."""
MOST_CHOICES = 14
TIMES = 3
"""So often is something done again that may not be paid again."""
TAKES_BACK = re.compile(
    r"(?:^|[^a-z])(?:abort|cancel|undo|revert|roll_?-?back|retract|void|abandon|start_?over|re-?open|unassign|"
    r"uninstall|deselect|put_?back|give_?back)(?:$|[^a-z])",
    re.IGNORECASE,
)
"""Names of actions that take back what was done."""
TAKES_OUT = re.compile(
    r"(?:^|[^a-z])(?:reset|restart|discard|withdraw|delete|remove|detach)(?:$|[^a-z])",
    re.IGNORECASE,
)
"""Names of actions that take back what was put somewhere, and as often take out what is done or make ready again."""
PUTS = frozenset({
    "add", "append", "assign", "attach", "book", "connect", "create", "deposit", "enroll", "enter", "fit", "hang",
    "include", "insert", "install", "label", "link", "mount", "pin", "place", "publish", "put", "register", "save",
    "schedule", "select", "set", "store", "submit", "tag", "upload", "write",
})  # fmt: skip
"""Names of actions of which those take back what they did."""
SCORES = re.compile(r"score|points|grade|marks|progress|complet", re.IGNORECASE)
"""Names of numbers that tell how much is done."""
OPPOSITES = (
    ("open", "close"), ("start", "stop"), ("begin", "end"), ("on", "off"), ("up", "down"), ("left", "right"),
    ("north", "south"), ("east", "west"), ("forward", "back"), ("forward", "backward"), ("increase", "decrease"),
    ("raise", "lower"), ("add", "subtract"), ("enter", "leave"), ("enter", "exit"), ("join", "leave"),
    ("login", "logout"), ("take", "drop"), ("pick", "drop"), ("grab", "drop"), ("take", "put"), ("pick", "put"),
    ("push", "pop"), ("create", "destroy"), ("enable", "disable"), ("connect", "disconnect"), ("mount", "unmount"),
    ("hire", "fire"), ("expand", "collapse"), ("show", "hide"), ("true", "false"),
    ("assign", "release"), ("allocate", "release"), ("reserve", "release"), ("acquire", "release"),
    ("place", "lift"), ("lay", "lift"), ("put", "lift"),
)  # fmt: skip
"""Names of actions of which each takes back the other."""
ENDS = frozenset({"release", "stop", "end", "leave", "exit", "logout", "fire"})
"""Of these, how a piece of work ends as well: a cab is assigned to a ride and released to drive it."""
MAY_TAKE_TWO = "a piece of work may take both"
MAY_USE_UP = (
    "the other action may use the thing up, as when goods are shipped, and not undo anything"
)
NOT_ALL_BACK = "something that is seen is not as it was before"
LapStates = Sequence[dict[str, JsonValue]]
"""What is seen at the reset, before and after the paid action of two, and after the other."""
UNDOES = re.compile(
    r"(?i)\b(?:undo(?:es)?|reverts?|revers(?:es?|ing)|removes?|"
    r"(?:takes?|pulls?|lifts?|picks?)\b[^.;|]*\b(?:out|off|away|back|up))\b"
)
"""How it is written that an action takes away what another one put there."""
PUTS_BACK = re.compile(
    r"(?i)\b(?:undo(?:es)?|reverts?|revers(?:es?|ing)|removes?\b[^.;|]*\b(?:added|placed|put|attached|laid)"
    r"|(?:puts?|takes?|gives?|moves?|lifts?|pulls?|picks?|removes?)\b[^.;|,]*\b(?:again|back(?! of)))\b"
)
"""Of these, how it is written that it goes back; what a van takes away is used up."""
SHOWN_CHARS = 160
PART = re.compile(r"(?<=[.\[])[^.\[\]#]+(?=\]?$)")
"""The last key or position of a path."""
WORD = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")


@dataclass(frozen=True, slots=True)
class PaidStep:
    """An action that was paid, and the way to it.

    Attributes:
        task: Reset options, with the seed.
        actions: The way, this action the last.
        pay: What it was paid.
        verb: What it does, apart from what it does it to.
    """

    task: TaskOptions
    actions: tuple[Action, ...]
    pay: float
    verb: str


@dataclass(frozen=True, slots=True)
class Lapped:
    """A lap that was flown to the end.

    Attributes:
        step: The paid action, and the way to it.
        lap: What is repeated after it.
        episode: How.
        anew: Whether each time is in other words than all before, of which the lap has the first.
    """

    step: PaidStep
    lap: tuple[Action, ...]
    episode: Episode = field(repr=False)
    anew: bool = False

    @property
    def begun(self) -> int:
        """Turns before the first lap."""
        return len(self.step.actions)

    @property
    def turns(self) -> list[Turn]:
        """The turns of the whole laps, without the one in which the episode ended."""
        size = len(self.lap)
        laps = (len(self.episode.turns) - 1 - self.begun) // size
        return self.episode.turns[self.begun : self.begun + laps * size]

    @property
    def pays(self) -> list[float]:
        """What each lap is paid."""
        rewards, size = [turn.reward or 0.0 for turn in self.turns], len(self.lap)
        return [sum(rewards[n : n + size]) for n in range(0, len(rewards), size)]

    @property
    def step_pay(self) -> float:
        """What a step of the laps is paid."""
        return fmean(self.pays) / len(self.lap) if self.pays else 0.0

    @property
    def pays_to_the_end(self) -> bool:
        """Whether nearly all of enough laps are paid, the later ones as the earlier ones."""
        pays = self.pays
        half = len(pays) // 2
        steps = [(turn.reward or 0.0) > 0 for turn in self.turns]
        many = len(pays) >= LEAST_LAPS or (half > 0 and len(steps) > LEAST_LAPS and all(steps))
        lasting = many and fmean(pay > 0 for pay in pays) >= MOSTLY
        early, late = sum(pays[:half]), sum(pays[len(pays) - half :])
        return lasting and late >= MOSTLY * early > 0 and total(self.episode) >= LEAST_RETURN

    @property
    def dearest(self) -> float:
        """The highest pay of a step of the laps."""
        return max((turn.reward or 0.0 for turn in self.turns), default=0.0)

    @property
    def words(self) -> str:
        """What happened, for a reader."""
        what = " and ".join(json.dumps(action) for action in self.lap)
        how = " in turn" if len(self.lap) > 1 else ""
        how += ", each time written differently" if self.anew else ""
        how += f", repeated {len(self.pays)} times"
        after = f" after {self.begun} other steps" if self.begun else ""
        steps = len(self.episode.turns)
        endless = f", no end came in {steps} steps" if self.episode.cut else ""
        return (
            f"{what}{how}{after}: each time is paid {fmean(self.pays):g}, nothing that is seen changes but clocks, "
            f"histories and scores{endless}, and the episode earns {total(self.episode):g}"
        )

    def name(self, idle: Action) -> str:
        """The finding's id: idling is paid again, one action is, or a few in turn are."""
        paid_before = any(action != idle for action in self.step.actions)
        if paid_before and all(action == idle for action in self.lap):
            return "score_paid_again"
        return "farmable_cycle" if len(self.lap) > 1 else "paid_again"


@dataclass(frozen=True, slots=True)
class Said:
    """What says that a lap is no game.

    Attributes:
        words: It.
        doubt: Why a sound game may show it as well; None where none does.
        back: Whether a lap puts back what it is paid for.
    """

    words: str
    doubt: str | None = None
    back: bool = False


class LapEvidence:
    """What says that a lap is no game.

    Args:
        session: Where it was flown.
    """

    def __init__(self, session: AuditSession) -> None:
        self._session = session
        self._leaves: Sequence[ActionField] = session.space.leaves()
        self._idle = session.space.idle()

    def of(self, lapped: Lapped) -> Said | None:
        """It, the sure before the doubtful; None where nothing says so."""
        asked = (self._taken_back, self._paid_words, self._reworded, self._paid_once)
        said = [each for ask in asked if (each := ask(lapped)) is not None]
        return min(said, key=lambda each: each.doubt is not None, default=None)

    def _again(self, lapped: Lapped, lap: Sequence[Action]) -> list[bool]:
        """Whether another lap is paid in the same place, each time after the first."""
        way, size = lapped.step.actions, len(lap)
        plan, turns = [*way, *(list(lap) * TIMES)], len(way) + TIMES * size
        (flown,) = self._session.plans("another lap", [(lapped.step.task, plan)], turns=turns)
        rewards = [turn.reward or 0.0 for turn in flown.turns[len(way) + size :]]
        return [sum(rewards[n : n + size]) > 0 for n in range(0, len(rewards), size)]

    def _taken_back(self, lapped: Lapped) -> Said | None:
        """One of two actions takes back what the other is paid for, and idling in its place does not."""
        if len(lapped.lap) != 2 or not unpaid_first(lapped):
            return None
        other, paid = lapped.lap
        how = takes_back(other, paid)
        if other not in (paid, self._idle) and (how is None or how.doubt is not None):
            named = how is not None and how.doubt != MAY_USE_UP and not ends(other, paid)
            how = self._seen_undone(lapped, named=named) or how
        if how is None:
            return None
        if other == paid:
            back = (goes_back(lapped) or exchanges(lapped)) and not self._by_clock(lapped)
            how = replace(how, doubt=None if back else MAY_TAKE_TWO, back=back)
        return None if self._idle not in lapped.lap and self._timely(lapped, paid) else how

    def _seen_undone(self, lapped: Lapped, *, named: bool) -> Said | None:
        """The other action undoes the paid one, as is seen; twice running that is not paid; None where it is not so.

        What is put somewhere may also be used up: a pallet is loaded, which is paid, and a van takes it away. So the
        other action's name or a sentence on it has to say that it undoes, and all has to be as it was; a doubt is left
        otherwise.

        Args:
            lapped: The laps.
            named: Whether the two actions are opposites by their names or numbers.
        """
        states = laps_seen(lapped)
        if states is None:
            return None
        path, told = put_and_taken(lapped, states), self._told(lapped)
        seen_back = told is not None and undone(states)
        if not (path or seen_back) or any(self._again(lapped, [lapped.lap[1]])):
            return None
        said = ["without the other action the paid one is not paid again"]
        if back := as_before(lapped, states):
            said.insert(0, "after the other action everything is as it was before")
        if told is not None:
            said.insert(
                0, f"the documentation says of the other action: “{cut(told, SHOWN_CHARS)}”"
            )
        if path is not None:
            put_in = f"the paid action puts what it names in {path.strip('.')}"
            said.insert(0, f"{put_in}, and the other action takes it away")
        doubt = None if back else NOT_ALL_BACK
        says_back = named or (told is not None and PUTS_BACK.search(told) is not None)
        doubt = doubt if says_back else MAY_USE_UP
        return Said("; ".join(said), doubt, back=doubt is None)

    def _told(self, lapped: Lapped) -> str | None:
        """The sentence that says of the other action that it takes things away again; None where none does."""
        other, paid = lapped.lap
        new = [text for text in texts_in(other) if text not in texts_in(paid)]
        return next((told for told in self._session.spoken if undoes(told, new)), None)

    def _timely(self, lapped: Lapped, paid: Action) -> bool:
        """Whether the action is paid again after idling as well, with all that is seen as it was, as after a lap.

        Where it is paid for going on, as each step of a way is, time has given nothing back.
        """
        way, pair = lapped.step.actions, [self._idle, paid]
        plan = [*way, *(pair * (TIMES + 1))]
        (flown,) = self._session.plans(
            "idling and a paid action", [(lapped.step.task, plan)], turns=len(plan), whole=True
        )
        turns = flown.turns[len(way) + len(pair) :]
        pays = [(turn.reward or 0.0) for turn in turns]
        pays = [sum(pays[n : n + len(pair)]) for n in range(0, len(pays), len(pair))]
        clocks = moved_in(lapped.turns, len(lapped.lap))
        return all(pay > 0 for pay in pays) and moved_in(turns, len(pair)) <= clocks

    def _by_clock(self, lapped: Lapped) -> bool:
        """Whether the same action twice is paid at the same hours after one idle step more, or nothing tells.

        Guards who change places at each even hour are paid for that hour, and the change before it undoes nothing.
        """
        begun, plan = lapped.begun, [*lapped.step.actions, self._idle, *(lapped.lap * TIMES)]
        if self._idle in lapped.lap:
            return False
        (flown,) = self._session.plans("a lap, later", [(lapped.step.task, plan)], turns=len(plan))
        if flown.turns[begun : begun + 1] and flown.turns[begun].invalid is not None:
            return True  # nothing tells: idling is refused, and may take no time
        rewards = [turn.reward or 0.0 for turn in flown.turns[begun:]]
        odd, even = rewards[1::2], rewards[2::2]
        return len(even) > 1 and all(pay > 0 for pay in odd) and all(pay <= 0 for pay in even)

    def _reworded(self, lapped: Lapped) -> Said | None:
        """The same action again is not paid, and in other words it is."""
        if lapped.anew:
            plain = lapped.step.actions[-1]
        elif len(lapped.lap) == 2 and says_more(*lapped.lap):
            plain = lapped.lap[1]
        else:
            return None
        said = Said("the same in the same words is not paid again")
        return None if any(self._again(lapped, [plain])) else said

    def _paid_once(self, lapped: Lapped) -> Said | None:
        """What says that all other pays on the way to a lap are paid once; None where it is not so, or they are few.

        A game that pays each thing once, but for one of them, was not meant to pay that one again. But where that one
        needs the others, they may be what makes ready for it.
        """
        way, turns = lapped.step.actions, lapped.episode.turns
        verbs = {verb_of(action, self._leaves) for action in lapped.lap}
        steps: dict[str, int] = {}
        for place, action in enumerate(way):
            verb = verb_of(action, self._leaves)
            if verb not in verbs and (turns[place].reward or 0.0) > 0:
                steps[verb] = place
        if len(steps) < FEW:
            return None
        plans = [(lapped.step.task, [*way[: n + 1], way[n]]) for n in steps.values()]
        most = max(steps.values()) + 1 + LEAST_LAPS
        flown = self._session.plans("a pay on the way, again", plans, turns=most)
        again = [
            sum((turn.reward or 0.0) > 0 for turn in e.turns[n + 1 : n + 1 + LEAST_LAPS])
            for e, n in zip(flown, steps.values(), strict=True)
        ]
        if any(again) or not all(map(whole, flown)):
            return None
        said = f"of the pays on the way to it, {', '.join(steps)} come once however often they are done"
        plans = [(lapped.step.task, list(lapped.lap) * TIMES)]
        (first,) = self._session.plans("a lap from the start", plans, turns=len(plans[0][1]))
        alone = sum(turn.reward or 0.0 for turn in first.turns) > 0
        return Said(
            said,
            None
            if alone
            else "they may be what makes ready for it, which is not paid without them",
        )

    def _paid_words(self, lapped: Lapped) -> Said | None:
        """What says that a text is paid at each step, whatever is done beside it; None where that is not so.

        Each other choice is flown with the text and without: it is worth the same more, wherever the episode stands.
        """
        if len(lapped.lap) > 1:
            return None
        (paid,), pay = lapped.lap, lapped.dearest
        chosen = [leaf for leaf in self._leaves if any(map(choices_of, leaf.options))]
        for leaf in texts_of(self._session.space):
            text = value_at(paid, leaf.name)
            if not isinstance(text, str) or not text or leaf.tool:
                continue
            others = [
                put(paid, other.path, choice)
                for other in chosen
                for option in other.options
                for choice in choices_of(option)
                if choice != value_at(paid, other.name) and not other.tool
            ][:MOST_CHOICES]
            pairs = [(each, put(each, leaf.path, "")) for each in [paid, *others]]
            plans = [(lapped.step.task, [each]) for pair in pairs for each in pair]
            flown = self._session.plans("a text, and none", plans, turns=1)
            rewards = [(e.turns[0].reward or 0.0) if whole(e) else None for e in flown]
            worth = [
                with_text - without
                for with_text, without in zip(rewards[::2], rewards[1::2], strict=True)
                if with_text is not None and without is not None
            ]
            if len(worth) > 1 and all(abs(more - pay) <= LITTLE * pay for more in worth):
                return Said(
                    f"{text!r} in {leaf.name} is paid {pay:g} whatever is done beside it: so it is with "
                    f"{len(worth) - 1} other choices"
                )
        return None


def whole(episode: Episode) -> bool:
    """Whether an episode was flown to an end with actions."""
    sent = all(turn.action is not None for turn in episode.turns)
    return episode.error is None and bool(episode.turns) and sent


@dataclass(frozen=True, slots=True)
class ShownScore:
    """A score that is shown and paid in full at each step.

    Attributes:
        path: Where it is seen.
        stands: At what.
    """

    path: str
    stands: float

    @property
    def words(self) -> str:
        """It, for a reader."""
        return f"each step is paid all of {self.path.strip('.')}, which stands at {self.stands:g}"

    def falls(self, episode: Episode) -> bool:
        """Whether it goes down at any step of an episode."""
        told = [numbers(turn.observation).get(self.path) for turn in episode.turns]
        told.append(numbers(episode.final_observation).get(self.path))
        shown = [value for value in told if value is not None]
        return any(after < before - ALIKE for before, after in pairwise(shown))


def shown_score(lapped: Lapped) -> ShownScore | None:
    """What says that each step is paid the score that is shown, which stands still; None where none is."""
    if len(lapped.lap) > 1:
        return None
    turns = lapped.turns
    told = [(one.reward or 0.0, numbers(other.observation)) for one, other in pairwise(turns)]
    for path in told[0][1] if told else ():
        if SCORES.search(path) and all(
            abs(shown.get(path, 0.0) - reward) <= ALIKE and reward > 0 for reward, shown in told
        ):
            return ShownScore(path, told[-1][0])
    return None


def goes_back(lapped: Lapped) -> bool:
    """Whether the paid action of a lap takes what is seen away from how it began, and the other one puts it back.

    Two strokes of a pump that lift one bucket are paid where the handle comes back to where it was. A text that tells
    what was sent last did not stand there at the reset; beside it one thing that goes to and fro, such as a lever, may
    move something that is not seen.
    """
    size, turns = len(lapped.lap), lapped.turns
    if size != 2 or len(turns) <= size or not unpaid_first(lapped):
        return False
    start, paid, after = (
        {**seen(turn.observation), **numbers(turn.observation)}
        for turn in (lapped.episode.turns[0], turns[1], turns[2])
    )
    moved = [path for path in paid.keys() & after.keys() if paid[path] != after[path]]
    away = [path for path in moved if paid[path] == start.get(path)]
    alone = len(away) == len(moved) == 1 and not is_number(paid[away[0]])
    several = alone or len(away) >= SEVERAL
    return several and not any(after[path] == start.get(path) for path in moved)


def undoes(told: str, names: Sequence[str]) -> bool:
    """Whether a sentence says of an action that it takes something away again, or undoes it.

    Args:
        told: The sentence, or a row of a table.
        names: What the action says and the paid one does not.
    """
    begun = re.match(r"[\W_]*(\w+)", told)
    about = begun is not None and begun[1].casefold() in {name.casefold() for name in names}
    about = about or any(f"`{name}`" in told for name in names)
    return about and UNDOES.search(told) is not None


def undone(states: LapStates) -> bool:
    """Whether the paid action takes a part of what is seen away from how it began, and the other puts all of that back.

    What is said of an action is another thing each time; numbers are what is spent and restored.
    """
    start, before, after, taken = states
    moved = [path for path in after if after[path] != before.get(path)]
    parts = [path for path in moved if LISTED in path or isinstance(after[path], bool)]
    parts += [path for path in moved if path.count(".") > 1 and isinstance(after[path], str)]
    return any(before.get(path) == start.get(path) == taken.get(path) for path in parts)


def put_and_taken(lapped: Lapped, states: LapStates) -> str | None:
    """Where the paid action of a lap puts what it names, and the other one takes it away; None where it does not.

    A machine's stage, a lever's end or a strength that is spent is no thing that was named: the two actions may make
    ready for each other. What is put down to be paid is seen where it was put. It was not there at the reset, nor is it
    after the other action.

    Args:
        lapped: Laps of two actions.
        states: What is seen meanwhile.
    """
    start, before, after, taken = states
    names = named_in(lapped.lap[1], lapped.lap[0])
    away = [path for path in after if before.get(path) == start.get(path) == taken.get(path)]
    for path in away:
        held, key = after[path], path.rpartition(".")[2]
        new = path not in before and not path.endswith("#") and LISTED not in path
        if held == before.get(path):
            continue
        named = as_key(held) in names or (new and as_key(key) in names)
        if named and (isinstance(held, str) or new):
            return path
    return None


def as_before(lapped: Lapped, states: LapStates) -> bool:
    """Whether all that is seen after a lap is as it was before the paid action was first sent.

    A number or a list that differs from lap to lap is a clock or a history, and one that is called a score may stay. A
    text that stands alone is a message if it has several words, or if the two actions are answered otherwise.

    Args:
        lapped: Laps of two actions.
        states: What is seen meanwhile.
    """
    _, before, after, taken = states
    first = dict(leaves(bare(lapped.episode.turns[max(0, lapped.begun - 1)].observation)))
    moving = {
        root_of(path)
        for path in before.keys() | taken.keys()
        if before.get(path) != taken.get(path)
    }
    for path in first.keys() | taken.keys():
        one, other = first.get(path), taken.get(path)
        if one == other or root_of(path) in moving or (is_number(other) and SCORES.search(path)):
            continue
        message = path.count(".") == 1 and LISTED not in path and isinstance(other, str)
        if not message or (" " not in f"{one}{other}" and before.get(path) == after.get(path)):
            return False
    return True


def root_of(path: str) -> str:
    """A path up to the first list in it."""
    return path.partition("[")[0].removesuffix("#")


def laps_seen(lapped: Lapped) -> LapStates | None:
    """What is seen of laps of two actions; None where there are too few, or the first is paid.

    Args:
        lapped: They.
    """
    turns = lapped.turns
    if len(lapped.lap) != 2 or len(turns) <= len(lapped.lap) + 1 or not unpaid_first(lapped):
        return None
    shown = (lapped.episode.turns[0], *turns[1:4])
    return [dict(leaves(bare(turn.observation))) for turn in shown]


def as_key(value: JsonValue) -> str:
    """A value as a key, texts whatever their capitals."""
    return key_of(value.casefold().strip() if isinstance(value, str) else value)


def exchanges(lapped: Lapped) -> bool:
    """Whether the action of a lap names two things or more whose places hold each other's after it, and back.

    Where the same swap is paid at every other time, what it is paid for was there before it. The two pistons of a pump
    change places as well, and no stroke says which.
    """
    turns = lapped.turns
    if len(set(map(repr, lapped.lap))) > 1 or len(turns) <= len(lapped.lap):
        return False
    before, after = (dict(leaves(bare(turn.observation))) for turn in turns[1:3])
    moved = [path for path in before if before[path] != after.get(path) and PART.search(path)]
    moved = [path for path in moved if isinstance(before[path], str) or LISTED in path]
    names = {*named_in(lapped.lap[1], {}), *map(as_key, map(str, whole_numbers(lapped.lap[1])))}
    keys = [as_key(PART.findall(path)[-1]) for path in moved]
    same = sorted(map(str, map(before.get, moved))) == sorted(map(str, map(after.get, moved)))
    values = {as_key(before[path]) for path in moved}
    return len(moved) >= SEVERAL and same and (names >= set(keys) or names >= values)


def whole_numbers(action: Action) -> Iterator[int]:
    """The whole numbers of an action, and one less, for whoever counts from one."""
    for _, value in leaves(action):
        if is_number(value) and value == int(value):
            yield from (int(value), int(value) - 1)


def named_in(paid: Action, other: Action) -> set[str]:
    """What an action names, without what another one says otherwise in the same place: that is what is done."""
    beside = dict(leaves(other))
    return {
        as_key(value)
        for path, value in leaves(paid)
        if value not in (None, "") and (beside.get(path) in (None, "") or beside[path] == value)
    }


def moved_in(turns: Sequence[Turn], size: int) -> set[str]:
    """The paths of what is seen that are not the same from lap to lap.

    Args:
        turns: Those of some laps.
        size: Turns of a lap.
    """
    shown = [{**seen(turn.observation), **numbers(turn.observation)} for turn in turns]
    return {
        path
        for one, other in zip(shown, shown[size:], strict=False)
        for path in one.keys() | other.keys()
        if one.get(path) != other.get(path)
    }


def unpaid_first(lapped: Lapped) -> bool:
    """Whether the first action of the laps is never paid."""
    return all((turn.reward or 0.0) <= 0 for turn in lapped.turns[:: len(lapped.lap)])


def says_more(other: Action, paid: Action) -> bool:
    """Whether an action differs from another in texts alone, each of which goes on where the other's ends."""
    said = [(other.get(name), value) for name, value in paid.items() if other.get(name) != value]
    texts = [(o, p) for o, p in said if isinstance(o, str) and isinstance(p, str)]
    return bool(said) and len(texts) == len(said) and all(o.startswith(p) for o, p in texts)


def takes_back(other: Action, paid: Action) -> Said | None:
    """How an action takes back another, in words; None where nothing says that it does.

    Opposites in name may be the two halves of one piece of work: who carries takes and drops.
    """
    if other == paid:
        return Said("the same action takes back what it was paid for")
    if other == scaled(paid, -1.0):
        return Said("the opposite number takes back what was paid for", MAY_TAKE_TWO)
    ours, theirs = texts_in(paid), texts_in(other)
    new, old = words_of(theirs) - words_of(ours), words_of(ours) - words_of(theirs)
    said_new = [f" {text} " for text in theirs if text not in ours]
    out = any(map(TAKES_OUT.search, said_new))
    if any(map(TAKES_BACK.search, said_new)) or (out and takes_out_again(other, paid)):
        return Said("by its name the other action takes back what was paid for")
    if out:
        return Said("by its name the other action may take back what was paid for", MAY_USE_UP)
    pairs = {frozenset(pair) for pair in OPPOSITES}
    opposite = any(frozenset((a, b)) in pairs for a in new for b in old)
    opposite |= any(a in {f"un{b}", f"de{b}", f"dis{b}"} for a in new for b in old)
    said = "by its name the other action is the opposite of the one that is paid"
    return Said(said, MAY_TAKE_TWO) if opposite else None


def takes_out_again(other: Action, paid: Action) -> bool:
    """Whether an action takes out by its name what another one puts by its own, in the same field.

    What both are about stands in other fields: a place and a book are things, too.
    """
    return any(
        TAKES_OUT.search(f" {text} ") is not None and bool(words_of([said]) & PUTS)
        for name, text in other.items()
        if isinstance(text, str) and isinstance(said := paid.get(name), str) and said != text
    )


def ends(other: Action, paid: Action) -> bool:
    """Whether an action differs from another by how a piece of work ends."""
    return bool((words_of(texts_in(other)) - words_of(texts_in(paid))) & ENDS)


def texts_in(action: Action) -> list[str]:
    """The texts of an action's own places, in which its verb is."""
    return [value for value in action.values() if isinstance(value, str)]


def words_of(texts: Sequence[str]) -> set[str]:
    """The words of some names."""
    return {word.lower() for text in texts for word in WORD.findall(text)}


def variants(paid: Action, leaves: Sequence[ActionField]) -> Iterator[Action]:
    """Other choices on the same object, and the opposite number: what may take an action back."""
    reverse = scaled(paid, -1.0)
    if isinstance(reverse, dict) and reverse != paid:
        yield reverse
    for leaf in leaves:
        if len(leaf.path) == 1 and not leaf.tool and value_at(paid, leaf.name) is not None:
            for choice in (choice for option in leaf.options for choice in choices_of(option)):
                if choice != value_at(paid, leaf.name):
                    yield put(paid, leaf.path, choice)
