"""Policies that others wrote: flown as child processes, every way of failing; and given by a caller as objects."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from gonogo.env.environment import connect
from gonogo.env.target import FolderTarget, References, resolve
from gonogo.errors import Misuse, PolicyFailure
from gonogo.policies.external import CallablePolicy, FunctionPolicy, LentPolicy, ReferencePolicy
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.types import View


def folder(path: Path) -> FolderTarget:
    target = resolve(str(path))
    assert isinstance(target, FolderTarget)
    return target


def view(east: int = 1) -> View:
    return View("", {"goal_east": east, "goal_north": 0}, {"seed": 1}, 0)


def test_many_interleaved_episodes(gridworld: Path) -> None:
    target = folder(gridworld)
    connection = connect(target, 16)
    policy = ReferencePolicy(target, "walker")
    tasks = [{"seed": i} for i in range(50)]
    episodes = fly(connection, policy, tasks, Flight("gridworld"))
    policy.close()
    policy.close()
    connection.close()
    assert all(e.success for e in episodes)
    assert {e.policy for e in episodes} == {"walker"}


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("dead", "policy dead exited with code 1; it last printed:\nno fuel"),
        ("mute", "not JSON"),
        ("liar", "answered for 'elsewhere', not asked"),
        ("sleeper", "gave no answer within 2 s"),
    ],
)
def test_a_broken_policy_is_named_with_its_last_words(
    gridworld: Path, name: str, said: str
) -> None:
    policy = ReferencePolicy(folder(gridworld), name, timeout_s=2)
    policy.begin([0])
    with pytest.raises(PolicyFailure, match=said):
        policy.act({0: view()})
    policy.close()


def test_a_large_batch_does_not_fill_the_pipes(gridworld: Path) -> None:
    policy = ReferencePolicy(folder(gridworld), "walker")
    policy.begin(range(3000))
    wide = {"goal_east": 1, "goal_north": 0, "ballast": "x" * 2000}
    replies = policy.act({slot: View("", wide, {}, 0) for slot in range(3000)})
    policy.close()
    assert {str(reply.action) for reply in replies.values()} == {"{'move': 'east'}"}


def test_an_environment_without_reference_policies(rogue: Path) -> None:
    with pytest.raises(PolicyFailure, match="rogue declares no reference policies"):
        ReferencePolicy(folder(rogue), "walker")


def test_a_function_flies_with_a_memory_for_each_episode(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "guides.py").write_text(
        "def count(observation, memory):\n"
        "    print('not on the wire')\n"
        "    memory['turns'] = memory.get('turns', 0) + 1\n"
        "    return {'turns': memory['turns'], 'east': observation['goal_east']}\n"
    )
    monkeypatch.chdir(tmp_path)
    policy = FunctionPolicy("guides:count")
    policy.begin([0, 1])
    assert policy.act({0: view(5)})[0].action == {"turns": 1, "east": 5}
    replies = policy.act({0: view(), 1: view()})
    assert [replies[slot].action for slot in (0, 1)] == [
        {"turns": 2, "east": 1},
        {"turns": 1, "east": 1},
    ]
    policy.end([0])
    policy.begin([0])
    assert policy.act({0: view(2)})[0].action == {"turns": 1, "east": 2}
    policy.close()


@pytest.mark.parametrize("path", ["no_such_module:solve", "json:no_such_function"])
def test_a_function_that_is_not_there_says_so(path: str) -> None:
    policy = FunctionPolicy(path)
    policy.begin([0])
    with pytest.raises(Misuse, match="cannot be loaded"):
        policy.act({0: view()})


def test_a_function_that_raises_is_named_with_its_own_line_and_last_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    lines = ["import json", "def solve(observation, memory):", "    return json.loads('no')"]
    (tmp_path / "frail.py").write_text("\n".join(lines))
    policy = FunctionPolicy("frail:solve")
    policy.begin([0])
    with pytest.raises(PolicyFailure) as caught:
        policy.act({0: view()})
    policy.close()
    said = str(caught.value)
    assert (
        f"failed at {tmp_path / 'frail.py'}, line 3, in solve: json.decoder.JSONDecodeError" in said
    )
    assert "Traceback" not in said and "worker" not in said and len(said.splitlines()) == 1


SAYS = """
import sys
lines = {lines!r}
sys.stdin.readline()
print(lines[int(sys.argv[1])], flush=True)
sys.stdin.readline()
"""
LINES = [
    '{"episode": ["0.1"], "action": {}}',
    '{"episode": {"0.1": 1}, "action": {}}',
    '{"episode": null, "action": {}}',
    '{"episode": "0.1", "action": 5}',
    '{"episode": "9.9", "action": {}}',
    "[1]",
    "7",
    "nothing",
    '{"episode": "0.1", "action": {"deep": ' + "[" * 5000 + "]" * 5000 + "}}",
    '{"episode": "0.1", "action": {"long": ' + "7" * 5000 + "}}",
    '{"episode": "0.1", "action": {"half": "\\ud800"}}',
]


@pytest.mark.parametrize("number", range(len(LINES)))
def test_a_line_that_is_no_answer_is_the_policys_failure(tmp_path: Path, number: int) -> None:
    (tmp_path / "says.py").write_text(SAYS.format(lines=LINES))
    references = References("says.py", tuple(map(str, range(len(LINES)))))
    target = FolderTarget("says", tmp_path, "server.app:app", (), (), references)
    with closing(ReferencePolicy(target, str(number))) as policy:
        policy.begin([0])
        with pytest.raises(PolicyFailure) as caught:
            policy.act({0: View("", {}, {}, 0)})
    assert len(str(caught.value)) < 500


Json = dict[str, Any]


def count(observation: Json, memory: Json) -> Json:
    memory["turns"] = memory.get("turns", 0) + 1
    return {"turns": memory["turns"], "east": observation.pop("east")}


def seen_at(east: int = 1) -> View:
    return View("", {"east": east}, {}, 0)


def test_each_episode_has_a_memory_of_its_own_that_goes_with_it() -> None:
    policy = CallablePolicy("count", count)
    policy.begin([0, 1])
    seen = seen_at(5)
    assert policy.act({0: seen})[0].action == {"turns": 1, "east": 5}
    assert seen.observation == {"east": 5}  # the function was given a copy
    replies = policy.act({0: seen_at(), 1: seen_at()})
    assert [replies[slot].action for slot in (0, 1)] == [
        {"turns": 2, "east": 1},
        {"turns": 1, "east": 1},
    ]
    policy.end([0])
    policy.begin([0])
    assert policy.act({0: seen_at(2)})[0].action == {"turns": 1, "east": 2}


@pytest.mark.parametrize("said", [None, "north", [1], "x" * 5000])
def test_what_is_no_action_is_the_policys_failure(said: Any) -> None:
    policy = CallablePolicy("odd", lambda observation, memory: said)
    policy.begin([0])
    with pytest.raises(PolicyFailure, match="policy odd must answer an action, not") as caught:
        policy.act({0: seen_at()})
    assert len(str(caught.value)) < 300


def test_what_a_function_raises_is_its_callers_to_see() -> None:
    def fail(observation: Json, memory: Json) -> Json:
        raise LookupError("no map")

    policy = CallablePolicy("lost", fail)
    policy.begin([0])
    with pytest.raises(LookupError, match="no map"):
        policy.act({0: seen_at()})


class Closable(CallablePolicy):
    """One that knows whether it was closed."""

    closed = False

    def close(self) -> None:
        self.closed = True


def test_a_lent_policy_flies_as_its_own_and_is_not_closed() -> None:
    own = Closable("count", count)
    lent = LentPolicy(own.name, own)
    assert lent.name == "count"
    lent.begin([0])
    assert lent.act({0: seen_at(3)})[0].action == {"turns": 1, "east": 3}
    lent.end([0])
    with pytest.raises(KeyError):
        own.act({0: seen_at()})
    lent.close()
    assert not own.closed
