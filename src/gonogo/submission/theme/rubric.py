"""The rubric: 0 to 10 for each theme, each point from a measurement or from the author's words, with its reason.

What flights refute earns nothing, whatever the author says; what they prove is earned; where they cannot tell, the
author's answer decides, and an unanswered question earns nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gonogo.config import THEMES, Answer, Words
from gonogo.records.submission import ThemeCriterion, ThemeFact, ThemeFacts

CRITERIA: dict[str, tuple[int, str]] = {
    "maps": (3, "core mechanic maps to the theme's expected outcome"),
    "trains": (2, "reward naturally trains the capability"),
    "underexplored": (2, "domain underexplored"),
    "paper": (2, "a paper could be written"),
    "pitch": (1, "passes a non-technical three-minute pitch"),
}
"""Points and meaning of each criterion."""
PROVEN = frozenset({"1", "2"})
"""Themes whose mechanic is what was measured. Whose work is simulated, whether difficulty rises by itself, and what is
original, no flight shows: there a measurement can refute and not prove."""
UNANSWERED = Answer(answer=None, reason="")


def score(facts: ThemeFacts, words: Words) -> list[ThemeCriterion]:
    """Every criterion of every theme.

    Args:
        facts: What was measured.
        words: The author's.
    """
    points = []
    for theme in THEMES:
        claim = words.claim(theme)
        asked = {
            "maps": (mechanic(theme, facts), claim.maps if claim else UNANSWERED),
            "trains": (facts.audit, claim.trains if claim else UNANSWERED),
            "underexplored": (facts.underexplored, words.underexplored),
            "paper": (None, words.paper),
            "pitch": (None, words.pitch),
        }
        points += [decide(theme, name, fact, answer) for name, (fact, answer) in asked.items()]
    return points


def needed(facts: ThemeFacts) -> dict[str, tuple[ThemeFact, ...]]:
    """What each theme's mechanic needs that can be measured."""
    return {
        "1": (facts.agents,),
        "2": (facts.decisions, facts.delay),
        "3.1": (facts.hidden, facts.tools),
        "3.2": (facts.hidden, facts.tools),
        "4": (facts.curriculum,),
        "5": (),
    }


def mechanic(theme: str, facts: ThemeFacts) -> ThemeFact | None:
    """What was measured of a theme's mechanic: refuted if one part is, proven if all parts are and that is all."""
    parts = needed(facts)[theme]
    if not parts:
        return None
    refuted = [part for part in parts if part.holds is False]
    said = "; ".join(part.said for part in refuted or parts)
    if refuted:
        return ThemeFact(holds=False, said=said)
    proven = theme in PROVEN and all(part.holds for part in parts)
    return ThemeFact(holds=True if proven else None, said=said)


def decide(theme: str, criterion: str, fact: ThemeFact | None, answer: Answer) -> ThemeCriterion:
    """One criterion, from its measurement and the author's answer."""
    evidence = "" if fact is None else f"{fact.said[:1].upper()}{fact.said[1:]}."
    earned, by, reason = answer.answer, "author", answer.reason.strip()
    if fact is not None and fact.holds is not None:
        against = earned is not None and earned != fact.holds
        reason = f"{evidence} The author says otherwise." if against else evidence
        earned, by = fact.holds, "measured"
    elif earned is None:
        by, reason = "nobody", f"Not answered. {evidence}".strip()
    of = CRITERIA[criterion][0]
    points = of if earned else 0
    return ThemeCriterion(
        theme=theme, criterion=criterion, points=points, of=of, by=by, reason=reason
    )


def totals(points: Sequence[ThemeCriterion]) -> dict[str, int]:
    """Each theme's points, 0 to 10."""
    return {theme: sum(p.points for p in points if p.theme == theme) for theme in THEMES}


def choose(scores: Mapping[str, int], words: Words) -> tuple[str | None, str]:
    """The theme and why: the author's, else the one with most points; None where that is not one."""
    if words.theme is not None:
        return words.theme, f"the author's choice, with {scores[words.theme]} of 10 points"
    most = max(scores.values())
    best = [theme for theme, points in scores.items() if points == most]
    if len(best) > 1:
        named = ", ".join(best)
        return None, f"themes {named} have {most} points each: say which in the field theme"
    return best[0], f"it has most points, {most} of 10"
