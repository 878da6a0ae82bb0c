def policy(observation, memory):
    lines = observation["log"].split("\n")
    page = next(x for x in lines if " PAGE: " in x)
    done = next(x for x in lines if " RESOLVED: " in x)
    first = next(x for x in lines if "first errors of the incident" in x)
    found = next(x for x in lines if " investigation: " in x)
    tickets = next(x for x in lines if "support counted" in x).split()[3]
    change = next(x for x in lines if " under CHG-" in x)
    service = page.split("PAGE: ")[1].split()[0]
    region = page.split(" in ")[1].split(",")[0]
    oncall = page.split(", ")[1].split()[0]
    cause, build = found.split("investigation: ")[1].split(" since build ")
    fixer = change.split()[1]
    remedy = change.split(fixer + " ")[1].split(" " + service + " under")[0]
    texts = {
        "summary": f"During the night the service {service} stopped answering a part of its requests . The trouble stayed "
        f"inside the region {region} . The engineer on call was {oncall} , who took the page and led the work until the end .",
        "impact": f"The trouble began at {page.split()[0]} and was over at {done.split()[0]} on the same night . "
        f"In this time {done.split('RESOLVED: ')[1].split()[0]} requests failed for our users . "
        f"The support desk counted {tickets} tickets that speak of the incident . No other service was touched by it at any time .",
        "cause": f"The investigation found that the cause was {cause} in the service . It came in with the build {build} and "
        f"was not seen in review . The host that showed the first errors was {first.split()[-1]} , before all others did .",
        "remedy": f"The service was {remedy} in order to end the incident for all users . This was done by {fixer} during the night . "
        f"The work is on file under the change number {change.split()[-1]} , where the details can be read .",
    }
    return {"text": texts[observation["section"]].replace(" .", ".").replace(" ,", ",")}
