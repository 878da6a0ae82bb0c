def policy(observation: dict, memory: dict) -> dict:
    """Oak by tree rings, the rest by five radiocarbon measurements averaged."""
    sample = observation["open_samples"][0]
    oak = observation["samples"][sample] == "oak beam"
    results = observation["results"][sample]
    if len(results) < (1 if oak else 5):
        method = "tree_rings" if oak else "radiocarbon"
        return {"kind": "measure", "sample": sample, "method": method}
    years = [float(r.split(": ")[1]) for r in results]
    return {
        "kind": "report",
        "sample": sample,
        "years_bp": sum(years) / len(years),
        "error": 40 if oak else 85,
    }
