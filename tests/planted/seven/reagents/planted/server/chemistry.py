"""Qualitative analysis: what each salt shows with each reagent."""

from typing import Dict, List, Tuple

CATIONS = ["sodium", "potassium", "ammonium"]
ANIONS = ["chloride", "iodide", "sulfate", "carbonate"]
SALTS: List[str] = [f"{cation} {anion}" for cation in CATIONS for anion in ANIONS]

NOTHING = "no change"

# reagent -> (which half of the salt it speaks to, ion -> result)
REAGENTS: Dict[str, Tuple[int, Dict[str, str]]] = {
    "flame": (0, {"sodium": "yellow flame", "potassium": "lilac flame"}),
    "warm sodium hydroxide": (0, {"ammonium": "pungent gas"}),
    "silver nitrate": (
        1,
        {
            "chloride": "white precipitate",
            "iodide": "yellow precipitate",
            "carbonate": "yellow precipitate",
        },
    ),
    "barium chloride": (
        1,
        {"sulfate": "white precipitate", "carbonate": "white precipitate"},
    ),
    "dilute acid": (1, {"carbonate": "fizzing"}),
}


def react(salt: str, reagent: str) -> str:
    half, results = REAGENTS[reagent]
    return results.get(salt.split()[half], NOTHING)
