"""Flights with telemetry, and records to draw."""

from __future__ import annotations

from typing import Any

from tests.records_made import estimate, evaluation_report, policy_result

from gonogo.records.evaluation import EvaluationReport
from gonogo.rollouts.episodes import Episode, Turn

ORDERS = [
    "D1: Between 100 s and 200 s all thrusters stay silent.",
    "D2: You have until 300 s to hold pointing within 4.5 deg and every axis under 0.1 deg/s for 90 s.",
    "D3: At no time up to 400 s may propellant fall to 61 %.",
]


def telemetry(clock: float, status: str = "open", **fields: Any) -> dict[str, Any]:
    return {
        "clock_s": clock,
        "error_deg": None,
        "rate_deg_s": [0.1, -0.2, clock / 1000],
        "propellant_pct": 100.0 - clock / 10,
        "directives": [
            {"id": f"D{n}", "status": status, "time_left_s": end - clock}
            for n, end in ((1, 200), (2, 300), (3, 400))
        ],
        "messages": [] if clock else ORDERS,
        **fields,
    }


def flight(score: float = 0.5, **fields: Any) -> Episode:
    """A flight of four decisions with telemetry."""
    return Episode(
        0,
        {"split": "test", "index": 0},
        "x",
        "someone",
        turns=[Turn("", telemetry(100.0 * n, **fields), reward=0.0) for n in range(4)],
        episode_return=score,
        success=score > 0.5,
        final_observation=telemetry(400.0, "satisfied", **fields),
    )


def record(**policies: tuple[float, float | None]) -> EvaluationReport:
    given = {name: policy_result(estimate(*score)) for name, score in policies.items()}
    return evaluation_report(given, episodes=200)
