import re
from math import gcd


def read(text):
    """Coefficients by power of a sum of terms."""
    found = {}
    for sign, number, letter, power in re.findall(
        r"([+-]?)(\d*)(x?)(?:\^(\d+))?", text.replace(" ", "")
    ):
        if number or letter:
            p = int(power or 1) if letter else 0
            found[p] = found.get(p, 0) + int(number or 1) * (-1 if sign == "-" else 1)
    return [found.get(p, 0) for p in range(max(found) + 1)]


def write(poly):
    return "+".join(f"{c}*x^{p}" for p, c in enumerate(poly) if c).replace("+-", "-") or "0"


def times(a, b):
    out = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            out[i + j] += x * y
    return out


def divided(poly, a, b):
    """poly / (ax + b), or None if that does not come out even."""
    rest, quotient = list(poly), []
    while len(rest) > 1:
        if rest[-1] % a:
            return None
        q = rest[-1] // a
        quotient.insert(0, q)
        rest.pop()
        rest[-1] -= q * b
    return None if rest[0] else quotient


def factored(poly):
    front = gcd(*poly)
    poly, brackets = [c // front for c in poly], ""
    while len(poly) > 1:
        for a, b in ((a, b) for a in (1, 2, 3) for b in range(-9, 10) if gcd(a, b) == 1):
            quotient = divided(poly, a, b)
            if quotient:
                brackets, poly = brackets + f"({a}x+{b})".replace("+-", "-"), quotient
                break
    return f"{front * poly[0]}{brackets}"


def policy(observation: dict, memory: dict) -> dict:
    """Calculates: roots for factoring, products for expanding, sums for collecting."""
    task, text = observation["instruction"], observation["expression"]
    if task.startswith("Factor"):
        return {"answer": factored(read(text))}
    if task.startswith("Expand"):
        front = text[: text.index("(")]
        poly = [int(front + "1") if front in ("", "-") else int(front)]
        for bracket in re.findall(r"\(([^)]*)\)", text):
            poly = times(poly, read(bracket))
        return {"answer": write(poly)}
    return {"answer": write(read(text))}
