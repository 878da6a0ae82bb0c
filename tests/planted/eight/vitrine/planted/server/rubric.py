"""The house rubric for labels, as patterns, so that it always gives the same verdict."""

import re
from typing import Dict, List

try:
    from ..models import Record
    from .collection import OBJECTS
except ImportError:
    from models import Record
    from server.collection import OBJECTS

MATERIALS = sorted({material for materials, _ in OBJECTS.values() for material in materials})
JARGON = ["circa", "provenance", "patina", "iconography", "artefact", "extant"]

# What a label has to say: pattern of a sentence that says it, and its points.
CONTENT = {
    "object": (r"\b(" + "|".join(OBJECTS) + r")\b", 2),
    "maker": (r"\b([Mm]ade|[Mm]aker|[Ww]orkshop|[Cc]raft\w*)\b.*\b[A-Z][a-z]+ [A-Z][a-z]+", 2),
    "place": (r"\b(in|at|from) [A-Z][a-z]+", 2),
    "date": (r"\b1[5-9]\d\d\b", 2),
    "material": (r"\b(" + "|".join(MATERIALS) + r")\b", 2),
    "use": (r"\b(used|served|meant|needed)\b.*\bto [a-z]+", 2),
    "history": (r"\b(until|after|when|because|so that|later)\b", 3),
}
FORM = {"length": 1, "short_sentences": 1, "plain_words": 1, "speaks_to_visitors": 1}
TOTAL = sum(points for _, points in CONTENT.values()) + sum(FORM.values())


def sentences(text: str) -> List[str]:
    return [s.strip() for s in re.split(r"(?<=[.!?])\s+", text.strip()) if s.strip()]


def says(text: str, pattern: str) -> bool:
    """Is there a sentence of this kind in the label?"""
    return any(re.search(pattern, sentence) for sentence in sentences(text))


def check(text: str, record: Record) -> Dict[str, bool]:
    """Criterion by criterion, whether the label for this record meets the rubric."""
    words = re.findall(r"[\w']+", text)
    verdict = {
        name: says(text, pattern)
        for name, (pattern, _) in CONTENT.items()
    }
    lengths = [len(re.findall(r"[\w']+", s)) for s in sentences(text)]
    verdict["length"] = 35 <= len(words) <= 80
    verdict["short_sentences"] = bool(lengths) and max(lengths) <= 22
    verdict["plain_words"] = bool(words) and not any(j in text.lower() for j in JARGON)
    verdict["speaks_to_visitors"] = bool(re.search(r"\b([Yy]ou|[Yy]our|[Ll]ook)\b", text))
    return verdict


def score(verdict: Dict[str, bool]) -> float:
    """Share of the points, 0 to 1."""
    points = sum(points for name, (_, points) in CONTENT.items() if verdict[name])
    points += sum(points for name, points in FORM.items() if verdict[name])
    return points / TOTAL
