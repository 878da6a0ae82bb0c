"""OpenEnv's environment around a flight: reset, step, state, and the task API.

Owns what a session is: which options a reset may have, that a step needs a running episode, that a
malformed decision costs one, and what is published beside the observation. It refuses what cannot be
answered with an error whose message says why (`flightrules.errors`); openenv sends that message over
the WebSocket and the session lives on. Flight, missions and reward know nothing of openenv's server.

Instances share missions and nothing that changes, so any number of sessions may run at once.
"""

from __future__ import annotations

import secrets
from collections.abc import Callable
from copy import copy
from functools import update_wrapper
from typing import Any, TypeVar
from uuid import uuid4

from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import EnvironmentMetadata

from flightrules.errors import EpisodeError, OptionError, show
from flightrules.flight.command import Command, CommandError, parse_reply
from flightrules.flight.flight import Flight
from flightrules.missions.splits import LEVELS, SPLITS, num_tasks
from flightrules.missions.store import task_level
from flightrules.models import FlightAction, FlightObservation, FlightState
from flightrules.reward.rubrics import FlightScore, components, score
from flightrules.server import web
from flightrules.server.missions import Missions, Place, load_physics
from flightrules.server.options import ResetOptions, check_options, check_split

PREVIEW = 100
"""Tasks that `list_tasks` shows; `num_tasks` has the true number."""
RANGE_MAX = 10_000
"""Tasks that one `get_task_range` answers at most."""
_BLANK = FlightObservation()
"""What observations are copies of: to copy a model takes a third of the time that pydantic takes to make one."""


Method = TypeVar("Method", bound=Callable[..., Any])


def _taking_what(other: Callable[..., Any]) -> Callable[[Method], Method]:
    """Show the parameters of another method as this one's, to whoever asks what a reset takes."""

    def sign(method: Method) -> Method:
        update_wrapper(method, other, assigned=(), updated=())
        return method

    return sign


class FlightRulesEnvironment(Environment[FlightAction, FlightObservation, FlightState]):
    """Flies one mission at a time.

    The reward is 0 until the episode ends and the score of `FlightScore` then. `metadata` of every
    observation holds, for trainers and never for a model: `success` (None until the end),
    `score_so_far` and `components` (of the flight as if it ended now), `progress` (a potential in
    [0, 1]), `timeout` (the decisions ran out before the mission did) and `invalid` (what was wrong
    with the last decision, or None).
    """

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self, missions: Missions | None = None) -> None:
        """Fly nothing yet; the physics are compiled by the first of a process, so that no reset has to wait for it.

        Args:
            missions: Missions to share with others; its own if None.
        """
        load_physics()
        self._score = FlightScore()
        super().__init__(rubric=self._score)
        self._missions = Missions() if missions is None else missions
        self._flight: Flight | None = None
        self._state = FlightState()
        self._steps = 0

    def reset(
        self,
        seed: int | None = None,
        episode_id: str | None = None,
        level: str | None = None,
        split: str | None = None,
        index: int | None = None,
        horizon_s: int | None = None,
        directives: int | None = None,
        tightness: float | None = None,
        anomaly: str | None = None,
        **unknown: Any,
    ) -> FlightObservation:
        """Start a mission: task `index` of a `split`, or the mission of a `seed` at a `level`.

        Without a seed or a task the seed is drawn; a seed without a level flies the easiest. The last four
        options are the knobs of the level (`missions/knobs.py`), each as the level has it if not given.

        Args:
            seed: Seed of the mission, 0 to 2**63 - 1.
            episode_id: The caller's name for the episode; drawn if not given.
            level: One of the levels; without it a task has the level that `get_task` names.
            split: One of the splits.
            index: Index of a task within the split.
            horizon_s: Length of the mission, s; decisions in proportion.
            directives: How many of the level's directives are kept.
            tightness: What its limits are divided by: above 1 is harder.
            anomaly: What breaks, or `none`.
            **unknown: Refused.

        Raises:
            OptionError: If an option is unknown, malformed, or contradicts another. The running
                episode, if any, goes on.
            MissionError: If no fair mission can be had; the running episode goes on here too.
        """
        options = check_options(
            {
                "seed": seed,
                "episode_id": episode_id,
                "level": level,
                "split": split,
                "index": index,
                "horizon_s": horizon_s,
                "directives": directives,
                "tightness": tightness,
                "anomaly": anomaly,
                **unknown,
            }
        )
        return self._begin(options, self._missions.flight(_place(options)))

    @_taking_what(reset)
    async def reset_async(
        self, seed: int | None = None, episode_id: str | None = None, **options: Any
    ) -> FlightObservation:
        """Start an episode; a mission that nobody has proved yet is proved beside the server's event loop.

        Args:
            seed: See `reset`.
            episode_id: See `reset`.
            **options: See `reset`.

        Raises:
            OptionError: See `reset`.
            MissionError: See `reset`.
        """
        checked = check_options({"seed": seed, "episode_id": episode_id, **options})
        return self._begin(checked, await self._missions.flight_async(_place(checked)))

    def _begin(self, options: ResetOptions, flight: Flight) -> FlightObservation:
        self._flight = flight
        self._score.reset()
        self._steps = 0
        self._state = FlightState(
            episode_id=options.episode_id or str(uuid4()),
            level=flight.mission.level,
            split=options.split,
        )
        return self._observe(flight)

    def step(
        self, action: FlightAction, timeout_s: float | None = None, **unknown: Any
    ) -> FlightObservation:
        """Fly one decision.

        Args:
            action: Fields or reply. What cannot be flown costs a decision and is answered in the
                observation.
            timeout_s: Not used: a decision takes microseconds.
            **unknown: Not used; openenv passes what a caller adds to an HTTP request.

        Raises:
            EpisodeError: Before reset and after the end. Nothing changes.
        """
        flight = self._flight
        if flight is None:
            raise EpisodeError("no episode is running: call reset first")
        if flight.done:
            raise EpisodeError("the episode has ended: call reset to start another")
        try:
            command = _command(action)
        except CommandError as problem:
            flight.refuse(str(problem))
        else:
            flight.execute(command)
        self._steps += 1
        return self._observe(flight, action)

    async def step_async(
        self, action: FlightAction, timeout_s: float | None = None, **unknown: Any
    ) -> FlightObservation:
        """Fly one decision on the server's event loop.

        A decision is shorter than the hop to a worker thread that openenv makes for `step`.
        """
        return self.step(action, timeout_s)

    def _observe(self, flight: Flight, action: FlightAction | None = None) -> FlightObservation:
        """The observation of the flight as it stands.

        It is filled in without validation: every field is ours, and a test validates what comes out.
        """
        telemetry = flight.telemetry()
        outcome = flight.outcome()
        values = components(outcome)
        done = flight.done
        observation = copy(_BLANK)
        observation.__dict__.update(
            {
                "done": done,
                # The rubric is asked once, at the end: that is when there is something to judge.
                "reward": min(self._score(action, outcome), 1.0) if done else 0.0,
                "metadata": {
                    "success": flight.success,
                    "score_so_far": score(values),
                    "progress": outcome.progress,
                    "components": values,
                    "timeout": flight.timeout,
                    "invalid": flight.problem,
                },
                "clock_s": telemetry.clock_s,
                "decisions_left": telemetry.decisions_left,
                "error_deg": telemetry.error_deg,
                "error_predicted_deg": telemetry.error_predicted_deg,
                "rate_deg_s": telemetry.rate_deg_s,
                "propellant_pct": telemetry.propellant_pct,
                "mode": telemetry.mode,
                "directives": telemetry.directives,
                "messages": telemetry.messages,
                "contact": telemetry.contact,
                "last_command": telemetry.last_command,
                "note": telemetry.note,
                "text": telemetry.text,
            }
        )
        return observation

    @property
    def state(self) -> FlightState:
        """Public facts about the running episode."""
        done = self._flight is not None and self._flight.done
        return self._state.model_copy(update={"step_count": self._steps, "done": done})

    def get_metadata(self) -> EnvironmentMetadata:
        """What this environment is, for `/metadata` and the web page."""
        return EnvironmentMetadata(
            name="flightrules",
            description="Fly a spacecraft mission under directives written in plain language and "
            "verified exactly by temporal logic.",
            version="0.1.0",
        )

    def list_splits(self) -> list[str]:
        """Names of the splits."""
        return list(SPLITS)

    def num_tasks(self, split: str) -> int:
        """Number of tasks in a split.

        Raises:
            OptionError: If there is no such split; over HTTP that is 422.
        """
        return num_tasks(check_split(split))

    def list_tasks(self, split: str) -> list[dict[str, Any]]:
        """The first `PREVIEW` tasks of a split.

        Raises:
            OptionError: If there is no such split.
        """
        return self.get_task_range(split, 0, PREVIEW)

    def get_task(self, split: str, index: int) -> dict[str, Any]:
        """One task: `id`, `split`, `index` and `level`; pass split and index to `reset`.

        Raises:
            OptionError: If there is no such split.
            IndexError: If the index is not within the split; openenv answers it with 400.
        """
        last = self.num_tasks(split) - 1
        if type(index) is not int or not 0 <= index <= last:
            raise IndexError(f"index in split {split} must be from 0 to {last}, got {show(index)}")
        level = task_level(index)
        return {"id": f"{split}-{index}", "split": split, "index": index, "level": level}

    def get_task_range(
        self, split: str, start: int | None = None, stop: int | None = None
    ) -> list[dict[str, Any]]:
        """Tasks from start to before stop, cut at the end of the split.

        Raises:
            OptionError: If there is no such split, or the range holds more than `RANGE_MAX` tasks.
            IndexError: If a bound is negative; a range from the end is not a range of tasks.
        """
        total = self.num_tasks(split)
        first = 0 if start is None else start
        last = total if stop is None else min(stop, total)
        if first < 0 or last < 0:
            raise IndexError(
                f"start and stop must be 0 or more, got {show(start)} and {show(stop)}"
            )
        if last - first > RANGE_MAX:
            raise OptionError(f"a range may hold {RANGE_MAX} tasks, got {last - first}")
        return [self.get_task(split, index) for index in range(first, last)]

    def render_web(self, observation: dict[str, Any]) -> str:
        """The observation as HTML for the page at `/web`, every value escaped."""
        return web.render(observation)

    def web_actions(self, observation: dict[str, Any]) -> list[tuple[str, dict[str, Any]]]:
        """One-click actions for the page at `/web`."""
        return web.actions()


def _place(options: ResetOptions) -> Place:
    """The address of the mission that is asked for; a seed is drawn where none is."""
    if options.split is not None and options.index is not None:
        level = options.level or task_level(options.index)
        return Place(level, options.split, options.index, options.knobs)
    seed = secrets.randbelow(2**32) if options.seed is None else options.seed
    return Place(options.level or LEVELS[0], "train", seed, options.knobs)


def _command(action: FlightAction) -> Command:
    """The command in an action.

    Raises:
        CommandError: If the action is no single, complete command.
    """
    burn, mode, coast_s, note = action.burn, action.mode, action.coast_s, action.note
    if action.reply is not None:
        if not (burn is None and mode is None and coast_s is None and note is None):
            raise CommandError("give either reply or the fields of a command, not both")
        return parse_reply(action.reply)
    if burn is None or mode is None or coast_s is None:
        given = {"burn": burn, "mode": mode, "coast_s": coast_s}
        missing = ", ".join(name for name, value in given.items() if value is None)
        raise CommandError(f"a command needs burn, mode and coast_s, or a reply; missing {missing}")
    return Command(burn, mode, coast_s, note or "")
