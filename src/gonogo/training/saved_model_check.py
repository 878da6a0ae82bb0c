"""The fresh process that proves a saved model: it has nothing but the folder.

    python -m gonogo.training.saved_model_check JOB FOLDER

JOB is a JSON file with the model's ``folder``, the run's ``config`` and the ``tasks`` to fly. In FOLDER appears how
the logits compare with the witness, and then the episodes. What goes wrong ends the process, with its last line of
stderr as the reason.
"""

from __future__ import annotations

import dataclasses
import json
import sys
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from gonogo.config import RunConfig
from gonogo.models import saved as models
from gonogo.models.model_policy import ModelPolicy
from gonogo.models.tokenizer import Speaker
from gonogo.records.files import write_text
from gonogo.rollouts.engine import Flight
from gonogo.rollouts.episodes import Episode
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import (
    VALIDATION,
    Environments,
    TrainingEnvironment,
    environments_of,
)
from gonogo.training.saving import EPISODES, LOGITS, ReloadJob, compare_witness


def main(job_file: str, out: str) -> None:
    """Reload, compare, fly."""
    job = ReloadJob.model_validate_json(Path(job_file).read_text(encoding="utf-8"))
    speaker = models.load(job.folder)
    likeness = compare_witness(speaker, job.folder)
    write_text(Path(out) / LOGITS, json.dumps(dataclasses.asdict(likeness)))
    episodes = flown(job.config, speaker, job.tasks)
    write_text(Path(out) / EPISODES, "".join(episode.to_json() + "\n" for episode in episodes))


def flown(run: RunConfig, speaker: Speaker, tasks: Sequence[TrainingTask]) -> list[Episode]:
    """Fly tasks as the run's validation does, in environments of this process's own."""
    temperature = None if run.train is None else run.train.validation.temperature
    slots = min(run.rollout.slots, len(tasks))
    wanted = {task.environment for task in tasks}
    run = run.model_copy(update={"rollout": run.rollout.model_copy(update={"slots": slots})})

    def policy(where: TrainingEnvironment) -> ModelPolicy:
        return ModelPolicy(
            speaker.told(where.env.instructions),
            "reloaded",
            max_reply_tokens=run.rollout.max_reply_tokens,
            temperature=temperature,
            seed=where.stream(run.seed, VALIDATION),
        )

    flight = Flight(
        run.target,
        max_turns=run.rollout.max_turns,
        decoding="greedy" if temperature is None else "sampled",
        slots=slots,
        gives_up=True,
    )
    with closing(Environments(e for e in environments_of(run) if e.key in wanted)) as environments:
        return environments.fly(dict(enumerate(tasks)), policy, flight)


if __name__ == "__main__":
    main(*sys.argv[1:])
