"""The author's words are read as they are meant, and what breaks a rule is named by its field."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.submission.theme.conftest import filled

from gonogo.config import blank, check_words, read_words
from gonogo.errors import ConfigError


def test_words_that_say_nothing_lack_every_part_of_the_statement() -> None:
    assert blank().missing() == [
        *(f"statement.{name} is empty" for name in type(blank().statement).model_fields),
        "confirmed is not true",
    ]
    assert check_words(filled(), "words").missing() == []
    assert check_words(filled(confirmed=False), "words").missing() == ["confirmed is not true"]


@pytest.mark.parametrize("theme", [2, 3.1, "3.2", None])
def test_a_theme_may_be_a_number_in_yaml(theme: Any, tmp_path: Path) -> None:
    file = tmp_path / "theme.yaml"
    file.write_text(yaml.safe_dump(filled(theme=theme)))
    words = read_words(file)
    assert words.theme == (None if theme is None else str(theme))
    claim = words.claim("5")
    assert claim is not None and claim.maps.reason == "Walking is original."
    assert words.claim("nowhere") is None


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"theme": "9"}, "theme: Input should be"),
        ({"paper": {"answer": True, "reason": " "}}, "paper: .*why the answer is true"),
        ({"links": {"space": "here"}}, "links.space: .*begins with http"),
        ({"links": {"notebook": "a b"}}, "links.notebook: .*without spaces"),
        ({"links": {"video": "ftp://x"}}, "links.video: .*begins with http"),
        ({"unknown": 1}, "unknown"),
        ({"pitch": float("nan")}, "holds a value that JSON has not"),
    ],
)
def test_what_breaks_a_rule_is_named(changes: dict[str, Any], rule: str) -> None:
    with pytest.raises(ConfigError, match=rule) as broken:
        check_words(filled(**changes), "words.yaml")
    assert "words.yaml" in str(broken.value)


def test_a_file_that_is_none_is_told(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot be read"):
        read_words(tmp_path / "none.yaml")
