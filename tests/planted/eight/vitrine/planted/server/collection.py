"""The collection: what a catalogue entry is drawn from."""

import random
from typing import List

try:
    from ..models import Record
except ImportError:
    from models import Record

OBJECTS = {
    "butter mould": (["pear wood", "sycamore", "tin"], [
        "to press the farm's mark into the butter",
        "to shape butter for the Saturday market"]),
    "hand bell": (["brass", "bronze", "silver"], [
        "to call the children in from the yard",
        "to warn of the plague cart"]),
    "tobacco box": (["horn", "brass", "silver"], [
        "to keep tobacco dry on herring boats",
        "to carry snuff to church unseen"]),
    "writing case": (["walnut", "leather", "tin"], [
        "to hold the letters of a ship's captain",
        "to draw up wills at the bedside"]),
    "money chest": (["iron", "oak", "walnut"], [
        "to lock away the guild's dues",
        "to gather pennies for widows"]),
    "candle snuffer": (["iron", "brass", "silver"], [
        "to trim the wicks in the theatre",
        "to put out the altar lights"]),
    "walking stick": (["ash", "ebony", "horn"], [
        "to measure cloth on the doorstep",
        "to lead the procession of the bakers"]),
}
MAKERS = ["Anna Reuss", "Jakob Thiel", "Maria Oosting", "Peter Kallweit", "Lena Brandes",
          "Cornelis Vroom", "Elias Nygaard", "Sophie Lamarck"]
PLACES = ["Emden", "Tartu", "Visby", "Lier", "Husum", "Delft", "Arles", "Krems"]
HISTORIES = [
    "a flood buried it until dredgers found it",
    "a bailiff seized it after the harvest failed",
    "a soldier hid it under the floor when the town fell",
    "a daughter gave it to the museum because nobody could mend it",
    "a schoolteacher bought it so that it would not be melted down",
    "a thief returned it after forty years",
]


def draw(rng: random.Random, count: int) -> List[Record]:
    records = []
    for kind in rng.sample(sorted(OBJECTS), count):
        materials, uses = OBJECTS[kind]
        records.append(
            Record(
                inventory=f"{rng.randrange(1890, 1990)}.{rng.randrange(1, 400)}",
                object=kind,
                maker=rng.choice(MAKERS),
                place=rng.choice(PLACES),
                year=rng.randrange(1590, 1880),
                material=rng.choice(materials),
                use=rng.choice(uses),
                history=rng.choice(HISTORIES),
            )
        )
    return records
