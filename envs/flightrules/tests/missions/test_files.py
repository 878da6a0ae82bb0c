"""Mission files: what is exported is accepted, and whatever is edited in it is refused by its path."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from flightrules.errors import MissionError
from flightrules.missions import files
from flightrules.missions.__main__ import main
from flightrules.missions.files import check, export
from flightrules.missions.generator import generate
from flightrules.missions.knobs import AS_DRAWN, Knobs
from flightrules.missions.splits import LEVELS

TURNED = Knobs(horizon_s=3700, directives=6, tightness=1, anomaly="thruster_weak")


@pytest.fixture(scope="module")
def exported() -> str:
    """A mission of the richest level, with every knob turned."""
    return export("mission_ops", "test", 3, TURNED)


def edited(text: str, edit: Callable[[Any], object]) -> str:
    document = json.loads(text)
    edit(document)
    return json.dumps(document)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("split", ["train", "test_compositions"])
@pytest.mark.parametrize("knobs", [AS_DRAWN, Knobs(directives=2, tightness=0.77, anomaly="gauge")])
def test_what_is_exported_is_accepted_to_the_bit(level: str, split: str, knobs: Knobs) -> None:
    mission, read_knobs = check(export(level, split, 7, knobs))
    made, _ = generate(level, split, 7, knobs)
    assert read_knobs == knobs
    assert repr(asdict(mission)) == repr(asdict(made))
    assert mission.vehicle.packed().tobytes() == made.vehicle.packed().tobytes()


def test_a_file_is_complete_and_readable(exported: str) -> None:
    document = json.loads(exported)
    mission, _ = generate("mission_ops", "test", 3, TURNED)
    assert set(document) == {"generator", "knobs", *asdict(mission)}
    assert [order["text"] for order in document["directives"]] == [
        order.text for order in mission.directives
    ]
    assert document["vehicle"]["inertia"] == mission.vehicle.inertia.tolist()
    assert document["knobs"] == asdict(TURNED)
    assert len(exported.splitlines()) > 100
    assert check(json.dumps(document, indent=None, sort_keys=True))[1] == TURNED


def put(value: object, *path: str | int) -> Callable[[Any], None]:
    """An edit that writes a value."""

    def edit(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        document[path[-1]] = value

    return edit


def drop(*path: str | int) -> Callable[[Any], None]:
    def edit(document: Any) -> None:
        for step in path[:-1]:
            document = document[step]
        del document[path[-1]]

    return edit


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (
            put(0.5, "directives", 0, "formula", "f", "f", "threshold"),
            "directives[0].formula.f.f.threshold: the mission at mission_ops/test/3?horizon_s=3700&"
            "directives=6&tightness=1.0&anomaly=thruster_weak has 0.1, the file says 0.5",
        ),
        (put("Do as you like.", "directives", 1, "text"), "directives[1].text: the mission at"),
        (put("always", "directives", 0, "formula", "op"), "directives[0].formula.op: "),
        (put(1, "directives", 2, "given_s"), "directives[2].given_s: "),
        (put(9, "directives", 2, "end_s"), "directives[2].end_s: "),
        (put("D3", "directives", 0, "replaces"), 'directives[0].replaces: the mission at'),
        (drop("directives", 5), "directives[5]: missing"),
        (lambda it: it["directives"].append({}), "directives[6]: the mission at"),
        (put(3600, "horizon_s"), "horizon_s: the mission at"),
        (put(3700.0, "horizon_s"), "has 3700, the file says 3700.0"),
        (put("3700", "horizon_s"), 'has 3700, the file says "3700"'),
        (put(True, "decisions"), "decisions: the mission at"),
        (put(2.0, "vehicle", "flow_pct_s"), "vehicle.flow_pct_s: "),
        (put(1.0, "vehicle", "inertia", 1, 2), "vehicle.inertia[1][2]: "),
        (put([], "vehicle", "body"), "vehicle.body[0]: missing"),
        (put(0.0, "omega_BN_B", 0), "omega_BN_B[0]: "),
        (put(float("nan"), "q_BN", 3), "q_BN[3]: "),
        (put({}, "target_N"), "target_N: the mission at"),
        (put(7, "noise_seed"), "noise_seed: "),
        (put(None, "proof"), "proof: the mission at"),
        (put(0, "proof", "oracle_decisions"), "proof.oracle_decisions: "),
        (put(-1e-9, "proof", "idle_robustness", 0), "proof.idle_robustness[0]: "),
        (put(1.0, "anomalies", 0, "size"), "anomalies[0].size: "),
        (put([], "events"), "events[0]: missing"),
        (drop("vehicle", "bias"), "vehicle.bias: missing"),
        (put("red", "vehicle", "colour"), "vehicle.colour: the mission at"),
        (put(1, "spare"), "spare: the mission at"),
        (put(1, "knobs", "gravity"), "knobs.gravity: the mission at"),
        (drop("knobs", "anomaly"), "knobs.anomaly: missing, the mission at"),
        (put(6, "index"), "vehicle.inertia[0][0]: the mission at mission_ops/test/6?"),
        (put("train", "split"), "the mission at mission_ops/train/3?"),
        (put("exam", "split"), "split must be one of train, validation"),
        (put("moon", "level"), "level must be one of detumble, retarget"),
        (put(-1, "index"), "index must be at least 0, got -1"),
        (put("3", "index"), "index: Input should be a valid integer"),
        (put(True, "index"), "index: Input should be a valid integer"),
        (drop("split"), "split: Field required"),
        (put([], "knobs"), "knobs: Input should be"),
        (put(9, "knobs", "tightness"), "knobs: tightness must be a number from 0.5 to 1.5, got 9"),
        (put("2", "knobs", "directives"), "knobs.directives: Input should be a valid integer"),
        (put(1000, "knobs", "horizon_s"), "horizon_s must be longer than the window"),
        (put("0123456789abcdef", "generator"), "generator: the file was written by another version"),
        (put(1, "generator"), "generator: Input should be a valid string"),
    ],
)  # fmt: skip
def test_an_edit_is_refused_by_its_path(
    exported: str, edit: Callable[[Any], object], message: str
) -> None:
    with pytest.raises(MissionError, match=re.escape(message)) as caught:
        check(edited(exported, edit))
    assert len(str(caught.value).splitlines()) == 1
    assert len(str(caught.value)) < 700


def test_the_first_of_several_edits_is_named_and_the_others_counted(exported: str) -> None:
    def edit(document: Any) -> None:
        document["horizon_s"], document["decisions"], document["spare"] = 1, 1, 1

    with pytest.raises(MissionError, match=r"^horizon_s: .* the file says 1 \(and 2 more\)$"):
        check(edited(exported, edit))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "not JSON: Expecting value"),
        ("{", "not JSON: Expecting property name"),
        ("[" * 100_000, "not JSON: nested too deeply"),
        ("9" * 5_000, "not JSON: "),
        ("[]", "a mission file: Input should be an object"),
        ("3", "a mission file: Input should be an object"),
        ('{"level": "detumble", "level": "detumble"}', 'not JSON: a field is given twice: "level"'),
        ("{}", r"generator: Field required \(and 4 more\)"),
    ],
)
def test_what_is_no_mission_file(text: str, message: str) -> None:
    with pytest.raises(MissionError, match=message):
        check(text)


def test_a_file_of_another_version_is_refused_whatever_it_says(
    exported: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "source_hash", lambda: "another")
    with pytest.raises(MissionError, match=r'this is "another": export the mission again$'):
        check(exported)


def run(*words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "flightrules.missions", *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def test_the_command_writes_and_checks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "mission.json"
    address = ("mission_ops", "train", "2", "--directives", "2", "--horizon-s", "2400")
    written = run("export", *address, "--tightness", "0.9", "--anomaly", "none", "--out", str(path))
    assert (written.returncode, written.stdout, written.stderr) == (0, "", "")
    knobs = Knobs(horizon_s=2400, directives=2, tightness=0.9, anomaly="none")
    assert path.read_text() == export("mission_ops", "train", 2, knobs)
    main(["check", str(path)])
    accepted = capsys.readouterr().out
    assert "mission_ops/train/2?horizon_s=2400&directives=2&tightness=0.9&anomaly=none" in accepted

    path.write_text(
        path.read_text().replace(
            '"horizon_s": 2400,\n  "decisions"', '"horizon_s": 2500,\n  "decisions"'
        )
    )
    refused = run("check", str(path))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.startswith(
        "python -m flightrules.missions check: horizon_s: the mission at"
    )
    assert len(refused.stderr.splitlines()) == 1


def test_without_a_file_the_mission_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    main(["export", "detumble", "test", "1"])
    assert capsys.readouterr().out == export("detumble", "test", 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "the following arguments are required: command"),
        (["fly"], "invalid choice: 'fly'"),
        (["export", "detumble", "test"], "required: index"),
        (["export", "moon", "test", "1"], "invalid choice: 'moon'"),
        (["export", "detumble", "exam", "1"], "invalid choice: 'exam'"),
        (["export", "detumble", "test", "one"], "invalid int value: 'one'"),
        (["export", "detumble", "test", "-1"], "index must be at least 0, got -1"),
        (["export", "detumble", "test", "1", "--tightness", "9"], "tightness must be a number"),
        (["export", "detumble", "test", "1", "--tightness", "x"], "invalid float value: 'x'"),
        (["export", "detumble", "test", "1", "--directives", "3"], "directives must be at most 2"),
        (["export", "detumble", "test", "1", "--horizon-s", "60"], "must be longer than the window"),
        (["export", "detumble", "test", "1", "--anomaly", "gremlin"], "anomaly must be one of none"),
        (["check"], "required: file"),
        (["check", "/nowhere/mission.json"], "No such file"),
        (["check", "/"], "Is a directory"),
    ],
)  # fmt: skip
def test_misuse_is_answered_in_one_line(
    words: list[str],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    if words[:1] == ["export"]:
        words = [*words, "--out", "mission.json"]
    with pytest.raises(SystemExit) as ended:
        main(words)
    said = capsys.readouterr()
    assert (ended.value.code, said.out) == (2, "")
    assert message in said.err
    assert len(said.err.splitlines()) == 1
    assert list(tmp_path.iterdir()) == []


def test_a_file_that_is_no_text_and_a_folder_that_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "mission.json").write_bytes(b"\xff\xfe")
    for words in (
        ["check", str(tmp_path / "mission.json")],
        ["export", "detumble", "test", "1", "--out", str(tmp_path / "none" / "mission.json")],
    ):
        with pytest.raises(SystemExit) as ended:
            main(words)
        assert ended.value.code == 2
        assert len(capsys.readouterr().err.splitlines()) == 1
