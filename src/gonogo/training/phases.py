"""The train station: traces of a teacher, SFT, GRPO, and proof that the saved model flies.

Each phase leaves its result in the run's folder and is not repeated when the command is called again;
an interrupted phase, killed ones included, goes on from its newest whole checkpoint. GO when the run ended and
both saved models, as trained and in 16 bit, reload in a fresh process to the logits of training and fly; NO-GO where
one does not, or where the watch against reward hacking stopped it. How well they fly is the evaluation's business.
What it leaves: ``traces.jsonl``, ``training.jsonl`` (one row a step), ``training_episodes.jsonl`` (a few whole
episodes now and then), ``models/untrained``, ``models/sft``, ``models/trained``, its ``_16bit`` beside it,
checkpoints, and ``train.json``.

Of several processes (:mod:`gonogo.training.processes`) each runs all of this, and the first one alone writes.
"""

from __future__ import annotations

import json
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

from gonogo.config import RunConfig, SftConfig, TrainConfig
from gonogo.env.success import never_shown
from gonogo.exploits.witness import encode
from gonogo.records.files import append_line, append_text, rewind, write_text
from gonogo.records.record import Verdict
from gonogo.records.training import (
    LoggedStep,
    ThreadChoice,
    TrainedPhase,
    TrainingPhases,
    TrainingProgress,
    TrainingReport,
    TrainingRow,
    UntrainedModel,
)
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.rollouts.summary import check_losses
from gonogo.training.credit import silence_pays
from gonogo.training.environments import SELF
from gonogo.training.preflight import check_disk, check_training, progress_of
from gonogo.training.teachers import best_of
from gonogo.training.tracking import TrainingDisplay

if TYPE_CHECKING:
    pass


EPISODES = "training_episodes.jsonl"
TRACES, FLOWN = "traces.jsonl", "traces_flown.jsonl"
MODELS = ("untrained", "sft", "trained")
MADE = (
    *(
        TrainingProgress.path(Path()).name,
        TrainingRow.path(Path()).name,
        EPISODES,
        TRACES,
        FLOWN,
        TrainingReport.path(Path()).name,
        "sft",
        "grpo",
        "tensorboard",
        ThreadChoice.path(Path()).name,
    ),
    *(f"models/{name}{rounded}" for name in MODELS for rounded in ("", "_16bit")),
)
"""What a training leaves in its run's folder."""


def run(config: RunConfig, push: str | None = None) -> Verdict:
    """Train what the config says.

    Args:
        config: The whole config; ``train`` must be given.
        push: Repository of the hub that a model which is GO is uploaded to; None for none.

    Returns:
        GO; NO-GO if what was saved is not what was trained, or the watch stopped it.

    Raises:
        Interrupted: The user or the machine stopped it: the same command goes on from there.
        Misuse: The config does not train, pays several environments by one reward, there is no access to the hub, or
            the server that is to fly cannot.
        MissingExtra: The train extra, or what loads the model, or the tracker is not installed.
        MissingRecord: There is no audit in the folder that the watch is given.
        OutOfMemory: The machine's memory ran out.
        StaleRecord: The folder holds a training in another version of the environment.
    """
    train = check_training(config, push)
    from gonogo.models.failures import naming_what_to_lower
    from gonogo.training.processes import Ranks
    from gonogo.training.reward_hacking import known_plans

    known_plans(train.watch, config.out)
    ranks = Ranks()
    with TrainingDisplay(quiet=not ranks.main) as board, naming_what_to_lower():
        return Training(config, train, board, ranks).run(push)


class Training:
    """One run of the station, in each of its processes.

    Args:
        config: The whole config.
        train: Its training part.
        board: What the user sees.
        ranks: This process among them (:class:`~gonogo.training.processes.Ranks`); the first one writes.
    """

    def __init__(
        self, config: RunConfig, train: TrainConfig, board: TrainingDisplay, ranks: Any
    ) -> None:
        from gonogo.training.environments import Environments, environments_of
        from gonogo.training.reward_hacking import watched_stages

        self._config, self._train, self._board, self._ranks = config, train, board, ranks
        self._out = config.out
        self._where = environments_of(config)
        watched_stages(config, self._where)
        self._progress = progress_of(config)
        self._lost = 0
        if self._progress.phases == TrainingPhases():
            check_disk(config, train)
        self._environments = Environments(self._where)

    def run(self, push: str | None) -> Verdict:
        """All phases that are not done yet, and the proof of what they made.

        Raises:
            Interrupted: The user or the machine stopped it after a step.
        """
        self._ranks.wait()  # all have read what is there
        self._write_progress()  # claims the folder before anything fills it
        try:
            if not self._phases():
                self._board.say("Stopped after a step, with a checkpoint.")
                raise self._board.interrupt()
        finally:
            self._environments.close()  # a server may have no second one for the proof
            self._ranks.leave()
        if not self._ranks.main:
            return Verdict.GO  # the first one's word counts, and it has just begun to prove it
        report = self._prove()
        if report.verdict is Verdict.GO and push is not None:
            from gonogo.models import hub

            self._board.say(f"Uploaded to {hub.push(push, Path(report.saved[-1].model))}")
        return report.verdict

    def _phases(self) -> bool:
        """Run what is not done; False if the user interrupted it."""
        from gonogo.training.preflight import try_tasks

        sft = self._train.sft
        if self._progress.phases == TrainingPhases():
            try_tasks(self._config, self._train, self._environments)
        if self._config.model.pretrained is not None:
            self._untrained(
                []
            )  # what it cannot be loaded or told by is found before a teacher flies
        traces = [] if sft is None else self._traces(sft)
        if sft is None or sft.teacher != SELF:
            self._untrained(traces)
        grpo = self._train.grpo
        if grpo is not None and (said := silence_pays(traces, grpo.invalid_penalty)) is not None:
            self._board.say(said)
        with self._threads():
            if self._train.sft is not None and not self._phase("sft", "untrained", traces):
                return False
            before = "untrained" if self._train.sft is None else "sft"
            return self._train.grpo is None or self._phase("grpo", before, traces)

    def _threads(self) -> AbstractContextManager[None]:
        """Train with the threads that this run has begun with, or that its model is quickest with."""
        from gonogo.models import saved as models
        from gonogo.models.checkpoints import last_checkpoint
        from gonogo.training import threads

        if self._ranks.count > 1 or threads.settled():
            return nullcontext()
        if (begun := threads.of_run(self._out)) is not None:
            return threads.kept_threads(begun)
        stages = [name for name in ("sft", "grpo") if getattr(self._train, name) is not None]
        if self._progress.phases.trained() or any(
            last_checkpoint(self._out / name) for name in stages
        ):
            return nullcontext()  # it was begun without a choice
        speaker = models.load(models.model_folder(self._out, "untrained"))
        choice = threads.choose(speaker, self._train.micro_batch, self._out)
        self._board.say(choice.said())
        return threads.kept_threads(choice.threads)

    def _traces(self, sft: SftConfig) -> list[Episode]:
        """What SFT learns from, flown once and then kept.

        What was flown is kept as it ends, so that a command that was stopped, or that lost too much, flies the rest.

        Raises:
            EnvironmentFailure: So many were lost that those that are left do not stand for all.
            Misuse: ``rollout.success`` asks for what none of them shows; or of a model's own none is the best.
        """
        from gonogo.training.curriculum import Curriculum

        path = self._out / TRACES
        if not self._ranks.any(path.is_file()):
            self._board.phase("traces", sft.episodes)
            tasks = dict(enumerate(Curriculum(self._train.curriculum).teaching(sft.episodes)))
            before = self._ranks.together(self._flown_before)
            left = {n: tasks[n] for n in tasks.keys() - {episode.index for episode in before}}
            fly = self._own if sft.teacher == SELF else self._taught
            episodes = sorted([*before, *fly(sft, left)], key=lambda episode: episode.index)
            self._ranks.together(lambda: self._keep(sft, episodes))
        traces = list(read_episodes(path))
        self._lost = sum(episode.error is not None for episode in traces)
        return traces

    def _flown_before(self) -> list[Episode]:
        """What the first process has left of traces that were not all flown."""
        path = self._out / FLOWN
        return list(read_episodes(path)) if self._ranks.main and path.is_file() else []

    def _keep(self, sft: SftConfig, episodes: list[Episode]) -> list[Episode]:
        """Write the traces, where they stand for all; the first process does it.

        Raises:
            As :meth:`_traces`.
        """
        if not self._ranks.main:
            return []
        whole = [episode for episode in episodes if episode.error is None]
        write_text(self._out / FLOWN, "".join(f"{episode.to_json()}\n" for episode in whole))
        never_shown(episodes)
        lost = [episode.error for episode in episodes if episode.error is not None]
        if (said := check_losses("traces", lost, len(episodes))) is not None:
            self._board.say(said)
        traces = episodes
        if sft.teacher == SELF:
            traces = best_of(episodes, sft.keep)
            self._board.say(f"traces: the best {len(traces)} of the model's own {len(episodes)}")
        write_text(self._out / TRACES, "".join(f"{episode.to_json()}\n" for episode in traces))
        (self._out / FLOWN).unlink()
        return []

    def _taught(self, sft: SftConfig, tasks: dict[int, Any]) -> list[Episode]:
        from gonogo.training.teachers import fly_teacher

        stages = self._train.curriculum.stages
        observer = self._board.observer(None, flown=self._on_flown)

        def flown() -> list[Episode]:
            if not self._ranks.main:
                return []  # a teacher's noise is one stream for all its episodes
            return fly_teacher(self._config, sft, stages, tasks, self._environments, observer)

        return list(self._ranks.together(flown))

    def _own(self, sft: SftConfig, tasks: dict[int, Any]) -> list[Episode]:
        from gonogo.models import saved as models

        speaker = models.load(models.model_folder(self._out, "untrained"))
        return list(self._trainee(speaker).fly_own(tasks))

    def _on_flown(self, episode: Episode) -> None:
        if episode.error is None:
            append_text(self._out / FLOWN, episode.to_json())

    def _untrained(self, traces: list[Episode]) -> None:
        from gonogo.models import saved as models
        from gonogo.models.checkpoints import writing
        from gonogo.training.trainer import new_speaker

        if self._progress.phases.untrained is not None:
            return
        self._board.phase("untrained", None)
        speaker = new_speaker(self._config, traces, self._environments.first.env.instructions)
        if self._ranks.main:
            with writing(models.model_folder(self._out, "untrained")) as place:
                models.save(speaker, place)
        self._ranks.wait()
        size = sum(weight.numel() for weight in speaker.model.parameters())
        found = self._trainee(speaker).measure()
        self._finish(untrained=UntrainedModel(parameters=size, validation=found))

    def _last_step(self, stage: str) -> int:
        """The last step of a stage that the log has; -1 where it has none."""
        rows = TrainingRow.log(self._out)
        return max((row.step for row in rows if row.stage == stage), default=-1)

    def _phase(self, name: str, before: str, traces: list[Episode]) -> bool:
        """Run or go on with a phase; False if the user interrupted it."""
        from gonogo.models import saved as models
        from gonogo.training.tracking import open_tracker

        if name in self._progress.phases.trained():
            return True
        sft, grpo = self._train.sft, self._train.grpo
        began = time.monotonic()
        steps = sft.max_steps if name == "sft" and sft else grpo.steps if grpo else 0
        self._board.phase(name, steps, steps=True)
        sent = self._last_step(name)
        self._rewind(name)
        opened = open_tracker(self._config, name, sent) if self._ranks.main else nullcontext()
        with opened as tracker:
            trainee = self._trainee(models.load(models.model_folder(self._out, before)), tracker)
            course = trainee.sft(sft, traces) if name == "sft" and sft else trainee.grpo(traces)
        if self._ranks.any(self._board.interrupted()):
            return False
        result = TrainedPhase(
            best_step=course.best_step,
            validation_score=course.best,
            seconds=round(time.monotonic() - began, 1),
            alarms=tuple(course.alarms),
            lost=0 if trainee.losses is None else len(trainee.losses.errors),
            stopped_by=course.halted,
        )
        if trainee.losses is not None and (said := trainee.losses.take([])) is not None:
            self._board.say(said)
        self._finish(**{name: result})
        return True

    def _rewind(self, stage: str) -> None:
        """Drop rows of the logs that the stage writes again: those after the checkpoint that it goes on from."""
        from gonogo.models.checkpoints import last_checkpoint, step_of

        if not self._ranks.main:
            return
        checkpoint = last_checkpoint(self._out / stage, self._board.say)
        newest = -1 if checkpoint is None else step_of(checkpoint)
        for log in (TrainingRow.path(self._out), self._out / EPISODES):
            rewind(log, lambda row: LoggedStep.model_validate(row).stays(stage, newest))

    def _trainee(self, speaker: Any, tracker: Any = None) -> Any:
        from gonogo.training.trainer import Trainee

        def write(row: TrainingRow) -> None:
            append_line(TrainingRow.path(self._out), row.line)
            if tracker is not None:
                tracker.take(row)

        def keep(step: int, episodes: list[Episode]) -> None:
            for episode in episodes:
                flown = encode(json.loads(episode.to_json()))
                row = {"stage": "grpo", "step": step, "episode": flown}
                append_line(self._out / EPISODES, row)

        return Trainee(
            self._config,
            self._train,
            self._environments,
            speaker,
            self._out,
            self._board.observer(write, keep, self._on_flown)
            if self._ranks.main
            else self._board.observer(None),
        )

    def _prove(self) -> TrainingReport:
        """Reload what was trained in fresh processes and write the record."""
        from gonogo.models import hub
        from gonogo.training.saving import prove

        self._board.phase("reload", None)
        report = prove(
            self._config,
            self._progress.phases,
            self._where,
            self._board.say,
            source=self._progress.source_hash,
            lost_traces=self._lost,
        )
        report.save(self._out)
        hub.refresh_cards(self._out)
        self._board.say(conclusion(report))
        return report

    def _finish(self, **phase: UntrainedModel | TrainedPhase) -> None:
        phases = self._progress.phases.model_copy(update=phase)
        self._progress = self._progress.model_copy(update={"phases": phases})
        self._write_progress()

    def _write_progress(self) -> None:
        if self._ranks.main:
            self._progress.save(self._out)


def conclusion(report: TrainingReport) -> str:
    """The verdict of a training, with what speaks against the saved model or what that flew, in a line."""
    flies = f"{report.model} reloads and flies: {report.validation}"
    return f"{report.verdict.name.replace('_', '-')}: {report.reason or flies}"
