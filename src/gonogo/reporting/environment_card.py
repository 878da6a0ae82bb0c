"""The card of an environment: the README of its Space, as OpenEnv fills one, every line read from the run's records.

The front matter is that of OpenEnv's template, with what the manifest says in its place; where the environment's own
README has one, its fields stand. What an agent does and sees, which tasks there are and how an episode ends is said
here for the README's sections too, which :mod:`gonogo.reporting` writes.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml
from huggingface_hub import SpaceCard, SpaceCardData

from gonogo.errors import Misuse
from gonogo.folder import UnreadableFile, read_text
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport, DescribedField, SettableField
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.inspection import ResetParameter
from gonogo.records.record import StationRecord
from gonogo.records.stations import WORDS
from gonogo.records.submission import ThemeReport
from gonogo.records.tables import estimate, table_text, task_text
from gonogo.reporting.run_contents import StationRecords
from gonogo.rollouts.schema import describe_schema
from gonogo.wire import JsonObject

__all__ = ["ending", "environment_card", "interface", "space_page", "span", "tasks"]

FRONT: JsonObject = {
    "emoji": "🛰️",
    "colorFrom": "blue",
    "colorTo": "indigo",
    "sdk": "docker",
    "pinned": False,
    "app_port": 8000,
    "base_path": "/web",
}
"""Of the template; OpenEnv draws emoji and colours by the name."""
README = "README.md"
MOST_TASKS, MOST_PLACES = 8, 4
SAID = {True: "succeeded", False: "failed", None: "ended without a word of success"}


def environment_card(found: ContractReport, records: StationRecords) -> str:
    """The card.

    Args:
        found: The map.
        records: Those of the run; the audit's, the theme's and the evaluation's are used where they are there.

    Returns:
        Markdown with the hub's front matter.

    Raises:
        Misuse: The front matter of the environment's README is not a mapping in YAML.
    """
    text = "\n".join([
        *opening(found, records.theme),
        *interface(found),
        *rewarded(found),
        *tasks(found),
        *ending(found),
        *verified(found, records.audit),
        *results(records.evaluation),
    ])  # fmt: skip
    return space_page(found, text)


def space_page(found: ContractReport, text: str) -> str:
    """A page with the front matter of the environment's Space.

    Args:
        found: The map.
        text: Markdown.

    Raises:
        Misuse: As of :func:`environment_card`.
    """
    data = SpaceCardData(**{**defaults(found), **front_matter(Path(found.target) / README)})
    return str(SpaceCard(f"---\n{data.to_yaml()}\n---\n\n{text}"))


def defaults(found: ContractReport) -> JsonObject:
    """Front matter of an environment that has none of its own."""
    manifest = found.manifest or {}
    types = (manifest.get("validation") or {}).get("types") or {}
    said = {"app_port": manifest["port"]} if "port" in manifest else {}
    tags = ["openenv", *types.get("tags", [])]
    return {"title": found.environment, **FRONT, **said, "tags": tags}


def front_matter(readme: Path) -> JsonObject:
    """Fields of an environment's own README; none where there is no front matter."""
    try:
        if not readme.is_file() or not (text := read_text(readme)).startswith("---\n"):
            return {}
    except UnreadableFile as error:
        raise Misuse(f"its README cannot be read: {error}") from error
    try:
        fields: JsonObject = SpaceCard(text).data.to_dict()
    except (ValueError, yaml.YAMLError) as error:
        raise Misuse(f"{readme}: its front matter must be a mapping in YAML: {error}") from error
    return fields


def opening(found: ContractReport, theme: ThemeReport | None) -> Iterator[str]:
    """What it is, and the problem that it stands for."""
    yield f"# {found.environment}\n"
    if said := (found.metadata or {}).get("description"):
        yield f"{said}\n"
    if theme is not None and theme.confirmed:
        yield f"## The problem\n\n{theme.statement.gap}\n"
        yield f"Success: {theme.statement.verified}\n"


def interface(found: ContractReport, rank: str = "##") -> Iterator[str]:
    """What an agent does and sees.

    Args:
        found: The map.
        rank: Marks of the headings.
    """
    columns = ("field", "values", "meaning")
    yield from table(f"{rank} Action", columns, (entry_row(e) for e in found.action.fields))
    tools = ((tool["name"], tool.get("description") or "") for tool in found.action.tools)
    yield from table(f"{rank} Tools", ("tool", "meaning"), tools)
    yield from table(f"{rank} Observation", columns, (entry_row(e) for e in found.observation))


def entry_row(entry: SettableField | DescribedField) -> Sequence[str]:
    """A field of an action or an observation."""
    return f"`{entry.name}`", entry.words, entry.description or ""


def rewarded(found: ContractReport) -> Iterator[str]:
    """What it pays, declared and seen, and by which components."""
    reward = found.reward
    yield "## Reward\n"
    said = "not declared" if reward.declared is None else span(reward.declared)
    yield f"Range of an episode's reward: {said}.\n"
    if reward.breakdown:
        yield f"Components: {', '.join(part.name for part in reward.breakdown)}.\n"


def tasks(found: ContractReport, rank: str = "##") -> Iterator[str]:
    """What a reset takes, the splits, and the tasks that the map flew; arguments as of :func:`interface`."""
    options = (option_row(entry) for entry in found.reset.parameters or ())
    yield from table(f"{rank} Reset options", ("option", "values", "without it"), options)
    splits = found.tasks.splits or ()
    counts = ((s.name, "–" if s.num_tasks is None else str(s.num_tasks)) for s in splits)
    yield from table(f"{rank} Splits", ("split", "tasks"), counts)
    flown = [f"`{task_text(task.options)}`" for task in found.tasks.flown[:MOST_TASKS]]
    yield f"Reset options that were flown: {', '.join(flown) or 'none'}.\n"


def option_row(entry: ResetParameter) -> Sequence[str]:
    """An option of the reset."""
    default = "needed" if entry.required else f"`{json.dumps(entry.default)}`"
    return f"`{entry.name}`", describe_schema(entry.json_schema, entry.json_schema), default


def ending(found: ContractReport, rank: str = "##") -> Iterator[str]:
    """How an episode ends: what the map's flights showed, and where the code decides it; as of :func:`interface`."""
    seen = found.terminal
    kinds = [
        f"{end.episodes} {SAID[end.success]}{' by timeout' if end.timeout else ''}"
        for end in seen.ends
    ]
    said = f"Of {seen.flown} episodes that the map flew, {seen.ended} ended"
    if seen.steps is not None:
        said += " after {} to {} steps".format(*seen.steps)
    yield f"{rank} How an episode ends\n"
    yield f"{said}{': ' if kinds else ''}{', '.join(kinds)}.\n"
    places = [f"`{place.file}:{place.line}`" for place in seen.places or ()]
    if places:
        more = f" and {len(places) - MOST_PLACES} more" if len(places) > MOST_PLACES else ""
        yield f"The code decides it at {', '.join(places[:MOST_PLACES])}{more}.\n"


def verified(found: ContractReport, audit: AuditReport | None) -> Iterator[str]:
    """What gonogo found of its contract and its reward."""
    yield "## Checked\n"
    yield f"- Contract: {verdict(found)}."
    yield "- Reward: not audited." if audit is None else f"- Reward: {verdict(audit)}."
    if audit is not None:
        yield from (f"  - {finding.id}: {finding.explanation}" for finding in audit.findings)
    yield f"- Source: `{found.source_hash}`.\n"


def verdict(record: StationRecord) -> str:
    """A verdict with its reason."""
    return f"{WORDS[record.verdict.name]}, {record.reason}"


def results(evaluation: EvaluationReport | None) -> Iterator[str]:
    """What was measured in it."""
    if evaluation is None:
        return
    rows = (
        (name, estimate(entry.score), estimate(entry.success))
        for name, entry in evaluation.policies.items()
    )
    yield from table("## Results", ("policy", "score", "success"), rows)
    yield f"{evaluation.episodes} tasks; {evaluation.method}. {verdict(evaluation)}.\n"


def table(title: str, columns: Sequence[str], rows: Iterator[Sequence[str]]) -> Iterator[str]:
    """A heading and its table; nothing without rows."""
    if held := list(rows):
        yield f"{title}\n\n{table_text(columns, held)}\n"


def span(ends: Sequence[float]) -> str:
    """A range."""
    return f"{ends[0]:g} to {ends[1]:g}"
