"""Directives: orders in plain language, and the temporal logic that decides whether they were met.

``formula`` is the syntax, ``monitor`` (over ``kernel``) the verdict, ``language`` the words made
from a formula, ``directive`` the order that a mission carries. Nothing here knows of physics,
missions or rewards.
"""
