"""Training on environments that are not ours, each from a config alone, by the two commands of the README.

OpenEnv's template comes with openenv. FrozenLake is Gymnasium's, and comes by pip. OpenEnv's published environments
come from a checkout alone: the one at ``OPENENV_CHECKOUT``, else one that is cloned; where there is neither, the test
says so and is skipped. None of their code is kept here.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from statistics import fmean
from typing import Any

import pytest

from gonogo.records.files import read_lines, read_record
from gonogo.records.record import Verdict
from gonogo.records.training import TrainingReport

pytest.importorskip("trl", reason="the train extra is not installed")

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
OPENENV = "https://github.com/meta-pytorch/OpenEnv"
CLONE_S = 60

Json = dict[str, Any]


def gonogo(*words: object) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "gonogo", *map(str, words)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=1200,
        check=False,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


def trained(config: str, out: Path, *target: object) -> tuple[Json, int]:
    """Train and evaluate; the evaluation's record and its exit code.

    The learning curve and its rows are looked at here, for every environment.
    """
    here = ("--config", HERE / config, "--out", out)
    ran = gonogo("train", *target, *here)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    record = TrainingReport.load(out)
    assert record.verdict is Verdict.GO
    asked = record.config["train"]["grpo"]["steps"]
    rows = [row for row in read_lines(out / "training.jsonl") if row["stage"] == "grpo"]
    assert [row["step"] for row in rows] == list(range(asked + 1))
    assert all("reward/overall" in row for row in rows[1:])
    judged = gonogo("evaluate", *target, *here)
    assert judged.returncode in {0, 1, 3}, judged.stdout + judged.stderr
    for plot in ("reward_curve.png", "before_after.png"):
        assert (out / plot).read_bytes().startswith(b"\x89PNG")
    return read_record(out / "evaluation.json", "evaluation", 2), judged.returncode


def difference(record: Json, baseline: str, candidate: str) -> Json:
    """What the record says of the score of one policy against another's."""
    pairs = {(row["baseline"], row["candidate"]): row for row in record["comparisons"]}
    found: Json = pairs[baseline, candidate]["score_difference"]
    return found


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_openenv_s_template(echo: Path, tmp_path: Path) -> None:
    """Greedy replies are the same in every episode, so that only sampled ones have an interval; it has but one task."""
    record, code = trained("echo.yaml", tmp_path / "run", echo)
    assert code in {1, 3}
    criteria = {row["id"]: row for row in record["criteria"]}
    assert criteria["held_out"]["verdict"] == "HOLD"
    assert criteria["held_out"]["said"].startswith("this measures memorisation")
    for baseline in ("untrained_sampled", "sft_sampled"):
        assert difference(record, baseline, "trained_sampled")["ci95"][0] > 0


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_a_public_game_of_many_turns(tmp_path: Path) -> None:
    """FrozenLake: a point at the goal, which random steps reach once in fifty flights.

    In forty steps sampled flights learn where the goal lies. Greedy ones, by which the kept model is chosen, still
    get stuck: the evaluation says that nothing was won, and it is right.
    """
    pytest.importorskip("gymnasium", reason="the game is Gymnasium's")
    out = tmp_path / "run"
    record, _ = trained("frozen_lake.yaml", out)
    assert record["policies"]["trained"]["invalid_rate"] < 0.1
    rows = [row for row in read_lines(out / "training.jsonl") if row["stage"] == "grpo"][1:]
    rewards = [row["reward/overall"] for row in rows]
    assert fmean(rewards[-10:]) > 3 * fmean(rewards[:10])


@pytest.fixture(scope="session")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """OpenEnv's repository."""
    given = os.environ.get("OPENENV_CHECKOUT")
    if given is not None:
        return Path(given).resolve()
    place = tmp_path_factory.mktemp("public") / "OpenEnv"
    words = ["git", "clone", "--quiet", "--depth", "1", OPENENV, str(place)]
    settings = {**os.environ, "GIT_TERMINAL_PROMPT": "0"}
    try:
        subprocess.run(words, check=True, capture_output=True, timeout=CLONE_S, env=settings)
    except (OSError, subprocess.SubprocessError) as error:
        pytest.skip(f"no OPENENV_CHECKOUT is given, and {OPENENV} cannot be cloned: {error}")
    return place


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_one_of_openenv_s_published_environments(checkout: Path, tmp_path: Path) -> None:
    """grid_world: every step costs, so that a model which never acts, and is paid 0, is the hardest to beat."""
    record, _ = trained("grid_world.yaml", tmp_path / "run", checkout / "envs" / "grid_world_env")
    assert record["policies"]["trained"]["invalid_rate"] < 0.5
    assert record["policies"]["trained"]["score"]["mean"] > 0
    for baseline in ("random", "sft_sampled"):
        assert difference(record, baseline, "trained_sampled")["ci95"][0] > 0
