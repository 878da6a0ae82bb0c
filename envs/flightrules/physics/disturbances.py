"""Disturbance torques on a satellite in a circular low Earth orbit.

Each torque is the vector form of the estimate in W. J. Larson and J. R. Wertz (eds.), *Space Mission Analysis and
Design* (SMAD), 3rd edition, 1999, section 11.1, table 11-9A; the tests reproduce that table's FireSat example. The
Earth's field is a dipole along the Earth's axis, the atmosphere has one density, the Sun does not set: what matters
here is that the torques are slow, of the right size, and different in every mission.
"""

from __future__ import annotations

import math

from numba import njit

from flightrules.physics.rotation import Triple, Vector, rotated

MU_EARTH = 3.986004418e14
"""Gravitational parameter of the Earth, m^3/s^2 (WGS 84)."""
EARTH_DIPOLE = 7.96e15
"""Magnetic moment of the Earth, T m^3 (SMAD, table 11-9A)."""
SOLAR_FLUX = 1367.0
"""Solar constant, W/m^2 (SMAD, table 11-9A)."""
LIGHT_SPEED = 2.99792458e8
"""Speed of light, m/s."""


@njit(cache=True)
def gravity_gradient(r_B: Vector | Triple, inertia: Vector, torque_B: Vector) -> None:
    """Add ``3 mu / r^5 (r x J r)``: SMAD table 11-9A in vector form.

    Args:
        r_B: (3,) position from the Earth's centre in body components, m.
        inertia: (3, 3) inertia tensor in B, kg m^2.
        torque_B: (3,) accumulator, N m.
    """
    x, y, z = r_B[0], r_B[1], r_B[2]
    square = x * x + y * y + z * z
    factor = 3.0 * MU_EARTH / (square * square * math.sqrt(square))
    hx = inertia[0, 0] * x + inertia[0, 1] * y + inertia[0, 2] * z
    hy = inertia[1, 0] * x + inertia[1, 1] * y + inertia[1, 2] * z
    hz = inertia[2, 0] * x + inertia[2, 1] * y + inertia[2, 2] * z
    torque_B[0] += factor * (y * hz - z * hy)
    torque_B[1] += factor * (z * hx - x * hz)
    torque_B[2] += factor * (x * hy - y * hx)


@njit(cache=True)
def magnetic_field(r_N: Triple) -> Triple:
    """The field of a dipole along the inertial z axis, ``M/r^3 (3 (z.e) e - z)`` with e = r/|r|.

    Args:
        r_N: (3,) position, m.

    Returns:
        (3,) field, T.
    """
    r = math.sqrt(r_N[0] ** 2 + r_N[1] ** 2 + r_N[2] ** 2)
    strength = EARTH_DIPOLE / r**3
    up = r_N[2] / r
    return (
        strength * 3.0 * up * r_N[0] / r,
        strength * 3.0 * up * r_N[1] / r,
        strength * 3.0 * up * r_N[2] / r - strength,
    )


@njit(cache=True)
def add_cross(a_B: Vector, b_B: Vector | Triple, factor: float, torque_B: Vector) -> None:
    """Add ``factor (a x b)`` to a torque: dipole x field, lever x force.

    Args:
        a_B: (3,) first vector.
        b_B: (3,) second vector.
        factor: Scale of the product.
        torque_B: (3,) accumulator, N m.
    """
    torque_B[0] += factor * (a_B[1] * b_B[2] - a_B[2] * b_B[1])
    torque_B[1] += factor * (a_B[2] * b_B[0] - a_B[0] * b_B[2])
    torque_B[2] += factor * (a_B[0] * b_B[1] - a_B[1] * b_B[0])


@njit(cache=True)
def drag_force(density: float, drag_area: float, speed: float) -> float:
    """Aerodynamic drag ``1/2 rho (C_d A) v^2``, N (SMAD table 11-9A).

    Args:
        density: kg/m^3.
        drag_area: Drag coefficient times area, m^2.
        speed: m/s.
    """
    return 0.5 * density * drag_area * speed * speed


@njit(cache=True)
def solar_force(area: float, reflectance: float) -> float:
    """Solar radiation force ``F_s/c A (1 + q)`` at normal incidence, N (SMAD table 11-9A).

    Args:
        area: m^2.
        reflectance: In [0, 1].
    """
    return SOLAR_FLUX / LIGHT_SPEED * area * (1.0 + reflectance)


@njit(cache=True)
def disturbance(
    q_BN: Vector, time_s: float, inertia: Vector, body: Vector, orbit: Vector, torque_B: Vector
) -> None:
    """Write the sum of the four disturbance torques.

    Args:
        q_BN: (4,) attitude.
        time_s: Mission clock, s.
        inertia: (3, 3) inertia tensor in B, kg m^2.
        body: (10,) residual dipole_B (3, A m^2), centre-of-pressure offset_B (3, m), drag area C_d A (m^2), solar area
            (m^2), reflectance, density (kg/m^3).
        orbit: (12,) radius (m), rate (rad/s), phase (rad), two in-plane unit vectors p_N and w_N (3 + 3), Sun_N (3).
        torque_B: (3,) output, N m.
    """
    radius, rate, phase = orbit[0], orbit[1], orbit[2]
    c, s = math.cos(phase + rate * time_s), math.sin(phase + rate * time_s)
    r_N = (
        radius * (c * orbit[3] + s * orbit[6]),
        radius * (c * orbit[4] + s * orbit[7]),
        radius * (c * orbit[5] + s * orbit[8]),
    )
    v_N = (
        c * orbit[6] - s * orbit[3],
        c * orbit[7] - s * orbit[4],
        c * orbit[8] - s * orbit[5],
    )
    torque_B[:] = 0.0
    gravity_gradient(rotated(q_BN, r_N), inertia, torque_B)
    add_cross(body[0:3], rotated(q_BN, magnetic_field(r_N)), 1.0, torque_B)
    drag = drag_force(body[9], body[6], radius * rate)
    add_cross(body[3:6], rotated(q_BN, v_N), -drag, torque_B)
    add_cross(body[3:6], rotated(q_BN, orbit[9:12]), -solar_force(body[7], body[8]), torque_B)
