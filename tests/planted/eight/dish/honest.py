def policy(observation: dict, memory: dict) -> dict:
    """Brakes in time: wants the rate from which the remaining way still stops it."""
    source = observation["source"] or {"azimuth": 0, "elevation": 0}

    def torque(axis, goal):
        way, rate = goal - axis["angle"], axis["rate"]
        wanted = min(10.0, (3.6 * abs(way)) ** 0.5, 0.8 * abs(way))
        return max(-1.0, min(1.0, ((wanted if way > 0 else -wanted) - 0.95 * rate) / 3))

    return {
        "azimuth": torque(observation["azimuth"], source["azimuth"]),
        "elevation": torque(observation["elevation"], source["elevation"]),
    }
