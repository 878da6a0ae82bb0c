"""Boxes about the reward: are there four independent components, and does each keep its exploits out?"""

from __future__ import annotations

import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from gonogo.env.variables import child_environment
from gonogo.env.worker.process import run_to_end
from gonogo.errors import MissingExtra, MissingRecord
from gonogo.folder import read_text
from gonogo.records.reward import RewardReport
from gonogo.records.submission import ComponentIndependence, CorrelatedPair
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.submission.check.subject import BoxAnswer, Subject, go, needs_you, no_go

LEAST_COMPONENTS, LEAST_EXPLOITS, LEAST_EPISODES = 4, 3, 20
OWN_SHARE = 0.01
"""Least share of an independent component's variance that the other independent ones do not explain linearly."""
RECORDED = ("evaluation/*/*.jsonl", "episodes.jsonl", "traces.jsonl")
TEST_FILES = ("tests/**/test_exploits.py", "tests/**/test_*exploit*.py", "tests/**/test_reward.py")


def look_at_components(subject: Subject) -> BoxAnswer:
    """Whether four components at least say something of their own, over the recorded episodes.

    They are looked at station by station and all together, and what tells most apart counts: a thousand episodes of
    one kind must not drown the few that differ. More kinds can only tell more apart, so it is a NO-GO only when every
    policy that :attr:`Subject.breadth` asks for has been flown.
    """
    by_station = recorded(subject)
    tried = [each for found in by_station for each in found]
    flown = [each for each in tried if each.error is None]
    paying = [each for each in flown if each.components]
    if len(flown) >= LEAST_EPISODES and not paying:
        return no_go(f"none of the {len(flown)} recorded episodes says a reward component")
    if len(paying) < LEAST_EPISODES:
        return needs_you(
            f"{len(paying)} recorded episodes with reward components in {subject.run.out}, and "
            f"{LEAST_EPISODES} are needed"
        )
    kept = [
        [each for each in found if each.error is None and each.components] for found in by_station
    ]
    enough = [found for found in (*kept, paying) if len(found) >= LEAST_EPISODES]
    said, evidence = max((told_apart(found) for found in enough), key=lambda told: told[1].rank)
    missing = set(subject.breadth) - {each.policy for each in tried}
    if evidence.rank < LEAST_COMPONENTS <= len(evidence.components) and missing:
        return needs_you(f"{said}; other kinds of episodes may tell more apart", evidence=evidence)
    answer = go if evidence.rank >= LEAST_COMPONENTS else no_go
    return answer(said, evidence=evidence)


def told_apart(episodes: Sequence[Episode]) -> tuple[str, ComponentIndependence]:
    """How many components the episodes tell apart, in words and as evidence."""
    names = sorted({name for each in episodes for name in each.components})
    paid = np.array([[each.components.get(name, 0.0) for name in names] for each in episodes])
    own = independent(paid)
    highest = closest(paid, names)
    rank = sum(share > OWN_SHARE for share in own)
    policies = sorted({each.policy for each in episodes})
    shares = ", ".join(f"{n} {share:.1%}" for n, share in zip(names, own, strict=True))
    said = (
        f"{rank} of {len(names)} components are independent over {len(episodes)} episodes of {', '.join(policies)} "
        f"(variance that the other independent ones do not explain: {shares})"
    )
    if highest is not None:
        said += f"; the highest correlation is {highest.r:.2f}, {' and '.join(highest.pair)}"
    return said, ComponentIndependence(
        episodes=len(episodes),
        policies=tuple(policies),
        components=tuple(names),
        rank=rank,
        highest_correlation=highest,
        own_shares=dict(zip(names, own, strict=True)),
    )


def recorded(subject: Subject) -> list[list[Episode]]:
    """Episodes of the run, those of each station together.

    Raises:
        RecordError: A file holds something else.
    """
    out = subject.run.out
    return [
        [episode for path in sorted(out.glob(pattern)) for episode in read_episodes(path)]
        for pattern in RECORDED
    ]


def independent(paid: np.ndarray) -> list[float]:
    """What share of each component's variance is its own.

    Of components that explain each other, one at a time is left out, the one that the others explain best, until
    each of those that are left has more than ``OWN_SHARE`` of its own.

    Args:
        paid: Episodes by components.

    Returns:
        The share in [0, 1] of each component that the components left do not explain linearly, those left out
        included; 0 for a constant. As many are above ``OWN_SHARE`` as are independent.
    """
    rest = paid - paid.mean(axis=0)
    scale = np.sqrt((rest**2).sum(axis=0))
    rest = np.divide(rest, scale, out=np.zeros_like(rest), where=scale > 1e-9 * len(paid))
    shares = np.zeros(paid.shape[1])
    left = [int(number) for number in np.flatnonzero(rest.any(axis=0))]
    while left:
        for one in left:
            others = rest[:, [other for other in left if other != one]]
            explained = others @ np.linalg.lstsq(others, rest[:, one], rcond=None)[0]
            shares[one] = ((rest[:, one] - explained) ** 2).sum()
        least = min(left, key=lambda one: shares[one])
        if shares[least] > OWN_SHARE:
            break
        left.remove(least)
    return [round(float(share), 6) for share in shares]


def closest(paid: np.ndarray, names: Sequence[str]) -> CorrelatedPair | None:
    """The pair of components that are correlated most; None where fewer than two vary."""
    varying = [n for n in range(len(names)) if np.ptp(paid[:, n]) > 0]
    if len(varying) < 2:
        return None
    matrix = np.abs(np.corrcoef(paid[:, varying].T))
    np.fill_diagonal(matrix, 0.0)
    one, other = np.unravel_index(int(matrix.argmax()), matrix.shape)
    pair = (names[varying[int(one)]], names[varying[int(other)]])
    return CorrelatedPair(pair=pair, r=round(float(matrix[one, other]), 4))


def look_at_exploits(subject: Subject) -> BoxAnswer:
    """Whether each component's exploits run into their guards: the tests are run now."""
    if RewardReport.path(subject.run.out).is_file():
        return written_tests(subject)
    files = sorted({path for pattern in TEST_FILES for path in subject.folder.glob(pattern)})
    if not files:
        return needs_you("no reward.json in the run, and no test of exploits in the folder's tests")
    names = [component.name for component in subject.map.reward.breakdown]
    try:
        text = "\n".join(read_text(path, subject.folder) for path in files)
    except OSError as error:
        return no_go(f"the tests of exploits cannot be read: {error}")
    counts = {name: len(re.findall(rf"\b{re.escape(name)}\b", text)) for name in names}
    few = [f"{name} ({count})" for name, count in counts.items() if count < LEAST_EXPLOITS]
    if not names or few:
        return no_go(
            f"{LEAST_EXPLOITS} exploits a component are wanted, and the tests name fewer of "
            f"{', '.join(few) or 'any component'}"
        )
    passed, said = run_tests(subject, files)
    shown = ", ".join(path.relative_to(subject.folder).as_posix() for path in files)
    answer = go if passed else no_go
    return answer(f"{shown}, which names {', '.join(names)}: {said}")


def written_tests(subject: Subject) -> BoxAnswer:
    """The exploits of the reward that ``gonogo reward`` wrote."""
    out = subject.run.out
    parts = RewardReport.load(out, subject.source).components
    few = [
        f"{part.name} has {found}"
        for part in parts
        if (found := len({case.exploit for case in part.cases})) < LEAST_EXPLOITS
    ]
    file = out / "test_reward.py"
    if not file.is_file():
        raise MissingRecord(f"{file}: the tests that gonogo reward wrote are not there")
    passed, said = run_tests(subject, [file])
    if not passed:
        return no_go(f"{file}: {said}")
    if few:
        return no_go(f"{LEAST_EXPLOITS} exploits with guards are wanted: {', '.join(few)}")
    return go(f"{len(parts)} components; {file}: {said}")


def run_tests(subject: Subject, files: Sequence[Path]) -> tuple[bool, str]:
    """Run tests as anyone would, from the repository's root: whether they passed, and pytest's last line.

    Raises:
        MissingExtra: pytest is not installed.
        TimeoutExpired: They took too long.
    """
    if find_spec("pytest") is None:
        raise MissingExtra("dev", "running the exploits' tests")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    command += [str(path.resolve()) for path in files]
    written = files[0].is_relative_to(subject.folder)
    folder, within_s = subject.folder if written else Path.cwd(), subject.run.check.build_s
    status, said = run_to_end(command, folder, child_environment(), within_s)
    lines = said.splitlines()
    return status == 0, lines[-1] if lines else f"exit code {status}"
