"""Rigid-body attitude dynamics and their integration.

Euler's equation ``J domega = T - omega x J omega`` and the kinematic equation ``dq = 1/2 Xi(q) omega`` (Markley and
Crassidis 2014, equations 3.147 and 3.20), integrated by the classical fourth-order Runge-Kutta method. The step
shrinks with the rate so that torque-free motion keeps momentum and energy to 1e-9 over an hour.
"""

from __future__ import annotations

import math

from numba import njit

from flightrules.physics.rotation import Vector, normalise

MAX_TURN_PER_STEP = 0.02
"""Largest turn in one integration step, rad: keeps the direction of the inertial momentum to 1e-9 over an hour."""


Motion = tuple[float, float, float, float, float, float, float]
"""``q_BN`` and ``omega_BN_B`` (rad/s), or their time derivative."""


@njit(cache=True)
def derivative(y: Motion, inertia: Vector, inverse: Vector, torque_B: Vector) -> Motion:
    """Time derivative of attitude and rate.

    Args:
        y: (7,) attitude and rate.
        inertia: (3, 3) inertia tensor in B, kg m^2.
        inverse: (3, 3) its inverse.
        torque_B: (3,) external torque, N m.
    """
    s, a, b, c, p, q, r = y
    hx = inertia[0, 0] * p + inertia[0, 1] * q + inertia[0, 2] * r
    hy = inertia[1, 0] * p + inertia[1, 1] * q + inertia[1, 2] * r
    hz = inertia[2, 0] * p + inertia[2, 1] * q + inertia[2, 2] * r
    tx = torque_B[0] - (q * hz - r * hy)
    ty = torque_B[1] - (r * hx - p * hz)
    tz = torque_B[2] - (p * hy - q * hx)
    return (
        0.5 * (-a * p - b * q - c * r),
        0.5 * (s * p - c * q + b * r),
        0.5 * (c * p + s * q - a * r),
        0.5 * (-b * p + a * q + s * r),
        inverse[0, 0] * tx + inverse[0, 1] * ty + inverse[0, 2] * tz,
        inverse[1, 0] * tx + inverse[1, 1] * ty + inverse[1, 2] * tz,
        inverse[2, 0] * tx + inverse[2, 1] * ty + inverse[2, 2] * tz,
    )


@njit(cache=True)
def _moved(y: Motion, seconds: float, dy: Motion) -> Motion:
    """The motion after some seconds at a constant derivative."""
    return (
        y[0] + seconds * dy[0],
        y[1] + seconds * dy[1],
        y[2] + seconds * dy[2],
        y[3] + seconds * dy[3],
        y[4] + seconds * dy[4],
        y[5] + seconds * dy[5],
        y[6] + seconds * dy[6],
    )


@njit(cache=True)
def advance(y: Vector, inertia: Vector, inverse: Vector, torque_B: Vector, seconds: float) -> None:
    """Advance attitude and rate in place under a constant body torque.

    Args:
        y: (7,) ``q_BN`` and ``omega_BN_B``, changed in place; the quaternion leaves normalised.
        inertia: (3, 3) inertia tensor in B, kg m^2.
        inverse: (3, 3) its inverse.
        torque_B: (3,) torque, N m, constant over the interval.
        seconds: Length of the interval, s.
    """
    rate = math.sqrt(y[4] ** 2 + y[5] ** 2 + y[6] ** 2)
    steps = math.ceil(max(rate * seconds, 1e-12) / MAX_TURN_PER_STEP)
    h = seconds / steps
    for _ in range(steps):
        start = (y[0], y[1], y[2], y[3], y[4], y[5], y[6])
        k1 = derivative(start, inertia, inverse, torque_B)
        k2 = derivative(_moved(start, 0.5 * h, k1), inertia, inverse, torque_B)
        k3 = derivative(_moved(start, 0.5 * h, k2), inertia, inverse, torque_B)
        k4 = derivative(_moved(start, h, k3), inertia, inverse, torque_B)
        for i in range(7):
            y[i] += h / 6.0 * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i])
        normalise(y[:4])
