"""Attitude kinematics: rotations keep length, invert, and point."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from flightrules.physics.rotation import pointing, rotate, turn

components = st.floats(-1.0, 1.0)
quaternions = st.tuples(components, components, components, components).filter(
    lambda q: math.hypot(*q) > 0.1
)
vectors = st.tuples(components, components, components).filter(lambda v: math.hypot(*v) > 0.1)


def unit(values: tuple[float, ...]) -> np.ndarray:
    """The values as a unit vector."""
    return np.array(values) / np.linalg.norm(values)


@given(quaternions, vectors)
def test_rotate_agrees_with_scipy(q: tuple[float, ...], v: tuple[float, ...]) -> None:
    """``rotate`` is the passive rotation: the inverse of scipy's active one."""
    q_BN, v_B = unit(q), np.empty(3)
    rotate(q_BN, np.array(v), v_B)
    np.testing.assert_allclose(
        v_B, Rotation.from_quat(q_BN, scalar_first=True).inv().apply(v), atol=1e-12
    )


@given(quaternions, vectors)
def test_turn_is_a_body_rotation(q: tuple[float, ...], phi: tuple[float, ...]) -> None:
    """Turning by a body rotation vector multiplies from the right."""
    q_BN = unit(q)
    expected = Rotation.from_quat(q_BN, scalar_first=True) * Rotation.from_rotvec(phi)
    turn(q_BN, np.array(phi))
    assert (Rotation.from_quat(q_BN, scalar_first=True).inv() * expected).magnitude() < 1e-9


@given(quaternions, vectors)
def test_pointing_error_brings_the_boresight_onto_the_target(
    q: tuple[float, ...], t: tuple[float, ...]
) -> None:
    """Turning by the reported error about pitch and yaw ends on the target."""
    q_BN, target_N, error = unit(q), unit(t), np.empty(2)
    angle = pointing(q_BN, target_N, error)
    assert math.isclose(math.hypot(*error), angle, abs_tol=1e-9)
    turn(q_BN, np.array([0.0, error[0], error[1]]))
    assert pointing(q_BN, target_N, error) < 1e-6


def test_pointing_straight_behind() -> None:
    """A target straight behind is 180 degrees away, about pitch by convention."""
    error = np.empty(2)
    angle = pointing(np.array([1.0, 0.0, 0.0, 0.0]), np.array([-1.0, 0.0, 0.0]), error)
    assert math.isclose(angle, math.pi)
    assert error.tolist() == [angle, 0.0]
