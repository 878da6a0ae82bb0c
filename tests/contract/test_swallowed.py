"""Handlers that swallow errors of whatever kind are told from those that are meant."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

from gonogo.contract.source import read_source
from gonogo.contract.swallowed import swallowing_handlers


@pytest.mark.parametrize(
    ("head", "body", "swallows"),
    [
        ("except Exception:", "score = 1.0", True),
        ("except:", "pass", True),
        ("except (ValueError, Exception) as error:", "print(error)", True),
        ("except BaseException:", "score = 0.0", True),
        ("except ValueError:", "score = 1.0", False),
        ("except Exception:", "raise", False),
    ],
)
def test_a_handler_swallows_where_it_is_broad_and_goes_on(
    head: str, body: str, swallows: bool, tmp_path: Path
) -> None:
    text = f"""
        def grade(plan):
            try:
                score = judge(plan)
            {head}
                {body}
            return score
        """
    file = tmp_path / "env.py"
    file.write_text(textwrap.dedent(text).lstrip())
    found = list(swallowing_handlers(read_source(tmp_path, [file])))
    assert [(each.place.line, each.lines) for each in found] == [(4, range(5, 6))] * swallows
    assert all(str(each).startswith("env.py:4 swallows what goes wrong (except") for each in found)
