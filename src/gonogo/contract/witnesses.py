"""Flights that prove a broken contract, as episodes that ``gonogo replay`` flies again: ``map_witnesses.jsonl``.

What is proven by an answer comes out the same when it is flown again. What is proven by a loss is lost again. And
where the proof is that an episode is not decided by its seed and its actions, it comes out another when it is
flown alone in a fresh process: that is what reproduces it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from gonogo.config import RunConfig
from gonogo.contract.flights import Proof
from gonogo.contract.items import Item
from gonogo.records.findings import Finding
from gonogo.rollouts.episodes import Episode, Turn

__all__ = ["WITNESSES", "findings"]

WITNESSES = "map_witnesses.jsonl"
SHOWS = {
    "same": "it comes out the same",
    "other": "alone in a fresh process it comes out another",
    "lost": "it is lost again",
}
"""What a replay shows, in words."""
OVER = "the episode was over at its reset"


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
            again = f"gonogo replay {WITNESSES}: episode {number}: {SHOWS[expected]}"
            witness = found.witness.model_copy(update={"replay": again})
            told[key] = found.model_copy(update={"witness": witness})
    return tuple(told.values()), episodes


def shows(proof: Proof) -> str:
    """What a replay of a proof shows, one of :data:`SHOWS`."""
    if proof.witness.difference is not None:
        return "other"
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
