"""Proofs of a broken contract, flown again: each alone, past its end where it went past it.

``gonogo map`` writes them. Most come out the same. One that was lost has to be lost again; and one that shows that
seed and actions do not decide an episode has to come out another, alone in a fresh session of a fresh process.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gonogo.evaluation.compare import bits, name_of
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Failure, Inspection, Transition
from gonogo.wire import Observation

__all__ = ["Judged", "prove_again"]

TRIES = 30
"""Flights in which chance may fall as it did before: of a fair coin that is one proof in 2^30."""
ORDER = ("same", "other", "lost")
"""What ends a server comes last."""
IDENTITY = "episode_id"
OVER = "the episode was over at its reset"

Judged = tuple[str, str]
"""``reproduced``, ``different`` or ``unknown``, and why."""


def prove_again(connection: Inspection, proofs: Sequence[Episode]) -> list[Judged]:
    """Fly proofs again.

    Args:
        connection: A fresh process.
        proofs: Episodes that say what their replay shows.
    """
    inorder = sorted(proofs, key=lambda proof: ORDER.index(proof.replays or "same"))
    return [judge(connection, proof) for proof in inorder]


def judge(connection: Inspection, proof: Episode) -> Judged:
    """Fly one proof again, and hold it against what it shows."""
    outcome, said = {"lost": lost, "other": other}.get(proof.replays or "", same)(connection, proof)
    return outcome, f"{name_of(proof)}: {said}"


def lost(connection: Inspection, proof: Episode) -> Judged:
    """Whether an episode is lost again."""
    if fly_proof(connection, proof).error is None:
        return "different", "it was lost, and is not now"
    return "reproduced", "it is lost again"


def other(connection: Inspection, proof: Episode) -> Judged:
    """Whether an episode comes out another; chance may let it fall as before a few times."""
    for _ in range(TRIES):
        again = fly_proof(connection, proof)
        if again.error is not None:
            return "unknown", f"lost: {again.error}"
        if difference(proof, again) is not None or shown(proof) != shown(again):
            return "reproduced", "flown again, it is another"
    return "unknown", f"it came out the same {TRIES} times, as chance may have it"


def same(connection: Inspection, proof: Episode) -> Judged:
    """Whether an episode comes out the same: its rewards, ends and refusals, or all that a reset alone shows."""
    again = fly_proof(connection, proof)
    if again.error is not None:
        return "unknown", f"lost: {again.error}"
    if not proof.turns and shown(proof) != shown(again):
        return "unknown", "its reset shows something else"
    found = difference(proof, again)
    return ("reproduced", "the same") if found is None else ("different", found)


def fly_proof(connection: Inspection, proof: Episode) -> Episode:
    """Send a proof's reset and actions in a fresh session, whatever is answered, until it is lost."""
    again = Episode(proof.index, proof.task, proof.target, proof.policy)
    connection.renew([0])
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


def difference(old: Episode, new: Episode) -> str | None:
    """The first turn whose reward, end or refusal differs, in words; or None."""
    for number, (a, b) in enumerate(zip(old.turns, new.turns, strict=True)):
        for what, here, there in (
            ("reward", bits(a.reward), bits(b.reward)),
            ("done", a.done, b.done),
            ("refused", a.invalid is not None, b.invalid is not None),
        ):
            if here != there:
                seen = [getattr(t, what) if what != "refused" else t.invalid for t in (a, b)]
                return f"turn {number}: {what} {seen[0]!r} recorded, {seen[1]!r} now"
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
