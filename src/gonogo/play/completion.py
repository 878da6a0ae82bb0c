"""What can follow at the cursor: field names and their choices, in words and in JSON.

A function of the form and of the text before the cursor, and of nothing else, so that it is the same on
every terminal and can be tested without one.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from gonogo.play.form import Form, word_of
from gonogo.rollouts.codec import dense

__all__ = ["COMMANDS", "Completion", "complete"]

COMMANDS = {":help": "the fields of an action", ":quit": "leave the flight, unfinished"}

JSON_VALUE = re.compile(r'"(?P<name>[^"]*)"\s*:\s*(?P<typed>"?[^",{}\[\]]*)$')
JSON_NAME = re.compile(r'[{,]\s*(?P<typed>"?[^":,{}\[\]]*)$')


class Completion(NamedTuple):
    """One way to go on.

    Attributes:
        text: What is to stand there.
        replaces: How many characters before the cursor it replaces.
        note: What it is.
    """

    text: str
    replaces: int
    note: str


def complete(form: Form, before: str) -> Iterator[Completion]:
    """What can follow.

    Args:
        form: The action's fields.
        before: The line up to the cursor.
    """
    if before.lstrip().startswith("{"):
        return complete_json(form, before)
    typed = re.split(r"\s", before)[-1]
    if typed == before.lstrip() and typed.startswith(":"):
        return matching(COMMANDS.items(), typed)
    try:
        earlier = shlex.split(before[: len(before) - len(typed)])
    except ValueError:  # within quotes, where nothing is known
        return iter(())
    return complete_words(form, earlier, typed)


def complete_words(form: Form, earlier: list[str], typed: str) -> Iterator[Completion]:
    """In ``field=value`` words: the choices of the field that the word fills, then open names."""
    name, equals, value = typed.partition("=")
    if equals:
        yield from matching(((word_of(each), name) for each in form.choices(name)), value)
        return
    named = {word.partition("=")[0] for word in earlier if "=" in word}
    places = form.open_positions(named)
    filled = sum("=" not in word for word in earlier)
    for place in places[filled : filled + 1]:
        yield from matching(((word_of(each), place) for each in form.choices(place)), typed)
    taken = named | set(places[:filled])
    names = ((f"{n}=", form.describe(n)) for n in form.fields if n not in taken)
    yield from matching(names, typed)


def complete_json(form: Form, before: str) -> Iterator[Completion]:
    """In a flat JSON object: names where a name can stand, a field's choices after its colon."""
    if match := JSON_VALUE.search(before):
        name = match["name"]
        yield from matching(((dense(each), name) for each in form.choices(name)), match["typed"])
    elif match := JSON_NAME.search(before):
        taken = set(re.findall(r'"([^"]*)"\s*:', before))
        names = [name for name in form.fields if name not in taken]
        yield from matching(((f"{dense(n)}: ", form.describe(n)) for n in names), match["typed"])


def matching(texts: Iterable[tuple[str, str]], typed: str) -> Iterator[Completion]:
    """Those texts, each with its note, that begin with what was typed."""
    return (Completion(text, len(typed), note) for text, note in texts if text.startswith(typed))
