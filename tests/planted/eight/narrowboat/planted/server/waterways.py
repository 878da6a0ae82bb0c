"""A network of canals, drawn from a random generator."""

import heapq
import math
import random
from typing import Dict, FrozenSet, List, Optional, Set, Tuple

try:
    from ..models import Junction
except ImportError:
    from models import Junction

WIDTH, HEIGHT = 40, 28
JUNCTIONS = 24
APART = 3.5  # kilometres at least between two junctions
EXTRA = 9  # channels beyond those that hold the network together
MINUTES_PER_KM = 12.0  # walking pace
MINUTES_PER_LOCK = 15.0

HEADS = "Aln Brad Cal Dun Ease Fen Grim Hat Ing Kel Lod Mar".split()
TAILS = "bury ford ley minster stead wick".split()

Channel = FrozenSet[str]


class Waterways:
    def __init__(self, rng: random.Random) -> None:
        names = rng.sample([head + tail for head in HEADS for tail in TAILS], JUNCTIONS)
        self.junctions: Dict[str, Junction] = {}
        while len(self.junctions) < JUNCTIONS:
            at = (round(rng.uniform(0, WIDTH), 1), round(rng.uniform(0, HEIGHT), 1))
            if all(math.dist(at, j.at) >= APART for j in self.junctions.values()):
                name = names[len(self.junctions)]
                locks = rng.choice([0, 0, 1, 1, 2, 3, 5])
                self.junctions[name] = Junction(name=name, at=at, locks=locks)
        self.channels: Set[Channel] = set()
        self._dig()

    def _dig(self) -> None:
        """The shortest channels that join all junctions, and some short ones more."""
        names = list(self.junctions)
        pairs = sorted(
            (self.distance(a, b), a, b)
            for i, a in enumerate(names)
            for b in names[i + 1 :]
        )
        basin = {name: name for name in names}
        spare: List[Channel] = []
        for _, a, b in pairs:
            if basin[a] != basin[b]:
                old, new = basin[b], basin[a]
                basin = {n: new if r == old else r for n, r in basin.items()}
                self.channels.add(frozenset((a, b)))
            elif self.quickest(a, b, frozenset()) > 2.0 * self.passage(a, b):
                spare.append(frozenset((a, b)))
        self.channels.update(spare[:EXTRA])

    def distance(self, a: str, b: str) -> float:
        return math.dist(self.junctions[a].at, self.junctions[b].at)

    def passage(self, a: str, b: str) -> float:
        """Minutes from a to b, and up or down the locks at b."""
        locks = self.junctions[b].locks
        return MINUTES_PER_KM * self.distance(a, b) + MINUTES_PER_LOCK * locks

    def neighbours(self, name: str) -> List[str]:
        return sorted(n for c in self.channels if name in c for n in c if n != name)

    def quickest(
        self, start: str, end: str, closed: FrozenSet[Channel]
    ) -> Optional[float]:
        """Minutes of the quickest route, or None if there is none."""
        reached: Set[str] = set()
        queue: List[Tuple[float, str]] = [(0.0, start)]
        while queue:
            minutes, here = heapq.heappop(queue)
            if here == end:
                return minutes
            if here in reached:
                continue
            reached.add(here)
            for there in self.neighbours(here):
                if there not in reached and frozenset((here, there)) not in closed:
                    heapq.heappush(queue, (minutes + self.passage(here, there), there))
        return None
