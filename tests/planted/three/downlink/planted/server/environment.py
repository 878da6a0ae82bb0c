"""Downlink environment: pack the scan lines of a picture."""

import random
import re
import uuid
from typing import Any, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import DownlinkAction, DownlinkObservation, DownlinkState
except ImportError:
    from models import DownlinkAction, DownlinkObservation, DownlinkState

WIDTH = 48
LINES = 10
MAX_CODE = 400
TOKEN = re.compile(r"^(\d{1,2})(?:([+-]\d{1,2})?\*(\d{1,2}))?$")


class UnpackError(ValueError):
    pass


def unpack(code: str) -> List[int]:
    """Unpack a code into brightness values."""
    values: List[int] = []
    for token in code.split(","):
        match = TOKEN.match(token.strip())
        if match is None:
            raise UnpackError(f"bad token {token.strip()[:20]!r}")
        start, slope = int(match.group(1)), int(match.group(2) or 0)
        count = int(match.group(3) or 1)
        values.extend(start + slope * i for i in range(count))
        if len(values) > WIDTH:
            raise UnpackError(f"more than {WIDTH} values")
    if len(values) != WIDTH:
        raise UnpackError(f"{len(values)} values instead of {WIDTH}")
    return values


def plain(line: List[int]) -> str:
    return ",".join(str(v) for v in line)


def pack(line: List[int]) -> str:
    """The packer of the ground segment: takes runs and ramps from left to right."""
    tokens: List[str] = []
    i = 0
    while i < len(line):
        slope = line[i + 1] - line[i] if i + 1 < len(line) else 0
        j = i + 1
        while j < len(line) and line[j] - line[j - 1] == slope:
            j += 1
        count = j - i
        if count >= (3 if slope else 2):
            tokens.append(f"{line[i]}{f'{slope:+d}' if slope else ''}*{count}")
            i = j
        else:
            tokens.append(str(line[i]))
            i += 1
    return ",".join(tokens)


def draw_line(rng: random.Random) -> List[int]:
    """A scan line: flat ground, slopes of light and a few speckles."""
    line: List[int] = []
    level = rng.randint(20, 80)
    while len(line) < WIDTH:
        length = rng.randint(4, 12)
        kind = rng.choice(["flat", "flat", "slope", "speckle"])
        if kind == "speckle":
            length = rng.randint(1, 3)
            line.extend(rng.randint(0, 99) for _ in range(length))
            continue
        step = rng.choice([-3, -2, -1, 1, 2, 3]) if kind == "slope" else 0
        if not 0 <= level + step * length <= 99:
            step = -step
        for _ in range(length):
            line.append(level)
            level = min(99, max(0, level + step))
        level = min(95, max(5, level + rng.randint(-15, 15)))
    return line[:WIDTH]


class DownlinkEnvironment(
    Environment[DownlinkAction, DownlinkObservation, DownlinkState]
):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = DownlinkState(episode_id=str(uuid.uuid4()))
        self._lines: List[List[int]] = []
        self._next = 0

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> DownlinkObservation:
        rng = random.Random(seed)
        self._lines = [draw_line(rng) for _ in range(LINES)]
        self._next = 0
        self._state = DownlinkState(
            episode_id=episode_id or str(uuid.uuid4()),
            step_count=0,
            picture=f"IMG-{rng.randrange(10000, 99999)}",
        )
        return self._observe(note=f"{self._state.picture}: {LINES} lines to send.")

    def step(
        self, action: DownlinkAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> DownlinkObservation:
        if self._next >= len(self._lines):
            return self._observe(note="The pass is over.", reward=0.0)
        line = self._lines[self._next]
        self._state.step_count += 1
        self._state.characters_sent += len(action.code)
        self._next += 1
        try:
            self._check(action.code, line)
        except UnpackError as exc:
            return self._observe(accepted=False, note=f"Not filed: {exc}.", reward=0.0)
        self._state.filed += 1
        share = self._saving(action.code, line)
        return self._observe(
            accepted=True,
            note=f"Filed, {len(action.code)} of {len(plain(line))} characters.",
            reward=share / LINES,
        )

    @property
    def state(self) -> DownlinkState:
        return self._state

    def _check(self, code: str, line: List[int]) -> None:
        """Raise UnpackError unless the ground station can file the code."""
        if len(code) > MAX_CODE:
            raise UnpackError("code too long")
        unpack(code)

    def _saving(self, code: str, line: List[int]) -> float:
        """Characters saved, as a share of what the ground segment's packer saves."""
        full = len(plain(line))
        reference = max(1, full - len(pack(line)))
        return min(1.0, max(0.0, (full - len(code)) / reference))

    def _observe(
        self,
        accepted: Optional[bool] = None,
        note: str = "",
        reward: Optional[float] = None,
    ) -> DownlinkObservation:
        done = self._next >= len(self._lines)
        line = [] if done else list(self._lines[self._next])
        return DownlinkObservation(
            line=line,
            line_number=self._next,
            lines_total=LINES,
            plain_length=len(plain(line)),
            accepted=accepted,
            note=note,
            done=done,
            reward=reward,
        )
