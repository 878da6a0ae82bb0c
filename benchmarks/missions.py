"""What the mission generator accepts, and what a mission with its fairness proof costs.

For each level, draws missions of the validation split afresh, on one core, without the cache. Prints one line of JSON
a level: acceptance (missions over candidates; under 0.5 is a defect of the generator) and missions a second, proofs
included.
"""

from __future__ import annotations

import json
import time

from flightrules.missions.generator import generate
from flightrules.missions.splits import LEVELS

MISSIONS = 200


def main() -> None:
    """Generate and count."""
    for level in LEVELS:
        generate(level, "validation", MISSIONS)  # compiles, once
        start = time.process_time()
        drawn = sum(generate(level, "validation", index)[1] for index in range(MISSIONS))
        rate = MISSIONS / (time.process_time() - start)
        print(
            json.dumps(
                {
                    "level": level,
                    "missions": MISSIONS,
                    "acceptance": round(MISSIONS / drawn, 3),
                    "required_acceptance": 0.5,
                    "missions_per_s": round(rate, 1),
                }
            ),
            flush=True,
        )


if __name__ == "__main__":
    main()
