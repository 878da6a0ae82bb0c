"""Pictures in observations: told apart by how they begin, and left out of text."""

from __future__ import annotations

import base64
from io import BytesIO

import pytest
from PIL import Image

from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.pictures import picture, without_pictures
from gonogo.wire import JsonObject


def encoded(kind: str, size: tuple[int, int] = (64, 48)) -> str:
    """A real picture of a format, as base64."""
    written = BytesIO()
    Image.effect_noise(size, 50).save(written, kind)
    return base64.b64encode(written.getvalue()).decode()


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("PNG", "[picture: PNG, 64 x 48, "),
        ("GIF", "[picture: GIF, 64 x 48, "),
        ("JPEG", "[picture: JPEG, "),
        ("WEBP", "[picture: WebP, "),
    ],
)
def test_a_picture_is_named_by_its_format(kind: str, named: str) -> None:
    text = encoded(kind)
    for said in (text, f"data:image/{kind.lower()};base64,{text}", f"{text}\n"):
        found = picture(said)
        assert found is not None and found.startswith(named) and found.endswith(" kB]")


def test_the_url_safe_alphabet_is_read_too() -> None:
    text = encoded("JPEG").replace("+", "-").replace("/", "_")
    assert (picture(text) or "").startswith("[picture: JPEG, ")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "iVBORw0KGgo",
        "iVBORw0KGgo is how a PNG begins, and this sentence is long enough to be one, by its length",
        "UklGR" + "A" * 200,
        base64.b64encode(
            b"a plain text that somebody encoded, which is no picture at all"
        ).decode(),
        "/9j/ is where the archive lies: /9j/2024/reports/quarterly/overview.final.v2.txt (read only)",
    ],
)
def test_another_text_is_no_picture(text: str) -> None:
    assert picture(text) is None and without_pictures(text) == text


def test_a_picture_within_a_text_or_a_list_is_replaced_there() -> None:
    address = f"data:image/png;base64,{encoded('PNG')}"
    held: JsonObject = {"page": f"before ![]({address}) after", "frames": [address, 3, None]}
    name = picture(address)
    assert name is not None
    assert without_pictures(held) == {
        "page": f"before ![]({name}) after",
        "frames": [name, 3, None],
    }


def test_a_model_reads_the_name_and_the_card_says_why() -> None:
    codec = Codec({"type": "object", "properties": {"move": {"type": "string"}}}, {})
    observation: JsonObject = {"screen": encoded("PNG"), "hint": "go left"}
    text = codec.render(observation)
    assert "screen: [picture: PNG, 64 x 48, " in text and "hint: go left" in text
    assert len(text) < 100
    assert codec.left_out(observation) == {"screen": "picture"}
