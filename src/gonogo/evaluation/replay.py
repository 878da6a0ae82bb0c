"""Episodes flown again, held against what they were."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from pathlib import Path

from gonogo.contract.findings import WITNESSES as MAP_WITNESSES
from gonogo.env.environment import Env
from gonogo.env.reward_functions import RewardFunctions
from gonogo.errors import MissingRecord
from gonogo.evaluation.compare import compare, name_of
from gonogo.evaluation.proofs import Judged, prove_again
from gonogo.exploits.witness import decode
from gonogo.records.findings import EpisodeWitness, Finding
from gonogo.records.record import Verdict
from gonogo.rollouts.builtin_policies import ScriptedPolicy
from gonogo.rollouts.engine import fly
from gonogo.rollouts.episodes import Episode, Turn, read_episodes
from gonogo.rollouts.types import Reply

__all__ = ["ReplayReport", "proof_of", "replay_in", "with_proofs"]


REPLAY_SLOTS = 64

SHOWN_DIFFERENCES = 10
EPISODE = re.compile(r"episode (\d+):")
"""Where a finding of a map names the episode that proves it."""
OTHERS = frozenset(
    {"nondeterministic", "process_dependent", "episode_state_leak", "session_state_leak"}
)
"""Findings whose episode comes out another when it is flown again."""


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
        with closing(env.connect(1)) as connection:
            reports.append(proven(prove_again(connection, proofs)))
    if others or not proofs:
        flown = [episode for episode in others if episode.error is None]
        again = fly_again(flown, env) if flown else []
        if again and rewards:
            with closing(RewardFunctions(rewards)) as functions:
                functions.pay(again)
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
    proof = Episode(0, witness.reset, address, finding.id)
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
    """The episode of an audit whose reset and actions are a finding's."""
    reset, actions = finding.witness.reset, list(decode(finding.witness.actions or ()))
    for episode in audited:
        sent = [turn.action for turn in episode.turns]
        if episode.task == reset and repr(sent[: len(actions)]) == repr(actions):
            return episode
    return None


def compared(flown: Sequence[Episode], again: Sequence[Episode], lost_then: int) -> ReplayReport:
    """Every reward of whole episodes, held against the recorded one.

    Args:
        flown: As they were recorded.
        again: The same, flown again.
        lost_then: How many were lost when they were recorded.
    """
    left_out = f"{len(flown)} episodes, {lost_then} lost ones left out"
    if not flown:
        return ReplayReport(Verdict.HOLD, (left_out,))
    differences = [
        said for old, new in zip(flown, again, strict=True) if (said := compare(old, new))
    ]
    lost = [f"{name_of(episode)}: lost: {episode.error}" for episode in again if episode.error]
    turns = sum(len(episode.turns) for episode in flown)
    counted = (
        f"{turns} rewards compared bit for bit: {len(flown) - len(differences) - len(lost)} episodes "
        f"the same, {len(differences)} different, {len(lost)} lost"
    )
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


def fly_again(episodes: Sequence[Episode], env: Env) -> list[Episode]:
    """Send each episode's recorded actions; an unusable reply is sent as the text that it was."""
    scripts = [[reply_of(turn) for turn in episode.turns] for episode in episodes]
    longest = max(len(script) for script in scripts)
    if not all(scripts):
        raise MissingRecord("an episode without turns cannot be replayed")
    with closing(env.connect(min(REPLAY_SLOTS, len(episodes)))) as connection:
        policy, tasks = ScriptedPolicy(scripts, name="replay"), [each.task for each in episodes]
        return fly(connection, policy, tasks, env.flight(max_turns=longest))


def reply_of(turn: Turn) -> Reply:
    """What was sent in a turn."""
    return Reply(text=turn.reply or "") if turn.action is None else Reply(action=turn.action)
