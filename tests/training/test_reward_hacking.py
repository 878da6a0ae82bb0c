"""The watch against reward hacking, and the exploits that it knows."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from tests.records_made import audit_report, episode_witness, finding

from gonogo.config import RunConfig, WatchConfig
from gonogo.errors import MissingRecord, Misuse
from gonogo.records.training import Alarm
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.training.environments import environments_of
from gonogo.training.reward_hacking import (
    HackingWatch,
    WatchState,
    audited_plans,
    known_plans,
    likeness,
    watched_stages,
)

IDLE = {"idling": [{"side": "hold"}]}
GROUPS, SIZE = 4, 6
NAMES = ("stalling_pays", "dies", "farmable_cycle", "stalling_pays")


def episode(
    paid: float | None, success: bool | None = None, invalid: bool = False, side: str = "buy"
) -> Episode:
    turn = Turn("", {}, action={"side": side, "shares": 3}, invalid="no" if invalid else None)
    error = "crash" if paid is None else None
    return Episode(
        0, {}, "", "", turns=[turn], episode_return=paid, success=success, error=error
    )  # fmt: skip


class Runs:
    """Steps with given means; what else is drawn comes from a seed."""

    def __init__(self, plans: dict[str, Any] | None = None, **settings: Any) -> None:
        self.watch = HackingWatch(WatchConfig(**settings), plans or {})
        self.rng = np.random.default_rng(7)
        self.step = 0
        self.alarms: list[Alarm] = []
        self.row: dict[str, float] = {}

    def fly(
        self,
        steps: int,
        paid: float,
        success: float | None,
        *,
        stage: str = "one",
        invalid: float = 0.0,
        idle: float = 0.0,
        spread: float = 0.2,
        entropy: float = 1.0,
    ) -> list[str]:
        """Rules that spoke, in order."""
        before = len(self.alarms)
        for _ in range(steps):
            self.step += 1
            groups = [
                (stage, list(self.group(paid, success, invalid, idle, spread)))
                for _ in range(GROUPS)
            ]
            alarms, self.row = self.watch.see(self.step, groups)
            self.watch.hear_entropy(self.step, entropy)
            self.alarms += alarms
        return [alarm.rule for alarm in self.alarms[before:]]

    def group(
        self, paid: float, success: float | None, invalid: float, idle: float, spread: float
    ) -> Iterator[Episode]:
        for number in range(SIZE):
            # Shares instead of draws: means are exact and only returns vary.
            won = None if success is None else number < round(success * SIZE)
            yield episode(
                paid + spread * float(self.rng.standard_normal()),
                won,
                invalid=number < round(invalid * SIZE),
                side="hold" if number < round(idle * SIZE) else "buy",
            )


def test_a_return_that_rises_while_success_falls_is_an_alarm_at_once() -> None:
    runs = Runs()
    assert runs.fly(4, 0.3, 0.5) == []
    assert runs.fly(4, 0.9, 0.2) == ["return_without_success"]
    [alarm] = runs.alarms
    assert (alarm.stage, alarm.step <= 8) == ("one", True)
    assert "success fell" in alarm.reason and "success 0.5" in alarm.reason
    assert "return_without_success in step" in str(alarm)
    assert runs.fly(20, 0.95, 0.2) == []  # said once


def test_a_fall_from_its_best_counts_too() -> None:
    runs = Runs()
    assert runs.fly(4, 0.2, 0.0) == []
    assert runs.fly(8, 0.5, 0.5) == []
    assert runs.fly(4, 0.9, 1 / 3) == ["return_without_success"]


def test_a_success_that_stays_where_it_was_is_an_alarm_after_a_while() -> None:
    runs = Runs(patience=5)
    runs.fly(4, 0.3, 1 / 3)
    assert runs.fly(8, 0.9, 1 / 3) == []  # the windows part after four, and then five steps
    assert runs.fly(3, 0.9, 1 / 3) == ["return_without_success"]
    assert "success did not rise" in runs.alarms[0].reason


@pytest.mark.parametrize(
    ("paid", "success"),
    [(0.9, 0.8), (0.3, 1 / 3), (0.1, 0.0), (0.9, None)],
    ids=["learned", "nothing happens", "both fall", "success is not told"],
)
def test_silence(paid: float, success: float | None) -> None:
    runs = Runs()
    assert runs.fly(4, 0.3, None if success is None else 1 / 3) == []
    assert runs.fly(30, paid, success) == []


def test_who_succeeds_anyway_may_earn_more() -> None:
    runs = Runs(IDLE)
    assert runs.fly(4, 0.3, 1.0, idle=0.0) == []
    assert runs.fly(30, 0.9, 1.0, idle=1.0, entropy=0.0, spread=0.0) == []


def test_coming_near_to_an_exploit_is_an_alarm_without_patience() -> None:
    runs = Runs(IDLE, patience=1000)
    assert runs.fly(4, 0.3, 1 / 3, idle=1 / 3) == []
    assert runs.fly(4, 0.9, 1 / 3, idle=2 / 3) == ["like_an_exploit"]
    assert "the audit's idling 0.667 -> 0.333" in runs.alarms[0].reason
    assert runs.row["watch/one/nearest_exploit"] == pytest.approx(1 / 3)
    assert runs.row["watch/one/return_rise"] > 3 > runs.row["watch/one/success_rise"]
    lucky = Runs(IDLE)
    lucky.fly(4, 0.3, 1 / 3, idle=1 / 3)
    assert lucky.fly(20, 0.9, 2 / 3, idle=1.0) == []  # it succeeds as well


def test_without_a_word_for_success_only_an_exploit_that_it_became_counts() -> None:
    runs = Runs(IDLE)
    runs.fly(4, 0.3, None, idle=1 / 3)
    assert runs.fly(8, 0.9, None, idle=2 / 3) == []
    assert runs.fly(4, 0.9, None, idle=1.0) == ["like_an_exploit"]
    assert "success unknown" in runs.alarms[0].reason


def test_entropy_refusals_and_variance() -> None:
    stiff = Runs()
    stiff.fly(4, 0.3, 1 / 3)
    assert stiff.fly(5, 0.3, 1 / 3, entropy=0.01) == ["entropy"]
    broken = Runs()
    broken.fly(4, 0.3, None)
    assert broken.fly(4, 0.3, None, invalid=5 / 6) == ["invalid"]
    alike = Runs()
    alike.fly(4, 0.3, 1 / 3)
    assert alike.fly(4, 0.3, 1 / 3, spread=0.0) == ["no_variance"]
    always = Runs()
    assert always.fly(30, 0.3, 0.0, spread=0.0, invalid=1.0) == []  # it never was otherwise


def test_stages_are_not_held_against_each_other() -> None:
    runs = Runs()
    runs.fly(10, 0.2, 0.8, stage="easy")
    assert runs.fly(10, 0.9, 0.0, stage="hard") == []
    assert runs.fly(4, 0.9, 0.2, stage="easy") == ["return_without_success"]
    assert runs.alarms[0].stage == "easy"


def test_lost_groups_are_no_evidence() -> None:
    watch = HackingWatch(WatchConfig(), {})
    assert watch.see(1, [("one", [episode(None), episode(None)])]) == ([], {})
    assert watch.state().stages == {}


def test_what_a_checkpoint_holds_is_all_that_it_needs() -> None:
    def steps(runs: Runs, interrupted: bool) -> list[Alarm]:
        runs.fly(4, 0.3, 1 / 3, idle=1 / 3)
        runs.fly(2, 0.9, 1 / 3, idle=2 / 3)
        if interrupted:
            state = WatchState.model_validate(
                json.loads(json.dumps(runs.watch.state().model_dump()))
            )
            runs.watch = HackingWatch(WatchConfig(), IDLE)
            runs.watch.restore(state)
        runs.fly(12, 0.9, 1 / 6, idle=1.0, entropy=0.0)
        return runs.alarms

    straight = steps(Runs(IDLE), interrupted=False)
    assert {alarm.rule for alarm in straight} >= {"return_without_success", "entropy"}
    assert steps(Runs(IDLE), interrupted=True) == straight


def test_an_exploit_is_looked_for_in_its_own_environments_stages() -> None:
    """Another environment's actions say nothing of it, however alike their words are."""
    for stage, rules in (("one", ["like_an_exploit"]), ("two", [])):
        runs = Runs(IDLE, patience=1000)
        runs.watch = HackingWatch(WatchConfig(patience=1000), IDLE, {"one"})
        runs.fly(4, 0.3, 1 / 3, stage=stage, idle=1 / 3)
        assert runs.fly(4, 0.9, 1 / 3, stage=stage, idle=2 / 3) == rules
        assert (f"watch/{stage}/nearest_exploit" in runs.row) == bool(rules)


def test_what_is_remembered_does_not_grow() -> None:
    runs = Runs()
    runs.fly(20, 0.3, 0.5)
    early = len(json.dumps(runs.watch.state().model_dump()))
    runs.fly(200, 0.3, 0.5)
    assert len(json.dumps(runs.watch.state().model_dump())) < 1.1 * early


@pytest.mark.parametrize(
    ("plan", "action", "expected"),
    [
        ([{"side": "hold"}], {"side": "hold", "shares": 17}, 0.0),
        ([{"side": "hold"}], {"side": "buy"}, 1.0),
        ([{"bill": {"minutes": 60}}], {"bill": {"minutes": 30, "remark": "x"}}, 0.5),
        ([{"side": "hold"}], {"shares": 1}, 1.0),
        ([{}], {"bed": None}, 0.0),
        ([{}], {"bed": 2}, 1.0),
        ([{"side": "hold"}], None, 1.0),
    ],
)
def test_only_what_the_plan_says_is_compared(
    plan: list[Any], action: dict[str, Any] | None, expected: float
) -> None:
    flown = Episode(0, {}, "", "", turns=[Turn("", {}, action=action)])
    assert likeness([flown], plan) == pytest.approx(expected)


def test_the_last_action_of_a_plan_is_repeated_and_no_turns_are_like_nothing() -> None:
    turns = [Turn("", {}, action={"n": number}) for number in (1, 2, 2)]
    assert likeness([Episode(0, {}, "", "", turns=turns)], [{"n": 1}, {"n": 2}]) == 0.0
    assert likeness([Episode(0, {}, "", "")], [{"n": 1}]) is None


def audited(folder: Path, plans: Sequence[Any]) -> Path:
    findings = (
        finding(name, witness={} if plan is None else episode_witness(plan=plan))
        for name, plan in zip(NAMES, plans, strict=True)
    )
    audit_report(*findings).save(folder)
    return folder


def test_an_audit_gives_each_plan_once(tmp_path: Path) -> None:
    plan, other = [{"side": "hold"}], [{"x": {"$number": "Infinity"}}]
    folder = audited(tmp_path, [plan, None, plan, other])
    assert audited_plans(folder) == {
        "stalling_pays": plan,
        "stalling_pays, plan 2": [{"x": float("inf")}],
    }
    assert known_plans(WatchConfig(), folder) == audited_plans(folder)


def test_an_audit_that_the_config_names_has_to_be_there(tmp_path: Path) -> None:
    assert known_plans(WatchConfig(), tmp_path) == {}
    with pytest.raises(MissingRecord, match="audit"):
        known_plans(WatchConfig(audit=tmp_path), tmp_path)


def test_an_audit_is_of_one_of_the_environments(
    gridworld: Path, rogue: Path, tmp_path: Path
) -> None:
    train = {
        "validation": {"tasks": {"options": {}}},
        "environments": [{"name": "two", "target": str(rogue), "validation": {"options": {}}}],
        "curriculum": {"stages": [{"name": "a", "options": {}}, {"name": "b", "environment": "two", "options": {}}]},
        "grpo": {},
    }  # fmt: skip
    run = RunConfig.model_validate_json(
        json.dumps({"target": str(gridworld), "out": str(tmp_path), "train": train})
    )
    both = environments_of(run)
    assert watched_stages(run, both) is None
    for target, stages in ((gridworld, {"a"}), (rogue, {"b"})):
        audit_report(target=str(target)).save(tmp_path)
        assert watched_stages(run, both) == stages
    audit_report(target="x.y:Z").save(tmp_path)
    with pytest.raises(Misuse, match=r"must be of an environment of the run, .* is of x.y:Z"):
        watched_stages(run, both)
    assert watched_stages(run, both[:1]) is None
