"""One training in two environments: figures of each, one model that flies both, the same curve after an interrupt."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

pytest.importorskip("trl", reason="the train extra is not installed")

from tests.conftest import ZOO

from gonogo import config
from gonogo.config import RunConfig
from gonogo.errors import GonogoError, StaleRecord
from gonogo.evaluation import evaluate
from gonogo.models import saved as models
from gonogo.pipeline import demo as pipeline
from gonogo.records.files import read_lines, read_record
from gonogo.records.provenance import source_hash
from gonogo.records.record import Verdict
from gonogo.records.training import TrainingReport, TrainingRow
from gonogo.rollouts.episodes import read_episodes
from gonogo.training import phases
from gonogo.training.dry_run import rehearse
from gonogo.training.environments import Environments, environments_of
from gonogo.training.tracking import TrainingObserver
from gonogo.training.trainer import Trainee
from gonogo.wire import JsonObject as Json

TRAIN: Json = {
    "validation": {"tasks": {"options": {"split": "train"}, "start": 900}, "episodes": 2},
    "environments": [
        {
            "name": "workshop",
            "target": "workshop:Sound",
            "validation": {"options": {}, "start": 900},
            "evaluation": {"start": 2000, "episodes": 2},
            "success": "off_tenths == 0",
            "teacher": "idle",
        }
    ],
    "curriculum": {
        "open": 2,
        "stages": [
            {"name": "walk", "options": {"split": "train"}},
            {"name": "dial", "environment": "workshop", "options": {}},
        ],
    },
    "sft": {
        "episodes": 12,
        "noise": {"move": 0.1, "number": 0.5},
        "max_steps": 40,
        "batch": 4,
        "learning_rate": 1e-2,
        "warmup_steps": 2,
        "validate_every": 40,
    },
    "grpo": {
        "steps": 2,
        "tasks_per_step": 2,
        "group_size": 2,
        "validate_every": 1,
        "save_every": 1,
    },
}


def settings(out: Path, **changes: Any) -> Json:
    return {
        "target": str(ZOO / "gridworld"),
        "out": str(out),
        "seed": 7,
        "log": "none",
        "model": {"hidden": 32, "intermediate": 48, "layers": 2, "heads": 2, "vocabulary": 320},
        "rollout": {"slots": 8, "max_turns": 4, "max_reply_tokens": 16},
        "train": {**TRAIN, **changes},
        "evaluation": {"policies": ["untrained", "trained"], "episodes": 2, "split": "test"},
    }


def run_config(out: Path, **changes: Any) -> RunConfig:
    return RunConfig.model_validate_json(json.dumps(settings(out, **changes)))


def other(**changes: Any) -> list[Json]:
    return [{**TRAIN["environments"][0], **changes}]


@pytest.fixture(scope="module", autouse=True)
def _in_the_zoo() -> Iterator[None]:
    """The workshop is imported from the working directory."""
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(ZOO)
        yield


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("several") / "run"
    assert phases.run(run_config(out)) is Verdict.GO
    return out


def grpo_rows(out: Path) -> list[Json]:
    return [row for row in read_lines(out / "training.jsonl") if row["stage"] == "grpo"]


@pytest.mark.long
@pytest.mark.timeout(600)
def test_there_are_figures_of_each_environment(trained: Path) -> None:
    traces = list(read_episodes(trained / "traces.jsonl"))
    flown = {(episode.target, episode.policy) for episode in traces}
    assert flown == {(str(ZOO / "gridworld"), "walker"), ("workshop:Sound", "idle")}
    assert [episode.index for episode in traces] == list(range(12))
    noisy = [turn.action for e in traces if e.policy == "idle" for turn in e.turns]
    assert len({(action or {}).get("number", 0) for action in noisy}) > 1

    rows = grpo_rows(trained)
    assert [row["step"] for row in rows] == [0, 1, 2]
    for row in rows:
        scores = [row[f"validation/{name}/score"] for name in ("gridworld", "workshop")]
        assert row["validation/score"] == pytest.approx(sum(scores) / 2)
    for row in rows[1:]:
        assert {"level/walk/reward/overall", "level/dial/reward/overall"} <= row.keys()
    found = TrainingReport.load(trained).environments or {}
    assert found["gridworld"].source_hash == source_hash(ZOO / "gridworld")
    assert found["workshop"].validation.keys() >= {"reward/overall", "episode/success_rate"}


@pytest.mark.long
def test_the_saved_model_flies_both(trained: Path, tmp_path: Path) -> None:
    file = tmp_path / "config.yaml"
    file.write_text(yaml.safe_dump(settings(trained)))
    run = config.load(file)
    beside = config.load(file, run.flown_in("workshop"))
    assert beside.out == trained / "environments" / "workshop"
    records = []
    for each in (run, beside):
        assert evaluate.run(each) in {Verdict.GO, Verdict.NO_GO, Verdict.HOLD}
        records.append(read_record(each.out / "evaluation.json", "evaluation", 2))
    first, second = records
    assert (first["environment"], second["environment"]) == ("gridworld", "Sound")
    assert (first["tasks"]["first"], second["tasks"]["first"]) == (
        {"split": "test", "index": 0},
        {"seed": 2000},
    )
    for name in ("untrained", "trained"):
        hashes = {record["policies"][name]["model_hash"] for record in records}
        assert len(hashes) == 1
    assert (trained / "evaluation.json").is_file()  # of the target, still


@pytest.mark.long
def test_an_interrupted_training_draws_the_same_curve(trained: Path, tmp_path: Path) -> None:
    rows: list[TrainingRow] = []
    for last in (2, 99):  # stops after this many rows, then goes on from its checkpoint
        run = run_config(tmp_path)
        assert run.train is not None

        def stop(last: int = last) -> bool:
            return len(rows) >= last

        observer = TrainingObserver(rows.append, lambda *_: None, stop, lambda *_: None)
        environments = Environments(environments_of(run))
        speaker = models.load(models.model_folder(trained, "sft"))
        try:
            Trainee(run, run.train, environments, speaker, tmp_path, observer).grpo()
        finally:
            environments.close()

    def curve(found: list[Json]) -> list[Json]:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in found]

    assert curve([row.line for row in rows]) == curve(grpo_rows(trained))


@pytest.mark.long
def test_a_change_in_the_second_environment_is_seen(trained: Path, tmp_path: Path) -> None:
    progress = trained / "train_progress.json"
    held = progress.read_text()
    now = json.loads(held)["source_hash"]
    progress.write_text(held.replace(now, source_hash(ZOO / "gridworld")))
    with pytest.raises(StaleRecord, match=r"another version of .*gridworld, workshop:Sound"):
        phases.run(run_config(trained))
    progress.write_text(held)

    folder = tmp_path / "second"
    shutil.copytree(ZOO / "gridworld", folder)
    run = run_config(tmp_path / "out", environments=other(target=str(folder)))
    before = [
        pipeline.fingerprint(run, step) for step in pipeline.DEMO if "train" in step.depends_on
    ]
    (folder / "more.py").write_text("x = 1\n")
    after = [
        pipeline.fingerprint(run, step) for step in pipeline.DEMO if "train" in step.depends_on
    ]
    assert all(one != two for one, two in zip(before, after, strict=True))


@pytest.mark.parametrize(
    ("changes", "rule"),
    [
        ({"environments": other(target="nowhere")}, r"workshop: 'nowhere' is no target"),
        (
            {"environments": other(teacher=None)},
            r"workshop: teacher must be one of \['idle', 'random'\] or a function, .*, not None",
        ),
        (
            {"environments": other(teacher="walker")},
            r"workshop: teacher must be one of \['idle', 'random'\] or a function, .*, not 'walker'",
        ),
        ({"environments": other(success="cell == 15")}, "cell"),
        ({"environments": other(name="gridworld"), "curriculum": {"stages": [
            {"name": "dial", "environment": "gridworld", "options": {}}]}}, "'gridworld'"),
        (
            {"sft": {**TRAIN["sft"], "explorer": "walker"}},
            r"sft.explorer, in workshop, must be one of \['idle', 'random'\] .*, not 'walker'",
        ),
        ({"sft": {**TRAIN["sft"], "noise": {"warp": 0.1}}}, r"move.*number.*not \['warp'\]"),
    ],
)  # fmt: skip
def test_what_is_wrong_stops_before_anything_flies(
    changes: Json, rule: str, tmp_path: Path
) -> None:
    run = run_config(tmp_path / "out", **changes)
    for start in (rehearse, phases.run):
        with pytest.raises(GonogoError, match=rule) as caught:
            start(run)
        assert caught.value.exit_code == 2
    assert not (tmp_path / "out" / "traces.jsonl").exists()


def test_one_reward_for_several_environments_is_refused(flat_reward: Path, tmp_path: Path) -> None:
    given = {**settings(tmp_path), "reward": str(flat_reward)}
    run = RunConfig.model_validate_json(json.dumps(given))
    for start in (rehearse, phases.run):
        with pytest.raises(GonogoError, match=r"reward must be null where .* several") as caught:
            start(run)
        assert caught.value.exit_code == 2


def test_a_dry_run_checks_each_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert rehearse(run_config(tmp_path)) is Verdict.HOLD  # four walls: held-out tasks are copies
    said = " ".join(capsys.readouterr().out.replace("│", " ").split())
    assert "environment workshop GO Sound opens" in said
    assert "validation workshop GO seed=900" in said
    broken = other(validation={"options": {"split": "moon"}})
    assert rehearse(run_config(tmp_path, environments=broken)) is Verdict.NO_GO
