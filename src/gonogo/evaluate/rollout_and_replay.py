"""``rollout`` writes episodes as they end, ``replay`` flies them again.

A file of episodes is its own record: one line each, complete or absent. A rollout that was stopped
goes on where it stopped, keeps what is finished and flies again only what was lost or torn; it refuses
a file whose episodes were flown with another reward, success, model, source or limit. A replay
sends the recorded actions into a fresh process and holds every reward against the recorded one, bit
for bit: whoever has the file can prove the numbers in it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import IO

from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from gonogo.config import RolloutConfig, RunConfig
from gonogo.env.environment import Env
from gonogo.env.judged import never_shown
from gonogo.env.reward_functions import RewardFunctions
from gonogo.errors import MissingRecord, Misuse
from gonogo.evaluate.compare import compare, name_of
from gonogo.evaluate.proofs import Judged, prove_again
from gonogo.records.base import Verdict, naming, write_text
from gonogo.records.fingerprint import EpisodeFingerprint
from gonogo.records.tables import Terminal
from gonogo.rollout.builtin_policies import ScriptedPolicy
from gonogo.rollout.engine import fly
from gonogo.rollout.episodes import Episode, Turn, read_episodes
from gonogo.rollout.summary import MOSTLY, refused_in_words
from gonogo.rollout.types import Reply
from gonogo.runners.open import Runner, flown_with, open_runner
from gonogo.wire import TaskOptions

REPLAY_SLOTS = 64
SHOWN_DIFFERENCES = 10


def rollout(run: RunConfig, file: Path, *, over_ray: bool = False) -> Verdict:
    """Fly the run's evaluation tasks with each of its policies and write the episodes.

    Args:
        run: The config; its ``evaluation`` says which tasks and which policies.
        file: Where to; finished episodes in it are kept.
        over_ray: Whether Ray's workers fly instead of this process; the episodes are the same.

    Returns:
        GO when every episode was flown, HOLD when some were lost.

    Raises:
        Misuse: A policy is unknown, the file holds other episodes than these, or ``rollout.success`` asks for what
            none of them shows.
    """
    tasks = run.evaluation.tasks()
    env = Env.of(run)
    means = {name: flown_with(run, env, name) for name in run.evaluation.policies}
    kept = keep_finished(file, run, tasks, means)
    with (
        env,
        closing(open_runner(run, env, over_ray=over_ray)) as runner,
        naming(file),
        file.open("a", encoding="utf-8") as lines,
    ):
        for name in run.evaluation.policies:
            done = {episode.index for episode in kept if episode.policy == name}
            missing = {i: task for i, task in enumerate(tasks) if i not in done}
            kept += fly_policy(runner, name, missing, lines, means[name])
    never_shown(kept)
    print_summary(run.evaluation.policies, kept)
    return Verdict.HOLD if any(episode.error is not None for episode in kept) else Verdict.GO


def keep_finished(
    file: Path,
    run: RunConfig,
    tasks: Sequence[TaskOptions],
    means: Mapping[str, EpisodeFingerprint],
) -> list[Episode]:
    """The finished episodes in a file that a rollout goes on with; lost and torn ones are cut out.

    Args:
        file: The file, which need not be there.
        run: The config.
        tasks: What each policy flies.
        means: What each policy's episodes depend on now; see :func:`flown_with`.

    Raises:
        Misuse: The file holds an episode that this rollout would not have flown, or not so.
        MissingRecord: The file holds something else than episodes.
    """
    if not file.exists():
        file.parent.mkdir(parents=True, exist_ok=True)
        return []
    kept = []
    for episode in read_episodes(file):
        planned = episode.index < len(tasks) and episode.task == tasks[episode.index]
        if episode.target != run.target or episode.seed not in {None, run.seed} or not planned:
            raise Misuse(
                f"{file} holds an episode of {episode.target}, task {episode.task}, seed "
                f"{episode.seed}, which is not part of this rollout; choose another file"
            )
        if changed := changed_since(episode, means):
            raise Misuse(
                f"{file} holds an episode of {episode.policy} that was flown with another "
                f"{', '.join(changed)}; choose another file, or remove it: rm {file}"
            )
        if episode.error is None:
            kept.append(episode)
    write_text(file, "".join(f"{episode.to_json()}\n" for episode in kept))
    return kept


def changed_since(episode: Episode, means: Mapping[str, EpisodeFingerprint]) -> list[str]:
    """What an episode was flown with that is another now, by name; its model only where its policy flies again.

    One that does not say was flown with no reward and no success given.
    """
    said = episode.flown_with
    now = means.get(episode.policy)
    if now is None:
        model = None if said is None else said.model
        now = replace(next(iter(means.values())), model=model)
    return (said or replace(now, reward=None, success=None)).changed(now)


def fly_policy(
    runner: Runner,
    name: str,
    tasks: dict[int, TaskOptions],
    lines: IO[str],
    means: EpisodeFingerprint,
) -> list[Episode]:
    """Fly what is missing of one policy; each episode is written when it is known."""
    if not tasks:
        return []

    def write(episode: Episode) -> None:
        episode.flown_with = means
        lines.write(f"{episode.to_json()}\n")
        lines.flush()
        bar.advance(task)

    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeRemainingColumn(), console=Terminal(stderr=True)) as bar:
        task = bar.add_task(name, total=len(tasks))
        return runner.fly(name, tasks, write)


def print_summary(policies: Iterable[str], episodes: Sequence[Episode]) -> None:
    """One row a policy: what was flown and what came of it, without intervals or claims."""
    table = Table("policy", "episodes", "success", "return", "invalid turns", "timeouts", "lost")
    notes = []
    for name in policies:
        flown = [episode for episode in episodes if episode.policy == name]
        scored = [e.episode_return for e in flown if e.episode_return is not None]
        judged = [e.success for e in flown if e.success is not None]
        turns = sum(len(e.turns) for e in flown)
        invalid = sum(e.invalid_count for e in flown)
        table.add_row(
            name,
            str(len(flown)),
            f"{sum(judged)} of {len(judged)}" if judged else "not said",
            f"{sum(scored) / len(scored):.4f}" if scored else "none",
            f"{invalid} of {turns}",
            str(sum(e.timeout for e in flown)),
            str(sum(e.error is not None for e in flown)),
        )
        if full := sum(e.context_overflow for e in flown):
            notes.append(f"{name}: {full} episodes outgrew the model's context and ended there")
        if turns and invalid > MOSTLY * turns and not any(e.decoding for e in flown):
            notes.append(f"{name}: {refused_in_words(invalid / turns)}")
    console = Terminal()
    console.print(table)
    for note in notes:
        console.print(f"Note: {note}", markup=False, highlight=False)


def replay(
    file: Path,
    target: str | None,
    reward: Path | None = None,
    rewards: Sequence[str] = (),
    success: str | None = None,
    timeout_s: float | None = None,
) -> Verdict:
    """Fly the recorded actions of a file again, in a fresh process.

    Args:
        file: Episodes that ``rollout`` wrote.
        target: Where to; None for the target that the episodes name.
        reward: What paid instead of the environment when they were recorded; None for its own reward.
        rewards: Reward functions outside the environment that paid then; empty for none.
        success: The expression that said success then; None for the environment's own word.
        timeout_s: Seconds that one step may take; None for the default.

    Returns:
        GO when every reward and every end came out the same, NO-GO when one did not, HOLD when
        there was nothing to compare or an episode was lost this time. A proof of the map comes out as
        it says itself: the same, or lost again, or another where chance or what went before decides.

    Raises:
        MissingRecord: The file cannot be read.
        Misuse: The episodes name several targets and none was given.
    """
    recorded = list(read_episodes(file))
    proofs = [episode for episode in recorded if episode.replays is not None]
    others = [episode for episode in recorded if episode.replays is None]
    waits = RolloutConfig(success=success)
    if timeout_s is not None:
        waits = waits.model_copy(update={"timeout_s": timeout_s})
    verdicts = []
    if proofs:
        alone = waits.model_copy(update={"slots": 1})
        with Env(address_of(proofs, target), alone, reward) as env:
            verdicts.append(conclude(prove_again(env.connection, proofs)))
    if others or not proofs:
        verdicts.append(replay_flown(others, target, reward, rewards, waits))
    return next((v for v in (Verdict.NO_GO, Verdict.HOLD) if v in verdicts), Verdict.GO)


def replay_flown(
    recorded: Sequence[Episode],
    target: str | None,
    reward: Path | None,
    rewards: Sequence[str],
    waits: RolloutConfig,
) -> Verdict:
    """Fly the actions of whole episodes again, and hold every reward against the recorded one."""
    flown = [episode for episode in recorded if episode.error is None]
    console = Terminal()
    console.print(f"{len(flown)} episodes, {len(recorded) - len(flown)} lost ones left out")
    if not flown:
        return Verdict.HOLD
    again = fly_again(flown, Env(address_of(flown, target), waits, reward))
    if rewards:
        with closing(RewardFunctions(rewards)) as functions:
            functions.pay(again)
    differences = [
        said for old, new in zip(flown, again, strict=True) if (said := compare(old, new))
    ]
    lost = [f"{name_of(episode)}: lost: {episode.error}" for episode in again if episode.error]
    for said in [*differences, *lost][:SHOWN_DIFFERENCES]:
        console.print(said, markup=False, highlight=False)
    turns = sum(len(episode.turns) for episode in flown)
    console.print(
        f"{turns} rewards compared bit for bit: {len(flown) - len(differences) - len(lost)} episodes "
        f"the same, {len(differences)} different, {len(lost)} lost"
    )
    if differences:
        return Verdict.NO_GO
    return Verdict.HOLD if lost else Verdict.GO


def conclude(judged: Sequence[Judged]) -> Verdict:
    """Print what became of proofs; the verdict."""
    console = Terminal()
    for outcome, said in judged:
        console.print(f"{outcome}: {said}", markup=False, highlight=False)
    counts = Counter(outcome for outcome, _ in judged)
    console.print(
        f"{len(judged)} proofs: {counts['reproduced']} reproduced, {counts['different']} different, "
        f"{counts['unknown']} not to be told"
    )
    if counts["different"]:
        return Verdict.NO_GO
    return Verdict.HOLD if counts["unknown"] else Verdict.GO


def address_of(episodes: Sequence[Episode], given: str | None) -> str:
    """Of the environment to replay in."""
    named = sorted({episode.target for episode in episodes})
    if given is None and len(named) > 1:
        raise Misuse(f"the episodes are of several targets, name one: {', '.join(named)}")
    return given if given is not None else named[0]


def fly_again(episodes: Sequence[Episode], env: Env) -> list[Episode]:
    """Send each episode's recorded actions; an unusable reply is sent as the text that it was."""
    scripts = [[reply_of(turn) for turn in episode.turns] for episode in episodes]
    longest = max(len(script) for script in scripts)
    if not all(scripts):
        raise MissingRecord("an episode without turns cannot be replayed")
    with closing(env.connect(min(REPLAY_SLOTS, len(episodes)))) as connection:
        policy, tasks = ScriptedPolicy(scripts, name="replay"), [each.task for each in episodes]
        return fly(connection, policy, tasks, env.flight(max_turns=longest))


def reply_of(turn: Turn) -> Reply:
    """What was sent in a turn."""
    return Reply(text=turn.reply or "") if turn.action is None else Reply(action=turn.action)
