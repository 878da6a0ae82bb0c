"""The author's words about an environment: what no flight can measure, each answer with its reason.

One YAML file holds them. ``gonogo theme`` writes it once, as a template, and never again: who fills it in, and says
``confirmed: true``, is the author.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any, Literal, Self
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field, ValidationError, model_validator

from gonogo.config.run_config import describe, read_mapping
from gonogo.config.stations import Frozen
from gonogo.errors import ConfigError
from gonogo.records.submission import Statement

THEMES: dict[str, str] = {
    "1": "Multi-agent interactions",
    "2": "(Super) long-horizon planning and instruction following",
    "3.1": "World modelling: professional tasks",
    "3.2": "World modelling: personalised tasks",
    "4": "Self-improvement",
    "5": "Wild card",
}
"""The hackathon's themes."""


def as_text(value: Any) -> Any:
    """A theme's number as YAML reads it, 2 or 3.1, as the text that it is meant as."""
    plain = isinstance(value, int | float) and not isinstance(value, bool)
    return str(value) if plain else value


ThemeId = Annotated[Literal["1", "2", "3.1", "3.2", "4", "5"], BeforeValidator(as_text)]


class Answer(Frozen):
    """Yes or no, and why."""

    answer: bool | None
    """Null while nobody has answered."""
    reason: str = Field(max_length=400)
    """Why, in one or two sentences."""

    @model_validator(mode="after")
    def _has_its_reason(self) -> Self:
        if self.answer is not None and not self.reason.strip():
            raise ValueError(
                f"reason must say why the answer is {json.dumps(self.answer)}, not {self.reason!r}"
            )
        return self


class Claim(Frozen):
    """What the author says of one theme."""

    maps: Answer
    """Does the core mechanic map to the theme's expected outcome?"""
    trains: Answer
    """Does the reward naturally train the capability?"""


def as_link(value: str) -> str:
    """A text that is empty or an address on the web; a text without a scheme is a file's path."""
    if value and (value != value.strip() or any(c in value for c in " <>()[]\n")):
        raise ValueError(f"must be an address without spaces and brackets, not {value!r}")
    scheme, colon, _ = value.partition("://")
    if colon and (scheme not in {"http", "https"} or not urlsplit(value).hostname):
        raise ValueError(f"must be an address that begins with http:// or https://, not {value!r}")
    return value


def as_address(value: str) -> str:
    """A text that is empty or an address on the web."""
    if value and "://" not in value:
        raise ValueError(f"must be an address that begins with http:// or https://, not {value!r}")
    return value


LinkField = Annotated[str, Field(max_length=400), AfterValidator(as_link)]
Address = Annotated[LinkField, AfterValidator(as_address)]


class Links(Frozen):
    """Where a reader of the README goes on; empty where there is nothing yet."""

    space: Address = ""
    """The environment's Space."""
    notebook: LinkField = ""
    """The notebook that trains: an address, or a file's path from where the command is given."""
    writeup: LinkField = ""
    """The writeup: an address, or a path as of the notebook."""
    video: Address = ""
    """The video."""
    tracker: Address = ""
    """The training's figures at a tracker."""


class Words(Frozen):
    """One file of the author's words."""

    theme: ThemeId | None
    """The theme that is chosen; null for the one that scores highest."""
    themes: dict[ThemeId, Claim]
    """What is said of each theme; those left out are not answered."""
    underexplored: Answer
    """Is the domain underexplored? Asked only where the environment says too little of itself to be compared."""
    paper: Answer
    """Could a paper be written about it?"""
    pitch: Answer
    """Does it pass a three-minute pitch to people who are no engineers?"""
    statement: Statement
    """The problem statement."""
    links: Links = Links()
    """The README's links."""
    drafted_by: str | None
    """The model that drafted these words; null where a human wrote them."""
    confirmed: bool
    """Whether the author stands by the statement. No program sets it."""

    def claim(self, theme: str) -> Claim | None:
        """What is said of a theme; None where nothing is."""
        return next((claim for name, claim in self.themes.items() if name == theme), None)

    def missing(self) -> list[str]:
        """What the problem statement lacks, as fields; empty where it is finished and confirmed."""
        parts: dict[str, str] = self.statement.model_dump()
        empty = [f"statement.{name} is empty" for name, text in parts.items() if not text.strip()]
        return [*empty, *([] if self.confirmed else ["confirmed is not true"])]


def blank() -> Words:
    """Words that say nothing yet."""
    none = Answer(answer=None, reason="")
    return Words(
        theme=None,
        themes={name: Claim(maps=none, trains=none) for name in THEMES},  # type: ignore[misc]
        underexplored=none,
        paper=none,
        pitch=none,
        statement=Statement(gap="", observes="", decides="", does="", verified="", remember=""),
        drafted_by=None,
        confirmed=False,
    )


def read_words(file: Path) -> Words:
    """The author's words.

    Raises:
        ConfigError: The file cannot be read or breaks a rule; the message has a line for each broken field.
    """
    return check_words(read_mapping(file), str(file))


def check_words(data: Any, source: str) -> Words:
    """Words from plain data.

    Args:
        data: What a file or a model says.
        source: Where it comes from, for the message.

    Raises:
        ConfigError: It breaks a rule.
    """
    try:
        # Through JSON, which has texts for keys: a theme's number is one in YAML.
        return Words.model_validate_json(json.dumps(data, allow_nan=False))
    except ValidationError as error:
        raise ConfigError(describe(error, source, Words)) from error
    except (TypeError, ValueError) as error:
        raise ConfigError(f"{source}: holds a value that JSON has not: {error}") from error
