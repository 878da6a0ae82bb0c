def policy(observation: dict, memory: dict) -> dict:
    pantry, allergies = observation["pantry"], set(observation["allergies"])

    def inside(item):
        if item not in pantry:
            return {item}
        out = set()
        for part in pantry[item]:
            out |= inside(part)
        return out

    return {"withhold": [dish for dish, items in observation["menu"].items()
                         if any(inside(i) & allergies for i in items)]}
