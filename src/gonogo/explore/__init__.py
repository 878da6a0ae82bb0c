"""Exploring an environment as a tester would: values from everywhere, and a search that what opens up leads."""
