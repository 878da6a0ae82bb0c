"""A paid action done again: each that was paid anywhere, after what led to it, round and round to the end.

A reward is farmed where a lap is paid each time and leaves all that is seen as it was before, but for clocks, histories
and the score itself. A sound game may pay so, too: one of endurance, of bandits, of wages. What it does not do is pay
more for that than for its own end. So a lap blocks only where an end is known that was reached by an action, long
before the limit, and was paid at least as much as any step of the lap; and the lap earns more than the best episode
that came to such an end, or to a success. Where no such end is known, it has to out-earn all else, and something has
to say that it is no game: see :mod:`gonogo.auditing.checks.lapped`.

Something else than the lap may explain its pay: idling that is paid as well from the beginning. What that earns is
subtracted where an end is known; where none is, the lap is no finding. And what is produced is seen: a number that
grows with the laps, and is neither a clock nor called a score, is taken for the product; also where a text says it.

What speaks for a sound game makes a lap suspicious: the best end may be had at any step, as a way to leave; the lap
ends the episode itself, as what is finished does; or the score that is paid may be a level that is to be kept.

A lap that succeeds is another thing: see :mod:`gonogo.auditing.checks.one_for_all`. And what is paid once, and again in
each other spelling, is no game, whatever else is paid: see :mod:`gonogo.auditing.checks.respelled`.

Unlike what the survey shows, a lap is proven on the seed where it was found, for the way to a paid action is often that
seed's own: another process flies it again, and the end that it out-earns.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import pairwise
from statistics import fmean

from gonogo.auditing.checks.lapped import (
    LapEvidence,
    Lapped,
    PaidStep,
    ShownScore,
    goes_back,
    shown_score,
    variants,
    whole,
)
from gonogo.auditing.checks.one_for_all import one_for_all, one_of_several
from gonogo.auditing.checks.paid import ALIKE, LITTLE, STANDS_OUT, Paid
from gonogo.auditing.checks.respelled import Respellings
from gonogo.auditing.climbs import Climb
from gonogo.auditing.confirmation import Confirmed, ends_alike, fly_witness, prove_shortest
from gonogo.auditing.documented import length_told
from gonogo.auditing.exploration import distinct
from gonogo.auditing.plans import paid_places, texts_of, verb_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, total
from gonogo.exploits.witness import Witness, actions_of, trimmed
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import ActionField, put, value_at
from gonogo.wire import Action, TaskOptions

MOST_SOURCES, OF_A_VERB = 16, 2
"""Paid actions that are tried, and how many of them do the same to something else."""
MOST_PARTNERS, MOST_ENDS = 14, 3
SHORT = 6
"""Actions up to which all the way to a pay is a lap as well, and a plan is made as short as it can be."""
SCREENED = 3
"""Laps that are flown first, all of which have to be paid."""
LAPS = 200
LEFT_ON, LEFT_AFTER = 6, 2
"""Seeds on which the best end is tried elsewhere, and laps before it."""
CLIMBED = 3
"""Seeds on which the pay is followed, each once something more was explored."""
LEAST_STEPS, MOST_STEPS = 1_500, 3_000
"""Steps for laps, each time that something was explored; for following the pay before them from so few on."""
FIRST_STEPS, FIRST_EPISODES = 500, 6
"""Steps for each of the two before the panel; laps get those of so many of the longest episodes, if that is more."""
EARLY = 0.5
"""Share of the steps that the lap goes on for, until which an end comes early."""
MORE = 1.05
"""So many times what the best end earned has a lap to earn."""
FIRST_RESPELT, MOST_RESPELT = 2, 4
"""Verbs that are tried in other spellings, before the panel and in all."""
RESPELT_FLIGHTS = 30
"""Flights over the whole way to a paid action that are made to try it in other spellings."""
HALF = 0.5
"""Of all else that is known, from which on what other spellings alone add is worth a policy's while."""
MUCH, FULL = 2.0, 1.0 - ALIKE
"""The same where no end is known, of all else that is; and what a whole success is mostly paid."""

Lap = tuple[list[Action], int]
"""What is sent, and how many actions of it are a lap: the same again, or as many as there are in other words."""


@dataclass(frozen=True, slots=True)
class Farmed:
    """A lap that pays more than it should, and what it is held against.

    Attributes:
        lapped: It.
        name: The finding's id.
        best: The best episode that ended by itself with pay, or succeeded; None where there is none.
        said: What happened, in one sentence.
        idle: What a step of idling is paid, for which nothing counts as earned.
        severity: How much it weighs.
        completes: Whether it comes to the end that all that was to be done comes to, or is wrong whatever else is paid.
    """

    lapped: Lapped
    name: str
    best: Episode | None
    said: str
    idle: float = 0.0
    severity: Severity = Severity.EXPLOIT
    completes: bool = False

    def doubted(self, why: str | None) -> Farmed:
        """The same as merely suspicious where something speaks for a sound game, and what does."""
        if why is None:
            return self
        return replace(self, severity=Severity.SUSPICIOUS, said=f"{self.said}; but {why}")

    @property
    def suspected(self) -> str:
        """The name of the suspicion: of the same finding the survey may suspect another plan."""
        return f"{self.name} in laps"

    def stands(self, known: Sequence[Episode], *, told: bool) -> bool:
        """Whether it out-earns each end that is known by now, too.

        Args:
            known: What was flown.
            told: As for :func:`best_end`.
        """
        best = None if self.completes else best_end(known, self.lapped, told=told)
        return best is None or beats(self.lapped, best, self.idle)

    def prove(self, session: AuditSession, task: TaskOptions) -> Confirmed | None:
        """Fly the lap, and the end that it out-earns, in a fresh process; None where one of them comes out otherwise.

        Args:
            session: The fresh process.
            task: Reset options of the task, without a seed.
        """
        flown, best = self.lapped.episode, self.best
        again = fly_witness(session, flown.task, actions_of(flown.turns), whole=True)
        if again is None or Witness.of(flown).differs(Witness.of(again)) is not None:
            return None
        if best is not None:
            end = fly_witness(session, best.task, actions_of(best.turns))
            if end is None or abs(total(end) - total(best)) > ALIKE:
                return None
        seen, said = Witness.of(again), f"{self.said}; seen again in a fresh process"
        plan, who = trimmed(actions_of(again.turns)), "a paid action again"
        proof: Confirmed | None = Confirmed.of(self.name, task, seen.record(plan), said, again, who)
        if len(plan) <= SHORT:
            alike = partial(ends_alike, seen)
            proof = prove_shortest(session, self.name, task, seen, alike, said, who, again)
        if proof is None:
            return None
        return replace(proof.weighing(self.severity), suspected=self.suspected)


class PaidAgain:
    """The laps of one task, flown in parts: what was tried once is not tried again.

    Args:
        session: Gives the process where they are flown.
        other: Gives a fresh process, which proves what is farmed.
        explored: Gives the episodes beside the survey.
    """

    def __init__(
        self,
        session: Callable[[], AuditSession],
        other: Callable[[], AuditSession],
        explored: Callable[[], Sequence[Episode]],
    ) -> None:
        self._started, self._other, self._explored = session, other, explored
        self._leaves: Sequence[ActionField] = []
        self._idle: Action = {}
        self._tried: set[str] = set()
        self._ends: list[Episode] = []
        self._ended: list[PaidStep] = []
        self._climbed: list[Episode] = []
        self._proven: Farmed | None = None
        self._waiting: Farmed | None = None
        self._doubted: Farmed | None = None
        self._climbs = 0
        self._respelt: set[str] = set()

    @property
    def _session(self) -> AuditSession:
        """The process where they are flown."""
        return self._started()

    def proof(self, flown: Survey, *, briefly: bool = False) -> Confirmed | None:
        """Fly the laps of what was paid, until one is proven or the steps are spent; none once one was proven.

        Args:
            flown: The survey.
            briefly: Whether few steps are spent.
        """
        if self._proven is not None or flown.broken_off or flown.idle.lost:
            return None
        space = self._session.space
        self._leaves, self._idle = space.leaves(), space.idle()  # more verbs may be known by now
        self._climb(flown, FIRST_STEPS if briefly else LEAST_STEPS)
        known = self._known(flown)
        longest = max(map(steps_of, known), default=0)
        most = max(FIRST_STEPS, FIRST_EPISODES * longest) if briefly else MOST_STEPS
        found = self._stalled(flown, known) or self._farmed(flown, known, most)
        verbs = FIRST_RESPELT if briefly else MOST_RESPELT
        found = found or self._respelled(flown, known, verbs, most)
        return found or self._doubtful(flown)

    def _known(self, flown: Survey) -> list[Episode]:
        """All that was flown to an end with actions."""
        beside = (*self._climbed, *self._ends)
        return [e for e in (*self._explored(), *flown.episodes, *beside) if whole(e)]

    def left(
        self, proofs: Sequence[Confirmed], flown: Survey, doubts: dict[str, str]
    ) -> list[Confirmed]:
        """Proofs without that of a lap that is out-earned by an end that was flown since.

        Args:
            proofs: All that is proven.
            flown: The survey.
            doubts: What is not proven any more, by the name of its suspicion; this is kept up.
        """
        left = list(proofs)
        for was in (self._proven, self._doubted):
            if was is None or was.stands(self._known(flown), told=not flown.doubtful):
                continue
            told = f"{was.name} was seen again, and an end that was flown later earns more"
            doubts[was.suspected] = told
            left = [
                proof
                for proof in left
                if proof.suspected != was.suspected or proof.finding.severity != was.severity
            ]
            if was is self._proven:
                self._proven = None
            else:
                self._doubted = None
        return left

    def unseen(self, proof: Confirmed) -> None:
        """Go on looking: a lap that seemed to be proven is not seen in a process that flew nothing.

        Args:
            proof: The lap's.
        """
        if self._proven is not None and self._proven.suspected == proof.suspected:
            self._proven = None
        elif self._doubted is not None and self._doubted.suspected == proof.suspected:
            self._doubted = None

    def _confirmed(self, farmed: Farmed | None, flown: Survey) -> Confirmed | None:
        """What is farmed, as it was seen again in a fresh process; what is doubted waits for what is not."""
        if farmed is None:
            return None
        farmed = farmed.doubted(length_told(self._known(flown), flown.documented))
        if farmed.severity is Severity.SUSPICIOUS:
            self._waiting = self._waiting or farmed
            return None
        proof = farmed.prove(self._other(), flown.task)
        self._proven = None if proof is None else farmed
        return proof

    def _doubtful(self, flown: Survey) -> Confirmed | None:
        """A lap that is doubted, as it was seen again, where nothing sure was found beside it; one at a time."""
        if self._waiting is None or self._doubted is not None:
            return None
        farmed, self._waiting = self._waiting, None
        proof = farmed.prove(self._other(), flown.task)
        self._doubted = None if proof is None else farmed
        return proof

    def _farmed(self, flown: Survey, known: Sequence[Episode], most: int) -> Confirmed | None:
        """The first lap that is farmed and is so again in a fresh process, within some steps."""
        until, facts = self._session.steps + most, Paid(flown)
        for step, laps in self._tries(self._sources(known), known):
            for lapped in self._lapped(step, laps, until, facts):
                self._end(step, known)
                farmed = self._judge(lapped, flown, [*known, *self._ends])
                if (proof := self._confirmed(farmed, flown)) is not None:
                    return proof
        return None

    def _respelled(
        self, flown: Survey, known: Sequence[Episode], verbs: int, most: int
    ) -> Confirmed | None:
        """The first action that is paid again in other spellings; of each verb the one with the shortest way, once.

        An action waits for a later call if the flights over its way would take more steps than are left.

        Args:
            flown: The survey.
            known: All that was flown.
            verbs: How many are tried by then.
            most: Steps.
        """
        until = self._session.steps + most
        for step in self._sources(known):
            if step.verb in self._respelt or len(self._respelt) >= verbs:
                continue
            if self._session.steps + RESPELT_FLIGHTS * len(step.actions) > until:
                continue
            self._respelt.add(step.verb)
            found = Respellings(self._session).of(step)
            if found is None:
                continue
            rest = max(map(total, known), default=0.0)
            much = sum(found.lapped.pays) >= HALF * rest
            said = f"{found.lapped.words}; {found.words}"
            farmed = Farmed(found.lapped, "paid_again", None, said, completes=True)
            farmed = farmed.doubted(
                found.doubt or (None if much else "other episodes earn more than twice as much")
            )
            if (proof := self._confirmed(farmed, flown)) is not None:
                return proof
        return None

    def _stalled(self, flown: Survey, known: Sequence[Episode]) -> Confirmed | None:
        """Idling, where it is paid at each step and out-earns on each seed what an action ends with pay."""
        if not flown.idle.ended:
            return None
        facts, worst = Paid(flown), min(flown.idle.ended, key=total)
        lapped = Lapped(PaidStep(worst.task, (), 0.0, ""), (self._idle,), worst)
        if not lapped.pays_to_the_end or not leaves_all(lapped, facts):
            return None
        best = best_end(known, lapped, told=not flown.doubtful)
        if best is None or not beats(lapped, best, 0.0):
            return None
        said = f"{lapped.words}, and the best episode that an action ends with pay {total(best):g}"
        farmed = Farmed(lapped, "stalling_pays", best, said)
        return self._confirmed(farmed.doubted(self._left_at_will(farmed, flown)), flown)

    def _climb(self, flown: Survey, least: int) -> None:
        """Follow the pay on the next seed, of few, for so many steps at least."""
        for task in flown.tasks[self._climbs : self._climbs + 1] if self._climbs < CLIMBED else ():
            self._climbs += 1
            budget = min(MOST_STEPS, max(least, self._session.steps // 3))
            chain = Climb(self._session).chain(task, budget)
            self._climbed += [] if chain is None else [chain]

    def _sources(self, known: Sequence[Episode]) -> list[PaidStep]:
        """The paid actions, of each verb the dearest and the one with the shortest way; the shortest ways first."""
        steps: dict[str, list[PaidStep]] = {}
        for episode in known:
            sent = actions_of(episode.turns)
            for place in paid_places(episode.turns, self._leaves):
                verb = verb_of(sent[place], self._leaves)
                pay, way = episode.turns[place].reward or 0.0, tuple(sent[: place + 1])
                steps.setdefault(verb, []).append(PaidStep(episode.task, way, pay, verb))
        chosen: list[PaidStep] = []
        for some in steps.values():
            dearest = sorted(some, key=lambda s: (-s.pay, len(s.actions)))[: OF_A_VERB - 1]
            shortest = min(some, key=lambda s: (len(s.actions), -s.pay))
            chosen += [*dearest, *([] if shortest in dearest else [shortest])]
        return sorted(chosen, key=lambda s: (len(s.actions), -s.pay))[:MOST_SOURCES]

    def _end(self, step: PaidStep, known: Sequence[Episode]) -> None:
        """Fly, once, what comes of a paid action where one follows it that ended an episode early elsewhere."""
        if step in self._ended:
            return
        self._ended.append(step)
        longest = max(map(steps_of, known), default=0)
        ends: dict[str, Action] = {}
        for e in sorted(known, key=lambda e: -total(e)):
            last = e.turns[-1].action
            if e.turns[-1].done and steps_of(e) <= EARLY * longest and last is not None:
                ends.setdefault(verb_of(last, self._leaves), last)
        plans = [(step.task, [*step.actions, end]) for end in list(ends.values())[:MOST_ENDS]]
        turns = len(step.actions) + 1
        name = "a paid action, then an end"
        flown = self._session.plans(name, plans, turns=turns)
        self._ends += [e for e in flown if whole(e) and e.turns[-1].done]

    def _lapped(
        self, step: PaidStep, laps: Iterable[Lap], until: int, facts: Paid
    ) -> Iterator[Lapped]:
        """The laps that were not tried before and are paid each of the first times, flown to the end.

        Args:
            step: The paid action.
            laps: What may be repeated.
            until: Steps of the session, from which on no more is tried.
            facts: What idling tells of clocks.
        """
        for plan, size in laps:
            if self._session.steps >= until:
                return
            key = repr([step.task, step.actions, plan[:SCREENED], size])
            if key in self._tried:
                continue
            self._tried.add(key)
            if long := self._flown(step, plan, size, facts):
                yield Lapped(step, tuple(plan[:size]), long, anew=size == 1 < len(plan))

    def _flown(
        self, step: PaidStep, plan: Sequence[Action], size: int, facts: Paid
    ) -> Episode | None:
        """Laps of a size, flown to the end where each of the first ones is paid, its last action is, and none makes.

        A number that two laps leave further on is further on at the end, too.
        """
        begun, some = len(step.actions), SCREENED * size
        plan = plan if len(plan) > size else list(plan) * LAPS
        actions = [*step.actions, *plan[:some]]
        (first,) = self._session.plans(
            "a paid lap", [(step.task, actions)], turns=len(actions), whole=True
        )
        rewards = [turn.reward or 0.0 for turn in first.turns[begun:]]
        if first.error is not None or len(rewards) < some or min(rewards[size - 1 :: size]) <= 0:
            return None
        if min(sum(rewards[n : n + size]) for n in range(0, some, size)) <= 0:
            return None
        if facts.makes(first.turns[begun:], size) and not one_of_several(plan[:size], first):
            return None
        actions = [*step.actions, *plan]
        (long,) = self._session.plans("a paid lap", [(step.task, actions)], whole=True)
        return long

    def _tries(
        self, steps: Sequence[PaidStep], known: Sequence[Episode]
    ) -> Iterator[tuple[PaidStep, Iterator[Lap]]]:
        """The laps of each step: those that are plain of all, then what else there is."""
        keep = list(keepers(known, self._leaves).values())[:2]
        yield from ((step, self._plain(step, keep)) for step in steps)
        verbs = self._of_each_verb(known)
        yield from ((step, self._laps(step, verbs)) for step in steps)

    def _plain(self, step: PaidStep, keep: list[Action]) -> Iterator[Lap]:
        """What may be repeated alone: idling, which explains all else, and the action; and what keeps a level paid.

        Where the same action twice running costs something, two that keep the level do not in turn.
        """
        yield [self._idle], 1
        yield [step.actions[-1]], 1
        if len(keep) > 1:
            yield keep, len(keep)

    def _laps(self, step: PaidStep, verbs: Sequence[Action]) -> Iterator[Lap]:
        """What else may be repeated: the way to it, others and it in turn, and it in other words.

        Args:
            step: The paid action.
            verbs: One action of each verb that was sent.
        """
        paid, way = step.actions[-1], list(step.actions)
        laps = [way[-n:] for n in (2, 3) if n < len(way)]
        laps += [way] if 1 < len(way) <= SHORT else []
        others = [*way, *self._session.space.constants(MOST_PARTNERS), *verbs]
        others = [other for other in distinct(others) if other != paid]
        back = list(variants(paid, self._leaves))[:MOST_PARTNERS]
        others = [paid, *back, *others[:MOST_PARTNERS]]
        laps += [[other, paid] for other in others[: 2 * MOST_PARTNERS]]
        laps += [[texts[0], paid] for texts in self._anew(paid)]
        yield from ((lap, len(lap)) for n, lap in enumerate(laps) if lap not in laps[:n])
        yield from ((texts, 1) for texts in self._anew(paid))

    def _anew(self, paid: Action) -> Iterator[list[Action]]:
        """The action with a text that it says gone on with, each time otherwise."""
        for leaf in texts_of(self._session.space):
            said = value_at(paid, leaf.name)
            if isinstance(said, str) and said:
                yield [put(paid, leaf.path, f"{said} {n}") for n in range(1, LAPS)]

    def _of_each_verb(self, known: Sequence[Episode]) -> list[Action]:
        """One action of each verb that was sent."""
        sent = (turn.action for e in known for turn in e.turns if turn.action is not None)
        verbs: dict[str, Action] = {}
        for action in sent:
            verbs.setdefault(verb_of(action, self._leaves), action)
        return list(verbs.values())

    def _judge(self, lapped: Lapped, flown: Survey, known: Sequence[Episode]) -> Farmed | None:
        """Whether a lap is farmed: paid to the end, with nothing made or moved, and more than what the game pays for.

        Args:
            lapped: It.
            flown: The survey, whose idling tells what a clock is.
            known: All else that was flown.
        """
        facts = Paid(flown)
        name = lapped.name(self._idle)
        if not lasts(lapped, facts):
            one = one_for_all(self._session, lapped, facts, known)
            said = None if one is None else f"{lapped.words}; {one}"
            return None if said is None else Farmed(lapped, name, None, said, completes=True)
        said = lapped.words
        best = best_end(known, lapped, told=not flown.doubtful)
        if best is None and idling_pays(lapped, facts) and not goes_back(lapped):
            return None
        said += f", where idling earns {facts.idle_step:g} a step" if facts.idle_step > 0 else ""
        if best is not None:
            end = (
                "success"
                if best.success is True and not flown.doubtful
                else "episode that an action ends with pay"
            )
            said += f", and the best {end} {total(best):g}"
            idle = max(0.0, facts.idle_step)
            if not beats(lapped, best, idle):
                return None
            farmed = Farmed(lapped, name, best, said, idle)
            return farmed.doubted(self._left_at_will(farmed, flown))
        return self._endless(Farmed(lapped, name, None, said), known)

    def _endless(self, farmed: Farmed, known: Sequence[Episode]) -> Farmed | None:
        """Whether a lap that lasts is farmed where no end is known that it could be held against; None if it is not."""
        lapped, earned = farmed.lapped, total(farmed.lapped.episode)
        if (score := shown_score(lapped)) is not None:
            farmed = replace(farmed, said=f"{farmed.said}; {score.words}")
            return farmed.doubted(self._kept(lapped, score, known)) if earned >= FULL else None
        rest = max((total(e) for e in known if not repeats(e)), default=0.0)
        evident = earned >= max(FULL, MORE * rest)
        evidence = LapEvidence(self._session).of(lapped) if evident else None
        if evidence is None or (earned < MUCH * rest and not evidence.back):
            return None
        said = f"{farmed.said}, and all else {rest:g}; {evidence.words}"
        doubt = evidence.doubt or self._ended_itself(lapped, known)
        return replace(farmed, said=said).doubted(doubt)

    def _idled(self, lapped: Lapped) -> Episode:
        """Idling on the seed of a lap, to the end."""
        plans = [(lapped.step.task, [self._idle])]
        (flown,) = self._session.plans("idling beside a lap", plans, whole=True)
        return flown

    def _ended_itself(self, lapped: Lapped, known: Sequence[Episode]) -> str | None:
        """What says that a lap ended its episode, as what is finished does; None where a limit or nothing did.

        A limit ends others at the same step, too, that earned far less.
        """
        steps, earned = len(lapped.episode.turns), total(lapped.episode)
        if lapped.episode.cut:
            return None
        idled = self._idled(lapped)
        limit = not idled.cut and len(idled.turns) <= steps
        limit |= any(
            e.turns[-1].done and len(e.turns) == steps and MUCH * total(e) < earned for e in known
        )
        return None if limit else "it ended the episode, which idling does not by then"

    def _kept(self, lapped: Lapped, score: ShownScore, known: Sequence[Episode]) -> str | None:
        """What says that a score that is paid at each step may be a level that is to be kept; None where nothing does.

        Marks for what was done are not lost again, and stay without anything being done.
        """
        if lapped.episode.cut:
            return None
        if any(action != self._idle for action in lapped.lap):
            return (
                "it may be a level that is to be kept up to the end, and something is done for it"
            )
        if any(score.falls(e) for e in known):
            return "it may be a level that is to be kept, for it falls at other actions"
        return None

    def _left_at_will(self, farmed: Farmed, flown: Survey) -> str | None:
        """What says that the best end is a way to leave, which is there at any step; None where it is a goal.

        An action that ends the episode and is paid as well right after the way to the lap as later, and on each seed,
        takes nothing that is to be found out: to leave early may well be paid less than to stay. Where nothing ends the
        lap, it has no bound, and is no stay.
        """
        lapped, best = farmed.lapped, farmed.best
        if best is None or lapped.episode.cut or (best.success is True and not flown.doubtful):
            return None
        last = best.turns[-1]
        if last.action is None:
            return None
        way, laps = list(lapped.step.actions), list(lapped.lap) * LEFT_AFTER
        tasks = [lapped.step.task, *(t for t in flown.tasks if t != lapped.step.task)][:LEFT_ON]
        plans = [(t, [*before, last.action]) for t in tasks for before in (way, [*way, *laps])]
        most = len(way) + len(laps) + 1
        ends = self._session.plans("the best end at other steps", plans, turns=most)
        pay = (last.reward or 0.0) - ALIKE
        free = all(
            whole(e)
            and e.turns[-1].done
            and (e.turns[-1].reward or 0.0) >= pay
            and len(e.turns) == len(plan)
            for e, (_, plan) in zip(ends, plans, strict=True)
        )
        said = f"the best end is there at any step, on each of {len(tasks)} seeds: it may be a way to leave early"
        return said if free else None


def keepers(known: Sequence[Episode], leaves: Sequence[ActionField]) -> dict[str, Action]:
    """The shortest action of each verb that was paid just what the step before it was, which did another thing."""
    found: dict[str, Action] = {}
    for one, other in (pair for episode in known for pair in pairwise(episode.turns)):
        level, sent = one.reward or 0.0, other.action
        same = level > 0 and abs((other.reward or 0.0) - level) <= ALIKE and not other.done
        if same and sent and one.action and verb_of(sent, leaves) != verb_of(one.action, leaves):
            verb = verb_of(sent, leaves)
            found[verb] = min(found.get(verb, sent), sent, key=lambda action: len(repr(action)))
    return found


def steps_of(episode: Episode) -> int:
    """How many turns of an episode the environment did not refuse: those may count as steps of its own."""
    return sum(turn.invalid is None for turn in episode.turns)


def lasts(lapped: Lapped, facts: Paid) -> bool:
    """Whether a lap is paid to the end and leaves all as it was."""
    paid = lapped.episode.error is None and lapped.pays_to_the_end
    return paid and leaves_all(lapped, facts)


def beats(lapped: Lapped, best: Episode, idle: float) -> bool:
    """Whether a lap earns more than an end, by far where only the audit's own limit ends it.

    Args:
        lapped: The lap.
        best: The end.
        idle: What a step of idling is paid, for which nothing counts as earned.
    """
    much = MUCH if lapped.episode.cut else MORE
    return beyond_idling(lapped, idle) > much * total(best)


def idling_pays(lapped: Lapped, facts: Paid) -> bool:
    """Whether idling from the start is paid as well, so that the pay may be for time, of which a game may live."""
    return facts.idle_step > LITTLE * lapped.step_pay


def beyond_idling(lapped: Lapped, idle: float) -> float:
    """What a lap's episode earns beyond what idling for as long does, which is paid so much a step."""
    return total(lapped.episode) - idle * len(lapped.episode.turns)


def leaves_all(lapped: Lapped, facts: Paid) -> bool:
    """Whether a lap leaves all that is seen as it was, makes nothing and does not succeed."""
    turns, size = lapped.turns, len(lapped.lap)
    succeeds = lapped.episode.success is True and not facts.survey.doubtful
    return not succeeds and facts.seen_still(turns, size) and not facts.makes(turns, size)


def best_end(known: Sequence[Episode], lapped: Lapped, *, told: bool = True) -> Episode | None:
    """The best success, or the best episode that an action ended with pay, long before others end.

    Whoever loses a game of endurance ends it as well, but is paid no more for that step than for those before it, or
    than a step of the lap. A full mark, 1, is one where nothing else is paid so much.

    Args:
        known: What was flown.
        lapped: The lap that is held against it.
        told: Whether what is called a success is one.
    """
    early = EARLY * steps_of(lapped.episode)

    def is_end(episode: Episode) -> bool:
        *before, last = [turn.reward or 0.0 for turn in episode.turns]
        if not episode.turns[-1].done or steps_of(episode) > early:
            return False
        most = max([lapped.dearest, *before])
        stands_out = last > STANDS_OUT * max(lapped.step_pay, fmean(before) if before else 0.0)
        return (stands_out and last >= most) or (last == top == 1.0 and last > most)

    top = max((turn.reward or 0.0 for e in known for turn in e.turns), default=0.0)
    ends = [e for e in known if (told and e.success is True and total(e) > 0) or is_end(e)]
    return max(ends, key=total, default=None)


def repeats(episode: Episode) -> bool:
    """Whether an episode is paid for the same action more than once."""
    paid = [repr(turn.action) for turn in episode.turns if (turn.reward or 0.0) > 0]
    return len(set(paid)) < len(paid)
