"""The site's reference, made from the code while the site is built: commands, config, findings, stations, skill.

Nothing of it is committed, so that it cannot be another than the code's. The commands are read from the typer app
itself and not by mkdocs-click or mkdocs-typer2: both ask its parameters for click's types, and typer brings a click
of its own since.
"""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import typer
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import gonogo
from gonogo.agents import skill_text
from gonogo.cli.commands import app
from gonogo.config import RunConfig
from gonogo.records.findings import FINDINGS
from gonogo.records.stations import STATIONS
from gonogo.records.tables import table_text

Json = dict[str, Any]

BOUNDS = {
    "minimum": "≥ {}",
    "exclusiveMinimum": "> {}",
    "maximum": "≤ {}",
    "exclusiveMaximum": "< {}",
    "minLength": "not empty",
    "minItems": "at least {}",
    "pattern": "`{}`",
}
"""Rules of a JSON schema as the table of a config says them."""
TYPES = {"number": "number", "integer": "whole number", "boolean": "true or false", "null": "null"}
"""Types of a JSON schema, as YAML's readers call them."""


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put the pages of the reference among those of docs/."""
    pages = {
        "commands": commands(),
        "config": config_fields(),
        "findings": findings(),
        "stations": stations(),
        "skill": skill(),
        "api": api(),
    }
    for name, lines in pages.items():
        files.append(
            File.generated(config, f"reference/{name}.md", content="\n".join([*lines, ""]))
        )
    return files


def cell(words: str) -> str:
    """Words that are no markup that they do not mean to be."""
    return words.replace("<", "&lt;")


def code(words: str) -> str:
    """A cell's code; a bar in it would end the cell."""
    return f"`{words}`" if "|" not in words else f"<code>{cell(words)}</code>"


def table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A table's lines, with an empty one before and after."""
    yield from ("", table_text(heads, rows), "")


def api() -> Iterator[str]:
    """Every public name of the package, with its signature and what its docstring says."""
    yield "# Python API"
    yield ""
    yield "`import gonogo as gg`. [The guide](../api.md) shows them at work."
    for name in gonogo.__all__:
        value = getattr(gonogo, name)
        if not callable(value):
            continue
        yield from ("", f"## {name}", "")
        if inspect.isfunction(value):
            yield from ("```python", f"gg.{name}{signature(value)}", "```", "")
        yield from ("```text", inspect.getdoc(value) or "", "```")


def signature(function: Callable[..., object]) -> str:
    """A function's signature, a parameter a line."""
    found = inspect.signature(function)
    lines = [f"    {each}," for each in found.parameters.values()]
    return "\n".join(["(", *lines, f") -> {found.return_annotation}"])


def commands() -> Iterator[str]:
    """Every command with its arguments and options, in the order of `gonogo --help`."""
    group: Any = typer.main.get_command(app)
    whole = group.context_class(group, info_name="gonogo")
    yield "# Commands"
    yield ""
    yield f"{group.help} What a command is for and how it goes about it stands in the guide; `gonogo COMMAND --help`"
    yield "says what stands here."
    found = {name: group.commands[name] for name in group.list_commands(whole)}
    yield from table(
        ["command", "what it does"],
        [[f"[`gonogo {name}`](#gonogo-{name})", cell(each.help)] for name, each in found.items()],
    )
    for name, command in found.items():
        yield from of_command(command, whole, name)


def of_command(command: Any, whole: Any, name: str) -> Iterator[str]:
    """One command's section."""
    context = command.context_class(command, info_name=name, parent=whole)
    yield f"## gonogo {name}"
    yield ""
    yield cell(command.help)
    yield ""
    yield "```text"
    yield f"gonogo {name} {' '.join(command.collect_usage_pieces(context))}"
    yield "```"
    for kind in ("argument", "option"):
        said = [
            each.get_help_record(context)
            for each in command.get_params(context)
            if each.param_type_name == kind
        ]
        rows = [[code(words), cell(meant)] for words, meant in filter(None, said)]
        if len(rows) > (kind == "option"):  # every command has --help
            yield from table([kind, "what it says"], rows)


def config_fields() -> Iterator[str]:
    """Every field of a config file, by the model that it belongs to."""
    schema = RunConfig.model_json_schema()
    yield "# Config"
    yield ""
    yield "A config file is YAML with the fields of [the run](#runconfig); [configs](../../configs) has whole ones."
    yield "Nothing is coerced, and a field that does not exist is refused. A field without a default must be given."
    yield "Options of the command line replace a file's fields."
    for name, model in [("RunConfig", schema), *schema["$defs"].items()]:
        if "properties" not in model:  # a value of JSON, which is no section
            continue
        yield ""
        yield f"## {name}"
        yield ""
        yield cell(model["description"])
        needed = model.get("required", [])
        yield from table(
            ["field", "type", "default", "what it says"],
            [
                [
                    f"`{field}`",
                    type_of(what),
                    "" if field in needed else default_of(what),
                    cell(what.get("description", "")),
                ]
                for field, what in model["properties"].items()
            ],
        )


def default_of(field: Mapping[str, Any]) -> str:
    """A field's default; a model's own defaults stand in its section."""
    default = field.get("default", {} if "additionalProperties" in field else ...)
    if default is ... or (isinstance(default, dict) and default):
        return "its own"
    return code(json.dumps(default, ensure_ascii=False))


def type_of(field: Mapping[str, Any]) -> str:
    """A field's type and bounds, in a few words."""
    if "$ref" in field:
        name = str(field["$ref"]).rpartition("/")[2]
        return f"[{name}](#{name.lower()})"
    if "anyOf" in field:
        return " or ".join(type_of(each) for each in field["anyOf"])
    if "enum" in field or "const" in field:
        return ", ".join(f"`{each}`" for each in field.get("enum", [field.get("const")]))
    if field.get("type") == "array":
        return array_of(field)
    if field.get("type") == "object":
        inner = field.get("additionalProperties")
        return "mapping" + (f" to {type_of(inner)}" if isinstance(inner, dict) and inner else "")
    name = TYPES.get(str(field.get("type")), "path" if field.get("format") == "path" else "text")
    return ", ".join([name, *bounds(field)])


def array_of(field: Mapping[str, Any]) -> str:
    """A list's type."""
    if inner := field.get("prefixItems"):
        return f"list of ({', '.join(type_of(each) for each in inner)})"
    return ", ".join([f"list of {type_of(field['items'])}", *bounds(field)])


def bounds(field: Mapping[str, Any]) -> list[str]:
    """The rules that a value keeps."""
    return [cell(said.format(field[rule])) for rule, said in BOUNDS.items() if rule in field]


def findings() -> Iterator[str]:
    """Every id of a finding with its sentence."""
    yield "# Findings"
    yield ""
    yield "What `gonogo map` and `gonogo audit` may find wrong with an environment. A finding is proven: its"
    yield "witness says what was done and seen, so that it can be done again. An id never changes its meaning."
    yield from table(
        ["finding", "what it means"], [[f"`{i}`", cell(s)] for i, s in FINDINGS.items()]
    )


def stations() -> Iterator[str]:
    """The stations in the order of the poll."""
    yield "# Stations"
    yield ""
    yield "In the order of `gonogo poll`. A station reads the records of those that it needs from the run's folder, and"
    yield "refuses one that is missing or that was made of another version of the environment."
    yield from table(
        ["station", "what it answers", "record", "what has to be there before"],
        [
            [
                f"[`gonogo {each.name}`](commands.md#gonogo-{each.name})",
                cell(each.asks),
                f"`{each.record.kind}.json`",
                cell(", ".join(each.before)) or "nothing",
            ]
            for each in STATIONS.values()
        ],
    )


def skill() -> Iterator[str]:
    """What `gonogo skill` writes, without the lines for the agent's own index."""
    yield "# The skill"
    yield ""
    yield "What `gonogo skill` writes for coding agents."
    yield ""
    yield skill_text().split("---\n", 2)[2].strip()
