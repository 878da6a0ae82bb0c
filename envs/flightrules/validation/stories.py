"""A flown mission told in ten lines: clock, what came in, what was done, what became of it, and which order decided it.

The lines come from the flight alone. The first tells the start and the last the end; the decisions between them are
gathered into spans, one a line, such that as few pieces of news as can be share one.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import asdict, dataclass, replace
from itertools import count

import numpy as np

from flightrules.directives.monitor import Verdict
from flightrules.directives.orders import Orders
from flightrules.flight.command import AXES
from flightrules.flight.flight import Flight
from flightrules.missions.mission import Mission
from flightrules.missions.store import MissionStore
from flightrules.physics.rotation import pointing
from flightrules.reward.rubrics import components, score
from flightrules.validation.policies import make_pilot
from flightrules.validation.symptoms import answer_to, in_words

LINES = 10
"""Lines of a story."""
SPLIT = "validation"
"""Where missions are taken from."""


@dataclass(frozen=True, slots=True)
class Turn:
    """An order whose verdict changed.

    Attributes:
        second: Mission second.
        order: Its place among the mission's directives.
        word: ``satisfied``, ``violated`` or ``superseded``.
    """

    second: int
    order: int
    word: str


@dataclass(frozen=True, slots=True)
class Span:
    """Decisions that are told together.

    Attributes:
        first_s: Clock at its start.
        last_s: Clock at its end.
        came: What came in at its start, or broke unseen during it.
        burns: Burns fired.
        answers: What the telemetry said of its commands, beside that they were flown.
        state: Where it ended: the truth in words.
        became: Verdicts that changed during it.
    """

    first_s: int
    last_s: int
    came: tuple[str, ...]
    burns: tuple[str, ...]
    answers: tuple[str, ...]
    state: str
    became: tuple[str, ...] = ()

    def join(self, later: Span) -> Span:
        """This span and the one after it as one."""
        return Span(
            self.first_s,
            later.last_s,
            self.came + later.came,
            self.burns + later.burns,
            self.answers + later.answers,
            later.state,
            self.became + later.became,
        )

    @property
    def news(self) -> int:
        """How much there is to tell beside burns."""
        return len(self.came) + len(self.became)


def story(mission: Mission, policy: str, store: MissionStore) -> list[str]:
    """The ten lines of a mission flown by a reference policy that draws nothing at random.

    Raises:
        ValueError: If the flight has too few decisions for ten lines.
    """
    flight, spans = record(mission, policy, store)
    if len(spans) < LINES - 2:
        raise ValueError(f"a story needs at least {LINES - 2} decisions, got {len(spans)}")
    turned = turns(flight)
    spans = [replace(span, became=_became(span, turned, mission)) for span in spans]
    start = f"T+0000, the start: {_state(Flight(mission))}. {' '.join(spans[0].came)}"
    spans[0] = replace(spans[0], came=())
    while len(spans) > LINES - 2:
        place = min(range(len(spans) - 1), key=lambda k: _loss(spans[k], spans[k + 1]))
        spans[place : place + 2] = [spans[place].join(spans[place + 1])]
    return [start, *map(_tell, spans), _end(flight, policy, turned)]


def record(mission: Mission, policy: str, store: MissionStore) -> tuple[Flight, list[Span]]:
    """Fly a mission; one span a decision."""
    options = {"split": mission.split, "index": mission.index, "level": mission.level}
    pilot = make_pilot(policy, options, np.random.default_rng(0), store)
    flight, spans = Flight(mission), []
    while not flight.done:
        telemetry = flight.telemetry()
        command = pilot.decide(asdict(telemetry))
        flight.execute(command)
        first_s, last_s = telemetry.clock_s, flight.simulation.clock_s
        broke = [
            f"(Told to nobody: {in_words(item)} at T+{item.start_s:04d}.)"
            for item in mission.anomalies
            if first_s <= item.start_s < last_s
        ]
        spans.append(
            Span(
                first_s,
                last_s,
                tuple([f"“{message}”" for message in telemetry.messages] + broke),
                () if command.burn == "idle" else (command.burn,),
                (answer,) if (answer := answer_to(command, flight)) else (),
                _state(flight),
            )
        )
    return flight, spans


def turns(flight: Flight) -> list[Turn]:
    """Every change of a verdict over a flight, in order."""
    orders = Orders(flight.mission.directives)
    words = ["open"] * len(flight.mission.directives)
    found = []
    for second in range(flight.simulation.clock_s):
        orders.update(flight.simulation.truth[second : second + 1])
        for k, verdict in enumerate(orders.verdicts.tolist()):
            word = "superseded" if orders.superseded[k] else Verdict(verdict).word
            if word != words[k]:
                found.append(Turn(second, k, word))
                words[k] = word
    cut = [k for k, word in enumerate(words) if word == "open"]
    return found + [Turn(flight.simulation.clock_s, k, "violated") for k in cut]


def deciding(flight: Flight, turned: list[Turn]) -> Turn:
    """What decided a flight: the first violation or, where there is none, the last order met of those idling fails."""
    violated = [turn for turn in turned if turn.word == "violated"]
    if violated:
        return violated[0]
    idle = flight.proof.idle_robustness
    return [turn for turn in turned if turn.word == "satisfied" and idle[turn.order] <= 0.0][-1]


def first_lost(level: str, policy: str, store: MissionStore) -> Mission:
    """The first mission of a level that a policy does not fly to success."""
    missions = (store.task(SPLIT, index, level) for index in count())
    return next(mission for mission in missions if not record(mission, policy, store)[0].success)


def _loss(one: Span, other: Span) -> tuple[int, bool, int]:
    """What telling two spans together costs: news that share a line, news that do not begin theirs, length."""
    return one.news * other.news, bool(other.came), len(one.burns) + len(other.burns)


def _became(span: Span, turned: list[Turn], mission: Mission) -> tuple[str, ...]:
    return tuple(
        f"{mission.directives[turn.order].id} {turn.word} at T+{turn.second:04d}"
        for turn in turned
        if span.first_s <= turn.second < span.last_s
    )


def _tell(span: Span) -> str:
    burns = Counter(span.burns)
    fired = ", ".join(f"{burn} × {times}" if times > 1 else burn for burn, times in burns.items())
    parts = [*span.came, f"Fires {fired}." if fired else "Drifts."]
    parts += [f"{answer[0].upper()}{answer[1:]}." for answer in dict.fromkeys(span.answers)]
    parts += [f"Then {span.state}."] + ([f"**{'; '.join(span.became)}.**"] if span.became else [])
    return f"T+{span.first_s:04d} to T+{span.last_s:04d}: {' '.join(parts)}"


def _end(flight: Flight, policy: str, turned: list[Turn]) -> str:
    turn = deciding(flight, turned)
    item = flight.mission.directives[turn.order]
    orders = Orders(flight.mission.directives)
    orders.update(flight.simulation.truth[: flight.simulation.clock_s])
    return (
        f"T+{flight.simulation.clock_s:04d}, the end: {policy} has {'won' if flight.success else 'lost'} "
        f"after {flight.decisions} of {flight.mission.decisions} decisions, score "
        f"{score(components(flight.outcome())):.2f}. Decided by {item.id} ({item.kind}), {turn.word} at "
        f"T+{turn.second:04d} with a robustness of {orders.lower[turn.order]:+.3f}."
    )


def _state(flight: Flight) -> str:
    """The truth of a moment, and beside the rate what the gyro shows of it."""
    simulation = flight.simulation
    rates = np.degrees(simulation.state[4:7])
    axis = int(np.argmax(np.abs(rates)))
    shown = flight.telemetry().rate_deg_s[axis]
    words = f"{AXES[axis]} {rates[axis]:+.2f} deg/s (shown {shown:+.2f})"
    if np.any(flight.mission.target_N):
        error = pointing(simulation.state[0:4], flight.mission.target_N, np.empty(2))
        words = f"{math.degrees(error):.1f} deg off target, {words}"
    return f"{words}, propellant {simulation.state[20]:.0f} %"
