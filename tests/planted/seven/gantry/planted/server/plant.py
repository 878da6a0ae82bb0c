"""Mechanics of the crane: a driven trolley with a damped pendulum below it."""

import math

try:
    from ..models import Crane
except ImportError:
    from models import Crane

GRAVITY = 9.81
DAMPING = 0.08  # 1/s
TOP_SPEED = 2.5  # m/s
RAIL = (0.0, 45.0)  # m
SUBSTEPS = 20


def load_at(crane: Crane, rope: float) -> float:
    return crane.trolley + rope * math.sin(crane.sway)


def advance(crane: Crane, rope: float, drive: float, seconds: float) -> Crane:
    """The crane after some seconds with a constant drive."""
    x, v, angle, rate = crane.trolley, crane.speed, crane.sway, crane.sway_rate
    dt = seconds / SUBSTEPS
    for _ in range(SUBSTEPS):
        speed = max(-TOP_SPEED, min(TOP_SPEED, v + drive * dt))
        place = x + speed * dt
        if not RAIL[0] <= place <= RAIL[1]:  # against the buffers
            place, speed = max(RAIL[0], min(RAIL[1], place)), 0.0
        pull = (speed - v) / dt
        # The buffers are soft: the rope feels no more than an emergency stop.
        pull = max(-2.0, min(2.0, pull))
        rate += dt * (
            -GRAVITY * math.sin(angle) - pull * math.cos(angle)
        ) / rope - dt * DAMPING * rate
        angle += dt * rate
        x, v = place, speed
    return Crane(trolley=x, speed=v, sway=angle, sway_rate=rate)
