"""What earlier episodes did decides a later one: the same reset and actions, alone and after them.

Both are flown in two fresh processes each. The later episode has to come out alike in both, to be paid more after the
others or to read what the source says is kept, and both resets have to show the same but for numbers that count up: a
curriculum gives another task and shows it. It blocks if the later episode is paid more or succeeds, and nobody wrote
that episodes build on each other.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass, replace

from gonogo.auditing.checks.stability import UNSTEADY, is_task
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import Survey, total
from gonogo.contract.check_env import find_source
from gonogo.contract.determinism import Alike, unequal
from gonogo.contract.kept import KeptState, kept_over_resets
from gonogo.contract.rotation import rotation_told
from gonogo.contract.sources import prose_of
from gonogo.env.target import UrlTarget
from gonogo.exploits.witness import Witness, ddmin, encode
from gonogo.records.findings import ContractWitness, FirstDifference, Severity
from gonogo.records.inspection import Description
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.volatile import volatile_in
from gonogo.wire import Action, TaskOptions

LEAK = "episode_state_leak"
WHO = "an episode, then another"
HASH_SEEDS = (1, 2)
ROUNDING = 1e-9
TESTS = 10
"""Fresh processes in which fewer earlier episodes are tried."""
FlownValue = float | bool | None
ON_PURPOSE = re.compile(
    r"(?i)(?<!no )(?<!not )(?<!without )(?<!without a )\b(curriculum|life-?long|continual learning)\b|"
    r"(?<!not )(?<!never )(?<!nothing )(?<!nothing is )\b(persist\w*|carr(y|ies|ied)|kept|keeps?|remember\w*)\b"
    r"( (over|them|it|on))? (across|between|over|from|into|after) (all |the |each |one )?(episode|reset|next)"
)
"""Words of who means that episodes build on each other."""
DENIES = re.compile(r"(?i)\b(no|not|never|nothing|none|neither|nor|without|cannot)\b|n[’']t\b")
"""Words that turn what is said of it, in the same sentence, into its opposite."""
SENTENCE_ENDS = re.compile(r"[.!?:;](?=\s)|\n\s*\n")


@dataclass(frozen=True, slots=True)
class Following:
    """An episode that is flown alone, and after others.

    Attributes:
        task: Reset options.
        actions: What is sent, the last one repeated to the end.
        turns: Steps after which it is cut.
    """

    task: TaskOptions
    actions: list[Action]
    turns: int

    @classmethod
    def of(cls, episode: Episode) -> Following:
        """An episode again: its reset and actions, and cut where it ended."""
        seen = Witness.of(episode)
        return cls(episode.task, list(seen.actions), len(seen.actions))

    def fly(self, session: AuditSession, name: str = "after another") -> Episode:
        """Fly it in a session."""
        plan = [(self.task, self.actions)]
        return session.plans(name, plan, whole=True, turns=self.turns)[0]


class EarlierEpisodes:
    """The proof that earlier episodes decide a later one, in one task's audit.

    Args:
        context: What is flown, and how.

    Attributes:
        kept: What steps change and no reset empties, by the source, once it was read.
    """

    def __init__(self, context: AuditContext) -> None:
        self.kept: list[KeptState] = []
        self._context = context
        self._prose: str | None = None

    def read(self, session: AuditSession) -> None:
        """Read the source, once: what outlives a reset, and whether that is meant."""
        if self._prose is None:
            code, target = session.code, self._context.env.target
            source = find_source(target, Description(code=code))
            self.kept, self._prose = kept_over_resets(source, code), prose_of(source, code, target)

    @property
    def meant(self) -> str | None:
        """The words that say that episodes build on each other."""
        return meant_in(self._prose or "")

    @property
    def turns(self) -> bool:
        """Whether it is written that each reset goes on to the next episode."""
        return rotation_told(self._prose or "") is not None

    def as_meant(self, proof: Confirmed, session: AuditSession) -> Confirmed:
        """A proof; merely suspicious if it is that episodes depend on earlier ones, and who wrote them means it.

        Args:
            proof: A finding.
            session: Where the source is asked for.
        """
        self.read(session)
        meant = proof.finding.id == LEAK and self.meant is not None
        return proof.weighing(Severity.SUSPICIOUS) if meant else proof

    def open_to(self, flown: Survey) -> bool:
        """Whether it can be asked: in processes of our own, unless seed and actions decide no episode by the map."""
        return not isinstance(self._context.env.target, UrlTarget) and not self.unsteady(flown)

    def unsteady(self, flown: Survey) -> bool:
        """Whether the map has found already that seed and actions do not decide an episode."""
        found = self._context.card.findings
        return any(f.id in UNSTEADY and is_task(f.task, flown.task) for f in found)

    def fresh(self, hash_seed: int = HASH_SEEDS[0]) -> AuditSession:
        """A process that flew nothing."""
        return AuditSession(self._context, hash_seed=hash_seed, guided=False)

    def after(
        self, before: Sequence[Following], then: Sequence[Following], hash_seed: int = HASH_SEEDS[0]
    ) -> list[Episode]:
        """What comes of some episodes, flown one after another, after others, in a fresh process."""
        with closing(self.fresh(hash_seed)) as session:
            for each in before:
                fly_before(session, each)
            return [each.fly(session) for each in then]

    def fewest(
        self, before: Sequence[Following], then: Following, alone: Episode
    ) -> Sequence[Following]:
        """The fewest of some earlier episodes after which a later one is still paid more than alone."""

        def holds(some: Sequence[Following]) -> bool:
            (came,) = self.after(some, [then])
            return came.error is None and richer(alone, came)

        return ddmin(before, holds, TESTS)

    def proof(
        self,
        flown: Survey,
        before: Sequence[Following],
        then: Following,
        kept: KeptState | None = None,
        before_said: str = "",
    ) -> Confirmed | None:
        """Fly a later episode alone and after others, in two fresh processes each.

        Args:
            flown: The survey.
            before: The earlier episodes, in their order.
            then: The later one.
            kept: What they change, and no reset empties; None where the source says nothing.
            before_said: What else was seen, before what the witness shows.

        Returns:
            The finding; None where either does not come out alike, or the resets differ.
        """
        earlier: list[list[Episode]] = []
        alone: list[Episode] = []
        after: list[Episode] = []
        for hash_seed in HASH_SEEDS:
            with closing(self.fresh(hash_seed)) as session:
                earlier.append([fly_before(session, each) for each in before])
                after.append(then.fly(session))
            alone += self.after((), [then], hash_seed)
        if any(e.error is not None or e.invalid_count == len(e.turns) for e in (*alone, *after)):
            return None
        if any(e.error is not None for e in earlier[0]):
            return None
        one, two = Witness.of(alone[0]), Witness.of(after[0])
        if one.differs(Witness.of(alone[1])) or two.differs(Witness.of(after[1])):
            return None
        if one.differs(two) is None or not self.shown_alike(flown, alone[0], after[0]):
            return None
        more = richer(alone[0], after[0])
        if not more and (kept is None or kept.paid is None):
            return None
        befores = [Witness.of(e) for e in earlier[0]]
        said = said_of(befores, one, two, more=more)
        if before_said:
            said = f"{before_said}. One of them, flown last: {said}"
        if kept is not None:
            said += f". {kept}"
        if self.meant is not None:
            said += f". The environment speaks of {self.meant!r}, so that it may be meant"
        witness = witness_of(befores, one, two)
        shown = replace(after[0], replays="other")
        proof = Confirmed.of(LEAK, flown.task, witness, said, shown, WHO)
        return proof.weighing(None if more and self.meant is None else Severity.SUSPICIOUS)

    def shown_alike(self, flown: Survey, one: Episode, other: Episode) -> bool:
        """Whether two episodes begin alike, but for numbers that count up."""
        alike = Alike(True, volatile_in(self._context.card, flown.task))
        here, there = (e.turns[0].observation for e in (one, other))
        return unequal(here, there, "observation", alike) is None


def meant_in(prose: str) -> str | None:
    """The words of a text that say that episodes build on each other; None where none does, or only to deny it."""
    for found in ON_PURPOSE.finditer(prose):
        begins = [end.end() for end in SENTENCE_ENDS.finditer(prose, 0, found.start())]
        if DENIES.search(prose[begins[-1] if begins else 0 : found.end()]) is None:
            return found[0]
    return None


def fly_before(session: AuditSession, each: Following) -> Episode:
    """Fly what may leave something behind, and no further."""
    return each.fly(session, "an episode before")


def said_of(earlier: Sequence[Witness], alone: Witness, after: Witness, *, more: bool) -> str:
    """What a later episode comes to alone and after others, in words."""
    lengths = sorted({len(each.actions) for each in earlier})
    long = steps_text(lengths[0]) if len(lengths) == 1 else f"{lengths[0]} to {lengths[-1]} steps"
    which = f"an episode of {long}" if len(earlier) == 1 else f"{len(earlier)} episodes of {long}"
    sent = json.dumps(after.actions[0])
    one_only = len(after.actions) == 1
    steps = steps_text(len(after.actions))
    begin, earn = ("with", "earns") if one_only else ("that begin with", "earn")
    paid, bare = worth(after, single=one_only), worth(alone, single=False)
    said = (
        f"after {which} in the same session and a reset, {steps} {begin} {sent} {earn} {paid}; the same reset "
        f"and actions earn {bare} in a process that flew nothing before. Both came out alike in two fresh "
        "processes each, and both resets show the same but for numbers that count up"
    )
    whose = "the earlier one" if len(earlier) == 1 else "the earlier ones"
    return said + (f": the later episode is paid for what {whose} did" if more else "")


def witness_of(earlier: Sequence[Witness], alone: Witness, after: Witness) -> ContractWitness:
    """What was flown, and in what it differs from the same alone."""
    step, name, values = apart(alone, after)
    reset, sent, paid = after.task, encode(after.actions), encode(after.rewards)
    differs = FirstDifference(step=step, field=name, values=values)
    records = tuple(each.record() for each in earlier)
    if len(records) == 1:
        return ContractWitness(
            reset=reset, actions=sent, rewards=paid, difference=differs, before=records[0]
        )
    return ContractWitness(
        reset=reset, actions=sent, rewards=paid, difference=differs, earlier=records
    )


def steps_text(number: int) -> str:
    """So many steps, in words."""
    return "1 step" if number == 1 else f"{number} steps"


def worth(seen: Witness, *, single: bool) -> str:
    """A return and what became of the episode, in words that follow "1 step earns" or "steps earn"."""
    succeed = " and succeeds" if single else " and succeed"
    return f"{seen.total:g}{succeed if seen.success is True else ''}"


def apart(one: Witness, two: Witness) -> tuple[int, str, tuple[FlownValue, FlownValue]]:
    """The step after which two flights differ, in what, and both values."""
    for step, (a, b) in enumerate(zip(one.rewards, two.rewards, strict=False), start=1):
        if repr(a) != repr(b):
            return step, "reward", (a, b)
    lengths = len(one.rewards), len(two.rewards)
    if lengths[0] != lengths[1]:
        return min(lengths), "length", lengths
    return len(one.rewards), "success", (one.success, two.success)


def gain(alone: Episode, after: Episode) -> tuple[bool, float]:
    """How much more an episode comes to than alone."""
    return after.success is True and alone.success is not True, total(after) - total(alone)


def richer(alone: Episode, after: Episode) -> bool:
    """Whether an episode is paid more than alone, or succeeds where it does not alone."""
    succeeds, more = gain(alone, after)
    return succeeds or more > ROUNDING


def whole(episode: Episode) -> bool:
    """Whether an episode was flown to its end with actions, so that it can be flown again."""
    flown = episode.error is None and bool(episode.turns)
    return flown and all(turn.action is not None for turn in episode.turns)


def key(each: Following) -> str:
    """What is flown, as a text."""
    return json.dumps([each.task, each.actions, each.turns], sort_keys=True, default=repr)
