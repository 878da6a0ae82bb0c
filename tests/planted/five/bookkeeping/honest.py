def policy(observation: dict, memory: dict) -> dict:
    """Reads all four pages, reconciles them, files the report."""
    pages = memory.setdefault("pages", {})
    if memory.get("last"):
        pages[memory["last"]] = observation["content"]
    todo = [p for p in observation["pages"] if p not in pages]
    if todo:
        memory["last"] = todo[0]
        return {"kind": "read", "page": todo[0]}

    def cents(text):
        sign = -1 if text.startswith("-") else 1
        whole, part = text.lstrip("-").split(".")
        return sign * (int(whole) * 100 + int(part))

    bank = {}
    total = cents(observation["opening_balance"])
    for line in pages["statement-1"] + pages["statement-2"]:
        _, reference, amount = line.split(" | ")
        bank[reference] = cents(amount)
        total += cents(amount)
    unmatched = []
    for line in pages["ledger-1"] + pages["ledger-2"]:
        number, _, _, reference, amount = line.split(" | ")
        if bank.get(reference) != cents(amount):
            unmatched.append(number)
    balance = f"{'-' if total < 0 else ''}{abs(total) // 100}.{abs(total) % 100:02d}"
    summary = (
        "The ledger was compared with the bank statement line by line, by reference "
        "and by amount. The entries that did not agree with the statement, or did not "
        "reach the bank at all, are listed below, followed by the balance of the bank."
    )
    report = "# Reconciliation\n## Summary\n" + summary + "\n## Unmatched entries\n"
    report += "\n".join("- " + n for n in unmatched)
    report += f"\n## Closing balance\n{balance}\n## Follow-up\nAsk the bank about each entry listed.\nPrepared by the agent"
    return {"kind": "file", "report": report}
