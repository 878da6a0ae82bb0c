"""The search opens doors, keeps to its budget, repeats itself, and goes on where it was."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest

from gonogo.contract.sources import Sources
from gonogo.env.environment import Env
from gonogo.explore.search import Exploration, Explorer
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Policy
from gonogo.wire import TaskOptions

DOOR = Path(__file__).parents[1] / "first_contact" / "door"
TASKS: list[TaskOptions] = [{"seed": 0}, {"seed": 1}]


class OpenSession:
    """Flies over a connection of its own; what an audit's session does, without its log."""

    def __init__(self, address: str) -> None:
        self.env = Env(address)
        self.connection = self.env.connect(8)
        self.schemas, self.cover = self.connection.schemas, self.connection.cover
        self.close = self.connection.close
        self.capacity = self.connection.capacity
        self.flown = 0

    def beside(self) -> list[Episode]:
        return []

    def fly(
        self,
        policy: Policy,
        tasks: Sequence[TaskOptions],
        *,
        whole: bool = True,
        text: bool = True,
        limits: Sequence[int] = (),
    ) -> list[Episode]:
        self.flown += 1
        return fly(self.connection, policy, tasks, Flight("door", limits=tuple(limits)))


def spent(explorer: Explorer, budget: int) -> Exploration:
    explorer.spend(budget)
    return explorer.result()


def explored(budget: int) -> Exploration:
    with closing(OpenSession(str(DOOR))) as session:
        sources = Sources.of(session.env.target)
        rng = np.random.default_rng(0)
        return spent(Explorer(session, sources, TASKS, rng), budget)


def told(found: Exploration) -> str:
    """All that an exploration tells, as a text."""
    entries = [[entry.task, entry.actions, entry.worth] for entry in found.corpus]
    return json.dumps([entries, str(found.reached), [e.to_json() for e in found.episodes]])


def test_it_gets_past_a_door_whose_words_only_texts_name() -> None:
    found = explored(1500)
    assert any(episode.success for episode in found.episodes)
    assert found.reached.best is not None
    assert found.reached.best > 1.5  # a farm: all doors of one room are worth 1.5
    assert found.reached.lines == found.reached.of
    assert str(found.reached) == "100 % of the step's lines"
    assert found.reached.wall is None


def test_the_corpus_holds_what_opened_something_up() -> None:
    found = explored(600)
    lines: set[str] = set()
    assert len(found.corpus) > 5
    for entry in found.corpus:
        sent = [turn.action for turn in entry.episode.turns][: len(entry.actions)]
        assert sent == entry.actions
        assert entry.task in TASKS
        lines |= {line for turn in entry.episode.turns[: len(sent)] for line in turn.reached}
    assert len(lines) >= 10
    assert all(any(entry.episode is e for e in found.episodes) for entry in found.corpus)


def test_the_same_seed_and_budget_give_the_same() -> None:
    assert told(explored(500)) == told(explored(500))


def test_the_budget_bounds_the_steps_and_resets() -> None:
    reached = explored(400).reached
    assert 400 <= reached.steps + reached.episodes < 800


def test_it_goes_on_where_it_was_also_after_a_flight_that_was_ended() -> None:
    class Cut(Exception):
        """The flight is ended."""

    class Short(OpenSession):
        def fly(self, *args: object, **kwargs: object) -> list[Episode]:
            if self.flown == 5:
                self.flown += 1
                raise Cut
            return super().fly(*args, **kwargs)  # type: ignore[arg-type]

    with closing(Short(str(DOOR))) as session:
        explorer = Explorer(
            session, Sources.of(session.env.target), TASKS, np.random.default_rng(0)
        )
        with pytest.raises(Cut):
            explorer.spend(2000)
        before = explorer.result()
        assert before.reached.episodes >= 5
        explorer.spend(300)
        assert explorer.result().reached.steps > before.reached.steps


def test_a_server_is_explored_by_what_it_answers() -> None:
    with closing(OpenSession(str(DOOR))) as session:
        session.cover = lambda: None
        found = spent(Explorer(session, Sources(), TASKS, np.random.default_rng(0)), 1500)
    assert found.reached.lines is None
    assert any(episode.success for episode in found.episodes)


def test_an_environment_that_loses_every_episode_is_left_alone() -> None:
    class Losing(OpenSession):
        """Every episode is lost."""

        def fly(self, policy: Policy, tasks: Sequence[TaskOptions], **_: object) -> list[Episode]:
            self.flown += 1
            return [Episode(n, t, "t", "x", error="hung") for n, t in enumerate(tasks)]

    with closing(Losing(str(DOOR))) as session:
        sources = Sources.of(session.env.target)
        spent(Explorer(session, sources, TASKS, np.random.default_rng(0)), 5000)
        assert session.flown == 2


def test_verbs_that_only_the_opening_names_are_known() -> None:
    with closing(OpenSession("tests.explore.told:Told")) as session:
        sources = Sources.of(session.env.target)
        explorer = Explorer(session, sources, TASKS, np.random.default_rng(0))
        explorer.spend(60)
        assert {"knock", "wave"} <= {verb.name for verb in explorer.values.verbs}


def test_the_best_is_read_anew_where_episodes_are_counted_otherwise() -> None:
    with closing(OpenSession("tests.zoo.documented:Tally")) as session:
        sources = Sources.of(session.env.target)
        explorer = Explorer(session, sources, TASKS, np.random.default_rng(0))
        found = spent(explorer, 120)
        summed = found.reached.best
        for episode in found.episodes:
            episode.count_by_step()
        explorer.count_again()
        best = explorer.result().reached.best
        known = max(e.episode_return or 0.0 for e in found.episodes)
        assert best is not None and known <= best and best != summed
