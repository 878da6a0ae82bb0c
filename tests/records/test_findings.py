"""Every finding has an id from the list, and every id is found somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.records_made import finding

from gonogo.records.findings import FINDINGS

PACKAGE = Path(__file__).parents[2] / "src" / "gonogo"


def test_an_id_outside_the_list_is_refused() -> None:
    with pytest.raises(ValueError, match="not 'no_such_finding'"):
        finding("no_such_finding")


def test_every_id_is_one_word_with_one_sentence_and_in_use() -> None:
    files = (path for path in PACKAGE.rglob("*.py") if path.name != "findings.py")
    source = "".join(path.read_text() for path in files)
    for name, sentence in FINDINGS.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
        assert sentence.endswith(".")
        assert f'"{name}"' in source, name
