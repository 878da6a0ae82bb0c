"""The file of the author's words, as it is written once: a template with questions, or a model's draft.

The draft is from an OpenAI-compatible server: it is marked as one, and never confirmed.
"""

from __future__ import annotations

import json
from contextlib import closing
from typing import Any

from gonogo.config import THEMES, Answer, Words, blank, check_words
from gonogo.errors import ConfigError, PolicyFailure
from gonogo.models.endpoint import EndpointPolicy
from gonogo.rollouts.types import View
from gonogo.wire import JsonObject

__all__ = ["draft", "text_of"]

HEAD = """\
# What an author says of {environment}, for `gonogo theme`: what no flight can measure. gonogo writes this file once and
# never changes it. An answer is true, false or null (not answered: no point), its reason one or two sentences.
"""
QUESTIONS = {
    "underexplored": "Is the domain underexplored? Asked only where the environment says too little to be compared.",
    "paper": "Could a paper be written about it?",
    "pitch": "Does a three-minute pitch carry people who are no engineers?",
    "gap": "the capability gap, in one sentence",
    "observes": "what the agent observes each step",
    "decides": "what it decides",
    "does": "what it does",
    "verified": "exactly how success is verified by a program",
    "remember": "why a reader will remember it",
    "space": "the environment's Space",
    "notebook": "the notebook that trains, or its file",
    "writeup": "the writeup, or its file",
    "video": "the video",
    "tracker": "the training's figures at a tracker",
}


def text_of(words: Words, environment: str) -> str:
    """Words as a commented YAML file that reads back as the same words."""
    data = words.model_dump(mode="json")
    lines = [
        HEAD.format(environment=" ".join(environment.split())),
        "# The number of one of the themes below; null takes the one that scores highest.",
        f"theme: {scalar(data['theme'])}",
        "",
        "# maps: does the core mechanic map to the theme's expected outcome? trains: does the reward naturally train",
        "# the capability? Leave out the themes of which there is nothing to say.",
        "themes:",
    ]
    for theme, claim in words.themes.items():
        lines += [f'  "{theme}":  # {THEMES[theme]}']
        lines += [f"    maps: {answer(claim.maps)}", f"    trains: {answer(claim.trains)}"]
    lines += [""]
    asked = {"underexplored": words.underexplored, "paper": words.paper, "pitch": words.pitch}
    for name, given in asked.items():
        lines += [f"# {QUESTIONS[name]}", f"{name}: {answer(given)}"]
    lines += ["", "# The problem statement.", "statement:"]
    for name, text in data["statement"].items():
        lines += [f"  # {QUESTIONS[name]}", f"  {name}: {scalar(text)}"]
    lines += [
        "",
        "# Links of the README, for `gonogo report --readme`: addresses, or empty.",
        "links:",
    ]
    lines += [f"  {name}: {scalar(to)}  # {QUESTIONS[name]}" for name, to in data["links"].items()]
    lines += [
        "",
        "# The model that drafted these words, or null. A draft is to be read, corrected and confirmed by a human.",
        f"drafted_by: {scalar(data['drafted_by'])}",
        "# Set it to true when you stand by the statement. No program does.",
        f"confirmed: {scalar(data['confirmed'])}",
    ]
    return "\n".join(lines) + "\n"


def answer(given: Answer) -> str:
    """An answer on one line."""
    return f"{{answer: {scalar(given.answer)}, reason: {scalar(given.reason)}}}"


def scalar(value: Any) -> str:
    """A value as JSON writes it, which YAML reads as the same."""
    return json.dumps(value, ensure_ascii=False)


LONGEST = 3000
"""Tokens of the longest draft."""
REPLY_S = 120.0
"""Seconds that the server may take."""
SYSTEM = """\
You help the author of a reinforcement learning environment to fill in a form about it. Answer with one JSON object of
exactly the form's fields and nothing else. An answer is true, false or null where you cannot know, with a reason of
one or two sentences of at most 400 characters. Each text of the statement is one plain sentence of at most 600
characters. Say only what the environment's description supports."""


def draft(address: str, environment: str) -> Words:
    """Ask a model for the words.

    Args:
        address: The server's base URL; its fragment is the model's name.
        environment: What is known of the environment, as JSON.

    Raises:
        Misuse: No model was named and the server lists none or several.
        PolicyFailure: The server did not answer, or what it said is no draft.
    """
    base, _, model = address.partition("#")
    policy = EndpointPolicy(
        base,
        model or None,
        name="draft",
        system=SYSTEM,
        max_reply_tokens=LONGEST,
        timeout_s=REPLY_S,
    )
    form = blank().model_dump(mode="json", exclude={"links", "drafted_by", "confirmed"})
    asked = f"The environment:\n{environment}\n\nThe form:\n{json.dumps(form)}"
    with closing(policy):
        policy.begin([0])
        reply = policy.act({0: View(text=asked, observation={}, options={}, turn=0)})[0]
    if reply.text is None:
        raise PolicyFailure(f"no draft: {reply.why}")
    said = read_object(reply.text)
    # Whatever it says of them: no address is made up, who drafted it is known, and a program confirms nothing.
    said |= {"links": {}, "drafted_by": model or base, "confirmed": False}
    try:
        return check_words(said, "the draft")
    except ConfigError as error:
        raise PolicyFailure(f"no draft, the model broke the form: {error}") from error


def read_object(text: str) -> JsonObject:
    """The JSON object that a reply holds, without what stands around it."""
    first, last = text.find("{"), text.rfind("}")
    try:
        found = json.loads(text[first : last + 1])
    except ValueError as error:
        raise PolicyFailure(f"no draft, the reply is not JSON: {error}") from None
    if not isinstance(found, dict):
        raise PolicyFailure("no draft, the reply is no JSON object")
    return found
