"""The audit station: what is the cheapest way to be paid for nothing?"""
