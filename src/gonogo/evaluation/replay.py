"""Episodes and proofs flown again in fresh processes and held against what they were: a file proves its own numbers.

Every reward of an episode is held against the recorded one, bit for bit. A proof of a broken contract, which
``gonogo map`` writes, is flown alone, past its end where it went past it. Most come out the same. One that was lost has
to be lost again; and one that shows that seed and actions do not decide an episode has to come out another, alone in a
fresh session of a fresh process.

Where resets go on to the next task, an episode is that of a number of resets: those before it are done first. What
comes out another beside others is flown in a process of its own before it is called different; after some that differ
there, too, the rest of a file is not.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from gonogo.contract.findings import OVER
from gonogo.contract.findings import WITNESSES as MAP_WITNESSES
from gonogo.env.environment import Env
from gonogo.env.reward_functions import RewardFunctions
from gonogo.errors import MissingRecord
from gonogo.exploits.witness import decode
from gonogo.records.findings import EpisodeWitness, Finding
from gonogo.records.record import Verdict
from gonogo.rollouts.builtin_policies import ScriptedPolicy
from gonogo.rollouts.engine import fly
from gonogo.rollouts.episodes import Episode, Turn, read_episodes
from gonogo.rollouts.types import Failure, Inspection, Reply, Transition
from gonogo.wire import Observation

REPLAY_SLOTS = 64
SHOWN_DIFFERENCES = 10
EPISODE = re.compile(r"episode (\d+):")
"""Where a finding of a map names the episode that proves it."""
OTHERS = frozenset(
    {"nondeterministic", "process_dependent", "episode_state_leak", "session_state_leak"}
)
"""Findings whose episode comes out another when it is flown again."""
TRIES = 30
"""Flights in which chance may fall as it did before: of a fair coin that is one proof in 2^30."""
ORDER = ("same", "other", "turned", "lost")
"""What ends a server comes last."""
IDENTITY = "episode_id"
Judged = tuple[str, str]
"""``reproduced``, ``different`` or ``unknown``, and why."""


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What became of episodes that were flown again.

    Attributes:
        verdict: GO where all came out as they were, NO-GO where one did not, HOLD where there was nothing to compare or
            an episode was lost this time.
        said: What a reader is told, in lines.
    """

    verdict: Verdict
    said: tuple[str, ...]

    @property
    def reproduced(self) -> bool:
        """Whether all came out as they were."""
        return self.verdict is Verdict.GO


def replay_in(env: Env, recorded: Sequence[Episode], rewards: Sequence[str] = ()) -> ReplayReport:
    """Fly recorded actions again, in fresh processes of an environment.

    A proof of the map comes out as it says itself: the same, or lost again, or another where chance or what went before
    decides.

    Args:
        env: The environment, with what paid and what success was then.
        recorded: The episodes.
        rewards: Reward functions outside the environment that paid then; empty for none.

    Raises:
        MissingRecord: An episode has no turns.
    """
    proofs = [episode for episode in recorded if episode.replays is not None]
    others = [episode for episode in recorded if episode.replays is None]
    reports = []
    if proofs:
        reports.append(proven(prove_again(env, proofs)))
    if others or not proofs:
        flown = [episode for episode in others if episode.error is None]
        again = fly_again(flown, env, rewards) if flown else []
        reports.append(compared(flown, again, len(others) - len(flown)))
    verdict = Verdict.worst([report.verdict for report in reports])
    return ReplayReport(verdict, tuple(said for report in reports for said in report.said))


def proof_of(finding: Finding, address: str) -> Episode | None:
    """The episode that proves a finding; None where there is none to be had.

    A finding that was made in this process carries it. One that was read from a file has it beside the record, in
    ``witnesses.jsonl`` or ``map_witnesses.jsonl``; what is paid without success can be told from the finding alone.

    Args:
        finding: Of an audit or a map.
        address: Of the environment.
    """
    if finding.proof is not None:
        return replace(Episode.from_json(finding.proof), target=address)
    witness = finding.witness
    if not isinstance(witness, EpisodeWitness) or finding.id in OTHERS or not witness.actions:
        return None
    before = witness.resets_before or ()
    proof = Episode(0, witness.reset, address, finding.id, resets_before=before)
    for action, reward in zip(decode(witness.actions), decode(witness.rewards), strict=True):
        proof.turns.append(Turn("", {}, action=action, reward=reward))
    proof.turns[-1].done = witness.done
    return proof


def with_proofs(findings: Iterable[Finding], folder: Path) -> tuple[Finding, ...]:
    """Findings with the episodes that prove them, from the files that a map and an audit leave beside their records.

    Args:
        findings: They.
        folder: The run's.
    """
    mapped, audited = (
        list(read_episodes(file)) if (file := folder / name).is_file() else []
        for name in (MAP_WITNESSES, "witnesses.jsonl")
    )
    found = []
    for finding in findings:
        numbered = EPISODE.search(finding.replay)
        proof = mapped[int(numbered[1])] if numbered else shown_by(finding, audited)
        found.append(finding if proof is None else finding.with_proof(proof.to_json()))
    return tuple(found)


def shown_by(finding: Finding, audited: Iterable[Episode]) -> Episode | None:
    """The episode of an audit whose resets and actions are a finding's."""
    witness = finding.witness
    resets = (*(witness.resets_before or ()), witness.reset)
    actions = list(decode(witness.actions or ()))
    for episode in audited:
        sent = [turn.action for turn in episode.turns[: len(actions)]]
        if (*episode.resets_before, episode.task) == resets and repr(sent) == repr(actions):
            return episode
    return None


def compared(
    flown: Sequence[Episode], again: Sequence[Episode | None], lost_then: int
) -> ReplayReport:
    """Every reward of whole episodes, held against the recorded one.

    Args:
        flown: As they were recorded.
        again: The same, flown again; None for one that was not looked into.
        lost_then: How many were lost when they were recorded.
    """
    left_out = f"{len(flown)} episodes, {lost_then} lost ones left out"
    if not flown:
        none = "the file holds no episode: nothing was found to be flown again"
        return ReplayReport(Verdict.HOLD, (left_out if lost_then else none,))
    pairs = [(old, new) for old, new in zip(flown, again, strict=True) if new is not None]
    differences = [said for old, new in pairs if (said := compare(old, new))]
    lost = [f"{name_of(new)}: lost: {new.error}" for _, new in pairs if new.error]
    turns = sum(len(episode.turns) for episode in flown)
    counted = (
        f"{turns} rewards compared bit for bit: {len(pairs) - len(differences) - len(lost)} episodes "
        f"the same, {len(differences)} different, {len(lost)} lost"
    )
    if apart := len(flown) - len(pairs):
        counted += f", {apart} different beside the others and not flown alone"
    verdict = Verdict.NO_GO if differences else Verdict.HOLD if lost else Verdict.GO
    shown = [*differences, *lost][:SHOWN_DIFFERENCES]
    return ReplayReport(verdict, (left_out, *shown, counted))


def proven(judged: Sequence[Judged]) -> ReplayReport:
    """What became of proofs."""
    counts = Counter(outcome for outcome, _ in judged)
    counted = (
        f"{len(judged)} proofs: {counts['reproduced']} reproduced, {counts['different']} different, "
        f"{counts['unknown']} not to be told"
    )
    unclear = Verdict.HOLD if counts["unknown"] else Verdict.GO
    verdict = Verdict.NO_GO if counts["different"] else unclear
    return ReplayReport(verdict, (*(f"{outcome}: {said}" for outcome, said in judged), counted))


def fly_again(
    episodes: Sequence[Episode], env: Env, rewards: Sequence[str] = ()
) -> list[Episode | None]:
    """Send each episode's recorded actions, paid as then; an unusable reply is sent as the text that it was.

    What comes out another beside the others may depend on how often the process was reset, and is flown alone. After
    :data:`SHOWN_DIFFERENCES` that differ alone, too, it is not, since each takes a process: None stands for it.

    Args:
        episodes: They.
        env: The environment.
        rewards: Reward functions outside the environment that paid then.

    Raises:
        MissingRecord: An episode has no turns.
    """
    if not all(episode.turns for episode in episodes):
        raise MissingRecord("an episode without turns cannot be replayed")
    longest = max(len(episode.turns) for episode in episodes)
    again: list[Episode | None] = []
    different = 0
    with closing(RewardFunctions(rewards)) if rewards else nullcontext() as functions:
        beside = [episode for episode in episodes if not episode.resets_before]
        flown = iter(paid_by(functions, fly_beside(beside, env, longest)))
        for old in episodes:
            new = None if old.resets_before else next(flown)
            if new is None or (compare(old, new) is not None and different < SHOWN_DIFFERENCES):
                (new,) = paid_by(functions, [fly_alone(old, env, longest)])
                different += compare(old, new) is not None
            elif compare(old, new) is not None:
                new = None
            again.append(new)
    return again


def paid_by(functions: RewardFunctions | None, flown: list[Episode]) -> list[Episode]:
    """Episodes with what functions outside the environment pay; with None as they are."""
    if functions is not None:
        functions.pay(flown)
    return flown


def fly_beside(episodes: Sequence[Episode], env: Env, turns: int) -> list[Episode]:
    """Episodes flown again in one process, in their order.

    Args:
        episodes: They.
        env: The environment.
        turns: Decisions after which each is cut.
    """
    if not episodes:
        return []
    scripts = [[reply_of(turn) for turn in episode.turns] for episode in episodes]
    with closing(env.connect(min(REPLAY_SLOTS, len(episodes)))) as connection:
        policy, tasks = ScriptedPolicy(scripts, name="replay"), [each.task for each in episodes]
        return list(fly(connection, policy, tasks, env.flight(max_turns=turns)))


def fly_alone(episode: Episode, env: Env, turns: int) -> Episode:
    """An episode flown again in a process of its own, after the resets before it.

    Args:
        episode: It.
        env: The environment.
        turns: Decisions after which it is cut.
    """
    with closing(env.connect(1)) as connection:
        for options in episode.resets_before:
            connection.reset({0: options})
        policy = ScriptedPolicy([[reply_of(turn) for turn in episode.turns]], name="replay")
        (again,) = fly(connection, policy, [episode.task], env.flight(max_turns=turns))
        return again


def reply_of(turn: Turn) -> Reply:
    """What was sent in a turn."""
    return Reply(text=turn.reply or "") if turn.action is None else Reply(action=turn.action)


def prove_again(env: Env, proofs: Sequence[Episode]) -> list[Judged]:
    """Fly proofs again, in one process; in one of its own what does not come out as it says beside others.

    Args:
        env: The environment.
        proofs: Episodes that say what their replay shows.
    """
    inorder = sorted(proofs, key=lambda proof: ORDER.index(proof.replays or "same"))
    with closing(env.connect(1)) as connection:
        judged = [judge_proof(connection, proof) for proof in inorder]
    for place, (outcome, _) in enumerate(judged[1:], start=1):
        if outcome != "reproduced":
            with closing(env.connect(1)) as connection:
                judged[place] = judge_proof(connection, inorder[place])
    return judged


def judge_proof(connection: Inspection, proof: Episode) -> Judged:
    """Fly one proof again, and hold it against what it shows."""
    ways = {"lost": judge_lost, "other": judge_other, "turned": judge_turned}
    outcome, said = ways.get(proof.replays or "", judge_same)(connection, proof)
    return outcome, f"{name_of(proof)}: {said}"


def judge_turned(connection: Inspection, proof: Episode) -> Judged:
    """Whether an episode comes out another alone, and the same after the resets that came before it."""
    outcome, said = judge_other(connection, replace(proof, resets_before=()))
    if outcome != "reproduced":
        return outcome, said
    again = fly_proof(connection, proof)
    found = difference(proof, again, refusals=True)
    if again.error is not None or found is not None:
        return "different", f"after the resets before it: {again.error or found}"
    if shown(proof) != shown(again):
        return "different", "after the resets before it, it shows something else"
    return "reproduced", f"{said}; after the resets before it, the same"


def judge_lost(connection: Inspection, proof: Episode) -> Judged:
    """Whether an episode is lost again."""
    if fly_proof(connection, proof).error is None:
        return "different", "it was lost, and is not now"
    return "reproduced", "it is lost again"


def judge_other(connection: Inspection, proof: Episode) -> Judged:
    """Whether an episode comes out another; chance may let it fall as before a few times."""
    for _ in range(TRIES):
        again = fly_proof(connection, proof)
        if again.error is not None:
            return "unknown", f"lost: {again.error}"
        if difference(proof, again, refusals=True) is not None or shown(proof) != shown(again):
            return "reproduced", "flown again, it is another"
    return "unknown", f"it came out the same {TRIES} times, as chance may have it"


def judge_same(connection: Inspection, proof: Episode) -> Judged:
    """Whether an episode comes out the same: its rewards, ends and refusals, or all that a reset alone shows."""
    again = fly_proof(connection, proof)
    if again.error is not None:
        return "unknown", f"lost: {again.error}"
    if not proof.turns and shown(proof) != shown(again):
        return "unknown", "its reset shows something else"
    found = difference(proof, again, refusals=True)
    return ("reproduced", "the same") if found is None else ("different", found)


def fly_proof(connection: Inspection, proof: Episode) -> Episode:
    """Send a proof's resets and actions in a fresh session, whatever is answered, until it is lost."""
    again = Episode(proof.index, proof.task, proof.target, proof.policy)
    connection.renew([0])
    for options in proof.resets_before:
        connection.reset({0: options})
    answer = connection.reset({0: proof.task})[0]
    for turn in proof.turns:
        if isinstance(answer, Failure):
            break
        before = answer.observation
        answer = connection.step({0: turn.action or {}})[0]
        again.turns.append(turn_of(turn, before, answer))
    if isinstance(answer, Failure):
        again.error = answer.message
    else:
        again.final_observation = answer.observation
        again.error = OVER if answer.done and not proof.turns else None
    return again


def turn_of(turn: Turn, before: Observation, answer: Transition | Failure) -> Turn:
    """A turn as it was answered this time."""
    if isinstance(answer, Failure) or answer.refusal is not None:
        refused = answer.message if isinstance(answer, Failure) else answer.refusal
        return Turn("", before, action=turn.action, invalid=refused)
    return Turn("", before, action=turn.action, reward=answer.reward, done=answer.done)


def difference(old: Episode, new: Episode, *, refusals: bool) -> str | None:
    """The first turn whose reward or end differs, in words; or None.

    Args:
        old: The episode.
        new: The same, flown again.
        refusals: Whether a refusal counts too.
    """
    answered = zip(old.rewards, new.rewards, strict=False)
    turns = zip(old.turns, new.turns, answered, strict=False)
    for number, (a, b, (then, now)) in enumerate(turns):
        if bits(then) != bits(now):
            return f"turn {number}: reward {then!r} recorded, {now!r} now"
        if a.done != b.done:
            return f"turn {number}: done {a.done} recorded, {b.done} now"
        if refusals and (a.invalid is None) != (b.invalid is None):
            return f"turn {number}: refused {a.invalid!r} recorded, {b.invalid!r} now"
    return None


def shown(episode: Episode) -> list[Any]:
    """All observations, without the ids of episodes."""
    seen = [turn.observation for turn in episode.turns] + [episode.final_observation]
    return [nameless(observation) for observation in seen]


def nameless(value: Any) -> Any:
    """A JSON value without the ids of episodes; numbers are told from truth values."""
    if isinstance(value, dict):
        return {name: nameless(inner) for name, inner in value.items() if name != IDENTITY}
    return [nameless(inner) for inner in value] if isinstance(value, list) else repr(value)


def compare(old: Episode, new: Episode) -> str | None:
    """The first difference between an episode and its replay, or None.

    An episode that the limit of turns ended is compared as far as it was recorded.
    """
    if new.error is not None:
        return None
    found = difference(old, new, refusals=False)
    return None if found is None else f"{name_of(old)}, {found}"


def bits(reward: float | None) -> bytes | None:
    """A reward's bits, so that 0.0 and -0.0 differ; None for none."""
    return None if reward is None else struct.pack("<d", reward)


def name_of(episode: Episode) -> str:
    """An episode in words."""
    return f"episode {episode.index} of {episode.policy}"
