"""Pictures in an observation: they are told apart by how they begin, named, and left out of text.

Environments send a screen or a rendered frame as base64, by itself or as a ``data:`` address. A model that reads text
gains nothing from it, and one picture is thousands of tokens. So where text is made, a picture is replaced by its name.
"""

from __future__ import annotations

import base64
import binascii
import re

from gonogo.wire import JsonValue

LEAST_CHARS = 64
"""The smallest picture in any of the formats has as much."""
HEAD = 48
"""Characters that are decoded to see what it is: 36 bytes."""
ADDRESS = re.compile(r"data:image/[\w.+-]+(?:;[\w=.+-]+)*;base64,")
WITHIN = re.compile(ADDRESS.pattern + r"[A-Za-z0-9+/_-]+={0,2}")
ENCODED = re.compile(r"[A-Za-z0-9+/]+={0,2}|[A-Za-z0-9_-]+={0,2}")
BEGINNINGS = {
    "iVBORw0KGgo": "PNG",
    "/9j/": "JPEG",
    "_9j_": "JPEG",
    "R0lGOD": "GIF",
    "UklGR": "WebP",
}
"""How each format's first bytes look as base64."""


def picture(text: str) -> str | None:
    """What a text is called where it is a picture: ``[picture: PNG, 64 x 48, 1.2 kB]``.

    Args:
        text: Any text.

    Returns:
        Its name, with the size in pixels where the format says it first; None where it is no picture.
    """
    if len(text) < LEAST_CHARS:
        return None
    address = ADDRESS.match(text)
    encoded = "".join((text[address.end() :] if address else text).split())
    kind = next((kind for begun, kind in BEGINNINGS.items() if encoded.startswith(begun)), None)
    if kind is None or ENCODED.fullmatch(encoded) is None:
        return None
    try:
        head = base64.b64decode(encoded[:HEAD].translate({45: "+", 95: "/"}), validate=True)
    except binascii.Error:
        return None
    if kind == "WebP" and head[8:12] != b"WEBP":
        return None
    size = 3 * len(encoded) / 4000
    return f"[picture: {kind}, {pixels(kind, head)}{size:.{1 if size < 10 else 0}f} kB]"


def pixels(kind: str, head: bytes) -> str:
    """Width and height, where they stand at the same place in every file of a format; else nothing."""
    if kind == "PNG" and head[12:16] == b"IHDR":
        size = int.from_bytes(head[16:20], "big"), int.from_bytes(head[20:24], "big")
    elif kind == "GIF":
        size = int.from_bytes(head[6:8], "little"), int.from_bytes(head[8:10], "little")
    else:
        return ""
    return f"{size[0]} x {size[1]}, "


def without_pictures(value: JsonValue) -> JsonValue:
    """The value with each picture in it replaced by its name; the value itself where there is none."""
    if isinstance(value, str):
        return picture(value) or WITHIN.sub(lambda found: picture(found[0]) or found[0], value)
    if isinstance(value, dict):
        return {name: without_pictures(inner) for name, inner in value.items()}
    return [without_pictures(item) for item in value] if isinstance(value, list) else value
