"""Telegram: break an enciphered telegram of the harbour office of a century ago."""

import random
import uuid
from typing import Any, List, Optional

from openenv.core.env_server import Environment

try:
    from ..models import TelegramAction, TelegramObservation, TelegramState
except ImportError:
    from models import TelegramAction, TelegramObservation, TelegramState

CODE_BOOK = (
    "AGENT ARRIVES BARREL BRIDGE CAPTAIN CARGO COLLECT CONSUL DELAYED DEPART DOCTOR "
    "EVENING EXPECT FOREIGN FREIGHT FRIDAY GRAIN HARBOUR HOLD INVOICE JUNCTION LETTER "
    "MARKET MIDNIGHT MONDAY NORTH OFFICE PAPERS PARCEL PAYMENT QUAY REFUSE REPLY RETURN "
    "SAILING SEND SILVER SOUTH STATION STEAMER SUNDAY TRUNK URGENT VESSEL WAREHOUSE WIRE"
).split()
MULTIPLIERS = [3, 5, 7, 9, 11, 15, 17, 19, 21, 23, 25]

MAX_STEPS = 15
MAX_SUBMISSIONS = 3
HINTS = 3

SOLVED_REWARD = 1.0


def shift_text(text: str, a: int, b: int, d: int) -> str:
    """Encipher: a letter x of word i becomes a*x + b + d*i (mod 26)."""
    return " ".join(
        "".join(chr((a * (ord(ch) - 65) + b + d * i) % 26 + 65) for ch in word)
        for i, word in enumerate(text.split())
    )


def unshift_text(text: str, a: int, b: int, d: int) -> str:
    """Decipher with the same key."""
    inverse = pow(a, -1, 26)
    return " ".join(
        "".join(chr(inverse * (ord(ch) - 65 - b - d * i) % 26 + 65) for ch in word)
        for i, word in enumerate(text.split())
    )


class TelegramEnvironment(Environment):
    """One telegram per episode, enciphered with a key of three numbers."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = TelegramState()
        self._plain = ""
        self._cipher = ""
        self._key = (1, 0, 0)
        self._solved = False
        self._done = True

    # ------------------------------------------------------------------ API

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> TelegramObservation:
        rng = random.Random(seed)
        words: List[str] = ["TO"] + rng.sample(CODE_BOOK, rng.randint(7, 11)) + ["STOP"]
        self._plain = " ".join(words)
        self._key = (rng.choice(MULTIPLIERS), rng.randrange(26), rng.randint(1, 25))
        self._cipher = shift_text(self._plain, *self._key)
        self._solved = False
        self._done = False
        self._state = TelegramState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            hints_used=0,
            submissions=0,
        )
        return self._observe("The telegram lies on the desk.", None)

    def step(
        self,
        action: TelegramAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> TelegramObservation:
        if self._done:
            return self._observe("The telegram has been filed.", 0.0)

        self._state.step_count += 1
        reward = 0.0

        if action.op == "try_key":
            result = self._try_key(action.a, action.b, action.d)
        elif action.op == "hint":
            result = self._hint()
        else:
            self._state.submissions += 1
            if " ".join(action.text.upper().split()) == self._plain:
                self._solved = self._done = True
                reward = SOLVED_REWARD
                result = "That is the text of the telegram."
            else:
                self._done = self._state.submissions >= MAX_SUBMISSIONS
                result = "That is not the text of the telegram."

        if self._state.step_count >= MAX_STEPS:
            self._done = True
        return self._observe(result, reward)

    def _try_key(self, a: int, b: int, d: int) -> str:
        if a % 26 not in MULTIPLIERS + [1]:
            return "The multiplier must be odd and not 13."
        return unshift_text(self._cipher, a, b, d)

    def _hint(self) -> str:
        if self._state.hints_used >= HINTS:
            return "There are no hints left."
        self._state.hints_used += 1
        if self._state.hints_used == 1:
            return f"The multiplier is {self._key[0]}."
        if self._state.hints_used == 2:
            return f"The telegram begins: {' '.join(self._plain.split()[:3])}"
        return f"The telegram reads: {self._plain}"

    @property
    def state(self) -> TelegramState:
        return self._state

    def _observe(self, result: str, reward: Optional[float]) -> TelegramObservation:
        return TelegramObservation(
            ciphertext=self._cipher,
            code_book=list(CODE_BOOK),
            result=result,
            hints_left=HINTS - self._state.hints_used,
            submissions_left=MAX_SUBMISSIONS - self._state.submissions,
            steps_left=MAX_STEPS - self._state.step_count,
            solved=self._solved,
            done=self._done,
            reward=reward,
        )
