def policy(observation: dict, memory: dict) -> dict:
    """Turns the entry of the catalogue into a label, fact by fact."""
    r = observation["record"]
    text = (
        f"Look closely at this {r['object']}: it is {r['material']} throughout. "
        f"It was made by {r['maker']} in {r['place']} in {r['year']}. "
        f"People used it {r['use']}. "
        f"Its later life was less quiet: {r['history']}. "
        "What would you have kept in its stead?"
    )
    return {"kind": "hang", "text": text}
