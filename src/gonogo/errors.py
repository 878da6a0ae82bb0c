"""Every error that gonogo raises on purpose, in one place.

What leaves a command is either one of these or a bug. Each class knows the exit code it ends a
command with, so that nothing above has to translate::

    GonogoError                    70   a class that does not say otherwise: none is raised
    ├── Misuse                      2   the caller can fix it: a flag, a config field, a target
    │   ├── ConfigError             2   a config file or field broke a rule
    │   ├── Forbidden               2   a gate is NO-GO; a command that meets it answers NO-GO (1)
    │   └── TargetError             2   the target is not an environment that can be opened
    ├── MissingExtra                2   an optional dependency is not installed; names the command
    ├── RecordError                 3   a record cannot be relied on
    │   ├── MissingRecord           3   it is not there, or not readable
    │   └── StaleRecord             3   it is about another version or another environment
    ├── EnvironmentFailure          3   the environment's process or server failed; never a score
    │   └── EnvironmentTimeout      3   it did not answer in time
    ├── PolicyFailure               3   a policy's own process failed or broke the protocol
    ├── DockerfileUnread            3   a Dockerfile holds what only Docker can carry out
    ├── ImageFailure                3   a step of a Dockerfile failed, or what it starts does not answer
    ├── OutOfMemory                 3   the machine does not hold what was asked; names what to lower
    ├── DiskFailure                 3   the disk is full, or takes nothing more; names the file
    └── CodecError                  3   an observation or action does not fit its JSON schema

    Interrupted               130, 143  Ctrl-C or SIGTERM, after the station has saved what it had

Exit codes are the poll's: 0 GO, 1 NO-GO, 2 misuse, 3 HOLD (cannot tell; the message says what is
missing). An infrastructure failure is a HOLD: it says nothing about the agent. No error is a NO-GO:
that is a verdict, which a station answers. What is unforeseen is a fault of gonogo's own and ends a
command with 70 (:mod:`gonogo.faults`).
"""

from __future__ import annotations


class GonogoError(Exception):
    """Base of all errors raised on purpose.

    Attributes:
        exit_code: What a command that ends with this error exits with.
    """

    exit_code: int = 70


class Misuse(GonogoError):
    """The caller asked for something that cannot be: the message is the rule and the value."""

    exit_code = 2


class ConfigError(Misuse):
    """A config file cannot be read, or a field in it broke a rule."""


class TargetError(Misuse):
    """The target is no environment: no such folder, no class there, nothing at the URL."""


class Forbidden(Misuse):
    """A gate is NO-GO and forbids what was asked; the message says what opens it."""


class MissingExtra(GonogoError):
    """An optional dependency is not installed.

    Args:
        extra: The name of the extra that brings it, as in ``gonogo[train]``.
        feature: What needs it, to begin the sentence with.
    """

    exit_code = 2

    def __init__(self, extra: str, feature: str) -> None:
        self.extra = extra
        self.feature = feature
        super().__init__(f"{feature} needs an extra: pip install 'gonogo[{extra}]'")

    def __reduce__(self) -> tuple[type[MissingExtra], tuple[str, str]]:
        # An error is made again from its arguments where it comes out of another process.
        return type(self), (self.extra, self.feature)


class RecordError(GonogoError):
    """A record cannot be relied on."""

    exit_code = 3


class MissingRecord(RecordError):
    """A record that a later step needs is not there, or cannot be read."""


class StaleRecord(RecordError):
    """A record speaks of another schema version, environment or configuration."""


class EnvironmentFailure(GonogoError):
    """The environment crashed, hung up or answered nonsense. Never turned into a score."""

    exit_code = 3


class EnvironmentTimeout(EnvironmentFailure):
    """The environment did not answer in time."""


class PolicyFailure(GonogoError):
    """A policy failed: its process died, or its answer broke the protocol."""

    exit_code = 3


class DockerfileUnread(GonogoError):
    """A Dockerfile holds what is not carried out without Docker; the message names it."""

    exit_code = 3


class ImageFailure(GonogoError):
    """A step of a Dockerfile failed, or the server that it starts does not answer."""

    exit_code = 3


class OutOfMemory(GonogoError):
    """The machine's memory does not hold what was asked of it; the message names what to lower."""

    exit_code = 3


class DiskFailure(GonogoError):
    """The disk is full, or takes nothing more; the message names the file."""

    exit_code = 3


class CodecError(GonogoError):
    """An observation or an action does not fit the JSON schema it is declared with."""

    exit_code = 3


class Interrupted(BaseException):
    """The user or the machine ended the command; no error, so that nothing takes it for one.

    Args:
        number: Of the signal.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(number)

    @property
    def exit_code(self) -> int:
        """As a shell says that a signal ended a program."""
        return 128 + self.number
