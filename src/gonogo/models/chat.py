"""The turn format of a pretrained chat model, cut out of its chat template.

The template renders a conversation of placeholders, once; the texts between them are the markers of turns. After that
no template is rendered and no reply is encoded again, so that a template must keep the beginning of a conversation as
it was. Templates differ in what they take, and what they refuse is tried in another form:

- **System prompt.** As a message of the role ``system``; if the template refuses it, leaves it out or moves it to a
  later message, at the head of the first observation.
- **Contents.** As texts; if the template wants lists of parts, as those.
- **Reasoning.** A template may write an empty block of reasoning before a reply that is to be generated, and drop it
  from the history; the block then stays in our history. A template that opens a block and leaves it open is refused:
  ``model.chat_template_kwargs`` turns reasoning off, and ``model.chat_template`` replaces the template.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import signature
from typing import Any, Literal, TypedDict

from jinja2 import TemplateError

from gonogo.config import ModelConfig
from gonogo.errors import Misuse
from gonogo.models.tokenizer import TurnFormat
from gonogo.wire import JsonObject

OBSERVATIONS = ("\ue000first\ue000", "\ue000second\ue000", "\ue000third\ue000")
REPLIES = ("\ue000reply\ue000", "\ue000answer\ue000")
SYSTEM = "\ue000system\ue000"
TAG = re.compile(r"[<\[](?P<closes>/)?[\w|]*?[\w](?P<ends>\|)?[>\]]")
"""``<think>`` opens a block of reasoning; ``</think>`` and ``<channel|>`` close one."""
WAY_OUT = (
    "set model.chat_template_kwargs, such as {enable_thinking: false}, or give another template, "
    "model.chat_template"
)


class TextPart(TypedDict):
    """A text of a message, for templates that want contents as lists of parts."""

    type: Literal["text"]
    text: str


class ChatMessage(TypedDict):
    """A message of a conversation, as chat templates take it."""

    role: Literal["system", "user", "assistant"]
    content: str | list[TextPart]


@dataclass(frozen=True, slots=True)
class Pieces:
    """The texts between the placeholders of a conversation."""

    opening: str
    """Before the first observation."""
    before_reply: str
    between: str
    """From a reply to the next observation; it begins with the token that ends a reply."""


def chat_format(
    tokenizer: Any, system: str | None = None, model: ModelConfig | None = None, name: str = ""
) -> TurnFormat:
    """Cut the format out of a pretrained model's chat template.

    Args:
        tokenizer: With a chat template; gets the one that the config names.
        system: System prompt, or None.
        model: Says which template, and its variables; None for the tokenizer's own without any.
        name: Of the model, to begin an error with.

    Raises:
        Misuse: There is no template, it fails, it rewrites history or texts, its end of turn is not one token, or the
            tokenizer's pad token is missing or the end token.
    """
    try:
        return cut(tokenizer, system, model or ModelConfig())
    except Misuse as error:
        raise Misuse(f"{name}: {error}" if name else str(error)) from error


def cut(tokenizer: Any, system: str | None, model: ModelConfig) -> TurnFormat:
    """The format; see :func:`chat_format`. Errors do not name the model.

    Raises:
        Misuse: The template cannot carry an episode, or the tokens that end a reply and that pad do not fit.
    """
    pieces = pieces_of(renderer(tokenizer, model), told=system is not None)
    ahead, _, behind = pieces.opening.partition(SYSTEM)
    around = None if system is None else (ahead, behind)
    first, between, before_reply = (
        tokenizer.encode(text, add_special_tokens=False)
        for text in (pieces.opening, pieces.between, pieces.before_reply)
    )
    if not between or tokenizer.decode(between[:1]) not in {
        tokenizer.eos_token, *tokenizer.all_special_tokens,
    }:  # fmt: skip
        raise Misuse(f"a reply must end with one special token, not with {pieces.between!r}")
    end, *rest = between
    pad = tokenizer.pad_token_id
    if pad is None or pad == end:
        raise Misuse(
            f"the pad token must be set and differ from {tokenizer.decode([end])!r}; for a training, "
            "model.pad_token names another"
        )
    turns = TurnFormat(tuple(first), tuple(rest), tuple(before_reply), end, pad, around)
    return turns if system is None else turns.told(tokenizer, system)


def renderer(tokenizer: Any, model: ModelConfig) -> Callable[[list[ChatMessage]], str]:
    """What renders a conversation that goes on with a reply.

    Raises:
        Misuse: There is no template, or a variable has the name of something else.
    """
    if model.chat_template is not None:
        try:
            tokenizer.chat_template = model.chat_template.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise Misuse(f"model.chat_template cannot be read: {error}") from error
    if tokenizer.chat_template is None:
        raise Misuse("the tokenizer has no chat template; model.chat_template gives it one")
    words: JsonObject = model.chat_template_kwargs
    if taken := sorted(words.keys() & signature(tokenizer.apply_chat_template).parameters.keys()):
        raise Misuse(f"model.chat_template_kwargs must name variables of the template, not {taken}")

    def render(conversation: list[ChatMessage]) -> str:
        # A template is a stranger's program: jinja raises its own errors, and passes on those of its expressions.
        try:
            rendered: str = tokenizer.apply_chat_template(
                conversation, tokenize=False, add_generation_prompt=True, **words
            )
        except (TemplateError, TypeError, ValueError, OverflowError) as error:
            said = (str(error).strip() or type(error).__name__).splitlines()[0]
            raise Misuse(f"its chat template fails: {said}") from error
        return rendered

    return render


def pieces_of(render: Callable[[list[ChatMessage]], str], *, told: bool) -> Pieces:
    """The pieces in the first form of conversation that the template carries.

    Args:
        render: Renders a conversation.
        told: Whether there is a system prompt.

    Raises:
        Misuse: It carries none; says why it refuses the plainest.
    """
    refused: list[Misuse] = []
    for as_parts in (False, True):
        for opened in openings(told=told):
            try:
                return split(render, opened, as_parts=as_parts)
            except Misuse as error:
                refused.append(error)
    raise refused[1 if told else 0]


def openings(*, told: bool) -> Iterator[list[ChatMessage]]:
    """How a conversation may begin: with a system message, or with the prompt in the first observation."""
    one = OBSERVATIONS[0]
    if told:
        yield [{"role": "system", "content": SYSTEM}, {"role": "user", "content": one}]
        yield [{"role": "user", "content": f"{SYSTEM}\n\n{one}"}]
    else:
        yield [{"role": "user", "content": one}]


def split(
    render: Callable[[list[ChatMessage]], str], opening: list[ChatMessage], *, as_parts: bool
) -> Pieces:
    """Render a conversation and cut it at its placeholders.

    Raises:
        Misuse: The template rewrites it.
    """
    later: list[ChatMessage] = []
    for reply, observation in zip(REPLIES, OBSERVATIONS[1:], strict=True):
        later += [
            {"role": "assistant", "content": reply},
            {"role": "user", "content": observation},
        ]
    if as_parts:
        opening, later = (
            [
                ChatMessage(role=m["role"], content=[TextPart(type="text", text=str(m["content"]))])
                for m in messages
            ]
            for messages in (opening, later)
        )
    whole = render([*opening, *later])
    one, two, three = OBSERVATIONS
    marks = [one, REPLIES[0], two, REPLIES[1], three]
    if any(SYSTEM in str(message["content"]) for message in opening):
        marks.insert(0, SYSTEM)
    if any(whole.count(mark) != 1 for mark in marks):
        raise Misuse("the chat template leaves out or repeats a message")
    places = [whole.index(mark) for mark in marks]
    if places != sorted(places):
        raise Misuse("the chat template moves a message")
    ends = [place + len(mark) for place, mark in zip(places, marks, strict=True)]
    gaps = [whole[end:start] for end, start in zip(ends, [*places[1:], len(whole)], strict=True)]
    first = whole[: whole.index(one)]
    reply_1, between_1, reply_2, between_2, generated = gaps[-5:]
    if render(opening) != first + one + generated:
        raise Misuse("the chat template does not keep the conversation's beginning as it was")
    if reply_1 != reply_2 or between_1 != between_2:
        raise Misuse("the chat template writes the same turn in different ways")
    return Pieces(first, joined(reply_1, generated), between_1)


def joined(kept: str, generated: str) -> str:
    """What stands before each reply, where a template writes it in two ways.

    Args:
        kept: Before a reply of the history.
        generated: Before a reply that is to be generated.

    Raises:
        Misuse: The two have nothing in common, or reasoning is left open.
    """
    if kept.startswith(generated):
        # Spaces alone belong to the reply: a model writes them itself.
        return generated if not kept[len(generated) :].strip() else kept
    if not generated.startswith(kept):
        raise Misuse(f"the chat template writes the same turn in different ways; {WAY_OUT}")
    block = generated[len(kept) :]
    tags = list(TAG.finditer(block))
    if block.strip() and not (tags and (tags[-1]["closes"] or tags[-1]["ends"])):
        raise Misuse(
            f"the chat template opens a block of reasoning before each reply, {block!r}, which it drops from the "
            f"history: {WAY_OUT}"
        )
    return generated
