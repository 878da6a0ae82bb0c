"""What nobody can win is proven; what is merely hard is not accused."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
from tests.auditing.audits import fly_audit

from gonogo.auditing.checks.unwinnable import NeverEqual, SourceTexts, exhausted, questions
from gonogo.rollouts.episodes import Episode, Turn

GIVEN = 'tickets = [{"label": name} for name in ["LOW", "TOP"]]\n'


def asked(*body: str) -> list[tuple[str, tuple[str, ...], bool]]:
    """The questions of a function whose answer is always no."""
    lines = ["def step(self, action, ticket):", *(f"    {line}" for line in body)]
    tree = ast.parse(GIVEN + "\n".join(lines))
    return [(q.test, q.texts, q.matters) for q in questions(tree, "env.py", SourceTexts([tree]))]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        (
            ["said = action.text.lower()", "if said == ticket['label']:", "    reward = 1"],
            [("said == ticket['label']", ("LOW", "TOP"), True)],
        ),
        (
            ["said = words[1].strip().lower() if words else ''", "right = ticket['label'] == said"],
            [("ticket['label'] == said", ("LOW", "TOP"), True)],
        ),
        (
            ["if action.text.upper() == 'go' and self.open:", "    self.note = 1"],
            [("action.text.upper() == 'go'", ("go",), False)],
        ),
        (["said = action.text.upper()", "if said == ticket['label']:", "    reward = 1"], []),
        (["said = action.text", "if said == ticket['label']:", "    reward = 1"], []),
        (["said = action.text.lower()", "if said == 'go':", "    reward = 1"], []),
        # given elsewhere, too, in whatever case
        (
            [
                "said = action.text.lower()",
                "said = action.other",
                "right = said == ticket['label']",
            ],
            [],
        ),
        (["ticket['label'] = read()", "right = action.text.lower() == ticket['label']"], []),
        (["right = action.text.lower() == ticket['unknown']"], []),
        (["if action.text.lower() == 'GO' or self.open:", "    reward = 1"], []),
    ],
)
def test_a_question_whose_answer_is_always_no_is_read_off_the_source(
    body: list[str], found: list[tuple[str, tuple[str, ...], bool]]
) -> None:
    assert asked(*body) == found


def test_only_actions_that_end_the_episode_at_once_are_all_that_can_be_done() -> None:
    def episode(*dones: bool, success: bool | None = False) -> Episode:
        turns = [Turn("", {}, action={}, reward=0.0, done=done) for done in dones]
        return Episode(0, {}, "t", "x", turns=turns, success=success)

    assert exhausted([episode(True), episode(True)])
    assert not exhausted([])
    assert not exhausted([episode(True), episode(False)])
    assert not exhausted([episode(True), episode(True, success=True)])
    assert not exhausted([episode(True), episode(True, success=None)])
    assert not exhausted([episode(False, True)])


@pytest.mark.usefixtures("from_the_root")
@pytest.mark.parametrize(
    ("name", "accused"),
    [("QuietDesk", True), ("LoudDesk", False), ("WalledDoor", True), ("OpenDoor", False)],
)
def test_what_can_never_be_right_is_accused_and_what_is_hard_is_not(
    name: str, accused: bool, tmp_path: Path
) -> None:
    given = {"audit.seeds": 4, "audit.search": 100, "rollout.max_turns": 16, "audit.budget": 9000}
    _, record = fly_audit(tmp_path, {**given, "target": f"tests.zoo.triage:{name}"})
    found = [each for each in record.findings if each.id == "unreachable_reward"]
    assert bool(found) is accused
    assert all(each.blocks and each.witness.success is False for each in found)


def test_a_text_is_sent_as_a_whole_value_and_not_as_a_part_of_another() -> None:
    asks = NeverEqual("a.py", 3, 0, "said == label", "lower", ("NO", "A"), True)
    turns = [Turn("", {}, action={"a": "nothing", "said": " no "})]
    assert asks.sent_in(Episode(0, {}, "t", "x", turns=turns)) == {"NO"}
