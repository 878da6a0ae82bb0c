"""A flight: a mission, the decisions taken so far, the directives' verdicts and what it all comes to.

Owns the rules of the episode. The true signals decide verdicts and score; the measured ones decide what is shown,
until a directive's window has closed. Ends when the mission clock runs out or the decisions do.
"""

from __future__ import annotations

import math

import numpy as np

from flightrules.directives.formula import SIGNALS
from flightrules.directives.monitor import Verdict
from flightrules.directives.orders import Orders
from flightrules.errors import MissionError
from flightrules.flight.command import COAST_MIN_S, Command, CommandError
from flightrules.flight.simulation import Simulation
from flightrules.flight.telemetry import PREDICTION_S, Telemetry, render
from flightrules.missions.mission import Mission
from flightrules.physics.coast import DEGREES, predict
from flightrules.physics.rotation import pointing
from flightrules.reward.outcome import Outcome

ALARM, CONTACT = SIGNALS.index("alarm"), SIGNALS.index("contact")
"""Columns of the events in the signals."""
# Verdicts come as plain numbers, of which every decision compares and names dozens: enum members are slow at both.
_WORDS = {int(verdict): verdict.word for verdict in Verdict}
_SATISFIED, _VIOLATED = int(Verdict.SATISFIED), int(Verdict.VIOLATED)
_DRIFT = Command("idle", "safe_hold", COAST_MIN_S)
"""What the spacecraft does while a reply cannot be flown."""


class Flight:
    """One episode of one mission.

    Attributes:
        mission: The mission; it carries the fairness proof that the score needs.
        simulation: The spacecraft.
        decisions: Decisions taken, the refused ones included.
        refused: Decisions that were not legal, well-formed commands.
        problem: What was wrong with the last decision, or None.
    """

    def __init__(self, mission: Mission) -> None:
        """Start the mission.

        Raises:
            MissionError: If the mission has no fairness proof.
        """
        if mission.proof is None:
            raise MissionError("a flight needs a mission that is proved fair")
        self.mission = mission
        self.proof = mission.proof
        self.simulation = Simulation(mission)
        self._orders = Orders(mission.directives)
        idle = mission.proof.idle_robustness
        self._active = [k for k, value in enumerate(idle) if value <= 0.0]
        self._kept = [k for k, value in enumerate(idle) if value > 0.0]
        # Robustness of each directive when idling, and how much more satisfaction needs.
        self._reference = [(value, max(-value, 1e-9)) for value in idle]
        self._aimed = bool(np.any(mission.target_N))
        self._has_contacts = any(event.signal == "contact" for event in mission.events)
        alarms_s = np.flatnonzero(self.simulation.truth[:, ALARM] > 0.5).tolist()
        self._news = [
            # An alarm sounds during its second, and is heard when that is over.
            *((second + 1, f"alarm at {second} s") for second in alarms_s),
            *((item.given_s, f"{item.id}: {item.text}") for item in mission.directives),
        ]
        self._begin()

    def _begin(self) -> None:
        self._true = self._orders.copy()
        self._shown = self._orders.copy()
        self._messages = self._arrivals(-1, 0)
        self._mode = "safe_hold"
        self._last_command = "none yet"
        self._remark = ""
        self._note = ""
        self.decisions = 0
        self.refused = 0
        self.problem: str | None = None

    def rewound(self) -> Flight:
        """Another flight of the mission from its start; noise and orders, which cost most, are not made again."""
        other = object.__new__(Flight)
        other.__dict__.update(self.__dict__)
        other.simulation = self.simulation.rewound()
        other._begin()
        return other

    @property
    def timeout(self) -> bool:
        """Whether the decisions ran out before the mission did."""
        return (
            self.decisions >= self.mission.decisions
            and self.simulation.clock_s < self.mission.horizon_s
        )

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""
        return (
            self.decisions >= self.mission.decisions
            or self.simulation.clock_s >= self.mission.horizon_s
        )

    @property
    def success(self) -> bool | None:
        """Whether every directive was satisfied; None while the flight goes on."""
        return bool(np.all(self._true.verdicts == Verdict.SATISFIED)) if self.done else None

    def execute(self, command: Command) -> None:
        """Fly a command; one that its mode does not allow is refused and costs a decision."""
        try:
            command.check()
        except CommandError as error:
            self.refuse(str(error))
            return
        calibrations = self.simulation.calibrations
        self._fly(command)
        self._mode = command.mode
        if command.note:
            self._note = command.note
        self.problem = None
        self._last_command, self._remark = f"{command.burn}, {command.coast_s} s flown", ""
        if command.mode == "recover":
            done = self.simulation.calibrations > calibrations
            self._remark = "gyro recalibrated" if done else "not recalibrated, too few stars seen"
            self._last_command = f"{self._last_command}, {self._remark}"

    def refuse(self, problem: str) -> None:
        """Take a decision that cannot be flown: the spacecraft drifts for the shortest coast instead."""
        self.refused += 1
        self.problem = problem
        self._fly(_DRIFT)
        self._last_command = self._remark = f"refused: {problem}"

    def _fly(self, command: Command) -> None:
        first, last = self.simulation.fly(command)
        self._true.update(self.simulation.truth[first:last])
        self._shown.update(self.simulation.measured[first:last])
        self.decisions += 1
        self._messages = self._arrivals(first, last)

    def _arrivals(self, after: int, until: int) -> list[str]:
        """Alarms that were heard, and orders given, after one second and up to another."""
        return [message for second, message in self._news if after < second <= until]

    def telemetry(self) -> Telemetry:
        """What the agent is shown now."""
        simulation = self.simulation
        roll, pitch, yaw = [DEGREES * rate for rate in simulation.state[17:20].tolist()]
        errors = self._errors_deg() if self._aimed else None
        directives = self._statuses()
        gauge = float(simulation.state[20]) + simulation.gauge_error_pct(simulation.clock_s)
        propellant = round(min(max(gauge, 0.0), 100.0), 3)
        left = self.mission.decisions - self.decisions
        contact = self._contact()
        text = render(
            simulation.clock_s, left, errors, (roll, pitch, yaw), propellant, self._mode, directives,
            self._messages, self._remark, self._note, contact,
        )  # fmt: skip
        return Telemetry(
            clock_s=simulation.clock_s,
            decisions_left=left,
            error_deg=None if errors is None else (round(errors[0], 3), round(errors[1], 3)),
            error_predicted_deg=None
            if errors is None
            else (round(errors[2], 3), round(errors[3], 3)),
            rate_deg_s=(round(roll, 4), round(pitch, 4), round(yaw, 4)),
            propellant_pct=propellant,
            mode=self._mode,
            directives=directives,
            messages=self._messages,
            contact=contact,
            last_command=self._last_command,
            note=self._note,
            text=text,
        )

    def _errors_deg(self) -> tuple[float, float, float, float]:
        """Measured and predicted pointing error about pitch and yaw, deg."""
        now, then = np.empty(2), np.empty(2)
        pointing(self.simulation.state[7:11], self.mission.target_N, now)
        predict(self.simulation.state, self.mission.target_N, float(PREDICTION_S), then)
        (pitch, yaw), (pitch_then, yaw_then) = now.tolist(), then.tolist()
        return DEGREES * pitch, DEGREES * yaw, DEGREES * pitch_then, DEGREES * yaw_then

    def _contact(self) -> bool | None:
        """Whether the ground is in contact now; None on a mission without contacts."""
        if not self._has_contacts:
            return None
        second = min(self.simulation.clock_s, self.mission.horizon_s - 1)
        return bool(self.simulation.truth[second, CONTACT] > 0.5)

    def _statuses(self) -> list[dict[str, object]]:
        """Id, status and time left of the orders given so far; the truth where nothing can change it any more."""
        clock = self.simulation.clock_s
        statuses = []
        for item, shown, true, superseded in zip(
            self.mission.directives,
            self._shown.verdicts.tolist(),
            self._true.verdicts.tolist(),
            self._true.superseded.tolist(),
            strict=True,
        ):
            if item.given_s > clock:
                continue
            left = item.end_s - clock
            status = _WORDS[shown if left >= 0 else true]
            if superseded:
                status, left = "superseded", 0
            statuses.append({"id": item.id, "status": status, "time_left_s": max(left, 0)})
        return statuses

    def outcome(self) -> Outcome:
        """What the flight comes to if it ends now: an open window counts as violated."""
        # Plain floats: a mission has a handful of directives, for which numpy's calls cost ten times the work.
        verdicts = self._true.verdicts.tolist()
        met = [verdicts[k] == _SATISFIED for k in self._active]
        f = sum(met) / len(met) * _share([verdicts[k] == _SATISFIED for k in self._kept])
        progress = 0.0
        if self.decisions:
            near = [
                -math.inf if verdict == _VIOLATED else value
                for value, verdict in zip(
                    self._true.state_robustness.tolist(), verdicts, strict=True
                )
            ]
            unbroken = _share([verdicts[k] != _VIOLATED for k in self._kept])
            progress = self._gained(near, met) * unbroken
        return Outcome(
            f=f,
            success=f == 1.0,
            q=self._gained(self._true.lower.tolist(), met),
            legal_share=1.0 - self.refused / self.decisions if self.decisions else 1.0,
            efficiency=self._efficiency(),
            progress=progress,
        )

    def _gained(self, robustness: list[float], met: list[bool]) -> float:
        """Mean over A of the robustness gained beyond idling, as a share of what satisfaction needs, in [0, 1]."""
        total = 0.0
        for k, done in zip(self._active, met, strict=True):
            idle, needed = self._reference[k]
            total += 1.0 if done else min(max((robustness[k] - idle) / needed, 0.0), 1.0)
        return total / len(met)

    def _efficiency(self) -> float:
        """Mean of two shares: the oracle's propellant over ours and its decisions over ours, each at most 1."""
        used = 100.0 - float(self.simulation.state[20])
        propellant = min(1.0, self.proof.oracle_propellant_pct / used) if used > 0.0 else 1.0
        decisions = (
            min(1.0, self.proof.oracle_decisions / self.decisions) if self.decisions else 1.0
        )
        return 0.5 * (propellant + decisions)


def _share(held: list[bool]) -> float:
    """Share of those that held, 1 where there are none."""
    return sum(held) / len(held) if held else 1.0
