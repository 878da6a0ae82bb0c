"""What an episode leaves behind: are the same reset and actions paid more because of the episode before?

The map repeats random episodes, and :mod:`gonogo.auditing.checks.stability` a success. What an episode has reached, and
the next is paid for, shows in neither: the next one has to do less than the first. So an episode that reached much is
flown, then a reset, then an action that ends an episode at once, idling, or the same again; and the same without the
first, in a process that flew nothing. Where that differs, both are flown again in two fresh processes each.

The source says where to look (:mod:`gonogo.contract.kept`): episodes that ran a line which changes what no reset
empties come first, and are flown several times over where once is not enough: what counts up over episodes may need
more than one of them. Where no episode ran one and a reward reads it, the source alone makes it suspicious.

What counts as proof is in :mod:`gonogo.auditing.checks.earlier`.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field

from gonogo.auditing.checks.earlier import (
    ROUNDING,
    WHO,
    EarlierEpisodes,
    Following,
    fly_before,
    gain,
    key,
    richer,
    whole,
)
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, total
from gonogo.contract.kept import KeptState
from gonogo.exploits.witness import Witness, actions_of, trimmed
from gonogo.records.findings import ContractWitness, RewardLine
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

KEPT = "kept_after_reset"
MOST_FIRST, MOST_ENDS = 6, 3
"""Episodes that are flown first, of the whole audit, and short endings that follow each."""
LONGEST_END, LONGEST_IDLE = 8, 64
"""Steps after which a short ending, and idling, are cut."""
TIMES = (1, 4, 16)
"""So often is an episode flown first that changes what is kept and paid: as often as it takes, of these."""


@dataclass(frozen=True, slots=True)
class FirstEpisode:
    """An episode that may leave something behind.

    Attributes:
        kind: By what it was chosen.
        task: Reset options.
        actions: What is sent.
        kept: What it changes, and no reset empties; None where the source says nothing.
    """

    kind: str
    task: TaskOptions
    actions: list[Action]
    kept: KeptState | None = None

    @property
    def flight(self) -> Following:
        """How it is flown, and no further."""
        return Following(self.task, self.actions, len(self.actions))

    @property
    def paid(self) -> bool:
        """Whether it changes what is kept, and a reward or a success reads."""
        return self.kept is not None and self.kept.paid is not None


@dataclass
class LeftOver:
    """What episodes leave behind, asked as often as there is something new to ask.

    Attributes:
        earlier: How it is proven.
        tried: Kinds of first episodes that were flown when it was asked before.
    """

    earlier: EarlierEpisodes
    tried: set[str] = field(default_factory=set)

    def proofs(
        self, session: AuditSession, flown: Survey, explored: Sequence[Episode]
    ) -> list[Confirmed]:
        """The finding that an episode depends on those before; empty where none is seen.

        Args:
            session: The survey's process.
            flown: The survey.
            explored: What exploration kept.
        """
        if not self.earlier.open_to(flown):
            return []
        self.earlier.read(session)
        everything = [*explored, *flown.episodes]
        firsts = [
            f for f in first_episodes(everything, self.earlier.kept) if f.kind not in self.tried
        ]
        firsts = firsts[: MOST_FIRST - len(self.tried)]
        if not firsts:
            return []
        endings = short_endings(everything)
        later = [following(each, endings, flown, session) for each in firsts]
        asked = {key(f): f for some in later for f in some}
        with closing(self.earlier.fresh()) as fresh:
            alone = {name: each.fly(fresh) for name, each in asked.items()}
        for first, some in zip(firsts, later, strict=True):
            self.tried.add(first.kind)
            fly_before(session, first.flight)
            other = [f for f in some if differs(alone[key(f)], f.fly(session), first.kept)]
            # what others left behind in the survey's process is not this episode's doing
            asked_of = other or (some if first.paid else ())
            for before, then in self._clearest(first, asked_of, alone) if asked_of else ():
                proof = self.earlier.proof(flown, before, then, first.kept)
                if proof is not None:
                    return [proof]
        return []

    def _clearest(
        self, first: FirstEpisode, some: Sequence[Following], alone: Mapping[str, Episode]
    ) -> Iterator[tuple[Sequence[Following], Following]]:
        """What gains most by an episode before it in a fresh process, flown as often as it takes; then what differs."""
        lesser: list[tuple[Sequence[Following], Following]] = []
        for times in TIMES if first.paid else TIMES[:1]:
            before = [first.flight] * times
            told = [
                (gain(alone[key(each)], after), -n)
                for n, (each, after) in enumerate(
                    zip(some, self.earlier.after(before, some), strict=True)
                )
                if differs(alone[key(each)], after, first.kept)
            ]
            if not told:
                continue
            (succeeds, more), number = max(told)
            then = some[-number]
            if not succeeds and more <= ROUNDING:
                lesser.append((before, then))
                continue
            fewest = self.earlier.fewest(before, then, alone[key(then)]) if times > 1 else before
            if len(fewest) < len(before):
                yield fewest, then
            yield before, then
        yield from lesser[:1]

    def by_source(self, flown: Survey, unreached: Collection[str]) -> list[Confirmed]:
        """The finding that a reward reads what no reset empties, where no episode ran a line that changes it.

        Args:
            flown: The survey.
            unreached: Lines that no episode ran.
        """
        for each in self.earlier.kept:
            lines = [{(place.file, place.line)} for place in each.changed]
            unchanged = all(runs(unreached, line) for line in lines)
            if each.paid is None or not unchanged or self.earlier.unsteady(flown):
                continue
            if not each.default and self.earlier.meant is not None:
                continue
            paid = line_of(each.paid.file, each.paid.line, each.paid.text)
            changed = [line_of(place.file, place.line, place.text) for place in each.changed]
            witness = ContractWitness(code=(*changed, paid))
            said = f"{each}, and which {paid} reads; no episode of the audit changed it"
            return [Confirmed.of(KEPT, flown.task, witness, said, None, WHO)]
        return []


def line_of(file: str, line: int, text: str) -> RewardLine:
    """A line of the source, for a record."""
    return RewardLine(file=file, line=line, code=text)


def differs(alone: Episode, after: Episode, kept: KeptState | None) -> bool:
    """Whether two flights are worth to be held against each other in fresh processes."""
    if alone.error is not None or after.error is not None:
        return False
    if richer(alone, after):
        return True
    told = kept is not None and kept.paid is not None
    return told and Witness.of(alone).differs(Witness.of(after)) is not None


def first_episodes(
    episodes: Sequence[Episode], kept: Sequence[KeptState]
) -> Iterator[FirstEpisode]:
    """The episodes that may leave something behind: what changes what is kept, a success, and what is paid best."""
    flown = [e for e in episodes if whole(e)]
    for each in kept:
        lines = {(place.file, place.line) for place in each.changed}
        for episode in flown:
            turns = [n for n, turn in enumerate(episode.turns) if runs(turn.reached, lines)]
            if turns:
                # all that follows may undo it
                sent = actions_of(episode.turns[: turns[-1] + 1])
                lasting = f"{each} in {len(lines_run(episode, lines))}"
                yield FirstEpisode(str(each), episode.task, sent, each)
                if turns[-1] + 1 < len(episode.turns):
                    yield FirstEpisode(lasting, episode.task, actions_of(episode.turns), each)
    led = kept[0] if kept else None
    won = sorted((e for e in flown if e.success is True), key=lambda e: len(e.turns))
    paid = sorted((e for e in flown if total(e) > 0), key=total, reverse=True)
    for kind, some in (("a success", won), ("what is paid best", paid)):
        for episode in some[:1]:
            sent = actions_of(episode.turns)
            yield FirstEpisode(kind, episode.task, sent, led)


def lines_run(episode: Episode, lines: set[tuple[str, int]]) -> set[str]:
    """Those of some lines that an episode was the first to run."""
    return {told for turn in episode.turns for told in turn.reached if runs((told,), lines)}


def runs(reached: Collection[str], lines: set[tuple[str, int]]) -> bool:
    """Whether one of some lines was run; a worker and a reader may name a file from different folders."""
    told = [(name, int(number)) for name, _, number in (each.rpartition(":") for each in reached)]
    names = {name for name, _ in told}
    for file, line in lines:
        if any(
            number == line and (name == file or (file not in names and alike(name, file)))
            for name, number in told
        ):
            return True
    return False


def alike(one: str, other: str) -> bool:
    """Whether one of two paths may be the other from another folder."""
    return ends(one, other) or ends(other, one)


def ends(path: str, with_: str) -> bool:
    """Whether a path is another one, or ends with it."""
    return path == with_ or path.endswith(f"/{with_}")


def short_endings(episodes: Sequence[Episode]) -> list[Action]:
    """Actions that ended an episode, those of the shortest episodes first, of different kinds."""
    best: dict[str, tuple[int, Action]] = {}
    for episode in episodes:
        last = episode.turns[-1] if episode.turns else None
        if episode.error is None and last is not None and last.done and last.action is not None:
            name = json.dumps(last.action, sort_keys=True)
            if name not in best or len(episode.turns) < best[name][0]:
                best[name] = len(episode.turns), last.action
    found = sorted(best.values(), key=lambda each: each[0])
    return [action for size, action in found if size <= LONGEST_END][:MOST_ENDS]


def following(
    first: FirstEpisode, endings: Sequence[Action], flown: Survey, session: AuditSession
) -> list[Following]:
    """What is flown after an episode.

    Short endings on its seed and another; where the source points there, or nothing ends an episode early, idling and
    the same again as well.
    """
    other = next((task for task in flown.tasks if task != first.task), None)
    tasks = [first.task, *([] if other is None else [other])]
    out = [Following(task, [action], LONGEST_END) for task in tasks for action in endings]
    if first.kept is not None or not endings:
        turns = min(session.limit, LONGEST_IDLE)
        out.append(Following(first.task, [session.space.idle()], turns))
        out.append(Following(first.task, trimmed(first.actions), len(first.actions)))
    return out
