"""The notebook: it is what its source makes, it has every part, and it runs from top to bottom on a CPU."""

from __future__ import annotations

import importlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import gonogo

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "notebooks"
PARTS = (
    "Install", "Load the model", "Connect to the environment", "Rollout", "GRPO", "Logging",
    "Save, and test what was saved", "Before and after", "Plots",
)  # fmt: skip
TASKS = 20
"""Fewest tasks that a comparison before and after rests on."""

pytest.importorskip("nbconvert", reason="the notebook needs nbconvert, nbformat and ipykernel")
pytest.importorskip("ipykernel", reason="the notebook needs nbconvert, nbformat and ipykernel")


@pytest.fixture(scope="module")
def maker() -> Any:
    """The script that makes the notebook."""
    sys.path.insert(0, str(FOLDER))
    try:
        return importlib.import_module("make")
    finally:
        sys.path.pop(0)


def cells(file: Path) -> list[dict[str, Any]]:
    return list(json.loads(file.read_text())["cells"])


def printed(cell: dict[str, Any]) -> str:
    return "".join("".join(out.get("text", "")) for out in cell.get("outputs", ()))


def test_the_notebook_is_what_its_source_makes(maker: Any) -> None:
    assert (FOLDER / "train.ipynb").read_text() == maker.make((FOLDER / "train.py").read_text())


def test_a_source_that_does_not_begin_with_a_cell_is_refused(maker: Any) -> None:
    with pytest.raises(ValueError, match="not with 'import os"):
        maker.make("import os\n\n# %%\nprint(1)\n")


def test_the_notebook_has_every_part_and_a_word_before_each() -> None:
    found = cells(FOLDER / "train.ipynb")
    texts = ["".join(cell["source"]) for cell in found if cell["cell_type"] == "markdown"]
    titles = [re.findall(r"^## \d+\. (.+)$", text, re.MULTILINE) for text in texts[1:]]
    assert titles == [[part] for part in PARTS]
    assert all(len(text.split()) > 30 for text in texts)


def test_the_notebook_calls_functions_and_no_commands() -> None:
    code = (FOLDER / "train.py").read_text()
    assert "subprocess" not in code and "-m gonogo" not in code
    called = set(re.findall(r"gg\.(\w+)", code))
    assert {"load_environment", "rollout", "train", "evaluate"} <= called <= set(gonogo.__all__)
    assert re.findall(r"(?:import|from) gonogo.*", code) == ["import gonogo as gg"]


@pytest.mark.long
@pytest.mark.timeout(1500)
def test_the_notebook_runs_from_top_to_bottom(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a CPU, where it takes the small model by itself, in a folder that is not the checkout."""
    pytest.importorskip("trl", reason="the train extra is not installed")
    if not (ROOT / "envs" / "flightrules").is_dir():
        pytest.skip("the notebook trains in flightrules, and envs/ is not there")
    monkeypatch.setenv("GONOGO_ROOT", str(ROOT))
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.delenv("SPACE_URL", raising=False)
    paths = os.environ.get("PYTHONPATH", "").split(os.pathsep)  # relative ones are the checkout's
    monkeypatch.setenv(
        "PYTHONPATH", os.pathsep.join(os.path.abspath(path) for path in paths if path)
    )
    shutil.copy(FOLDER / "train.ipynb", tmp_path)
    words = ["--to", "notebook", "--execute", "train.ipynb", "--output", "done.ipynb"]
    ran = subprocess.run(
        [sys.executable, "-m", "nbconvert", *words],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=1400,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]

    done = [cell for cell in cells(tmp_path / "done.ipynb") if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in done] == list(range(1, len(done) + 1))
    said = "\n".join(printed(cell) for cell in done)
    assert "notebook.yaml: LlamaForCausalLM" in said
    assert re.search(r"^torch==2\.", said, re.MULTILINE)
    score = re.search(
        r"^Improvement of score: ([+-]\d\.\d+) \(0\.000 -> 0\.\d+;", said, re.MULTILINE
    )
    assert score is not None
    assert float(score[1]) > 0
    out = tmp_path / "runs" / "notebook"
    evaluation = json.loads((out / "evaluation.json").read_text())
    flown = re.search(r"^(\d+) tasks each; verdict (\w+): (.*)$", said, re.MULTILINE)
    assert flown is not None
    assert int(flown[1]) >= TASKS
    assert (flown[2], flown[3]) == (evaluation["verdict"], evaluation["reason"])
    # What imitation came to, six steps of reinforcement need not beat; everything else is asked of two minutes too.
    short_of = {each["id"] for each in evaluation["criteria"] if each["verdict"] != "GO"}
    assert short_of <= {"above_sft"}
    assert evaluation["verdict"] == ("NO_GO" if short_of else "GO")

    for plot in ("reward_curve.png", "before_after.png"):
        assert (out / plot).read_bytes().startswith(b"\x89PNG")
    shown = [
        out_ for cell in done for out_ in cell["outputs"] if "image/png" in out_.get("data", ())
    ]
    assert len(shown) == 2
    assert json.loads((out / "train.json").read_text())["verdict"] == "GO"
    assert (out / "models" / "trained" / "model.safetensors").is_file()
