"""Reward functions as a trainer has them, outside any environment: sound ones, fooled ones and broken ones."""

import math


def length(prompts, completions, **columns):
    """Pays for what was said, whatever it was: five hundred characters are full marks."""
    said = [sum(len(m["content"]) for m in c if m["role"] == "assistant") for c in completions]
    return [min(1.0, characters / 500) for characters in said]


def arrived(prompts, completions, success, **columns):
    """Pays for success and for nothing else."""
    return [float(bool(one)) for one in success]


def silent(prompts, completions, **columns):
    """Says nothing of any episode."""
    return [None for _ in completions]


def short(prompts, completions, **columns):
    """Answers for one episode too few."""
    return [0.0 for _ in completions][1:]


def undefined(prompts, completions, **columns):
    """No number."""
    return [math.nan for _ in completions]


def raises(prompts, completions, **columns):
    """A fault of its own."""
    raise KeyError("answer")
