"""A reset that goes on to the next task is no leak where that is written; what an episode did leaks all the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from gonogo import config
from gonogo.api import replay_file
from gonogo.contract import check_env as station
from gonogo.contract.determinism import Rotation
from gonogo.contract.findings import WITNESSES
from gonogo.contract.rotation import (
    opens_elsewhere,
    rotation_seen,
    rotation_told,
)
from gonogo.contract.trajectories import RESETS, Shot, Trace
from gonogo.records.contract import ContractItem, ContractReport
from gonogo.records.findings import ContractWitness
from gonogo.rollouts.episodes import read_episodes
from gonogo.rollouts.types import Transition


@pytest.mark.parametrize(
    "prose",
    [
        "Reset the environment and advance to the next task.",
        "Episode flow\n------------\nreset()  →  loads the next task in round-robin order\nstep()   →  grades",
        "1. **reset()** selects the next task from the pool (round-robin) and returns",
        "Each `reset()` returns a deterministic task instance, cycling through predefined variants.",
        "Tasks cycle automatically on each `reset()` call.",
        "5. The episode ends; call **reset()** to start the next task.",
        "If None, a task is selected round-robin\nfrom *task_pool* on each\nreset() call.",
        "Each episode moves on to the next scenario.",
        "The environment cycles through 3 primary tasks of rising difficulty.",
        "Used to cycle through 3 tasks to provide reproducible evaluation",
        "Auto-advance task index so next reset gives next difficulty",
        "Tasks are served in order, one for each reset.",
        "Tasks are served in alphabetical order, one for each reset.",
        "Tasks are served in the order of their ids, one for each reset."
        " Each reset serves them in sequence.",
        "Each reset moves on to the next.",
        "reset() rotates the levels.",
        "Every reset picks the levels one after another.",
        "The scenarios are presented sequentially, a new one at each reset.",
        "Each reset increments the task index.",
        "A task rotation gives each episode another one, whatever is done.",
    ],
)
def test_words_tell_that_resets_go_on(prose: str) -> None:
    assert rotation_told(f"# A title\n\nWords before. {prose}\n\nWords after.") is not None


@pytest.mark.parametrize(
    "prose",
    [
        "Reset the environment.\n\nThe signal cycles through its phases.",
        "reset() starts an episode. Each step moves on to the next patch.",
        "reset() does not advance to the next task.",
        "Never cycle through tasks on reset.",
        "After reset, the agent takes the next step.",
        "Reset the generator's state.",
        "Call reset() to start the next episode.",
        "Call reset() to move on to the next episode.",
        "Reset the environment, then loop over steps until it is done.",
        "Reset it and iterate over all actions.",
        "After a reset, complete the tasks in order.",
        "Reset clears the inbox; mails arrive one after another.",
        "Each reset serves the tasks in random order.",
        "On reset, tasks are presented in arbitrary order.",
        "Each reset hands out the puzzles in any order.",
        "The levels are served in shuffled order after each reset.",
    ],
)
def test_other_words_tell_nothing_of_resets(prose: str) -> None:
    assert rotation_told(prose) is None


@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("Numbered", "na", "nothing but what is counted varies"),
        ("Unnumbered", "fail", "different seeds in new sessions give the same one"),
        ("Careless", "fail", "the same seed gives different"),
        ("Turning", "na", "one fixed task: its code keeps the seed"),
    ],
)
def test_what_counts_episodes_says_nothing_of_a_seed_where_nothing_is_drawn_or_tasks_turn(
    name: str, verdict: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, items = mapped(name, tmp_path, monkeypatch)
    assert (items["seed_control"].verdict, said in items["seed_control"].said) == (verdict, True)
    assert ("seed_ignored" in {f.id for f in record.findings}) is (verdict == "fail")


def trace(*answers: str) -> Trace:
    """A flight that observes some texts."""
    shots = [
        Shot({} if n else None, Transition({"x": x}, 0.0, False), None, None)
        for n, x in enumerate(answers)
    ]
    return Trace({}, shots)


def test_the_number_of_resets_has_to_decide_it_alone() -> None:
    first = {
        "reference": trace("a", "a1"),
        "new session": trace("a", "a1"),
        "again": trace("b", "b1"),
    }
    first["after other"] = trace("d", "d1")
    assert opens_elsewhere(first, {})
    assert not opens_elsewhere({**first, "new session": trace("b", "b1")}, {})
    later = {"again": trace("a", "a2"), "after other": trace("a", "a1")}
    assert not opens_elsewhere({**first, **later}, {})
    turned = {"again": trace("b", "b1"), "after other": trace("d", "d1")}
    turned |= {name: trace("b") for name in RESETS}
    assert rotation_seen(first, [turned], "said", {}) == Rotation("said")
    assert rotation_seen(first, [{**turned, "after other": trace("d", "d2")}], "said", {}) is None
    coin = {**turned, RESETS[-1]: trace("c")}
    drawn = rotation_seen(first, [turned, coin], "said", {})
    assert drawn is not None and drawn.drawn is not None
    assert drawn.drawn[1].values == ("b", "c")


def mapped(
    name: str, out: Path, monkeypatch: pytest.MonkeyPatch
) -> tuple[ContractReport, dict[str, ContractItem]]:
    """The map of one of the zoo's environments that serve tasks in turn, and its items."""
    monkeypatch.chdir(Path(__file__).parents[2])
    given = {"target": f"tests.zoo.turns:{name}", "out": str(out), "map.steps": 6, "map.seeds": 2}
    station.run(config.load(None, given))
    record = ContractReport.load(out)
    return record, {item.id: item for item in record.contract}


@pytest.mark.parametrize(
    ("name", "verdict", "said"),
    [
        ("Told", "pass", "loads the next task in round-robin order"),
        ("Unsaid", "fail", "which no docstring and no README says"),
        ("Leaking", "fail", "observation"),
    ],
)
def test_a_reset_that_goes_on_is_no_leak_where_that_is_written(
    name: str, verdict: str, said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, items = mapped(name, tmp_path, monkeypatch)
    for check in ("determinism_same_session", "isolation_episodes"):
        assert items[check].verdict == verdict
        assert said in items[check].said
    leaks = [f.explanation for f in record.findings if f.id == "episode_state_leak"]
    assert bool(leaks) is (verdict == "fail")
    assert all(said in told for told in leaks)
    assert "seed_ignored" in {f.id for f in record.findings}


def test_a_dropped_seed_is_shown_by_what_no_turn_decides(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The second reset of a session gives another task, which proves nothing of the seed."""
    record, items = mapped("Drawing", tmp_path, monkeypatch)
    (found,) = [f for f in record.findings if f.id == "seed_ignored"]
    assert found.witness.difference is not None
    assert found.witness.difference.field == "observation.drawn"
    assert items["seed_control"].evidence.difference == found.witness.difference


def test_what_a_later_reset_draws_is_no_matter_of_the_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes differ at the second reset of a session, and so does one process from itself."""
    record, items = mapped("LateCoin", tmp_path, monkeypatch)
    assert {f.id for f in record.findings} == {"seed_ignored"}
    for check in ("determinism_same_session", "isolation_episodes"):
        assert items[check].verdict == "na"
        assert "draws what no seed decides" in items[check].said
    (found,) = record.findings
    assert isinstance(found.witness, ContractWitness)
    assert found.witness.resets_before == ({"seed": 0, "episode_id": "gonogo-map"},)
    assert found.explanation.endswith("at reset 2 of a fresh process")
    assert replay_file(tmp_path / WITNESSES, None).reproduced


@pytest.mark.parametrize(("name", "before"), [("PaidAlways", 0), ("PaidLate", 1), ("Shared", 1)])
def test_a_proof_says_of_which_reset_of_a_fresh_process_it_is(
    name: str, before: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of the first one if that shows it; resets may count in an instance, and in a process."""
    record, _ = mapped(name, tmp_path, monkeypatch)
    (found,) = [f for f in record.findings if f.id == "paid_after_done"]
    assert isinstance(found.witness, ContractWitness)
    assert len(found.witness.resets_before or ()) == before
    assert ("at reset 2 of a fresh process" in found.explanation) is (before == 1)
    (proof,) = [p for p in read_episodes(tmp_path / WITNESSES) if p.policy == found.id]
    assert len(proof.resets_before) == before
    report = replay_file(tmp_path / WITNESSES, None)
    assert report.reproduced, report.said


def test_a_leak_is_shown_by_the_resets_before_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record, _ = mapped("Unsaid", tmp_path, monkeypatch)
    (found,) = [f for f in record.findings if f.id == "episode_state_leak"]
    assert isinstance(found.witness, ContractWitness)
    assert len(found.witness.resets_before or ()) == 1
    proofs = {proof.policy: proof for proof in read_episodes(tmp_path / WITNESSES)}
    leak = proofs["episode_state_leak"]
    assert leak.replays == "turned"
    assert replay_file(tmp_path / WITNESSES, None).reproduced
    leak.resets_before *= 2
    file = tmp_path / "later.jsonl"
    file.write_text(f"{leak.to_json()}\n")
    assert not replay_file(file, None).reproduced
