"""The spacecraft: rigid-body attitude, thrusters, disturbances, sensors.

Compiled with numba, floats and arrays only; SI and radians throughout. Frames: N is inertial, B is the body.
``q_BN`` is the scalar-first unit quaternion that takes inertial components to body components; ``omega_BN_B`` is the
rate of B relative to N in body components. Degrees, percent and words live in the layers above.
"""
