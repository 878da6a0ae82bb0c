"""Every finding has an id from the list, and every id is found somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from gonogo.findings import FINDINGS, Finding

STATIONS = Path(__file__).parents[1] / "src" / "gonogo" / "stations"


def test_an_id_outside_the_list_is_refused() -> None:
    with pytest.raises(ValueError, match="not 'no_such_finding'"):
        Finding("no_such_finding", "fail", None, None, {}, "")


def test_every_id_is_one_word_with_one_sentence_and_in_use() -> None:
    source = "".join(path.read_text() for path in STATIONS.rglob("*.py"))
    for name, sentence in FINDINGS.items():
        assert re.fullmatch(r"[a-z]+(_[a-z]+)*", name)
        assert sentence.endswith(".")
        assert f'"{name}"' in source, name
