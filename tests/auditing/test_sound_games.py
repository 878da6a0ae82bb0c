"""Sound games of the zoo that pay like a defect, to the end: the tests of each check stop where it has flown."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit
from tests.auditing.checks import (
    test_free_success,
    test_handed_out,
    test_laps,
    test_without_success,
)

GAMES = [
    *(f"again:{name}" for name in test_laps.SOUND),
    *(f"careless:{name}" for name in test_free_success.SOUND),
    *(f"handed:{name}" for name in test_handed_out.SOUND),
    *(f"untold:{name}" for name in test_without_success.SOUND),
]


@pytest.mark.long
@pytest.mark.usefixtures("from_the_root")
@pytest.mark.parametrize("game", GAMES)
def test_a_sound_game_is_not_accused_by_anything(game: str, tmp_path: Path) -> None:
    given = {"target": f"tests.zoo.{game}", "audit.seeds": 12, "audit.search": 600}
    _, report = fly_audit(tmp_path, given, {})
    assert [finding.id for finding in report.findings if finding.blocks] == []
