"""Bird identification with field tools and a field guide."""

import random
from typing import Any, Dict, List, Optional, Set
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import BirdingAction, BirdingObservation, BirdingState
except ImportError:
    from models import BirdingAction, BirdingObservation, BirdingState

TRAITS: Dict[str, List[str]] = {
    "song": ["trill", "rattle", "whistle", "rasping"],
    "plumage": ["streaked", "plain grey", "barred", "rufous"],
    "bill": ["conical", "slender", "hooked"],
    "habitat": ["reedbed", "scrub", "conifers", "meadow"],
    "flight": ["undulating", "direct", "fluttering"],
    "size": ["tiny", "small", "medium"],
}
FIRST = ["Marsh", "Alder", "Dusky", "Heath", "Crag", "Pale", "Ringed", "Sooty"]
LAST = ["warbler", "bunting", "pipit", "finch", "wren", "shrike"]
SPECIES = 14
MINUTES = 20
TOOL_REWARD = 0.05
IDENTIFY_REWARD = 0.8


class BirdingEnvironment(Environment):
    """One bird, fourteen candidates: gather field marks, then name it."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = BirdingState()
        self._guide: Dict[str, Dict[str, str]] = {}
        self._bird = ""
        self._notes: Dict[str, str] = {}
        self._hidden: Set[str] = set()
        self._done = True

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> BirdingObservation:
        rng = random.Random(seed)
        names = rng.sample([f"{a} {b}" for a in FIRST for b in LAST], SPECIES)
        guide: Dict[str, Dict[str, str]] = {}
        while len(guide) < SPECIES:
            traits = {t: rng.choice(v) for t, v in TRAITS.items()}
            if traits not in guide.values():
                guide[names[len(guide)]] = traits
        self._guide = guide
        self._bird = rng.choice(names)
        self._notes = {}
        # Some marks cannot be made out at the first look.
        self._hidden = {t for t in TRAITS if rng.random() < 0.2}
        self._done = False
        self._state = BirdingState(episode_id=episode_id or str(uuid4()), step_count=0, minutes_left=MINUTES)
        return self._observe("An unknown bird has landed nearby. Work out which species it is.", None)

    def step(self, action: BirdingAction, timeout_s: Optional[float] = None, **kwargs: Any) -> BirdingObservation:
        if self._done:
            return self._observe("The bird has flown.", 0.0)
        self._state.step_count += 1
        self._state.minutes_left -= 1

        if action.tool == "identify":
            self._done = True
            answer = " ".join((action.species or "").lower().split())
            reward = IDENTIFY_REWARD if answer == self._bird.lower() else 0.0
            return self._observe("Entered in the log.", reward)

        before = self._candidates()
        text = self._use(action.tool)
        reward = self._tool_reward(before)
        if self._state.minutes_left <= 0:
            self._done = True
            text += " The light has gone."
        return self._observe(text, reward)

    def _candidates(self) -> List[str]:
        """Species of the guide that agree with the notes."""
        return [n for n, t in self._guide.items() if all(t[k] == v for k, v in self._notes.items())]

    def _use(self, tool: str) -> str:
        if tool in self._hidden:
            self._hidden.discard(tool)
            return f"The {tool} could not be made out this time."
        self._notes[tool] = self._guide[self._bird][tool]
        return f"{tool}: {self._notes[tool]}."

    def _tool_reward(self, before: List[str]) -> float:
        """Reward for gathering evidence with the field tools."""
        return TOOL_REWARD

    def _observe(self, text: str, reward: Optional[float]) -> BirdingObservation:
        return BirdingObservation(
            text=text,
            guide=self._guide,
            notes=dict(self._notes),
            minutes_left=max(0, self._state.minutes_left),
            done=self._done,
            reward=reward,
            metadata={"candidates": len(self._candidates())},
        )

    @property
    def state(self) -> BirdingState:
        return self._state
