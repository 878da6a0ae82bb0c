"""The public environments that are audited in the wild, and what each needs for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

__all__ = ["ENVIRONMENTS", "Wild"]

Json = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Wild:
    """One environment and how it is audited.

    Attributes:
        name: Its folder in the checkout.
        success: What its source calls success, for ``--success``; None where it knows none or shows none.
        reference: Function of benchmarks/wild_policies.py that is meant to succeed, or None.
        fields: Fields of the run's config by section, beside target, folder and reference.
        variables: Variables of its process's environment.
        packages: Requirements that its pyproject.toml leaves out.
    """

    name: str
    success: str | None = None
    reference: str | None = None
    fields: dict[str, Json] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)
    packages: tuple[str, ...] = ()


SLOW: dict[str, Json] = {"audit": {"seeds": 4, "search": 1000}}
"""For environments whose steps take long, and for the one that pays nothing."""

ROW = (
    "any([abs(sum([board[row + i * down][column + i * right] for i in [0, 1, 2, 3]])) == 4"
    " for row in [0, 1, 2, 3, 4, 5] for column in [0, 1, 2, 3, 4, 5, 6]"
    " for down, right in [[0, 1], [1, 0], [1, 1], [1, -1]]"
    " if row + 3 * down < 6 and 0 <= column + 3 * right < 7])"
)
"""Four in a row of one side's, on Connect Four's board."""

SAID = "messages[-1]['content'].split('Enter your guess.')[-1]"
LAST = f"{SAID}.split('[Player] ')[-1]"
GUESSES = [f"[{number}]" for number in range(1, 21)]
GUESSED = (
    f"done and 'The target number is' not in {LAST}"
    f" and any([guess in {LAST} and {SAID}.count(guess) == 1 for guess in {GUESSES}])"
)
"""Guess the Number never shows that it is won: its last word is then a new guess from 1 to 20, with no hint after."""

ENVIRONMENTS = (
    Wild("echo_env", reference="echo", fields=SLOW),
    Wild("grid_world_env", success="x == 4 and y == 4", reference="grid_world"),
    Wild("connect4_env", success=f"done and {ROW}", reference="connect4"),
    Wild(
        "wildfire_env",
        # Its README says: all fires are extinguished. They are too where all has burned, so most has to be left.
        success="done and burning_count == 0 and 2 * burned_count < width * height",
        reference="wildfire",
        fields={"rollout": {"max_turns": 128}, **SLOW},
    ),
    Wild("reasoning_gym_env", success="score == 1", reference="leg_counting"),
    Wild("atari_env", fields=SLOW, variables={"ATARI_OBS_TYPE": "ram"}),
    Wild("maze_env", success="metadata['status'] == 'win'", reference="maze"),
    Wild("snake_env", fields=SLOW),
    Wild("chess_env", fields=SLOW),
    Wild("coding_env", fields=SLOW),
    Wild(
        "textarena_env",
        success=GUESSED,
        reference="guess",
        fields=SLOW,
        # The default game, Wordle, downloads its words.
        variables={"TEXTARENA_ENV_ID": "GuessTheNumber-v0", "TEXTARENA_DOWNLOAD_NLTK": "0"},
    ),
    Wild(
        "openspiel_env",
        # The board of catch at its end: ball and paddle are one cell.
        success="done and sum(info_state) == 1",
        reference="catch",
        packages=("open_spiel",),
    ),
    Wild("repl_env", fields=SLOW),
    Wild("dm_control_env", fields=SLOW),
)
