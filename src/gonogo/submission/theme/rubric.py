"""The rubric: 0 to 10 for each theme, each point from a measurement or from the author's words, with its reason.

What flights refute earns nothing, whatever the author says; what they prove is earned; where they cannot tell, the
author's answer decides, and an unanswered question earns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from gonogo.config import THEMES, Answer, Words
from gonogo.rollout.types import Json
from gonogo.submission.theme.facts import Fact

__all__ = ["CRITERIA", "Criterion", "choose", "score", "totals"]

CRITERIA: dict[str, tuple[int, str]] = {
    "maps": (3, "core mechanic maps to the theme's expected outcome"),
    "trains": (2, "reward naturally trains the capability"),
    "underexplored": (2, "domain underexplored"),
    "paper": (2, "a paper could be written"),
    "pitch": (1, "passes a non-technical three-minute pitch"),
}
"""Points and meaning of each criterion."""
NEEDS: dict[str, tuple[str, ...]] = {
    "1": ("agents",),
    "2": ("decisions", "delay"),
    "3.1": ("hidden", "tools"),
    "3.2": ("hidden", "tools"),
    "4": ("curriculum",),
    "5": (),
}
"""What each theme's mechanic needs that can be measured."""
PROVEN = frozenset({"1", "2"})
"""Themes whose mechanic is what was measured. Whose work is simulated, whether difficulty rises by itself, and what is
original, no flight shows: there a measurement can refute and not prove."""
UNANSWERED = Answer(answer=None, reason="")


@dataclass(frozen=True, slots=True)
class Criterion:
    """One criterion of one theme.

    Attributes:
        theme: The theme's number.
        criterion: One of :data:`CRITERIA`.
        earned: Whether its points are.
        by: Who decided: ``measured``, ``author`` or, with no points, ``nobody``.
        reason: Why, in one or two sentences.
    """

    theme: str
    criterion: str
    earned: bool
    by: str
    reason: str

    @property
    def points(self) -> int:
        """What it comes to."""
        return CRITERIA[self.criterion][0] if self.earned else 0

    def to_json(self) -> Json:
        """The point as a record holds it."""
        return {
            "theme": self.theme,
            "criterion": self.criterion,
            "points": self.points,
            "of": CRITERIA[self.criterion][0],
            "by": self.by,
            "reason": self.reason,
        }


def score(facts: Mapping[str, Fact], words: Words) -> list[Criterion]:
    """Every criterion of every theme.

    Args:
        facts: What was measured, with ``underexplored``.
        words: The author's.
    """
    points = []
    for theme in THEMES:
        claim = words.claim(theme)
        asked = {
            "maps": (mechanic(theme, facts), claim.maps if claim else UNANSWERED),
            "trains": (facts["audit"], claim.trains if claim else UNANSWERED),
            "underexplored": (facts["underexplored"], words.underexplored),
            "paper": (None, words.paper),
            "pitch": (None, words.pitch),
        }
        points += [decide(theme, name, fact, answer) for name, (fact, answer) in asked.items()]
    return points


def mechanic(theme: str, facts: Mapping[str, Fact]) -> Fact | None:
    """What was measured of a theme's mechanic: refuted if one part is, proven if all parts are and that is all."""
    parts = [facts[name] for name in NEEDS[theme]]
    if not parts:
        return None
    refuted = [part for part in parts if part.holds is False]
    said = "; ".join(part.said for part in refuted or parts)
    if refuted:
        return Fact(False, said)
    proven = theme in PROVEN and all(part.holds for part in parts)
    return Fact(True if proven else None, said)


def decide(theme: str, criterion: str, fact: Fact | None, answer: Answer) -> Criterion:
    """One criterion, from its measurement and the author's answer."""
    evidence = "" if fact is None else f"{fact.said[:1].upper()}{fact.said[1:]}."
    own = answer.reason.strip()
    if fact is not None and fact.holds is not None:
        against = answer.answer is not None and answer.answer != fact.holds
        said = f"{evidence} The author says otherwise." if against else evidence
        return Criterion(theme, criterion, fact.holds, "measured", said)
    if answer.answer is None:
        return Criterion(theme, criterion, False, "nobody", f"Not answered. {evidence}".strip())
    return Criterion(theme, criterion, answer.answer, "author", own)


def totals(points: Sequence[Criterion]) -> dict[str, int]:
    """Each theme's points, 0 to 10."""
    return {theme: sum(p.points for p in points if p.theme == theme) for theme in THEMES}


def choose(scores: Mapping[str, int], words: Words) -> tuple[str | None, str]:
    """The theme and why: the author's, else the one with most points; None where that is not one."""
    if words.theme is not None:
        return words.theme, f"the author's choice, with {scores[words.theme]} of 10 points"
    most = max(scores.values())
    best = [theme for theme, points in scores.items() if points == most]
    if len(best) > 1:
        return (
            None,
            f"themes {', '.join(best)} have {most} points each: say which in the field theme",
        )
    return best[0], f"it has most points, {most} of 10"
