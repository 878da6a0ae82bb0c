"""The card of an environment: the README of its Space, as OpenEnv fills one, every line read from the run's records.

The front matter is that of OpenEnv's template, with what the manifest says in its place; where the environment's own
README has one, its fields stand. What an agent does and sees, which tasks there are and how an episode ends is said
here (``environment.md.j2``) for the README's sections too.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import yaml
from huggingface_hub import SpaceCard, SpaceCardData

from gonogo.errors import Misuse
from gonogo.folder import UnreadableFile, read_text
from gonogo.records.contract import ContractReport
from gonogo.records.tables import TextTable, task_text
from gonogo.reporting.run_contents import StationRecords
from gonogo.reporting.templates import render
from gonogo.rollouts.schema import describe_schema
from gonogo.wire import Manifest

FRONT: Manifest = {
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
MOST_TASKS = 8
ENDED = {True: "succeeded", False: "failed", None: "ended without a word of success"}


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
    text = describe(
        "environment_card.md.j2",
        found,
        "##",
        description=(found.metadata or {}).get("description"),
        theme=records.theme,
        audit=records.audit,
        evaluation=records.evaluation,
    )
    return space_page(found, text + "\n")


def describe(template: str, found: ContractReport, rank: str, **more: object) -> str:
    """The environment in a template that extends ``environment.md.j2``: what an agent does and sees, tasks, ends.

    Args:
        template: Its name.
        found: The map.
        rank: Marks of the headings.
        more: What else the template uses.
    """
    return render(
        template,
        found=found,
        rank=rank,
        interface=list(interface(found)),
        tasks=list(tasks(found)),
        flown=[f"`{task_text(task.options)}`" for task in found.tasks.flown[:MOST_TASKS]],
        seen=found.terminal,
        ended=ENDED,
        places=[f"`{place.file}:{place.line}`" for place in found.terminal.places or ()],
        **more,
    )


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


def defaults(found: ContractReport) -> Manifest:
    """Front matter of an environment that has none of its own."""
    manifest = found.manifest or {}
    types = (manifest.get("validation") or {}).get("types") or {}
    said = {"app_port": manifest["port"]} if "port" in manifest else {}
    tags = ["openenv", *types.get("tags", [])]
    return {"title": found.environment, **FRONT, **said, "tags": tags}


def front_matter(readme: Path) -> Manifest:
    """Fields of an environment's own README; none where there is no front matter."""
    try:
        if not readme.is_file() or not (text := read_text(readme)).startswith("---\n"):
            return {}
    except UnreadableFile as error:
        raise Misuse(f"its README cannot be read: {error}") from error
    try:
        fields: Manifest = SpaceCard(text).data.to_dict()
    except (ValueError, yaml.YAMLError) as error:
        raise Misuse(f"{readme}: its front matter must be a mapping in YAML: {error}") from error
    return fields


def interface(found: ContractReport) -> Iterator[TextTable]:
    """What an agent does and sees."""
    columns = ("field", "values", "meaning")
    action, observation = (
        [(f"`{entry.name}`", entry.words, entry.description or "") for entry in entries]
        for entries in (found.action.fields, found.observation)
    )
    tools = [(tool["name"], tool.get("description") or "") for tool in found.action.tools]
    yield TextTable("Action", columns, action)
    yield TextTable("Tools", ("tool", "meaning"), tools)
    yield TextTable("Observation", columns, observation)


def tasks(found: ContractReport) -> Iterator[TextTable]:
    """What a reset takes, and the splits."""
    options = [
        (
            f"`{entry.name}`",
            describe_schema(entry.json_schema, entry.json_schema),
            "needed" if entry.required else f"`{json.dumps(entry.default)}`",
        )
        for entry in found.reset.parameters or ()
    ]
    splits = found.tasks.splits or ()
    counts = [(s.name, "–" if s.num_tasks is None else str(s.num_tasks)) for s in splits]
    yield TextTable("Reset options", ("option", "values", "without it"), options)
    yield TextTable("Splits", ("split", "tasks"), counts)
