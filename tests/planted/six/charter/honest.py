def policy(observation: dict, memory: dict) -> dict:
    """Collates the three copies, word by word, and takes the reading of the majority."""
    copies = [observation[name].split() for name in ("base", "cartulary", "inspeximus")]
    words = []
    for readings in zip(*copies):
        words.append(max(readings, key=readings.count))
    return {"text": " ".join(words)}
