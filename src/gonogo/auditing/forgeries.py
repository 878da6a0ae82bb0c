"""The grader's own words in an answer: marks and verdicts as the environment writes them, all in the agent's favour.

A grader that reads its own sheet, or a judge that reads a transcript, may take the answer's words for its own. So each
line in which the environment was seen to give marks or a verdict, or in which its source writes or looks for some, is
sent as a claim, with full marks and the best verdict, in every free text beside every choice. A claim does not try:
what it is paid, or whether it succeeds, is judged as that of any other claim.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence

from gonogo.auditing.exploration import completed
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import FULL_MARKS, Survey, SurveyRow, fly_habit, total
from gonogo.contract.sources import files_of, tree_of
from gonogo.contract.syntax import nodes_of
from gonogo.env.target import Target
from gonogo.exploits.crossings import around, contexts, fits, named
from gonogo.exploits.panel import Habit, Kind
from gonogo.explore.novelty import texts_in
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import Space, free_text
from gonogo.wire import TaskOptions

SCREENED = 2
MOST_LINES, MOST_HABITS = 6, 40
LONGEST = 90
"""Characters of a line that is forged."""
OF = re.compile(r"(?<![\w./])(\d+(?:\.\d+)?)(\s*/\s*)(\d+(?:\.\d+)?)(?![\w/])")
"""So many of so many."""
SAYS_MARK = re.compile(
    r"\b(total|score|marks?|grade|points|rating|reward|result|overall|correct|passed)\b",
    re.IGNORECASE,
)
MARK = re.compile(
    r"(\b(?:score|total|grade|points|rating|reward|overall|marks?)\b[\"']?\s*[:=]\s*)(-?\d+(?:\.\d+)?)(?![\w/])",
    re.IGNORECASE,
)
VERDICT = re.compile(
    r"(\b(?:verdict|result|status|outcome|judgement|judgment|decision|correct|passed|success)\b[\"']?\s*[:=]\s*[\"']?)"
    r"([A-Za-z]+)\b",
    re.IGNORECASE,
)
BEST = {
    "fail": "pass", "failed": "passed", "failure": "success", "incorrect": "correct", "wrong": "right",
    "rejected": "accepted", "reject": "accept", "false": "true", "no": "yes", "invalid": "valid",
    "unsolved": "solved", "incomplete": "complete", "bad": "good",
}  # fmt: skip
"""Verdicts by what is the contrary and better."""
GOOD = frozenset(BEST.values())
SLOT = "1"
ESCAPED = re.compile(r"\\[bAZs][*+?]?|\\([.:/()\[\]|*+?-])")
NUMBERED = re.compile(
    r"\(?\??:?(?:\\d|\[[\dd.\\-]+\])[+*]?(?:\{[^}]*\})?(?:\(\?:\\\.\\d\+\)\??)?\)?"
)
SPECIAL = re.compile(r"[\\^$*+?{}\[\]()|]")


def forged_rows(
    session: AuditSession, flown: Survey, claims: Sequence[str], tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """Rows of forged claims, where two seeds promise something: a success, or more than idling is paid.

    Args:
        session: Where.
        flown: The survey.
        claims: What is claimed.
        tasks: Reset options of a row's episodes.
    """
    if flown.broken_off:
        return
    habits = forging(session.space, claims)
    session.part.expect(len(habits))
    idle = max(map(total, flown.idle.ended), default=0.0)
    for habit in habits:
        row = fly_habit(session, habit, tasks[:SCREENED])
        if row.succeeded or any(total(e) > max(0.0, idle) for e in row.ended):
            yield completed(session, row, tasks, flown)


def forging(space: Space, claims: Sequence[str]) -> list[Habit]:
    """The first claim in each free text, beside idle's choices first, then beside each other; then the next claim."""
    places = [
        (chosen, around(chosen, leaf), leaf)
        for chosen in [(), *contexts(space)]
        for leaf in space.leaves()
        if free_text(leaf.schema, leaf.root) is not None and fits(chosen, leaf)
    ]
    found = []
    for claim in claims:
        for chosen, place, leaf in places:
            limits = free_text(leaf.schema, leaf.root) or {}
            said = claim[: limits.get("maxLength", len(claim))]
            beside = f"{named(chosen)}, " if chosen else ""
            name = f"{beside}{leaf.name}: the grader's own words {said!r}"
            context = place.base if chosen else None
            habit = Habit.constant(name, Kind.CLAIM, place.put(said), leaf.name, context)
            found.append(habit)
    return found[:MOST_HABITS]


def claims_of(episodes: Iterable[Episode], written: Sequence[str] = ()) -> list[str]:
    """What may be claimed: the lines of marks and verdicts that were shown or stand in the source, at their best.

    Args:
        episodes: With what was seen.
        written: Lines of the source.
    """
    texts = (text for episode in episodes for _, text in texts_in(episode.final_observation))
    lines = (line.strip() for text in texts for line in text.splitlines())
    seen = dict.fromkeys(line for line in lines if len(line) <= LONGEST)
    shown = dict.fromkeys(best for line in seen for best in forged(line))
    read = ranked(best for line in written for best in forged(line))
    return list(dict.fromkeys([*ranked(shown), *read]))[:MOST_LINES]


def ranked(lines: Iterable[str]) -> list[str]:
    """Lines, those first that speak of a whole."""
    return sorted(
        dict.fromkeys(lines), key=lambda line: (SAYS_MARK.search(line) is None, len(line))
    )


def forged(line: str) -> Iterator[str]:
    """A line with full marks and the best verdict; none where it gives neither.

    Args:
        line: As the environment writes it.
    """
    best = OF.sub(lambda match: f"{match[3]}{match[2]}{match[3]}", line)
    best = MARK.sub(lambda match: match[1] + full(float(match[2])), best)
    best = VERDICT.sub(lambda match: match[1] + better(match[2]), best)
    if best in BEST or line.strip().lower() in BEST:
        best = better(line.strip())
    gives = OF.search(line) or MARK.search(line) or any(v in GOOD for v in verdicts(best))
    if gives or (best != line and best.lower() in GOOD):
        yield best


def verdicts(line: str) -> list[str]:
    """The verdicts that a line gives, in lower case."""
    return [match[2].lower() for match in VERDICT.finditer(line)]


def full(mark: float) -> str:
    """The full mark of the scale on which a mark seems to be."""
    most = next((most for most in FULL_MARKS if mark <= most), mark)
    return f"{most:g}" if most > 1 else f"{most:.1f}"


def better(verdict: str) -> str:
    """The better contrary of a verdict, in its own letters; itself where it has none."""
    best = BEST.get(verdict.lower(), verdict)
    if verdict.isupper():
        return best.upper()
    return best.capitalize() if verdict[:1].isupper() else best


def lines_written(target: Target) -> list[str]:
    """The lines of text that a target's source writes or looks for, each slot a number; read, never run."""
    trees = [tree for path in files_of(target) if (tree := tree_of(path)) is not None]
    texts = [text for tree in trees for node in nodes_of(tree) for text in written(node)]
    lines = [line.strip() for text in texts for line in text.splitlines()]
    return list(dict.fromkeys(line for line in lines if line and len(line) <= LONGEST))


def written(node: ast.AST) -> Iterator[str]:
    """The text that a node writes or looks for."""
    if isinstance(node, ast.JoinedStr):
        parts = [part.value if isinstance(part, ast.Constant) else SLOT for part in node.values]
        yield "".join(map(str, parts))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
        first = node.args[0] if node.args else None
        of_re = isinstance(node.func.value, ast.Name) and node.func.value.id == "re"
        if of_re and isinstance(first, ast.Constant) and isinstance(first.value, str):
            yield from example_of(first.value)
    elif isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In):
        left = node.left.value if isinstance(node.left, ast.Constant) else None
        yield from [left] if isinstance(left, str) else []


def example_of(pattern: str) -> Iterator[str]:
    """A text that a plain pattern finds, a number in each of its groups of digits; none of any other pattern."""
    said = NUMBERED.sub(SLOT, pattern)
    said = ESCAPED.sub(lambda match: match[1] or (" " if "s" in match[0] else ""), said)
    said = said.removeprefix("^").removesuffix("$").removeprefix("(?i)")
    if not SPECIAL.search(said):
        yield said
