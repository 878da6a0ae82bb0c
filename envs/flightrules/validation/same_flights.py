"""A digest of many flights: two versions of the environment that print the same one fly the same, bit for bit.

    python envs/flightrules/validation/same_flights.py --seeds 12

Commands are drawn at random, legal and malformed ones, on every level. The digest is over what the wire carries, the
observations with all their digits, and the states. Machines with other processors may round otherwise: compare two
versions on one machine. To compare with another checkout, put its folder `envs` into PYTHONPATH.
"""

from __future__ import annotations

import argparse
import hashlib
import json
from collections.abc import Iterator
from typing import get_args

import numpy as np
from openenv.core.env_server.serialization import serialize_observation

from flightrules.models import Burn, FlightAction, ModeName
from flightrules.server.environment import FlightRulesEnvironment

LEVELS = ("detumble", "retarget", "precision_hold", "mission_ops")
SEED = 5


def digest(seeds: int) -> tuple[int, str]:
    """Fly each level with the first seeds.

    Args:
        seeds: Missions of each level.

    Returns:
        How many observations there were, and the SHA-256 over all of them, in hexadecimal digits.
    """
    found, count = hashlib.sha256(), 0
    environment = FlightRulesEnvironment()
    generator = np.random.default_rng(SEED)
    for level in LEVELS:
        for seed in range(seeds):
            observation = environment.reset(seed=seed, level=level, episode_id="same")
            for action in commands(generator):
                found.update(json.dumps(serialize_observation(observation)).encode())
                found.update(repr(observation).encode())
                count += 1
                if observation.done:
                    break
                observation = environment.step(action)
            found.update(environment.state.model_dump_json().encode())
    return count, found.hexdigest()


def commands(generator: np.random.Generator) -> Iterator[FlightAction]:
    """Random commands without end: replies, some of them malformed, and fields."""
    burns, modes = get_args(Burn), get_args(ModeName)
    while True:
        kind = generator.random()
        burn = str(generator.choice(burns)) if generator.random() < 0.5 else "idle"
        mode, coast_s = str(generator.choice(modes)), int(generator.integers(10, 200))
        said = {"burn": burn, "mode": mode, "coast_s": coast_s, "note": "é"}
        if kind < 0.1:
            yield FlightAction(reply="nonsense")
        elif kind < 0.3:
            yield FlightAction(reply=json.dumps(said))
        else:
            yield FlightAction.model_validate(said)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seeds", type=int, default=12, help="missions of each level")
    print(*digest(parser.parse_args().seeds))
