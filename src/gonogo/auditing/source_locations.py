"""Where to look for what a finding is about: a file of the repository and a line, from the map's card.

A finding is proven by flights, and not by a line of code; the line is where a reader begins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gonogo.env.target import FolderTarget, ImportTarget, Target
from gonogo.records.contract import ContractReport
from gonogo.records.inspection import CodeLine

__all__ = ["PARTS", "Place", "Places"]

PARTS: dict[str, tuple[str, ...]] = {
    "reset": (
        "no_instance", "reset_raises", "silent_reset", "seed_ignored", "episode_state_leak", "done_at_reset",
        "unknown_split_crashes", "unknown_split_accepted", "negative_index_accepted", "memorisable_tasks",
    ),
    "step": (
        "step_raises", "action_raises", "hangs", "dies", "answer_not_json", "nan_observation", "observation_schema",
        "state_contract", "nondeterministic", "process_dependent", "session_state_leak", "malformed_action_fatal",
        "malformed_action_accepted", "example_refused", "silent_reconnect", "reserved_tool_name", "leaked_answer",
    ),
    "end": ("paid_after_done", "revived_after_done", "early_end_success"),
    "reward": (
        "missing_reward", "bool_reward", "reward_not_numeric", "nan_reward", "reward_out_of_range",
        "paid_for_idling", "stalling_pays", "constant_answer_pays", "emptying_pays", "self_reported_reward",
        "truncated_window_satisfied", "malformed_action_pays", "verifier_crash_pays", "reward_from_agent_text",
        "paid_for_length", "format_outweighs_task", "observation_echo_pays", "shotgun_answer_pays",
        "unbounded_action_pays", "milestone_then_idle", "farmable_cycle", "failure_out_earns_success",
        "failure_earns_as_much", "policy_is_an_exploit", "unreachable_reward", "reward_uncorrelated",
    ),
    "client": ("client_imports_server", "client_broken"),
}  # fmt: skip
"""The part of an environment that each finding is about."""
PART_OF = {finding: part for part, findings in PARTS.items() for finding in findings}


@dataclass(frozen=True, slots=True)
class Place:
    """A line of a file.

    Attributes:
        uri: The file, from the repository's root, with forward slashes; not escaped.
        line: From 1.
    """

    uri: str
    line: int


class Places:
    """The files of one environment, as a repository names them.

    Args:
        target: The environment.
        card: The map.
        reward: File of a reward that pays in the environment's place; None for its own.
    """

    def __init__(self, target: Target, card: ContractReport, reward: Path | None) -> None:
        self._card, self._reward = card, reward
        self._bases: list[Path] = [Path.cwd()]
        self._manifest: Path | None = None
        if isinstance(target, FolderTarget):
            self._bases = [target.folder, Path.cwd()]
            self._manifest = target.folder / "openenv.yaml"
        elif not isinstance(target, ImportTarget):
            self._bases = []  # the files behind a server's URL are nowhere here
        self._root = root_of(self._bases[0]) if self._bases else None

    def of(self, finding: str, component: str | None) -> Place | None:
        """Where to look first; None where no file of the repository is known.

        Args:
            finding: Its id.
            component: The reward's component that it is about, or None.
        """
        part = PART_OF[finding]
        if part == "reward" and self._reward is not None:
            return self._place(self._reward, 1)
        for place in self._candidates(part, component):
            if (found := self._find(place)) is not None:
                return found
        return None if self._manifest is None else self._place(self._manifest, 1)

    def _candidates(self, part: str, component: str | None) -> Iterator[CodeLine | None]:
        """Places as the card has them, the most telling first."""
        card = self._card
        if part == "client":
            files = card.packaging.files if card.packaging else {}
            yield CodeLine(file=files.get("client"), line=1)
        elif part == "reset":
            yield card.reset.code
        elif part == "end":
            yield from card.terminal.places or ()
        elif part == "reward":
            if component is not None:
                yield from (e.place for e in card.reward.breakdown if e.name == component)
                yield from (each for each in card.reward.rubrics() if each.name == component)
            yield from card.reward.places or ()
        yield card.step.code

    def _find(self, place: CodeLine | None) -> Place | None:
        """A place of the card in the repository; None where its file does not lie there."""
        if place is None or place.file is None or place.line is None:
            return None
        files = (base / place.file for base in self._bases)
        file = next((file for file in files if file.is_file()), None)
        return None if file is None else self._place(file, place.line)

    def _place(self, file: Path, line: int) -> Place | None:
        path = file.resolve()
        if self._root is None or not path.is_file() or not path.is_relative_to(self._root):
            return None
        return Place(path.relative_to(self._root).as_posix(), line)


def root_of(folder: Path) -> Path:
    """The root of the repository that a folder lies in; the working directory or the folder where it lies in none."""
    start = folder.resolve()
    above: Sequence[Path] = (start, *start.parents)
    repository = next((path for path in above if (path / ".git").exists()), None)
    if repository is not None:
        return repository
    return Path.cwd() if start.is_relative_to(Path.cwd()) else start
