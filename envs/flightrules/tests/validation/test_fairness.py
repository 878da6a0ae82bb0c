"""The fairness report: it flies what it says, and says who breaks which rule."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flightrules.flight.command import COAST_MAX_S, Command
from flightrules.missions.generator import candidate, generate
from flightrules.missions.mission import Proof
from flightrules.validation import fairness
from flightrules.validation.blocks import Block, fly
from flightrules.validation.fairness import Findings, active_orders, ask, legal_burns


def serial(
    work: Callable[[Block], dict[str, Any]], todo: Sequence[Block], out: Path, about: object
) -> list[dict[str, Any]]:
    """The blocks' results without processes, as JSON brings them."""
    return [json.loads(json.dumps(work(block))) for block in todo]


def test_a_fair_mission_breaks_no_rule() -> None:
    """Counted out: 42 legal pairs of burn and mode at two coasts, six drifts, and an oracle for each active order."""
    mission, _ = generate("mission_ops", "validation", 0)
    findings = Findings()
    ask(mission, findings)
    assert findings.broken == []
    active = len(active_orders(fly(mission, lambda _: Command("idle", "slew", COAST_MAX_S))))
    assert active >= 3
    assert findings.counts["flown"] == {
        "oracle": 1, "idle": 6, "repeated": 84, "random": 4, "ignored": active,
    }  # fmt: skip
    assert findings.counts["won"] == {"oracle": 1}


def broken(**changes: object) -> list[str]:
    """The rules that the first detumble candidate breaks when it is changed."""
    mission = replace(candidate("detumble", "validation", 0, 0), **changes)  # type: ignore[arg-type]
    proof = Proof((-1.0,) * len(mission.directives), 1.0, 1)
    findings = Findings()
    ask(replace(mission, proof=proof), findings)
    return findings.broken


def rolling(pulses: float) -> np.ndarray:
    """A rate that so many seconds of a positive roll burn stop."""
    vehicle = candidate("detumble", "validation", 0, 0).vehicle
    return np.array([-pulses * vehicle.pulse_torque_B[0, 0] / vehicle.inertia[0, 0], 0.0, 0.0])


def test_a_mission_at_rest_is_won_by_idling() -> None:
    where = "detumble validation 0"
    assert f"{where}: idling at each 300 s succeeds" in broken(omega_BN_B=np.zeros(3))


def test_a_mission_about_one_axis_is_won_by_one_burn() -> None:
    lines = broken(omega_BN_B=rolling(3.0))
    assert any("roll+small in detumble at each 300 s succeeds" in line for line in lines)
    assert not any("idling" in line for line in lines)


def test_a_mission_of_one_decision_is_lost_by_the_oracle() -> None:
    assert broken(decisions=1) == ["detumble validation 0: the oracle fails"]


def test_an_order_given_twice_can_be_ignored_once() -> None:
    first, reserve = candidate("detumble", "validation", 0, 0).directives
    twice = (first, replace(first, id="D3"), reserve)
    where = "detumble validation 0"
    assert broken(directives=twice) == [
        f"{where}: ignoring D1 succeeds",
        f"{where}: ignoring D3 succeeds",
    ]


def test_legal_burns_are_legal_and_all() -> None:
    """Twelve burns in two modes, six in three; nothing but a long coast in hold."""
    assert len(list(legal_burns(60))) == 12 + 12 + 6 + 6 + 6
    assert {command.mode for command in legal_burns(10)} == {"detumble", "slew", "trim"}


def test_a_report_counts_its_missions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The same again gives the same bytes, and a rule that breaks is exit code 1."""
    monkeypatch.setattr(fairness, "finish", serial)
    monkeypatch.setattr(fairness, "LEVELS", ("detumble",))
    out = tmp_path / "fairness.json"
    monkeypatch.setattr(sys, "argv", ["fairness.py", "--missions", "3", "--out", str(out)])
    monkeypatch.setattr(fairness, "LEAST_ACCEPTANCE", 0.0)
    assert fairness.main() == 0
    assert "every rule holds" in capsys.readouterr().out
    first = out.read_bytes()
    assert fairness.main() == 0
    assert out.read_bytes() == first
    found = json.loads(first)["levels"]["detumble"]
    assert found["missions"] == 3
    assert found["acceptance"] == 3 / found["candidates"]
    assert found["flights"]["oracle"] == {"flown": 3, "won": 3}
    assert found["flights"]["repeated"] == {"flown": 3 * 84, "won": 0}
    assert found["counts"]["active"] == {"1": 3}
    assert found["counts"]["orders"] == {"reach_and_settle": 3, "keep_reserve": 3}
    monkeypatch.setattr(fairness, "LEAST_ACCEPTANCE", 1.1)
    assert fairness.main() == 1
    assert "acceptance must be at least 1.1" in capsys.readouterr().out


@pytest.mark.parametrize("wrong", [("--missions", "0"), ("--split", "exam"), ("--level", "x")])
def test_misuse(
    wrong: tuple[str, str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["fairness.py", "--out", "nowhere.json", *wrong])
    with pytest.raises(SystemExit) as refused:
        fairness.main()
    assert refused.value.code == 2
    assert wrong[0] in capsys.readouterr().err
