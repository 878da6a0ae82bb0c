"""The file of the author's words: read where it is, and else written once, as a template or as a model's draft.

The draft is from an OpenAI-compatible server: it is marked as one, and never confirmed.
"""

from __future__ import annotations

import json
from contextlib import closing
from functools import partial
from importlib.resources import files

from jinja2 import StrictUndefined, Template

from gonogo.config import THEMES, RunConfig, Words, blank, check_words, read_words
from gonogo.errors import ConfigError, Misuse, PolicyFailure
from gonogo.models.endpoint import EndpointPolicy
from gonogo.records.contract import ContractReport
from gonogo.records.files import write_text
from gonogo.records.submission import ThemeFacts
from gonogo.rollouts.types import View
from gonogo.submission.theme.catalogue import described_parts, words_of
from gonogo.wire import JsonObject

SHIPPED = files(__package__).joinpath("words.yaml.j2").read_text(encoding="utf-8")
TEMPLATE = Template(
    SHIPPED, trim_blocks=True, keep_trailing_newline=True, undefined=StrictUndefined
)
LONGEST = 3000
"""Tokens of the longest draft."""
REPLY_S = 120.0
"""Seconds that the server may take."""
SYSTEM = """\
You help the author of a reinforcement learning environment to fill in a form about it. Answer with one JSON object of
exactly the form's fields and nothing else. An answer is true, false or null where you cannot know, with a reason of
one or two sentences of at most 400 characters. Each text of the statement is one plain sentence of at most 600
characters. Say only what the environment's description supports."""


def words_there(run: RunConfig) -> Words | None:
    """The author's words; None where there is no file yet.

    Raises:
        ConfigError: The file broke a rule.
        Misuse: There are words, and a draft was asked for.
    """
    if not run.words.exists():
        return None
    words = read_words(run.words)
    if run.theme.draft is not None and words != blank():
        raise Misuse(
            f"a draft is written where no words are, and {run.words} holds some: go without --draft, or name "
            "another file with --words"
        )
    return words


def write_words(run: RunConfig, mapped: ContractReport, facts: ThemeFacts) -> Words:
    """Write the template, or the draft in its place."""
    words = blank()
    if run.theme.draft is not None:
        words = draft(run.theme.draft, told(mapped, facts))
    write_text(run.words, text_of(words, mapped.environment))
    return words


def told(mapped: ContractReport, facts: ThemeFacts) -> str:
    """What a model that drafts is told of the environment: JSON."""
    parts = described_parts(mapped)
    shown = {
        part: [{"name": name, "description": said} for name, said in parts[part]]
        for part in ("action", "tools", "observation")
    }
    measured = {name: fact.said for name, fact in facts.named().items()}
    return json.dumps({"description": words_of(mapped), **shown, "measured": measured})


def text_of(words: Words, environment: str) -> str:
    """Words as a commented YAML file that reads back as the same words."""
    # YAML reads a value as JSON writes it.
    scalar = partial(json.dumps, ensure_ascii=False)
    named = " ".join(environment.split())
    text: str = TEMPLATE.render(words=words, environment=named, themes=THEMES, json=scalar)
    return text


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
