"""gonogo plan and train, each with its gates."""

from __future__ import annotations

import shutil
from pathlib import Path

import gonogo.evaluation.evaluate as evaluate_station
import gonogo.reporting.report as report_station
import gonogo.training.phases as train_station
import gonogo.training.plan.config_file as plan_station
from gonogo.config import RunConfig, TrainConfig, load
from gonogo.env.environment import Env
from gonogo.pipeline.gates import check_audit, ensure_map, may_go_on
from gonogo.records.record import Verdict
from gonogo.records.stations import DemoReport
from gonogo.records.training import TrainingProgress
from gonogo.training.dry_run import rehearse
from gonogo.training.preflight import check_apart, check_training


def train(
    run: RunConfig, push: str | None = None, *, anew: bool = False, accept: str | None = None
) -> Verdict:
    """Train unless an audit forbids it; as the station and :func:`~gonogo.pipeline.gates.check_audit`.

    Args:
        run: The config.
        push: Repository of the hub that a model which is GO is uploaded to; None for none.
        anew: Whether what another training left in the run's folder is removed first.
        accept: Why findings of the run's audit are accepted; None where they are not.
    """
    if run.train is not None:  # of a config that does not train, the station says so
        check_audit(run, accept)
        check_training(run, push)
        if anew:
            restart(run)
        check_new(run, run.train)
    return train_station.run(run, push)


def dry_run(run: RunConfig, memory: float | None = None, accept: str | None = None) -> Verdict:
    """Rehearse a training, and say whether an audit in the run's folder forbids it; nothing is written.

    Args:
        run: The config.
        memory: GB of the machine that is meant; None for this one.
        accept: Why findings of the run's audit would be accepted; None where they would not be.
    """
    allowed = may_go_on(run, accept, keep=False)
    verdict = rehearse(run, memory)
    return verdict if allowed else Verdict.NO_GO


def check_new(run: RunConfig, train: TrainConfig) -> None:
    """Before a training begins, whether what chooses and judges its model is new to it; one that has begun goes on.

    Raises:
        EnvironmentFailure: It is not, and ``evaluation.memorisation`` does not say that it is meant.
    """
    if not TrainingProgress.path(run.out).exists():
        check_apart(run, train)


def plan(
    run: RunConfig,
    file: Path,
    teacher: str | None,
    *,
    overwrite: bool = False,
    accept: str | None = None,
) -> Verdict:
    """Write a config to train by, and rehearse it; map first where the run has no map of the target as it is now.

    Args:
        run: What was said of it: target, seed, reward, success, a pretrained model.
        file: Where the config goes.
        teacher: Who is to be imitated; None for the policy that the environment declares.
        overwrite: Whether a file that is there is written over.
        accept: Why findings of the run's audit are accepted; None where they are not.

    Returns:
        The dry run's verdict, HOLD where many flights were lost.

    Raises:
        Misuse: The file is there, or no policy has the teacher's name.
        Forbidden: An audit forbids to train.
    """
    plan_station.check(run, file, teacher, overwrite=overwrite)
    check_audit(run, accept)
    ensure_map(run)
    measured = plan_station.run(run, file, teacher)
    return Verdict.worst([measured, rehearse(load(file))])


def restart(run: RunConfig) -> None:
    """Remove what a training made in a run's folder, with the evaluation and the report of it, and nothing else.

    Raises:
        TargetError: There is no environment at the target, so that nothing could be made anew.
    """
    Env.of(run)  # what is not there could not be made anew
    made = (*train_station.MADE, *evaluate_station.MADE, *report_station.MADE)
    for path in (*(run.out / name for name in made), DemoReport.path(run.out)):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)
