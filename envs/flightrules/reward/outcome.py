"""What a flight came to: the numbers that the reward is made of, and nothing else.

The flight computes them from the true trajectory and the directives' monitors; the rubrics in
`flightrules.reward.rubrics` only combine them. No text, no telemetry and nothing that an agent wrote
passes through here, so there is nothing for an agent to argue with. An outcome that contradicts
itself is refused at construction instead of being paid.
"""

from __future__ import annotations

from dataclasses import dataclass

_SHARES = ("f", "q", "legal_share", "efficiency", "progress")


@dataclass(slots=True)
class Outcome:
    """The outcome of a flight, or of a flight so far as if it ended now. It is not frozen: that would triple its cost.

    A is the set of mandatory directives that idling on the same mission fails, K the set that idling
    satisfies. A window that has not run to its end counts as violated (strong ending).

    Attributes:
        f: (Share of A satisfied) x (share of K kept, 1 if K is empty), in [0, 1].
        success: Whether every mandatory directive is satisfied; the same as f = 1, because idling
            never succeeds, so A is never empty.
        q: Robustness gained beyond idling, in [0, 1].
        legal_share: Share of the decisions so far that were well-formed, legal commands, in [0, 1].
        efficiency: Propellant and decisions against the oracle's, in [0, 1], whether or not the
            flight succeeded.
        progress: Bounded potential of the state, in [0, 1], for credit assignment. It is in no
            reward.

    Raises:
        ValueError: If a share is outside [0, 1] or not a number, or success contradicts f.
    """

    f: float
    success: bool
    q: float
    legal_share: float
    efficiency: float
    progress: float

    def __post_init__(self) -> None:
        # Chained comparisons are False for NaN, so a NaN is refused like any number out of range.
        if not (
            0.0 <= self.f <= 1.0
            and 0.0 <= self.q <= 1.0
            and 0.0 <= self.legal_share <= 1.0
            and 0.0 <= self.efficiency <= 1.0
            and 0.0 <= self.progress <= 1.0
        ):
            wrong = {name: getattr(self, name) for name in _SHARES}
            raise ValueError(f"every share of an outcome lies in [0, 1], got {wrong}")
        if self.success is not (self.f == 1.0):
            raise ValueError(
                f"success and f = 1 are the same event, got success={self.success!r}, f={self.f!r}"
            )
