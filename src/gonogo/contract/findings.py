"""Checked items of the contract, and what proves the failing ones.

Every check answers items: pass, fail or not applicable, with the evidence; a failing one carries the finding that it
proves. What could not be judged is ``na`` with the reason, never a pass.

The flights that prove findings become episodes that ``gonogo replay`` flies again: ``map_witnesses.jsonl``. What is
proven by an answer comes out the same when it is flown again. What is proven by a loss is lost again. And
where the proof is that an episode is not decided by its seed and its actions, it comes out another when it is
flown alone in a fresh process: that is what reproduces it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from gonogo.config import RunConfig
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import Proof, Trace
from gonogo.records.contract import ContractItem, ItemEvidence, ItemVerdict
from gonogo.records.findings import ContractWitness, Finding
from gonogo.records.tables import reset_text
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import TaskOptions

CHECKS: dict[str, str] = {
    "episode": "an episode can be flown",
    "reward_numeric": "rewards are numbers, not truth values",
    "reward_finite": "rewards are finite",
    "reward_range": "rewards are within the declared range",
    "observation_schema": "observations fit their schema",
    "state_contract": "the state holds the episode's id and its steps",
    "seed_control": "the seed decides the episode",
    "determinism_same_session": "the same again in the same session",
    "determinism_new_session": "the same again in a new session",
    "determinism_new_process": "the same again in a new process",
    "isolation_sessions": "sessions don't touch each other",
    "isolation_episodes": "episodes don't touch each other",
    "example": "the action that the instructions give as an example is accepted",
    "after_done": "nothing is paid after the end",
    "malformed_actions": "a malformed action is refused and the episode lives",
    "silent_reconnect": "a lost session shows",
    "task_api": "what does not exist is refused",
    "tool_names": "no tool has a reserved name",
    "client_separation": "the client comes without the server",
}
"""Checks by what holds when they pass."""
LOSSES = {
    "raised": "reset_raises",
    "unmade": "no_instance",
    "timeout": "hangs",
    "died": "dies",
    "identity": "silent_reset",
    "malformed": "answer_not_json",
}
"""Findings by the kind of failure that loses an episode."""
NOTHING = ItemEvidence()
WITNESSES = "map_witnesses.jsonl"
SHOWS = {
    "same": "it comes out the same",
    "other": "alone in a fresh process it comes out another",
    "turned": "alone in a fresh process it comes out another, and after the resets before it the same",
    "lost": "it is lost again",
}
"""What a replay shows, in words."""
OF_RESETS = {"same": "comes out the same", "other": "comes out another", "lost": "is lost again"}
"""The same of a proof that has resets before it."""
OVER = "the episode was over at its reset"


@dataclass(frozen=True, slots=True)
class Item:
    """One check's answer, with what proves it.

    Attributes:
        checked: The answer as the record holds it.
        finding: What a failing answer proves.
        proof: The flight that proves it; None where it is about no flight.
    """

    checked: ContractItem
    finding: Finding | None = None
    proof: Proof | None = None

    def proven_by(self, trace: Trace) -> Item:
        """The same with its proof flown after other resets."""
        if self.proof is None or self.finding is None or not trace.before:
            return self
        witness = self.proof.witness.model_copy(update={"resets_before": trace.before})
        proof = replace(self.proof, trace=trace, witness=witness)
        return replace(
            self, finding=self.finding.model_copy(update={"witness": witness}), proof=proof
        )


def passed(
    check: str, said: str, task: Task | None = None, evidence: ItemEvidence = NOTHING
) -> Item:
    """A passing item."""
    return Item(answer(check, "pass", said, task, evidence))


def not_applicable(
    check: str, said: str, task: Task | None = None, evidence: ItemEvidence = NOTHING
) -> Item:
    """An item that cannot be judged, or says nothing here."""
    return Item(answer(check, "na", said, task, evidence))


def failed(
    check: str,
    finding: str,
    said: str,
    task: Task | None = None,
    witness: Proof | ContractWitness | None = None,
    evidence: ItemEvidence = NOTHING,
) -> Item:
    """A failing item with its finding."""
    proof = witness if isinstance(witness, Proof) else None
    shown = witness.witness if isinstance(witness, Proof) else witness
    found = Finding(
        id=finding,
        task=options_of(task),
        component=None,
        witness=shown or ContractWitness(),
        explanation=said,
    )
    return Item(answer(check, "fail", said, task, evidence, finding), found, proof)


def answer(
    check: str,
    verdict: ItemVerdict,
    said: str,
    task: Task | None,
    evidence: ItemEvidence,
    finding: str | None = None,
) -> ContractItem:
    """A check's answer.

    Raises:
        ValueError: There is no such check.
    """
    if check not in CHECKS:
        raise ValueError(f"an item's id must be one of {', '.join(CHECKS)}, not {check!r}")
    return ContractItem(
        id=check,
        verdict=verdict,
        said=said,
        task=options_of(task),
        evidence=evidence,
        finding=finding,
    )


def options_of(task: Task | None) -> TaskOptions | None:
    """A task's reset options."""
    return None if task is None else task.options


def worst(items: Iterable[ContractItem]) -> list[ContractItem]:
    """One item a check, in the checks' order: a failing one, else a passing one, else one not applicable."""
    rank: Sequence[ItemVerdict] = ("fail", "pass", "na")
    found: dict[str, ContractItem] = {}
    for item in items:
        before = found.get(item.id)
        if before is None or rank.index(item.verdict) < rank.index(before.verdict):
            found[item.id] = item
    return [found[check] for check in CHECKS if check in found]


def findings(run: RunConfig, items: Sequence[Item]) -> tuple[tuple[Finding, ...], list[Episode]]:
    """The findings as the record holds them, each id once a task, and the episodes that prove them.

    A finding that is about no flight has no episode.
    """
    told: dict[tuple[str, str], Finding] = {}
    episodes: list[Episode] = []
    for item in items:
        found = item.finding
        if found is None or (key := (found.id, repr(found.task))) in told:
            continue
        told[key] = found
        if item.proof is not None:
            number, expected = len(episodes), shows(item.proof)
            episodes.append(episode(run, found.id, number, item.proof, expected))
            before, said = item.proof.trace.before, SHOWS[expected]
            if before and expected != "turned":
                said = f"{reset_text(before)} it {OF_RESETS[expected]}"
                found = found.model_copy(
                    update={"explanation": f"{found.explanation}; {reset_text(before)}"}
                )
            again = f"gonogo replay {WITNESSES}: episode {number}: {said}"
            witness = found.witness.model_copy(update={"replay": again})
            told[key] = found.model_copy(update={"witness": witness})
    return tuple(told.values()), episodes


def shows(proof: Proof) -> str:
    """What a replay of a proof shows, one of :data:`SHOWS`."""
    if proof.witness.difference is not None:
        return "turned" if proof.turned else "other"
    trace = proof.trace
    if proof.upto is None:
        return "same" if trace.failure is None else "lost"
    return "lost" if proof.upto == 0 and trace.shots[0].answer.done else "same"


def whole(proof: Proof) -> int | None:
    """How many shots of the flight the episode holds; None for all, as where chance has to show."""
    short = proof.upto is not None and proof.witness.difference is None
    return proof.upto + 1 if short and proof.upto is not None else None


def episode(run: RunConfig, name: str, number: int, proof: Proof, expected: str) -> Episode:
    """A proof as an episode, flown by the finding's name."""
    trace = proof.trace
    flown = Episode(number, trace.options, run.target, name, seed=run.seed, replays=expected)
    flown.resets_before = trace.before
    flown.turns += turns(proof)
    if trace.shots:
        last = trace.shots[: whole(proof)][-1].answer
        flown.final_observation, flown.final_metadata = last.observation, last.metadata
    if expected == "lost":
        flown.error = OVER if trace.failure is None else trace.failure.message
        if trace.lost_on is not None:
            seen = trace.shots[-1].answer.observation
            flown.turns.append(Turn("", seen, action=trace.lost_on))
    return flown


def turns(proof: Proof) -> Iterator[Turn]:
    """The steps of a flight that were answered."""
    for before, shot in pairwise(proof.trace.shots[: whole(proof)]):
        answer = shot.answer
        refused = answer.refusal is not None
        yield Turn(
            "",
            before.answer.observation,
            action=shot.action,
            invalid=answer.refusal,
            reward=None if refused else answer.reward,
            done=False if refused else answer.done,
        )
