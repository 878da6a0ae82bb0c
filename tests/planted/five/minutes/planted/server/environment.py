"""Write the minutes of three committee meetings from their transcripts."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import MinutesAction, MinutesObservation, MinutesState
except ImportError:
    from models import MinutesAction, MinutesObservation, MinutesState

PEOPLE = ["Amara", "Bastian", "Chloe", "Darius", "Elif", "Fergus", "Gwen", "Hamid"]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
VERBS = ["book", "repair", "order", "paint", "collect", "measure", "insure", "clean"]
THINGS = [
    "the community hall", "the brass trumpets", "the folding chairs", "the stage curtain",
    "the parade banner", "the sound desk", "the tea urn", "the raffle tickets",
    "the float trailer", "the bunting", "the portable toilets", "the first aid tent",
]
CHATTER = [
    "{a}: Did anyone else have trouble parking?",
    "{a}: Last year it rained from start to end.",
    "{a}: {b} brought the cake, thank you {b}.",
    "{a}: The council letter came back unopened again.",
    "{a}: Could somebody shut the window?",
    "{a}: I still think we should move to the big field, but not today.",
]
INSTRUCTION = (
    "Write the minutes: every action item that stands at the end of the meeting, "
    "one a line, as 'owner - task - day'."
)
MEETINGS = 3
Item = Tuple[str, str, str]


def keywords(text: str) -> set:
    """Lower-case words without the small ones."""
    return set(re.findall(r"[a-z]+", text.lower())) - {"the", "a", "i", "by", "to", "on"}


class MinutesEnvironment(Environment):
    """Three meetings; tasks are taken, moved, handed over and dropped."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._meetings: List[Tuple[List[str], List[Item]]] = []
        self._done = True
        self._state = MinutesState()

    # --------------------------------------------------------------- meetings

    @staticmethod
    def _hold_meeting(rng: random.Random) -> Tuple[List[str], List[Item]]:
        people = rng.sample(PEOPLE, 5)
        things = rng.sample(THINGS, 8)
        tasks = [f"{rng.choice(VERBS)} {thing}" for thing in things]
        open_items: Dict[str, Item] = {}
        lines: List[str] = []

        def chat() -> None:
            a, b = rng.sample(people, 2)
            lines.append(rng.choice(CHATTER).format(a=a, b=b))

        for task in tasks:
            owner, day = rng.choice(people), rng.choice(DAYS)
            lines.append(f"{owner}: I will {task} by {day}.")
            open_items[task] = (owner, task, day)
            if rng.random() < 0.5:
                chat()
        changes = rng.sample(tasks, 6)
        for task in changes[:2]:
            lines.append(f"{rng.choice(people)}: We can forget about it, no need to {task}.")
            del open_items[task]
        for task in changes[2:4]:
            owner, _, day = open_items[task]
            heir = rng.choice([p for p in people if p != owner])
            lines.append(f"{heir}: {owner} has too much to do, I will {task} instead.")
            open_items[task] = (heir, task, day)
            chat()
        for task in changes[4:]:
            owner, _, day = open_items[task]
            later = rng.choice([d for d in DAYS if d != day])
            lines.append(f"{owner}: About my promise to {task}, make that {later}.")
            open_items[task] = (owner, task, later)
        chat()
        return lines, list(open_items.values())

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> MinutesObservation:
        rng = random.Random(seed)
        self._meetings = [self._hold_meeting(rng) for _ in range(MEETINGS)]
        self._done = False
        self._state = MinutesState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._observe(0.0)

    # ---------------------------------------------------------------- scoring

    @staticmethod
    def _score(minutes: str, items: List[Item]) -> float:
        """Agreement of the minutes with those of the secretary, 0 to 1."""
        reference = "\n".join(" - ".join(item) for item in items)
        expected = keywords(reference)
        return len(expected & keywords(minutes)) / len(expected)

    def step(
        self,
        action: MinutesAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> MinutesObservation:
        if self._done:
            return self._observe(0.0)
        _, items = self._meetings[self._state.meetings_done]
        score = self._score(action.minutes, items)
        self._state.step_count += 1
        self._state.meetings_done += 1
        self._done = self._state.meetings_done >= MEETINGS
        return self._observe(round(score / MEETINGS, 4))

    def _observe(self, reward: float) -> MinutesObservation:
        transcript: List[str] = []
        if not self._done:
            transcript = self._meetings[self._state.meetings_done][0]
        return MinutesObservation(
            instruction=INSTRUCTION if transcript else "",
            transcript=transcript,
            meeting=min(self._state.meetings_done + 1, MEETINGS),
            meetings_total=MEETINGS,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> MinutesState:
        return self._state
