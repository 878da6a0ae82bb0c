"""The page: everything on it is computed here, from what was gathered and from nothing else.

The same records give the same page. Texts of environments and models are escaped by the template; no script but the
page's own can run, by a content security policy with its hash.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Sequence
from importlib import resources
from statistics import fmean
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from gonogo.records.base import Verdict, accepted_in, digest
from gonogo.records.findings import FINDINGS
from gonogo.records.stations import WORDS, said_of
from gonogo.records.tables import cut, decimal, percent, task_text
from gonogo.report.charts import component_charts, curves, interval, span
from gonogo.report.gather import STATIONS, RunContents
from gonogo.report.replay import MOST_CHARS, replay_of, turn_of
from gonogo.rollout.episodes import Episode
from gonogo.rollout.summary import BASELINE, CANDIDATE, choose_pair, score_of

__all__ = ["make_page"]

Json = dict[str, Any]

PACKAGE = "gonogo.report"
MOST_FINDINGS, MOST_TRANSCRIPTS, MOST_TURNS = 24, 4, 64
BOTH = "all policies"


def make_page(found: RunContents) -> tuple[str, list[Json]]:
    """The page, and which episodes it holds.

    Args:
        found: What the run's folder holds.

    Returns:
        The HTML, and for each episode that can be replayed or read on it its policy and index.
    """
    evaluation = found.records.get("evaluate")
    replay = replay_of(found.episodes, None if evaluation is None else evaluation["shown_task"])
    transcripts = transcripts_of(found)
    held = [] if replay is None else replay["tasks"]
    embedded = [
        {"policy": flight["policy"], "index": task["index"], "shown": "replay"}
        for task in held
        for flight in task["flights"]
    ] + [{**row["episode"], "shown": "transcript"} for row in transcripts]
    script = resource("page.js")
    environment = Environment(
        loader=PackageLoader(PACKAGE, ""),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"number": decimal, "signed": signed, "percent": percent, "short": short}
    text = environment.get_template("page.html.j2").render(
        style=resource("page.css"),
        script=script,
        script_hash=base64.b64encode(hashlib.sha256(script.encode()).digest()).decode(),
        title=title_of(found),
        about=about(found),
        board=board(found),
        missing=found.missing,
        headline=None if evaluation is None else headline(evaluation),
        policies=None if evaluation is None else policies_of(evaluation),
        comparisons=[] if evaluation is None else comparisons_of(evaluation),
        notes=[] if evaluation is None else [evaluation["method"], *evaluation["notes"]],
        curves=curves(found.training, evaluation) if found.training else [],
        component_charts=component_charts(found.training),
        levels=levels_of(found),
        outcomes=outcomes_of(found),
        audit=audit_of(found.records["audit"], accepted_in(found.run))
        if "audit" in found.records
        else None,
        replay=replay,
        transcripts=transcripts,
        provenance=provenance_of(found),
        embedded=len(embedded),
    )
    return text, embedded


def resource(name: str) -> str:
    """A file of this package."""
    return resources.files(PACKAGE).joinpath(name).read_text(encoding="utf-8")


def title_of(found: RunContents) -> str:
    """The environment's name, else the target."""
    named = [r["environment"] for r in found.records.values() if "environment" in r]
    return str(named[0] if named else next(iter(found.records.values())).get("target", found.run))


def about(found: RunContents) -> list[tuple[str, str]]:
    """What the page is about, in a line."""
    record = next(reversed(found.records.values()))
    evaluation = found.records.get("evaluate", {})
    facts = [
        ("target", record.get("target")),
        ("level", evaluation.get("level")),
        ("split", evaluation.get("split")),
        ("source", (record.get("source_hash") or "")[:12]),
        ("measured", str(record["created"])[:10]),
    ]
    return [(name, str(value)) for name, value in facts if value]


def board(found: RunContents) -> list[Json]:
    """A row for each station: its verdict and the evidence, or that it has no record."""
    rows = []
    for station in STATIONS:
        record = found.records.get(station)
        if record is None:
            rows.append({"name": station, "verdict": None, "said": "no record in this run"})
            continue
        verdict = WORDS[record["verdict"]]
        rows.append({"name": station, "verdict": verdict, "said": said_of(station, record)})
    return rows


def headline(record: Json) -> Json:
    """Before and after, with the row's places; of the first and the last policy where no model was flown."""
    left, right = choose_pair(list(record["policies"]))
    pair = [record["policies"][name] for name in (left, right)]
    low, high = span(
        end for entry in pair for end in ends(entry["score"]) if entry["score"]["mean"] is not None
    )
    row = next(
        (r for r in record["comparisons"] if (r["baseline"], r["candidate"]) == (left, right)), None
    )
    return {
        "names": (left, right),
        "scores": [{**entry["score"], "at": interval(entry["score"], low, high)} for entry in pair],
        "success": [{**entry["success"], "at": interval(entry["success"], 0, 1)} for entry in pair],
        "low": low,
        "high": high,
        "difference": None if row is None else row["score_difference"],
        "verdict": WORDS[record["verdict"]],
        "reason": record["reason"],
        "title": title_of_headline((left, right), record["verdict"]),
        "episodes": record["episodes"],
    }


def title_of_headline(pair: tuple[str, str], verdict: str) -> str:
    """What the pair of figures shows; a change only where the verdict says that there is one."""
    if pair != (BASELINE, CANDIDATE):
        return "The first and the last policy"
    return "What training changed" if verdict == Verdict.GO.name else "No improvement is shown"


def ends(estimate: Json) -> list[float]:
    """A mean and the ends of its interval; empty without a mean."""
    if estimate["mean"] is None:
        return []
    return [estimate["mean"], *(estimate["ci95"] or [])]


def policies_of(record: Json) -> list[Json]:
    """A row for each policy."""
    entries = record["policies"]
    low, high = span(end for entry in entries.values() for end in ends(entry["score"]))
    marked = choose_pair(list(entries))
    return [
        {
            "name": name,
            "marked": name == marked[1],
            **entry,
            "score_at": interval(entry["score"], low, high),
            "success_at": interval(entry["success"], 0, 1),
        }
        for name, entry in entries.items()
    ]


def comparisons_of(record: Json) -> list[Json]:
    """A row for each comparison."""
    rows = record["comparisons"]
    held = [end for row in rows for end in ends(row["score_difference"])]
    reach = max([abs(end) for end in held], default=1.0) or 1.0
    return [{**row, "at": interval(row["score_difference"], -reach, reach)} for row in rows]


def levels_of(found: RunContents) -> Json:
    """Successes of each policy on each level of the tasks that were flown."""
    levels: dict[str, None] = {}
    counts: dict[str, dict[str, list[bool]]] = {}
    for name, flown in found.episodes.items():
        for episode in flown:
            level = str(episode.task.get("level", "all tasks"))
            levels.setdefault(level)
            if score_of(episode) is not None and episode.success is not None:
                counts.setdefault(name, {}).setdefault(level, []).append(episode.success)
    rows = [
        (name, [(sum(won), len(won)) for won in (by.get(level, []) for level in levels)])
        for name, by in counts.items()
    ]
    return {"levels": list(levels), "rows": rows}


def outcomes_of(found: RunContents) -> list[Json]:
    """Means of each reward component over failed and over successful episodes."""
    if not found.episodes:
        return []
    candidate = choose_pair(list(found.episodes))[1]
    groups = {
        candidate: found.episodes[candidate],
        BOTH: [episode for flown in found.episodes.values() for episode in flown],
    }
    return [{"name": name, **split} for name, flown in groups.items() if (split := split_of(flown))]


def split_of(flown: Sequence[Episode]) -> Json | None:
    """Components of failed and successful episodes; None where there are no components or no outcomes."""
    sides = [
        [e for e in flown if e.success is outcome and e.components] for outcome in (False, True)
    ]
    names = dict.fromkeys(name for side in sides for e in side for name in e.components)
    if not names:
        return None
    means = [
        {
            name: mean_of([e.components[name] for e in side if name in e.components])
            for name in names
        }
        for side in sides
    ]
    low, high = span(value for side in means for value in side.values() if value is not None)
    return {
        "failed": len(sides[0]),
        "succeeded": len(sides[1]),
        "rows": [
            {
                "name": name,
                "means": [side[name] for side in means],
                "at": [interval({"mean": side[name], "ci95": None}, low, high) for side in means],
            }
            for name in names
        ],
    }


def mean_of(values: Sequence[float]) -> float | None:
    """The mean, or None of nothing."""
    return fmean(values) if values else None


def audit_of(record: Json, accepted: Sequence[Json]) -> Json:
    """The audit's answer and its findings with what was sent to see them."""
    findings = record["findings"]
    return {
        "verdict": WORDS[record["verdict"]],
        "reason": record["reason"],
        "accepted": accepted,
        "episodes": record["flown"]["episodes"],
        "steps": record["flown"]["steps"],
        "findings": [finding_of(finding) for finding in findings[:MOST_FINDINGS]],
        "left_out": max(len(findings) - MOST_FINDINGS, 0),
    }


def finding_of(finding: Json) -> Json:
    """A finding for a reader."""
    seen = finding["witness"]
    return {
        "id": finding["id"],
        "means": FINDINGS[finding["id"]],
        "said": finding["explanation"],
        "task": task_text(finding["task"] or {}),
        "component": finding["component"],
        "plan": cut(json.dumps(seen["plan"], ensure_ascii=False), MOST_CHARS)
        if "plan" in seen
        else None,
        "reset": task_text(seen.get("reset") or {}),
        "return": seen.get("return"),
        "success": seen.get("success"),
        "witness": cut(json.dumps(seen, ensure_ascii=False, indent=1), MOST_CHARS),
    }


def transcripts_of(found: RunContents) -> list[Json]:
    """Whole episodes to read: the shown task by both agents, a failure and a success of the second one."""
    if not found.episodes:
        return []
    left, right = choose_pair(list(found.episodes))
    shown = found.records["evaluate"]["shown_task"]
    flown = found.episodes[right]
    wanted = [] if shown is None else [found.episodes[left][shown], flown[shown]]
    for outcome in (False, True):
        others = [e for e in flown if e.success is outcome and e.index != shown]
        wanted += others[:1]
    return [transcript_of(episode) for episode in wanted[:MOST_TRANSCRIPTS]]


def transcript_of(episode: Episode) -> Json:
    """One episode to read."""
    return {
        "episode": {"policy": episode.policy, "index": episode.index},
        "decoding": episode.decoding,
        "task": task_text(episode.task),
        "score": score_of(episode),
        "success": episode.success,
        "turns": [turn_of(turn) for turn in episode.turns[:MOST_TURNS]],
        "left_out": max(len(episode.turns) - MOST_TURNS, 0),
    }


def provenance_of(found: RunContents) -> list[Json]:
    """Each record that the page was made from, with its digest."""
    return [
        {
            "name": STATIONS[name].path(found.run).name,
            "schema": record["schema"],
            "digest": digest(record),
            "created": record["created"],
            "gonogo": record["packages"].get("gonogo", "unknown"),
        }
        for name, record in found.records.items()
    ]


def signed(value: float | None) -> str:
    """A difference."""
    return "–" if value is None else f"{value:+.3f}".replace("-", "−")


def short(value: float) -> str:
    """A p value."""
    return f"{value:.2g}"
