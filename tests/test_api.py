"""gonogo as a library: typed answers, nothing printed, nothing left but what is asked for."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from gonogo import api
from gonogo.config import TaskPlan, load
from gonogo.env.environment import Env
from gonogo.errors import ConfigError, MissingRecord, Misuse, PolicyFailure, TargetError
from gonogo.pipeline.gates import check_audit
from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.findings import ContractWitness, Finding
from gonogo.records.record import Verdict
from gonogo.records.terminal import Terminal
from gonogo.rollouts.builtin_policies import IdlePolicy
from gonogo.rollouts.episodes import Episodes

Json = dict[str, Any]
ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def env(gridworld: Path) -> Iterator[Env]:
    with api.load_environment(gridworld, num_envs=4) as opened:
        yield opened


def test_policies_are_names_functions_and_objects(env: Env) -> None:
    own = IdlePolicy(env.schemas.action)
    own.name = "own"
    flown = api.rollout(env, ["random", own, lambda seen, memory: {"move": "stay"}], tasks=2)
    assert [e.policy for e in flown] == ["random"] * 2 + ["own"] * 2 + ["<lambda>"] * 2
    assert [e.index for e in flown] == [0, 1] * 3
    assert all(e.error is None for e in flown)


def test_one_policy_needs_no_list_and_one_task_no_plan(env: Env) -> None:
    (episode,) = api.rollout(env, "idle", tasks=1)
    assert (episode.policy, episode.task) == ("idle", {"seed": 0})


def test_a_function_that_raises_raises_in_the_caller(env: Env) -> None:
    def broken(observation: Json, memory: Json) -> Json:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        api.rollout(env, broken, tasks=1)
    with pytest.raises(PolicyFailure, match="must answer an action, not 'up'"):
        api.rollout(env, lambda seen, memory: "up", tasks=1)  # type: ignore[arg-type,return-value]


def test_what_is_no_policy_and_no_environment_is_refused(env: Env, tmp_path: Path) -> None:
    with pytest.raises(Misuse, match="a policy must be a name, a path, a function"):
        api.rollout(env, 3, tasks=1)  # type: ignore[arg-type]
    with pytest.raises(Misuse, match="no policy 'pilot'"):
        api.rollout(env, "pilot", tasks=1)
    with pytest.raises(TargetError, match="is no target"):
        api.load_environment(tmp_path / "nowhere")
    with pytest.raises(ConfigError, match=r"rollout\.slots"):
        api.load_environment("x:Y", num_envs=0)


def test_objects_of_one_name_are_two_policies_and_hide_none(env: Env) -> None:
    def idle(observation: Json, memory: Json) -> Json:
        return {"move": "east"}

    def other(observation: Json, memory: Json) -> Json:
        return {"move": "north"}

    other.__name__ = "idle"
    flown = api.rollout(env, ["idle", idle, other, idle.__call__], tasks=1)
    assert [e.policy for e in flown] == ["idle", "idle-2", "idle-3", "__call__"]
    moves = [e.turns[0].action and e.turns[0].action["move"] for e in flown]
    assert moves == ["stay", "east", "north", "east"]
    (again,) = api.rollout(env, idle, tasks=1)
    assert again.policy == "idle-2"


def test_one_that_flies_is_not_flown_by_another(env: Env) -> None:
    def nested(observation: Json, memory: Json) -> Json:
        api.rollout(env, "idle", tasks=1)
        return {"move": "stay"}

    with pytest.raises(Misuse, match="is flying already"):
        api.rollout(env, nested, tasks=1)


def test_a_config_says_all_and_what_is_said_beside_it_is_refused(
    gridworld: Path, tmp_path: Path
) -> None:
    run = load(None, {"target": str(gridworld), "out": str(tmp_path)})
    with pytest.raises(Misuse, match="a config says all: put folder, seed, policies, tasks"):
        api.evaluate(run, ["idle"], tasks=2, seed=1, folder=tmp_path)
    with pytest.raises(Misuse, match=r"audit\.reference"):
        api.audit(run, reference=lambda seen, memory: {})


@pytest.mark.parametrize("tasks", [0, -1, True, 1.5, "3", [{"seed": 0}]])
def test_what_names_no_tasks_is_refused(env: Env, tasks: Any) -> None:
    with pytest.raises((Misuse, ConfigError), match="tasks"):
        api.rollout(env, "idle", tasks=tasks)


def test_what_is_no_environment_and_no_recording_is_refused(env: Env) -> None:
    for wrong in ("tests/zoo/gridworld", None, 3):
        with pytest.raises(Misuse, match="load_environment"):
            api.rollout(wrong, "idle", tasks=1)  # type: ignore[arg-type]
        with pytest.raises(Misuse, match="load_environment"):
            api.replay(wrong, Episodes(()))  # type: ignore[arg-type]
    with pytest.raises(Misuse, match="episodes or a file"):
        api.replay(env, [3])  # type: ignore[list-item]


def test_a_policy_that_answers_no_reply_and_a_class_are_refused(env: Env) -> None:
    class Wrong(IdlePolicy):
        def act(self, views: Any) -> Any:
            return {slot: {"move": "stay"} for slot in views}

    with pytest.raises(PolicyFailure, match="must answer a Reply for each view"):
        api.rollout(env, Wrong(env.schemas.action), tasks=1)
    with pytest.raises(Misuse, match="a policy must be"):
        api.rollout(env, Wrong, tasks=1)  # type: ignore[arg-type]
    with pytest.raises(PolicyFailure, match="an action is JSON"):
        api.rollout(env, lambda seen, memory: {"move": object()}, tasks=1)


def test_an_environment_that_was_edited_is_another_one_after_it_was_closed(
    walked: Path, tmp_path: Path
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(walked, copy)
    with api.load_environment(copy) as env:
        before = api.evaluate(env, ["idle"], tasks=1).source_hash
        (copy / "more.py").write_text("MORE = 1\n")
        assert api.check_env(env, tasks=1, steps=4).source_hash != before
        env.close()
        assert api.evaluate(env, ["idle"], tasks=1).source_hash != before


def test_a_file_of_episodes_is_gone_on_with(env: Env, tmp_path: Path) -> None:
    file = tmp_path / "episodes.jsonl"
    few = api.rollout(env, "random", tasks=2, file=file)
    more = api.rollout(env, "random", tasks=3, file=file)
    assert list(more[:2]) == list(few)
    assert len(file.read_text().splitlines()) == 3


def test_a_config_says_all(gridworld: Path, tmp_path: Path) -> None:
    run = load(
        None,
        {
            "target": str(gridworld),
            "out": str(tmp_path),
            "evaluation.policies": ["walker"],
            "evaluation.split": "test",
            "evaluation.episodes": 2,
        },
    )
    assert [e.success for e in api.rollout(run)] == [True, True]
    assert (tmp_path / "episodes.jsonl").is_file()


def test_a_library_prints_nothing(gridworld: Path) -> None:
    code = (
        "from gonogo import api\n"
        f"with api.load_environment({str(gridworld)!r}) as env:\n"
        "    flown = api.rollout(env, ['idle', 'walker'], tasks=2)\n"
        "    assert api.replay(env, flown).reproduced\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    assert Terminal.speaks  # here the tests read what commands print


CASE = "tests.zoo.cases.paid_for_idling"


@pytest.fixture(scope="module")
def audited() -> Iterator[tuple[Env, AuditReport]]:
    """A defect of the zoo, audited with a succeeding policy that is an object of this process."""
    solve = import_module(CASE).solve
    with chdir(ROOT), api.load_environment(f"{CASE}:Defect") as env:
        yield env, api.audit(env, reference=solve, budget=3000, seeds=4)


def test_each_finding_of_an_audit_is_replayed(audited: tuple[Env, AuditReport]) -> None:
    env, report = audited
    assert report.verdict is Verdict.NO_GO
    assert "paid_for_idling" in {finding.id for finding in report.findings}
    assert all(api.replay(env, finding).reproduced for finding in report.findings)


@pytest.mark.parametrize(
    ("case", "wanted", "budget"),
    [
        ("bool_or_none_reward", {"missing_reward"}, 4_000),
        # The machine's load decides whether one process or another one shows the clock first.
        ("clock_dependent_reward", {"process_dependent", "nondeterministic"}, 20_000),
        ("episode_state_leak", {"episode_state_leak"}, 4_000),
        ("paid_after_done", {"paid_after_done"}, 9_000),
    ],
)
def test_a_proof_that_is_another_or_goes_past_the_end_is_replayed_as_such(
    case: str, wanted: set[str], budget: int
) -> None:
    solve = import_module(f"tests.zoo.cases.{case}").solve
    with chdir(ROOT), api.load_environment(f"tests.zoo.cases.{case}:Defect") as env:
        report = api.audit(env, reference=solve, budget=budget, seeds=4)
        assert wanted & {finding.id for finding in report.findings}
        for finding in report.findings:
            assert api.replay(env, finding).reproduced, finding.id


def test_a_report_is_a_file_a_table_and_html(
    audited: tuple[Env, AuditReport], tmp_path: Path
) -> None:
    _, report = audited
    report.save(tmp_path / "run")
    assert AuditReport.load(str(tmp_path / "run")) == report
    assert list(report.to_frame()["finding"]) == [finding.id for finding in report.findings]
    assert report._repr_html_().startswith("<p><b>NO-GO</b>: proven and replayed")
    assert "<td>paid_for_idling</td>" in report._repr_html_()


def test_the_contract_is_checked_by_flying(
    audited: tuple[Env, AuditReport], tmp_path: Path
) -> None:
    report = api.check_env(audited[0], tasks=1, steps=4, folder=tmp_path)
    assert ContractReport.load(tmp_path) == report
    assert (report.verdict, report.findings) == (Verdict.HOLD, ())  # a class has no package to see
    assert set(report.to_frame()["verdict"]) <= {"pass", "na"}


def test_policies_are_compared_in_pairs(audited: tuple[Env, AuditReport]) -> None:
    solve = import_module(CASE).solve
    report = api.evaluate(audited[0], ["idle", solve], tasks=12)
    difference = report.compare("idle", "solve").success_difference
    assert difference.mean is not None and difference.mean > 0.5
    assert list(report.to_frame()["policy"]) == ["idle", "solve"]
    with pytest.raises(KeyError):
        report.compare("solve", "nobody")
    assert report == api.evaluate(audited[0], ["idle", solve], tasks=12).model_copy(
        update={"created": report.created}
    )


def test_a_finding_about_no_flight_is_not_replayed(env: Env) -> None:
    witness = ContractWitness(tools=("reset",))
    finding = Finding(
        id="reserved_tool_name", task=None, component=None, witness=witness, explanation="x"
    )
    with pytest.raises(Misuse, match="reserved_tool_name: this finding holds no flight"):
        api.replay(env, finding)


def test_public_names_are_looked_up_when_they_are_used() -> None:
    code = (
        "import sys, gonogo\n"
        "assert [name for name in sys.modules if name.startswith('gonogo')] == ['gonogo']\n"
        "for name in gonogo.__all__:\n"
        "    value = getattr(gonogo, name)\n"
        "    assert getattr(value, '__doc__', None), name\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.long
def test_the_rest_of_the_workflow_leaves_its_records_in_one_folder(
    env: Env, tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Terminal, "speaks", False)
    with pytest.raises(MissingRecord, match="no map record there"):
        api.theme(env, folder=tmp_path)
    assert api.check_env(env, folder=tmp_path).verdict is Verdict.GO
    assert api.theme(env, folder=tmp_path).missing
    assert (
        api.probe(env, tasks=env.tasks("test", 3), folder=tmp_path).config["probe"]["episodes"] == 3
    )
    assert api.check_submission(env, quick=True, folder=tmp_path).boxes
    planned = api.plan(env, folder=tmp_path, file=tmp_path / "plan.yaml")
    assert load(tmp_path / "plan.yaml") == planned.config
    assert api.dry_run(planned.config) is planned.verdict
    assert "no audit.json in this run" in api.missing_before(planned.config, "train")
    board = {
        row.station: row.verdict for row in api.poll(env, only_read=True, folder=tmp_path).board
    }
    assert (board["map"], board["audit"]) == (Verdict.GO, None)
    assert {each.name for each in tmp_path.glob("*.json")} == {
        "map.json", "theme.json", "probe.json", "check.json", "poll.json",
    }  # fmt: skip
    assert capfd.readouterr() == ("", "")


def test_what_is_no_config_no_environment_or_no_station_is_misuse(env: Env) -> None:
    with pytest.raises(Misuse, match="config must be a TrainConfig, not 3"):
        api.train(env, 3)  # type: ignore[arg-type]
    for function in (api.demo, api.dry_run, api.load_model, api.check_statement):
        with pytest.raises(Misuse, match="a config is what load_config gives"):
            function(env)  # type: ignore[arg-type]
    with pytest.raises(Misuse, match="no station 'nowhere': map, "):
        api.missing_before(load(None, {"target": env.address, "out": "."}), "nowhere")
    with pytest.raises(Misuse, match="an environment is what load_environment gives"):
        api.poll(3)  # type: ignore[arg-type]
    with pytest.raises(Misuse, match="made from its author's words"):
        api.report("runs", writeup="story.md")
    with pytest.raises(Misuse, match="words and plots are for"):
        api.report("runs", words="theme.yaml")
    with pytest.raises(Misuse, match="compare is a list of pairs"):
        api.evaluate(env, ["idle", "random"], compare=("idle", "random"))  # type: ignore[arg-type]
    with pytest.raises(Misuse, match="what is replayed is"):
        api.replay(env, None)  # type: ignore[arg-type]
    for function in (api.fly, api.probe):
        with pytest.raises(Misuse, match="tasks must be a number"):
            function(env, "flown.jsonl", tasks="x")  # type: ignore[arg-type]
    with pytest.raises(Misuse, match="put tasks into it"):
        api.probe(load(None, {"target": env.address, "out": "."}), tasks=TaskPlan())
    with pytest.raises(Misuse, match="an empty text is none"):
        check_audit(load(None, {"target": env.address, "out": "."}), " ")


def test_all_of_a_plan_of_tasks_counts_and_a_single_name_is_a_list_of_one(env: Env) -> None:
    fields = api.tasks_of(env, env.tasks(episodes=200), "probe")
    assert (fields["probe.episodes"], fields["probe.start"]) == (200, 0)
    assert api.tasks_of(env, 3, "probe")["probe.episodes"] == 3
    assert api.tasks_of(env, None, "probe") == {}
    assert api.listed("models/mine") == ["models/mine"]
    assert api.listed([Path("a"), "b"]) == ["a", "b"]


def test_a_model_without_its_extra_says_which_one_is_missing(env: Env) -> None:
    code = (
        "import sys\n"
        "for name in ('torch', 'transformers', 'trl'): sys.modules[name] = None\n"
        "import gonogo as gg\n"
        "from gonogo.config import load\n"
        f"run = load(None, {{'target': {env.address!r}, 'out': '.'}})\n"
        "try: gg.load_model(run)\n"
        "except Exception as error: print(type(error).__name__, error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("MissingExtra") and "gonogo[train]" in done.stdout
