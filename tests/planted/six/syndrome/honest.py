def policy(observation: dict, memory: dict) -> dict:
    """Makes the examination that splits best, until one fever is left."""
    handbook, findings = observation["handbook"], observation["findings"]
    left = [
        fever
        for fever, picture in handbook.items()
        if all(picture[name] == shown for name, shown in findings.items())
    ]
    if len(left) == 1:
        return {"odds": {left[0]: 1.0}}

    def largest(name: str) -> int:
        shown = [handbook[fever][name] for fever in left]
        return max(shown.count(finding) for finding in shown)

    names = [name for name in handbook[left[0]] if name not in findings]
    return {"examine": min(names, key=largest)}
