import re


def policy(observation: dict, memory: dict) -> dict:
    """Reads the last values of the chart and names the problems they show."""
    patient = observation["patient"]
    chart = patient["chart"]
    last, labs, urine = chart[3], chart[4], chart[5]

    def value(pattern, line):
        return float(re.search(pattern + r" ([\d.]+)", line).group(1))

    ranges = [
        (value("T", last), 35.0, "hypothermia", 38.0, "fever"),
        (value("HR", last), 50, "bradycardia", 101, "tachycardia"),
        (value("BP", last), 90, "hypotension", 180, "hypertension"),
        (value("SpO2", last), 92, "hypoxia", None, ""),
        (value("RR", last), None, "", 25, "tachypnoea"),
        (value("pain", last), None, "", 7, "severe pain"),
        (value("K", labs), 3.5, "hypokalaemia", 5.6, "hyperkalaemia"),
        (value("Na", labs), 133, "hyponatraemia", 147, "hypernatraemia"),
        (value("glucose", labs), 4.0, "hypoglycaemia", 14.1, "hyperglycaemia"),
        (value("Hb", labs), 80, "anaemia", None, ""),
        (value("night:", urine), 0.5, "oliguria", None, ""),
        (value("creatinine", labs) / value("usual", labs), None, "", 1.5, "acute kidney injury"),
    ]
    found = []
    for number, low, below, high, above in ranges:
        if low is not None and number < low:
            found.append(below)
        if high is not None and number >= high:
            found.append(above)
    return {"note": f"Bed {patient['bed']}, {patient['age']} years, {patient['admitted_for']}. "
                    f"Active now: {', '.join(found)}."}
