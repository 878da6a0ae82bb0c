"""Rollouts over a real local Ray cluster: the same episodes as in one process, whoever is killed meanwhile."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("ray", reason="the ray extra is not installed")

from tests.runners.flying import flown, run_of
from tests.runners.ray_cluster import cluster

from gonogo.env.environment import Env
from gonogo.errors import Misuse, PolicyFailure, StaleRecord
from gonogo.evaluation import evaluate as station
from gonogo.records.files import read_record
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import read_episodes
from gonogo.runners.runner import RayRunner, batches, open_runner

pytestmark = pytest.mark.slow

Json = dict[str, Any]


@pytest.fixture(scope="module", autouse=True)
def _cluster() -> Iterator[None]:
    with cluster():
        yield


def test_the_episodes_are_those_of_one_process_bit_for_bit(gridworld: Path, tmp_path: Path) -> None:
    run = run_of(gridworld, tmp_path, **{"evaluation.episodes": 21})
    tasks = dict(enumerate(run.evaluation.tasks()))
    with closing(RayRunner(run, Env.of(run))) as runner:
        for policy in ("random", "walker", "idle"):
            over_ray = runner.fly(policy, tasks, lambda _: None)
            assert len(over_ray) == 21
            assert [episode.to_json() for episode in over_ray] == flown(run, policy)


def test_an_evaluation_over_ray_has_the_same_numbers(gridworld: Path, tmp_path: Path) -> None:
    columns = []
    for how, name in ((False, "alone"), (True, "ray")):
        given = {"evaluation.policies": ["idle", "random", "walker"], "evaluation.episodes": 12}
        run = run_of(gridworld, tmp_path / name, **given)
        assert station.run(run, over_ray=how) is Verdict.HOLD
        record = read_record(tmp_path / name / "evaluation.json", "evaluation", 2)
        columns.append({key: record[key] for key in ("policies", "comparisons", "shown_task")})
    assert columns[0] == columns[1]


def test_what_goes_wrong_in_a_worker_is_said_as_in_one_process(
    gridworld: Path, tmp_path: Path
) -> None:
    run = run_of(gridworld, tmp_path, **{"evaluation.episodes": 2})
    with pytest.raises(PolicyFailure, match="no fuel"):
        flown(run, "dead", over_ray=True)
    with pytest.raises(Misuse, match="no policy 'nobody'"):
        flown(run, "nobody", over_ray=True)


def test_a_worker_that_sees_another_source_flies_nothing(slow_grid: Path, tmp_path: Path) -> None:
    run = run_of(slow_grid, tmp_path, **{"evaluation.episodes": 2})
    tasks = dict(enumerate(run.evaluation.tasks()))
    env = Env.of(run)
    env.source = "0" * 64  # what another machine has
    with closing(RayRunner(run, env)) as runner, pytest.raises(StaleRecord, match="another source"):
        runner.fly("random", tasks, lambda _: None)


def test_a_server_is_refused(tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="is one server"):
        run = run_of("http://127.0.0.1:9", tmp_path)
        open_runner(run, Env.of(run), over_ray=True)


def test_the_command_starts_a_cluster_and_goes_on_with_what_is_there(
    gridworld: Path, tmp_path: Path
) -> None:
    file = tmp_path / "episodes.jsonl"
    run = run_of(gridworld, tmp_path, **{"evaluation.episodes": 9})
    expected = flown(run)
    command = [sys.executable, "-m", "gonogo", "rollout", str(gridworld), "--file", str(file)]
    command += ["--policies", "random", "--split", "test", "--episodes", "9", "--ray"]
    command += ["--out", str(tmp_path)]
    for _ in range(2):
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
        assert done.returncode == Verdict.GO, done.stdout + done.stderr
        episodes = sorted(read_episodes(file), key=lambda episode: episode.index)
        for episode in episodes:
            episode.flown_with = None
        assert [episode.to_json() for episode in episodes] == expected
        # The second time, three are missing.
        lines = file.read_text().splitlines(keepends=True)
        file.write_text("".join(lines[:6]))


def test_batches_cover_the_tasks_in_order() -> None:
    for count, people, slots in ((1, 1, 64), (7, 2, 64), (200, 2, 8), (5, 16, 4)):
        tasks: dict[int, Json] = {index: {"seed": index} for index in range(count)}
        cut = list(batches(tasks, people, slots))
        assert [index for batch in cut for index in batch] == list(tasks)
        assert all(1 <= len(batch) <= slots for batch in cut)
