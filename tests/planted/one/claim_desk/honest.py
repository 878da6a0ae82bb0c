def between(text, left, right):
    start = text.index(left) + len(left)
    return text[start:text.index(right, start)]


def read(letter):
    values = {
        "full_name": between(letter, "my name is ", " and I hold"),
        "policy_number": between(letter, "policy ", ". "),
        "phone": between(letter, "reach me under ", "."),
        "destination": between(letter, "travelled to ", " on "),
        "departure_date": between(letter, " on ", " and came"),
        "return_date": between(letter, "came home on ", "."),
        "item": between(letter, "I lost ", " worth"),
        "bank": between(letter, "account at ", ", number"),
        "iban": between(letter, "number ", ", with"),
        "reference": between(letter, "the reference ", "."),
    }
    values["amount"], values["currency"] = between(letter, " worth ", ". ").split()
    return values


def policy(observation, memory):
    values = read(observation["letter"])
    for field, value in observation["form"].items():
        if value != values[field]:
            return {"op": "set", "field": field, "value": values[field]}
    return {"op": "submit"}
