"""Disturbance torques against the published example: FireSat, SMAD 3rd edition, section 11.1, table 11-9A."""

from __future__ import annotations

import math

import numpy as np
import pytest

from flightrules.physics.disturbances import (
    EARTH_DIPOLE,
    add_cross,
    disturbance,
    drag_force,
    gravity_gradient,
    magnetic_field,
    solar_force,
)
from flightrules.physics.vehicle import VehicleRanges, draw_vehicle

FIRESAT_RADIUS_M = 7.078e6
"""FireSat's orbit radius: 700 km altitude."""


def test_gravity_gradient_of_firesat() -> None:
    """Moments 90 and 60 kg m^2, 1 degree off the vertical: 1.8e-6 N m."""
    angle = math.radians(1.0)
    r_B = FIRESAT_RADIUS_M * np.array([math.sin(angle), 0.0, math.cos(angle)])
    torque_B = np.zeros(3)
    gravity_gradient(r_B, np.diag([60.0, 60.0, 90.0]), torque_B)
    assert np.linalg.norm(torque_B) == pytest.approx(1.8e-6, rel=0.03)


def test_solar_pressure_of_firesat() -> None:
    """3 m^2, reflectance 0.6, 0.3 m off the centre of mass: 6.6e-6 N m."""
    assert 0.3 * solar_force(3.0, 0.6) == pytest.approx(6.6e-6, rel=0.01)


def test_magnetic_torque_of_firesat() -> None:
    """A residual dipole of 1 A m^2 over the pole, where the field is 4.5e-5 T: 4.5e-5 N m."""
    torque_B = np.zeros(3)
    field_N = magnetic_field((0.0, 0.0, FIRESAT_RADIUS_M))
    assert np.linalg.norm(field_N) == pytest.approx(2.0 * EARTH_DIPOLE / FIRESAT_RADIUS_M**3)
    add_cross(np.array([1.0, 0.0, 0.0]), field_N, 1.0, torque_B)
    assert np.linalg.norm(torque_B) == pytest.approx(4.5e-5, rel=0.01)


def test_drag_of_firesat() -> None:
    """1e-13 kg/m^3, C_d 2, 3 m^2, 7504 m/s, 0.2 m off the centre of mass: 3.4e-6 N m."""
    assert 0.2 * drag_force(1e-13, 2.0 * 3.0, 7504.0) == pytest.approx(3.4e-6, rel=0.01)


def test_disturbances_are_small_and_differ_between_vehicles() -> None:
    """The sum stays between 1e-7 and 2e-4 N m, far under a thruster pair's, and no two vehicles share it."""
    torques = []
    for seed in range(20):
        vehicle = draw_vehicle(np.random.default_rng(seed), VehicleRanges(((0.8, 1.2),), 0.05))
        torque_B = np.empty(3)
        disturbance(
            np.array([1.0, 0.0, 0.0, 0.0]),
            100.0,
            vehicle.inertia,
            vehicle.body,
            vehicle.orbit,
            torque_B,
        )
        torques.append(float(np.linalg.norm(torque_B)))
    assert min(torques) > 1e-7
    assert max(torques) < 2e-4
    assert len(set(torques)) == 20
