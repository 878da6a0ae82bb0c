"""Episodes that were suspected, flown alone: what earlier ones decided is found, and chance is not accused of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
from tests.auditing.audits import fly_audit
from tests.zoo.leftovers import DOORS, Tallied

from gonogo.auditing.checks.earlier import LEAK, EarlierEpisodes
from gonogo.auditing.checks.flown_alone import LEAST, FlownAlone
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditContext, AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, fly_habit
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import Kind
from gonogo.records.findings import ContractWitness
from gonogo.records.record import Verdict
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action

pytestmark = pytest.mark.usefixtures("from_the_root")


@dataclass
class Rooms:
    """A survey of rooms in one process, and what is flown alone of it."""

    session: AuditSession
    alone: FlownAlone
    flown: Survey

    def look(self, episodes: list[Episode]) -> Confirmed | None:
        """Look at what some episodes show."""
        best = max(episodes, key=lambda e: (e.success is True, e.episode_return or 0.0))
        row = SurveyRow("shown", Kind.RANDOM, episodes)
        suspicion = Suspicion("success_costs_nothing", row, best, "it succeeds", 1.0)
        return self.alone.look(self.session, suspicion, self.flown.plus([row]), [])

    def random(self, seeds: range) -> list[Episode]:
        """Random episodes, one after another in one session."""
        habit = next(each for each in self.session.panel() if each.kind == Kind.RANDOM)
        tasks = self.session.tasks({}, list(seeds))
        return [e for task in tasks for e in fly_habit(self.session, habit, [task]).episodes]


@pytest.fixture
def rooms(context_of: Callable[..., AuditContext]) -> Iterator[Callable[..., Rooms]]:
    """Opens an environment of rooms whose map may have found something."""
    with ExitStack() as stack:

        def start(case: str, *found: str) -> Rooms:
            context = context_of(f"tests.zoo.leftovers:{case}", *map(mapped, found))
            session = stack.enter_context(closing(AuditSession(context)))
            idle = fly_habit(session, session.panel()[0], session.tasks({}, [1, 2]))
            return Rooms(session, FlownAlone(EarlierEpisodes(context)), Survey({}, [idle]))

        yield start


def test_what_earlier_episodes_were_paid_for_is_found(rooms: Callable[..., Rooms]) -> None:
    opened = rooms("TalliedUnseen")
    came = opened.look(opened.random(range(60)))
    assert isinstance(came, Confirmed)
    assert (came.finding.id, came.finding.blocks) == (LEAK, True)
    seen = came.finding.witness
    assert isinstance(seen, ContractWitness)
    earlier = seen.earlier or (seen.before,)
    assert 1 <= len(earlier) <= len(DOORS)
    assert seen.difference is not None
    assert seen.rewards is not None
    assert seen.rewards[-1] == 1.0
    said = came.finding.explanation
    assert (
        "episodes of shown earn 1 on average and succeed 4 times in the audit's own process" in said
    )
    assert "earn 0 on average and succeed 0 times, each alone in a fresh process" in said
    assert came.episode is not None
    assert came.episode.replays == "other"


@pytest.mark.parametrize("case", ["Lucky", "Streamed"])
def test_luck_is_no_doing_of_earlier_episodes(case: str, rooms: Callable[..., Rooms]) -> None:
    opened = rooms(case)
    flown = opened.random(range(40))
    assert sum(e.success is True for e in flown) > LEAST
    assert opened.look(flown) is None


def test_what_is_earned_anew_is_the_same_alone(rooms: Callable[..., Rooms]) -> None:
    opened = rooms("Tallied")
    plans = [(task, winning(task["seed"])) for task in opened.session.tasks({}, [1, 2, 3, 4])]
    flown = opened.session.plans("wins", plans, whole=True)
    assert all(e.success for e in flown)
    assert opened.look(flown) is None
    spent = opened.session.spent
    assert opened.look(flown) is None
    assert opened.session.spent == spent, "each row is looked at once"


def mapped(name: str) -> dict[str, Any]:
    """A finding of the map."""
    return {"id": name, "task": {}, "component": None, "witness": {}, "explanation": "seen"}


def winning(seed: int) -> list[Action]:
    """What succeeds on a seed."""
    rng = Random(seed)
    wanted = {door: rng.randrange(Tallied.keys) for door in DOORS}
    turns = [{"do": "lock", "door": door, "key": key} for door, key in wanted.items()]
    return [*turns, {"do": "leave"}]


@pytest.mark.parametrize(("found", "of"), [(["nondeterministic"], 60), ([], LEAST - 1)])
def test_nothing_is_asked_of_few_episodes_or_of_what_the_map_found_unsteady(
    found: list[str], of: int, rooms: Callable[..., Rooms]
) -> None:
    opened = rooms("TalliedUnseen", *found)
    flown = opened.random(range(60))[-of:]
    spent = opened.session.spent
    assert opened.look(flown) is None
    assert opened.session.spent == spent


def test_what_decides_them_and_is_not_found_is_unclear(
    rooms: Callable[..., Rooms], monkeypatch: pytest.MonkeyPatch
) -> None:
    opened = rooms("TalliedUnseen")
    flown = opened.random(range(60))
    monkeypatch.setattr("gonogo.auditing.checks.flown_alone.MOST_STEPS", 1)
    monkeypatch.setattr("gonogo.auditing.checks.flown_alone.MOST_EACH", 1)
    assert opened.look(flown) is None
    (said,) = opened.alone.unclear
    assert said.endswith("it was not found which earlier episodes cause it")


def test_an_audit_that_could_not_confirm_it_is_no_go(tmp_path: Path) -> None:
    given = {
        "target": "tests.zoo.leftovers:TalliedUnseen",
        "audit.seeds": 8,
        "audit.budget": 12_000,
    }
    verdict, record = fly_audit(tmp_path, given, {})
    assert verdict is Verdict.NO_GO
    finding = next(f for f in record.findings if f.id == LEAK)
    assert "each alone in a fresh process" in finding.explanation
    assert {f.id for f in record.findings} == {LEAK}, "what each flight leaves is no other cause"
