"""Bring damaged pages back from snapshots, at a small simulated terminal."""

import random
import uuid
import zlib
from typing import Any, Dict, List, Optional, Set, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import RestoreAction, RestoreObservation, RestoreState
except ImportError:
    from models import RestoreAction, RestoreObservation, RestoreState

PAGES = ["index", "about", "prices", "contact", "news", "hours", "terms", "map", "team", "jobs"]
WORDS = (
    "open daily market visit garden stall river bread honey cheese parking member bench "
    "ticket season apple plum winter stage dog entry group school"
).split()
NIGHTS = ["mon", "tue", "wed"]
MANIFEST = "MANIFEST"
MAX_COMMANDS = 40


class TerminalError(Exception):
    """A command that fails, with what the terminal says."""


def checksum(text: str) -> str:
    return f"{zlib.crc32(text.encode()):08x}"


class RestoreEnvironment(Environment):
    """One site, three snapshots, one manifest."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._files: Dict[str, str] = {}
        self._failed_at_first: Set[str] = set()
        self._done = True
        self._state = RestoreState()

    # ---------------------------------------------------------------- the disk

    @staticmethod
    def _prose(rng: random.Random) -> str:
        return "\n".join(" ".join(rng.choices(WORDS, k=7)) for _ in range(3))

    @staticmethod
    def _damage(rng: random.Random, text: str) -> str:
        at = rng.randrange(5, len(text) - 12)
        return text[:at] + "".join(rng.choices("#%&@?", k=6)) + text[at + 6 :]

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> RestoreObservation:
        rng = random.Random(seed)
        self._files = {}
        pages = rng.sample(PAGES, 8)
        published = {f"{page}.html": self._prose(rng) for page in sorted(pages)}
        damaged = set(rng.sample(sorted(published), rng.choice([4, 5])))
        for page, text in published.items():
            live = self._damage(rng, text) if page in damaged else text
            self._files[f"site/{page}"] = live
            good = rng.choice(NIGHTS)
            draft = self._prose(rng)
            for night in NIGHTS:
                copy = text if night == good else rng.choice([draft, self._damage(rng, text)])
                self._files[f"backup/{night}/{page}"] = copy
        lines = [f"{checksum(text)} site/{page}" for page, text in published.items()]
        self._files[MANIFEST] = "\n".join(lines)
        self._failed_at_first = self._failing()
        self._done = False
        self._state = RestoreState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe("Some pages are damaged.\n" + self._run(["ls", "site"]))

    def _failing(self) -> Set[str]:
        """The pages whose checksum is not the one in the manifest."""
        lines = [line.split() for line in self._files[MANIFEST].splitlines()]
        return {
            line[1]
            for line in lines
            if len(line) == 2 and checksum(self._files.get(line[1], "")) != line[0]
        }

    # ------------------------------------------------------------ the commands

    def _read(self, name: str) -> str:
        if name not in self._files:
            raise TerminalError(f"{name}: no such file")
        return self._files[name]

    def _write(self, name: str, text: str) -> None:
        folders = ["site/", "backup/mon/", "backup/tue/", "backup/wed/"]
        if name != MANIFEST and not any(
            name.startswith(folder) and name[len(folder) :] for folder in folders
        ):
            raise TerminalError(f"{name}: permission denied")
        self._files[name] = text

    def _expand(self, names: List[str]) -> List[str]:
        found = []
        for name in names:
            if name.endswith("/*"):
                found += sorted(f for f in self._files if f.startswith(name[:-1]))
            else:
                found.append(name)
        return found

    def _run(self, words: List[str]) -> str:
        name, rest = words[0], words[1:]
        if name == "ls" and len(rest) <= 1:
            folder = rest[0].rstrip("/") + "/" if rest else ""
            return "\n".join(sorted(f for f in self._files if f.startswith(folder)))
        if name == "cat" and len(rest) == 1:
            return self._read(rest[0])
        if name == "sum" and rest:
            return "\n".join(f"{checksum(self._read(f))} {f}" for f in self._expand(rest))
        if name == "cp" and len(rest) == 2:
            target = rest[1]
            if target.rstrip("/") in ("site", *(f"backup/{night}" for night in NIGHTS)):
                target = target.rstrip("/") + "/" + rest[0].split("/")[-1]
            self._write(target, self._read(rest[0]))
            return ""
        if name == "verify" and not rest:
            failing = sorted(self._failing())
            return "\n".join(f"FAILED {page}" for page in failing) or "all pages verify"
        raise TerminalError(f"{name}: unknown command or wrong arguments")

    def _shell(self, line: str) -> Tuple[str, int]:
        """Runs a line and sends its output where it says."""
        command, arrow, target = line.partition(">")
        try:
            if not command.split():
                raise TerminalError("nothing to run")
            output = self._run(command.split())
            if arrow:
                self._write(target.strip(), output)
                output = ""
        except TerminalError as error:
            return str(error), 1
        return output, 0

    # -------------------------------------------------------------------- play

    def step(
        self,
        action: RestoreAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> RestoreObservation:
        if self._done:
            return self._observe("The session has ended.", code=1)
        self._state.step_count += 1
        self._state.commands_run += 1
        line = action.command.strip()
        output, code = ("logout", 0) if line == "exit" else self._shell(line)
        if line != "exit" and self._state.step_count < MAX_COMMANDS:
            return self._observe(output, code=code)
        self._done = True
        self._state.ended = True
        failing = self._failing()
        mended = len(self._failed_at_first - failing)
        broken = len(failing - self._failed_at_first)
        score = max(0.0, (mended - broken) / len(self._failed_at_first))
        return self._observe(output, code=code, reward=round(score, 4), success=not failing)

    def _observe(
        self,
        output: str,
        code: int = 0,
        reward: float = 0.0,
        success: Optional[bool] = None,
    ) -> RestoreObservation:
        return RestoreObservation(
            output=output,
            exit_code=code,
            success=success,
            commands_left=max(0, MAX_COMMANDS - self._state.step_count),
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> RestoreState:
        return self._state
