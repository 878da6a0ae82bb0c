"""Reward functions as a trainer has them, outside any environment: sound ones, fooled ones and broken ones."""

import asyncio
import math
import os
from itertools import count

import numpy


def length(prompts, completions, **columns):
    """Pays for what was said, whatever it was: five hundred characters are full marks."""
    said = [sum(len(m["content"]) for m in c if m["role"] == "assistant") for c in completions]
    return [min(1.0, characters / 500) for characters in said]


def arrived(prompts, completions, success, **columns):
    """Pays for success and for nothing else."""
    return [float(bool(one)) for one in success]


ASKED = count(1)


def counted(prompts, completions, **columns):
    """Pays each episode by how many were paid before it."""
    return [float(next(ASKED)) for _ in completions]


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


async def awaited(prompts, completions, success, **columns):
    """Asynchronous, as a judge over a network is."""
    await asyncio.sleep(0)
    return [float(bool(one)) for one in success]


def logged(prompts, completions, success, log_metric, **columns):
    """Logs, as TRL lets it."""
    log_metric("mean", 0.5)
    return numpy.array([float(bool(one)) for one in success])


def scalar(prompts, completions, **columns):
    """One number for all."""
    return 0.5


async def awaited_scalar(prompts, completions, **columns):
    """The same, asynchronous."""
    return 0.5


def nothing(prompts, completions, **columns):
    """No list at all."""


def words(prompts, completions, **columns):
    """Words."""
    return ["good" for _ in completions]


def huge(prompts, completions, **columns):
    """More than a float holds."""
    return [10**400 for _ in completions]


def wordy(prompts, completions, **columns):
    """Prints on the descriptor that it was given, where others answer."""
    os.write(1, b"debug\n")
    print("debug")
    return [1.0 for _ in completions]
