"""What a human sees: the observation as text and as fields, and at the end what came of it.

Knows no environment: a text is printed, numbers stand beside their names, a list of objects is a table.
What the codec hides from a model is hidden from a human too, until the episode has ended. Everything
that an environment says is foreign text: its control characters never reach the terminal, and a value
that would fill the screen is cut.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from gonogo.play.form import Form
from gonogo.rollouts.action_codec import TEXT_FIELD, Codec, dense
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import describe_schema
from gonogo.rollouts.types import Schemas, View
from gonogo.wire import Action, JsonObject, Observation

SHOWN_CHARS = 2000
SHOWN_ROWS = 40
SHOWN_DEPTH = 3


class Screen:
    """One flight on a console.

    Args:
        console: Where to.
        codec: What may be shown.
        form: The action's fields.
        schemas: The environment's, for its own words about its fields.
        max_turns: Decisions after which the flight ends.
    """

    def __init__(
        self, console: Console, codec: Codec, form: Form, schemas: Schemas, max_turns: int
    ) -> None:
        self._console, self._codec, self._form = console, codec, form
        self._observation, self._max_turns = schemas.observation, max_turns

    def show(self, view: View, last: Action) -> None:
        """What there is to decide on.

        Args:
            view: What the policy got.
            last: The action before; empty where there is none.
        """
        left = self._max_turns - view.turn
        self._console.rule(f"decision {view.turn + 1}, {left} left at most")
        if last:
            self._console.print(Text.assemble("last action: ", plain(dense(last))))
        if view.problem is not None:
            self._console.print(Text("not accepted: ", "bold red").append_text(plain(view.problem)))
        self._print_observation(view.observation)

    def refuse(self, problem: str) -> None:
        """Why a line was no action."""
        self._console.print(Text("no decision: ", "yellow").append_text(plain(problem)))

    def wait(self) -> None:
        """That the human is about to leave, and how to lose the flight."""
        self._console.print("leaving when the environment has answered; once more loses the flight")

    def help(self) -> None:
        """The action's fields, how they are written, and what the observation's fields mean."""
        table = Table("field", "needed", "value", "meaning", title="action", box=box.SIMPLE_HEAD)
        for name, field in self._form.fields.items():
            needed = "required" if name in self._form.required else "optional"
            said = self._form.describe(name)
            table.add_row(*map(plain, (name, needed, said, field.get("description", ""))))
        self._console.print(table)
        fields = self._observation.get("properties", {})
        table = Table("field", "value", "meaning", title="observation", box=box.SIMPLE_HEAD)
        for name in self._codec.visible(fields):
            said = describe_schema(fields[name], self._observation)
            table.add_row(*map(plain, (name, said, fields[name].get("description", ""))))
        self._console.print(table)
        places = " ".join(f"<{name}>" for name in self._form.required)
        self._console.print(
            f'Write {places or "{}"}, or field=value words, or JSON: {{"field": value}}. A required field '
            "that is left out keeps its last value, shown in the prompt. :help, :quit.",
            markup=False,
            highlight=False,
        )

    def end(self, episode: Episode, file: Path) -> None:
        """What came of the flight, and where it is."""
        self._console.rule("the end" if episode.error is None else "not finished")
        if episode.turns and episode.turns[-1].invalid is not None:
            said = plain(episode.turns[-1].invalid)
            self._console.print(Text("not accepted: ", "bold red").append_text(said))
        self._print_observation(episode.final_observation)
        grid = Table.grid(padding=(0, 2))
        for name, value in results(episode):
            grid.add_row(Text(name, "bold"), plain(value))
        grid.add_row(Text("written to", "bold"), plain(str(file)))
        self._console.print(grid)

    def _print_observation(self, observation: Observation) -> None:
        fields = self._codec.visible(observation)
        text = fields.get(TEXT_FIELD)
        if isinstance(text, str):
            del fields[TEXT_FIELD]
            self._console.print(Panel(plain(text), expand=False))
        grid = Table.grid(padding=(0, 2))
        for name, value in fields.items():
            grid.add_row(plain(name, "bold"), bounded(value))
        if fields:
            self._console.print(grid)


def results(episode: Episode) -> list[tuple[str, str]]:
    """A flight's end in words: what was not scored or not said is so called."""
    ended = episode.error or ("out of turns or time" if episode.timeout else "by an outcome")
    scored = episode.episode_return
    rows = [
        ("ended", ended),
        ("decisions", f"{len(episode.turns)}, of which {episode.invalid_count} not accepted"),
        ("return", "not scored" if scored is None else f"{scored:.6g}"),
    ]
    rows += [(f"  {name}", f"{value:.6g}") for name, value in episode.components.items()]
    success = {True: "yes", False: "no", None: "not said"}[episode.success]
    return [*rows, ("success", success)]


def bounded(value: Any) -> RenderableType:
    """A field's value, readable as long as the whole of it is of a size that a screen holds."""
    if is_rows(value):
        size, kept = 0, list[JsonObject]()
        for row in value:
            size += len(dense(row))
            if size > SHOWN_CHARS or len(kept) == SHOWN_ROWS:
                break
            kept.append(row)
        if kept:
            return readable(kept) if len(kept) == len(value) else cut_table(kept, len(value))
    text = value if isinstance(value, str) else dense(value)
    return plain(text) if len(text) > SHOWN_CHARS else readable(value)


def readable(value: Any, depth: int = 0) -> RenderableType:
    """A value as a human reads it: objects as tables, lists of texts as lines, the rest as JSON."""
    if value is None or value in ("", [], {}):
        return Text("–", "dim")
    if isinstance(value, list) and all(isinstance(line, str) for line in value):
        return plain("\n".join(value))
    if depth < SHOWN_DEPTH and is_rows(value):
        return table_of(value, depth)
    if depth < SHOWN_DEPTH and isinstance(value, dict):
        grid = Table.grid(padding=(0, 2))
        for name, inner in value.items():
            grid.add_row(plain(str(name)), readable(inner, depth + 1))
        return grid
    return plain(value if isinstance(value, str) else dense(value))


def is_rows(value: Any) -> bool:
    """Whether a value is a list of objects."""
    return isinstance(value, list) and bool(value) and all(isinstance(r, dict) and r for r in value)


def table_of(rows: list[JsonObject], depth: int = 0) -> Table:
    """Objects as the rows of a table; a column for each name that one of them has."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    table = Table(box=None, pad_edge=False)
    for name in names:
        table.add_column(plain(name, "underline"))
    for row in rows:
        table.add_row(*(readable(row.get(name), depth + 1) for name in names))
    return table


def cut_table(rows: list[JsonObject], total: int) -> Group:
    """The first rows, and how many there are beside them."""
    return Group(table_of(rows), Text(f"{total - len(rows)} rows more", "dim"))


def plain(text: str, style: str = "") -> Text:
    """Foreign text, made harmless: no markup, no control characters, cut to a length."""
    cut = text[:SHOWN_CHARS]
    safe = "".join(c if c.isprintable() or c == "\n" else "�" for c in cut.expandtabs(4))
    return Text(safe if cut == text else f"{safe}… ({len(text)} characters)", style)
