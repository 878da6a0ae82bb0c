MONTHS = ["January", "February", "March", "April", "May", "June", "July",
          "August", "September", "October", "November", "December"]


def policy(observation, memory):
    text = observation["notice"]
    words = text.replace(",", "").replace(".", " ").split()
    i = next(i for i, word in enumerate(words) if word in MONTHS and words[i + 1].isdigit() and words[i - 1].isdigit())
    date = f"{words[i + 1]}-{MONTHS.index(words[i]) + 1:02d}-{int(words[i - 1]):02d}"
    j = next(j for j, word in enumerate(words) if word in ("am", "pm"))
    hour, minute = words[j - 1].split(":")
    start = f"{int(hour) % 12 + (12 if words[j] == 'pm' else 0):02d}:{minute}"
    price = text.split("Tickets are ")[1].split(" at the door")[0] if "Tickets are " in text else "0"
    price = str(float(price))
    if text.startswith("Save the date"):
        title = text.split("m. ")[1].split(" at ")[0]
        venue = text.split(title + " at ")[1].split(". ")[0]
        contact = text.split("Questions go to ")[1].rstrip(".")
    elif " invites you to the " in text:
        contact, rest = text.split(" invites you to the ")
        title, rest = rest.split(" at ", 1)
        venue = rest.split(". ")[0]
    else:
        title = text.split("!")[0]
        venue = text.split("we meet at ")[1].split(". ")[0]
        contact = text.split("Ask ")[1].split(" for more")[0]
    return {
        "record": f'{{"title": "{title}", "date": "{date}", "start": "{start}", '
        f'"venue": "{venue}", "price": {price}, "contact": "{contact}"}}'
    }
