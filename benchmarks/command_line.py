"""What the benchmarks' options take: a word that is none of it is refused in a line."""

from __future__ import annotations

import argparse
import math
from datetime import datetime, timedelta
from pathlib import Path


def at_least_one(said: str) -> int:
    """A whole number of an option, such as how many fly at once.

    Raises:
        argparse.ArgumentTypeError: It is none, or below one.
    """
    if not said.isdecimal() or int(said) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 on is wanted, not {said!r}")
    return int(said)


def seconds(said: str) -> float:
    """How long something may take.

    Raises:
        argparse.ArgumentTypeError: It is no number above 0 that there is an end to.
    """
    try:
        number = float(said)
    except ValueError:
        number = 0.0
    if not (math.isfinite(number) and number > 0):
        raise argparse.ArgumentTypeError(f"a number above 0 is wanted, not {said!r}")
    return number


def folder_there(said: str) -> Path:
    """A folder of an option that is read.

    Raises:
        argparse.ArgumentTypeError: There is none.
    """
    if not (path := Path(said)).is_dir():
        raise argparse.ArgumentTypeError(f"there is no folder {said}")
    return path


def time_of_day(said: str) -> datetime:
    """The next time that the clock shows some hours and minutes: today, or tomorrow if it has shown them.

    Raises:
        argparse.ArgumentTypeError: It is no such time.
    """
    try:
        shown = datetime.strptime(said, "%H:%M").time()
    except ValueError:
        raise argparse.ArgumentTypeError(f"a time such as 09:30 is wanted, not {said!r}") from None
    return next_at(datetime.now(), shown.hour, shown.minute)


def next_at(now: datetime, hour: int, minute: int) -> datetime:
    """The first time after another at which the clock shows some hours and minutes."""
    then = now.replace(hour=hour, minute=minute, second=0, microsecond=0)
    return then if then > now else then + timedelta(days=1)
