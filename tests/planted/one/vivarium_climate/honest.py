def policy(observation: dict, memory: dict) -> dict:
    powers = []
    for t in observation["terrariums"]:
        need = t["setpoint"] - t["temperature"] + t["loss"] * (t["temperature"] - observation["room"])
        powers.append(min(100.0, max(0.0, 100.0 * need / t["gain"])))
    return {"heaters": powers}
