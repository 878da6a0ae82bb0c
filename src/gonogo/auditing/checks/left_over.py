"""What an episode leaves behind: are the same reset and actions paid more because of the episode before?

The map repeats random episodes, and :mod:`gonogo.auditing.checks.stability` a success. What an episode has reached, and
the next is paid for, shows in neither: the next one has to do less than the first. So an episode that reached much is
flown, then a reset, then an action that ends an episode at once, idling, or the same again; and the same without the
first, in a process that flew nothing. Where that differs, both are flown again in two fresh processes each.

The source says where to look (:mod:`gonogo.contract.kept`): episodes that ran a line which changes what no reset
empties come first. Where no episode ran one and a reward reads it, the source alone makes it suspicious.

A difference counts only if both resets show the same but for numbers that count up: a curriculum gives another task and
shows it. It blocks if the later episode is paid more or succeeds, and nobody wrote that episodes build on each other.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace

from gonogo.auditing.checks.stability import UNSTEADY, is_task
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import Survey, total
from gonogo.contract.check_env import find_source
from gonogo.contract.determinism import Alike, unequal
from gonogo.contract.kept import KeptState, kept_over_resets
from gonogo.contract.source import Source
from gonogo.contract.sources import files_of, readme_of
from gonogo.contract.syntax import Function
from gonogo.env.target import FolderTarget, Target, UrlTarget
from gonogo.exploits.witness import Witness, actions_of, encode, trimmed
from gonogo.records.findings import ContractWitness, FirstDifference, RewardLine, Severity
from gonogo.records.inspection import Description, EnvironmentCode
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.volatile import volatile_in
from gonogo.wire import Action, TaskOptions

LEAK, KEPT = "episode_state_leak", "kept_after_reset"
WHO = "an episode, then another"
HASH_SEEDS = (1, 2)
MOST_FIRST, MOST_ENDS = 6, 3
"""Episodes that are flown first, of the whole audit, and short endings that follow each."""
LONGEST_END, LONGEST_IDLE = 8, 64
"""Steps after which a short ending, and idling, are cut."""
ROUNDING = 1e-9
FlownValue = float | bool | None
ON_PURPOSE = re.compile(
    r"(?i)(?<!no )(?<!not )(?<!without )(?<!without a )\b(curriculum|life-?long|continual learning)\b|"
    r"(?<!not )(?<!never )(?<!nothing )(?<!nothing is )\b(persist\w*|carr(y|ies|ied)|kept|keeps?|remember\w*)\b"
    r"( (over|them|it|on))? (across|between|over|from|into|after) (all |the |each |one )?(episode|reset|next)"
)
"""Words of who means that episodes build on each other."""


@dataclass(frozen=True, slots=True)
class FirstEpisode:
    """An episode that may leave something behind.

    Attributes:
        kind: By what it was chosen; each is flown once.
        task: Reset options.
        actions: What is sent.
        kept: What it changes, and no reset empties; None where the source says nothing.
    """

    kind: str
    task: TaskOptions
    actions: list[Action]
    kept: KeptState | None = None


@dataclass(frozen=True, slots=True)
class Following:
    """What is flown after it.

    Attributes:
        task: Reset options.
        actions: What is sent, the last one repeated to the end.
        turns: Steps after which it is cut.
    """

    task: TaskOptions
    actions: list[Action]
    turns: int

    def fly(self, session: AuditSession) -> Episode:
        """Fly it in a session."""
        plan = [(self.task, self.actions)]
        return session.plans("after another", plan, whole=True, turns=self.turns)[0]


@dataclass
class LeftOver:
    """What episodes leave behind, asked as often as there is something new to ask.

    Attributes:
        context: What is flown, and how.
        tried: Kinds of first episodes that were flown.
    """

    context: AuditContext
    tried: set[str] = field(default_factory=set)
    _kept: list[KeptState] | None = None
    _prose: str = ""

    def proofs(
        self, session: AuditSession, flown: Survey, explored: Sequence[Episode]
    ) -> list[Confirmed]:
        """The finding that an episode depends on the one before; empty where none is seen.

        Args:
            session: The survey's process.
            flown: The survey.
            explored: What exploration kept.
        """
        if isinstance(self.context.env.target, UrlTarget) or self._unsteady(flown):
            return []
        if self._kept is None:
            code, target = session.code, self.context.env.target
            source = find_source(target, Description(code=code))
            self._kept, self._prose = kept_over_resets(source, code), prose_of(source, code, target)
        everything = [*explored, *flown.episodes]
        firsts = [f for f in first_episodes(everything, self._kept) if f.kind not in self.tried]
        firsts = firsts[: MOST_FIRST - len(self.tried)]
        if not firsts:
            return []
        endings = short_endings(everything)
        later = [following(each, endings, flown, session) for each in firsts]
        asked = {key(f): f for some in later for f in some}
        with closing(self._fresh(HASH_SEEDS[0])) as fresh:
            alone = {name: each.fly(fresh) for name, each in asked.items()}
        for first, some in zip(firsts, later, strict=True):
            self.tried.add(first.kind)
            fly_first(session, first)
            other = [f for f in some if differs(alone[key(f)], f.fly(session), first.kept)]
            # what others left behind in the survey's process is not this episode's doing
            then = self._clearest(first, other, alone)
            proof = None if then is None else self._proof(first, then, flown)
            if proof is not None:
                return [proof]
        return []

    def by_source(self, flown: Survey, unreached: Collection[str]) -> list[Confirmed]:
        """The finding that a reward reads what no reset empties, where no episode ran a line that changes it.

        Args:
            flown: The survey.
            unreached: Lines that no episode ran.
        """
        for each in self._kept or ():
            lines = [{(place.file, place.line)} for place in each.changed]
            unchanged = all(runs(unreached, line) for line in lines)
            if each.paid is None or not unchanged or self._unsteady(flown):
                continue
            if not each.default and ON_PURPOSE.search(self._prose):
                continue
            paid = line_of(each.paid.file, each.paid.line, each.paid.text)
            changed = [line_of(place.file, place.line, place.text) for place in each.changed]
            witness = ContractWitness(code=(*changed, paid))
            said = f"{each}, and which {paid} reads; no episode of the audit changed it"
            return [Confirmed.of(KEPT, flown.task, witness, said, None, WHO)]
        return []

    def _unsteady(self, flown: Survey) -> bool:
        """Whether the map has found already that seed and actions do not decide an episode."""
        found = self.context.card.findings
        return any(f.id in UNSTEADY and is_task(f.task, flown.task) for f in found)

    def _fresh(self, hash_seed: int) -> AuditSession:
        return AuditSession(self.context, hash_seed=hash_seed, guided=False)

    def _clearest(
        self, first: FirstEpisode, some: Sequence[Following], alone: Mapping[str, Episode]
    ) -> Following | None:
        """What gains most by an episode before it in a fresh process; None where nothing differs there."""
        if not some:
            return None
        with closing(self._fresh(HASH_SEEDS[0])) as fresh:
            fly_first(fresh, first)
            flown = [(each, alone[key(each)], each.fly(fresh)) for each in some]
        left = [(gain(a, b), each) for each, a, b in flown if differs(a, b, first.kept)]
        return max(left, key=lambda pair: pair[0])[1] if left else None

    def _proof(self, first: FirstEpisode, then: Following, flown: Survey) -> Confirmed | None:
        """Fly both again, in two fresh processes each; None where they do not come out alike, or the resets differ."""
        alone: list[Episode] = []
        after: list[Episode] = []
        before: list[Episode] = []
        for hash_seed in HASH_SEEDS:
            with closing(self._fresh(hash_seed)) as fresh:
                before.append(fly_first(fresh, first))
                after.append(then.fly(fresh))
            with closing(self._fresh(hash_seed)) as fresh:
                alone.append(then.fly(fresh))
        if any(e.error is not None or e.invalid_count == len(e.turns) for e in (*alone, *after)):
            return None
        one, two = Witness.of(alone[0]), Witness.of(after[0])
        if one.differs(Witness.of(alone[1])) or two.differs(Witness.of(after[1])):
            return None
        said = one.differs(two)
        alike = Alike(True, volatile_in(self.context.card, flown.task))
        shown, then_shown = (e.turns[0].observation for e in (alone[0], after[0]))
        if said is None or unequal(shown, then_shown, "observation", alike) is not None:
            return None
        more = richer(alone[0], after[0])
        if not more and (first.kept is None or first.kept.paid is None):
            return None
        return self._found(flown, first, before[0], (alone[0], after[0]), more=more)

    def _found(
        self,
        flown: Survey,
        first: FirstEpisode,
        before: Episode,
        pair: tuple[Episode, Episode],
        *,
        more: bool,
    ) -> Confirmed:
        """The finding, with both episodes and what the later one comes to alone."""
        alone, after = pair
        earlier, one, two = Witness.of(before), Witness.of(alone), Witness.of(after)
        step, name, values = apart(one, two)
        witness = ContractWitness(
            reset=after.task,
            actions=encode(two.actions),
            rewards=encode(two.rewards),
            difference=FirstDifference(step=step, field=name, values=values),
            before=earlier.record(),
        )
        sent = json.dumps(after.turns[0].action)
        one_only = len(two.actions) == 1
        steps = "1 step" if one_only else f"{len(two.actions)} steps"
        begin, earn = ("with", "earns") if one_only else ("that begin with", "earn")
        said = (
            f"after an episode of {len(earlier.actions)} steps in the same session and a reset, {steps} "
            f"{begin} {sent} {earn} {worth(two)}; the same reset and actions earn {worth(one)} in a process that "
            "flew nothing before. Both came out alike in two fresh processes each, and both resets show the same but "
            "for numbers that count up"
        )
        if more:
            said += ": the later episode is paid for what the earlier one did"
        if first.kept is not None:
            said += f". {first.kept}"
        meant = ON_PURPOSE.search(self._prose)
        if meant is not None:
            said += f". The environment speaks of {meant[0]!r}, so that it may be meant"
        proof = Confirmed.of(LEAK, flown.task, witness, said, replace(after, replays="other"), WHO)
        return proof.weighing(None if more and meant is None else Severity.SUSPICIOUS)


def worth(seen: Witness) -> str:
    """A return and what became of the episode, in words."""
    return f"{seen.total:g}{' and succeeds' if seen.success is True else ''}"


def apart(one: Witness, two: Witness) -> tuple[int, str, tuple[FlownValue, FlownValue]]:
    """The step after which two flights differ, in what, and both values."""
    for step, (a, b) in enumerate(zip(one.rewards, two.rewards, strict=False), start=1):
        if repr(a) != repr(b):
            return step, "reward", (a, b)
    if len(one.rewards) != len(two.rewards):
        return (
            min(len(one.rewards), len(two.rewards)),
            "length",
            (len(one.rewards), len(two.rewards)),
        )
    return len(one.rewards), "success", (one.success, two.success)


def line_of(file: str, line: int, text: str) -> RewardLine:
    """A line of the source, for a record."""
    return RewardLine(file=file, line=line, code=text)


def prose_of(source: Source, code: EnvironmentCode | None, target: Target) -> str:
    """What a folder's README says, and the environment's own classes and their files of themselves."""
    files = files_of(target) if isinstance(target, FolderTarget) else ()
    said = [text for path in files if (text := readme_of(path)) is not None]
    places = () if code is None else code.environment.classes
    classes = [cls for place in places if (cls := source.cls(place)) is not None]
    nodes = [*source.trees_of(places), *classes, *(f for cls in classes for f in cls.body)]
    written = (ast.Module, ast.ClassDef, Function)
    return "\n".join(
        [*said, *(ast.get_docstring(n) or "" for n in nodes if isinstance(n, written))]
    )


def fly_first(session: AuditSession, first: FirstEpisode) -> Episode:
    """Fly what may leave something behind, and no further."""
    plan, turns = [(first.task, first.actions)], len(first.actions)
    return session.plans("an episode before", plan, whole=True, turns=turns)[0]


def gain(alone: Episode, after: Episode) -> tuple[bool, float]:
    """How much more an episode comes to than alone."""
    return after.success is True and alone.success is not True, total(after) - total(alone)


def richer(alone: Episode, after: Episode) -> bool:
    """Whether an episode is paid more than alone, or succeeds where it does not alone."""
    succeeds, more = gain(alone, after)
    return succeeds or more > ROUNDING


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
    whole = [e for e in episodes if e.error is None and len(actions_of(e.turns)) == len(e.turns)]
    for each in kept:
        lines = {(place.file, place.line) for place in each.changed}
        for episode in whole:
            turns = [n for n, turn in enumerate(episode.turns) if runs(turn.reached, lines)]
            if turns:
                # all that follows may undo it
                sent = actions_of(episode.turns[: turns[-1] + 1])
                lasting = f"{each} in {len(lines_run(episode, lines))}"
                yield FirstEpisode(str(each), episode.task, sent, each)
                if turns[-1] + 1 < len(episode.turns):
                    yield FirstEpisode(lasting, episode.task, actions_of(episode.turns), each)
    led = kept[0] if kept else None
    won = sorted((e for e in whole if e.success is True), key=lambda e: len(e.turns))
    paid = sorted((e for e in whole if total(e) > 0), key=total, reverse=True)
    for kind, some in (("a success", won), ("what is paid best", paid)):
        for episode in some[:1]:
            sent = actions_of(episode.turns)
            yield FirstEpisode(kind, episode.task, sent, led)


def lines_run(episode: Episode, lines: set[tuple[str, int]]) -> set[str]:
    """Those of some lines that an episode was the first to run."""
    return {told for turn in episode.turns for told in turn.reached if runs((told,), lines)}


def runs(reached: Collection[str], lines: set[tuple[str, int]]) -> bool:
    """Whether one of some lines was run; a worker and a reader may name a file from different folders."""
    for told in reached:
        name, _, number = told.rpartition(":")
        for file, line in lines:
            if int(number) == line and (ends(name, file) or ends(file, name)):
                return True
    return False


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


def key(each: Following) -> str:
    """What is flown, as a text."""
    return json.dumps([each.task, each.actions, each.turns], sort_keys=True, default=repr)
