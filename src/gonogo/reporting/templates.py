"""The templates that a run's records are written with, beside this file: Markdown as it is, HTML with texts escaped."""

from __future__ import annotations

import shlex
from functools import cache

from jinja2 import Environment, PackageLoader, StrictUndefined

from gonogo.records.stations import WORDS
from gonogo.records.tables import decimal, estimate, percent, row_text, table_text, task_text


@cache
def environment() -> Environment:
    """Of all templates, with the filters by which they write the figures and tables of records."""
    made = Environment(
        loader=PackageLoader("gonogo.reporting", ""),
        autoescape=lambda name: name is not None and name.endswith(".html.j2"),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    made.filters |= {
        "estimate": estimate,
        "number": decimal,
        "percent": percent,
        "quote": shlex.quote,
        "row": row_text,
        "sentence": lambda text: text[:1].upper() + text[1:],
        "short": "{:.2g}".format,
        "signed": signed,
        "span": lambda ends: "{:g} to {:g}".format(*ends),
        "table": table_text,
        "task": task_text,
        "word": lambda verdict: WORDS[verdict.name],
    }
    return made


def render(name: str, **values: object) -> str:
    """A template with its values, without empty lines at its end.

    Args:
        name: Of the template's file.
        values: What it uses, by name; one that is missing is an error of ours.
    """
    return environment().get_template(name).render(values).rstrip("\n")


def signed(value: float | None) -> str:
    """A difference."""
    return "–" if value is None else f"{value:+.3f}".replace("-", "−")
