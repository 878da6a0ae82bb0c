"""Polynomials in x with whole coefficients: reading, writing and arithmetic.

A polynomial is a list of coefficients, lowest power first, without zeros at its end.
"""

import re
from typing import List, Tuple, Union

Poly = List[int]
Tree = Tuple[str, Union[int, "Tree", None], Union[int, "Tree", None]]

MAX_LENGTH = 300
MAX_DEPTH = 12
MAX_DEGREE = 24
MAX_COEFFICIENT = 10**15


class NotAnExpression(ValueError):
    pass


def trim(poly: Poly) -> Poly:
    while poly and poly[-1] == 0:
        poly = poly[:-1]
    if len(poly) > MAX_DEGREE + 1 or any(abs(c) > MAX_COEFFICIENT for c in poly):
        raise NotAnExpression("the numbers get too large")
    return poly


def add(a: Poly, b: Poly) -> Poly:
    size = max(len(a), len(b))
    a, b = a + [0] * (size - len(a)), b + [0] * (size - len(b))
    return trim([x + y for x, y in zip(a, b)])


def multiply(a: Poly, b: Poly) -> Poly:
    if not a or not b:
        return []
    product = [0] * (len(a) + len(b) - 1)
    for i, x in enumerate(a):
        for j, y in enumerate(b):
            product[i + j] += x * y
    return trim(product)


def polynomial(tree: Tree) -> Poly:
    """Multiplies out."""
    kind, left, right = tree
    if kind == "number":
        return trim([left])
    if kind == "x":
        return [0, 1]
    if kind == "neg":
        return multiply([-1], polynomial(left))
    if kind == "^":
        base, power = polynomial(left), [1]
        for _ in range(right):
            power = multiply(power, base)
        return power
    a, b = polynomial(left), polynomial(right)
    if kind == "*":
        return multiply(a, b)
    return add(a, b if kind == "+" else multiply([-1], b))


def parse(text: str) -> Tree:
    """Reads an expression such as `-3x^2 (x + 1) + 4*x`."""
    if len(text) > MAX_LENGTH:
        raise NotAnExpression("too long")
    text = text.replace("**", "^").replace("·", "*").replace("−", "-").lower()
    tokens = re.findall(r"\d+|\S", text)
    position = 0

    def peek() -> str:
        return tokens[position] if position < len(tokens) else ""

    def take() -> str:
        nonlocal position
        position += 1
        return tokens[position - 1]

    def total(depth: int) -> Tree:
        if depth > MAX_DEPTH:
            raise NotAnExpression("too many brackets")
        tree = term(depth)
        while peek() in ("+", "-"):
            sign = take()
            tree = (sign, tree, term(depth))
        return tree

    def term(depth: int) -> Tree:
        negative = False
        while peek() in ("+", "-"):
            negative ^= take() == "-"
        tree = power(depth)
        while peek() == "*" or peek() in ("x", "(") or peek().isdecimal():
            if peek() == "*":
                take()
            tree = ("*", tree, power(depth))
        return ("neg", tree, None) if negative else tree

    def power(depth: int) -> Tree:
        tree = atom(depth)
        if peek() == "^":
            take()
            if not peek().isdecimal() or int(peek()) > MAX_DEGREE:
                raise NotAnExpression("a power has to be a small whole number")
            tree = ("^", tree, int(take()))
        return tree

    def atom(depth: int) -> Tree:
        token = take() if peek() else ""
        if token.isdecimal():
            return ("number", int(token), None)
        if token == "x":
            return ("x", None, None)
        if token == "(":
            tree = total(depth + 1)
            if peek() != ")":
                raise NotAnExpression("a bracket is not closed")
            take()
            return tree
        raise NotAnExpression(f"cannot read {token!r}" if token else "it ends too early")

    tree = total(0)
    if peek():
        raise NotAnExpression(f"cannot read {peek()!r}")
    return tree


def write_terms(terms: List[Tuple[int, int]]) -> str:
    """Writes (coefficient, power) pairs in the order given."""
    text = ""
    for coefficient, power in terms:
        letter = "" if power == 0 else "x" if power == 1 else f"x^{power}"
        size = abs(coefficient)
        body = letter if letter and size == 1 else f"{size}{letter}"
        if text:
            text += f" {'-' if coefficient < 0 else '+'} {body}"
        else:
            text = f"-{body}" if coefficient < 0 else body
    return text or "0"


def write(poly: Poly) -> str:
    return write_terms([(c, p) for p, c in reversed(list(enumerate(poly))) if c])
