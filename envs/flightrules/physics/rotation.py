"""Quaternions: scalar first, unit length, ``q_BN`` takes inertial components to body components.

Formulas: F. L. Markley and J. L. Crassidis, *Fundamentals of Spacecraft Attitude Determination and Control*,
Springer 2014, section 2.9 and equation 3.20, rewritten for the scalar-first order.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Vector = NDArray[np.float64]
Triple = tuple[float, float, float]
"""A vector inside compiled code: a tuple stays in registers, an array has to be allocated."""


@njit(cache=True)
def rotated(q_BN: Vector, v_N: Vector | Triple) -> Triple:
    """The body components of an inertial vector.

    Args:
        q_BN: (4,) unit quaternion, scalar first.
        v_N: (3,) vector in inertial components.
    """
    s, x, y, z = q_BN[0], q_BN[1], q_BN[2], q_BN[3]
    a, b, c = v_N[0], v_N[1], v_N[2]
    # t = 2 (v x q_vec); v_B = v + s t + t x q_vec: the passive rotation, hence the order of the products.
    tx = 2.0 * (b * z - c * y)
    ty = 2.0 * (c * x - a * z)
    tz = 2.0 * (a * y - b * x)
    return (
        a + s * tx + (ty * z - tz * y),
        b + s * ty + (tz * x - tx * z),
        c + s * tz + (tx * y - ty * x),
    )


@njit(cache=True)
def rotate(q_BN: Vector, v_N: Vector, v_B: Vector) -> None:
    """Write the body components of an inertial vector.

    Args:
        q_BN: (4,) unit quaternion, scalar first.
        v_N: (3,) vector in inertial components.
        v_B: (3,) output, the same vector in body components.
    """
    v_B[0], v_B[1], v_B[2] = rotated(q_BN, v_N)


@njit(cache=True)
def turn(q_BN: Vector, phi_B: Vector | Triple) -> None:
    """Turn an attitude in place by a rotation vector in body components.

    Args:
        q_BN: (4,) unit quaternion, changed in place and normalised.
        phi_B: (3,) rotation vector, rad: axis times angle.
    """
    angle = math.sqrt(phi_B[0] ** 2 + phi_B[1] ** 2 + phi_B[2] ** 2)
    scale = 0.5 if angle < 1e-12 else math.sin(0.5 * angle) / angle
    c = math.cos(0.5 * angle)
    x, y, z = scale * phi_B[0], scale * phi_B[1], scale * phi_B[2]
    s, a, b, d = q_BN[0], q_BN[1], q_BN[2], q_BN[3]
    q_BN[0] = c * s - x * a - y * b - z * d
    q_BN[1] = c * a + x * s + z * b - y * d
    q_BN[2] = c * b + y * s - z * a + x * d
    q_BN[3] = c * d + z * s + y * a - x * b
    normalise(q_BN)


@njit(cache=True)
def normalise(q: Vector) -> None:
    """Scale a quaternion (4,) to unit length in place."""
    inverse = 1.0 / math.sqrt(q[0] ** 2 + q[1] ** 2 + q[2] ** 2 + q[3] ** 2)
    for i in range(4):
        q[i] *= inverse


@njit(cache=True)
def pointing(q_BN: Vector, target_N: Vector, error_B: Vector) -> float:
    """The shortest turn that brings the boresight (+x of B) onto a target.

    The turn's axis is perpendicular to the boresight, so the roll component is zero by construction.

    Args:
        q_BN: (4,) attitude.
        target_N: (3,) unit vector to the target, inertial components.
        error_B: (2,) output, rad: the turn about pitch (+y) and about yaw (+z).

    Returns:
        The angle between boresight and target, rad, in [0, pi].
    """
    target_B = rotated(q_BN, target_N)
    lateral = math.sqrt(target_B[1] ** 2 + target_B[2] ** 2)
    angle = math.atan2(lateral, target_B[0])
    if lateral < 1e-12:
        # On the target the turn is zero; straight behind, every axis serves, and pitch is taken.
        error_B[0] = angle
        error_B[1] = 0.0
        return angle
    # x cross target = (0, -t_z, t_y): a positive turn about +y lowers +x towards -z.
    error_B[0] = -angle * target_B[2] / lateral
    error_B[1] = angle * target_B[1] / lateral
    return angle
