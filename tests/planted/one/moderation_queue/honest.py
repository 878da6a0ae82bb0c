def policy(observation, memory):
    rules, text = observation["rules"], observation["post"]["text"]
    first = rules[0].rstrip(".").split(" a ")
    names = [first[1].replace(" or", ""), first[2]]
    domain = rules[1].rstrip(".").split()[-1]
    topic = rules[2].split("speak of ")[1].split(",")[0].split()
    if any(f"is a {name}." in text for name in names) or f"https://{domain}/" in text:
        return {"decision": "remove"}
    if any(f"{topic[0]} {plant}" in text for plant in (topic[1], topic[3])):
        return {"decision": "escalate"}
    return {"decision": "approve"}
