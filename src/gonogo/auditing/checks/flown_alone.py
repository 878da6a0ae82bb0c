"""What was suspected and not confirmed: do its own episodes come out the same in a process that flew nothing before?

A survey flies thousands of episodes in one process, and what is confirmed is flown in another. What an environment
carries over from episode to episode may let nearly all of the survey's succeed, and few of the fresh ones. So some of
the row's own episodes are flown again, with the same resets and actions, each alone in a fresh process. Where they are
paid less there, the episodes that the survey flew before are what they were paid for.

Chance does the same to one episode, and to a row that was chosen for its luck. So it has to be seen of several: paid as
much when they are flown again in the survey's process, less alone, the same in a second fresh process, and more again
in fresh processes in which episodes of the survey were flown before; also where the first of those is flown twice, so
that a generator that no reset seeds stands elsewhere. The fewest of those before that do it are the proof
(:mod:`gonogo.auditing.checks.earlier`). Where all but the last is seen, it is no finding, and no GO.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from gonogo.auditing.checks.earlier import (
    HASH_SEEDS,
    ROUNDING,
    EarlierEpisodes,
    Following,
    whole,
)
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.witness import Witness
from gonogo.rollouts.episodes import Episode

MOST_LOOKS = 3
"""Suspicions of the whole audit of which episodes are flown alone."""
SHOWN, LEAST = 4, 3
"""Episodes of a row that are flown alone, and how many of them have to be paid less there."""
MOST_EACH = 12
"""Episodes of each kind that are flown before: the row's own, those that are paid best and fail, and that succeed."""
MOST_STEPS = 500
TIMES = (1, 4)
"""Steps of those before, and how often all of them are flown where once is not enough."""


@dataclass(frozen=True, slots=True)
class AlonePair:
    """An episode of the survey, and the same alone.

    Attributes:
        then: How both are flown.
        survey: As the survey flew it.
        alone: As it came out in a process that flew nothing before.
    """

    then: Following
    survey: Episode
    alone: Episode


@dataclass
class FlownAlone:
    """Episodes of rows that were suspected, flown alone.

    Attributes:
        earlier: How it is proven that earlier episodes decide a later one.
        looked: The rows of which episodes were flown alone.
        unclear: What decides some episodes and was not found, as sentences.
    """

    earlier: EarlierEpisodes
    looked: set[str] = field(default_factory=set)
    unclear: list[str] = field(default_factory=list)

    def look(
        self,
        session: AuditSession,
        suspicion: Suspicion,
        flown: Survey,
        explored: Sequence[Episode],
    ) -> Confirmed | None:
        """Fly episodes that show a suspicion alone, and after others of the survey.

        Args:
            session: The survey's process.
            suspicion: What was not confirmed.
            flown: The survey.
            explored: What exploration kept.

        Returns:
            The finding that earlier episodes decide a later one; or None.
        """
        row, picked = suspicion.row, picks(suspicion)
        asked = row.name not in self.looked and len(self.looked) < MOST_LOOKS
        if not asked or len(picked) < LEAST or not self.earlier.open_to(flown):
            return None
        self.looked.add(row.name)
        again = [Following.of(episode) for episode in picked]
        screened = zip(picked, self.earlier.after((), again), strict=True)
        if not any(poorer(alone, episode, flown) for episode, alone in screened):
            return None
        pairs = [
            pair
            for episode, then in zip(picked, again, strict=True)
            if (pair := self._pair(session, episode, then, flown)) is not None
        ]
        if len(pairs) < LEAST or not all(map(self._steady, pairs)):
            return None
        said = told(row.name, pairs)
        self.earlier.read(session)
        before = earlier_ones(suspicion, flown, explored)
        for some in (before * times for times in TIMES if before):
            decided = self._decided(some, pairs, flown)
            if len(decided) >= LEAST:
                proof = self._proof(flown, some, decided, said)
                if proof is not None:
                    return proof
        self.unclear.append(f"{said}, and which episodes before them decide it was not found")
        return None

    def _proof(
        self, flown: Survey, before: Sequence[Following], pairs: Sequence[AlonePair], said: str
    ) -> Confirmed | None:
        """The finding by the episode that gains most, after as few others as it takes."""
        clearest = max(pairs, key=lambda pair: total(pair.survey) - total(pair.alone))
        fewest = self.earlier.fewest(before, clearest.then, clearest.alone)
        for some in (fewest, before):
            proof = self.earlier.proof(flown, some, clearest.then, before_said=said)
            if proof is not None:
                return proof
        return None

    def _pair(
        self, session: AuditSession, episode: Episode, then: Following, flown: Survey
    ) -> AlonePair | None:
        """An episode and the same alone; None where it is no poorer there, or the reset shows something else."""
        (alone,) = self.earlier.after((), [then])
        if not poorer(alone, episode, flown):
            return None
        here = then.fly(session, "once more")
        same = poorer(alone, here, flown) and self.earlier.shown_alike(flown, alone, here)
        return AlonePair(then, episode, alone) if same else None

    def _steady(self, pair: AlonePair) -> bool:
        """Whether an episode alone comes out the same in another fresh process."""
        (alone,) = self.earlier.after((), [pair.then], HASH_SEEDS[1])
        return alone.error is None and Witness.of(pair.alone).differs(Witness.of(alone)) is None

    def _decided(
        self, before: Sequence[Following], pairs: Sequence[AlonePair], flown: Survey
    ) -> list[AlonePair]:
        """Those that are paid more after others than alone, in each of three fresh processes, alike in two of them."""
        thens = [pair.then for pair in pairs]
        first = self.earlier.after(before, thens)
        left = [poorer(pair.alone, e, flown) for pair, e in zip(pairs, first, strict=True)]
        if sum(left) < LEAST:
            return []
        second = self.earlier.after(before, thens, HASH_SEEDS[1])
        third = self.earlier.after([before[0], *before], thens)
        return [
            pair
            for pair, a, b, c in zip(pairs, first, second, third, strict=True)
            if poorer(pair.alone, a, flown)
            and poorer(pair.alone, c, flown)
            and b.error is None
            and Witness.of(a).differs(Witness.of(b)) is None
        ]


def picks(suspicion: Suspicion) -> list[Episode]:
    """Episodes of a row that show what is suspected, those that are paid best."""
    shown = suspicion.witness.success
    alike = [e for e in suspicion.row.episodes if whole(e) and e.success is shown]
    return sorted(alike, key=total, reverse=True)[:SHOWN]


def poorer(alone: Episode, episode: Episode, flown: Survey) -> bool:
    """Whether an episode is paid less alone, or fails there by what the environment itself says."""
    if alone.error is not None or episode.error is not None:
        return False
    fails = episode.success is True and alone.success is False and not flown.assumed
    return fails or total(alone) < total(episode) - ROUNDING


def told(name: str, pairs: Sequence[AlonePair]) -> str:
    """What was seen of a row's episodes, in words."""
    here, there = ([p.survey for p in pairs], [p.alone for p in pairs])
    return (
        f"{len(pairs)} episodes of {name} earn {mean(here)} in the audit's own process; the same resets and actions "
        f"earn {mean(there)}, each alone in a fresh process, and the same in another"
    )


def mean(episodes: Sequence[Episode]) -> str:
    """What some episodes earn, and how many of them succeed, in words."""
    won = sum(e.success is True for e in episodes)
    return f"{math.fsum(map(total, episodes)) / len(episodes):g} on average and succeed {won} times"


def earlier_ones(
    suspicion: Suspicion, flown: Survey, explored: Sequence[Episode]
) -> list[Following]:
    """Episodes of the survey that may decide later ones: those that are paid best, and the row's own."""
    everything = [e for e in (*explored, *flown.episodes) if whole(e)]
    best = sorted((e for e in everything if total(e) > 0), key=total, reverse=True)
    chosen = [
        *[e for e in best if e.success is not True][:MOST_EACH],
        *[e for e in best if e.success is True][:MOST_EACH],
        *[e for e in suspicion.row.episodes if whole(e)][:MOST_EACH],
    ]
    out, steps = list[Following](), 0
    for episode in chosen:
        steps += len(episode.turns)
        if steps <= MOST_STEPS:
            out.append(Following.of(episode))
    return out
