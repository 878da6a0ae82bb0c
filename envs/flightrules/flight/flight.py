"""A flight: a mission, the decisions taken so far, the directives' verdicts and what it all comes to.

Owns the rules of the episode. The true signals decide verdicts and score; the measured ones decide what is shown,
until a directive's window has closed. Ends when the mission clock runs out or the decisions do.
"""

from __future__ import annotations

import numpy as np

from flightrules.directives.formula import SIGNALS
from flightrules.directives.monitor import Verdict
from flightrules.directives.orders import Orders
from flightrules.errors import MissionError
from flightrules.flight.command import COAST_MIN_S, Command, CommandError
from flightrules.flight.reckoning import PLACES, READ, read, reckon
from flightrules.flight.simulation import Simulation
from flightrules.flight.telemetry import PREDICTION_S, Telemetry, render
from flightrules.missions.mission import Mission
from flightrules.reward.outcome import Outcome

ALARM, CONTACT = SIGNALS.index("alarm"), SIGNALS.index("contact")
"""Columns of the events in the signals."""
# Verdicts come as plain numbers, of which every decision compares and names dozens: enum members are slow at both.
_WORDS = {int(verdict): verdict.word for verdict in Verdict}
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
        # Robustness of each directive when idling, and how much more satisfaction needs.
        self._idle = np.array(idle, float)
        self._needed = np.maximum(-self._idle, 1e-9)
        self._active, self._kept = (
            np.flatnonzero(self._idle <= 0.0),
            np.flatnonzero(self._idle > 0.0),
        )
        self._windows = [(item.id, item.given_s, item.end_s) for item in mission.directives]
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
        simulation = self.simulation
        self._true.update_with(
            self._shown, simulation.truth[first:last], simulation.measured[first:last]
        )
        self.decisions += 1
        self._messages = self._arrivals(first, last)

    def _arrivals(self, after: int, until: int) -> list[str]:
        """Alarms that were heard, and orders given, after one second and up to another."""
        return [message for second, message in self._news if after < second <= until]

    def telemetry(self) -> Telemetry:
        """What the agent is shown now."""
        simulation = self.simulation
        clock_s = simulation.clock_s
        readings = np.empty(2 * READ)
        sure = read(
            simulation.state,
            self.mission.target_N,
            float(PREDICTION_S),
            simulation.gauge_error_pct(clock_s),
            readings,
        )
        values = readings.tolist()
        shown = values[READ:] if sure else list(map(round, values, PLACES))
        directives = self._statuses()
        left = self.mission.decisions - self.decisions
        contact = self._contact()
        text = render(
            clock_s, left, values[0:4] if self._aimed else None, values[4:7], shown[7], self._mode,
            directives, self._messages, self._remark, self._note, contact,
        )  # fmt: skip
        return Telemetry(
            clock_s=clock_s,
            decisions_left=left,
            error_deg=(shown[0], shown[1]) if self._aimed else None,
            error_predicted_deg=(shown[2], shown[3]) if self._aimed else None,
            rate_deg_s=(shown[4], shown[5], shown[6]),
            propellant_pct=shown[7],
            mode=self._mode,
            directives=directives,
            messages=self._messages,
            contact=contact,
            last_command=self._last_command,
            note=self._note,
            text=text,
        )

    def _contact(self) -> bool | None:
        """Whether the ground is in contact now; None on a mission without contacts."""
        if not self._has_contacts:
            return None
        second = min(self.simulation.clock_s, self.mission.horizon_s - 1)
        return bool(self.simulation.truth[second, CONTACT] > 0.5)

    def _statuses(self) -> list[dict[str, object]]:
        """Id, status and time left of the orders given so far; the truth where nothing can change it any more."""
        clock = self.simulation.clock_s
        statuses: list[dict[str, object]] = []
        for (name, given_s, end_s), shown, true, superseded in zip(
            self._windows,
            self._shown.verdicts.tolist(),
            self._true.verdicts.tolist(),
            self._true.superseded.tolist(),
            strict=True,
        ):
            if given_s > clock:
                continue
            left = end_s - clock
            if superseded:
                statuses.append({"id": name, "status": "superseded", "time_left_s": 0})
            elif left >= 0:
                statuses.append({"id": name, "status": _WORDS[shown], "time_left_s": left})
            else:
                statuses.append({"id": name, "status": _WORDS[true], "time_left_s": 0})
        return statuses

    def outcome(self) -> Outcome:
        """What the flight comes to if it ends now: an open window counts as violated."""
        true = self._true
        f, q, progress = reckon(
            true.verdicts, true.lower, true.state_robustness, self._active, self._kept, self._idle,
            self._needed, self.decisions > 0,
        )  # fmt: skip
        return Outcome(
            f=f,
            success=f == 1.0,
            q=q,
            legal_share=1.0 - self.refused / self.decisions if self.decisions else 1.0,
            efficiency=self._efficiency(),
            progress=progress,
        )

    def _efficiency(self) -> float:
        """Mean of two shares: the oracle's propellant over ours and its decisions over ours, each at most 1."""
        used = 100.0 - float(self.simulation.state[20])
        propellant = min(1.0, self.proof.oracle_propellant_pct / used) if used > 0.0 else 1.0
        decisions = (
            min(1.0, self.proof.oracle_decisions / self.decisions) if self.decisions else 1.0
        )
        return 0.5 * (propellant + decisions)
