"""Writes `docs/missions.md`: ``python validation/handbook.py --records FOLDER --out FILE``.

The words stand in `missions.md.j2`; every figure comes from the code, from flights that are flown while the page is
written (symptoms, stories), or from the records in the folder:

``fairness.json``
    of `validation/fairness.py`.
``policies.json``
    of `validation/table.py`.
``ppo.jsonl``
    of `validation/train_ppo.py --record`, a line a training; without the file the page has no such rows.

The page is a function of these and of the source, so a test can say whether it is what they give. Needs the extra
``handbook``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from flightrules.directives.formula import SIGNALS
from flightrules.flight.command import BURNS, COAST_MAX_S, COAST_MIN_S, NOTE_MAX
from flightrules.flight.simulation import CALIBRATION_S
from flightrules.flight.telemetry import PREDICTION_S, Telemetry
from flightrules.missions.levels import DRAW
from flightrules.missions.splits import LEVELS
from flightrules.missions.store import MissionStore, source_hash
from flightrules.validation import fairness, stories, symptoms
from flightrules.validation import table as policy_table
from flightrules.validation.blocks import FLYING
from flightrules.validation.reference import (
    DRAWN,
    drawn_missions,
    modes_table,
    orders_table,
    table,
    world_table,
)

Json = dict[str, Any]
TEMPLATE = "missions.md.j2"
FAIRNESS, POLICIES, PPO = "fairness.json", "policies.json", "ppo.jsonl"
"""Names of the records."""


def levels_table(record: Json) -> str:
    """What the missions of each level hold, counted over those of the fairness record."""
    rows = []
    for level, found in record["levels"].items():
        counts, missions = found["counts"], found["missions"]
        rows.append(
            [
                f"`{level}`",
                *(", ".join(counts[name]) for name in ("horizon_s", "decisions", "directives")),
                ", ".join(counts["given later"]),
                *(shares(counts[name], missions) for name in ("orders", "events", "anomalies")),
            ]
        )
    columns = ("level", "length, s", "decisions", "orders", "given later")
    return table((*columns, "kinds of order", "events", "anomalies"), rows)


def shares(counts: Mapping[str, int], missions: int) -> str:
    """Counted things, most frequent first: bare where each mission has one, else with their number a mission."""
    words = []
    for name, number in sorted(counts.items(), key=lambda item: (-item[1], item[0])):
        mean = number / missions
        words.append(name if mean == 1.0 else f"{name} × {mean:.3g}")
    return ", ".join(words) or "-"


def fairness_table(record: Json) -> str:
    """Acceptance, and successes of flights, a row a level."""
    rows = [
        [
            f"`{level}`",
            f"{found['missions']} of {found['candidates']}",
            f"{found['acceptance']:.3f}",
            *(f"{found['flights'][sort]['won']} of {found['flights'][sort]['flown']}" for sort in fairness.SORTS),
            ", ".join(f"{number}: {times}" for number, times in sorted(found["counts"]["active"].items())),
        ]
        for level, found in record["levels"].items()
    ]  # fmt: skip
    columns = ("level", "missions of candidates", "acceptance")
    return table((*columns, *fairness.SORTS, "missions by active orders"), rows)


def results_table(record: Json, trained: Sequence[Json]) -> str:
    """Level by policy on the split `test`; a level's trained policies stand below the reference policies."""
    rows = []
    for level in LEVELS:
        for entry in record["rows"]:
            if (entry["split"], entry["level"]) == (policy_table.TEST, level):
                rows.append(_result(entry, entry["policy"], f"{entry['tokens_per_episode']:.0f}"))
        for entry in trained:
            if (entry["split"], entry["level"]) == (policy_table.TEST, level):
                rows.append(_result(entry, f"ppo, seed {entry['seed']}", "-"))
    columns = ("level", "policy", "missions", "success", "score", "decisions", "tokens")
    return table(columns, rows)


def held_out_table(record: Json) -> str:
    """Success, level by policy, a column a split."""
    splits = (policy_table.TEST, *reversed(policy_table.HELD_OUT))
    found = {(row["level"], row["policy"], row["split"]): row for row in record["rows"]}
    rows = [
        [f"`{level}`", policy, *(estimate(found[level, policy, split]["success"]) for split in splits)]
        for level in LEVELS
        for policy in record["about"]["policies"]
    ]  # fmt: skip
    return table(("level", "policy", *(f"`{split}`" for split in splits)), rows)


def estimate(number: Json) -> str:
    """A mean with its interval; where all values are equal there is none, and that is said."""
    if number["interval"] is None:
        return f"{number['mean']:.3f} (constant)"
    low, high = number["interval"]
    return f"{number['mean']:.3f} [{low:.3f}, {high:.3f}]"


def trainings_table(trained: Iterable[Json]) -> str:
    """What each training of the baseline was given and took."""
    rows = [
        [
            str(entry["seed"]),
            f"`{entry['level']}`",
            f"{entry['train_s'] / 60.0:.1f}",
            str(entry["cores"]),
            str(entry["decisions"]),
            f"`{entry['source']}`",
        ]
        for entry in trained
    ]
    return table(("seed", "level", "minutes", "cores", "decisions", "source"), rows)


def symptoms_table(found: Iterable[symptoms.Symptom]) -> str:
    """Each anomaly with what it was measured by."""
    rows = [
        [
            f"`{item.kind}`",
            symptoms.in_words(item.anomaly),
            item.mission,
            symptoms.MEASURED[item.kind][1],
            *(f"{value:+.3f}" for value in (item.before, item.after, item.recovered)),
            item.answer,
            "yes" if item.cured else "no",
        ]
        for item in found
    ]
    columns = ("anomaly", "what happens", "flown on", "shown by", "before", "after")
    return table((*columns, "after `recover`", "answer", "cured"), rows)


def _result(entry: Json, policy: str, tokens: str) -> list[str]:
    return [
        f"`{entry['level']}`",
        policy,
        str(entry["episodes"]),
        estimate(entry["success"]),
        estimate(entry["score"]),
        f"{entry['decisions_per_episode']:.1f}",
        tokens,
    ]


def render(records: Path, store: MissionStore) -> str:
    """The page.

    Args:
        records: Folder of the records.
        store: Where the missions of symptoms and stories come from.

    Raises:
        OSError: If a record is missing.
    """
    fair = json.loads((records / FAIRNESS).read_text(encoding="utf-8"))
    flown = json.loads((records / POLICIES).read_text(encoding="utf-8"))
    trained = read_trained(records / PPO)
    missions = drawn_missions()
    won = store.task(stories.SPLIT, 0, LEVELS[-1])
    lost = stories.first_lost(LEVELS[0], "tuned_pd", store)
    jinja = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    return jinja.get_template(TEMPLATE).render(
        fair=fair["about"],
        flown=flown["about"],
        trained=trained,
        broken=[line for level in fair["levels"].values() for line in level["broken"]],
        least_acceptance=fairness.LEAST_ACCEPTANCE,
        levels={level: first_line(DRAW[level].__doc__) for level in LEVELS},
        missions_drawn=len(missions),
        drawn=DRAWN,
        signals=SIGNALS,
        shown=[field.name for field in fields(Telemetry)],
        burns=len(BURNS),
        coast_min_s=COAST_MIN_S,
        coast_max_s=COAST_MAX_S,
        note_max=NOTE_MAX,
        prediction_s=PREDICTION_S,
        calibration_s=CALIBRATION_S,
        symptoms=symptoms,
        world_table=world_table(missions),
        modes_table=modes_table(),
        orders_table=orders_table(missions),
        levels_table=levels_table(fair),
        fairness_table=fairness_table(fair),
        results_table=results_table(flown, trained),
        held_out_table=held_out_table(flown),
        trainings_table=trainings_table(trained),
        symptoms_table=symptoms_table(symptoms.symptoms(store)),
        won=won,
        lost=lost,
        story_won=stories.story(won, "oracle", store),
        story_lost=stories.story(lost, "tuned_pd", store),
    )


def first_line(docstring: str | None) -> str:
    """What a draw's docstring says of its level: the first line, without the level's number."""
    return (docstring or "").splitlines()[0].split(": ", 1)[1]


def read_trained(path: Path) -> list[Json]:
    """The lines of the baseline's record; none where there is no such file."""
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def main() -> None:
    """Write the page; say so where a record is of another source than this one."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--records", type=Path, required=True, help="folder of the records")
    parser.add_argument("--out", type=Path, required=True, help="the page, a .md")
    arguments = parser.parse_args()
    for name in (FAIRNESS, POLICIES):
        path = arguments.records / name
        if not path.exists():
            parser.error(f"--records must hold {name}, nothing at {path}")
        source = json.loads(path.read_text(encoding="utf-8"))["about"]["source"]
        if source != source_hash(FLYING):
            print(f"{path} is of source {source}, this is {source_hash(FLYING)}", file=sys.stderr)
    store = MissionStore()
    arguments.out.write_text(render(arguments.records, store), encoding="utf-8")
    store.close()


if __name__ == "__main__":
    main()
