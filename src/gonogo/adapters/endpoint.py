"""A model behind an OpenAI-compatible server as a policy: one conversation an episode, greedy.

A server that does not answer in time, answers an error or answers something else than a chat completion loses
the episode, which the policy leaves with the reason: infrastructure is never a score. A completion that is no
action is the model's own doing and is judged like any reply. Nothing is retried.

A key goes along where the environment variable ``GONOGO_API_KEY`` holds one; no other variable is read, so that
no key reaches a server that it was not meant for.
"""

from __future__ import annotations

import json
import os
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from gonogo.adapters.openenv_http import LOCAL_HOSTS
from gonogo.errors import Misuse, PolicyFailure
from gonogo.rollout.protocols import Json, Reply, View

__all__ = ["KEY_VARIABLE", "EndpointPolicy"]

KEY_VARIABLE = "GONOGO_API_KEY"
AT_ONCE = 8
SHOWN_CHARS = 200
LONGEST_ANSWER = 1 << 22


class EndpointPolicy:
    """Flies with a served model.

    Args:
        address: Base URL of the API, such as ``http://127.0.0.1:8000/v1``.
        model: The model's name there; None for the only one that the server lists.
        name: Name for the record.
        system: System prompt.
        max_reply_tokens: Longest reply.
        timeout_s: Seconds that one reply may take.

    Raises:
        Misuse: No model was named and the server lists none or several.
        PolicyFailure: No model was named and the server cannot be asked.
    """

    def __init__(
        self,
        address: str,
        model: str | None,
        *,
        name: str,
        system: str,
        max_reply_tokens: int,
        timeout_s: float,
    ) -> None:
        self.name = name
        self._address = address.rstrip("/")
        self._timeout_s = timeout_s
        self._longest = max_reply_tokens
        self._opening = [{"role": "system", "content": system}]
        self._said: dict[int, list[Json]] = {}
        self._pool = ThreadPoolExecutor(AT_ONCE)
        local = urlsplit(address).hostname in LOCAL_HOSTS
        handlers = [urllib.request.ProxyHandler({})] if local else []
        self._opener = urllib.request.build_opener(*handlers)
        self._model = model or self._only_model()

    def begin(self, slots: Iterable[int]) -> None:
        """New conversations."""
        for slot in slots:
            self._said[slot] = list(self._opening)

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """One reply for each view, asked for at the same time."""
        for slot, view in views.items():
            self._said[slot].append({"role": "user", "content": view.text})
        answers = self._pool.map(self._reply, views)
        replies = dict(zip(views, answers, strict=True))
        for slot, reply in replies.items():
            self._said[slot].append({"role": "assistant", "content": reply.text or ""})
        return replies

    def end(self, slots: Iterable[int]) -> None:
        """Forget these conversations."""
        for slot in slots:
            self._said.pop(slot, None)

    def close(self) -> None:
        """End the threads."""
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _reply(self, slot: int) -> Reply:
        asked = {
            "model": self._model,
            "messages": self._said[slot],
            "max_tokens": self._longest,
            "temperature": 0,
            "stream": False,
        }
        try:
            return read_completion(self._ask("/chat/completions", asked))
        except PolicyFailure as error:
            return Reply(leaves=True, why=str(error))

    def _ask(self, route: str, body: Json | None) -> Any:
        """A JSON answer of the server.

        Raises:
            PolicyFailure: There is none.
        """
        url = f"{self._address}{route}"
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(KEY_VARIABLE):
            headers["Authorization"] = f"Bearer {key}"
        data = None if body is None else json.dumps(body).encode()
        try:
            request = urllib.request.Request(url, data, headers)
            with self._opener.open(request, timeout=self._timeout_s) as answer:
                return json.loads(answer.read(LONGEST_ANSWER))
        except urllib.error.HTTPError as error:
            said = error.read(LONGEST_ANSWER).decode(errors="replace")
            raise PolicyFailure(f"{url} answered {error.code}: {shown(said)}") from None
        except (OSError, HTTPException) as error:
            if isinstance(getattr(error, "reason", error), TimeoutError):
                said = f"{url} did not answer within {self._timeout_s:g} s"
                raise PolicyFailure(said) from None
            raise PolicyFailure(f"{url} gave no answer: {error!r}") from None
        except ValueError as error:
            raise PolicyFailure(f"{url} did not answer JSON: {error}") from None

    def _only_model(self) -> str:
        listed = self._ask("/models", None)
        try:
            names = [str(entry["id"]) for entry in listed["data"]]
        except (KeyError, TypeError):
            said = f"{self._address}/models does not list models: {shown(listed)}"
            raise PolicyFailure(said) from None
        if len(names) != 1:
            raise Misuse(
                f"{self._address} has {len(names)} models ({', '.join(names[:8])}): name one, as in "
                f"{self._address}#{names[0] if names else 'model'}"
            )
        return names[0]


def read_completion(answer: Any) -> Reply:
    """The text of a chat completion, with the server's count of tokens where it gives one.

    Raises:
        PolicyFailure: It is none.
    """
    try:
        content = answer["choices"][0]["message"]["content"]
    except (KeyError, IndexError, TypeError):
        raise PolicyFailure(f"the server's answer is no chat completion: {shown(answer)}") from None
    if content is None:
        content = ""  # what servers send where the model said nothing
    if not isinstance(content, str):
        raise PolicyFailure(f"the server's answer has no text: {shown(answer)}")
    return Reply(text=content, counted=read_usage(answer.get("usage")))


def read_usage(usage: Any) -> tuple[int, int] | None:
    """Tokens read and said, where the server counts both."""
    if not isinstance(usage, dict):
        return None
    read, said = usage.get("prompt_tokens"), usage.get("completion_tokens")
    return (read, said) if type(read) is int and type(said) is int else None


def shown(value: Any) -> str:
    """A value cut to a length that fits a message."""
    text = value if isinstance(value, str) else json.dumps(value)
    return text if len(text) <= SHOWN_CHARS else text[:SHOWN_CHARS] + "…"
