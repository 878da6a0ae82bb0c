"""What a mission is: a vehicle, where it starts, what it is told, how long it lasts, and the proof that it is fair."""

from __future__ import annotations

from dataclasses import dataclass

from flightrules.directives.directive import Directive
from flightrules.flight.happenings import Anomaly, Event
from flightrules.physics.rotation import Vector
from flightrules.physics.vehicle import Vehicle


@dataclass(frozen=True, slots=True)
class Proof:
    """What the fairness proof of a mission established; the reward's reference points are taken from it.

    Attributes:
        idle_robustness: Robustness of each directive, in order, when the spacecraft drifts through the whole mission.
        oracle_propellant_pct: Propellant that the oracle used, percent of the load.
        oracle_decisions: Decisions that the oracle took.
    """

    idle_robustness: tuple[float, ...]
    oracle_propellant_pct: float
    oracle_decisions: int


@dataclass(frozen=True, slots=True)
class Mission:
    """One task.

    Attributes:
        level: Name of the level.
        split: Split it was drawn from.
        index: Index within the split.
        vehicle: The spacecraft.
        q_BN: (4,) attitude at the start.
        omega_BN_B: (3,) rate at the start, rad/s.
        target_N: (3,) unit vector the boresight should point to, or zeros where nothing is to be pointed at.
        horizon_s: Length of the mission, s.
        decisions: How many decisions the agent has.
        directives: What it is told.
        noise_seed: Seed of all noise in flight.
        events: What happens and is reported, and what orders may depend on.
        anomalies: What breaks and is told to nobody.
        proof: The fairness proof, or None while the mission is only a candidate.
    """

    level: str
    split: str
    index: int
    vehicle: Vehicle
    q_BN: Vector
    omega_BN_B: Vector
    target_N: Vector
    horizon_s: int
    decisions: int
    directives: tuple[Directive, ...]
    noise_seed: int
    events: tuple[Event, ...] = ()
    anomalies: tuple[Anomaly, ...] = ()
    proof: Proof | None = None
