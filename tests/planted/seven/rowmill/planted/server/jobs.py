"""Draws an import job: its specification, a broken mapping, and check cases."""

import json
import random
from typing import Any, Dict, List, NamedTuple, Tuple

try:
    from .mill import Row, run
except ImportError:
    from server.mill import Row, run

Mapping = Dict[str, Dict[str, Any]]

GOODS = ("hose clamp", "ball valve", "flat washer", "drain plug", "gate hinge", "cable tie")
PLACES = ("aarhus", "ghent", "porto", "tartu", "graz", "lyon")
PHRASES = {
    "trim": "trimmed",
    "upper": "in capitals",
    "lower": "in small letters",
    "title": "with capital initials",
    "drop": "without `{0}`",
    "comma": "decimal comma read as a point",
    "times": "times {0}",
    "whole": "as a whole number",
    "default": "{0} if empty",
    "day": "a day read in the order {0}, written as ISO",
}
CASES = 8


class Job(NamedTuple):
    spec: str
    broken: Mapping
    cases: List[Dict[str, Any]]


def _wanted(rng: random.Random) -> Tuple[Mapping, str]:
    order = rng.choice(["dmy", "mdy", "ymd"])
    mapping: Mapping = {
        "sku": {"from": rng.choice(["Article", "Item"]),
                "ops": [["trim"], ["drop", rng.choice("-/_")], [rng.choice(["upper", "lower"])]]},
        "label": {"from": rng.choice(["Text", "Label"]),
                  "ops": [["trim"], [rng.choice(["title", "upper", "lower"])]]},
        "cents": {"from": rng.choice(["Net", "Gross"]),
                  "ops": [["comma"], ["times", 100], ["whole"]]},
        "grams": {"from": "Weight", "ops": [["times", rng.choice([1000, 28.35, 453.6])], ["whole"]]},
        "pieces": {"from": "Qty", "ops": [["default", rng.choice([0, 1])], ["whole"]]},
        "booked": {"from": rng.choice(["Ordered", "Shipped"]), "ops": [["day", order]]},
        "depot": {"from": "Place", "ops": [["trim"], [rng.choice(["title", "upper"])]]},
    }
    return mapping, order


def _row(rng: random.Random, order: str) -> Row:
    def pad(text: str) -> str:
        return " " * rng.randrange(3) + text + " " * rng.randrange(1, 3)

    def code() -> str:
        return pad(rng.choice("aBcD") + "xY-" + "/_".join(str(rng.randrange(10, 99)) for _ in "ab"))

    def money() -> str:
        return f"{rng.randrange(1, 9)}.{rng.randrange(100, 999)},{rng.randrange(10, 99)}"

    def day() -> str:
        parts = {"d": rng.randrange(1, 13), "m": rng.randrange(1, 13), "y": rng.randrange(2013, 2025)}
        return "/".join(str(parts[letter]) for letter in order)

    return {
        "Article": code(), "Item": code(),
        "Text": pad(rng.choice(GOODS)), "Label": pad(rng.choice(GOODS)),
        "Net": money(), "Gross": money(),
        "Weight": f"{rng.uniform(0.2, 9.0):.2f}",
        "Qty": rng.choice(["", str(rng.randrange(2, 60))]),
        "Ordered": day(), "Shipped": day(),
        "Place": pad(rng.choice(PLACES)),
    }


def _break(rng: random.Random, wanted: Mapping) -> Mapping:
    """Leaves the mapping as the last maintainer did: most columns with a fault."""
    broken: Mapping = json.loads(json.dumps(wanted))
    swaps = {"Article": "Item", "Item": "Article", "Text": "Label", "Label": "Text",
             "Net": "Gross", "Gross": "Net", "Ordered": "Shipped", "Shipped": "Ordered"}
    for column in rng.sample(sorted(broken), 5):
        rule = broken[column]
        if rule["from"] in swaps and rng.random() < 0.4:
            rule["from"] = swaps[rule["from"]]
        else:
            rule["ops"].pop(rng.randrange(len(rule["ops"])))
    return broken


def _spec(wanted: Mapping) -> str:
    lines = ["# Import of the order sheet", ""]
    for column, rule in wanted.items():
        told = [PHRASES[name].format(*arguments) for name, *arguments in rule["ops"]]
        lines.append(f"- `{column}`: from `{rule['from']}`; " + "; ".join(told))
    return "\n".join(lines) + "\n"


def draw(rng: random.Random) -> Job:
    wanted, order = _wanted(rng)
    cases = []
    for number in range(1, CASES + 1):
        row = _row(rng, order)
        cases.append({"name": f"order {number}", "row": row, "expect": run(wanted, row)})
    return Job(_spec(wanted), _break(rng, wanted), cases)
