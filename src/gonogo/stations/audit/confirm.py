"""From suspicions to findings: seen again on other seeds in another process, and replayed bit for bit.

A suspicion that does not come back on fresh seeds was chance; one whose witness does not replay is no proof.
Both are told as notes. What stands is minimised: its witness is the shortest plan that is paid as well.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from gonogo.exploits.minimise import ddmin, simplify
from gonogo.exploits.witness import Witness, encode
from gonogo.findings import Finding
from gonogo.rollout.episodes import Episode
from gonogo.rollout.protocols import Json
from gonogo.rollout.space import Space
from gonogo.stations.audit.airfield import Airfield
from gonogo.stations.audit.judge import Suspicion

__all__ = ["Confirmed", "confirm"]

NEARLY = 0.9
TESTS = 120


@dataclass(frozen=True, slots=True)
class Confirmed:
    """A finding and the episode that proves it.

    Attributes:
        finding: With its witness.
        episode: The witness as an episode, for a file that ``gonogo replay`` reads.
        policy: Name of the policy that showed it.
    """

    finding: Finding
    episode: Episode
    policy: str


def confirm(
    field: Airfield, task: Json, first: dict[str, Suspicion], second: dict[str, Suspicion]
) -> tuple[list[Confirmed], list[str]]:
    """Hold suspicions against fresh seeds and a replay.

    Args:
        field: A fresh process of the environment.
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
        again = fly_witness(field, seen.task, seen.actions)
        difference = "it was lost" if again is None else seen.differs(Witness.of(again))
        if difference is not None:
            notes.append(f"{name} did not replay in a fresh process: {difference}")
            continue
        plan = shortest(field, seen)
        episode = fly_witness(field, seen.task, plan)
        if episode is None:
            notes.append(f"{name}: the environment failed on its shortest plan")
            continue
        # The plan is what has to be sent; its last action is repeated to the end.
        witness = {**Witness.of(episode).to_json(), "plan": encode(plan)}
        said = f"{suspicion.explanation}; on fresh seeds {second[name].explanation}"
        finding = Finding(name, "fail", task, None, witness, said)
        stands.append(Confirmed(finding, episode, suspicion.row.name))
    return stands, notes


def fly_witness(field: Airfield, task: Json, plan: Sequence[Json]) -> Episode | None:
    """Fly a plan once; None where the episode was lost."""
    (episode,) = field.plans("witness", [(task, plan)])
    return episode if episode.error is None else None


def shortest(field: Airfield, seen: Witness) -> list[Json]:
    """The shortest and plainest plan that ends as the witness does and is paid nearly as much."""
    left = itertools.count()

    def holds(plan: Sequence[Json]) -> bool:
        if next(left) >= TESTS:
            return False
        episode = fly_witness(field, seen.task, plan)
        if episode is None or episode.success is not seen.success:
            return False
        slack = (1 - NEARLY) * abs(seen.total)
        return (episode.episode_return or 0.0) >= seen.total - slack

    if not holds(seen.actions):
        return list(seen.actions)
    plan = ddmin(trimmed(seen.actions), holds, TESTS)
    idle = Space(field.action_schema, field.tools()).idle()
    for place, action in enumerate(plan):

        def plainer(other: Json, place: int = place) -> bool:
            return holds([*plan[:place], other, *plan[place + 1 :]])

        plan[place] = simplify(action, idle, plainer)
    return plan


def trimmed(actions: Sequence[Json]) -> list[Json]:
    """A plan without the repetitions of its last action, which a plan repeats by itself."""
    last = len(actions) - 1
    while last > 0 and repr(actions[last - 1]) == repr(actions[-1]):
        last -= 1
    return list(actions[: last + 1])
