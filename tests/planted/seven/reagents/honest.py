ANION = {"white precipitate": "chloride", "no change": "sulfate"}
CATION = {"yellow flame": "sodium", "lilac flame": "potassium", "no change": "ammonium"}


def policy(observation: dict, memory: dict) -> dict:
    """Flame and silver nitrate for each vial, acid where these leave two salts."""
    found = {(f["vial"], f["reagent"]): f["result"] for f in observation["notebook"]}
    labels = {}
    for vial in observation["vials"]:
        for reagent in ("flame", "silver nitrate"):
            if (vial, reagent) not in found:
                return {"tool": "test", "vial": vial, "reagent": reagent}
        silver = found[vial, "silver nitrate"]
        if silver == "yellow precipitate":
            if (vial, "dilute acid") not in found:
                return {"tool": "test", "vial": vial, "reagent": "dilute acid"}
            anion = "carbonate" if found[vial, "dilute acid"] == "fizzing" else "iodide"
        else:
            anion = ANION[silver]
        labels[vial] = f"{CATION[found[vial, 'flame']]} {anion}"
    return {"tool": "finish", "labels": labels}
