"""What judging all directives of a mission costs per decision.

Times ``MonitorSet.update`` as a flight calls it, Python's share included, for the four directives of a full
``retarget`` mission over 1,800 s, at decisions of 10, 60 and 600 s; beside it a NumPy sliding window over the whole
trace so far, which is what a monitor without state would have to do. The figure is the worst of the three decision
lengths against the 30 µs allowed. Also: making the monitors (each reset does), copying them (a planner does), and a
whole trace at once. Medians over rounds: the machine is shared. Prints one line of JSON.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from flightrules.directives.directive import keep_reserve, reach_and_settle, stay_quiet
from flightrules.directives.formula import SIGNALS
from flightrules.directives.monitor import MonitorSet

SECONDS, ROUNDS, REQUIRED_US = 1800, 200, 30.0
STEPS = (10, 60, 600)
QUIET, HOLD, DEADLINE, ERROR_DEG, RATE_DEG_S, LEFT_PCT = (300, 500), 90, 1700, 5.0, 0.1, 41.0
DIRECTIVES = (
    stay_quiet("D1", phrasing=0, start_s=QUIET[0], end_s=QUIET[1]),
    reach_and_settle("D2", phrasing=0, deadline_s=900, hold_s=120, rate_deg_s=0.15),
    reach_and_settle(
        "D3",
        phrasing=0,
        deadline_s=DEADLINE,
        hold_s=HOLD,
        rate_deg_s=RATE_DEG_S,
        error_deg=ERROR_DEG,
    ),
    keep_reserve("D4", phrasing=0, end_s=SECONDS - 1, propellant_pct=LEFT_PCT),
)
FORMULAS = [directive.formula for directive in DIRECTIVES]


def median_us(action: Callable[[], object], rounds: int = ROUNDS) -> float:
    """Median time of a call, microseconds."""
    times = []
    for _ in range(rounds):
        start = time.perf_counter()
        action()
        times.append(time.perf_counter() - start)
    return float(np.median(times)) * 1e6


def fly(trace: NDArray[np.float64], step: int) -> None:
    """Monitor a whole mission in decisions of ``step`` seconds."""
    monitors = MonitorSet(FORMULAS)
    for start in range(0, len(trace), step):
        monitors.update(trace[start : start + step])


def without_state(trace: NDArray[np.float64], step: int) -> None:
    """The same mission with NumPy, from the first sample again at each decision."""
    for end in range(step, len(trace) + 1, step):
        error, rate, propellant, burning = trace[:end, :4].T
        (0.5 - burning[QUIET[0] : QUIET[1] + 1]).min(initial=np.inf)
        for hold, margin in (
            (120, 0.15 - rate),
            (HOLD, np.minimum(ERROR_DEG - error, RATE_DEG_S - rate)),
        ):
            if end > hold:
                sliding_window_view(margin, hold + 1).min(axis=1).max()
        (propellant - LEFT_PCT).min()


def main() -> None:
    """Measure and print."""
    trace = np.random.default_rng(0).random((SECONDS, len(SIGNALS)))
    fly(trace, 60)
    ready = MonitorSet(FORMULAS)
    ready.update(trace[:900])
    create = median_us(lambda: MonitorSet(FORMULAS))
    update = {
        step: (median_us(lambda step=step: fly(trace, step), 50) - create) / (SECONDS // step)
        for step in STEPS
    }
    stateless = median_us(lambda: without_state(trace, 60), 5) / (SECONDS // 60)
    print(
        json.dumps(
            {
                "update_us": {step: round(us, 2) for step, us in update.items()},
                "required_us": REQUIRED_US,
                "ratio": round(max(update.values()) / REQUIRED_US, 3),
                "numpy_without_state_us": round(stateless, 1),
                "create_us": round(create, 1),
                "copy_us": round(median_us(ready.copy), 1),
                "whole_trace_us": round(median_us(lambda: fly(trace, SECONDS)), 1),
            }
        )
    )


if __name__ == "__main__":
    main()
