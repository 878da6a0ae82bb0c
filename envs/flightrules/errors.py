"""Everything this environment refuses, in one tree.

::

    FlightRulesError
    ├── RequestError        (also ValueError)  a caller asked for what does not exist
    │   ├── OptionError     a reset option is unknown, malformed, or contradicts another
    │   └── MissionError    a mission cannot be had: unknown level, impossible option, or none that is fair
    ├── EpisodeError        a step where there is no running episode
    └── ConfigurationError  (also ValueError)  the server was started with a setting that cannot work

A message is the rule and the value that broke it, and is fit to be sent over the wire: it names no
file, no line and no hidden truth. Over HTTP a `RequestError` is answered with 422 and an
`EpisodeError` with 409 (`server/app.py`); over a WebSocket both are error messages and the session
lives on.
"""

from __future__ import annotations

import reprlib

SHOWN_MAX = 160
"""Longest value in an error message, characters."""


class FlightRulesError(Exception):
    """Base of every error that this environment raises on purpose."""


class RequestError(FlightRulesError, ValueError):
    """A caller asked for what does not exist."""


class OptionError(RequestError):
    """A reset option is unknown, malformed, or contradicts another."""


class MissionError(RequestError):
    """A mission cannot be had: unknown level, an option that it cannot have, or no fair mission was found."""


class EpisodeError(FlightRulesError):
    """A step where there is no running episode: before reset, or after the end."""


class ConfigurationError(FlightRulesError, ValueError):
    """The server was started with a setting that cannot work."""


def show(value: object) -> str:
    """A value for an error message: short, and plain ASCII, whatever was sent."""
    # reprlib bounds each level, not the whole, and an escape is ten times as long as its character.
    shown = reprlib.repr(value).encode("ascii", "backslashreplace").decode()
    return shown if len(shown) <= SHOWN_MAX else f"{shown[: SHOWN_MAX - 3]}..."
