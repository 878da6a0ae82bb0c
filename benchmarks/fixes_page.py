"""docs/fixes.md, made from the record of the audits and from nothing else; benchmarks/fixes.py writes it.

Whether a label is found follows from :data:`FOUND` alone: the words of the frozen rule (``found`` in fixes.yaml) as ids
of findings, written down before anything was put on record; three audits had been tried until then. An id that gonogo
got since stands where those words name it: ``success_unpaid`` in :data:`UNPAID`.
"""

from __future__ import annotations

import re
import statistics
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))

from fixes_rivals import RIVALS

from gonogo.errors import MissingRecord
from gonogo.records.files import read_record, write_text
from gonogo.statistics import wilson

__all__ = ["FOUND", "accused", "in_short", "named", "on_record", "page", "write_page"]

Json = dict[str, Any]
PAGE = Path(__file__).parents[1] / "docs" / "fixes.md"
SIDES = ("before", "after")
SUSPICIOUS = "suspicious"
"""Severity of what blocks nothing."""
MORE_THAN_SUCCESS = frozenset({"failure_out_earns_success", "failure_earns_as_much"})
PAID = MORE_THAN_SUCCESS | {
    *(
        "paid_for_idling",
        "stalling_pays",
        "constant_answer_pays",
        "emptying_pays",
        "self_reported_reward",
    ),
    *(
        "truncated_window_satisfied",
        "malformed_action_pays",
        "verifier_crash_pays",
        "reward_from_agent_text",
    ),
    *("paid_for_length", "format_outweighs_task", "observation_echo_pays", "shotgun_answer_pays"),
    *(
        "unbounded_action_pays",
        "milestone_then_idle",
        "farmable_cycle",
        "success_costs_nothing",
        "paid_again",
    ),
    *(
        "score_paid_again",
        "content_ignored",
        "paid_without_trying",
        "keywords_pay",
        "early_end_success",
    ),
}
"""That something is paid without success, or more than a success."""
UNPAID = MORE_THAN_SUCCESS | {
    "unreachable_reward",
    "success_unpaid",
    "reward_uncorrelated",
    "nothing_to_win",
    "missing_reward",
}
"""That success is not paid, or not more than a failure, or cannot be reached."""
RAISES = frozenset(
    {
        *(
            "action_raises",
            "step_raises",
            "hangs",
            "dies",
            "example_refused",
            "malformed_action_fatal",
        ),
        "verifier_crash_pays",
    }
)
"""That an action raises, is refused, or ends the session or the process."""
DEPENDS = frozenset(
    {
        *("seed_ignored", "nondeterministic", "process_dependent", "episode_state_leak"),
        *("session_state_leak", "silent_reset"),
    }
)
"""That a seed, a process, a session or an earlier episode decides."""
FOUND = {
    "accepts": PAID,
    "pays": PAID,
    "overpays": PAID,
    "rejects": UNPAID,
    "crashes": RAISES,
    "nondeterministic": DEPENDS,
    "leaks": DEPENDS,
    "value": PAID | UNPAID | RAISES | DEPENDS,
}
REWARD = (
    PAID
    | UNPAID
    | {"bool_reward", "reward_not_numeric", "nan_reward", "reward_out_of_range", "paid_after_done"}
)
"""What is about the reward: it counts on the side before where the side after has it not."""
MODES = {
    "told": "success told, and the stored answer as the policy that is to succeed, as the frozen rule says",
    "alone": "no flags",
}
LOOKED_AT = frozenset(
    {
        *(
            "rubiks_cube-2653a289",
            "rubiks_cube-a6bf23e6",
            "tsumego-4eff39dd",
            "polynomial_equations-66df77ac",
        ),
        *("chain_sum-0a660a34", "codeio-f14662e2", "rush_hour-a5d784c6", "rush_hour-d6f399b8"),
        *("palindrome_partitioning-49c4115e", "cryptarithm-c612e2ab", "cryptarithm-235b5629"),
        *("pool_matrix-48f08266", "complex_arithmetic-941da618", "math_with_code-d1f57f7b"),
        *("math_rubric-9cf207a", "mountain_car-113abbfc", "lunar_lander-5b977fec"),
        *("zebra_puzzles-04cd81dd", "sudoku-7d8fe8b5", "jugs-d7db2ed8", "countdown-7d68a6cc"),
        *("rubiks_cube-633a1aa1", "countdown-876e0aa4", "quantum_lock-0ba61198"),
        *("rearc-a1494c4e", "python_codeact_env-780c81fe", "car_racing-a4fcb83f"),
    }
)
"""Pairs that may have been looked at while the audit was changed: the first of each of six kinds, and rush_hour; those
that were on record by 2026-11-27; and of others that were flown since some that were not named or did not run."""
TAGS = {
    "accepts": {"pays"},
    "pays": {"pays"},
    "overpays": {"pays"},
    "rejects": {"rejects"},
    "crashes": {"crashes"},
    "nondeterministic": {"nondeterministic"},
    "leaks": {"nondeterministic"},
    "value": {"pays", "rejects", "crashes", "nondeterministic"},
}
"""The same, in the words of benchmarks/fixes_rivals.py."""
READINGS = {"tags": "anything that it says", "gate": "what fails its own gate"}
INTRODUCTION = """\
# Real fixes of rewards

Pairs of commits from public histories: a reward, a scorer or an environment before and after its fix. \
[fixes.yaml](../benchmarks/fixes.yaml) has the rule that chose them and their labels, read from the commits alone and \
frozen before anything was run; [fixes.py](../benchmarks/fixes.py) runs them, and writes this page from its record. \
None of their code is in this repository. Scorers of answers run behind an adapter, as environments of one step. How \
the adapter calls two of them (format_utils-31a0c48f, math_rubric-9cf207a) was completed after the freeze, before any \
audit. Its reset lost a catch-all for options after the first trials: gonogo took words of other scorers' sources for \
such options, and audited tasks that are none, which it still does where a reset has one. A test \
holds rules and labels to the commit that froze them.

The audits get seeds and a budget (8 seeds, 6000 steps and resets) and no other flag, but scorers are also run as the \
frozen rule says: success is told, and the stored answer is the policy that is to succeed. A fault is *named* where \
the side before has a finding that blocks and fits the label's kind, or one about the reward that the other has not. \
The mended side is *accused* where it has a finding that blocks and fits the kind: a false alarm as to the label; what \
else the mended side shows may be right. The ids that fit were written down before the first record, but for \
`success_unpaid`, which gonogo has since then, and which says in one word what the rule calls "that success is not \
paid". Intervals are Wilson's, 95 %. \
Twenty-seven pairs may have been looked at while the audit was changed (`LOOKED_AT` in \
[fixes_page.py](../benchmarks/fixes_page.py)); a row leaves them out.
"""

READ = Path(__file__).with_name("fixes_readings.yaml")
READ_AS = ("pair", "finding", "reading", "where", "mended_by", "why")
ACCUSED = """\
What the mended sides are accused of, read in their source and in the witness by somebody who wrote none of the rules \
([fixes_readings.yaml](../benchmarks/fixes_readings.yaml)). *Right* is a fault that their code still has at that \
commit, *wrong* is none, *adapter* is a fault of our adapter around it. The same reading found that the adapter raised \
at each answer of the three mcqa pairs, and sent a grid as Python writes it (rearc). Both were mended, and gonogo ran \
these four again. Readings of the pairs that are accused now:"""

BESIDE = """\
The scorers alone, which the two others take as functions of a reply; an environment of several steps rl-envdoctor \
does not take, and falsepass was given none here. They get what gonogo gets in its first row, the stored answer; \
[fixes_rivals.py](../benchmarks/fixes_rivals.py) has the commands. The rule is the same for all: named is what fits \
the label's kind on the side before, or what the side after does not show. falsepass calls what it says leads, for a \
person to read, and many of its leads on a mended scorer are right about something else."""


def ids(side: Json, *, suspicions: bool = False) -> set[str]:
    """What the findings of a side are called, their further witnesses too: of those that block, or of all."""
    found = [f for f in side["findings"] if suspicions or f["severity"] != SUSPICIOUS]
    return {name for each in found for name in each["names"]}


def named(kind: str, answer: Json, *, suspicions: bool = False) -> bool:
    """Whether the label's fault is named on the side before."""
    before, after = (ids(answer[side], suspicions=suspicions) for side in SIDES)
    return bool(before & FOUND[kind] or (before - after) & REWARD)


def accused(kind: str, answer: Json, *, suspicions: bool = False) -> bool:
    """Whether the side after is accused of what was mended."""
    return bool(ids(answer["after"], suspicions=suspicions) & FOUND[kind])


def ran(answer: Json) -> bool:
    """Whether both sides came to a verdict."""
    return all(answer[side]["verdict"] is not None for side in SIDES)


def share(values: Iterable[bool]) -> str:
    """How many of how many, with the interval."""
    told = list(values)
    if not told:
        return "none"
    low, high = wilson(told).ends or (0.0, 1.0)
    return f"{sum(told)} of {len(told)}: {sum(told) / len(told):.2f} ({low:.2f} to {high:.2f})"


Answers = list[tuple[str, Json]]
"""Kinds of labels, and the answers on their pairs."""


def answers(rows: Sequence[Json], kinds: dict[str, str], mode: str) -> Answers:
    """What is on record of a mode; environments, to which nothing is told, stand in ``told`` as in ``alone``."""
    found = []
    for row in rows:
        asked = "alone" if mode == "told" and not row["scorer"] else mode
        if asked in row["runs"]:
            found.append((kinds[row["name"]], row["runs"][asked]))
    return found


def figures(rows: Sequence[Json], kinds: dict[str, str]) -> Iterator[str]:
    """The table of gonogo's rates, a row for each way of auditing."""
    yield "| gonogo | pairs that ran | named | mended side accused of it | mended side NO-GO at all | median seconds |"
    yield "|---|---|---|---|---|---|"
    for mode, words in MODES.items():
        found = answers(rows, kinds, mode)
        pairs = [(kind, answer) for kind, answer in found if ran(answer)]
        if not pairs:
            continue
        seconds = [answer[side]["seconds"] for _, answer in pairs for side in SIDES]
        blocked = share(answer["after"]["verdict"] == "NO_GO" for _, answer in pairs)
        ends = [blocked, f"{statistics.median(seconds):.0f}"]
        yield figures_row(words, found, ends)
        yield figures_row(f"{words}; suspicions counted too", found, suspicions=True)
        unseen = [row for row in rows if row["name"] not in LOOKED_AT]
        yield figures_row(f"{words}; only pairs not looked at before", answers(unseen, kinds, mode))


def figures_row(
    words: str, found: Answers, ends: Sequence[str] = ("", ""), *, suspicions: bool = False
) -> str:
    """A row of that table: of what was found, how much ran, is named, and accuses."""
    pairs = [(kind, answer) for kind, answer in found if ran(answer)]
    cells = [
        words,
        f"{len(pairs)} of {len(found)}",
        share(named(kind, answer, suspicions=suspicions) for kind, answer in pairs),
        share(accused(kind, answer, suspicions=suspicions) for kind, answer in pairs),
        *ends,
    ]
    return f"| {' | '.join(cells)} |"


def judged_by_tags(kind: str, answer: Json, reading: str) -> tuple[bool, bool]:
    """Whether another auditor names the fault, and whether it accuses the mended side: by the same rule."""
    before, after = (set(answer[side][reading]) for side in SIDES)
    return bool(before & TAGS[kind] or before - after), bool(after & TAGS[kind])


def compared(rows: Sequence[Json], kinds: dict[str, str]) -> Iterator[str]:
    """The table of all auditors on the scorers, which is what the others take."""
    yield "| auditor | pairs taken | named | mended side accused of it | any alarm before | any alarm after |"
    yield "|---|---|---|---|---|---|"
    scorers = [row for row in rows if row["scorer"]]
    for mode, words in MODES.items():
        pairs = [(kind, answer) for kind, answer in answers(scorers, kinds, mode) if ran(answer)]
        cells = [
            f"gonogo, {words}",
            f"{len(pairs)}",
            share(named(*each) for each in pairs),
            share(accused(*each) for each in pairs),
            share(answer["before"]["verdict"] == "NO_GO" for _, answer in pairs),
            share(answer["after"]["verdict"] == "NO_GO" for _, answer in pairs),
        ]
        yield f"| {' | '.join(cells)} |"
    for tool, version in RIVALS.items():
        asked = answers(scorers, kinds, tool)
        pairs = [(kind, answer) for kind, answer in asked if taken(answer)]
        for reading, words in READINGS.items():
            judged = [judged_by_tags(kind, answer, reading) for kind, answer in pairs]
            cells = [
                f"{tool} {version}, {words}",
                f"{len(pairs)}",
                share(name for name, _ in judged),
                share(wrong for _, wrong in judged),
                share(bool(answer["before"][reading]) for _, answer in pairs),
                share(bool(answer["after"][reading]) for _, answer in pairs),
            ]
            yield f"| {' | '.join(cells)} |"


def of_all(rows: Sequence[Json]) -> list[Json]:
    """The scorers that every auditor of the comparison came to an end with: gonogo, told, and those on record."""
    tools = {tool for row in rows for tool in RIVALS if tool in row["runs"]}
    return [
        row
        for row in rows
        if row["scorer"]
        and "told" in row["runs"]
        and ran(row["runs"]["told"])
        and all(taken(row["runs"].get(tool)) for tool in tools)
    ]


def in_short(record: Json | None, frozen: Json) -> str:
    """The same comparison in a paragraph, for docs/rivals.md; empty where nothing can be compared."""
    rows = [] if record is None else record["pairs"]
    kinds = {pair["name"]: pair["kind"] for pair in frozen["pairs"]}
    same = of_all(rows)
    tools = [tool for tool in RIVALS if any(tool in row["runs"] for row in same)]
    if not tools:
        return ""
    pairs = answers(same, kinds, "told")
    said = [f"gonogo names {share(named(*each) for each in pairs)}"]
    said += [f"it accuses the mended side of the same in {share(accused(*each) for each in pairs)}"]
    for tool in tools:
        for reading, words in READINGS.items():
            judged = [judged_by_tags(k, a, reading) for k, a in answers(same, kinds, tool)]
            said.append(
                f"{tool} {RIVALS[tool]}, {words}, names {share(name for name, _ in judged)} and accuses "
                f"{share(wrong for _, wrong in judged)}"
            )
    return (
        f"[Real fixes](fixes.md) are pairs that nobody planted: a scorer before and after a fix in a public history. "
        f"gonogo, told success and the stored answer, and each of the others came to an end with {len(same)} scorers. "
        f"Of their faults {'; '.join(said)}. Named is what fits the label's kind before the fix, or what is not there "
        "after it; intervals are Wilson's, 95 %. Mended scorers may have other faults, of which a tool may be right to "
        "speak."
    )


def taken(answer: Json | None) -> bool:
    """Whether another auditor took both sides of a pair."""
    return answer is not None and all(answer[side]["taken"] for side in SIDES)


def by_kind(rows: Sequence[Json], kinds: dict[str, str]) -> Iterator[str]:
    """Named and accused, for each kind of label."""
    yield "| kind | named, told | accused, told | named, no flags | accused, no flags |"
    yield "|---|---|---|---|---|"
    for kind in FOUND:
        cells = [kind]
        for mode in MODES:
            pairs = [a for k, a in answers(rows, kinds, mode) if k == kind and ran(a)]
            for asked in (named, accused):
                cells.append(f"{sum(asked(kind, a) for a in pairs)} of {len(pairs)}")
        yield f"| {' | '.join(cells)} |"


def told(side: Json) -> str:
    """A side's verdict and what it found, or why it has none."""
    if side["verdict"] is None:
        return "did not run"
    called = [(f, " and ".join(f["names"])) for f in side["findings"]]
    found = [f"*{name}*" if f["severity"] == SUSPICIOUS else name for f, name in called]
    return f"{side['verdict'].replace('_', '-')}{': ' if found else ''}{', '.join(found)}"


def one_line(text: str, most: int = 240) -> str:
    """A text in a table's cell."""
    plain = " ".join(text.split()).replace("|", "\\|")
    return plain if len(plain) <= most else f"{plain[:most]}…"


def table(rows: Sequence[Json], pairs: dict[str, Json]) -> Iterator[str]:
    """A line for each pair and way of auditing it."""
    yield "| pair | kind | what was wrong | run | before | after | named; accused |"
    yield "|---|---|---|---|---|---|---|"
    for row in rows:
        pair = pairs[row["name"]]
        for mode, answer in row["runs"].items():
            if mode in RIVALS:
                continue
            kind = pair["kind"]
            judged = "–"
            if ran(answer):
                words = ["yes" if asked(kind, answer) else "no" for asked in (named, accused)]
                judged = "; ".join(words)
            cells = [row["name"], kind, one_line(pair["wrong"]), mode]
            cells += [told(answer["before"]), told(answer["after"]), judged]
            yield f"| {' | '.join(cells)} |"


def stopped(rows: Sequence[Json]) -> Iterator[str]:
    """What did not run, and why."""
    for row in rows:
        for mode, answer in row["runs"].items():
            for side in SIDES:
                if answer[side].get("verdict") is None and not answer[side].get("taken"):
                    yield f"- {row['name']}, {mode}, {side}: {one_line(answer[side]['why_not'] or '')}"


def circumstances(record: Json, pairs: int) -> str:
    """On which machine the audits of a record ran, which were given up, and what their budget did not reach.

    Args:
        record: The record.
        pairs: How many pairs there are.
    """
    rows = record["pairs"]
    ours = [a for row in rows for mode, a in row["runs"].items() if mode in MODES]
    sides = [answer[side] for answer in ours for side in SIDES]
    cores = record.get("machine", {}).get("cpu_count", "unknown")
    said = [
        f"Cores of the machine: {cores}. Pairs run in an order that was drawn before; {pairs - len(rows)} were not run."
    ]
    limits = sorted({limit for side in sides for limit in limit_of(side)}, key=float)
    within = f", after {' or '.join(limits)} s" if limits else ""
    lost = sum(side["verdict"] is None and side.get("exit_code", 0) is None for side in sides)
    said += [
        f"Audits of one side that were given up{within}: {lost} of {len(sides)}, so that what is slow is missing."
    ]
    known = [side["unreached"] for side in sides if side.get("unreached") is not None]
    counts = Counter(stage for stages in known for stage in stages)
    cut = ", ".join(f"{stage} ({times})" for stage, times in counts.most_common()) or "nothing"
    said += [
        f"What the budget did not reach, in so many of {len(known)} audits: {cut}."
        if known
        else "What the budget did not reach is not on record."
    ]
    return " ".join(said)


def limit_of(side: Json) -> list[str]:
    """The seconds that an audit might take: on record, or, before it was, of one that was given up by what it says."""
    if "limit_s" in side:
        return [f"{side['limit_s']:g}"]
    return re.findall(r"^no verdict within ([\d.]+) s$", side["why_not"] or "")


def page(record: Json | None, frozen: Json) -> str:
    """The page."""
    if record is None:
        return f"{INTRODUCTION}\nNothing is on record yet.\n"
    rows, pairs = record["pairs"], {pair["name"]: pair for pair in frozen["pairs"]}
    kinds = {name: pair["kind"] for name, pair in pairs.items()}
    ours = [answer for row in rows for mode, answer in row["runs"].items() if mode in MODES]
    commits = sorted({(answer["gonogo"] or "unknown")[:8] for answer in ours})
    same = of_all(rows)
    parts = [
        INTRODUCTION,
        "\n".join(figures(rows, kinds)),
        f"{len(rows)} of {len(pairs)} pairs are on [record](../benchmarks/fixes.json); gonogo at {', '.join(commits)}. "
        "Findings in italics are suspicions, which block nothing.",
        circumstances(record, len(pairs)),
        "\n".join(by_kind(rows, kinds)),
        *accusations(rows, kinds, yaml.safe_load(READ.read_text())),
        "## Beside other auditors",
        BESIDE,
        "\n".join(compared(rows, kinds)),
        f"The same on the {len(same)} scorers that gonogo, told, and each of the others on record came to an end with:",
        "\n".join(compared(same, kinds)),
        "## Pairs",
        "\n".join(table(rows, pairs)),
    ]
    if why := "\n".join(stopped(rows)):
        parts += ["## What did not run", why]
    return "\n\n".join(part.rstrip("\n") for part in parts) + "\n"


def accusations(rows: Sequence[Json], kinds: dict[str, str], read: Sequence[Json]) -> list[str]:
    """The readings of what mended sides are accused of; nothing where the record accuses others than were read."""
    told = {
        row["name"]
        for row in rows
        for mode, answer in row["runs"].items()
        if mode in MODES and ran(answer) and accused(kinds[row["name"]], answer)
    }
    if not told or told != {each["pair"] for each in read}:
        return []
    counted = Counter(each["reading"] for each in read)
    said = ", ".join(f"{counted[reading]} {reading}" for reading in ("right", "wrong", "adapter"))
    lines = ["| pair | finding | reading | where | mended by | why |", "|---|---|---|---|---|---|"]
    lines += ["| " + " | ".join(str(each[name] or "–") for name in READ_AS) + " |" for each in read]
    return ["## The mended sides that are accused", f"{ACCUSED} {said}.", "\n".join(lines)]


def write_page(record: Path, frozen: Path, place: Path = PAGE) -> None:
    """Write the page from the record and the frozen labels."""
    write_text(place, page(*on_record(record, frozen)))


def on_record(record: Path, frozen: Path) -> tuple[Json | None, Json]:
    """The record, None where there is none yet, and the frozen labels."""
    try:
        known: Json | None = read_record(record, "fixes", 1)
    except MissingRecord:
        known = None
    return known, yaml.safe_load(frozen.read_text())
