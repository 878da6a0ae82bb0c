"""The reference policies: over JSON lines as a process, and by what each of them knows."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from flightrules.flight.command import MODES, Command
from flightrules.flight.flight import Flight
from flightrules.missions.knobs import Knobs
from flightrules.missions.store import MissionStore
from flightrules.validation.policies import (
    NAMES,
    PD,
    TUNED_PD,
    OraclePilot,
    PdPilot,
    Random,
    answer,
    quiet_windows,
)

SCRIPT = Path(__file__).parents[2] / "validation" / "policies.py"


def fly(pilot: Any, level: str, index: int, store: MissionStore) -> Flight:
    """A flight flown to its end."""
    flight = Flight(store.task("train", index, level))
    while not flight.done:
        flight.execute(pilot.decide(asdict(flight.telemetry())))
    return flight


def spoken(flights: dict[str, Flight], ask: Callable[[str], Any]) -> None:
    """Fly these to their ends in turn, each decision by a JSON line to ``ask`` and one back."""
    kind = "reset"
    while not all(flight.done for flight in flights.values()):
        for key, flight in flights.items():
            if flight.done:
                continue
            options = {"split": "validation", "index": int(key), "level": "detumble"}
            line = {"type": kind, "episode": key, "observation": asdict(flight.telemetry())}
            reply = ask(json.dumps({**line, "options": options}))
            assert reply["episode"] == key
            flight.execute(Command(**reply["action"]))
        kind = "observe"


@pytest.mark.parametrize("name", NAMES)
def test_a_policy_flies_interleaved_episodes_over_json_lines(name: str) -> None:
    """Two episodes in one process fly as each does alone; the oracle succeeds in both, chance in none."""
    store = MissionStore()
    flights = {str(index): Flight(store.task("validation", index, "detumble")) for index in (0, 1)}
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), name],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
        bufsize=1,
    )
    questions, answers = process.stdin, process.stdout
    assert questions is not None
    assert answers is not None

    def ask(line: str) -> Any:
        questions.write(line + "\n")
        return json.loads(answers.readline())

    spoken(flights, ask)
    questions.close()
    assert process.wait(timeout=20) == 0
    certain = {"idle": False, "random": False, "oracle": True}
    for key, flight in flights.items():
        assert flight.refused == 0
        assert flight.success is certain.get(name, flight.success)
        alone = Flight(store.task("validation", int(key), "detumble"))
        spoken({key: alone}, partial(answer, name, pilots={}, seed=0, store=store))
        assert np.array_equal(flight.simulation.truth, alone.simulation.truth)


def test_the_oracle_flies_the_mission_that_the_knobs_make() -> None:
    store = MissionStore()
    knobs = {"directives": 2, "horizon_s": 2400, "tightness": 0.8, "anomaly": "thruster_weak"}
    options = {"split": "validation", "index": 1, "level": "mission_ops", **knobs}
    flight = Flight(store.task("validation", 1, "mission_ops", Knobs.of(knobs)))
    pilot = OraclePilot(options, store)
    while not flight.done:
        flight.execute(pilot.decide({}))
    assert flight.success


@pytest.mark.parametrize(
    "line",
    [
        "no json",
        "[]",
        "{}",
        '{"type": "observe", "episode": "stranger", "observation": {}}',
        '{"type": "reset", "episode": "a", "options": {}, "observation": {}}',
    ],
)
def test_an_unusable_line_is_answered_with_an_error(line: str) -> None:
    """The process lives on."""
    reply = answer("pd", line, {}, 0, None)
    assert reply is not None
    assert "error" in reply


def test_random_draws_legal_commands_and_the_same_again() -> None:
    """Every mode turns up, nothing is refused, and a seed is a sequence."""
    drawn = []
    for _ in range(2):
        pilot = Random(np.random.default_rng(5))
        drawn.append([pilot.decide({}) for _ in range(200)])
    assert drawn[0] == drawn[1]
    for command in drawn[0]:
        command.check()
    assert {command.mode for command in drawn[0]} == set(MODES)


def test_tuning_pays_and_leaves_room() -> None:
    """The tuned gains beat the textbook's, and neither solves the levels."""
    store = MissionStore()
    for level, low, high in (("detumble", 0.4, 0.85), ("retarget", 0.2, 0.6)):
        won = {
            gains: np.mean([fly(PdPilot(gains), level, k, store).success for k in range(40)])
            for gains in (PD, TUNED_PD)
        }
        assert won[TUNED_PD] > won[PD]
        assert low <= won[TUNED_PD] <= high


def test_recalibrating_is_the_lesson_of_detumble() -> None:
    """The tuned law wins far more often if it spends its idle turns on the stars; the rest of it is the same."""

    class Recalibrating(PdPilot):
        def decide(self, observation: dict[str, Any]) -> Command:
            command = super().decide(observation)
            return replace(command, mode="recover") if command.burn == "idle" else command

    store = MissionStore()
    won = [
        np.mean([fly(pilot(TUNED_PD), "detumble", index, store).success for index in range(40)])
        for pilot in (PdPilot, Recalibrating)
    ]
    assert won[0] < 0.8
    assert won[1] > 0.9


def test_pd_keeps_the_quiet_windows_it_is_told_of() -> None:
    """In every training phrasing the window is read off the words, and nothing is fired in it."""
    store = MissionStore()
    for index in range(20):
        mission = store.task("train", index, "retarget")
        quiet = next(item for item in mission.directives if item.kind == "stay_quiet")
        assert quiet_windows([f"{quiet.id}: {quiet.text}"]) == [
            (quiet.formula.a, quiet.formula.b)  # type: ignore[union-attr]
        ]
        flight = fly(PdPilot(TUNED_PD), "retarget", index, store)
        first, last = quiet.formula.a, quiet.formula.b  # type: ignore[union-attr]
        assert not flight.simulation.truth[first : last + 1, 3].any()
