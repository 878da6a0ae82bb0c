"""What success was in an audit: given, the environment's own word, or assumed, and what else was proposed."""

from __future__ import annotations

from typing import Literal

from gonogo.records.record import Part

LIKELY = 1.0
"""Strength from which a candidate is told to somebody who asks what to say."""


class SuccessCandidate(Part):
    """What success may be in an environment that does not say it."""

    expression: str
    """As ``--success`` takes it."""
    strength: float
    """By which candidates are ranked."""
    why: str
    """What speaks for it, and against it."""
    held: int
    """Ends at which it was true."""
    ends: int
    """Ends at which it was tried."""
    return_held: float | None
    """Mean return where it was true; None where it never was."""
    return_else: float | None
    """Mean return where it was not; None where it always was."""
    circular: bool
    """Whether it is the reward again."""
    word: bool = False
    """Whether it is a word for success, and no mark on a score, a count or the reward, nor a word for any end."""
    doubted: bool = False
    """Whether it behaves like less than success, so that it is proposed only."""


SaidBy = Literal["given", "environment", "assumed", "nobody"]


class JudgedSuccess(Part):
    """What success was in an audit, and who says so."""

    said_by: SaidBy
    """``given`` by ``--success``, the ``environment``'s own word, ``assumed`` from what was flown, or said by
    ``nobody``."""
    expression: str | None
    """The expression that was given or assumed; None for the environment's own word."""
    why: str
    """What speaks for it."""
    candidates: tuple[SuccessCandidate, ...]
    """What was proposed, the likeliest first; the assumed one among them."""

    @property
    def assumed(self) -> str | None:
        """The expression where it is only assumed; else None."""
        return self.expression if self.said_by == "assumed" else None

    @property
    def likeliest(self) -> str | None:
        """What is assumed, or else proposed with some reason; None where success is said, or nothing is likely."""
        if self.said_by != "nobody":
            return self.assumed
        likely = [c.expression for c in self.candidates if c.strength >= LIKELY]
        return likely[0] if likely else None

    @property
    def doubtful(self) -> bool:
        """Whether success is assumed by what is no word for it: then what rests on it is merely suspicious."""
        return self.assumed is not None and not any(
            c.word for c in self.candidates if c.expression == self.assumed
        )

    @property
    def under(self) -> str:
        """The words for what rests on an assumption; empty where nothing does."""
        if self.assumed is None:
            return ""
        circular = any(c.circular for c in self.candidates if c.expression == self.assumed)
        beside = ", by which the reward is judged by itself" if circular else ""
        return f"under the assumed success `{self.assumed}`{beside}"
