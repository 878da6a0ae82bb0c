"""Every finding has an id from the list, and every id is found somewhere."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from tests.records_made import finding

from gonogo.records.findings import EFFORTLESS, EXPLOITS, FINDINGS, MENDS, SUSPICIOUS, Severity

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


def test_every_id_says_in_one_sentence_how_to_mend_it() -> None:
    assert list(MENDS) == list(FINDINGS)
    assert all(re.fullmatch(r"[A-Z][^\n]{10,150}\.", said) for said in MENDS.values())
    assert len(set(MENDS.values())) == len(MENDS)


def test_a_finding_weighs_what_its_id_says_unless_it_is_told() -> None:
    assert FINDINGS.keys() >= EFFORTLESS | EXPLOITS | SUSPICIOUS
    assert not EFFORTLESS & EXPLOITS
    assert finding("paid_for_idling").severity is Severity.EFFORTLESS
    assert finding("farmable_cycle").severity is Severity.EXPLOIT
    assert finding("seed_ignored").severity is Severity.CONTRACT
    told = finding("farmable_cycle", severity=Severity.SUSPICIOUS)
    assert not told.blocks and finding("farmable_cycle").blocks
    assert not finding("farmable_cycle", accepted="meant").blocks
