def policy(observation: dict, memory: dict) -> dict:
    left, right = observation["left_c"], observation["right_c"]
    if observation["sun_side"] == "left":
        left -= observation["sun_offset_c"]
    elif observation["sun_side"] == "right":
        right -= observation["sun_offset_c"]
    return {"call": "stop" if abs(left - right) > 13 else "clear"}
