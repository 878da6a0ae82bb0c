"""How far an environment is from those that OpenEnv ships, by the words in which both are described.

A plain measure: the cosine of TF-IDF vectors, weights learned from the catalogue alone. It sees words and no meaning,
so that a description in other words is far; what is nearest is in the record for a reader to judge.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from gonogo.records.contract import ContractReport
from gonogo.records.submission import KnownEnvironment, UnderexploredFact

SHIPPED = "catalogue.yaml"
SHOWN = 3
NEAR = 0.2
"""Similarity from which on a domain counts as explored. A word or two in common is below it, a paraphrase of an entry
above: the tests have a list of both."""
LEAST_WORDS = 6
"""Different words by which an environment has to be described before it is called far from all others."""
EMPTY_WORDS = frozenset({
    "a", "act", "action", "after", "agent", "alone", "an", "and", "another", "any", "are", "as", "at", "back", "be",
    "between", "by", "can", "default", "each", "end", "env", "environment", "episode", "for", "from", "has", "have",
    "in", "into", "is", "it", "its", "last", "learning", "many", "may", "model", "no", "not", "of", "on", "one",
    "openenv", "or", "other", "reward", "rl", "such", "several", "simple", "single", "so", "space", "step", "that",
    "the", "their", "them", "these", "this", "through", "to", "train", "training", "under", "until", "use", "used",
    "using", "what", "where", "which", "while", "with", "without",
})  # fmt: skip
"""Words that say nothing of a domain."""

Matrix = NDArray[np.float64]


class Catalogue:
    """The environments that are known.

    Args:
        repository: Where they were read.
        commit: Which version of it.
        entries: A description of each, by name.
    """

    def __init__(self, repository: str, commit: str, entries: dict[str, str]) -> None:
        self.repository, self.commit = repository, commit
        self.names = list(entries)
        texts = [terms(f"{name} {text}") for name, text in entries.items()]
        frequency = Counter(word for text in texts for word in set(text))
        self._weights = {word: float(np.log(len(texts) / n)) + 1.0 for word, n in frequency.items()}
        self._strange = float(np.log(len(texts))) + 1.0
        self._vocabulary = {word: place for place, word in enumerate(sorted(frequency))}
        self._rows: Matrix = np.stack([self._vector(text) for text in texts])

    def nearest(self, text: str) -> list[tuple[str, float]]:
        """The entries with their similarity, 0 to 1, the nearest first; ties in the catalogue's order."""
        similar = self._rows @ self._vector(terms(text))
        order = np.argsort(-similar, kind="stable")
        return [(self.names[place], float(similar[place])) for place in order]

    def _vector(self, words: Sequence[str]) -> Matrix:
        """A text's unit vector, shape (vocabulary,); words that no entry has make it longer before it is scaled."""
        vector = np.zeros(len(self._vocabulary))
        strange = 0.0
        for word, n in Counter(words).items():
            weight = (1.0 + np.log(n)) * self._weights.get(word, self._strange)
            if word in self._vocabulary:
                vector[self._vocabulary[word]] = weight
            else:
                strange += weight**2
        length = float(np.sqrt(vector @ vector + strange))
        return vector / length if length else vector


def terms(text: str) -> list[str]:
    """The words of a text that may say something of a domain: lower case, without a plural's s."""
    apart = re.sub(r"(?<=[a-z])(?=[A-Z])", " ", text)
    found = [word for word in re.findall(r"[a-z]+", apart.lower()) if word not in EMPTY_WORDS]
    return [word[:-1] if len(word) > 3 and word[-1] == "s" else word for word in found if word[1:]]


@cache
def load_catalogue() -> Catalogue:
    """The shipped catalogue."""
    text = files(__package__).joinpath(SHIPPED).read_text(encoding="utf-8")
    return Catalogue(**yaml.safe_load(text))


def own_words(mapped: ContractReport) -> str:
    """How an environment describes itself: its name, its own and its manifest's description, its tags."""
    metadata, manifest = mapped.metadata or {}, mapped.manifest or {}
    types: Any = (manifest.get("validation") or {}).get("types") or {}
    said = [mapped.environment, metadata.get("description"), manifest.get("description")]
    said += types.get("tags") or []
    return " ".join(str(text) for text in said if text)


def words_of(mapped: ContractReport) -> str:
    """How an environment describes itself; with the names of its fields and tools where that is little."""
    said = own_words(mapped)
    if len(set(terms(said))) >= LEAST_WORDS:
        return said
    parts = described_parts(mapped)
    entries = [*parts["tools"], *parts["action"], *parts["observation"]]
    return " ".join([said, *(f"{name} {description or ''}" for name, description in entries)])


def described_parts(mapped: ContractReport) -> dict[str, list[tuple[str, str | None]]]:
    """Names and descriptions of an environment's fields and tools."""
    tools = [(tool["name"], tool.get("description")) for tool in mapped.action.tools]
    return {
        "action": [(field.name, field.description) for field in mapped.action.fields],
        "tools": tools,
        "observation": [(field.name, field.description) for field in mapped.observation],
        "state": [(field.name, field.description) for field in mapped.state],
    }


def distance(mapped: ContractReport) -> UnderexploredFact:
    """Whether the domain is underexplored, and what is nearest.

    Names of fields help to find what is nearest; how far that is, only a description can tell.
    """
    catalogue, text = load_catalogue(), words_of(mapped)
    near = [(name, alike) for name, alike in catalogue.nearest(text)[:SHOWN] if alike > 0]
    listed = ", ".join(f"{name} ({alike:.2f})" for name, alike in near) or "none with a common word"
    said = f"the nearest of OpenEnv's {len(catalogue.names)} environments, by their words: {listed}"
    described = len(set(terms(own_words(mapped))))
    holds: bool | None = True
    if near and near[0][1] >= NEAR:
        holds, said = False, f"{said}, and {NEAR:g} is near"
    elif described < LEAST_WORDS:
        holds = None
        said = f"{said}; its description has {described} words, too few to call it far"
    else:
        said = f"{said}; none is near ({NEAR:g} and more)"
    return UnderexploredFact(
        holds=holds,
        said=said,
        nearest=tuple(KnownEnvironment(name=n, similarity=round(alike, 3)) for n, alike in near),
        near_from=NEAR,
        entries=len(catalogue.names),
        catalogue=f"{catalogue.repository} at {catalogue.commit}",
        words=tuple(sorted(set(terms(text)))),
    )
