"""What the diagnoses do to the blood. Ranges are (low, high) of a plausible result."""

import random
from typing import Dict, List, Tuple

TESTS: Dict[str, Tuple[float, str]] = {  # cost, unit
    "mcv": (0.02, "fl"),
    "reticulocytes": (0.02, "%"),
    "crp": (0.02, "mg/l"),
    "creatinine": (0.02, "mg/dl"),
    "platelets": (0.02, "G/l"),
    "ferritin": (0.03, "ug/l"),
    "b12": (0.04, "pg/ml"),
    "folate": (0.04, "ng/ml"),
    "haptoglobin": (0.04, "mg/dl"),
    "coombs": (0.05, ""),
    "hba2": (0.06, "%"),
    "marrow": (0.25, ""),
}

NORMAL = {
    "mcv": (82, 96),
    "reticulocytes": (0.6, 1.9),
    "crp": (0, 5),
    "creatinine": (0.6, 1.1),
    "platelets": (160, 380),
    "ferritin": (60, 220),
    "b12": (260, 700),
    "folate": (5, 16),
    "haptoglobin": (50, 190),
    "hba2": (2.0, 3.1),
}

PROFILES = {
    "iron deficiency": {"mcv": (64, 78), "ferritin": (2, 14), "platelets": (280, 520)},
    "thalassaemia trait": {"mcv": (60, 74), "hba2": (3.8, 6.0)},
    "inflammation": {"mcv": (79, 90), "ferritin": (230, 900), "crp": (25, 140)},
    "renal anaemia": {"creatinine": (2.4, 7.0), "ferritin": (90, 400)},
    "b12 deficiency": {"mcv": (102, 125), "b12": (60, 170), "platelets": (100, 220)},
    "folate deficiency": {"mcv": (102, 120), "folate": (0.8, 2.8)},
    "autoimmune haemolysis": {
        "mcv": (94, 104), "reticulocytes": (5, 16), "haptoglobin": (1, 15),
    },
    "spherocytosis": {
        "mcv": (80, 90), "reticulocytes": (5, 14), "haptoglobin": (2, 25),
    },
    "aplastic anaemia": {"reticulocytes": (0.0, 0.3), "platelets": (8, 60)},
}

COMPLAINTS: Dict[str, List[str]] = {
    "iron deficiency": ["tired, brittle nails", "heavy periods", "craves ice"],
    "thalassaemia trait": ["found at a check-up", "tired for years", "pale since childhood"],
    "inflammation": ["sore joints", "weight loss and night sweats", "tired"],
    "renal anaemia": ["swollen ankles", "tired, itching", "high blood pressure"],
    "b12 deficiency": ["numb feet", "sore tongue", "unsteady gait"],
    "folate deficiency": ["sore tongue", "tired, drinks", "poor diet"],
    "autoimmune haemolysis": ["yellow eyes", "dark urine", "short of breath within days"],
    "spherocytosis": ["yellow eyes", "gallstones", "pale since childhood"],
    "aplastic anaemia": ["bruises", "nosebleeds and fever", "tired"],
}

MARROW = {
    "aplastic anaemia": "empty, mostly fat",
    "b12 deficiency": "megaloblastic",
    "folate deficiency": "megaloblastic",
    "iron deficiency": "no stainable iron",
}


def draw(rng: random.Random, diagnosis: str) -> Dict[str, str]:
    """All results that the laboratory would report for a patient."""
    results = {}
    for test, (_, unit) in TESTS.items():
        if test == "coombs":
            results[test] = "positive" if diagnosis == "autoimmune haemolysis" else "negative"
        elif test == "marrow":
            results[test] = MARROW.get(diagnosis, "active, no further finding")
        else:
            low, high = PROFILES[diagnosis].get(test, NORMAL[test])
            value = rng.uniform(low, high)
            results[test] = f"{value:.1f} {unit}"
    return results
