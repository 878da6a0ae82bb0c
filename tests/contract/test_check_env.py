"""The map end to end, on real environments over both transports: sound ones, and one for each defect."""

from __future__ import annotations

import json
import typing
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.zoo.states import Kind

from gonogo import config
from gonogo.contract import check_env as station
from gonogo.contract.card import markdown
from gonogo.contract.check_env import (
    PER_TASK,
    complete,
    costs_told,
    refuse_full,
    volatile_note,
)
from gonogo.contract.findings import CHECKS, failed, passed
from gonogo.contract.tasks import Task
from gonogo.contract.trajectories import Trace
from gonogo.env.environment import Env
from gonogo.errors import EnvironmentFailure, EnvironmentTimeout, TargetError
from gonogo.records.contract import ContractReport
from gonogo.records.provenance import source_hash
from gonogo.records.record import Verdict
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Failure
from gonogo.rollouts.volatile import Volatile
from gonogo.rollouts.watch import Watch

Json = dict[str, Any]
Mapped = tuple[Verdict, Json]
Map = Callable[..., Mapped]
Serve = Callable[..., str]
FLIGHTRULES = Path(__file__).parents[2] / "envs" / "flightrules"
DEFECTS: dict[str, set[str]] = {
    "none": set(),
    "seed_ignored": {"seed_ignored"},
    "coin_tossed": {"seed_ignored"},
    "fixed_generator": {"episode_state_leak", "seed_ignored"},
    "episode_state_leak": {"episode_state_leak"},
    "session_state_leak": {"session_state_leak"},
    "process_dependent": {"process_dependent"},
    "nondeterministic": {"nondeterministic"},
    "paid_after_done": {"paid_after_done"},
    "revived_after_done": {"revived_after_done"},
    "nan_reward": {"nan_reward"},
    "nan_observation": {"nan_observation"},
    "missing_reward": {"missing_reward"},
    "bool_reward": {"bool_reward"},
    "observation_schema": {"observation_schema"},
    "step_raises": {"step_raises"},
    "done_at_reset": {"done_at_reset"},
}
"""What is found in each of the patient's tasks; a start that only counts episodes leaves a seed nothing to decide."""
TASK = Task({"level": 2}, "manifest")
ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="session")
def mapped(tmp_path_factory: pytest.TempPathFactory) -> Map:
    """Map a target with fields of the config in place; answers the verdict and the record."""

    def map_target(target: object, **fields: Any) -> Mapped:
        out = tmp_path_factory.mktemp("map")
        given = {name.replace("__", "."): value for name, value in fields.items()}
        run = config.load(None, {"target": str(target), "out": str(out), **given})
        verdict = station.run(run)
        return verdict, json.loads((out / "map.json").read_text())

    return map_target


def found(record: Json, **options: Any) -> set[str]:
    """Ids of the findings about one task."""
    return {f["id"] for f in record["findings"] if f["task"] == options}


def items(record: Json) -> dict[str, str]:
    """Verdicts of the contract by check."""
    return {item["id"]: item["verdict"] for item in record["contract"]}


def said(record: Json, check: str) -> str:
    """The evidence of a check in words."""
    return next(item["said"] for item in record["contract"] if item["id"] == check)


@pytest.fixture(scope="module")
def sound(mapped: Map, gridworld: Path) -> Mapped:
    return mapped(gridworld)


@pytest.fixture(scope="module")
def patient(mapped: Map) -> Mapped:
    """Every defect of the zoo's patient: each is a task that the signature of its reset offers."""
    return mapped("tests.zoo.defects:Patient", map__tasks=20, map__steps=8)


def test_a_sound_environment_is_go(sound: Mapped, gridworld: Path) -> None:
    verdict, record = sound
    assert verdict is Verdict.GO, record["reason"]
    assert record["schema"] == "gonogo/map/1"
    assert record["source_hash"] == source_hash(gridworld)
    assert set(items(record)) == set(CHECKS)
    assert [check for check, answer in items(record).items() if answer == "na"] == [
        "tool_names",
        "client_separation",
    ]
    assert record["findings"] == []
    assert record["seed"] == 0


def test_what_words_name_and_reset_raises_on_is_no_task(sound: Mapped) -> None:
    record = sound[1]  # of a grid whose splits need an index
    assert [task["options"] for task in record["tasks"]["flown"]] == [{}]
    assert any("split=train: no task" in note for note in record["notes"])


def test_the_card_names_files_and_lines(sound: Mapped, gridworld: Path) -> None:
    record = sound[1]
    lines = (gridworld / "server" / "environment.py").read_text().splitlines()
    reward = record["reward"]["places"][0]
    assert lines[reward["line"] - 1].strip().startswith("reward =")
    assert reward["file"] == "server/environment.py"
    (end, *_) = [p for p in record["terminal"]["places"] if "done=" in p["text"]]
    assert lines[end["line"] - 1].strip() == "done=self._over,"
    assert record["terminal"]["ended"] > 0
    breakdown = {entry["name"]: entry["place"] for entry in record["reward"]["breakdown"]}
    assert breakdown.keys() == {"reach", "speed"}
    assert '"reach"' in breakdown["reach"]["text"]
    assert record["reset"]["code"]["sets"] == ["_goal", "_over", "_state"]
    assert {p["name"] for p in record["reset"]["parameters"]} >= {"seed", "split", "index"}
    assert record["packaging"]["files"]["client"] is None
    assert record["action"]["fields"][0]["choices"] == ["stay", "north", "south", "east", "west"]
    assert record["action"]["fields"][1]["bounds"] == {"minimum": 1, "maximum": 2}


def test_over_a_url_the_contract_holds_and_the_card_has_gaps(
    mapped: Map, serve: Serve, gridworld: Path
) -> None:
    verdict, record = mapped(serve(gridworld))
    assert verdict is Verdict.HOLD
    assert "give the environment's folder" in record["reason"]
    unseen = {"determinism_new_process", "reward_range", "tool_names", "task_api"}
    assert {c for c, answer in items(record).items() if answer == "na"} == {
        *unseen,
        "client_separation",
    }
    assert record["findings"] == []


def test_openenvs_template_drops_its_seed_and_its_client_stands_alone(
    mapped: Map, echo: Path
) -> None:
    verdict, record = mapped(echo)
    assert verdict is Verdict.NO_GO
    assert found(record) == {"seed_ignored"}
    assert said(record, "client_separation").startswith("EchoEnv: importing client.py loads")
    assert "nothing varies" in said(record, "seed_control")
    assert record["packaging"]["files"]["dockerfile"] == "server/Dockerfile"
    assert [p["text"] for p in record["terminal"]["places"]] == ["done=False,", "done=False,"]


@pytest.mark.long
@pytest.mark.skipif(not FLIGHTRULES.is_dir(), reason="envs/ was deleted")
def test_flightrules_is_go(mapped: Map) -> None:
    pytest.importorskip("numba", reason="the environment is not installed")
    verdict, record = mapped(FLIGHTRULES, map__tasks=3, map__steps=8, map__end_steps=64)
    assert verdict is Verdict.GO, record["reason"]
    rubric = record["reward"]["rubric"]
    weights = {child["class"]: child["weight"] for child in rubric["children"]}
    assert weights == {"Primary": 0.4, "Process": 0.25, "Format": 0.2, "Efficiency": 0.15}
    assert all(child["file"] == "reward/rubrics.py" for child in rubric["children"])
    assert record["tasks"]["splits"][0]["name"] == "train"
    assert items(record)["client_separation"] == items(record)["task_api"] == "pass"


@pytest.mark.parametrize("defect", [name for name in DEFECTS if name != "none"])
def test_a_defect_of_any_task_is_found_by_its_name(patient: Mapped, defect: str) -> None:
    verdict, record = patient
    assert verdict is Verdict.NO_GO
    assert found(record, defect=defect) == DEFECTS[defect]
    flown = [t["options"].get("defect") for t in record["tasks"]["flown"]]
    assert flown == [None, *(name for name in DEFECTS if name != "none")]  # which is the default


def test_the_default_task_of_the_patient_is_harmless(patient: Mapped) -> None:
    assert found(patient[1]) == set()


def test_a_finding_carries_what_was_done_and_seen(patient: Mapped) -> None:
    record = patient[1]
    (paid,) = [f for f in record["findings"] if f["id"] == "paid_after_done"]
    assert paid["severity"] == "contract" and "accepted" not in paid
    assert paid["witness"]["reset"]["defect"] == "paid_after_done"
    assert len(paid["witness"]["actions"]) == len(paid["witness"]["rewards"]) == 5
    (nan,) = [f for f in record["findings"] if f["id"] == "nan_reward"]
    assert nan["witness"]["reward"] == "float nan"


def test_a_solution_that_is_told_at_the_end_and_taken_after_it_is_found(mapped: Map) -> None:
    _, record = mapped("tests.zoo.defects:Quiz")
    assert found(record) == {"paid_after_done"}
    (paid,) = record["findings"]
    assert paid["witness"]["rewards"][-1] == 1.0


def test_defects_of_the_environment_itself(mapped: Map) -> None:
    verdict, record = mapped(
        "tests.zoo.defects:Brittle", map__steps=8, map__seeds=2, map__end_steps=64
    )
    assert verdict is Verdict.NO_GO
    assert found(record) >= {"silent_reconnect", "malformed_action_fatal", "state_contract"}
    about_no_task = {f["id"] for f in record["findings"] if f["task"] is None}
    assert about_no_task == {
        "unknown_split_crashes",
        "negative_index_accepted",
        "unknown_split_accepted",
    }
    assert {"split": "train", "index": 0} in [t["options"] for t in record["tasks"]["flown"]]


@pytest.mark.parametrize(
    ("trick", "finding"),
    [
        # The rogue drops its seed, which shows where its episodes can be flown.
        ("unserializable", {"answer_not_json", "seed_ignored"}),
        ("exit", {"dies"}),
        ("hang", {"hangs"}),
        ("reset", {"silent_reset"}),
    ],
)
def test_the_rogues_tricks_are_findings(
    mapped: Map, rogue: Path, trick: str, finding: set[str]
) -> None:
    verdict, record = mapped(
        rogue, map__reset={"trick": trick, "[/b]": 1}, map__steps=4, rollout__timeout_s=2.0
    )
    assert verdict is Verdict.NO_GO
    assert found(record, **{"trick": trick, "[/b]": 1}) == finding


@pytest.mark.long
@pytest.mark.parametrize(("trick", "finding"), [("hang", "hangs"), ("exit", "dies")])
def test_so_they_are_over_a_url(
    mapped: Map, serve: Serve, rogue: Path, tmp_path: Path, trick: str, finding: str
) -> None:
    home = tmp_path / "home"  # a server of its own: the trick may end it
    home.symlink_to(rogue)
    (tmp_path / "rogue").symlink_to(rogue)
    url = serve(home, path=tmp_path)
    fields: dict[str, Any] = {"map__steps": 4, "rollout__timeout_s": 2.0}
    verdict, record = mapped(url, map__reset={"trick": trick}, **fields)
    assert verdict is Verdict.NO_GO
    assert found(record, trick=trick) == {finding}


@pytest.mark.long
def test_a_task_that_ends_its_process_does_not_spoil_the_others(
    mapped: Map, serve_class: Callable[[str], str]
) -> None:
    path = "tests.zoo.defects:Mortal"
    default: Json = {}
    others = [{"split": "train", "index": index} for index in (0, 1)]
    verdict, record = mapped(path, map__steps=4)
    assert verdict is Verdict.NO_GO
    assert "dies" in found(record, **default)
    told = [found(record, **task) for task in others]
    assert all("malformed_action_fatal" in ids and "dies" not in ids for ids in told)
    verdict, record = mapped(serve_class(path), map__steps=4)  # whose process is not ours to start
    assert verdict is Verdict.NO_GO
    assert found(record, **default) == {"dies", "state_contract"}
    judged = [i for i in record["items"] if i["id"] == "episode" and i["task"] in others]
    assert [item["verdict"] for item in judged] == ["na", "na"]
    assert "an earlier task lost the server" in judged[0]["said"]


def test_a_reset_that_raises_says_what_to_pass(mapped: Map, rogue: Path) -> None:
    verdict, record = mapped(rogue, map__reset={"trick": "raise in reset"})
    assert verdict is Verdict.HOLD
    assert "no start today; if it needs an option, give it: --reset" in record["reason"]


def test_an_option_that_reset_needs_is_named(mapped: Map) -> None:
    verdict, record = mapped("tests.zoo.defects:Needy")
    assert verdict is Verdict.HOLD
    assert "give --reset patient=VALUE" in record["reason"]
    assert record["tasks"]["flown"] == []
    verdict, record = mapped("tests.zoo.defects:Needy", map__reset={"patient": "me"}, map__steps=4)
    assert "nothing is paid after the end" not in record["reason"]
    assert items(record)["determinism_new_process"] == "pass"


@pytest.mark.parametrize(
    ("name", "finding"), [("Stillborn", "no_instance"), ("Stepper", "reserved_tool_name")]
)
def test_an_environment_that_cannot_be_made_is_a_finding(
    mapped: Map, name: str, finding: str
) -> None:
    verdict, record = mapped(f"tests.zoo.defects:{name}")
    assert verdict is Verdict.NO_GO
    assert found(record) == {finding}


def test_what_cannot_be_started_is_an_error(mapped: Map, tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="has no attribute 'Nobody'"):
        mapped("tests.zoo.defects:Nobody")
    (tmp_path / "openenv.yaml").write_text("name: slow\napp: app:app\n")
    (tmp_path / "app.py").write_text("import time\ntime.sleep(60)\n")
    with pytest.raises(EnvironmentTimeout, match="give --startup-s"):
        mapped(tmp_path, rollout__startup_s=0.5)


def test_the_page_has_every_table(sound: Mapped) -> None:
    page = markdown(ContractReport.parse(sound[1], Path("map.json")))
    for title in ("Card", "Action", "Observation", "State", "Reward", "Contract"):
        assert f"\n## {title}\n" in page
    assert "**GO**" in page


def test_the_checks_of_a_task_are_checks_in_their_order() -> None:
    known = list(CHECKS)
    places = [known.index(check) for check in PER_TASK]
    assert places == sorted(set(places))


def test_a_task_that_was_lost_has_an_answer_to_every_check() -> None:
    lost = failed("episode", "dies", "it died", TASK)
    items = complete(TASK, [lost], flew=False)
    assert items[0] is lost
    assert [item.checked.id for item in items[1:]] == list(PER_TASK)
    assert {(item.checked.verdict, item.checked.said) for item in items[1:]} == {
        ("na", "not flown: the task's episodes were lost")
    }
    assert all(item.checked.task == {"level": 2} for item in items)


def test_what_was_judged_is_not_answered_twice() -> None:
    judged = passed("reward_finite", "all are", TASK)
    again = [i.checked.id for i in complete(TASK, [judged], flew=False)]
    assert sorted(again) == sorted(PER_TASK)
    assert complete(TASK, [judged], flew=True) == [judged]


def test_a_server_without_a_session_says_nothing_of_the_environment() -> None:
    died, full = Failure("it died"), Failure("no session is left", kind="full")
    refuse_full([Trace({}), Trace({}, failure=died)])
    with pytest.raises(EnvironmentFailure, match="no session is left; free one, and map again"):
        refuse_full([Trace({}, failure=died), Trace({}, failure=full)])


def test_a_clock_is_told_with_two_of_its_values() -> None:
    said = volatile_note(TASK, "observation.at", Volatile("a clock", values=("10:31", "10:32")))
    assert said.startswith(
        "level=2: observation.at holds a clock: '10:31', then '10:32' by the same seed and actions"
    )


def test_every_state_that_does_not_count_steps_by_whole_numbers_breaks_the_contract(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    given = {"target": "tests.zoo.states:Stated", "out": str(tmp_path), "map.tasks": 30}
    station.run(config.load(None, {**given, "map.steps": 4, "map.seeds": 2}))
    record = ContractReport.load(tmp_path)
    broken = {(f.task or {})["kind"] for f in record.findings if f.id == "state_contract"}
    assert broken == set(typing.get_args(Kind)) - {"sound"}
    assert {f.id for f in record.findings} == {"state_contract"}
    assert max(len(f.explanation) for f in record.findings) < 300


def test_a_map_whose_time_is_over_holds_and_says_what_it_did_not_reach(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(ROOT)
    asked = {"target": "tests.zoo.cases.rotten_third_task:Sound", "out": str(tmp_path)}
    run = config.load(None, asked)
    report = station.check_env(run, Env.of(run), Watch(0.0))
    assert report.verdict is Verdict.HOLD and report.findings == ()
    assert "the time was over" in report.reason
    answers = {(i.verdict, i.said) for i in report.items if i.id in PER_TASK}
    assert ("na", "not flown in the time") in answers
    late = [i.id for i in report.items if i.evidence.late]
    assert set(PER_TASK) <= set(late)
    assert not any(i.verdict == "fail" for i in report.items)
    whole = station.check_env(run, Env.of(run), Watch())
    assert not any(i.evidence.late for i in whole.items)
    assert whole.verdict is not Verdict.HOLD or "the time was over" not in whole.reason


def test_a_lost_session_is_shown_as_a_process_shows_it_that_flew_nothing_before(
    mapped: Map, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What an earlier task left in an instance that sessions share is in no reader's process."""
    monkeypatch.chdir(ROOT)
    record = mapped("tests.zoo.turns:kept", map__steps=24)[1]
    assert {"level": "long"} in [task["options"] for task in record["tasks"]["flown"]]
    lost = [f for f in record["findings"] if f["id"] == "silent_reconnect" and not f["task"]]
    assert [len(each["witness"]["actions"]) for each in lost] == [3]


NAMES = """
from typing import Optional
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
app = FastAPI()
KEPT = {"level": 1}
class Begin(BaseModel):
    task_id: Optional[str] = None
    task_type: Optional[str] = None
    level: int = 1
class Move(BaseModel):
    to: int
@app.post("/reset")
def reset(asked: Begin):
    if asked.task_id is not None:
        raise HTTPException(404, f"Unknown task_id: {asked.task_id}")
    if asked.level != KEPT["level"]:
        KEPT["level"] = asked.level
        if asked.level not in [1, 2]:
            raise HTTPException(400, "level must be 1 or 2")
    return {"observation": {"task": asked.task_type or "any"}}
@app.post("/step")
def step(action: Move):
    return {"observation": {"at": action.to}, "reward": 0.0, "done": action.to > 5}
def colour(level):
    return "red" if level == 30 else "green"
"""


MODES = """
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Begin(BaseModel):
    difficulty: str = "easy"
    level: str = "one"
class Move(BaseModel):
    to: int
@app.post("/reset")
def reset(asked: Begin):
    held = 9 if asked.level == "two" else 5
    return {"observation": {"held": held, "difficulty": asked.difficulty}}
@app.post("/step")
def step(action: Move):
    return {"observation": {"held": action.to}, "reward": 0.0, "done": action.to > 5}
def heading(difficulty):
    return "red" if difficulty == "## Summary" else "green"
"""


def test_a_text_that_gives_what_any_other_gives_is_no_task(mapped: Map, tmp_path: Path) -> None:
    (tmp_path / "app.py").write_text(MODES)
    record = mapped(str(tmp_path), map__steps=4, map__seeds=2, map__end_steps=8)[1]
    assert [task["options"] for task in record["tasks"]["flown"]] == [{}, {"level": "two"}]
    assert (
        "difficulty=## Summary: no task, for another text gives the same episode" in record["notes"]
    )


NUMBERED = """
from fastapi import FastAPI, HTTPException
from pydantic import BaseModel
app = FastAPI()
class Begin(BaseModel):
    task_index: int = 0
    level: int = 1
    task_level: int = 1
class Move(BaseModel):
    to: int
@app.post("/reset")
def reset(asked: Begin):
    if asked.level > 2:
        raise HTTPException(404, "no such level")
    return {"observation": {"goal": [5, 9][asked.task_index % 2], "level": asked.level}}
@app.post("/step")
def step(action: Move):
    return {"observation": {"goal": action.to}, "reward": 0.0, "done": action.to > 5}
"""


def test_numbers_of_tasks_are_flown_where_they_open_other_episodes(
    mapped: Map, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(NUMBERED)
    record = mapped(str(tmp_path), map__steps=4, map__seeds=2, map__end_steps=8)[1]
    flown = [task["options"] for task in record["tasks"]["flown"]]
    levels = [{"task_level": 2}, {"task_level": 3}]  # how hard one is may not show early
    assert flown == [{}, {"level": 2}, {"task_index": 1}, *levels]  # the code names a level
    assert "task_index=2: no task, for without it gives the same episode" in record["notes"]


STATE_HANGS = """
import time
from fastapi import FastAPI
from pydantic import BaseModel
app = FastAPI()
class Move(BaseModel):
    to: int
@app.post("/reset")
def reset():
    return {"observation": {"at": 0}}
@app.post("/step")
def step(action: Move):
    return {"observation": {"at": action.to}, "reward": 0.0, "done": action.to > 5}
@app.get("/state")
def state():
    time.sleep(60)
"""


def test_a_state_that_never_answers_hangs_and_no_step_dies_of_it(
    mapped: Map, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(STATE_HANGS)
    record = mapped(str(tmp_path), map__steps=4, rollout__timeout_s=2.0)[1]
    assert found(record) == {"hangs"}
    (item,) = [i for i in record["contract"] if i["finding"] == "hangs"]
    assert "no answer to state within 2 s" in item["said"]


def test_a_name_is_flown_by_the_option_that_takes_it_and_what_is_refused_is_no_task(
    mapped: Map, tmp_path: Path
) -> None:
    (tmp_path / "app.py").write_text(NAMES)
    (tmp_path / "openenv.yaml").write_text("name: names\ntasks: [{id: sort}, {id: find}]\n")
    record = mapped(str(tmp_path), map__tasks=8, map__steps=4, map__seeds=2, map__end_steps=8)[1]
    flown = [task["options"] for task in record["tasks"]["flown"]]
    assert {"task_type": "sort"} in flown and {"task_type": "find"} in flown
    assert not any("task_id" in each or each.get("level") == 30 for each in flown)
    assert "task_id=sort: its reset refuses that, and takes task_type=sort" in record["notes"]
    assert "reset_raises" not in {finding["id"] for finding in record["findings"]}


LINKS = """
import re
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
class Review(Environment[Action, Observation, State]):
    def reset(self, link: str, seed=None, episode_id=None):
        self.state_ = State(episode_id=episode_id or "x", step_count=0)
        if re.fullmatch(r"https://.+/pull/[0-9]+", link) is None:
            raise ValueError(f"no link: {link!r}")
        return Observation(metadata={"level": "hard" if link == "easy_bug" else "easy"})
    def step(self, action: Action, timeout_s=None):
        return Observation(done=True, reward=1.0)
    @property
    def state(self):
        return self.state_
"""


def test_where_no_word_is_a_task_what_reset_takes_is_asked_for(mapped: Map, tmp_path: Path) -> None:
    (tmp_path / "review.py").write_text(LINKS)
    (tmp_path / "openenv.yaml").write_text("name: links\n")
    record = mapped(str(tmp_path), map__steps=4)[1]
    assert record["tasks"]["flown"] == []
    assert "what to give reset for its parameter link: give --reset link=VALUE" in record["reason"]


COUNTED = """
from typing import Literal

from openenv.core.env_server.interfaces import Action, Environment, Observation, State


class Act(Action):
    kind: Literal["look", "hint"]


class Seen(Observation):
    said: str = ""


class Counted(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def reset(self, seed=None, episode_id=None, **_) -> Seen:
        self._state = State(episode_id=episode_id, step_count=0)
        return Seen()

    def step(self, action: Act, timeout_s=None, **_) -> Seen:
        self._state.step_count += 2 if action.kind == "hint" else 1
        return Seen(said=action.kind, reward=0.0)

    @property
    def state(self) -> State:
        return self._state
"""


@pytest.mark.parametrize(
    ("readme", "broken"),
    [
        ("- `look` around\n- `hint`: a word of the answer (costs 2 steps)\n", False),
        ("- `look` around\n- `hint`: a word of the answer\n", True),
    ],
)
def test_a_step_that_is_written_to_cost_two_counts_as_two(
    mapped: Map, tmp_path: Path, readme: str, broken: bool
) -> None:
    (tmp_path / "counted_env.py").write_text(COUNTED)
    (tmp_path / "README.md").write_text(readme)
    _, record = mapped(tmp_path, map__steps=8, map__end_steps=8)
    assert ("state_contract" in found(record)) is broken
    assert "silent_reset" not in found(record)


def test_what_a_tool_or_a_field_says_of_its_cost_is_read() -> None:
    kinds: Json = {"type": "string", "enum": ["look", "hint"], "description": "hint costs 2 steps"}
    tool: Json = {
        "name": "dig",
        "description": "Digs a hole.\n\nCosts three steps.",
        "input_schema": {},
    }
    space = Space({"type": "object", "properties": {"kind": kinds}})
    assert costs_told("look costs 4 steps", space, [tool]) == {"look": 4, "hint": 2, "dig": 3}
    assert costs_told("", Space({"type": "object", "properties": {}}), []) == {}
