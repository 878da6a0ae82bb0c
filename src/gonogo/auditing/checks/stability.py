"""Is a success the same again? What the map asks of random flights, asked of a plan that succeeds.

Much that an episode depends on shows only where something is earned: the order of a set, a clock, what an earlier
success left behind. The plan is flown in two processes whose hashes differ; in each twice in a row, beside
itself in another session, and slowly. Only rewards and success are compared: what is merely told may differ.

Where resets go on to the next task, a flight is that of a number of resets. So each begins a new session; the second in
a row is held against one after a reset alone as well, and is no leak where these are alike and that is written.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace

from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import Survey
from gonogo.env.target import UrlTarget
from gonogo.exploits.witness import Witness, actions_of
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, TaskOptions

UNSTEADY = {
    "seed_ignored", "nondeterministic", "process_dependent", "episode_state_leak", "session_state_leak",
}  # fmt: skip
WHO = "a success, repeated"
HASH_SEEDS = (1, 2)
PLANS = 2
TOLD = 10.0
FIRST, AGAIN, TURNED = "first", "again", "after a reset alone"
BESIDE, SLOWLY = "beside itself", "slowly"


def stability(
    context: AuditContext, session: AuditSession, flown: Survey, *, turns: bool = False
) -> list[Confirmed]:
    """Fly a success again, in every way in which it has to come out the same.

    Args:
        context: What is flown, and how.
        session: The survey's; a server, which is one process, is flown over it.
        flown: The survey; nothing is flown where nobody succeeded in it, or the map has its answer already.
        turns: Whether it is written that each reset goes on to the next episode.

    Returns:
        The first difference, as the finding that it means; empty where there is none.
    """
    if any(f.id in UNSTEADY and is_task(f.task, flown.task) for f in context.card.findings):
        return []
    good = flown.guided or flown.succeeded
    plans = [(episode.task, actions_of(episode.turns)) for episode in good[:PLANS]]
    if not plans:
        return []
    one_process = isinstance(context.env.target, UrlTarget)
    if one_process:
        first, second = ([history(session, plan) for plan in plans] for _ in HASH_SEEDS)
    else:
        first, second = (repeat(context, plans, hash_seed) for hash_seed in HASH_SEEDS)
    for here, there in zip(first, second, strict=True):
        if any(episode.error is not None for episode in (*here.values(), *there.values())):
            continue  # a lost episode is suspected of more than this
        both = witnesses(here), witnesses(there)
        found = cause(*both, one_process=one_process, turns=turns)
        if found is not None:
            name, by, said = found
            return [proof(flown.task, here[by], name, said)]
    return []


def is_task(found: TaskOptions | None, task: TaskOptions) -> bool:
    """Whether a finding is about a task, whatever its seed."""
    return {name: value for name, value in (found or {}).items() if name != "seed"} == task


TaskActions = tuple[TaskOptions, list[Action]]
WitnessHistory = Mapping[str, Witness]


def repeat(
    context: AuditContext, plans: Sequence[TaskActions], hash_seed: int
) -> list[dict[str, Episode]]:
    """One process's flights of each plan, by how they were flown."""
    with closing(AuditSession(context, hash_seed=hash_seed, guided=False)) as session:
        return [history(session, plan) for plan in plans]


def history(session: AuditSession, plan: TaskActions) -> dict[str, Episode]:
    """The flights of a plan."""
    episodes = {
        FIRST: session.plans(FIRST, [plan], whole=True, after=0)[0],
        AGAIN: session.plans(AGAIN, [plan], whole=True)[0],
        TURNED: session.plans(TURNED, [plan], whole=True, after=1)[0],
    }
    if session.capacity > 1:
        episodes[BESIDE] = session.plans(BESIDE, [plan, plan], whole=True, after=0)[1]
    episodes[SLOWLY] = session.plans(SLOWLY, [plan], whole=True, slowly=True, after=0)[0]
    return episodes


def witnesses(episodes: Mapping[str, Episode]) -> WitnessHistory:
    """What was done and paid in each flight."""
    return {name: Witness.of(episode) for name, episode in episodes.items()}


def cause(
    first: WitnessHistory, second: WitnessHistory, *, one_process: bool, turns: bool = False
) -> tuple[str, str, str] | None:
    """The finding that the differences mean, which flight shows it, and what differs; None where nothing does.

    Args:
        first: The flights in one process.
        second: The same in another.
        one_process: Whether both were the same server's.
        turns: Whether it is written that each reset goes on to the next episode.
    """
    within = {name: first[FIRST].differs(flight) for name, flight in first.items()}
    across = {name: flight.differs(second[name]) for name, flight in first.items()}
    if within[AGAIN] is not None and not (turns and all(map(turned, (first, second)))):
        if all(map(tells_time, (first, second))):
            return "process_dependent", SLOWLY, f"flown slowly: {within[SLOWLY]}"
        alike = across[FIRST] is None and across[AGAIN] is None
        said = f"flown again in the same session: {within[AGAIN]}"
        return "episode_state_leak" if alike else "nondeterministic", AGAIN, said
    elsewhere = "session" if one_process else "process"
    dependent = "session_state_leak" if one_process else "process_dependent"
    kinds = (
        (dependent, FIRST, elsewhere, across[FIRST]),
        ("session_state_leak", BESIDE, "session beside", within.get(BESIDE)),
        ("process_dependent", SLOWLY, "flight with pauses", within[SLOWLY]),
    )
    found = ((name, by, f"in another {where}: {said}") for name, by, where, said in kinds if said)
    return next(found, None)


def turned(flights: WitnessHistory) -> bool:
    """Whether the second flight of a session comes out as one after a reset alone: the number of resets decides it."""
    return flights[AGAIN].differs(flights[TURNED]) is None


def tells_time(flights: WitnessHistory) -> bool:
    """Whether a pause moves the return much more than flying again does, and so more than chance would."""
    paused = abs(flights[SLOWLY].total - flights[FIRST].total)
    return paused > TOLD * abs(flights[AGAIN].total - flights[FIRST].total)


def proof(task: TaskOptions, flight: Episode, name: str, said: str) -> Confirmed:
    """The finding; what proves it is a flight that comes out another when it is flown alone, as a replay does."""
    witness, other = Witness.of(flight).record(), replace(flight, replays="other")
    return Confirmed.of(name, task, witness, f"the actions of a success, {said}", other, WHO)
