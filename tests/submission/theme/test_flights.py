"""What is flown to see what the map and the audit do not write down, and by whom."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.records_made import audit_report, audited_policy, audited_task, contract_report

from gonogo import config
from gonogo.env.environment import Env
from gonogo.records.audit import AuditReport
from gonogo.submission.theme.flights import MOST_TASKS, SEEDS, fly_all, guide, tasks_of


def test_a_task_that_names_no_episode_is_flown_with_several_seeds() -> None:
    tasks = tasks_of(contract_report({"level": "a"}, {"index": 3}, {"level": "b", "seed": 7}))
    seeded = [{"level": "a", "seed": seed} for seed in range(SEEDS)]
    assert tasks == [*seeded, {"index": 3}, {"level": "b", "seed": 7}]


def test_of_many_tasks_the_first_are_flown() -> None:
    mapped = contract_report(*({"index": n} for n in range(MOST_TASKS + 5)))
    assert tasks_of(mapped) == [{"index": n} for n in range(MOST_TASKS)]


def audited(**rates: tuple[float | None, ...]) -> AuditReport:
    """An audit of two tasks, in which references succeeded so often."""
    tasks = [
        audited_task(
            policies=[
                audited_policy("random", "random", success={"mean": 1.0, "ci95": None}),
                *(
                    audited_policy(name, "reference", success={"mean": told[n], "ci95": None})
                    for name, told in rates.items()
                ),
            ]
        )
        for n in range(2)
    ]
    return audit_report(tasks=tasks)


@pytest.mark.parametrize(
    ("audit", "who"),
    [
        (audited(one=(1.0, 0.0), other=(0.4, 0.7)), ["other"]),
        (audited(one=(None, 0.1), other=(0.0, 0.0)), ["one"]),
        (audited(), []),
    ],
)
def test_the_guide_is_who_succeeds_most_over_all_tasks(
    gridworld: Path, audit: AuditReport, who: list[str]
) -> None:
    assert list(guide(Env(str(gridworld)), audit)) == who


def test_a_policy_that_fails_is_a_note_and_the_others_are_flown(
    gridworld: Path, tmp_path: Path
) -> None:
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    mapped = contract_report({"split": "test", "index": 0})
    episodes, notes = fly_all(run, mapped, audited(pilot=(1.0, 1.0)))
    assert [episode.policy for episode in episodes] == ["idle", "random"]
    assert len(notes) == 1 and notes[0].startswith("pilot could not be flown: no policy 'pilot'")
