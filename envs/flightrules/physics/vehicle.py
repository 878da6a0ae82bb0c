"""The spacecraft of one mission, drawn from ranges, and its packed form for the compiled core.

Owns every physical constant that differs between missions. Refuses inertia tensors that no rigid body has.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from flightrules.physics.disturbances import MU_EARTH
from flightrules.physics.rotation import Vector

EARTH_RADIUS_M = 6_378_137.0
"""Equatorial radius of the Earth, m (WGS 84)."""
STANDARD_GRAVITY = 9.80665
"""Standard gravity, m/s^2: turns specific impulse into exhaust speed."""
PACKED = 50
"""Length of :meth:`Vehicle.packed`."""


@dataclass(frozen=True, slots=True)
class VehicleRanges:
    """Where a split draws its vehicles; splits are disjoint in ``inertia_scale``.

    Attributes:
        inertia_scale: Pieces of the half-open ranges of the overall inertia scale (1.0 is 20 kg m^2).
        gyro_bias_deg_s: Largest initial gyro bias about each axis, deg/s.
        thrust_noise: Standard deviation of one pulse's impulse, as a share of it.
        misalignment_deg: Standard deviation of each thruster pair's misalignment, deg.
    """

    inertia_scale: tuple[tuple[float, float], ...]
    gyro_bias_deg_s: float
    thrust_noise: float = 0.04
    misalignment_deg: float = 2.0


@dataclass(frozen=True, slots=True)
class Vehicle:
    """Mass properties, thrusters, sensors and orbit of one mission.

    Attributes:
        inertia: (3, 3) inertia tensor in B, kg m^2.
        pulse_torque_B: (3, 3), row i the torque of a positive burn about axis i (roll, pitch, yaw), misaligned, N m.
        flow_pct_s: Propellant used by a firing pair, percent of the initial load per second.
        thrust_noise: Standard deviation of one pulse's impulse, as a share of it.
        body: (10,) surface and dipole parameters, see :func:`flightrules.physics.disturbances.disturbance`.
        orbit: (12,) orbit and Sun, likewise.
        gyro_noise: White noise of one gyro reading, rad/s.
        bias_walk: Growth of the gyro bias, rad/s per square root of a second.
        tracker_noise: Noise of one star tracker reading about each axis, rad.
        tracker_B: (3,) boresight of one head of the star tracker in B; the other head looks the opposite way.
        tracker_limits: (3,) cosine of the Sun exclusion angle, cosine of the Earth exclusion angle (from the Earth's
            centre), largest rate at which stars can be tracked (rad/s).
        bias: (3,) gyro bias at mission start, rad/s.
    """

    inertia: NDArray[np.float64]
    pulse_torque_B: NDArray[np.float64]
    flow_pct_s: float
    thrust_noise: float
    body: Vector
    orbit: Vector
    gyro_noise: float
    bias_walk: float
    tracker_noise: float
    tracker_B: Vector
    tracker_limits: Vector
    bias: Vector

    def packed(self) -> Vector:
        """The parameters as one vector (50,) in the order that :mod:`flightrules.physics.coast` reads."""
        return np.concatenate(
            [
                self.inertia.ravel(),
                np.linalg.inv(self.inertia).ravel(),
                self.body,
                self.orbit,
                [self.flow_pct_s, self.gyro_noise, self.bias_walk, self.tracker_noise],
                self.tracker_B,
                self.tracker_limits,
            ]
        )


def rotation_matrix(rng: Generator, angle_rad: float) -> NDArray[np.float64]:
    """A small random rotation (3, 3) by about ``angle_rad``, to first order, made orthonormal by QR."""
    x, y, z = rng.normal(0.0, angle_rad, 3)
    q, r = np.linalg.qr(np.array([[1.0, -z, y], [z, 1.0, -x], [-y, x, 1.0]]))
    return np.asarray(q * np.sign(np.diag(r)))


def unit(rng: Generator) -> Vector:
    """A unit vector (3,) drawn evenly from the sphere."""
    v = rng.normal(size=3)
    return np.asarray(v / np.linalg.norm(v))


def draw_inertia(rng: Generator, scale: float) -> NDArray[np.float64]:
    """An inertia tensor (3, 3), kg m^2, of a box with even density, a few degrees off its principal axes.

    A box of mass m and sides a, b, c has ``J_x = m/12 (b^2 + c^2)`` and so on, so the triangle inequality of the
    principal moments holds by construction.

    Args:
        rng: Source of randomness.
        scale: Mean principal moment over 20 kg m^2.
    """
    squares = rng.uniform(0.6, 1.4, 3)
    moments = np.array([squares[1] + squares[2], squares[0] + squares[2], squares[0] + squares[1]])
    moments *= 20.0 * scale / moments.mean()
    axes = rotation_matrix(rng, math.radians(4.0))
    inertia = axes @ np.diag(moments) @ axes.T
    return np.asarray(0.5 * (inertia + inertia.T))


def draw_orbit(rng: Generator) -> Vector:
    """A circular orbit (12,) between 450 and 650 km, of any orientation, and the Sun's direction."""
    radius = EARTH_RADIUS_M + rng.uniform(450e3, 650e3)
    p = unit(rng)
    w = np.cross(p, unit(rng))
    w /= np.linalg.norm(w)
    rate = math.sqrt(MU_EARTH / radius**3)
    return np.concatenate([[radius, rate, rng.uniform(0.0, 2.0 * math.pi)], p, w, unit(rng)])


def draw_vehicle(rng: Generator, ranges: VehicleRanges) -> Vehicle:
    """Draw a vehicle.

    A full propellant load is 100 %; a pair of 0.04 N thrusters 0.36 m off the axis at a specific impulse of 70 s
    (cold gas) uses ``2 F / (I_sp g)`` kg/s of a load of 12 g.

    Args:
        rng: Source of randomness.
        ranges: The split's ranges.
    """
    pieces = ranges.inertia_scale
    low, high = pieces[int(rng.integers(len(pieces)))]
    inertia = draw_inertia(rng, rng.uniform(low, high))
    thrust_n = rng.uniform(0.036, 0.044)
    torque = 2.0 * thrust_n * 0.36
    alignment = rotation_matrix(rng, math.radians(ranges.misalignment_deg))
    flow_kg_s = 2.0 * thrust_n / (70.0 * STANDARD_GRAVITY)
    return Vehicle(
        inertia=inertia,
        pulse_torque_B=torque * alignment,
        flow_pct_s=100.0 * flow_kg_s / 12e-3,
        thrust_noise=ranges.thrust_noise,
        body=np.concatenate(
            [
                rng.uniform(0.2, 1.0) * unit(rng),
                rng.uniform(0.02, 0.10) * unit(rng),
                [
                    rng.uniform(1.5, 3.0),
                    rng.uniform(0.8, 1.5),
                    rng.uniform(0.3, 0.7),
                    rng.uniform(1e-13, 6e-13),
                ],
            ]
        ),
        orbit=draw_orbit(rng),
        gyro_noise=math.radians(0.004),
        bias_walk=math.radians(2e-4),
        tracker_noise=math.radians(0.02),
        tracker_B=np.array([0.0, 0.0, -1.0]),
        tracker_limits=np.array(
            [math.cos(math.radians(30.0)), math.cos(math.radians(85.0)), math.radians(1.0)]
        ),
        bias=math.radians(ranges.gyro_bias_deg_s) * rng.uniform(-1.0, 1.0, 3),
    )
