"""The active problems a chart can show, and the words in which a note may name them."""

import random
from typing import Callable, Dict, List, NamedTuple, Tuple


class Problem(NamedTuple):
    sign: str  # the measurement that shows it
    value: Callable[[random.Random], float]
    terms: Tuple[str, ...]


def between(low: float, high: float, digits: int = 0) -> Callable[[random.Random], float]:
    def draw(rng: random.Random) -> float:
        value = rng.uniform(low, high)
        return round(value, digits) if digits else int(round(value))

    return draw


NORMAL: Dict[str, Callable[[random.Random], float]] = {
    "temp": between(36.3, 37.4, 1),
    "pulse": between(62, 94),
    "systolic": between(108, 152),
    "spo2": between(95, 99),
    "resp": between(13, 19),
    "potassium": between(3.7, 4.9, 1),
    "sodium": between(135, 144),
    "glucose": between(5.0, 9.5, 1),
    "hb": between(105, 148),
    "urine": between(0.8, 1.6, 1),
    "pain": between(0, 4),
    "creatinine_ratio": between(0.9, 1.2, 2),
}

PROBLEMS: List[Problem] = [
    Problem("temp", between(38.2, 39.8, 1), ("fever", "febrile", "pyrexia")),
    Problem("temp", between(33.5, 34.8, 1), ("hypothermia", "hypothermic")),
    Problem("pulse", between(108, 142), ("tachycardia", "tachycardic")),
    Problem("pulse", between(36, 47), ("bradycardia", "bradycardic")),
    Problem("systolic", between(72, 87), ("hypotension", "hypotensive")),
    Problem("systolic", between(184, 215), ("hypertension", "hypertensive")),
    Problem("spo2", between(82, 90), ("hypoxia", "hypoxic", "hypoxaemia", "hypoxemia")),
    Problem("resp", between(26, 36), ("tachypnoea", "tachypnea", "tachypnoeic", "tachypneic")),
    Problem("potassium", between(2.6, 3.3, 1), ("hypokalaemia", "hypokalemia")),
    Problem("potassium", between(5.7, 6.8, 1), ("hyperkalaemia", "hyperkalemia")),
    Problem("sodium", between(118, 131), ("hyponatraemia", "hyponatremia")),
    Problem("sodium", between(148, 160), ("hypernatraemia", "hypernatremia")),
    Problem("glucose", between(2.1, 3.7, 1), ("hypoglycaemia", "hypoglycemia")),
    Problem("glucose", between(15.0, 27.0, 1), ("hyperglycaemia", "hyperglycemia")),
    Problem("hb", between(58, 77), ("anaemia", "anemia", "anaemic", "anemic")),
    Problem("urine", between(0.1, 0.4, 1), ("oliguria", "oliguric")),
    Problem("pain", between(7, 10), ("severe pain",)),
    Problem("creatinine_ratio", between(1.7, 3.2, 2), ("acute kidney injury", "aki")),
]
