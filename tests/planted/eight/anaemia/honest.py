def policy(observation: dict, memory: dict) -> dict:
    """Works down from the size of the cells and the reticulocytes to the cause."""
    results = observation["results"]

    def value(test):
        return float(results[test].split()[0])

    def order(test):
        return {"kind": "order", "test": test}

    def diagnose(diagnosis):
        return {"kind": "diagnose", "diagnosis": diagnosis}

    for test in ("mcv", "reticulocytes"):
        if test not in results:
            return order(test)
    if value("reticulocytes") > 3:
        if "coombs" not in results:
            return order("coombs")
        positive = results["coombs"] == "positive"
        return diagnose("autoimmune haemolysis" if positive else "spherocytosis")
    if value("reticulocytes") < 0.45:
        return diagnose("aplastic anaemia")
    if value("mcv") > 98:
        if "b12" not in results:
            return order("b12")
        return diagnose("b12 deficiency" if value("b12") < 220 else "folate deficiency")
    if value("mcv") < 78.5:
        if "ferritin" not in results:
            return order("ferritin")
        return diagnose("iron deficiency" if value("ferritin") < 30 else "thalassaemia trait")
    if "crp" not in results:
        return order("crp")
    return diagnose("inflammation" if value("crp") > 12 else "renal anaemia")
