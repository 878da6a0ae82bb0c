"""How fast the audit is, whether its memory stays flat, and how soon a planted exploit is found; prints only.

Speed: surveys of a zoo environment with 20-step episodes, beside a plain rollout of the same policies on the same
seeds in the same run. Both fly over a worker process. Memory: this process's resident memory while surveys go on.
Planted: `gonogo audit` of three defects of the zoo from nothing, its map included, and `gonogo replay` of what it
found in a fresh process; found is what has one of the names that the zoo says would be right.

Run from the repository's root: python benchmarks/audit.py [--episodes N] [--skip planted|memory ...]
"""

from __future__ import annotations

import argparse
import io
import json
import resource
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import closing, redirect_stderr, redirect_stdout
from importlib import import_module
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from gonogo import api, config
from gonogo.auditing.flight_log import FlightLog
from gonogo.auditing.progress import AuditProgress
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import Survey, fly_idle, panel_rows
from gonogo.auditing.suspicions import suspicions
from gonogo.env.environment import Env, connect
from gonogo.env.target import resolve
from gonogo.exploits.panel import panel
from gonogo.pipeline import audit as pipeline
from gonogo.records.audit import AuditReport
from gonogo.records.record import Verdict
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode

CASES = "tests.zoo.cases"
TWENTY_STEPS = "constant_answer_pays"
PLANTED = ("paid_for_idling", "constant_answer_pays", "self_reported_reward")
SEEDS = 20
MEASURED = 4_000


def load(name: str, out: str) -> config.RunConfig:
    """The config of an audit of a defect."""
    case = f"{CASES}.{name}"
    fields: dict[str, Any] = {
        "target": f"{case}:Defect",
        "out": out,
        "audit.reference": f"{case}:solve",
        "audit.search": 2000,
        "audit.minutes": 60.0,
        "audit.jobs": 2,
    }
    return config.load(None, fields)


def audited(run: config.RunConfig, folder: Path, episodes: int) -> Callable[[], int]:
    """Surveys on ever other seeds, judged; each call flies one and gives the episodes so far."""
    env, log = Env.of(run), FlightLog(folder / "log.jsonl")
    card = api.check_env(env, minutes=1.0)
    context = AuditContext(env, run, card, log, AuditProgress().part("audit"))
    session = AuditSession(context)
    first = iter(range(0, 10**9, SEEDS))

    def once() -> int:
        seed = next(first)
        tasks = session.tasks({}, range(seed, seed + SEEDS))
        rows = [fly_idle(session, tasks), *panel_rows(session, tasks)]
        suspicions(Survey({}, rows))
        if context.log.episodes >= episodes:
            session.close()
        return context.log.episodes

    return once


def speed() -> None:
    """Surveys against plain rollouts of the same panel."""
    with tempfile.TemporaryDirectory() as out:
        run = load(TWENTY_STEPS, out)
        once = audited(run, Path(out), episodes=MEASURED)
        warm = once()  # the reference's process has loaded then
        began, cpu, done = time.monotonic(), time.process_time(), 0
        while done < MEASURED:
            done = once()
        took, busy = time.monotonic() - began, time.process_time() - cpu
        episodes = done - warm
    print(f"audit: {episodes} episodes, {60 * episodes / took:.0f} a minute")
    print(f"  of which this process worked {busy:.1f} s of {took:.1f} s")
    rate = rollout(run)
    print(
        f"plain rollout: {60 * rate:.0f} a minute; the audit flies {episodes / took / rate:.2f} of that"
    )


def rollout(run: config.RunConfig) -> float:
    """Episodes a second of a plain rollout of the panel."""
    with closing(connect(resolve(run.target), run.rollout.slots, run.rollout)) as connection:
        schemas = connection.schemas
        habits = panel(schemas.action, schemas.observation, (), run.seed)
        tasks: Sequence[dict[str, Any]] = [{"seed": seed} for seed in range(SEEDS)]
        flight = Flight(run.target, run.rollout.max_turns)
        began = time.monotonic()
        flown: list[Episode] = []
        while len(flown) < MEASURED:
            flown += [e for habit in habits for e in fly(connection, habit, tasks, flight)]
        took = time.monotonic() - began
    steps = sum(len(episode.turns) for episode in flown) / len(flown)
    print(f"plain rollout: {len(flown)} episodes of {steps:.1f} steps")
    return len(flown) / took


def memory(episodes: int) -> None:
    """Resident memory of this process while surveys go on."""
    marks = [episodes // 10, episodes // 2, episodes]
    with tempfile.TemporaryDirectory() as out:
        once = audited(load(TWENTY_STEPS, out), Path(out), episodes)
        done = 0
        while done < episodes:
            done = once()
            if marks and done >= marks[0]:
                marks.pop(0)
                print(f"memory after {done} episodes: {resident_mib():.0f} MiB", flush=True)


def resident_mib() -> float:
    """This process's resident memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def right_names(name: str) -> set[str]:
    """Findings that describe a defect rightly, as its module says."""
    return {name, *getattr(import_module(f"{CASES}.{name}"), "ALSO", ())}


def planted(name: str) -> None:
    """Seconds until a defect is found, and until its witnesses are replayed too."""
    with tempfile.TemporaryDirectory() as out:
        began = time.monotonic()
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            verdict = pipeline.audit(load(name, out))
            took = time.monotonic() - began
            witnesses = Path(out) / "witnesses.jsonl"
            again = api.replay_file(witnesses).verdict
        found = sorted({finding.id for finding in AuditReport.load(Path(out)).findings})
    both = time.monotonic() - began
    told = {"found": found, "audit": verdict.name, "replay": again.name}
    print(f"{name}: audited in {took:.1f} s, replayed after {both:.1f} s: {json.dumps(told)}")
    if not right_names(name).intersection(found) or again is not Verdict.GO:
        sys.exit(f"{name} was not found and replayed")


def main() -> None:
    """Print all the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--episodes", type=int, default=100_000, help="episodes for the memory")
    parser.add_argument("--skip", nargs="*", default=[], choices=["speed", "memory", "planted"])
    chosen = parser.parse_args()
    if "speed" not in chosen.skip:
        speed()
    if "memory" not in chosen.skip:
        memory(chosen.episodes)
    if "planted" not in chosen.skip:
        for name in PLANTED:
            planted(name)


if __name__ == "__main__":
    main()
