"""What an environment's words say of its reward, and what other sentences don't."""

from __future__ import annotations

import ast

import pytest

from gonogo.contract.documented_pay import (
    README,
    DocumentedPay,
    DocumentedSentence,
    field_descriptions,
    manifest_texts,
    says_length,
)


def told(*texts: str) -> DocumentedPay:
    """What a README of these texts says."""
    return DocumentedPay.of((README, text) for text in texts)


@pytest.mark.parametrize(
    "text",
    [
        "| Field | Type | Description |\n|---|---|---|\n| `reward` | float \\| None | Cumulative reward, in (0, 1) |",
        "| `reward` | float | None | Cumulative reward |",
        "- `reward` (float) - running total of the episode",
        "reward: Cumulative score so far",
        "The reward is the score so far.",
        "It goes on. The reward is cumulative: what was earned stays.",
        "The `reward` at each step is the accumulated reward.",
        "**reward**: the sum of all marks so far",
        "observation.reward holds the running score",
    ],
)
def test_a_reward_is_called_a_running_total(text: str) -> None:
    assert told("Words before.", text, "Words after.").total is not None


@pytest.mark.parametrize(
    "text",
    [
        "The cumulative reward is shown in the observation.",
        "| `cumulative_reward` | float | Sum of rewards |",
        "| `score` | float | Current cumulative score |",
        "The reward is not cumulative.",
        "reward: per-step reward (the cumulative one is in the state)",
        "The agent maximises the cumulative reward.",
        "The final reward is the accumulated score.",
        "The total reward is the running total of step rewards.",
        "If the reward is cumulative, subtract the last one.",
        "The reward is the change of the score so far.",
        "The reward is the score change so far.",
        "The reward is the best score so far.",
        "reward: running average of the score",
        "| `reward` | float | Reward for the last action (incremental) |",
        "Reward accumulates over the episode.",
    ],
)
def test_other_sentences_call_it_none(text: str) -> None:
    assert told(text).total is None


@pytest.mark.parametrize(
    "sentence",
    [
        "The reward is calculated as: `message_length × 0.1`",
        "- `reward` (float) - Reward based on message length (length × 0.1)",
        "Each step earns 0.1 per character.",
        "reward = len(message) * 0.1",
        "reward = 0.1 * len(action.message)",
        "The reward is proportional to the length of the message.",
    ],
)
def test_length_is_said_to_be_paid(sentence: str) -> None:
    assert says_length(sentence)
    assert told(sentence).length == DocumentedSentence(README, sentence)


@pytest.mark.parametrize(
    "sentence",
    [
        "The reward does not depend on the message length.",
        "The score is not based on length.",
        "A penalty of 0.01 per word is taken from the reward.",
        "0.1 per word is added to the reward, up to 0.3.",
        "The message has a length of 10.",
        "The reward is 0.1 per correct word.",
        "`message_length × 0.1` seconds pass.",
    ],
)
def test_other_sentences_say_nothing_of_paid_length(sentence: str) -> None:
    assert not says_length(sentence)


@pytest.mark.parametrize(
    ("names", "earned", "is_part"),
    [
        (["resolution_type"], 0.35, True),
        (["refund"], 0.35, True),
        (["refund"], 0.5, False),
        (["category"], 1 / 3, True),
        (["tone"], 0.2, True),
        (["urgency"], 0.35, False),
        (["a"], 0.1, False),  # such a value stands in any sentence
        (["fund"], 0.35, False),
    ],
)
def test_a_part_of_the_mark_is_given_to_a_decision(
    names: list[str], earned: float, is_part: bool
) -> None:
    said = told(
        '| resolution type = "refund" | 0.35 |',
        "- 0.33 for the right category",
        "- tone: 20% for a polite one",
        "- 0.1 for a greeting",
        "Version 1.35 is about urgency, and so are 35 others.",
    )
    assert (said.part(names, earned) is not None) is is_part


def test_fields_and_manifests_are_described() -> None:
    tree = ast.parse(
        "class Seen:\n    reward: float = Field(0.0, description='Cumulative reward')\n    n: int = 3\n"
    )
    assert list(field_descriptions(tree)) == ["reward: Cumulative reward"]
    manifest = {
        "name": "x",
        "reward": {"type": "float", "description": "cumulative score"},
        "fields": [{"name": "reward", "description": "running total"}],
    }
    said = list(manifest_texts(manifest))
    assert {"reward: cumulative score", "reward: running total"} <= set(said)
    assert all(told(text).total for text in said if text.startswith("reward: ") and "type" in text)


def test_a_sentence_says_where_it_stands() -> None:
    assert str(DocumentedSentence(README, "So it is.")) == "as its README says: “So it is.”"


@pytest.mark.parametrize(
    ("text", "marks"),
    [
        ("Each line pays up to 1/8, an episode up to 1.0.", [0.125, 1.0]),
        ("A perfect week is worth 1.", [1.0]),
        ("Reward is between 0.0 and 1.0.", [1.0]),
        ("The score, in [0, 1], comes at the end.", [1.0]),
        ("Grades lie between 0.0–1.0.", [1.0]),
        ("reward: score out of 10", [10.0]),
        ("A flawless inspection scores 1.0.", [1.0]),
        ("The reward is the share of the lines that are right.", [1.0]),
        ("The reward for a round is the fraction of right calls.", [1.0]),
        ("The episode's maximum reward is 1.0.", [1.0]),
        ("The maximum total score is 10.", [10.0]),
        ("maximum total reward is 10", [10.0]),
        ("The score is max 1.", [1.0]),
        ("Max score: 5", [5.0]),
        ("Each turn earns a reward, max steps 30.", []),
        ("The reward comes late; the max number is 30.", []),
        ("Each day pays `max(0, 1 - error)`, divided by 6.", []),
        ("A wrong one takes up to 0.5 off the reward.", []),
        ("There is a penalty of up to 0.3 on the reward.", []),
        ("A quick answer earns a bonus of up to 0.2.", []),
        ("There are up to 30 steps to earn the reward.", []),
        ("The discount lies between 0 and 1.", []),
        ("The reward is paid for a share of 0.5 or more.", []),
    ],
)
def test_what_is_paid_at_most_is_read(text: str, marks: list[float]) -> None:
    assert [mark for each in told(text).full for mark in each.full_marks] == marks


@pytest.mark.parametrize(
    ("text", "so"),
    [
        ("The tower gives a clearance; say it back, word for word.", True),
        ("Type what you see again.", True),
        ("Transcribe the recording.", True),
        ("Copy each line as it stands.", True),
        ("Never copy the line.", False),
        ("Do not repeat what was said.", False),
        ("Copy the .env.example file to .env.", False),
        ("Players that lose may try again.", False),
        ("The server writes the state back.", False),
        ("Copies made verbatim score zero.", False),
        ("Repeat after me.", True),
        ("Sort the mails and send them back to who asked.", False),
        ("Say which of them is right.", False),
        ("Do not repeat an action.", False),
        ("Go back to the yard.", False),
        ("A copy of the state is kept.", False),
    ],
)
def test_a_sentence_asks_to_say_what_is_shown_once_more(text: str, so: bool) -> None:
    assert (told(text).repeated is not None) is so
