"""The same flights behind Gymnasium's interface, for classical agents.

Owns two translations and nothing else: telemetry to a vector of fixed length, and three indices to a command. Missions,
physics, verdicts and the reward are those of `flightrules.server.environment`, in the caller's process: the reward is 0
until the episode ends and the score of the flight then, and an illegal command costs a decision.

An entry of the observation is a field of the telemetry over a fixed scale, so it knows no more than a language model is
told, and less: the limits and windows of the directives are in their words alone, and no word is parsed here. Of the
past it keeps one thing that the telemetry told, whether the gyro has been recalibrated, because a policy without memory
could not know it again.

Needs the extra ``gym``; importing flightrules does not import this module.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from flightrules.errors import EpisodeError, MissionError, OptionError, RequestError, show
from flightrules.flight.command import BURNS, COAST_MAX_S, COAST_MIN_S, MODES, Command
from flightrules.flight.flight import Flight
from flightrules.flight.telemetry import Telemetry
from flightrules.missions.splits import LEVELS, TASKS_PER_SPLIT
from flightrules.missions.store import MissionStore
from flightrules.reward.rubrics import components, score
from flightrules.server.options import check_options
from flightrules.validation.policies import COASTS_S

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as missing:
    raise ImportError(
        "flightrules.gymnasium_env needs gymnasium: pip install 'openenv-flightrules[gym]'"
    ) from missing

MAX_DIRECTIVES = 8
"""Directives that an observation has room for; a mission with more is refused."""
TIME_S, DECISIONS = 900.0, 32.0
"""Scales of times (s) and of decisions."""
RATE_DEG_S, RATE_FINE_DEG_S = 1.0, 0.25
"""Scales of a rate, deg/s: a tumble is of the first size, what a directive allows is within the second."""
ERROR_DEG, ERROR_FINE_DEG = 180.0, 10.0
"""Scales of a pointing error, deg."""

_STATUSES = ("open", "satisfied", "violated", "superseded")
_AXES, _ANGLES = ("roll", "pitch", "yaw"), ("pitch", "yaw")
_RECALIBRATED, _REFUSED = "gyro recalibrated", "refused"

_BOUNDS: dict[str, tuple[float, float]] = {
    "clock": (0.0, 4.0),
    "decisions_left": (0.0, 4.0),
    "propellant": (0.0, 1.0),
    "refused": (0.0, 1.0),
    "recalibrated": (0.0, 1.0),
    "alarm": (0.0, 1.0),
    "contact": (0.0, 1.0),
    "no_contact": (0.0, 1.0),
    **{f"rate_{axis}": (-10.0, 10.0) for axis in _AXES},
    **{f"rate_fine_{axis}": (-1.0, 1.0) for axis in _AXES},
    "aimed": (0.0, 1.0),
    **{f"error_{angle}": (-1.0, 1.0) for angle in _ANGLES},
    **{f"error_fine_{angle}": (-1.0, 1.0) for angle in _ANGLES},
    **{f"predicted_{angle}": (-1.0, 1.0) for angle in _ANGLES},
    **{f"predicted_fine_{angle}": (-1.0, 1.0) for angle in _ANGLES},
    **{f"mode_{name}": (0.0, 1.0) for name in MODES},
    **{
        f"directive{k}_{entry}": (0.0, 4.0 if entry == "time_left" else 1.0)
        for k in range(1, MAX_DIRECTIVES + 1)
        for entry in (*_STATUSES, "time_left")
    },
}
ENTRIES = tuple(_BOUNDS)
"""Names of the observation's entries, in order; :func:`observe` says what each holds."""
_LOW, _HIGH = np.array(list(_BOUNDS.values()), dtype=np.float32).T

Observed = NDArray[np.float32]
Acted = NDArray[np.int64]


def observe(telemetry: Telemetry, recalibrated: bool) -> Observed:
    """Telemetry as a vector, every entry cut to its bounds in :attr:`FlightRulesGymEnv.observation_space`.

    =====================  ==========================================================================
    entries                value
    =====================  ==========================================================================
    clock                  mission clock over 900 s
    decisions_left         decisions left over 32
    propellant             propellant left, as a share of the load
    refused                1 if the last command was refused
    recalibrated           1 once a command of this episode was answered with "gyro recalibrated"
    alarm                  1 if an alarm has sounded since the last decision
    contact, no_contact    1 if the ground is in contact, 1 if it is not; both 0 where it never is
    rate_*                 measured roll, pitch and yaw rate over 1 deg/s
    rate_fine_*            the same over 0.25 deg/s, cut at 1
    aimed                  1 if there is something to point at; the next eight are 0 otherwise
    error_*, _fine_*       measured pointing error about pitch and yaw over 180 deg, and over 10 deg
    predicted_*, _fine_*   the same at the end of a plain coast of a minute
    mode_*                 one-hot: mode of the last command
    directive1_* ... 8_*   in their order: status one-hot (open, satisfied, violated, superseded) as
                           telemetry has it, and time left over 900 s; zeros where there is none
    =====================  ==========================================================================

    Args:
        telemetry: What the agent is shown.
        recalibrated: Whether it was told in this episode that the gyro was recalibrated.

    Returns:
        Shape (len(ENTRIES),), float32.
    """
    rates = np.array(telemetry.rate_deg_s)
    now = np.array(telemetry.error_deg or (0.0, 0.0))
    then = np.array(telemetry.error_predicted_deg or (0.0, 0.0))
    values = [
        telemetry.clock_s / TIME_S,
        telemetry.decisions_left / DECISIONS,
        telemetry.propellant_pct / 100.0,
        telemetry.last_command.startswith(_REFUSED),
        recalibrated,
        any(message.startswith("alarm ") for message in telemetry.messages),
        telemetry.contact is True,
        telemetry.contact is False,
        *(rates / RATE_DEG_S),
        *(rates / RATE_FINE_DEG_S),
        telemetry.error_deg is not None,
        *(now / ERROR_DEG),
        *(now / ERROR_FINE_DEG),
        *(then / ERROR_DEG),
        *(then / ERROR_FINE_DEG),
        *(telemetry.mode == name for name in MODES),
    ]
    for item in telemetry.directives:
        values += [item["status"] == status for status in _STATUSES]
        values.append(item["time_left_s"] / TIME_S)
    values += [0.0] * (len(ENTRIES) - len(values))
    return np.clip(np.array(values, dtype=np.float32), _LOW, _HIGH)


class FlightRulesGymEnv(gymnasium.Env[Observed, Acted]):
    """Flies one mission at a time.

    The observation is :func:`observe` of the telemetry. The action is three indices: of a burn in
    ``flight.command.BURNS``, of a mode in ``flight.command.MODES``, of a coast in ``coasts_s``. An episode always ends
    with ``terminated``: decisions and clock are part of the mission, and both are observed.

    ``info`` is for the trainer and never for the agent. After `reset` it holds ``split``, ``level`` and ``index`` of
    the task; after `step` ``invalid``, what was wrong with the command, or None, and ``progress``, a potential in
    [0, 1] for credit assignment, which is in no reward; and with the last step also ``success``, ``score``,
    ``components`` (of the reward, before weighting) and ``timeout`` (the decisions ran out before the mission did).

    Attributes:
        coasts_s: The grid of coasts, s.
    """

    # Gymnasium declares it on the instance.
    metadata: dict[str, Any] = {"render_modes": ["ansi"], "render_fps": 1}  # noqa: RUF012

    def __init__(
        self,
        split: str = "train",
        level: str = LEVELS[0],
        first: int = 0,
        tasks: int = TASKS_PER_SPLIT,
        coasts_s: tuple[int, ...] = COASTS_S,
        store: MissionStore | None = None,
        render_mode: str | None = None,
    ) -> None:
        """Choose what `reset` draws from.

        Args:
            split: Name of the split.
            level: Name of the level.
            first: Index of the first task that is drawn.
            tasks: How many tasks are drawn from, from ``first`` on. A task is proved fair when it is first met, which
                costs more than flying it, so a training does well to name a few thousand.
            coasts_s: The grid of coasts, s.
            store: Where missions come from; environments may share one.
            render_mode: ``ansi``, or None.

        Raises:
            OptionError: If there is no such split, level or task, or a coast that no command may have.
        """
        check_options({"split": split, "level": level, "index": first})
        if type(tasks) is not int or not 1 <= tasks <= TASKS_PER_SPLIT - first:
            rule = f"tasks must be an integer from 1 to {TASKS_PER_SPLIT - first}"
            raise OptionError(f"{rule}, got {show(tasks)}")
        if not coasts_s or not set(coasts_s) <= set(range(COAST_MIN_S, COAST_MAX_S + 1)):
            rule = f"coasts_s must be integers from {COAST_MIN_S} to {COAST_MAX_S}"
            raise OptionError(f"{rule}, got {show(coasts_s)}")
        self.coasts_s = coasts_s
        self.render_mode = render_mode
        self.observation_space = spaces.Box(_LOW, _HIGH, dtype=np.float32)
        self.action_space = spaces.MultiDiscrete([len(BURNS), len(MODES), len(coasts_s)])
        self._split, self._level = split, level
        self._first, self._tasks = first, tasks
        self._missions = MissionStore() if store is None else store
        self._shared = store is not None
        self._flight: Flight | None = None
        self._recalibrated = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observed, dict[str, Any]]:
        """Start a mission: the task that the options name, or one that is drawn.

        Args:
            seed: Seed of the draws from here on. A task is the same whatever the seed.
            options: ``index`` names the task; ``split`` and ``level`` replace the constructor's for this episode.

        Raises:
            OptionError: If an option is unknown or names no task.
            MissionError: If no fair mission can be had, or it has more than `MAX_DIRECTIVES` directives.
        """
        super().reset(seed=seed)
        task = {"split": self._split, "level": self._level, **(options or {})}
        unknown = sorted(set(task) - {"split", "level", "index"}, key=str)
        if unknown:
            raise OptionError(
                f"unknown reset option {show(unknown[0])}; known: split, level, index"
            )
        if "index" not in task:
            task["index"] = self._first + int(self.np_random.integers(self._tasks))
        check_options(task)
        mission = self._missions.task(task["split"], task["index"], task["level"])
        if len(mission.directives) > MAX_DIRECTIVES:
            rule = f"an observation has room for {MAX_DIRECTIVES} directives"
            raise MissionError(f"{rule}, got {len(mission.directives)}")
        self._flight = Flight(mission)
        self._recalibrated = False
        return self._observe(self._flight), task

    def step(self, action: Acted) -> tuple[Observed, float, bool, bool, dict[str, Any]]:
        """Fly one decision.

        Args:
            action: Shape (3,), indices of burn, mode and coast.

        Returns:
            Observation, reward (0 until the end, then the score in [0, 1]), terminated, truncated (never), info.

        Raises:
            EpisodeError: Before reset and after the end. Nothing changes.
            RequestError: If the action is not in the action space. Nothing changes.
        """
        flight = self._flight
        if flight is None or flight.done:
            raise EpisodeError("no episode is running: call reset first")
        flight.execute(self.command(action))
        outcome, reward = flight.outcome(), 0.0
        info: dict[str, Any] = {"invalid": flight.problem, "progress": outcome.progress}
        if flight.done:
            values = components(outcome)
            reward = score(values)
            info |= {
                "success": flight.success,
                "score": reward,
                "components": dict(values),
                "timeout": flight.timeout,
            }
        return self._observe(flight), reward, flight.done, False, info

    def command(self, action: Acted) -> Command:
        """The command that an action stands for, legal or not.

        Raises:
            RequestError: If the action is not in the action space.
        """
        if not self.action_space.contains(action):
            raise RequestError(f"an action must be in {self.action_space}, got {show(action)}")
        burn, mode, coast = (int(index) for index in action)
        return Command(BURNS[burn], list(MODES)[mode], self.coasts_s[coast])

    def render(self) -> str:
        """The telemetry as a language model reads it.

        Raises:
            EpisodeError: Before reset.
        """
        if self._flight is None:
            raise EpisodeError("no episode is running: call reset first")
        return self._flight.telemetry().text

    def close(self) -> None:
        """Close the cache of missions, unless it was given; twice is once."""
        if not self._shared:
            self._missions.close()

    def _observe(self, flight: Flight) -> Observed:
        telemetry = flight.telemetry()
        # The words of the answer, not the simulation's counter: what was not told is not known.
        self._recalibrated |= telemetry.last_command.endswith(f", {_RECALIBRATED}")
        return observe(telemetry, self._recalibrated)
