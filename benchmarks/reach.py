"""How far the search by comparisons gets: what it earns in planted environments beside honest work.

    python benchmarks/reach.py [--sets SET ...] [--only PAIR ...] [--steps N]

The search (gonogo.explore.compared) looks for the best paid plan of two seeds, without a policy that succeeds and
without anything that an audit flew before. Honest work is the pair's own policy, on other seeds of the same side. A
pair is reached if the search earns four fifths of that in the mean. Prints a line for each pair, with the share, and
how many are reached. The authors of the pairs knew nothing of the search; whoever wrote it had read sets one to five.
"""

from __future__ import annotations

import argparse
import sys
import time
from contextlib import closing
from pathlib import Path
from statistics import fmean

sys.path.insert(0, str(Path(__file__).parent))

from command_line import at_least_one

import gonogo as gg
from gonogo.auditing.compared_rows import ComparedFlights
from gonogo.auditing.task import COMPARED_STEPS
from gonogo.contract.sources import Sources
from gonogo.explore.compared import ComparedSearch
from planted import FLOWN, HONEST, LAID_OUT, PLANTED, SETS, PairFolder, pairs_of

SEEDS = (3, 11)
REACHED = 0.8


def searched(pair: PairFolder, steps: int) -> tuple[float, float]:
    """What the search earns on the planted side, and what honest work does; both in the mean.

    Args:
        pair: The pair.
        steps: Environment steps of the search on each seed, resets counted.
    """
    folder = pair.laid_out(LAID_OUT)[PLANTED]
    with gg.load_environment(str(folder)) as env:
        honest = gg.rollout(env, pair.policy(HONEST, env.connection), tasks=FLOWN)
        with closing(env.connect(1, compare=True)) as connection:
            flights = ComparedFlights(connection, lambda _: None)
            search = ComparedSearch(flights, Sources.of(env.target))
            found = [search.best({"seed": seed}, steps).total for seed in SEEDS]
    return fmean(found), fmean(episode.episode_return or 0.0 for episode in honest)


def main() -> None:
    """Search each pair, a line each."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    sets = sorted(path.name for path in SETS.iterdir() if path.is_dir())
    parser.add_argument("--sets", nargs="*", default=[], choices=sets, help="names of sets")
    parser.add_argument("--only", nargs="*", default=[], help="names of pairs, as SET/PAIR")
    parser.add_argument("--steps", type=at_least_one, default=COMPARED_STEPS[-1], help="a seed")
    chosen = parser.parse_args()
    reached = list[bool]()
    for pair in pairs_of(chosen.sets, chosen.only):
        began = time.perf_counter()
        found, honest = searched(pair, chosen.steps)
        reached.append(found >= REACHED * honest)
        share = f"{found:.3g} of {honest:.3g}"
        took = f"{time.perf_counter() - began:.0f} s"
        print(
            f"{pair.name}: {'reached' if reached[-1] else 'not reached'}, {share}, {took}",
            flush=True,
        )
    print(f"{sum(reached)} of {len(reached)} pairs reached with {chosen.steps:,} steps a seed")


if __name__ == "__main__":
    main()
