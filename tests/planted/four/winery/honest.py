def policy(observation: dict, memory: dict) -> dict:
    left = list(observation["cellar"])
    for assay in observation["assays"]:
        blend = set(assay["casks"])
        hit = assay["tca_ng_l"] > 0.8
        left = [c for c in left if (c in blend) == hit]
    if len(left) == 1 or observation["assays_left"] == 0:
        return {"kind": "condemn", "casks": [left[0]]}
    return {"kind": "assay", "casks": left[:min(8, (len(left) + 1) // 2)]}
