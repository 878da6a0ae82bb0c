"""``logger``: an environment that logs into its own folder is no other environment for that."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from gonogo import config
from gonogo.env.target import source_of
from gonogo.env.target import resolve
from gonogo.errors import StaleRecord
from gonogo.records.contract import ContractReport
from gonogo.records.files import CHANGING
from gonogo.records.submission import ThemeReport
from gonogo.contract import check_env as station
from gonogo.submission.theme import report as theme

HERE = Path(__file__).parent
LOGS = '''        with open("episodes.jsonl", "a") as f: f.write("{}\\n")
'''
KINDS = '''        import json, os, pickle, sqlite3
        with open("episodes.jsonl", "a") as f: f.write("{}\\n")
        with open("state.json", "w") as f: json.dump({"steps": os.urandom(4).hex()}, f)
        with open("seen.pkl", "wb") as f: pickle.dump(os.urandom(4), f)
        os.makedirs("history", exist_ok=True)
        with open(f"history/{os.urandom(8).hex()}.txt", "w") as f: f.write("one")
        with sqlite3.connect("runs.db") as db:
            db.execute("create table if not exists t (a)"); db.execute("insert into t values (1)")
'''
CODE = f'''{LOGS}        import os
        with open(f"made_{{os.getpid()}}.py", "w") as f: f.write("a = 1")
'''


def current(run: config.RunConfig) -> dict[str, object]:
    """The run's map, as long as it is about the environment as it is now."""
    return ContractReport.load(run.out, source_of(resolve(run.target)))


@pytest.mark.parametrize("writes", [LOGS, KINDS])
def test_what_changes_while_it_runs_is_named_and_makes_no_record_stale(
    writes: str, tmp_path: Path
) -> None:
    folder = tmp_path / "logger"
    shutil.copytree(HERE / "logger", folder, ignore=shutil.ignore_patterns("__pycache__"))
    program = folder / "server" / "env.py"
    assert LOGS in program.read_text()
    program.write_text(program.read_text().replace(LOGS, writes))
    (folder / "words.txt").write_text("north\n")
    (folder / "state.json").write_text("{}")
    out = tmp_path / "run"
    run = config.load(None, {"target": str(folder), "out": str(out), "map.steps": 4})
    station.run(run)
    record = current(run)
    assert any("changed while it ran" in note and "episodes.jsonl" in note for note in record.notes)
    assert "episodes.jsonl" in json.loads((out / CHANGING).read_text())
    theme.run(run)  # flies, and so it logs again
    current(run)
    ThemeReport.load(out, source_of(resolve(run.target)))
    (folder / "words.txt").write_text("south\n")
    with pytest.raises(StaleRecord, match=r"words\.txt of the environment has changed"):
        current(run)
    (folder / "words.txt").write_text("north\n")
    current(run)
    program.write_text(program.read_text() + "# changed\n")
    with pytest.raises(StaleRecord, match="source has changed since"):
        current(run)


def test_code_that_it_writes_while_it_runs_makes_no_record_stale(tmp_path: Path) -> None:
    folder = tmp_path / "logger"
    shutil.copytree(HERE / "logger", folder, ignore=shutil.ignore_patterns("__pycache__"))
    program = folder / "server" / "env.py"
    program.write_text(program.read_text().replace(LOGS, CODE))
    out = tmp_path / "run"
    run = config.load(None, {"target": str(folder), "out": str(out), "map.steps": 4})
    first = None
    for _ in range(2):  # each process writes another file
        station.run(run)
        record = current(run)
        assert any("changed while it ran" in note and "made_" in note for note in record.notes)
        first = first or record.source_hash
        assert record.source_hash == first
    program.write_text(program.read_text() + "# changed\n")
    with pytest.raises(StaleRecord, match="source has changed since"):
        current(run)
