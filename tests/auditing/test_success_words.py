"""What names, sources and manifests say of success."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from gonogo.auditing.success_words import (
    SAYS,
    SourceWords,
    Threshold,
    name_strength,
    phrases_in,
    words_of,
)

SOURCE = '''
"""The box is won when `box_open` shows success."""
PASS_MARK = 0.8

class Box:
    def step(self, action):
        score = self.grade(action)
        done = score >= 0.95 or self.steps >= 10
        if self.reward >= PASS_MARK:
            self.solved = True
        status = "resolved" if done else "open"
        message = f"Well played: the box is COMPLETELY SOLVED! {score}"
        hint = "It is not solved yet"
        if status == "passed":
            return None
        return {"verdict": "accepted", "message": message, "tries": 3}
'''


@pytest.mark.parametrize(
    ("name", "strength"),
    [
        ("task_achieved", 3.0), ("isSolved", 3.0), ("goal_reached", 3.0), ("all_tests_passed", 3.0),
        ("all_done", SAYS), ("everything_delivered", SAYS), ("all_rooms", 0.0),
        ("completed", 1.4), ("unresolved", 0.0), ("failed", 0.0), ("not_solved", 0.0), ("done", 0.0), ("room", 0.0),
    ],
)  # fmt: skip
def test_a_name_speaks_of_success_or_only_of_an_end_or_of_neither(
    name: str, strength: float
) -> None:
    assert name_strength(name) == strength


def test_names_are_read_word_by_word() -> None:
    assert words_of("episode/isTask_done") == {"episode", "is", "task", "done"}


def test_a_sentence_says_success_unless_it_denies_it() -> None:
    assert list(phrases_in("Step 3: EPISODE SUCCESS! All threats resolved")) == [
        "EPISODE SUCCESS",
        "All threats resolved",
    ]
    assert list(phrases_in("not solved; incorrect. Try until it is correct")) == []


def test_a_source_says_thresholds_verdicts_and_sentences(tmp_path: Path) -> None:
    (tmp_path / "box.py").write_text(SOURCE)
    (tmp_path / "test_box.py").write_text("done = other >= 3")
    (tmp_path / "broken.py").write_text("def")
    (tmp_path / "README.md").write_text("The lid is up on success: `lid_up`.")
    words = SourceWords.of(tmp_path)
    assert words.thresholds == [Threshold("score", 0.95, True), Threshold("reward", 0.8, False)]
    assert words.verdicts == {"status": ["resolved"], "verdict": ["accepted"]}
    assert ("message", "the box is COMPLETELY SOLVED") in words.phrases
    assert not any("not" in phrase for _, phrase in words.phrases)
    assert words.speaks_of("lid_up") and words.speaks_of("box_open")
    assert not words.speaks_of("tries")
    assert not words.speaks_of("")


def test_no_folder_says_nothing() -> None:
    assert SourceWords.of(None) == SourceWords()


def test_what_is_true_where_an_episode_ends_is_known_by_its_name() -> None:
    words = SourceWords()
    source = """
class Works:
    @property
    def over(self):
        return self.opened or self.moves >= 9

    def step(self, action):
        if action.op == "deliver" and self.bricks >= 3:
            self.over = self.state.delivered = True
        elif action.op == "finish":
            self.done = True
            self.state.clean = self.left == 0
            self.left = 4
        self.built = True
        self.finished = self.moves >= 9 or not self.fuel or self.home
"""
    words.read(ast.parse(source))
    assert words.ends >= {"opened", "delivered", "clean", "home"}
    assert not words.ends & {"left", "built", "moves", "fuel"}
