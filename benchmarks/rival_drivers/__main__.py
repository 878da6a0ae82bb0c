"""Drive one tool over the zoo: python -m benchmarks.rival_drivers TOOL FOLDER PAIR...

Runs in the tool's own virtual environment. The tool is imported once; each class is then audited in a child process
of its own, which leaves FOLDER/PAIR-CLASS/answer.json. A class that has its answer is not audited again.
"""

from __future__ import annotations

import importlib
import json
import os
import sys
from pathlib import Path
from types import ModuleType

from .common import forked


def audit(driver: ModuleType, name: str, case: str, folder: Path) -> None:
    """One class, in a child; a child that dies leaves an answer that says how."""
    folder.mkdir(parents=True, exist_ok=True)
    place = folder / "answer.json"

    def job() -> None:
        os.chdir(folder)
        answer = driver.drive(name, case, folder)
        place.write_text(json.dumps(answer, indent=1) + "\n")

    code, printed = forked(job, folder / "driver.log", driver.LIMIT_S)
    if not place.is_file():
        last = (printed.strip().splitlines() or ["nothing printed"])[-1][:300]
        why = "out of time" if code is None else f"exit code {code}: {last}"
        failed = {"flags": {}, "taken": False, "why": why, "detail": {}, "seconds": None}
        place.write_text(json.dumps(failed, indent=1) + "\n")
    answer = json.loads(place.read_text())
    told = answer["flags"] if answer["taken"] else answer["why"]
    print(f"{folder.parent.name} {name}:{case} {told} {answer['seconds']} s", flush=True)


def main() -> None:
    """Import the tool's driver here, where the tool is installed, and go through the pairs."""
    tool, place, *names = sys.argv[1:]
    driver = importlib.import_module(f"{__package__}.{tool}")
    for name in names:
        for case in ("Defect", "Sound"):
            folder = Path(place).resolve() / f"{name}-{case}"
            if not (folder / "answer.json").is_file():
                audit(driver, name, case, folder)


if __name__ == "__main__":
    main()
