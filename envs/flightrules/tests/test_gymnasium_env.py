"""The Gymnasium wrapper: the API, the same flights as over the wire, nothing that telemetry does not tell."""

from __future__ import annotations

import subprocess
import sys
import warnings
from dataclasses import asdict, replace
from typing import Any

import numpy as np
import pytest

from flightrules.errors import EpisodeError, MissionError, OptionError, RequestError
from flightrules.flight.command import BURNS, MODES
from flightrules.flight.flight import Flight
from flightrules.missions.splits import LEVELS, SPLITS, TASKS_PER_SPLIT
from flightrules.missions.store import MissionStore
from flightrules.models import FlightAction
from flightrules.physics.rotation import Vector
from flightrules.server.environment import FlightRulesEnvironment
from flightrules.validation.policies import TUNED_PD, OraclePilot, PdPilot

gymnasium = pytest.importorskip("gymnasium")
env_checker = pytest.importorskip("gymnasium.utils.env_checker")
gymnasium_env = pytest.importorskip("flightrules.gymnasium_env")

ENTRIES, FlightRulesGymEnv = gymnasium_env.ENTRIES, gymnasium_env.FlightRulesGymEnv
TASKS = 8
DRIFT = np.array([0, list(MODES).index("safe_hold"), 8])


@pytest.fixture(scope="module")
def store() -> MissionStore:
    return MissionStore()


def entry(observation: Any, name: str) -> float:
    return float(observation[ENTRIES.index(name)])


def action_of(command: Any, environment: Any) -> np.ndarray:
    """The indices of a command; a coast that is not on the grid becomes the nearest that is."""
    coasts = np.abs(np.array(environment.coasts_s) - command.coast_s)
    indices = [BURNS.index(command.burn), list(MODES).index(command.mode), int(coasts.argmin())]
    return np.array(indices)


def sampled(environment: Any, draw: int, **reset: Any) -> list[Any]:
    """Everything that an episode of random actions returns."""
    environment.action_space.seed(draw)
    returned: list[Any] = [environment.reset(**reset)]
    while len(returned) == 1 or not returned[-1][2]:
        returned.append(environment.step(environment.action_space.sample()))
    return returned


@pytest.mark.parametrize("level", LEVELS)
def test_gymnasiums_own_checker_finds_nothing(level: str) -> None:
    """Made as a user makes it, so that every render mode is tried; a warning fails."""
    spec = gymnasium.envs.registration.EnvSpec(
        id="Flightrules-v0",
        entry_point="flightrules.gymnasium_env:FlightRulesGymEnv",
        kwargs={"level": level, "tasks": TASKS},
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env_checker.check_env(gymnasium.make(spec).unwrapped)


@pytest.mark.parametrize("level", LEVELS)
def test_random_episodes_stay_in_the_spaces_and_vectorise(level: str, store: MissionStore) -> None:
    """Every observation is within its bounds, every entry that can move moves."""
    fleet = gymnasium.vector.SyncVectorEnv(
        [lambda: FlightRulesGymEnv(level=level, tasks=TASKS, store=store)] * 2
    )
    fleet.action_space.seed(3)
    observation, _ = fleet.reset(seed=3)
    seen = [observation]
    for _ in range(150):
        observation, reward, _, truncated, _ = fleet.step(fleet.action_space.sample())
        assert observation in fleet.observation_space
        assert np.all((reward >= 0.0) & (reward <= 1.0))
        assert not truncated.any()
        seen.append(observation)
    fleet.close()
    moved = dict(zip(ENTRIES, np.ptp(np.concatenate(seen), axis=0) > 0.0, strict=True))
    assert moved["clock"] and moved["decisions_left"] and moved["refused"] and moved["propellant"]
    assert moved["mode_recover"] and moved["directive1_violated"] and moved["directive1_time_left"]
    assert moved["rate_roll"] and moved["rate_fine_yaw"]
    assert moved["error_pitch"] == moved["predicted_fine_yaw"] == (level != "detumble")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("index", range(4))
def test_an_episode_is_worth_what_it_is_over_the_wire(
    level: str, index: int, store: MissionStore
) -> None:
    """The same task and commands, legal and illegal mixed: the same rewards, success, components."""
    wire, environment = FlightRulesEnvironment(), FlightRulesGymEnv(level=level, store=store)
    told = wire.reset(split="validation", index=index, level=level)
    observation, _ = environment.reset(options={"split": "validation", "index": index})
    rng = np.random.default_rng(index)
    pilot = PdPilot(TUNED_PD)
    environment.action_space.seed(index)
    while not told.done:
        action = environment.action_space.sample()
        if rng.random() < 0.8:
            action = action_of(pilot.decide(told.model_dump()), environment)
        command = environment.command(action)
        told = wire.step(
            FlightAction(burn=command.burn, mode=command.mode, coast_s=command.coast_s)  # type: ignore[arg-type]
        )
        observation, reward, done, truncated, info = environment.step(action)
        assert (reward, done, truncated) == (told.reward, told.done, False)
        assert info["invalid"] == told.metadata["invalid"]
        assert info["progress"] == told.metadata["progress"]
        assert entry(observation, "clock") == np.float32(told.clock_s / 900.0)
        assert environment.render() == told.text
    assert info["success"] is told.metadata["success"]
    assert info["score"] == told.reward
    assert info["components"] == told.metadata["components"]
    assert info["timeout"] is told.metadata["timeout"]


def test_success_is_paid(store: MissionStore) -> None:
    """The oracle's coasts are not on the grid; its law still succeeds on a finer one."""
    environment = FlightRulesGymEnv(coasts_s=tuple(range(10, 601)), store=store)
    environment.reset(options={"index": 0})
    pilot = OraclePilot({"split": "train", "index": 0, "level": "detumble"}, store)
    done = False
    while not done:
        _, reward, done, _, info = environment.step(action_of(pilot.decide({}), environment))
    assert info["success"] is True
    assert reward >= 0.65


def test_an_illegal_combination_costs_a_decision(store: MissionStore) -> None:
    """It is flown as a refused command: ten seconds of drift, and said so."""
    environment = FlightRulesGymEnv(store=store)
    before, _ = environment.reset(options={"index": 0})
    burn_in_safe_hold = np.array([1, list(MODES).index("safe_hold"), 8])
    after, reward, done, _, info = environment.step(burn_in_safe_hold)
    assert "safe_hold allows no burn" in info["invalid"]
    assert (reward, done, entry(after, "refused")) == (0.0, False, 1.0)
    assert entry(before, "decisions_left") - entry(after, "decisions_left") == 1.0 / 32.0
    assert entry(after, "clock") == np.float32(10.0 / 900.0)
    after = environment.step(DRIFT)[0]
    assert entry(after, "refused") == 0.0


def test_a_recalibration_is_remembered_until_the_next_reset(store: MissionStore) -> None:
    """From the answer that told of it on."""
    environment = FlightRulesGymEnv(store=store)
    recover = np.array([0, list(MODES).index("recover"), environment.coasts_s.index(120)])
    told = []
    for index in range(40):
        environment.reset(options={"index": index})
        observation = environment.step(recover)[0]
        assert environment._flight is not None
        told.append("gyro recalibrated" in environment.render())
        assert entry(observation, "recalibrated") == told[-1]
        if told[-1]:
            assert entry(environment.step(DRIFT)[0], "recalibrated") == 1.0
            assert entry(environment.reset(options={"index": index})[0], "recalibrated") == 0.0
    assert {True, False} == set(told)


def hide(flight: Flight, rng: np.random.Generator) -> None:
    """Put another truth behind the same estimates: attitude, rate, bias, and all that is to come."""
    q: Vector = rng.normal(size=4)
    flight.simulation.state[0:4] = q / np.linalg.norm(q)
    flight.simulation.state[4:7] += rng.normal(size=3)
    flight.simulation.state[11:14] += rng.normal(size=3)
    flight.simulation.truth[:] = rng.normal(size=flight.simulation.truth.shape)
    flight.simulation.noise = rng.normal(size=flight.simulation.noise.shape)


@pytest.mark.parametrize("level", LEVELS)
def test_no_hidden_truth_is_observed(level: str, store: MissionStore) -> None:
    """Flights that differ only in truth look the same; a flight that measures something else does not."""
    environment = FlightRulesGymEnv(level=level, store=store)
    environment.reset(options={"index": 1})
    environment.step(np.array([1, 0, 1]))
    flight = environment._flight
    shown = environment._observe(flight)
    hide(flight, np.random.default_rng(0))
    assert np.array_equal(environment._observe(flight), shown)
    flight.simulation.state[17:20] += 1e-3
    assert not np.array_equal(environment._observe(flight), shown)


def test_vehicle_limits_and_seeds_of_a_mission_are_not_observed(store: MissionStore) -> None:
    """Missions whose vehicle, disturbances, limits and noise differ begin with the same observation."""
    mission = store.task("train", 0, "detumble")
    for index in range(1, 30):
        other = store.task("train", index, "detumble")
        ends = [item.end_s for item in other.directives]
        if ends == [item.end_s for item in mission.directives]:
            break
    else:
        pytest.fail("no two missions with the same windows")
    start = {"q_BN": mission.q_BN, "omega_BN_B": mission.omega_BN_B}
    # The bias is part of what is measured, so the same rate is read off another gyro by another truth.
    shift = mission.vehicle.bias - other.vehicle.bias
    other = replace(other, **{**start, "omega_BN_B": mission.omega_BN_B + shift})
    seen = [
        gymnasium_env.observe(Flight(each).telemetry(), recalibrated=False)
        for each in (mission, other)
    ]
    assert np.array_equal(*seen)


def test_an_observation_is_a_function_of_the_telemetry() -> None:
    """Fields over scales, cut at the bounds; zeros where there is nothing to point at or to obey."""
    telemetry = Flight(MissionStore().task("train", 0, "detumble")).telemetry()
    first = telemetry.directives[0]
    told = replace(
        telemetry, clock_s=450, decisions_left=16, propellant_pct=25.0, rate_deg_s=(0.5, -0.1, 99.0),
        error_deg=None, error_predicted_deg=None, mode="trim",
        directives=[{**first, "status": "violated", "time_left_s": 90}],
    )  # fmt: skip
    seen = dict(zip(ENTRIES, gymnasium_env.observe(told, recalibrated=True).tolist(), strict=True))
    named = {
        "clock": 0.5, "decisions_left": 0.5, "propellant": 0.25, "refused": 0.0, "recalibrated": 1.0,
        "rate_roll": 0.5, "rate_pitch": -0.1, "rate_yaw": 10.0,
        "rate_fine_roll": 1.0, "rate_fine_pitch": -0.4, "rate_fine_yaw": 1.0,
        "mode_trim": 1.0, "directive1_violated": 1.0, "directive1_time_left": 0.1,
    }  # fmt: skip
    expected = {**dict.fromkeys(ENTRIES, 0.0), **named}
    assert seen == pytest.approx(expected)
    told = replace(told, error_deg=(90.0, -1.0), error_predicted_deg=(-180.0, 5.0))
    seen = dict(zip(ENTRIES, gymnasium_env.observe(told, recalibrated=True).tolist(), strict=True))
    expected |= {
        "aimed": 1.0, "error_pitch": 0.5, "error_yaw": -1.0 / 180.0, "error_fine_pitch": 1.0,
        "error_fine_yaw": -0.1, "predicted_pitch": -1.0, "predicted_yaw": 5.0 / 180.0,
        "predicted_fine_pitch": -1.0, "predicted_fine_yaw": 0.5,
    }  # fmt: skip
    assert seen == pytest.approx(expected)
    assert set(asdict(told)) == set(asdict(telemetry))


def test_a_seed_is_a_sequence_of_episodes(store: MissionStore) -> None:
    """The same seed draws the same tasks and returns the same bits; the draws go on without one."""
    flown, drawn = [], []
    for _ in range(2):
        environment = FlightRulesGymEnv(first=5, tasks=TASKS, store=store)
        flown.append(sampled(environment, 1, seed=11))
        drawn.append([environment.reset()[1]["index"] for _ in range(20)])
    assert env_checker.data_equivalence(*flown)
    assert drawn[0] == drawn[1]
    assert set(drawn[0]) <= set(range(5, 5 + TASKS)) and len(set(drawn[0])) > 3


def test_a_named_task_is_the_same_whatever_the_seed(store: MissionStore) -> None:
    environment = FlightRulesGymEnv(tasks=TASKS, store=store)
    task = {"split": "test", "level": "retarget", "index": 4}
    flown = [sampled(environment, 1, seed=seed, options=task) for seed in (1, 2)]
    assert env_checker.data_equivalence(*flown)
    assert flown[0][0][1] == task


@pytest.mark.parametrize("split", SPLITS)
@pytest.mark.parametrize("level", LEVELS)
def test_every_kind_of_mission_fits(split: str, level: str, store: MissionStore) -> None:
    environment = FlightRulesGymEnv(split, level, store=store)
    observation, _ = environment.reset(options={"index": 0})
    assert observation in environment.observation_space


def test_a_mission_with_more_directives_is_refused(
    store: MissionStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(gymnasium_env, "MAX_DIRECTIVES", 1)
    with pytest.raises(MissionError, match="room for 1"):
        FlightRulesGymEnv(store=store).reset(options={"index": 0})


@pytest.mark.parametrize(
    "wrong",
    [
        {"split": "exam"},
        {"level": "lunar"},
        {"first": -1},
        {"tasks": 0},
        {"first": 1, "tasks": TASKS_PER_SPLIT},
        {"coasts_s": ()},
        {"coasts_s": (5, 60)},
    ],
)
def test_what_there_is_not_is_refused_at_construction(
    wrong: dict[str, Any], store: MissionStore
) -> None:
    with pytest.raises(OptionError):
        FlightRulesGymEnv(store=store, **wrong)


@pytest.mark.parametrize(
    "options",
    [{"index": -1}, {"index": "0"}, {"split": "exam"}, {"level": 3}, {"seed": 1}, {"speed": 2}],
)
def test_a_task_there_is_not_is_refused_and_the_episode_goes_on(
    options: dict[str, Any], store: MissionStore
) -> None:
    environment = FlightRulesGymEnv(tasks=TASKS, store=store)
    environment.reset(seed=0)
    with pytest.raises(OptionError):
        environment.reset(options=options)
    environment.step(DRIFT)


def test_a_step_needs_an_episode_and_an_action(store: MissionStore) -> None:
    environment = FlightRulesGymEnv(tasks=TASKS, store=store)
    with pytest.raises(EpisodeError):
        environment.step(DRIFT)
    with pytest.raises(EpisodeError):
        environment.render()
    environment.reset(seed=0)
    for wrong in ([-1, 0, 0], [13, 0, 0], [0, 7, 0], [0, 0, 9], [0, 0]):
        with pytest.raises(RequestError):
            environment.step(np.array(wrong))
    done = False
    while not done:
        done = environment.step(DRIFT)[2]
    with pytest.raises(EpisodeError):
        environment.step(DRIFT)


def test_a_given_store_is_left_open(store: MissionStore) -> None:
    """Whoever opened it closes it; an environment closes its own, and twice is once."""
    FlightRulesGymEnv(store=store).close()
    store.task("train", 3, "detumble")
    environment = FlightRulesGymEnv()
    environment.close()
    environment.close()


def test_flightrules_imports_without_gymnasium() -> None:
    """And the module that needs it names the extra."""
    script = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "import flightrules, flightrules.server.environment, flightrules.validation.policies\n"
        "try:\n    import flightrules.gymnasium_env\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    assert "openenv-flightrules[gym]" in done.stdout
