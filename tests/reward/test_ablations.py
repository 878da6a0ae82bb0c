"""Exploits flown against a reward, with its guards and without each."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import audit_report, audited_task, exploit_case, finding

from gonogo import config
from gonogo.errors import MissingRecord, Misuse
from gonogo.exploits.witness import trimmed
from gonogo.records.reward import ExploitCases
from gonogo.reward.ablations import (
    LEAST_GAIN,
    MOST_EXPLOITS,
    CandidateExploit,
    Trials,
    Tried,
    candidates,
    cases_of,
    choose,
    read_cases,
    unguarded,
    witnesses,
)
from gonogo.reward.facts import Facts, PolicyEpisode
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.wire import Action

REWARD = """\
from openenv.core.rubrics import Rubric, WeightedSum


class Part(Rubric):
    def __init__(self, name, pay):
        super().__init__()
        self.name, self.pay = name, pay
        self.GUARDS = {"word": "It pays nothing."} if name == "primary" else {}

    def forward(self, action, observation):
        return self.pay


def make_reward(without=()):
    pays = {"primary": 1.0 if "primary.word" in without else 0.0, "b": 0.5, "c": 0.5, "d": 0.5}
    parts = [Part(name, pay) for name, pay in pays.items()]
    return WeightedSum(parts, weights=[0.25] * 4)
"""


def write(out: Path, target: str) -> Path:
    """A record of one case, and the reward beside it."""
    run = config.load(None, {"target": target, "out": str(out), "rollout.max_turns": 2})
    rollout = run.rollout.model_dump(mode="json")
    case = exploit_case("stay", task={"split": "test", "index": 0}, plan=({"move": "stay"},))
    ExploitCases(target=target, rollout=rollout, cases=(case,)).save(out)
    (out / "reward.py").write_text(REWARD)
    return out / "exploits.json"


def test_a_case_is_flown_by_the_reward_beside_it_with_the_guard_and_without(
    gridworld: Path, tmp_path: Path
) -> None:
    file = write(tmp_path, str(gridworld))
    trials = Trials(file)
    (case,) = read_cases(file)
    flown = trials.fly(case)
    assert [turn.action for turn in flown.turns] == [{"move": "stay"}] * 2
    assert flown.components["b"] > 0
    assert trials.paid(case) == 0.0 < trials.paid_without(case)


def test_what_no_guard_is_said_of_is_paid_nothing() -> None:
    episode = Episode(0, {}, "t", "p", final_metadata={"without": {"primary.word": 0.5}})
    assert unguarded(episode, "primary", "word") == 0.5
    assert unguarded(episode, "primary", "other") == 0.0
    assert unguarded(Episode(0, {}, "t", "p"), "primary", "word") == 0.0


def test_a_record_that_is_not_there_or_of_a_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(MissingRecord):
        read_cases(tmp_path / "exploits.json")
    with pytest.raises(Misuse, match="tried where the environment runs"):
        Trials(write(tmp_path, "http://127.0.0.1:1"))


def test_a_finding_may_have_no_plan_or_no_flight() -> None:
    flown = {"reset": {"seed": 3}, "actions": [{"call": "quiet"}]}
    findings = (
        finding("client_imports_server", witness={"import": "client.py"}),
        finding("paid_after_done", witness=flown),
    )
    (found,) = witnesses(audit_report(*findings, tasks=()))
    assert (found.origin, found.plan) == ("finding paid_after_done", [{"call": "quiet"}])


def test_the_plan_that_the_search_found_is_tried() -> None:
    sought = {"best_failing_return": 0.5, "curve": [], "plan": [{"call": "alarm"}]}
    tasks = [
        audited_task(task={"level": 1}, search={"plan": plan, "policy": None})
        for plan in (None, sought)
    ]
    (found,) = witnesses(audit_report(tasks=tasks, seeds={"survey": [7], "fresh": []}))
    assert (found.task, found.plan) == ({"level": 1, "seed": 7}, [{"call": "alarm"}])


def flown(name: str, kind: str, paid: float, *moves: str) -> PolicyEpisode:
    turns = [Turn("", {}, {"move": move}) for move in moves]
    return PolicyEpisode(name, kind, Episode(0, {}, "t", name, turns=turns, episode_return=paid))


def facts(good: list[PolicyEpisode], bad: list[PolicyEpisode]) -> Facts:
    return Facts(
        success="success", fields=[], at_the_end=True, guide="solve", good=good, bad=bad,
        par_steps=2.0, par=1.0, floor=0.0, texts={}, clocks=[], idle={"move": "stay"},
    )  # fmt: skip


def test_the_best_paid_failure_of_each_kind_comes_first_and_each_plan_once() -> None:
    bad = [
        flown("always a", "constant", 0.1, "a", "a", "a"),
        flown("always b", "constant", 0.4, "b", "b"),
        flown("b again", "constant", 0.3, "b"),
        flown("idle", "idle", 0.2, "stay"),
        flown("nothing", "random", 0.9),
    ]
    *firsts, last = candidates(audit_report(), facts([], bad))
    assert {(each.exploit, each.origin) for each in firsts} == {
        ("always b", "the panel's constant"),
        ("idle", "the panel's idle"),
    }
    assert (last.exploit, last.plan) == ("always a", [{"move": "a"}])


def test_a_success_is_spoiled_in_three_ways() -> None:
    tried = candidates(audit_report(), facts([flown("solve", "reference", 1.0, "a", "b")], []))
    refused, idled, drawn_out = (each.plan for each in tried)
    plan: list[Action] = [{"move": "a"}, {"move": "b"}]
    assert refused == [{"move": "stay", "no_such_field": 1}] * 3 + plan
    assert idled == [{"move": "stay"}] * 3 + plan
    assert drawn_out == [plan[0], plan[0], plan[1], plan[1]]


def test_only_repetitions_at_the_end_are_trimmed() -> None:
    a: Action = {"move": "a"}
    b: Action = {"move": "b"}
    assert trimmed([a, a, b, b, b]) == [a, a, b]
    assert trimmed([a, a]) == [a]
    assert trimmed([]) == []


def tried(
    exploit: str, *, origin: str = "the panel's idle", success: bool = False, **free: float
) -> Tried:
    """A plan that the component pays nothing, and without a guard so much."""
    without = {f"primary.{guard}": paid for guard, paid in free.items()}
    episode = Episode(
        0,
        {},
        "t",
        "p",
        success=success,
        components={"primary": 0.0},
        final_metadata={"without": without},
    )
    return Tried(CandidateExploit(exploit, origin, {}, [{"move": exploit}]), episode)


def test_what_is_paid_no_more_without_the_guard_is_no_exploit_of_it() -> None:
    flights = [tried("a", word=0.5), tried("b", word=LEAST_GAIN / 2), tried("c", other=0.5)]
    (case,) = cases_of(flights, "primary", "word")
    assert (case.exploit, case.guarded, case.unguarded, case.fails) == ("a", 0.0, 0.5, True)
    assert list(cases_of(flights, "format", "word")) == []


def test_findings_come_first_and_each_guard_has_its_exploit() -> None:
    flights = [
        tried("much", word=0.9, ended=0.9),
        tried("proved", origin="finding paid_for_idling", word=0.3),
        tried("little", word=0.1, ended=0.2),
    ]
    chosen = choose(flights, "primary", ["word", "ended", "unused"])
    assert [(case.guard, case.exploit) for case in chosen][:2] == [
        ("word", "proved"),
        ("ended", "much"),
    ]
    many = [tried(str(n), word=0.5) for n in range(3 * MOST_EXPLOITS)]
    assert len(choose(many, "primary", ["word"])) == MOST_EXPLOITS
