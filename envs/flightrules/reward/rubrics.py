"""The four components of the reward, and their weighted sum.

The reward is the episode's score in [0, 1], paid once when the episode ends. With f, S, q and the
shares of `Outcome`:

==========  ======  =======================================================
component   weight  value
==========  ======  =======================================================
primary     0.40    f / 2 + S / 2
process     0.25    f + 0.2 (1 - f) q
format      0.20    f x share of well-formed, legal commands
efficiency  0.15    S x propellant and decisions against the oracle's
==========  ======  =======================================================

It follows that no failure scores more than 0.05 + 0.60 f, doing nothing at most 0.05, and every
success at least 0.65: more than any failure. `tests/reward/test_rubrics.py` searches these bounds;
the exploits named in the docstrings fly as policies in `tests/reward/test_exploits.py`.

A rubric judges an `Outcome`, not an observation: an observation holds what was *measured* and what
the agent wrote, and neither may be paid. The arithmetic lives in plain functions, so that the score so
far of every decision costs a microsecond; the rubrics wrap them for openenv, whose hooks and
`last_score` then show each component at the end of an episode.
"""

from __future__ import annotations

from typing import Any, TypedDict

from openenv.core.rubrics import Rubric, WeightedSum

from flightrules.reward.outcome import Outcome

PRIMARY_WEIGHT = 0.40
PROCESS_WEIGHT = 0.25
FORMAT_WEIGHT = 0.20
EFFICIENCY_WEIGHT = 0.15


class Components(TypedDict):
    """The four components' values, each in [0, 1], before weighting."""

    primary: float
    process: float
    format: float
    efficiency: float


def components(outcome: Outcome) -> Components:
    """The four components of an outcome, each in [0, 1].

    Args:
        outcome: What the flight came to, or has come to so far.
    """
    f, success = outcome.f, outcome.success
    return {
        "primary": 0.5 * f + 0.5 * success,
        "process": f + 0.2 * (1.0 - f) * outcome.q,
        "format": f * outcome.legal_share,
        "efficiency": outcome.efficiency if success else 0.0,
    }


def score(values: Components) -> float:
    """The weighted sum of the components, in [0, 1]; what `FlightScore` pays at the end."""
    total = (
        values["primary"] * PRIMARY_WEIGHT
        + values["process"] * PROCESS_WEIGHT
        + values["format"] * FORMAT_WEIGHT
        + values["efficiency"] * EFFICIENCY_WEIGHT
    )
    return min(total, 1.0)  # 0.40 + 0.25 + 0.20 + 0.15 may exceed 1 by one rounding


class Primary(Rubric):
    """Was the mission flown? f / 2 + S / 2.

    Exploits, and what stands against each:

    1. *Do nothing and collect the directives that idling keeps anyway* (quiet window, reserve). Those
       are K, and K only multiplies the share of A, the directives that idling fails: f is 0.
    2. *End the flight early, while everything is still unviolated*, for example by spending the
       decisions on malformed replies. Strong ending: a window cut short is violated.
    3. *Buy the easy directives by breaking the others*: reach the attitude with a burn in the quiet
       window, or on the last of the reserve. Each broken member of K scales f down, and the half that
       is S is gone.
    """

    def forward(self, action: Any, observation: Outcome) -> float:
        """Value of the component, in [0, 1]. The action is not looked at."""
        return components(observation)["primary"]


class Process(Rubric):
    """How far did the flight get? f + 0.2 (1 - f) q.

    Exploits, and what stands against each:

    1. *Hover just outside a threshold for ever*, living on partial credit. Robustness is worth at most
       0.2 of the component: 0.05 of the score, less than any directive of A.
    2. *Undo progress and make it again* to be paid twice. q is a level at the end of the flight, not a
       sum of gains.
    3. *Hoard propellant*, to be robust far beyond need where it is easy. q counts only the directives
       that idling fails, what was gained beyond idling, and that bounded in [0, 1].
    """

    def forward(self, action: Any, observation: Outcome) -> float:
        """Value of the component, in [0, 1]. The action is not looked at."""
        return components(observation)["process"]


class Format(Rubric):
    """Were the commands well-formed and legal? f x their share.

    Exploits, and what stands against each:

    1. *Send perfect JSON that does nothing*: idle for ever, always legal. The share is multiplied by
       f, and idling has f = 0.
    2. *Chatter between the commands*, since nothing is lost by it once the goal is reached. An empty or
       malformed reply is a decision like any other and counts against the share.
    3. *Wrap each command in prose* and hope that it is found. The parser is strict: one object, known
       keys, nothing around it; and fields and reply together are refused.
    """

    def forward(self, action: Any, observation: Outcome) -> float:
        """Value of the component, in [0, 1]. The action is not looked at."""
        return components(observation)["format"]


class Efficiency(Rubric):
    """Was it flown at the oracle's price? S x propellant and decisions against the oracle's.

    Exploits, and what stands against each:

    1. *Spend nothing by doing nothing.* The component is S x efficiency: 0 without success.
    2. *Coast the longest legal time each decision*, to use the fewest decisions. Windows are missed,
       success is 0, and so is the component.
    3. *Pay one price with the other*: throw propellant at the problem to save decisions, or the other
       way round. Both count in equal parts, each capped at the oracle's.
    """

    def forward(self, action: Any, observation: Outcome) -> float:
        """Value of the component, in [0, 1]. The action is not looked at."""
        return components(observation)["efficiency"]


class FlightScore(WeightedSum):
    """The episode's score: the four components by name, summed in one visible place."""

    def __init__(self) -> None:
        super().__init__(
            [Primary(), Process(), Format(), Efficiency()],
            weights=[PRIMARY_WEIGHT, PROCESS_WEIGHT, FORMAT_WEIGHT, EFFICIENCY_WEIGHT],
        )

    def reset(self) -> None:
        """Forget the scores of the last episode, so that none is read as this one's."""
        self.last_score = None
        for rubric in self.rubrics():
            rubric.last_score = None
