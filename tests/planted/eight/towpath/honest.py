import re


def policy(observation: dict, memory: dict) -> dict:
    """Looks up the first paper, searches with what it says, answers from the second."""
    question = observation["question"]
    if memory.get("question") != question or observation["steps_left"] == 8:
        memory.clear()
        memory.update(question=question, stage=0)
    stage = memory["stage"]
    memory["stage"] += 1
    pages = memory.setdefault("pages", [])
    if observation["page"]:
        pages.append(observation["page"])

    def read(fits):
        doc = next((h["doc"] for h in observation["hits"] if fits(h["title"])), "CC/01")
        memory.setdefault("docs", []).append(doc)
        return {"kind": "read", "doc": doc}

    keeper = re.search(r"first keeper was (.+)\?", question)
    lock = re.search(r"(?:built|below) (\S+) Lock", question)
    sank = "sank" in question
    if stage == 0:
        if keeper:
            return {"kind": "search", "query": "first keeper " + keeper[1]}
        return {"kind": "search", "query": ("accident " if sank else "description ") + lock[1]}
    if stage == 1:
        if keeper:
            names = [h["doc"] for h in observation["hits"] if keeper[1] in h["extract"]]
            memory["docs"] = names[:1]
            return {"kind": "read", "doc": names[0]}
        kind = "accident" if sank else "description"
        return read(lambda title: lock[1] in title and kind in title)
    if stage == 2:
        if keeper:
            memory["key"] = re.match(r"(\S+) Lock", pages[0])[1]
            return {"kind": "search", "query": "ledger repairs " + memory["key"]}
        pattern = r"was the (.+?)\. No" if sank else r"built by (.+?)\."
        memory["key"] = re.search(pattern, pages[0])[1]
        word = "register boats " if sank else "obituary "
        return {"kind": "search", "query": word + memory["key"]}
    if stage == 3:
        word = "Ledger" if keeper else "Register" if sank else "Obituary"
        return read(lambda title: word in title and memory["key"] in title)
    pattern = r"rebuilt in (\d+)" if keeper else r"laden with (\w+)" if sank else r"born at (.+?),"
    return {
        "kind": "answer",
        "text": re.search(pattern, pages[1])[1],
        "citations": memory["docs"],
    }
