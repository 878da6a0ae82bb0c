"""The file of the author's words, as it is written once: with the questions beside the fields."""

from __future__ import annotations

import json
from typing import Any

from gonogo.config import THEMES, Answer, Words

__all__ = ["text_of"]

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
