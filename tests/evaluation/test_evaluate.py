"""The evaluation end to end, and its record as tables."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from rich.console import Console
from tests.evaluation.recorded import POLICIES, run_of
from tests.records_made import estimate, evaluation_report, paired_comparison, policy_result

from gonogo import config
from gonogo.errors import Misuse
from gonogo.evaluation import evaluate as station
from gonogo.evaluation import rollout as flights
from gonogo.evaluation.evaluate import (
    comparison_rows,
    criteria_rows,
    policy_rows,
    print_evaluation,
    tasks_in_words,
)
from gonogo.models.saved import make, save
from gonogo.models.tokenizer import train_tokenizer
from gonogo.plots.style import SOURCE
from gonogo.records.evaluation import ConstantChoice, EvaluationReport
from gonogo.records.files import digest
from gonogo.records.record import Estimate, Verdict
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.statistics import wilson


def recorded(out: Path) -> EvaluationReport:
    return EvaluationReport.load(out)


def lines(out: Path, policy: str) -> list[Episode]:
    (path,) = (out / "evaluation" / policy).glob("*.jsonl")
    return list(read_episodes(path))


def test_the_record_has_the_promised_fields(evaluated: Path, gridworld: Path) -> None:
    record = recorded(evaluated)
    assert json.loads(record.path(evaluated).read_text())["schema"] == "gonogo/evaluation/2"
    assert record.target == str(gridworld)
    assert (record.split, record.level, record.episodes) == ("test", None, 12)
    assert record.training_seeds == ()
    assert list(record.policies) == POLICIES
    for entry in record.policies.values():
        assert entry.decoding is None
        assert entry.components.keys() == {"reach", "speed"}
        assert entry.invalid_rate is not None and 0 <= entry.invalid_rate <= 1
        assert entry.timeout_rate is not None and 0 <= entry.timeout_rate <= 1
    assert [(row.baseline, row.candidate) for row in record.comparisons] == [
        ("idle", "walker"),
        ("random", "walker"),
    ]
    for row in record.comparisons:
        assert row.score_difference.mean is not None and row.success_difference.mean is not None
        assert row.mcnemar_p is not None and 0 < row.mcnemar_p <= 1


def test_what_is_saved_is_loaded_and_names_the_same_digest(evaluated: Path, tmp_path: Path) -> None:
    record = recorded(evaluated)
    body = json.loads(record.path(evaluated).read_text())
    assert record.digest() == digest(body)
    record.save(tmp_path)
    assert recorded(tmp_path) == record
    assert json.loads(record.path(tmp_path).read_text()) == body


def test_the_numbers_follow_from_the_columns_in_the_record(evaluated: Path) -> None:
    for entry in recorded(evaluated).policies.values():
        flown = entry.flown
        assert entry.score.mean == pytest.approx(np.mean([s for s in flown.score if s is not None]))
        assert entry.success == wilson([won is True for won in flown.success])
        assert entry.timeout_rate == pytest.approx(np.mean(flown.timeout))
        assert entry.mean_turns == pytest.approx(np.mean(flown.turns))


def test_a_constant_sample_is_called_one(evaluated: Path) -> None:
    idle = recorded(evaluated).policies["idle"].score
    assert (idle.mean, idle.ci95) == (0, None)
    assert idle.note is not None and "constant" in idle.note
    assert recorded(evaluated).comparisons[0].improvement_percent is None


def test_the_same_evaluation_flies_nothing_and_gives_the_same_numbers(
    evaluated: Path, gridworld: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "again"
    shutil.copytree(evaluated, out)

    def no_flight(*_: Any, **__: Any) -> None:
        raise AssertionError("everything was flown before")

    monkeypatch.setattr(flights, "open_runner", no_flight)
    station.run(run_of(gridworld, out, POLICIES, split="test", episodes=12))
    before, after = recorded(evaluated), recorded(out)
    assert after.policies == before.policies
    assert after.comparisons == before.comparisons


def test_a_longer_or_interrupted_evaluation_flies_only_what_is_missing(
    evaluated: Path, gridworld: Path, tmp_path: Path
) -> None:
    out = tmp_path / "more"
    shutil.copytree(evaluated, out)
    (file,) = (out / "evaluation" / "walker").glob("*.jsonl")
    whole = file.read_text().splitlines(keepends=True)
    file.write_text("".join(whole[:5]) + whole[5][:40])  # a crash tore the sixth
    station.run(run_of(gridworld, out, POLICIES, split="test", episodes=14))
    walker = lines(out, "walker")
    assert [e.to_json() for e in walker[:5]] == [line.rstrip("\n") for line in whole[:5]]
    assert len(walker) == 14
    assert len(lines(out, "idle")) == 14
    assert recorded(out).policies["walker"].episodes == 14


def test_another_seed_flies_everything_anew(
    evaluated: Path, gridworld: Path, tmp_path: Path
) -> None:
    out = tmp_path / "seed"
    shutil.copytree(evaluated, out)
    run = run_of(gridworld, out, POLICIES, split="test", episodes=12)
    station.run(run.model_copy(update={"seed": 7}))
    assert [e.seed for e in lines(out, "random")] == [7] * 12


def test_what_infrastructure_lost_is_told_apart_from_a_score_of_zero(
    rogue: Path, tmp_path: Path
) -> None:
    run = run_of(rogue, tmp_path, ["idle", "random"], options={"trick": "exit"}, episodes=2)
    assert station.run(run) is Verdict.HOLD
    record = recorded(tmp_path)
    for entry in record.policies.values():
        assert entry.score == Estimate(mean=None, ci95=None, note="no episode was scored")
        assert [lost.index for lost in entry.lost] == [0, 1]
        assert entry.flown.score == (None, None)
    assert (record.comparisons[0].episodes, record.comparisons[0].excluded) == (0, 2)
    assert not (tmp_path / "before_after.png").exists()


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder with two models that nothing has trained."""
    out = tmp_path_factory.mktemp("models")
    tokenizer = train_tokenizer(['goal_east: -3\n{"move": "north"}'] * 20, 300)
    shape = config.ModelConfig(
        hidden=16, intermediate=32, layers=1, heads=2, vocabulary=300, context=1024
    )
    for seed, name in enumerate(("untrained", "trained")):
        save(make(shape, tokenizer, seed), out / "models" / name)
    return out


def test_models_of_the_run_fly_greedily_and_sampled_and_get_a_verdict(
    models: Path, gridworld: Path
) -> None:
    names = ["idle", "untrained", "trained", "trained_sampled"]
    assert station.run(run_of(gridworld, models, names, split="test", episodes=3)) is Verdict.NO_GO
    record = recorded(models)
    entries = record.policies
    assert [entries[name].decoding for name in names] == [None, "greedy", "greedy", "sampled"]
    assert entries["trained"].invalid_rate == 1.0  # it has learned nothing
    assert entries["trained"].model_hash == entries["trained_sampled"].model_hash
    assert entries["trained"].model_hash != entries["untrained"].model_hash
    assert record.training_seeds == (0,)
    assert "the interval covers missions only" in record.notes[0]
    assert [row.baseline for row in record.comparisons] == [
        "idle",
        "untrained",
        "trained_sampled",
        'always {"move": "east"}',
    ]
    constant = entries['always {"move": "east"}']
    assert record.constants == ConstantChoice(tried=6, tasks=3, policy='always {"move": "east"}')
    assert constant.episodes == 3 and (constant.score.mean or 0.0) > 0
    criteria = {row.id: row.verdict.name for row in record.criteria}
    assert criteria['above_always {"move": "east"}'] == criteria["success"] == "NO_GO"
    assert criteria["above_random"] == criteria["held_out"] == "HOLD"  # not flown; not known


def test_an_environment_without_success_or_splits_is_evaluated(
    echo: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = run_of(echo, tmp_path, ["idle", "random"], episodes=4)
    run = run.model_copy(
        update={"rollout": run.rollout.model_copy(update={"max_turns": 3, "slots": 1})}
    )
    assert station.run(run) is Verdict.HOLD
    record = recorded(tmp_path)
    assert record.policies["idle"].success.mean is None
    assert record.policies["idle"].timeout_rate == 1
    assert record.comparisons[0].mcnemar_p is None
    assert "HOLD: there is no trained model" in capsys.readouterr().out
    assert (tmp_path / "before_after.png").is_file()


@pytest.mark.parametrize("name", ["stroller", "trained", "no/such/folder"])
def test_an_unknown_policy_is_misuse_before_anything_flies(
    name: str, gridworld: Path, tmp_path: Path
) -> None:
    with pytest.raises(Misuse, match=f"no policy '{name}'") as caught:
        station.run(run_of(gridworld, tmp_path, ["idle", name], split="test", episodes=2))
    assert caught.value.exit_code == 2
    assert not (tmp_path / "evaluation").exists()


def test_a_function_is_compared_with_the_others_and_flies_again_once_it_is_another(
    gridworld: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = tmp_path / "east.py"
    module.write_text("def walk(observation, memory):\n    return {'move': 'east'}\n")
    monkeypatch.chdir(tmp_path)
    run = run_of(gridworld, tmp_path / "out", ["idle", "east:walk"], split="test", episodes=3)
    station.run(run)
    record = recorded(run.out)
    assert list(record.policies) == ["idle", "east:walk"]
    assert record.training_seeds == ()  # a function is no model
    assert "model_hash" not in json.loads(record.path(run.out).read_text())["policies"]["east:walk"]
    first = [turn.action for turn in lines(run.out, "east%3Awalk")[0].turns]
    assert {"move": "east"} in first

    module.write_text(module.read_text().replace("east", "west"))
    station.run(run)
    newest = max(
        (run.out / "evaluation" / "east%3Awalk").glob("*.jsonl"), key=lambda f: f.stat().st_mtime_ns
    )
    again = [turn.action for turn in next(iter(read_episodes(newest))).turns]
    assert {"move": "west"} in again and {"move": "east"} not in again


def test_the_plots_name_the_record_that_they_show(evaluated: Path) -> None:
    from PIL import Image

    with Image.open(evaluated / "before_after.png") as image:
        assert image.info[SOURCE] == recorded(evaluated).digest()
        assert image.width >= 1000
    assert not (evaluated / "reward_curve.png").exists()  # nothing was trained


def test_a_training_log_gets_its_curve(
    evaluated: Path, gridworld: Path, tmp_path: Path, training: Callable[[Path], None]
) -> None:
    out = tmp_path / "trained"
    shutil.copytree(evaluated, out)
    training(out / "training.jsonl")
    station.run(run_of(gridworld, out, POLICIES, split="test", episodes=12))
    assert (out / "reward_curve.png").is_file()


def test_a_long_name_cuts_no_figure(evaluated: Path) -> None:
    record = EvaluationReport.load(evaluated)
    policies = dict(record.policies)
    walker = policies.pop("walker")
    policies["somebody.else.s.package:a_policy_with_a_long_name"] = walker
    record = record.model_copy(update={"policies": policies})
    console = Console(width=80, file=io.StringIO(), record=True)
    print_evaluation(record, console)
    said = console.export_text()
    assert "…" not in said
    assert f"{walker.score.mean:.3f}" in said and f"{walker.mean_turns:.1f}" in said


SHOWN_POLICIES = {
    "idle": policy_result(estimate(0.0, None), mean_turns=None, invalid_rate=None),
    "trained": policy_result(estimate(0.5), decoding="greedy", timeout_rate=0.25),
}


def test_a_row_for_each_policy_with_what_is_not_known_of_it() -> None:
    idle, trained = policy_rows(evaluation_report(SHOWN_POLICIES))
    assert idle == ("idle", "-", "0.000 (constant)", "0.000 (constant)", "-", "0.0 %", "-")
    assert trained[:2] == ("trained", "greedy")
    assert trained[2] == "0.500 [0.400, 0.600]" and trained[-1] == "4.0"


def test_differences_have_their_sign_and_a_test_that_was_not_made_none() -> None:
    rows = (
        paired_comparison(score_difference=estimate(0.25, 0.125), improvement_percent=50.0),
        paired_comparison(baseline="idle", improvement_percent=None, mcnemar_p=None),
    )
    first, second = comparison_rows(evaluation_report(SHOWN_POLICIES, comparisons=rows))
    assert first[0] == "trained − untrained"
    assert first[1] == "+0.250 [+0.125, +0.375]" and first[3:] == ("+50 %", "1")
    assert second[3:] == ("-", "-")


def test_the_criteria_are_words_and_the_tasks_a_number() -> None:
    criteria = ({"id": "above_untrained", "verdict": "NO_GO", "said": "it is not"},)
    record = evaluation_report(SHOWN_POLICIES, criteria=criteria)
    assert list(criteria_rows(record)) == [("above untrained", "NO-GO", "it is not")]
    said = "20 tasks (level easy, split test), the same for every policy"
    assert tasks_in_words(record) == said
    bare = record.model_copy(update={"episodes": 1, "level": None, "split": None})
    assert tasks_in_words(bare) == "1 task, the same for every policy"


def test_notes_are_no_markup_and_what_is_empty_has_no_table() -> None:
    console = Console(width=120, file=io.StringIO(), record=True)
    print_evaluation(evaluation_report(SHOWN_POLICIES, notes=("[red]so[/red]",)), console)
    said = console.export_text()
    assert said.splitlines()[-1] == "Note: [red]so[/red]"
    assert "McNemar p" not in said and "What GO needs" in said
