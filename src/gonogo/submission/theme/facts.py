"""What of the themes can be measured: others who act, decisions, delay of the pay, what is hidden, tools, curriculum.

A fact is True where it was seen, False where flights refute it, and None where they cannot tell; then the author's
words count.
"""

from __future__ import annotations

import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from statistics import fmean, median

from gonogo.rollout.episodes import Episode
from gonogo.rollout.types import Json
from gonogo.submission.theme.records import AuditExcerpt, MapExcerpt

__all__ = ["Fact", "measure"]

LONG_DECISIONS = 20
"""Decisions that a success takes, from which on an episode is called long."""
LONG_DELAY = 5.0
"""Mean number of decisions until a reward says something, from which on it is called delayed."""
LEAST_REPEATS = 20
"""Situations that have to be met again before it is said that nothing is hidden."""
OTHERS = frozenset({
    "agents", "allies", "ally", "bidder", "bidders", "buyer", "counterpart", "counterparty", "enemies", "enemy",
    "negotiator", "opponent", "opponents", "partner", "player", "players", "rival", "rivals", "seller", "team",
    "teammate", "teammates", "teams",
})  # fmt: skip
"""Words of a field's name that mean somebody else who acts."""
LEVELS = frozenset({"level", "difficulty", "stage", "tier"})
"""Names under which environments grade their tasks."""
SELECTORS = frozenset({"seed", "episode_id", "split", "index", "task", "task_id"})
"""Parameters of a reset that choose an episode and turn no knob."""


@dataclass(frozen=True, slots=True)
class Fact:
    """Something that was measured.

    Attributes:
        holds: True, False, or None where it cannot be told.
        said: The evidence in a sentence, without its full stop.
        value: The evidence as data.
    """

    holds: bool | None
    said: str
    value: Json = field(default_factory=dict)

    def to_json(self) -> Json:
        """The fact as a record holds it."""
        return {"holds": self.holds, "said": self.said, **self.value}


def measure(
    mapped: MapExcerpt, audited: AuditExcerpt | None, episodes: Sequence[Episode]
) -> dict[str, Fact]:
    """All facts, by name.

    Args:
        mapped: The map.
        audited: The audit, or None.
        episodes: What was flown, all without errors.
    """
    return {
        "agents": agents(mapped),
        "decisions": decisions(episodes),
        "delay": delay(episodes),
        "hidden": hidden(episodes),
        "tools": tools(mapped),
        "curriculum": curriculum(mapped),
        "audit": exploits(audited),
    }


def agents(mapped: MapExcerpt) -> Fact:
    """Whether fields or tools name somebody else who acts; a name that says nothing refutes nothing."""
    places = {
        "action": mapped.action.fields,
        "tools": mapped.action.tools,
        "observation": mapped.observation,
        "state": mapped.state,
    }
    found = [
        f"{place}.{entry.name}"
        for place, entries in places.items()
        for entry in entries
        if OTHERS & set(re.split(r"[^a-z]+", entry.name.lower()))
    ]
    value = {"acting": 1, "others_named_by": found}
    if found:
        return Fact(
            True,
            f"one agent acts through the interface, and {', '.join(found)} names another",
            value,
        )
    return Fact(
        None, "one agent acts through the interface, and no field or tool names another", value
    )


def decisions(episodes: Sequence[Episode]) -> Fact:
    """How many decisions a success takes, on the task on which it takes most."""
    by_task: dict[str, list[int]] = {}
    for episode in episodes:
        taken = by_task.setdefault(task_of(episode), [])
        if episode.success is True:
            taken.append(len(episode.turns))
    needed = {task: median(taken) for task, taken in by_task.items() if taken}
    longest = max((len(episode.turns) for episode in episodes), default=0)
    value = {"to_succeed": needed, "longest_episode": longest, "episodes": len(episodes)}
    if not needed:
        return Fact(
            None, f"no policy flown here succeeded; the longest episode had {longest}", value
        )
    most = max(needed.values())
    said = f"a success takes {most:g} decisions on the longest of {len(needed)} tasks that were flown to success"
    if most >= LONG_DECISIONS:
        return Fact(True, said, value)
    unknown = len(by_task) - len(needed)
    if unknown:
        return Fact(None, f"{said}; {unknown} other tasks were not", value)
    return Fact(False, f"{said}, and {LONG_DECISIONS} would be long", value)


def task_of(episode: Episode) -> str:
    """A task's reset options without the seed, on one line."""
    options = {name: value for name, value in episode.task.items() if name != "seed"}
    return json.dumps(options, sort_keys=True)


def delay(episodes: Sequence[Episode]) -> Fact:
    """How many decisions pass from an action to the next reward that differs from its episode's usual one, or the end.

    Successes are asked where there are any; of failures, what pays nothing tells nothing.
    """
    good = [episode for episode in episodes if episode.success is True]
    waits = [wait for episode in good or episodes for wait in waits_of(episode)]
    if not waits:
        return Fact(None, "no reward was seen")
    mean = fmean(waits)
    value = {"mean_decisions": round(mean, 2), "of_successes": bool(good), "actions": len(waits)}
    said = f"from an action to a reward that says something {mean:.1f} decisions pass"
    if not good:
        return Fact(None, f"{said}, in episodes that failed", value)
    return Fact(mean >= LONG_DELAY, said, value)


def waits_of(episode: Episode) -> Iterator[int]:
    """Decisions from each one to the next reward that says something, that one included."""
    rewards = [turn.reward for turn in episode.turns]
    known = [reward for reward in rewards if reward is not None]
    if not known:
        return
    usual = Counter(known).most_common(1)[0][0]
    wait = 1
    waits = []
    for place, reward in reversed(list(enumerate(rewards))):
        telling = reward is not None and reward != usual
        wait = 1 if telling or place == len(rewards) - 1 else wait + 1
        waits.append(wait)
    yield from reversed(waits)


def hidden(episodes: Sequence[Episode]) -> Fact:
    """Whether the same observation and action were followed by different observations, in different episodes."""
    followed: dict[str, dict[str, str]] = defaultdict(dict)
    for episode in episodes:
        for turn, after in zip(episode.turns, episode.turns[1:], strict=False):
            if turn.invalid is None:
                situation = json.dumps([turn.observation, turn.action], sort_keys=True, default=str)
                shown = json.dumps(after.observation, sort_keys=True, default=str)
                followed[situation][json.dumps(episode.task, sort_keys=True)] = shown
    again = [set(after.values()) for after in followed.values() if len(after) > 1]
    differ = sum(len(shown) > 1 for shown in again)
    value = {"situations_met_again": len(again), "went_another_way": differ}
    said = f"{len(again)} situations were met again in another episode with the same observation and action"
    if differ:
        return Fact(True, f"{said}, and {differ} of them went another way", value)
    if len(again) >= LEAST_REPEATS:
        return Fact(
            False, f"{said}, and all of them went the same way: what is shown decides", value
        )
    return Fact(None, f"{said}: too few to say what is hidden", value)


def tools(mapped: MapExcerpt) -> Fact:
    """Whether the environment has tools; an action's fields may stand for them."""
    names = [tool.name for tool in mapped.action.tools]
    fields = [entry.name for entry in mapped.action.fields]
    value = {"tools": names, "action_fields": fields}
    if names:
        return Fact(True, f"it has {len(names)} tools", value)
    return Fact(None, f"it has no tools; an action has {', '.join(fields) or 'no fields'}", value)


def curriculum(mapped: MapExcerpt) -> Fact:
    """Whether there is something to raise: levels among the tasks, knobs of the reset."""
    options = [task.options for task in (*mapped.tasks.flown, *mapped.tasks.left_out)]
    splits = mapped.tasks.splits or []
    specs = [spec for split in splits for spec in split.preview if isinstance(spec, dict)]
    found = {
        str(each[name])
        for each in (*options, *specs)
        for name in LEVELS
        if each.get(name) is not None
    }
    given = [parameter.name for parameter in mapped.reset.parameters or ()]
    knobs = [name for name in given if name not in SELECTORS]
    value = {"levels": sorted(found), "knobs": knobs, "splits": [split.name for split in splits]}
    if len(found) > 1 or knobs:
        said = f"{len(found)} levels and {len(knobs)} options of the reset that can be raised"
        return Fact(True, said, value)
    if mapped.reset.parameters is None:
        return Fact(None, "what a reset takes cannot be seen", value)
    return Fact(False, "no levels, and no option of the reset that can be raised", value)


def exploits(audited: AuditExcerpt | None) -> Fact:
    """Whether the reward is clean as far as the audit saw; a proven finding trains the wrong thing."""
    if audited is None:
        return Fact(None, "the reward is not audited yet")
    ids = list(dict.fromkeys(finding.id for finding in audited.findings))
    value = {"verdict": audited.verdict, "findings": ids}
    if audited.verdict == "NO_GO":
        return Fact(
            False, f"the audit proved {', '.join(ids)}: what is paid is something else", value
        )
    return Fact(None, f"the audit is {audited.verdict}", value)
