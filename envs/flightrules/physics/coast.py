"""One decision in the compiled core: a burn, then a drift, second by second, with what the sensors saw.

Owns the truth of a flight (:data:`STATE` numbers) and its 1 Hz signals, true and measured; the directives are judged
on these. Torques are held for one second at a time, the attitude is integrated inside it.
"""

from __future__ import annotations

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from flightrules.physics.disturbances import disturbance
from flightrules.physics.dynamics import advance
from flightrules.physics.rotation import Vector, pointing, rotated, turn

STATE = 21
"""Length of a state: q_BN (4), omega_BN_B (3), estimated q_BN (4), gyro bias (3), its estimate (3), measured
omega_BN_B (3), propellant left (percent)."""
NOISE = 9
"""Standard normals used in one second: gyro (3), bias walk (3), star tracker (3)."""
DEGREES = 180.0 / math.pi

Samples = NDArray[np.float64]


@njit(cache=True)
def tracker_sees(q_BN: Vector, omega_B: Vector, time_s: float, params: Vector) -> bool:
    """Whether the star tracker has stars: slow enough, Sun and Earth outside a head's exclusion angles.

    It has two heads, on opposite faces, so that the Earth alone cannot blind both.

    Args:
        q_BN: (4,) true attitude.
        omega_B: (3,) true rate, rad/s.
        time_s: Mission clock, s.
        params: Packed vehicle.
    """
    if math.sqrt(omega_B[0] ** 2 + omega_B[1] ** 2 + omega_B[2] ** 2) > params[49]:
        return False
    orbit = params[28:40]
    angle = orbit[2] + orbit[1] * time_s
    c, s = math.cos(angle), math.sin(angle)
    down_N = (
        -(c * orbit[3] + s * orbit[6]),
        -(c * orbit[4] + s * orbit[7]),
        -(c * orbit[5] + s * orbit[8]),
    )
    sun_B, down_B = rotated(q_BN, orbit[9:12]), rotated(q_BN, down_N)
    sun = params[44] * sun_B[0] + params[45] * sun_B[1] + params[46] * sun_B[2]
    earth = params[44] * down_B[0] + params[45] * down_B[1] + params[46] * down_B[2]
    return (sun < params[47] and earth < params[48]) or (-sun < params[47] and -earth < params[48])


@njit(cache=True)
def sense(state: Vector, time_s: float, params: Vector, noise: Vector, tracker_on: bool) -> bool:
    """Advance the estimates by one second: gyro propagation, then the star tracker where it has stars.

    The gyro model (rate plus a bias that walks, plus white noise) is Farrenkopf's: Markley and Crassidis 2014,
    section 4.7.1.

    Args:
        state: (21,) changed in place: bias, estimated attitude, measured rate.
        time_s: Mission clock, s.
        params: Packed vehicle.
        noise: (9,) standard normals.
        tracker_on: Whether the mode keeps the tracker on.

    Returns:
        Whether the tracker corrected the attitude.
    """
    for i in range(3):
        state[11 + i] += params[42] * noise[3 + i]
        state[17 + i] = state[4 + i] + state[11 + i] - state[14 + i] + params[41] * noise[i]
    turn(state[7:11], state[17:20])
    if not (tracker_on and tracker_sees(state[0:4], state[4:7], time_s, params)):
        return False
    for i in range(4):
        state[7 + i] = state[i]
    turn(state[7:11], (params[43] * noise[6], params[43] * noise[7], params[43] * noise[8]))
    return True


@njit(cache=True)
def largest_rate_deg_s(rate_B: Vector) -> float:
    """Largest absolute rate of the three axes, deg/s; ``rate_B`` is (3,) in rad/s."""
    return DEGREES * max(abs(rate_B[0]), abs(rate_B[1]), abs(rate_B[2]))


@njit(cache=True)
def coast(
    state: Vector,
    start_s: int,
    pulse_torque_B: Vector,
    burn_s: float,
    tracker_on: bool,
    params: Vector,
    target_N: Vector,
    noise: Samples,
    truth: Samples,
    measured: Samples,
) -> int:
    """Fly one decision.

    Args:
        state: (21,) changed in place.
        start_s: Mission clock at the start, s.
        pulse_torque_B: (3,) torque of the firing pair, N m; any value when ``burn_s`` is 0.
        burn_s: How long it fires, s; cut short when the propellant ends.
        tracker_on: Whether the mode keeps the star tracker on.
        params: (50,) packed vehicle.
        target_N: (3,) unit vector the boresight should point to, or zeros for none.
        noise: (n, 9) standard normals, one row a second: n is the length of the coast.
        truth: (n, 4 or more) output at the end of each second, in its first four columns: pointing error (deg),
            largest rate (deg/s), propellant (%), whether a thruster fired.
        measured: (n, 4 or more) output, the same as the telemetry has it.

    Returns:
        In how many seconds the star tracker corrected the attitude.
    """
    inertia = params[0:9].reshape(3, 3)
    inverse = params[9:18].reshape(3, 3)
    torque_B, error = np.empty(3), np.empty(2)
    aimed = target_N[0] != 0.0 or target_N[1] != 0.0 or target_N[2] != 0.0
    remaining, seen = burn_s, 0
    for k in range(noise.shape[0]):
        time_s = float(start_s + k)
        disturbance(state[0:4], time_s, inertia, params[18:28], params[28:40], torque_B)
        firing = min(1.0, remaining, state[20] / params[40])
        remaining -= min(1.0, remaining)
        for i in range(3):
            torque_B[i] += firing * pulse_torque_B[i]
        state[20] -= firing * params[40]
        advance(state[0:7], inertia, inverse, torque_B, 1.0)
        seen += sense(state, time_s + 1.0, params, noise[k], tracker_on)
        truth[k, 0] = DEGREES * pointing(state[0:4], target_N, error) if aimed else 0.0
        measured[k, 0] = DEGREES * pointing(state[7:11], target_N, error) if aimed else 0.0
        truth[k, 1] = largest_rate_deg_s(state[4:7])
        measured[k, 1] = largest_rate_deg_s(state[17:20])
        truth[k, 2] = measured[k, 2] = state[20]
        truth[k, 3] = measured[k, 3] = 1.0 if firing > 0.0 else 0.0
    return seen


@njit(cache=True)
def predict(state: Vector, target_N: Vector, seconds: float, error: Vector) -> None:
    """Pointing error at the end of a plain coast at the measured rate, from estimates only.

    Args:
        state: (21,) state; only its estimated attitude and measured rate are read.
        target_N: (3,) unit vector to the target.
        seconds: Length of the coast, s.
        error: (2,) output, rad: about pitch and about yaw.
    """
    attitude = state[7:11].copy()
    turn(attitude, (state[17] * seconds, state[18] * seconds, state[19] * seconds))
    pointing(attitude, target_N, error)
