"""The commentary of a nature film, spoken a little differently each time."""

import random
from typing import List, Tuple

FILLERS = ["well,", "now,", "actually,", "basically,"]

OPENINGS = [
    "in the early morning the {animal} leaves the reeds",
    "after the first rain the {animal} returns to the valley",
    "nobody knows for certain how the {animal} finds this place",
    "for eleven months of the year the {animal} lives alone",
    "what looks like a game is how the young {animal} learns to hunt",
    "on the far side of the lake the {animal} has been waiting since dawn",
]
MIDDLES = [
    "and follows the shallow water to the {place}",
    "because the {place} is the only shelter for miles around",
    "although the wind from the {place} carries every scent away",
    "while the older ones keep watch at the {place}",
    "until the frost has reached the {place}",
    "and for a few days the {place} belongs to them alone",
]
ENDINGS = [
    "there it finds what the summer has left over.",
    "only one in five will see another spring.",
    "this is the moment our camera had been hidden for.",
    "by evening there is hardly a trace of it left.",
    "a single mistake would cost it the whole winter.",
    "it will not come back before the ice has gone.",
]
ANIMALS = ["otter", "crane", "marten", "bittern", "lynx", "beaver"]
PLACES = ["old mill weir", "southern shore", "fallen oak", "gravel bank", "alder wood"]


def speak(rng: random.Random, start: float) -> Tuple[List[Tuple[str, float]], float]:
    """The words of one passage, each with its second, and the second of the end."""
    text = ", ".join(
        [
            rng.choice(OPENINGS).format(animal=rng.choice(ANIMALS)),
            rng.choice(MIDDLES).format(place=rng.choice(PLACES)),
        ]
    )
    words = (text + "; " + rng.choice(ENDINGS)).split()
    for _ in range(rng.choice([1, 2])):
        words.insert(rng.randrange(1, len(words) - 1), rng.choice(FILLERS))
    pace = rng.uniform(11.0, 13.5)  # characters a second
    spoken, now = [], start
    for word in words:
        spoken.append((word, round(now, 2)))
        now += (len(word) + 1) / pace
    return spoken, round(now, 2)
