"""From suspicions to findings: seen again on other seeds in another process, and replayed bit for bit.

A suspicion that does not come back on fresh seeds was chance; one whose witness does not replay is no proof.
Both are told as notes. What stands is minimised: its witness is the shortest plan that is paid as well.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial

from gonogo.auditing.session import AuditSession
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.minimise import ddmin, simplify
from gonogo.exploits.witness import Witness
from gonogo.records.findings import Finding
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import Space
from gonogo.wire import Action, TaskOptions

__all__ = ["Confirmed", "confirm", "proven", "shortest"]

NEARLY = 0.9
TESTS = 120


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A finding and the episode that proves it.

    Attributes:
        finding: With its witness.
        episode: The witness as an episode, for a file that ``gonogo replay`` reads; or None.
        policy: Name of the policy that showed it.
    """

    finding: Finding
    episode: Episode | None
    policy: str


def confirm(
    session: AuditSession,
    task: TaskOptions,
    first: dict[str, Suspicion],
    second: dict[str, Suspicion],
) -> tuple[list[Confirmed], list[str]]:
    """Hold suspicions against fresh seeds and a replay.

    Args:
        session: A fresh process of the environment.
        task: Reset options of the task, without a seed.
        first: Suspicions of the survey.
        second: Suspicions of a survey on other seeds.

    Returns:
        What stands, and notes about what does not.
    """
    stands, notes = [], []
    for name, suspicion in first.items():
        if name not in second:
            notes.append(f"{name} was not seen again on fresh seeds ({suspicion.explanation})")
            continue
        seen = Witness.of(suspicion.witness)
        again = fly_witness(session, seen.task, seen.actions)
        difference = "it was lost" if again is None else seen.differs(Witness.of(again))
        if difference is not None:
            notes.append(f"{name} did not replay in a fresh process: {difference}")
            continue
        said = f"{suspicion.explanation}; on fresh seeds {second[name].explanation}"
        plan = shortest(session, seen, partial(ends_alike, seen))
        proof = proven(session, name, task, seen.task, plan, said, suspicion.row.name)
        if proof is None:
            notes.append(f"{name}: the environment failed on its shortest plan")
        else:
            stands.append(proof)
    return stands, notes


def proven(
    session: AuditSession,
    name: str,
    task: TaskOptions,
    options: TaskOptions,
    plan: Sequence[Action],
    said: str,
    who: str,
) -> Confirmed | None:
    """Fly the shortest plan a last time, as the proof; None where the episode was lost.

    Args:
        session: A fresh process of the environment.
        name: The finding's id.
        task: Reset options of the task.
        options: The same with the witness's seed.
        plan: What has to be sent; its last action is repeated to the end.
        said: What happened.
        who: Name of the policy that showed it.
    """
    episode = fly_witness(session, options, plan, whole=True)
    if episode is None:
        return None
    witness = Witness.of(episode).record(plan)
    finding = Finding(id=name, task=task, component=None, witness=witness, explanation=said)
    return Confirmed(finding, episode, who)


def fly_witness(
    session: AuditSession, task: TaskOptions, plan: Sequence[Action], *, whole: bool = False
) -> Episode | None:
    """Fly a plan once; None where the episode was lost."""
    (episode,) = session.plans("witness", [(task, plan)], whole=whole)
    return episode if episode.error is None else None


def ends_alike(seen: Witness, episode: Episode) -> bool:
    """Whether an episode ends as the witness does and is paid nearly as much."""
    slack = (1 - NEARLY) * abs(seen.total)
    paid = (episode.episode_return or 0.0) >= seen.total - slack
    return paid and episode.success is seen.success


def shortest(
    session: AuditSession, seen: Witness, shows: Callable[[Episode], bool]
) -> list[Action]:
    """The shortest and plainest plan whose episode still shows what the witness does."""
    left = itertools.count()

    def holds(plan: Sequence[Action]) -> bool:
        if next(left) >= TESTS:
            return False
        episode = fly_witness(session, seen.task, plan)
        return episode is not None and shows(episode)

    if not holds(seen.actions):
        return list(seen.actions)
    plan = ddmin(trimmed(seen.actions), holds, TESTS)
    idle = Space(session.action_schema, session.tools).idle()
    for place, action in enumerate(plan):

        def plainer(other: Action, place: int = place) -> bool:
            return holds([*plan[:place], other, *plan[place + 1 :]])

        plan[place] = simplify(action, idle, plainer)
    return plan


def trimmed(actions: Sequence[Action]) -> list[Action]:
    """A plan without the repetitions of its last action, which a plan repeats by itself."""
    last = len(actions) - 1
    while last > 0 and repr(actions[last - 1]) == repr(actions[-1]):
        last -= 1
    return list(actions[: last + 1])
