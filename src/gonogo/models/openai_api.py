"""An OpenAI-compatible API over HTTP: JSON out, JSON back, and every way in which there is none is a failure.

A key goes along where the environment variable ``GONOGO_API_KEY`` holds one; no other variable is read, so that
no key reaches a server that it was not meant for. Nothing is retried.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from gonogo.env.http import LOCAL_HOSTS
from gonogo.errors import PolicyFailure
from gonogo.wire import JsonObject

__all__ = ["KEY_VARIABLE", "Api", "shown"]

KEY_VARIABLE = "GONOGO_API_KEY"
GOOD, NOT_FOUND = range(200, 300), 404
SHOWN_CHARS = 200
LONGEST_ANSWER = 1 << 22


class Api:
    """One server; its methods may be called from several threads at once.

    Args:
        address: Base URL of the API, such as ``http://127.0.0.1:8000/v1``.
        timeout_s: Seconds that one answer may take.

    Attributes:
        address: The same, without a slash at the end.
    """

    def __init__(self, address: str, timeout_s: float) -> None:
        self.address = address.rstrip("/")
        self._timeout_s = timeout_s
        local = urlsplit(address).hostname in LOCAL_HOSTS
        handlers = [urllib.request.ProxyHandler({})] if local else []
        self._opener = urllib.request.build_opener(*handlers)

    def ask(self, route: str, body: JsonObject | None = None) -> Any:
        """A JSON answer of the server; a body is posted.

        Raises:
            PolicyFailure: There is none.
        """
        said = self._good(route, body)
        try:
            return json.loads(said)
        except ValueError as error:
            raise PolicyFailure(f"{self.address}{route} did not answer JSON: {error}") from None

    def tell(self, route: str, body: JsonObject) -> None:
        """Post something whose answer says nothing but that it was done.

        Raises:
            PolicyFailure: It was not.
        """
        self._good(route, body)

    def knows(self, route: str) -> bool:
        """Whether the server has such a route.

        Raises:
            PolicyFailure: It cannot be asked.
        """
        return self._open(route, None)[0] != NOT_FOUND

    def _good(self, route: str, body: JsonObject | None) -> bytes:
        code, said = self._open(route, body)
        if code not in GOOD:
            text = shown(said.decode(errors="replace"))
            raise PolicyFailure(f"{self.address}{route} answered {code}: {text}")
        return said

    def _open(self, route: str, body: JsonObject | None) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        url = f"{self.address}{route}"
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(KEY_VARIABLE):
            headers["Authorization"] = f"Bearer {key}"
        data = None if body is None else json.dumps(body).encode()
        try:
            request = urllib.request.Request(url, data, headers)
            with self._opener.open(request, timeout=self._timeout_s) as answer:
                return answer.status, answer.read(LONGEST_ANSWER)
        except urllib.error.HTTPError as error:
            return error.code, error.read(LONGEST_ANSWER)
        except (OSError, HTTPException) as error:
            if isinstance(getattr(error, "reason", error), TimeoutError):
                said = f"{url} did not answer within {self._timeout_s:g} s"
                raise PolicyFailure(said) from None
            raise PolicyFailure(f"{url} gave no answer: {error!r}") from None


def shown(value: Any) -> str:
    """A value cut to a length that fits a message."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"
