"""The firm's database, and what people ask of it."""

import random
import sqlite3
from typing import Callable, List, NamedTuple

SCHEMA = """\
CREATE TABLE customers (
    id INTEGER PRIMARY KEY, name TEXT, region TEXT, joined TEXT);
CREATE TABLE products (
    id INTEGER PRIMARY KEY, name TEXT, category TEXT, cents INTEGER);
CREATE TABLE orders (
    id INTEGER PRIMARY KEY, customer_id INTEGER REFERENCES customers (id),
    product_id INTEGER REFERENCES products (id), quantity INTEGER,
    day TEXT,      -- 2024-01-31
    status TEXT);  -- delivered, returned, cancelled, open
"""

REGIONS = ["North", "South", "East", "West", "Islands"]
CATEGORIES = ["garden", "kitchen", "tools", "toys", "books"]
STATUSES = ["delivered"] * 6 + ["returned", "cancelled", "open"]
FIRST = "Ada Bo Cem Dina Elio Fay Gus Hana Ivo Jo Kai Lea Max Nils Ona Pia".split()
LAST = "Abel Brandt Cole Duarte Ekman Fuchs Gill Horn Ito Jansen Kos Lund".split()
THINGS = "rake lamp pan puzzle atlas drill kettle kite spade novel file bowl".split()


class Request(NamedTuple):
    text: str
    columns: List[str]
    reference: str


def stock(db: sqlite3.Connection, rng: random.Random) -> None:
    """Fills a new database."""
    db.executescript(SCHEMA)

    def day(year: int) -> str:
        return f"{year}-{rng.randint(1, 12):02}-{rng.randint(1, 28):02}"

    names = rng.sample([f"{a} {b}" for a in FIRST for b in LAST], 40)
    db.executemany(
        "INSERT INTO customers VALUES (?, ?, ?, ?)",
        [(i, n, rng.choice(REGIONS), day(2023)) for i, n in enumerate(names, 1)],
    )
    db.executemany(
        "INSERT INTO products VALUES (?, ?, ?, ?)",
        [
            (i, f"{thing} {size}", rng.choice(CATEGORIES), rng.randint(4, 120) * 50)
            for i, (thing, size) in enumerate(
                ((t, s) for t in THINGS for s in ("small", "large")), 1
            )
        ],
    )
    db.executemany(
        "INSERT INTO orders VALUES (?, ?, ?, ?, ?, ?)",
        [
            (i, rng.randint(1, 40), rng.randint(1, 24), rng.randint(1, 6), day(2024),
             rng.choice(STATUSES))
            for i in range(1, 501)
        ],
    )


def revenue(rng: random.Random) -> Request:
    month = f"2024-{rng.randint(1, 12):02}"
    return Request(
        f"Turnover in cents of the delivered orders of {month}, for each region that "
        "had any.",
        ["region", "cents"],
        "SELECT c.region, SUM(o.quantity * p.cents) FROM orders o "
        "JOIN customers c ON c.id = o.customer_id "
        "JOIN products p ON p.id = o.product_id "
        f"WHERE o.status = 'delivered' AND o.day LIKE '{month}-%' GROUP BY c.region",
    )


def troubled(rng: random.Random) -> Request:
    status = rng.choice(["returned", "cancelled", "open"])
    return Request(
        f"How many orders are {status}, by category? Leave out categories without any.",
        ["category", "orders"],
        "SELECT p.category, COUNT(*) FROM orders o "
        "JOIN products p ON p.id = o.product_id "
        f"WHERE o.status = '{status}' GROUP BY p.category",
    )


def loyal(rng: random.Random) -> Request:
    region, least = rng.choice(REGIONS), rng.randint(6, 9)
    return Request(
        f"Customers in the region {region} with at least {least} delivered orders, and "
        "how many they have.",
        ["name", "orders"],
        "SELECT c.name, COUNT(*) FROM customers c "
        "JOIN orders o ON o.customer_id = c.id "
        f"WHERE c.region = '{region}' AND o.status = 'delivered' "
        f"GROUP BY c.id HAVING COUNT(*) >= {least}",
    )


def unwanted(rng: random.Random) -> Request:
    first = rng.randint(1, 12)
    month = f"2024-{first:02}"
    return Request(
        f"Products that nobody ordered in {month}, whatever became of the order.",
        ["name", "category"],
        "SELECT name, category FROM products WHERE id NOT IN "
        f"(SELECT product_id FROM orders WHERE day LIKE '{month}-%')",
    )


DESKS: List[Callable[[random.Random], Request]] = [revenue, troubled, loyal, unwanted]
