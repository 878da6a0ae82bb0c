"""Making Sudokus: a full grid first, then cells are taken out while it stays unique."""

import random
from typing import List, Optional, Tuple

Grid = List[List[int]]
DIGITS = range(1, 10)


def units() -> List[Tuple[str, List[Tuple[int, int]]]]:
    """The 27 groups of cells in which every digit occurs once."""
    found = []
    for i in range(9):
        found.append(("row", [(i, j) for j in range(9)]))
        found.append(("column", [(j, i) for j in range(9)]))
        r, c = i // 3 * 3, i % 3 * 3
        found.append(("box", [(r + k // 3, c + k % 3) for k in range(9)]))
    return found


UNITS = units()


def candidates(grid: Grid, r: int, c: int) -> List[int]:
    used = set(grid[r]) | {grid[i][c] for i in range(9)}
    top, left = r // 3 * 3, c // 3 * 3
    for i in range(top, top + 3):
        used.update(grid[i][left : left + 3])
    return [digit for digit in DIGITS if digit not in used]


def count_solutions(grid: Grid, limit: int = 2) -> int:
    """The number of ways to fill the grid, not counting beyond the limit."""
    best: Optional[Tuple[int, int, List[int]]] = None
    for r in range(9):
        for c in range(9):
            if grid[r][c] == 0:
                options = candidates(grid, r, c)
                if best is None or len(options) < len(best[2]):
                    best = (r, c, options)
    if best is None:
        return 1
    r, c, options = best
    total = 0
    for digit in options:
        grid[r][c] = digit
        total += count_solutions(grid, limit - total)
        if total >= limit:
            break
    grid[r][c] = 0
    return total


def full_grid(rng: random.Random) -> Grid:
    """A random solution grid, from the cyclic one by the usual symmetries."""

    def lines() -> List[int]:
        return [
            3 * band + line
            for band in rng.sample(range(3), 3)
            for line in rng.sample(range(3), 3)
        ]

    rows, columns, digits = lines(), lines(), rng.sample(list(DIGITS), 9)
    grid = [[digits[(r * 3 + r // 3 + c) % 9] for c in columns] for r in rows]
    if rng.random() < 0.5:
        grid = [list(column) for column in zip(*grid)]
    return grid


def make(rng: random.Random, blanks: int) -> Grid:
    """A puzzle with one solution and about so many blanks."""
    grid = full_grid(rng)
    cells = [(r, c) for r in range(9) for c in range(9)]
    rng.shuffle(cells)
    for r, c in cells:
        if blanks == 0:
            break
        digit, grid[r][c] = grid[r][c], 0
        if count_solutions(grid) == 1:
            blanks -= 1
        else:
            grid[r][c] = digit
    return grid
