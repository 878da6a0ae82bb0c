import re

MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


def clean(column: str, text: str) -> str:
    """The text of a cell as the codebook asks."""
    if column == "smoker":
        return {"Y": "yes", "smokes": "yes", "N": "no", "never": "no"}.get(text, text)
    if column == "visit":
        found = re.fullmatch(r"(\d+)[. ](\w+)[. ](\d{4})", text)
        if not found:
            return text
        day, month, year = found.groups()
        number = MONTHS.index(month) + 1 if month in MONTHS else int(month)
        return f"{year}-{number:02d}-{int(day):02d}"
    if column == "height":
        return text.replace(".", "")[:3]
    if text.endswith(" g"):
        return f"{text[:-5]}.{text[-5]}"
    return text.replace(",", ".")


def policy(observation: dict, memory: dict) -> dict:
    """Writes the next cell that is not as the codebook asks."""
    for number, row in enumerate(observation["table"]):
        for column, text in row.items():
            if clean(column, text) != text:
                return {"row": number, "column": column, "value": clean(column, text)}
    return {"row": 0, "column": "smoker", "value": observation["table"][0]["smoker"]}
