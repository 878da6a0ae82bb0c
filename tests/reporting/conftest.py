"""A small run that is real: mapped, audited with a finding, evaluated; and a training's log beside it."""

from __future__ import annotations

import json
import shutil
from contextlib import chdir
from pathlib import Path
from typing import Any

import pytest
from tests.records_made import training_report

from gonogo import config
from gonogo.config import blank
from gonogo.config.author_words import Statement
from gonogo.evaluation import evaluate
from gonogo.evaluation.verdict import conclude, criteria_of
from gonogo.pipeline import audit as pipeline
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import append_line
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import read_episodes
from gonogo.rollouts.summary import summarize

ROOT = Path(__file__).parents[2]
CASE = "tests.zoo.cases.self_reported_reward"


@pytest.fixture(scope="session")
def flown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run's folder that nobody changes."""
    out = tmp_path_factory.mktemp("reported")
    given = {"target": f"{CASE}:Defect", "out": str(out), "audit.reference": f"{CASE}:solve"}
    few = {"audit.seeds": 4, "audit.search": 200, "map.tasks": 1, "evaluation.episodes": 5}
    with chdir(ROOT):
        run = config.load(None, {**given, **few, "evaluation.policies": ["idle", "random"]})
        assert pipeline.audit(run) is Verdict.NO_GO
        assert evaluate.run(run) is Verdict.HOLD  # no model
    train_log(out)
    train_record(out)
    return out


def train_record(out: Path) -> None:
    """The record of a training, shaped as the station shapes it."""
    record = ContractReport.load(out)
    training_report(target=record.target, source_hash=record.source_hash).save(out)


def train_log(out: Path) -> None:
    """The log of that training."""
    for step in range(1, 7):
        level = step / 8
        row: dict[str, Any] = {"stage": "grpo", "step": step, "reward/overall": level}
        row |= {"reward/form": level / 2, "reward/task": level / 3, "validation/score": level}
        append_line(out / "training.jsonl", row)


@pytest.fixture
def run(flown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy to spoil."""
    monkeypatch.chdir(ROOT)
    return Path(shutil.copytree(flown, tmp_path / "run"))


def as_models(run: Path) -> None:
    """The evaluation as if a model had flown untrained and trained, with the numbers of those who flew."""
    record = EvaluationReport.load(run)
    names = {"idle": "untrained", "random": "trained"}
    flown = {}
    for old, new in names.items():
        folder = (run / "evaluation" / old).rename(run / "evaluation" / new)
        (file,) = folder.glob("*.jsonl")
        flown[new] = list(read_episodes(file))
    numbers = summarize(flown, [("untrained", "trained")], record.seed)
    criteria = tuple(criteria_of(numbers.policies, record.seed, ["untrained"]))
    verdict, reason = conclude(criteria)
    said = {"criteria": criteria, "verdict": verdict, "reason": reason}
    both = {"policies": numbers.policies, "comparisons": numbers.comparisons}
    record.model_copy(update=said | both).save(run)


def author(folder: Path, **fields: Any) -> Path:
    """A file of an author's words, finished and confirmed but for what is given otherwise."""
    said = {name: f"What the author says of {name}." for name in Statement.model_fields}
    words = blank().model_dump(mode="json") | {"statement": said, "confirmed": True} | fields
    file = folder / "words.yaml"
    file.write_text(json.dumps(words))  # which is YAML
    return file


def edit(path: Path, *places: str | int, value: Any) -> None:
    """Change one field of a JSON file by hand."""
    whole = inner = json.loads(path.read_text())
    for place in places[:-1]:
        inner = inner[place]
    inner[places[-1]] = value
    path.write_text(json.dumps(whole))


def spoil_episodes(run: Path, text: str) -> None:
    """Put a text into whatever an environment or a model says in the evaluation's episodes."""
    for policy in EvaluationReport.load(run).policies:
        (file,) = (run / "evaluation" / policy).glob("*.jsonl")
        episodes = [json.loads(line) for line in file.read_text().splitlines()]
        for episode in episodes:
            for turn in episode["turns"]:
                turn["text"], turn["reply"], turn["action"] = text, text, None
                turn["observation"] |= {
                    "clock_s": 10.0,
                    "directives": [{"id": text, "status": text, "time_left_s": 5.0}],
                }
            episode["final_metadata"][text] = 1.0
        file.write_text("".join(json.dumps(episode) + "\n" for episode in episodes))
