"""Audit sessions over environments of the zoo, and the least survey of one: idle and the policy that succeeds."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, chdir, closing
from functools import cache
from pathlib import Path

import pytest
from tests.records_made import contract_report

from gonogo import config
from gonogo.auditing.flight_log import FlightLog
from gonogo.auditing.progress import AuditProgress
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import REFERENCE, Survey, SurveyRow, fly_habit
from gonogo.env.environment import Env
from gonogo.wire import JsonObject

ROOT = Path(__file__).parents[2]
SEEDS = range(100, 112)
CASES = "tests.zoo.cases"

Opened = tuple[AuditSession, Survey]


@pytest.fixture(scope="module")
def opened(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Callable[..., Opened]]:
    """Opens ``module:class`` of the zoo's cases once, with the panel's rows of some names beside idle and solver."""
    with ExitStack() as stack, chdir(ROOT):

        @cache
        def start(case: str, *names: str, solve: bool = True) -> Opened:
            module = f"{CASES}.{case.partition(':')[0]}"
            given = {"target": f"{CASES}.{case}", "out": str(tmp_path_factory.mktemp("run"))}
            reference = {"audit.reference": f"{module}:solve"} if solve else {}
            run = config.load(None, {**given, **reference})
            log = FlightLog(run.out / "log.jsonl")
            part = stack.enter_context(closing(AuditProgress())).part("test")
            session = AuditSession(AuditContext(Env.of(run), run, contract_report(), log, part))
            stack.callback(session.close)
            tasks = session.tasks({}, SEEDS)
            habits = session.panel()
            chosen = [habits[0], *(habit for habit in habits if habit.name in names)]
            rows = [fly_habit(session, habit, tasks) for habit in chosen]
            known = session.references(tasks).items()
            rows += [SurveyRow(name, REFERENCE, flown) for name, flown in known]
            return session, Survey({}, rows)

        yield start


@pytest.fixture
def session_of(tmp_path: Path) -> Iterator[Callable[[str], AuditSession]]:
    """Opens a session over any target, closed at the test's end."""
    with ExitStack() as stack, chdir(ROOT):

        def start(target: str) -> AuditSession:
            run = config.load(None, {"target": target, "out": str(tmp_path)})
            part = stack.enter_context(closing(AuditProgress())).part("test")
            log = FlightLog(tmp_path / "log.jsonl")
            return stack.enter_context(
                closing(AuditSession(AuditContext(Env.of(run), run, contract_report(), log, part)))
            )

        yield start


@pytest.fixture
def context_of(tmp_path: Path) -> Iterator[Callable[..., AuditContext]]:
    """What the sessions over a target have in common, with what the map found."""
    with ExitStack() as stack, chdir(ROOT):

        def start(target: str, *found: JsonObject) -> AuditContext:
            run = config.load(None, {"target": target, "out": str(tmp_path)})
            part = stack.enter_context(closing(AuditProgress())).part("test")
            card, log = contract_report(findings=found), FlightLog(tmp_path / "log.jsonl")
            return AuditContext(Env.of(run), run, card, log, part)

        yield start


@pytest.fixture
def from_the_root(monkeypatch: pytest.MonkeyPatch) -> None:
    """Import paths are looked up from the working directory."""
    monkeypatch.chdir(ROOT)


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """A repository with an environment's folder two levels down."""
    (tmp_path / ".git").mkdir()
    folder = tmp_path / "envs" / "my grid"
    (folder / "server").mkdir(parents=True)
    for name in ("client.py", "server/app.py", "server/environment.py", "server/rubrics.py"):
        (folder / name).write_text("")
    (folder / "openenv.yaml").write_text("name: grid\n")
    return tmp_path
