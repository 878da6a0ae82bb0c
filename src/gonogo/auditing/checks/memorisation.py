"""How many different episodes are there, and can they be learned by heart?

Some hundred resets are counted, and what they did not show is estimated from how often each opening came.
That is a lower bound, for behind one opening there may be many episodes. The proof that there are few is
flown: for every opening the plan that succeeded behind it on the survey's seeds is learned by heart, and
flown on fresh seeds without looking at anything but the opening. Where the openings tell nothing, the few
answers that ended the successes are tried in turn, and the successes on fresh seeds are held against those of
the survey: where nearly all of them were lived through before, step by step, there are no more to come. Where only
exploration succeeded, what it did has to succeed on nearly every seed, and it is held against an environment only if
all that is seen meanwhile is the same, too.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from gonogo.auditing.resets import Opening, is_seen, key_of, unsteady, values_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow, succeeded, total
from gonogo.auditing.suspicions import MOSTLY, Suspicion
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import actions_of
from gonogo.records.audit import EpisodesTold, EpisodesWithout, LearnedByHeart
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.volatile import NOTHING, Volatile, calmed
from gonogo.statistics import chao1, wilson
from gonogo.wire import Action, Observation, TaskOptions

HEART = "heart"
"""Kind of the row of what was learned by heart."""
RESETS = 200
REPEATED = 3
SEEN_OFTEN = 2
"""So many times on average an answer must have been right to be thought one of few."""
LEAST_SAME = 4
"""Seeds that have to give the same episode before it is called the only one."""


def memorisation(
    session: AuditSession,
    flown: Survey,
    rng: np.random.Generator,
    volatile: Mapping[str, Volatile] = NOTHING,
) -> tuple[EpisodesTold | EpisodesWithout, list[Suspicion]]:
    """Count the openings and fly what was learned by heart.

    Args:
        session: Where.
        flown: The survey, whose successes are learned.
        rng: Source of the fresh seeds.
        volatile: Clocks and random ids of the task, which make no episode another one.

    Returns:
        What the record says, and what is suspected.
    """
    if "index" in flown.task:
        return EpisodesWithout(note="the task's options name one episode"), []
    seeds = [int(seed) for seed in rng.choice(2**31, size=RESETS, replace=False)]
    tasks = session.tasks(flown.task, seeds)
    if "seed" not in tasks[0] or not session.takes_seed:
        return EpisodesWithout(note="the task takes no seed: it is one episode"), []
    found = openings_of(session, tasks, volatile)
    dropped = unsteady(found[:REPEATED], openings_of(session, tasks[:REPEATED], volatile))
    looks = Looks(volatile, dropped)
    openings = [opening for opening in found if opening is not None]
    keys = [looks.opening(opening) for opening in openings]
    if not openings:
        return count(keys), []
    fresh = openings[: len(flown.idle.episodes)]
    learned = learn(session, flown, looks)
    plans = [learned.get(looks.opening(opening)) for opening in fresh]
    known = [(o.task, plan) for o, plan in zip(fresh, plans, strict=True) if plan is not None]
    sees = explored_only(flown)
    episodes = session.plans("learned by heart", known, whole=sees)
    heart, suspected = judged(flown, "plans", len(learned), len(fresh), episodes)
    if suspected and sees:
        suspected = [] if trivial(flown) else weighed(suspected, episodes, looks)
    answers, ways, tried, known_ways = last_actions(flown), stories(flown, looks), None, None
    if not suspected and answers and not trivial(flown):
        episodes = session.plans("all known answers in turn", [(o.task, answers) for o in fresh])
        tried, suspected = judged(flown, "answers", len(answers), len(fresh), episodes)
    if not suspected and ways and flown.of_kind(REFERENCE) and not trivial(flown):
        best = max(flown.of_kind(REFERENCE), key=share).name
        lived = session.references([opening.task for opening in fresh])[best]
        again = [episode for episode in lived if looks.story(episode) in ways]
        known_ways, suspected = judged(flown, "whole episodes", len(ways), len(fresh), again)
    return count(keys, heart, tried, known_ways), suspected


@dataclass(frozen=True, slots=True)
class Looks:
    """What tells one episode from another: all that an agent sees, without what differs from reset to reset.

    Attributes:
        volatile: Clocks and random ids, which are left out of what holds them.
        dropped: Paths that differ otherwise, which are left out whole.
    """

    volatile: Mapping[str, Volatile]
    dropped: set[str]

    def opening(self, opening: Opening) -> str:
        """What an agent sees of an opening of :func:`openings_of`."""
        values = values_of(opening)
        return key_of({p: v for p, v in values.items() if is_seen(p) and p not in self.dropped})

    def story(self, episode: Episode) -> str:
        """All that was seen and done in an episode."""
        return key_of([[self._seen(t.observation), t.action] for t in episode.turns])

    def _seen(self, observation: Observation) -> Observation:
        kept = {k: v for k, v in observation.items() if f"observation.{k}" not in self.dropped}
        return dict(calmed(kept, "observation", self.volatile))


def openings_of(
    session: AuditSession, tasks: Sequence[TaskOptions], volatile: Mapping[str, Volatile]
) -> list[Opening | None]:
    """What each task's reset shows, without clocks and random ids."""
    return [
        found
        and replace(
            found,
            observation=calmed(found.observation, "observation", volatile),
            state=calmed(found.state, "state", volatile),
        )
        for found in session.openings(tasks)
    ]


def judged(
    flown: Survey, what: str, learned: int, fresh: int, episodes: Sequence[Episode]
) -> tuple[LearnedByHeart, list[Suspicion]]:
    """What came of what was learned by heart, as the record says it, and the suspicion, if any.

    Args:
        flown: The survey.
        what: What was learned.
        learned: How many of it.
        fresh: Fresh episodes, also those about which nothing was known.
        episodes: Those that were flown.
    """
    good = [episode for episode in episodes if succeeded(episode)]
    rate = len(good) / fresh
    best = best_share(flown)
    told = LearnedByHeart(
        learned=learned,
        flown=len(episodes),
        success=wilson([n < len(good) for n in range(fresh)]),
        success_of_reference=best,
    )
    if not good or rate < MOSTLY * enough(flown) or enough(flown) == 0:
        return told, []
    # Where nobody who looks is known to succeed, what is called a success has to be paid, to be one.
    if explored_only(flown) and max(map(total, good)) <= 0:
        return told, []
    row = SurveyRow("learned by heart", HEART, list(episodes))
    looked = "nobody is known who looks" if best == 0 else f"who looks succeeds in {best:.0%}"
    said = f"{learned} {what} learned by heart succeed in {rate:.0%} of {fresh} episodes on other seeds; {looked}"
    return told, [Suspicion("memorisable_tasks", row, good[0], said, rate, rests=True)]


def last_actions(flown: Survey) -> list[Action]:
    """What ended the successes, each once; empty where there are too many to be tried in the time of an episode."""
    ends = [e.turns[-1].action for e in flown.guided]
    known = list({key_of(action): action for action in ends if action is not None}.values())
    lasts = max((len(e.turns) for e in flown.episodes), default=0)
    return known if 1 < len(known) <= min(lasts, len(ends) // SEEN_OFTEN) else []


def stories(flown: Survey, looks: Looks) -> set[str]:
    """The successes, each once, as they were lived through; empty where they are too many to be all of them."""
    lived = {looks.story(e) for e in flown.guided}
    return lived if len(lived) * SEEN_OFTEN <= len(flown.guided) else set()


def trivial(flown: Survey) -> bool:
    """Whether somebody who does not try succeeds nearly as often as who does: then nothing has to be learned."""
    return any(share(row) >= MOSTLY * enough(flown) for row in flown.of_kind(*Kind))


def count(
    keys: Sequence[str],
    by_heart: LearnedByHeart | None = None,
    answers: LearnedByHeart | None = None,
    episodes: LearnedByHeart | None = None,
) -> EpisodesTold:
    """How many openings there are, seen and estimated, beside what was learned by heart."""
    counts = list(Counter(keys).values())
    estimated = chao1(counts)
    return EpisodesTold(
        resets=len(keys),
        openings=len(counts),
        estimated=estimated if math.isfinite(estimated) else None,
        unseen=counts.count(1) / len(keys) if keys else None,
        by_heart=by_heart,
        answers=answers,
        episodes=episodes,
    )


def learn(session: AuditSession, flown: Survey, looks: Looks) -> dict[str, list[Action]]:
    """For each opening the plan that most often succeeded behind it."""
    good = flown.guided
    openings = openings_of(session, [episode.task for episode in good], looks.volatile)
    plans: defaultdict[str, Counter[str]] = defaultdict(Counter)
    actions: dict[str, list[Action]] = {}
    for opening, episode in zip(openings, good, strict=True):
        if opening is not None:
            plan = actions_of(episode.turns)
            actions[key_of(plan)] = plan
            plans[looks.opening(opening)][key_of(plan)] += 1
    return {key: actions[counts.most_common(1)[0][0]] for key, counts in plans.items()}


def share(row: SurveyRow) -> float:
    """Share of a row's episodes that succeeded."""
    return len(row.succeeded) / len(row.episodes)


def explored_only(flown: Survey) -> bool:
    """Whether nothing but what exploration found is known to succeed."""
    return best_share(flown) == 0 and bool(flown.guides)


def enough(flown: Survey) -> float:
    """How often has to succeed what was learned by heart: as often as who looks; always, where nobody is known to."""
    return 1.0 if explored_only(flown) else best_share(flown)


def weighed(
    suspected: Sequence[Suspicion], episodes: Sequence[Episode], looks: Looks
) -> list[Suspicion]:
    """What exploration alone learned by heart, by what it proves.

    One order of moves may be the right one in a sound procedure, whatever it is done with; where all that is seen on
    the way is the same on every seed too, there is one episode only.
    """
    same = len(episodes) >= LEAST_SAME and len({looks.story(e) for e in episodes}) == 1
    severity = None if same else Severity.SUSPICIOUS
    return [replace(suspicion, severity=severity) for suspicion in suspected]


def best_share(flown: Survey) -> float:
    """How often the best of the policies that are meant to succeed does; 0 without one."""
    return max(map(share, flown.of_kind(REFERENCE)), default=0.0)
