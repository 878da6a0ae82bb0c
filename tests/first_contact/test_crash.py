"""An environment that raises at every success: the error, its line and the way to it are a finding."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from gonogo.errors import Misuse
from gonogo.records.record import Verdict
from gonogo.api import replay_file

Json = dict[str, Any]
FLAGS = ("--success", "done and paid == 3", "--reference", "policies:crash")


def test_what_every_success_raises_is_found_with_its_line_and_the_actions_that_lead_there(
    audited: Callable[..., tuple[int, Json]], tmp_path: Path
) -> None:
    code, record = audited("crash", *FLAGS)
    assert code == Verdict.NO_GO
    (finding,) = record["findings"]
    assert finding["id"] == "step_raises"
    raised = finding["witness"]["raised"]
    assert (raised["type"], raised["file"], raised["line"]) == ("AttributeError", "server/env.py", 18)
    assert "self.LIMITS" in raised["code"]
    sent = finding["witness"]["actions"]
    assert len(sent) == 3 and sent == [sent[0]] * 3
    assert "no attribute 'LIMITS'" in finding["explanation"]
    assert "no attribute 'LIMITS'" in record["reason"]
    assert replay_file(tmp_path / "witnesses.jsonl", None).verdict is Verdict.GO


@pytest.mark.long
def test_of_a_server_what_every_success_raises_is_found_with_its_words(
    audited: Callable[..., tuple[int, Json]], serve: Callable[..., str]
) -> None:
    code, record = audited(serve(Path(__file__).parent / "crash"), *FLAGS)
    assert code == Verdict.NO_GO
    (finding,) = record["findings"]
    assert finding["id"] == "step_raises"
    assert "no attribute 'LIMITS'" in finding["explanation"]
    assert len(finding["witness"]["actions"]) == 3


@pytest.mark.long
def test_of_a_server_an_error_is_told_from_a_refusal_before_it(
    audited: Callable[..., tuple[int, Json]], serve: Callable[..., str], tmp_path: Path
) -> None:
    folder = tmp_path / "crash"
    shutil.copytree(Path(__file__).parent / "crash", folder)
    world = folder / "server" / "env.py"
    code = world.read_text()
    for place, more in {
        "self.d = False; self.k = 0\n        r =": "self.warm = False; ",
        "        if self.d: return": "        if not self.warm: self.warm = True; raise ValueError('cold')\n",
    }.items():
        assert place in code
        code = code.replace(place, more + place)
    world.write_text(code)
    _, record = audited(serve(folder), *FLAGS)
    (finding,) = [each for each in record["findings"] if each["id"] == "step_raises"]
    assert "no attribute 'LIMITS'" in finding["explanation"]
    assert len(finding["witness"]["actions"]) == 4


def test_an_expression_about_what_is_nowhere_is_misuse_and_names_what_is(
    audited: Callable[..., tuple[int, Json]], capsys: pytest.CaptureFixture[str]
) -> None:
    code, _ = audited("crash", "--success", "observation.payd == 3")
    assert code == Misuse.exit_code
    assert "observation.paid is nearest to observation.payd" in capsys.readouterr().err
