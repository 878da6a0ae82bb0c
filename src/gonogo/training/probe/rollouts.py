"""Fly idle, what shows how long an episode is, and every model whose weights can be had, on the same tasks.

Each has a folder ``probe/NAME`` in the run's folder with a file of finished episodes, named by the fingerprint of
what they depend on: what was flown once is not flown again, and a probe that was stopped goes on where it was.
Beside a model's file lies what was seen of it when it was opened, so that a finished one need not be opened again.

A model that cannot be opened is a failure with its reason, and the others fly on. What infrastructure lost is
counted, never scored, and flown again by the next call.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from urllib.parse import quote

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import MissingExtra, Misuse, PolicyFailure, RecordError
from gonogo.models.weights import ModelFacts, Weights, find_weights, open_weights
from gonogo.policies.named import find_policy
from gonogo.records.files import write_text
from gonogo.records.terminal import Terminal
from gonogo.rollouts.engine import Progress as Turns
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.log import EpisodeLog, open_kept
from gonogo.rollouts.types import Policy
from gonogo.runners.runner import flown_with
from gonogo.wire import TaskOptions

FOLDER = "probe"
IDLE = "idle"
ESTIMATE_S = 120.0
"""Seconds of progress that the estimate of the time left rests on."""


@dataclass(slots=True)
class ProbedModel:
    """One model, as far as it could be flown.

    Attributes:
        weights: Where it is.
        fingerprint: Of its weights.
        facts: What was seen of it when it was opened; empty where it was not.
        episodes: In the order of the tasks; empty where it could not be opened.
        failure: Why it could not be opened or flown; None where it was.
        seconds: That its episodes took in this call; None where nothing was flown now.
    """

    weights: Weights
    fingerprint: str
    facts: ModelFacts = field(default_factory=ModelFacts)
    episodes: list[Episode] = field(default_factory=list)
    failure: str | None = None
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class ProbeRollouts:
    """What was flown.

    Attributes:
        environment: The target's own name.
        source: The source hash of a folder target, else None.
        instructions: What a model is told before the first observation.
        plain: Episodes of idle and of the other policies that are no model.
        models: Every model, by name.
    """

    environment: str
    source: str | None
    instructions: str
    plain: dict[str, list[Episode]]
    models: dict[str, ProbedModel]


def fly_all(run: RunConfig) -> ProbeRollouts:
    """Fly everything that is not on the disk already.

    Args:
        run: The config; its ``probe`` says which models and tasks.

    Raises:
        Misuse: The target or a model is not there; found before anything flies.
        MissingExtra: A model needs what is not installed.
        MissingRecord: A file of episodes holds something else.
        EnvironmentFailure: The environment could not be opened.
        PolicyFailure: A policy that is no model failed.
    """
    env = Env.of(run)
    found = [find_weights(text) for text in run.probe.models]
    names = [weights.name for weights in found]
    if len(set(names)) < len(names):
        raise Misuse(f"probe.models must have different names, not {names}; say NAME=WHERE")
    with env.open():
        return ProbeRunner(run, env).all(found)


class ProbeRunner:
    """The flights of one probe in one environment."""

    def __init__(self, run: RunConfig, env: Env) -> None:
        self._run, self._env, self._tasks = run, env, run.probe.tasks()
        self._source = env.source if env.folder is not None else None
        self._console = Terminal(stderr=True)

    def all(self, found: list[Weights]) -> ProbeRollouts:
        """Everything, plain policies first."""
        env, references = self._env, self._env.references
        teacher = None if references is None else references.teacher
        plain = dict.fromkeys([IDLE, "random", *([teacher] if teacher else [])])
        return ProbeRollouts(
            env.name,
            self._source,
            env.instructions,
            {name: self._plain(name) for name in plain},
            {weights.name: self._model(weights) for weights in found},
        )

    def _plain(self, name: str) -> list[Episode]:
        kept = self._open(name, "plain", None)
        missing = kept.missing(self._tasks)
        flown: list[Episode] = []
        if missing:
            seed = self._run.seed
            named = find_policy(name, self._env.target, self._env.schemas, seed=seed)
            flown = self._fly(kept, missing, named.policy, named.decoding, named.seed)
        return kept.in_order(self._tasks, flown)

    def _model(self, weights: Weights) -> ProbedModel:
        print_of = weights.fingerprint()
        measured = ProbedModel(weights, print_of)
        kept = self._open(weights.name, weights.kind, print_of)
        facts = kept.path.with_suffix(".json")
        missing = kept.missing(self._tasks)
        if not missing and facts.is_file():
            measured.facts = ModelFacts.model_validate_json(facts.read_text(encoding="utf-8"))
            measured.episodes = kept.in_order(self._tasks, [])
            return measured
        rollout = self._run.rollout
        self._console.print(f"  {weights.name}: opening {weights.where}", highlight=False)
        try:
            opened = open_weights(
                weights,
                self._env.codec,
                max_reply_tokens=rollout.max_reply_tokens,
                cache_mib=rollout.cache_mib,
                reply_timeout_s=self._run.probe.reply_timeout_s,
                chat=self._run.model,
            )
            measured.facts = opened.facts
            write_text(facts, measured.facts.model_dump_json() + "\n")
            began = time.monotonic()
            flown = self._fly(kept, missing, opened.policy, "greedy", None)
        except MissingExtra:
            raise
        except (Misuse, PolicyFailure, RecordError) as error:
            measured.failure = str(error)
            self._console.print(f"  {weights.name}: {error}", markup=False, highlight=False)
            return measured
        if missing:
            measured.seconds = time.monotonic() - began
        measured.episodes = kept.in_order(self._tasks, flown)
        return measured

    def _fly(
        self,
        kept: EpisodeLog,
        missing: dict[int, TaskOptions],
        policy: Policy,
        decoding: str | None,
        seed: int | None,
    ) -> list[Episode]:
        """Fly one policy, with progress on stderr; each episode is written as it ends."""
        flight = self._env.flight(decoding=decoding, seed=seed)
        columns = (
            TextColumn("probe {task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
        )
        with (
            Progress(
                *columns,
                TimeRemainingColumn(elapsed_when_finished=True),
                console=self._console,
                transient=True,
                speed_estimate_period=ESTIMATE_S,
            ) as bar,
            kept.writing() as write,
        ):
            task = bar.add_task(kept.name, total=len(missing))
            advance: Callable[[], None] = partial(bar.advance, task)

            def keep(episode: Episode) -> None:
                write(episode)
                advance()

            def tell(progress: Turns) -> None:
                # Episodes of a model that gets nowhere all end at once: until then the turns say that it flies.
                bar.update(task, description=f"{kept.name}, {progress.turns} turns")

            try:
                return self._env.rollout(policy, missing, flight, on_episode=keep, on_progress=tell)
            finally:
                policy.close()

    def _open(self, name: str, kind: str, weights: str | None) -> EpisodeLog:
        """A policy's file of episodes, and no facts but those of its fingerprint."""
        run = self._run
        told = None if kind == "plain" else run.model.chat_hash()
        means = replace(flown_with(run, self._env, None), model=weights)
        key = means.digest(target=run.target, policy=name, kind=kind, seed=run.seed, chat=told)
        folder = run.out / FOLDER / quote(f"{kind}-{name}", safe="")
        kept = open_kept(name, folder, key)
        forget(folder, kept.path.with_suffix(".json"))
        return kept


def forget(folder: Path, but: Path) -> None:
    """Remove what was seen of models that are no more."""
    for old in folder.glob("*.json"):
        if old != but:
            old.unlink()
