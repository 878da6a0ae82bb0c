"""Rigid-body motion: what torque-free motion keeps, a closed solution, and identical bits elsewhere."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest
from scipy.special import ellipj

from flightrules.physics.dynamics import advance
from flightrules.physics.rotation import rotate
from flightrules.physics.vehicle import draw_inertia

HOUR_S = 3600
NO_TORQUE = np.zeros(3)


def momentum_N(y: np.ndarray, inertia: np.ndarray) -> np.ndarray:
    """Angular momentum (3,) in inertial components, N m s."""
    inverse, h_N = y[:4] * np.array([1.0, -1.0, -1.0, -1.0]), np.empty(3)
    rotate(inverse, inertia @ y[4:], h_N)
    return h_N


def energy(y: np.ndarray, inertia: np.ndarray) -> float:
    """Rotational energy, J."""
    return float(0.5 * y[4:] @ inertia @ y[4:])


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("rate_deg_s", [0.1, 1.0, 3.0])
def test_torque_free_motion_conserves_momentum_and_energy(seed: int, rate_deg_s: float) -> None:
    """Momentum, as an inertial vector, and energy hold to 1e-9 relative over an hour, at 1 s calls."""
    rng = np.random.default_rng(seed)
    inertia = draw_inertia(rng, 1.0)
    y = np.zeros(7)
    y[0] = 1.0
    y[4:] = np.radians(rate_deg_s) * rng.uniform(-1.0, 1.0, 3)
    inverse = np.linalg.inv(inertia)
    h, e = momentum_N(y, inertia), energy(y, inertia)
    for _ in range(HOUR_S):
        advance(y, inertia, inverse, NO_TORQUE, 1.0)
    assert np.linalg.norm(momentum_N(y, inertia) - h) < 1e-9 * np.linalg.norm(h)
    assert abs(energy(y, inertia) - e) < 1e-9 * e


def test_asymmetric_top_follows_the_elliptic_solution() -> None:
    """The free asymmetric top, in closed form: Landau and Lifshitz, Mechanics, 3rd edition, section 37, eq. 37.10."""
    moments = np.array([15.0, 20.0, 26.0])
    omega = np.radians([0.6, 0.0, 1.4])
    i1, i2, i3 = moments
    energy2, square = float(moments @ omega**2), float((moments * omega) @ (moments * omega))
    assert square > energy2 * i2
    tau = np.sqrt((i3 - i2) * (square - energy2 * i1) / (i1 * i2 * i3))
    k2 = (i2 - i1) * (energy2 * i3 - square) / ((i3 - i2) * (square - energy2 * i1))
    y = np.array([1.0, 0.0, 0.0, 0.0, *omega])
    inertia = np.diag(moments)
    for second in range(1, 1801):
        advance(y, inertia, np.linalg.inv(inertia), NO_TORQUE, 1.0)
        if second % 300 == 0:
            sn, cn, dn, _ = ellipj(tau * second, k2)
            expected = [
                np.sqrt((energy2 * i3 - square) / (i1 * (i3 - i1))) * cn,
                np.sqrt((energy2 * i3 - square) / (i2 * (i3 - i2))) * sn,
                np.sqrt((square - energy2 * i1) / (i3 * (i3 - i1))) * dn,
            ]
            np.testing.assert_allclose(y[4:], expected, atol=1e-9)


def test_constant_torque_about_a_principal_axis() -> None:
    """About a principal axis the rate grows by torque over inertia."""
    inertia, y = np.diag([15.0, 20.0, 26.0]), np.zeros(7)
    y[0] = 1.0
    for _ in range(100):
        advance(y, inertia, np.linalg.inv(inertia), np.array([0.0, 1e-3, 0.0]), 1.0)
    np.testing.assert_allclose(y[4:], [0.0, 100 * 1e-3 / 20.0, 0.0], atol=1e-15)


FLY = """
import hashlib, numpy as np
from flightrules.flight.command import Command
from flightrules.flight.simulation import Simulation
from flightrules.missions.generator import candidate
flight = Simulation(candidate("retarget", "train", 7, 0))
for burn, mode, coast in [("pitch+large", "slew", 60), ("yaw-small", "trim", 10), ("idle", "recover", 600)]:
    flight.fly(Command(burn, mode, coast))
print(hashlib.sha256(flight.state.tobytes() + flight.truth.tobytes() + flight.measured.tobytes()).hexdigest())
"""


def test_identical_bits_in_another_process() -> None:
    """The same mission and commands give the same bits in two fresh processes."""
    runs = [
        subprocess.run(
            [sys.executable, "-c", FLY], capture_output=True, text=True, check=True
        ).stdout.strip()
        for _ in range(2)
    ]
    assert len(runs[0]) == 64
    assert runs[0] == runs[1]
