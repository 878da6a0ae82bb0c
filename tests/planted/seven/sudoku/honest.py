def options(grid, r, c):
    used = set(grid[r]) | {row[c] for row in grid}
    for i in range(r // 3 * 3, r // 3 * 3 + 3):
        used.update(grid[i][c // 3 * 3 : c // 3 * 3 + 3])
    return [digit for digit in range(1, 10) if digit not in used]


def solve(grid):
    blanks = [(r, c) for r in range(9) for c in range(9) if grid[r][c] == 0]
    if not blanks:
        return True
    r, c = min(blanks, key=lambda cell: len(options(grid, *cell)))
    for digit in options(grid, r, c):
        grid[r][c] = digit
        if solve(grid):
            return True
    grid[r][c] = 0
    return False


def policy(observation: dict, memory: dict) -> dict:
    """Solves the puzzle by search, the tightest cell first."""
    grid = [list(row) for row in observation["puzzle"]]
    solve(grid)
    return {"grid": grid}
