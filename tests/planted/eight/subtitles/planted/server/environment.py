"""Subtitles for a film commentary, checked against the house style."""

import random
import uuid
from typing import Any, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import (
        Cue,
        Passage,
        SubtitlesAction,
        SubtitlesObservation,
        SubtitlesState,
        Word,
    )
    from .script import speak
except ImportError:
    from models import (
        Cue,
        Passage,
        SubtitlesAction,
        SubtitlesObservation,
        SubtitlesState,
        Word,
    )
    from server.script import speak

PASSAGES = 6
LINES = 2
LINE_LENGTH = 38
SHORTEST, LONGEST = 1.0, 6.0  # seconds on screen
READING_SPEED = 17.0  # characters a second
SYNC = 0.3  # seconds between the first word and the cue
HANG = 1.0  # seconds that the last cue may stay
EASE = 1e-6


def bare(word: str) -> str:
    """A word without case and punctuation, for comparing."""
    return word.lower().strip(".,;:!?\"'…-")


class SubtitlesEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._passages: List[Passage] = []
        self._next = 0
        self._done = True
        self._state = SubtitlesState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> SubtitlesObservation:
        rng = random.Random(seed)
        self._passages = []
        start = round(rng.uniform(2, 5), 2)
        for number in range(PASSAGES):
            words, end = speak(rng, start)
            self._passages.append(
                Passage(
                    number=number,
                    start=start,
                    end=end,
                    words=[Word(word=word, at=at) for word, at in words],
                )
            )
            start = round(end + rng.uniform(2, 5), 2)
        self._next = 0
        self._done = False
        self._state = SubtitlesState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look("First passage of the film.")

    def step(
        self,
        action: SubtitlesAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> SubtitlesObservation:
        if self._done:
            return self._look("The film is finished.")
        self._state.step_count += 1
        share, remarks = self._check(self._passages[self._next], action.cues)
        self._next += 1
        self._done = self._next == PASSAGES
        message = "That was the last passage." if self._done else "Next passage."
        return self._look(message, share / PASSAGES, remarks)

    def _check(self, passage: Passage, cues: List[Cue]) -> Tuple[float, List[str]]:
        """The share of the cues that are as the house style wants them."""
        remarks: List[str] = []
        good = 0
        heard = 0  # words of the passage that lie behind us
        free_from = 0.0
        for number, cue in enumerate(cues, 1):
            faults = self._form(cue)
            if cue.show < free_from - EASE:
                faults.append("overlaps with the one before")
            free_from = max(free_from, cue.hide)
            if cue.hide > passage.end + HANG + EASE:
                faults.append("stays too long after the passage")
            found = self._follow(passage, cue, heard)
            if not found:
                faults.append("has words that are not spoken here")
            else:
                heard = found[-1] + 1
                if abs(cue.show - passage.words[found[0]].at) > SYNC + EASE:
                    faults.append("is out of sync with its first word")
            good += not faults
            remarks += [f"Cue {number} {fault}." for fault in faults]
        if not cues:
            return 0.0, ["No cues."]
        return good / len(cues), remarks

    def _form(self, cue: Cue) -> List[str]:
        """What is wrong with the look of a cue."""
        faults = []
        if not 1 <= len(cue.lines) <= LINES:
            faults.append(f"does not have 1 to {LINES} lines")
        if any(len(line) > LINE_LENGTH for line in cue.lines):
            faults.append(f"has a line of more than {LINE_LENGTH} characters")
        time = cue.hide - cue.show
        if not SHORTEST - EASE <= time <= LONGEST + EASE:
            faults.append(f"is not shown for {SHORTEST:g} to {LONGEST:g} seconds")
        elif sum(map(len, cue.lines)) / time > READING_SPEED + EASE:
            faults.append("is too fast to read")
        return faults

    def _follow(self, passage: Passage, cue: Cue, heard: int) -> List[int]:
        """Where the words of a cue are spoken, in order; nothing if one is not."""
        found: List[int] = []
        for word in " ".join(cue.lines).split():
            while heard < len(passage.words):
                heard += 1
                if bare(passage.words[heard - 1].word) == bare(word):
                    found.append(heard - 1)
                    break
            else:
                return []
        return found

    def _look(
        self, message: str, reward: float = 0.0, remarks: Optional[List[str]] = None
    ) -> SubtitlesObservation:
        self._state.passages_done = self._next
        return SubtitlesObservation(
            message=message,
            passage=None if self._done else self._passages[self._next],
            passages_left=PASSAGES - self._next,
            remarks=remarks or [],
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> SubtitlesState:
        return self._state
