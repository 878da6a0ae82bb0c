"""The README's quickstart: to start the environment and to fly it, by names that were seen and by no others.

The client is OpenEnv's generic one, which takes any environment's actions as plain values; the action is the one that
does least, made from the fields that the map saw.
"""

from __future__ import annotations

import os
import pprint
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

from gonogo.records.contract import ContractReport, SettableField
from gonogo.reporting.sections import Material, Section, folder_of, written
from gonogo.rollouts.space import Space
from gonogo.wire import Action, JsonSchema

__all__ = ["quickstart"]

PORT = 8000
TURNS = 10
TYPE = re.compile(r"(integer|number|string|boolean|array)\b")
FORMS = {"pattern", "minItems"}
PLAY = """\
```python
from openenv.core import GenericEnvClient

with GenericEnvClient(base_url={url}).sync() as env:
    result = env.reset()
    print(result.observation)
    for _ in range({turns}):
        if result.done:
            break
        result = env.step({action})
        print(result.reward, result.observation)
```"""


def quickstart(material: Material) -> Section:
    """How to start and fly it."""
    if material.records.map is None:
        return Section(None, tuple(material.lacks("map")))
    return written(parts(material.records.map, material.file))


def parts(found: ContractReport, file: Path) -> Iterator[str]:
    """The paragraphs."""
    folder, url = folder_of(found), found.target
    target = url if folder is None else os.path.relpath(folder, file.parent)
    served = "://" in url
    if folder is not None and (app := file_of(found, "app")):
        port = (found.manifest or {}).get("port", PORT)
        url, served = f"http://localhost:{port}", True
        yield "Start the server; the paths are those from the folder of this file."
        yield "\n".join(["```bash", *server(found, target, app, port), "```"])
    if served and (action := simple_action(found)) is not None:
        shown = pprint.pformat(action, width=72, sort_dicts=False).replace("\n", "\n" + " " * 26)
        yield (
            "Fly a few steps from Python, in another terminal. The action is the one that does least; the fields "
            "are those above."
        )
        yield PLAY.format(url=repr(url), turns=TURNS, action=shown)
    for client in clients_of(found):
        yield f"The package has a client of its own, `{client}`."
    yield "Fly an episode by hand, and see what the reward pays for nothing:"
    named = shlex.quote(target)
    yield "\n".join(["```bash", f"gonogo fly {named}", f"gonogo audit {named}", "```"])


def server(found: ContractReport, target: str, app: str, port: int) -> Iterator[str]:
    """The lines that install the package and start its server."""
    if target != ".":
        yield f"cd {shlex.quote(target)}"
    if file_of(found, "project"):
        yield "pip install ."
    yield f"uvicorn {app} --port {port}"


def clients_of(found: ContractReport) -> list[str]:
    """The package's own clients, as the map imported them."""
    said = [item for item in found.contract if item.id == "client_separation"]
    return [name for item in said for name in item.evidence.classes or ()]


def file_of(found: ContractReport, role: str) -> str | None:
    """A file of the package by its role."""
    return found.packaging.files.get(role) if found.packaging else None


def simple_action(found: ContractReport) -> Action | None:
    """The action that does least; None where the map says too little of a field that is needed."""
    fields = found.action.fields
    if any(field.required and not typed(field) for field in fields):
        return None
    schema = {
        "properties": {field.name: schema_of(field) for field in fields},
        "required": [field.name for field in fields if field.required],
    }
    return Space(schema, found.action.tools).idle()


def typed(field: SettableField) -> bool:
    """Whether a value of the field can be made up: a choice, or something of a plain type without a form of its own."""
    plain = TYPE.match(field.words) is not None and not field.bounds.keys() & FORMS
    return bool(field.choices) or plain


def schema_of(field: SettableField) -> JsonSchema:
    """A field's schema, as far as the map says it."""
    if field.choices:
        return {"enum": list(field.choices)}
    kind = TYPE.match(field.words)
    return {**field.bounds, **({"type": kind[1]} if kind else {})}
