"""Where a human's lines come from: a terminal that completes them, or whatever stdin is.

Both raise ``EOFError`` at the end of input. prompt_toolkit is imported when there is a terminal to
complete on, and not before.
"""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Protocol, TextIO

from gonogo.play.completion import complete
from gonogo.play.form import Form
from gonogo.records.terminal import visible

if TYPE_CHECKING:
    from prompt_toolkit.completion import Completion
    from prompt_toolkit.document import Document

__all__ = ["Lines", "StreamLines", "TerminalLines", "open_lines"]


class Lines(Protocol):
    """Asks for one line at a time."""

    def ask(self, prompt: str) -> str:
        """One line, without its end.

        Raises:
            EOFError: There are no more (Ctrl-D).
            KeyboardInterrupt: Ctrl-C.
        """
        ...


class StreamLines:
    """Lines of a file or a pipe, echoed, so that what is left on the screen reads as a dialogue.

    Args:
        stream: Where from.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def ask(self, prompt: str) -> str:
        """The stream's next line; see :class:`Lines`."""
        print(prompt, end="", flush=True)
        line = self._stream.readline()
        if not line:
            print()
            raise EOFError
        line = line.rstrip("\r\n")
        print(visible(line.encode("utf-8", "backslashreplace").decode("utf-8")))
        return line


class TerminalLines:
    """Lines typed in a terminal, with history and completion.

    Args:
        form: The action's fields, to complete.
    """

    def __init__(self, form: Form) -> None:
        from prompt_toolkit import PromptSession
        from prompt_toolkit.completion import Completer, Completion

        class FormCompleter(Completer):
            """The form's completions, as prompt_toolkit asks for them."""

            def get_completions(self, document: Document, event: object) -> Iterator[Completion]:
                """What can follow at the cursor."""
                for found in complete(form, document.text_before_cursor):
                    yield Completion(found.text, -found.replaces, display_meta=found.note)

        self._session: PromptSession[str] = PromptSession(completer=FormCompleter())

    def ask(self, prompt: str) -> str:
        """A line as it was typed; see :class:`Lines`."""
        return self._session.prompt(prompt)


def open_lines(form: Form) -> Lines:
    """Lines from this process's stdin, completed where a human sits at it."""
    if sys.stdin.isatty() and sys.stdout.isatty():
        return TerminalLines(form)
    if isinstance(sys.stdin, io.TextIOWrapper):
        # Bytes that are no text reach the form, which refuses them by its rule, instead of a traceback.
        sys.stdin.reconfigure(errors="surrogateescape")
    return StreamLines(sys.stdin)
