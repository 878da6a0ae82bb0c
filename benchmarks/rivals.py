"""Three other auditors over the same zoo, side by side with gonogo: writes benchmarks/rivals.json and docs/rivals.md.

Each tool is installed from PyPI in a virtual environment of its own under runs/rivals, and driven as its
documentation says (benchmarks/rival_drivers). Answers are kept there, so that a run that was broken off goes on
where it stopped; they are thrown away when the tool's version, its driver or the pair changes. gonogo's own figures are
those of benchmarks/zoo.json.

Run from the repository's root: python benchmarks/rivals.py [--jobs N] [--only PAIR ...] | --page
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))

from command_line import at_least_one
from fixes_page import in_short, on_record

from gonogo.records.files import write_record, write_text
from gonogo.records.provenance import provenance
from gonogo.statistics import wilson

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
RECORD = ROOT / "benchmarks" / "rivals.json"
ZOO = ROOT / "benchmarks" / "zoo.json"
PAGE = ROOT / "docs" / "rivals.md"
CACHE = ROOT / "runs" / "rivals"
CASES = ROOT / "tests" / "zoo" / "cases"
FIXES = ROOT / "benchmarks" / "fixes.json"
DRIVERS = ROOT / "benchmarks" / "rival_drivers"
CLASSES = ("Defect", "Sound")
OPENENV = "openenv==0.10.0"


@dataclass(frozen=True)
class Tool:
    """A rival.

    Attributes:
        package: Its name on PyPI.
        version: The one that is measured.
        driver: The module that drives it.
        installs: What pip is given, one call after the other.
        readings: What may be taken for an alarm, the widest first: flag of the driver's answer -> in words.
        purpose: What it is for.
        used: How it was used here.
    """

    package: str
    version: str
    driver: str
    installs: tuple[tuple[str, ...], ...]
    readings: dict[str, str]
    purpose: str
    used: str


TOOLS = (
    Tool(
        "falsepass",
        "0.11.0",
        "falsepass",
        (("falsepass==0.11.0", "rewardlint==0.1.0", OPENENV),),
        {
            "alarm_told": "any lead, told the exploit",
            "gate_told": "its CI gate, `ceiling>0.1 errors>0`, told the exploit",
            "alarm_untold": "any lead, not told the exploit",
            "gate_untold": "its CI gate, not told the exploit",
        },
        "It asks whether a grader pays answers that are known to be bad, or refuses good ones. Its automatic mode"
        " grades one reply by one `step()`; it takes verifiers, reward functions, Inspect and HUD tasks as well "
        "as OpenEnv. It calls its output leads for a person to read, not findings, and partial credit is a lead "
        "to it until the person says that it is meant.",
        "Each class was laid out as an OpenEnv folder. Automatic mode got 25 seeds with the solver's first action "
        "as the reference answer, all probes and `--search 120`. Where it stops or is inconclusive its documentation "
        "has the user write policies, so then a second audit decides, which played whole episodes with an adapter "
        "after its skeleton for games: the pair's solver, its ready-made exploits, a fixed strategy for each value of "
        "a decision, special numbers, and the pair's own exploit, as if the user had thought of it; the last two rows "
        "leave that one out. Its probe module was started directly instead of through `uv run`, with the same "
        "packages.",
    ),
    Tool(
        "learnlens-rl",
        "0.2.1",
        "learnlens",
        (("learnlens-rl==0.2.1", OPENENV), ("--force-reinstall", "--no-deps", OPENENV)),
        {
            "alarm": "hack index flagged, or learning quality below 0.5, of either agent",
            "exploit_alarm": "the same, of the exploiting agent alone",
            "hacking": "its verdict says of either agent that it is reward hacking",
        },
        "It judges an agent, not an environment: whether what the agent earns looks like learning, from the shape"
        " of its rewards over an episode, over seeds, and from how it answers when the observation is phrased "
        "otherwise. A low score of an exploit in a sound environment is a right answer to its own question, and "
        "counts as a false positive to ours.",
        "Each class ran behind OpenEnv's server, and `LensWrapper` evaluated two agents there with its default "
        "settings: the pair's solver and the pair's exploit, which gonogo is not given. The agents find the "
        "observation in any phrasing. Its fourth probe needs a paid judge and an agent that reasons in words; "
        "without either it answers a neutral 0.5, as documented. The package pulls in `openenv-core` 0.3, which "
        "writes over files of `openenv` 0.10; the latter was installed again on top.",
    ),
    Tool(
        "reward-contract-fuzzer",
        "0.2.0",
        "rcfuzz",
        (("reward-contract-fuzzer[gymnasium]==0.2.0", OPENENV),),
        {
            "alarm": "verdict `exploit-found` on any seed",
            "alarm_in_scope": "the same, counting only classes whose actions can all be listed",
        },
        "It computes the policy that a reward pays best, exactly, for environments with few states and listed "
        "actions, and flags it if it out-earns the intended behaviour by a margin and loops or repeats one "
        "action. Text graded by rules and continuous control are out of its scope by its own documentation, and "
        "nondeterminism, leaks and wrong values are no question of its.",
        "Each class got the interface that its example shows (`get_state`, `set_state`, a list of actions) and a "
        "contract for each of two seeds, with the solver's actions as the intended ones. The state is the "
        "coarsest of three views (what is shown; what is held; that and the clock) for which a replay in the "
        "environment confirms the returns that the tool reports. Fields without an end of values took those that "
        "the pair's solver and exploit use, so that the tool was not stopped by text. Where the exact audit could"
        " not finish (8 processor seconds a contract), its sampled mode ran over a Gymnasium environment with "
        "the documented search budget (180 processor seconds).",
    ),
)


def key_of(tool: Tool, name: str) -> str:
    """What the answers on a pair depend on: the tool, its drivers and the pair."""
    digest = hashlib.sha256(repr(tool.installs).encode())
    drivers = [*DRIVERS.glob(f"{tool.driver}*.py"), DRIVERS / "common.py", DRIVERS / "__main__.py"]
    for path in [*sorted(drivers), CASES / "_base.py", CASES / f"{name}.py"]:
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def drop_stale(tool: Tool, names: list[str]) -> None:
    """Throw away answers that depend on what is no longer so."""
    for name in names:
        kept = CACHE / tool.driver / f"{name}.key"
        if kept.is_file() and kept.read_text() == key_of(tool, name):
            continue
        for case in CLASSES:
            shutil.rmtree(CACHE / tool.driver / f"{name}-{case}", ignore_errors=True)
        write_text(kept, key_of(tool, name))


def pair_names() -> list[str]:
    """The zoo's modules."""
    return sorted(path.stem for path in CASES.glob("[a-z]*.py"))


def prepare(tool: Tool) -> Path:
    """The tool's interpreter, installed if it is not yet.

    Raises:
        subprocess.CalledProcessError: It cannot be installed; ``cmd`` and ``output`` say why.
    """
    folder = CACHE / "venvs" / tool.driver
    done, wanted = folder / "installed.txt", repr(tool.installs)
    if not done.is_file() or done.read_text() != wanted:
        shutil.rmtree(folder, ignore_errors=True)
        python = str(folder / "bin" / "python")
        calls = [[sys.executable, "-m", "venv", str(folder)]]
        calls += [[python, "-m", "pip", "install", "-q", *words] for words in tool.installs]
        for call in calls:
            subprocess.run(
                call, check=True, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
            )
        done.write_text(wanted)
    return folder / "bin" / "python"


def run(tool: Tool, names: list[str]) -> str | None:
    """Have the tool answer what it has not answered yet; why it could not be installed, if so."""
    drop_stale(tool, names)
    try:
        python = prepare(tool)
    except subprocess.CalledProcessError as error:
        return f"{' '.join(map(str, error.cmd))}: {str(error.output).strip().splitlines()[-1]}"
    call = [
        str(python),
        "-m",
        "benchmarks.rival_drivers",
        tool.driver,
        str(CACHE / tool.driver),
        *names,
    ]
    subprocess.run(call, check=True, cwd=ROOT, env={**os.environ, "PYTHONPATH": str(ROOT)})
    return None


def answer_of(tool: Tool, name: str, case: str) -> Json:
    """What the tool said of one class."""
    answer: Json = json.loads((CACHE / tool.driver / f"{name}-{case}" / "answer.json").read_text())
    return answer


def collected(tool: Tool, names: list[str], refused: str | None) -> Json:
    """The tool's part of the record."""
    body: Json = {
        "package": tool.package,
        "version": tool.version,
        "used": tool.used,
        "readings": tool.readings,
    }
    if refused is not None:
        return {**body, "not_installed": refused, "cases": []}
    rows = [
        {"pair": name, **{case: answer_of(tool, name, case) for case in CLASSES}} for name in names
    ]
    figures = {reading: figures_of(rows, reading) for reading in tool.readings}
    return {**body, "figures": figures, "cases": rows}


def figures_of(rows: list[Json], reading: str) -> Json:
    """Recall and false positives of one reading; what the tool could not take is no alarm, and not in ``of_taken``."""

    def rate(case: str, chosen: Callable[[Json], bool]) -> Json | None:
        told = [bool(row[case]["flags"].get(reading)) for row in rows if chosen(row[case])]
        return {**wilson(told).model_dump(), "count": sum(told), "of": len(told)} if told else None

    def anything(answer: Json) -> bool:
        return True

    def was_taken(answer: Json) -> bool:
        return bool(answer["taken"])

    apart = [
        row["pair"]
        for row in rows
        if [row[case]["flags"].get(reading, False) for case in CLASSES] == [True, False]
    ]
    return {
        "recall": rate("Defect", anything),
        "false_positives": rate("Sound", anything),
        "recall_of_taken": rate("Defect", was_taken),
        "false_positives_of_taken": rate("Sound", was_taken),
        "told_apart": len(apart),
    }


def gonogo_figures(zoo: Json, pairs: list[str]) -> dict[str, Json]:
    """Rows of gonogo, from its own record, on the same pairs: the right finding, and any finding at all."""
    wanted = {f"{CASES.name}.{pair}:Defect" for pair in pairs}
    rows = [row for row in zoo["pairs_audited"] if row["defect"]["case"].endswith(tuple(wanted))]
    wrong = [bool(row["sound"]["found"]) for row in rows]
    readings = {
        "the finding that the pair is named for, or one that describes it as rightly": [
            row["hit"] for row in rows
        ],
        "any finding": [bool(row["defect"]["found"]) for row in rows],
    }
    figures = {}
    for reading, hits in readings.items():
        figures[reading] = {
            "recall": {**wilson(hits).model_dump(), "count": sum(hits), "of": len(hits)},
            "false_positives": {
                **wilson(wrong).model_dump(),
                "count": sum(wrong),
                "of": len(wrong),
            },
            "told_apart": sum(hit and not bad for hit, bad in zip(hits, wrong, strict=True)),
        }
    return figures


def shown(rate: Json) -> str:
    """A rate as in the page's table."""
    low, high = rate["ci95"]
    return f"{rate['count']} of {rate['of']} ({low:.2f} to {high:.2f})"


def line(name: str, reading: str, figures: Json) -> str:
    """One row of the table."""
    cells = (
        name,
        reading,
        shown(figures["recall"]),
        shown(figures["false_positives"]),
        str(figures["told_apart"]),
    )
    return f"| {' | '.join(cells)} |"


def paragraph(tool: Tool, part: Json) -> str:
    """What the tool is for, how it was used, and what it could not take."""
    text = f"## {tool.package} {tool.version}\n\n{tool.purpose}\n\n{part['used']}"
    if "not_installed" in part:
        return f"{text}\n\nIt could not be installed here: `{part['not_installed']}`."
    refused = {case: [row for row in part["cases"] if not row[case]["taken"]] for case in CLASSES}
    counts = [len(refused[case]) for case in CLASSES]
    said = f"It could take all {len(part['cases'])} pairs."
    if any(counts):
        widest = part["figures"][next(iter(part["readings"]))]
        said = (
            f"It could not take {counts[0]} of the defects and {counts[1]} of the look-alikes; above they count as not "
            f"flagged. Over those it took, in its widest reading: recall {shown(widest['recall_of_taken'])}, false "
            f"positives {shown(widest['false_positives_of_taken'])}."
        )
    return f"{text}\n\n{said}"


def page(record: Json, zoo: Json) -> str:
    """docs/rivals.md, from the two records, and that of real fixes."""
    lines = [
        line("gonogo", reading, figures)
        for reading, figures in gonogo_figures(zoo, record["pairs"]).items()
    ]
    for part in record["tools"]:
        figures = part.get("figures", {})
        name = f"{part['package']} {part['version']}"
        lines += [
            line(name, part["readings"][reading], found) for reading, found in figures.items()
        ]
    table = "\n".join(lines)
    parts = "\n\n".join(
        paragraph(tool, part) for tool, part in zip(TOOLS, record["tools"], strict=True)
    )
    fixed = in_short(*on_record(FIXES, FIXES.with_suffix(".yaml")))
    parts += f"\n\n## On real fixes\n\n{fixed}" if fixed else ""
    recall = zoo["unseen"]["recall"]
    share, (low, high) = recall["mean"], recall["ci95"]
    unseen = f"{share:.2f} ({low:.2f} to {high:.2f}, {zoo['unseen']['pairs']} pairs)"
    return f"""# Other auditors on the same zoo

Written by `python benchmarks/rivals.py --page`; not edited by hand. Figures: [`rivals.json`](../benchmarks/rivals.json)
and, for gonogo, [`zoo.json`](../benchmarks/zoo.json).

The [zoo](../tests/zoo/README.md) has {len(record["pairs"])} pairs: an environment with one planted defect, and a sound
look-alike. It is gonogo's own zoo, made of the defects that gonogo was built to look for, so this compares coverage of
that list; it does not rank the tools at what each was made for. They ask other questions: one grades single answers,
one judges an agent, one solves small decision processes. gonogo's rules were written beside these pairs, so that its
figures here are in-sample; of pairs that its authors had not seen it named {unseen}.

A rival counts as right when it raises any alarm on the defect; gonogo, in its first row, only when it names the right
finding. gonogo is given the pair's solver, as a user would have one; the rivals also the reset options under which the
defect shows, and the pair's exploit where a row does not say otherwise. Narrower readings of a rival's answer, such as
its own gate, stand below its widest. *Told apart* counts the pairs where the defect is flagged and its look-alike is
not. Intervals are Wilson's, 95 %.

| tool | what counts as flagged | defects flagged | look-alikes flagged | told apart |
| --- | --- | --- | --- | --- |
{table}

{parts}
"""


def main() -> None:
    """Run the tools and write record and page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--jobs", type=at_least_one, default=2, help="tools at once")
    parser.add_argument("--only", nargs="*", help="names of pairs; nothing is written then")
    parser.add_argument(
        "--page", action="store_true", help="write the page from the records, run nothing"
    )
    chosen = parser.parse_args()
    if not chosen.page:
        names = [name for name in pair_names() if not chosen.only or name in chosen.only]
        with ThreadPoolExecutor(chosen.jobs) as pool:
            refused = list(pool.map(lambda tool: run(tool, names), TOOLS))
        if chosen.only:
            return
        parts = [collected(tool, names, why) for tool, why in zip(TOOLS, refused, strict=True)]
        flagged = "a rival flags a class if it raises any alarm (its first reading); gonogo must name the right finding"
        body = {"pairs": names, "flagged": flagged, "tools": parts, **provenance()}
        write_record(RECORD, "rivals", 1, body)
    write_text(PAGE, page(json.loads(RECORD.read_text()), json.loads(ZOO.read_text())))


if __name__ == "__main__":
    main()
