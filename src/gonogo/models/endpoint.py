"""A model behind an OpenAI-compatible server as a policy: one conversation an episode, greedy.

A server that does not answer in time, answers an error or answers something else than a chat completion loses
the episode, which the policy leaves with the reason: infrastructure is never a score. A conversation that the model's
context no longer holds ends as that. A completion that is no action is the model's own doing and is judged like any
reply. A server whose chat template refuses the role ``system`` is asked with the system prompt at the head of the first
observation, as :mod:`gonogo.models.chat` does it.

A key goes along where the environment variable ``GONOGO_API_KEY`` holds one; no other variable is read, so that
no key reaches a server that it was not meant for. Nothing is retried.
"""

from __future__ import annotations

import json
import os
import re
import urllib.error
import urllib.request
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPException
from typing import Any
from urllib.parse import urlsplit

from pydantic import BaseModel

from gonogo.env.http import LOCAL_HOSTS
from gonogo.errors import Misuse, PolicyFailure
from gonogo.rollouts.types import Reply, View

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

    def ask(self, route: str, body: BaseModel | None = None) -> Any:
        """A JSON answer of the server; a body is posted.

        Raises:
            PolicyFailure: There is none.
        """
        said = self._good(route, body)
        try:
            return json.loads(said)
        except ValueError as error:
            raise PolicyFailure(f"{self.address}{route} did not answer JSON: {error}") from None

    def tell(self, route: str, body: BaseModel) -> None:
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

    def _good(self, route: str, body: BaseModel | None) -> bytes:
        code, said = self._open(route, body)
        if code not in GOOD:
            text = shown(said.decode(errors="replace"))
            raise PolicyFailure(f"{self.address}{route} answered {code}: {text}")
        return said

    def _open(self, route: str, body: BaseModel | None) -> tuple[int, bytes]:
        """The status and the body of an answer."""
        url = f"{self.address}{route}"
        headers = {"Content-Type": "application/json"}
        if key := os.environ.get(KEY_VARIABLE):
            headers["Authorization"] = f"Bearer {key}"
        data = None if body is None else json.dumps(body.model_dump()).encode()
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


AT_ONCE = 8
OUTGROWN = re.compile(r"answered 4\d\d.*context[ _](length|size|window)", re.I | re.S)
"""How servers say that a conversation is longer than their model's context: vLLM, llama.cpp and OpenAI's own."""
ROLES = re.compile(r"answered [45]\d\d: .*\brole", re.I | re.S)
"""How servers say that their chat template does not take a role: vLLM, llama.cpp and the templates themselves."""


class ChatRequest(BaseModel):
    """What a reply of a conversation is asked for with: greedy, and whole."""

    model: str
    messages: list[dict[str, str]]
    max_tokens: int
    temperature: int = 0
    stream: bool = False


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
        self._api = Api(address, timeout_s)
        self._longest = max_reply_tokens
        self._system = system
        self._told_first = False  # whether the system prompt is part of the first observation
        self._said: dict[int, list[dict[str, str]]] = {}
        self._pool = ThreadPoolExecutor(AT_ONCE)
        self._model = model or self._only_model()

    def begin(self, slots: Iterable[int]) -> None:
        """New conversations."""
        for slot in slots:
            self._said[slot] = []

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

    def _ask(self, slot: int, *, told_first: bool) -> Reply:
        """The reply to a conversation.

        Args:
            slot: The conversation's.
            told_first: Whether the system prompt stands in the first observation, and not before it.

        Raises:
            PolicyFailure: There is none.
        """
        first, *later = self._said[slot]
        opening = [{"role": "system", "content": self._system}, first]
        if told_first:
            opening = [{**first, "content": f"{self._system}\n\n{first['content']}"}]
        asked = ChatRequest(
            model=self._model, messages=[*opening, *later], max_tokens=self._longest
        )
        return read_completion(self._api.ask("/chat/completions", asked))

    def _complete(self, slot: int) -> Reply:
        """The reply to a conversation, in the form that the server takes."""
        if not self._told_first:
            try:
                return self._ask(slot, told_first=False)
            except PolicyFailure as error:
                if not ROLES.search(str(error)):
                    raise
        reply = self._ask(slot, told_first=True)
        self._told_first = True
        return reply

    def _reply(self, slot: int) -> Reply:
        try:
            return self._complete(slot)
        except PolicyFailure as error:
            if OUTGROWN.search(str(error)):
                return Reply(overflows=True)
            return Reply(leaves=True, why=str(error))

    def _only_model(self) -> str:
        listed = self._api.ask("/models")
        try:
            names = [str(entry["id"]) for entry in listed["data"]]
        except (KeyError, TypeError):
            said = f"{self._api.address}/models does not list models: {shown(listed)}"
            raise PolicyFailure(said) from None
        if len(names) != 1:
            raise Misuse(
                f"{self._api.address} has {len(names)} models ({', '.join(names[:8])}): name one, as in "
                f"{self._api.address}#{names[0] if names else 'model'}"
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
