"""A word that is none is told by the rule that it broke and the nearest word that would keep it."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.test_cli import called

from gonogo import config
from gonogo.env.target import check_function, resolve
from gonogo.errors import ConfigError, Misuse, TargetError
from gonogo.nearest import names_in, nearest
from gonogo.policies.named import policy_hash

TEACHER = """
def walk(observation, memory):
    return {}
try:
    from os import fly as soar
finally:
    pass
"""
MODEL = "config.json"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a teacher's module and an environment a level below."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "policies.py").write_text(TEACHER)
    (tmp_path / "envs" / "helpdesk" / "server").mkdir(parents=True)
    (tmp_path / "envs" / "helpdesk" / "server" / "app.py").write_text("app = None\n")
    (tmp_path / "pack").mkdir()
    (tmp_path / "pack" / "policies.py").write_text(TEACHER)
    (tmp_path / "runs" / "helpdesc").mkdir(parents=True)  # no environment
    return tmp_path


def test_a_word_is_held_against_the_known_ones() -> None:
    assert (
        nearest("learning_rat", ["learning", "learning_rate"]) == "; did you mean 'learning_rate'?"
    )
    assert nearest("Walker", ["walker"]) == "; did you mean 'walker'?"
    assert nearest("xyz", ["walker"]) == nearest("", ["a"]) == ""


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("policies:wlk", r"policies.py has no 'wlk'; did you mean 'walk'\?"),
        ("policies:observation", r"policies.py has no 'observation'$"),
        ("polices:walk", r"no module 'polices' in .*; did you mean 'policies'\?"),
        ("nowhere.at.all:f", r"no module 'nowhere.at.all' in "),
        ("pack.polices:walk", r"no module 'pack.polices' in .*pack .*; did you mean 'policies'\?"),
    ],
)
def test_a_function_that_is_not_there_is_found_out_by_its_files(
    here: Path, path: str, said: str
) -> None:
    with pytest.raises(Misuse, match=said):
        check_function(path, "--reference")
    with pytest.raises(Misuse, match=said):
        policy_hash(path, resolve("envs/helpdesk"), None, config.ModelConfig())


def test_a_function_that_may_be_there_is_left_to_who_loads_it(here: Path) -> None:
    for path in (
        "policies:walk",
        "policies:soar",
        "pack.policies:walk",
        "math:floor",
        "os.path:join",
    ):
        check_function(path, "--reference")
    (here / "dynamic.py").write_text("from os import *\n")
    (here / "broken.py").write_text("def (")
    for path in ("dynamic:anything", "broken:anything"):
        check_function(path, "--reference")
    assert names_in(here / "nosuch.py") is None


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("train.sft.learning_rat", 0.1, "learning_rat: there is no such field; did you mean 'learning_rate'?"),
        ("train.curriculum.stages", [{"nam": "x"}], "stages.0.nam: there is no such field; did you mean 'name'?"),
        ("rollouts", {}, "rollouts: there is no such field; did you mean 'rollout'?"),
        ("zzz", 1, "zzz: there is no such field\n"),
        ("audit.reference", "policies", 'as in policies:walk, not "policies"; there it has soar, walk'),
        ("audit.reference", "nosuch:", 'MODULE:FUNCTION as in policies:walk, not "nosuch:"\n'),
        ("audit.rewards", ["a b"], 'audit.rewards.0: must be a function, MODULE:FUNCTION'),
    ],
)  # fmt: skip
def test_a_field_that_is_none_is_told_by_its_name(
    here: Path, field: str, value: object, said: str
) -> None:
    with pytest.raises(ConfigError) as caught:
        config.load(None, {"target": "t", "out": "o", field: value})
    assert said in f"{caught.value}\n"


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("envs/helpdes", "(none is there)"),
        ("helpdesk", "(none is there)"),
        ("envs/helpdesk/README.md", "(that is a file)"),
    ],
)
def test_a_target_that_is_none_names_the_environment_that_may_be_meant(
    here: Path, target: str, said: str
) -> None:
    (here / "envs" / "helpdesk" / "README.md").write_text("")
    with pytest.raises(TargetError) as caught:
        resolve(target)
    assert said in str(caught.value)
    assert str(caught.value).endswith("did you mean 'envs/helpdesk'?")


def test_no_word_of_a_command_is_left_without_its_neighbour(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "helpdesk.yaml").write_text("target: x\nout: y\n")
    (here / "out" / "models" / "trained").mkdir(parents=True)
    (here / "out" / "models" / "trained" / MODEL).write_text("{}")
    rolled = ["rollout", "envs/helpdesk", "--out", "out", "--policies"]
    for words, said in (
        (["demo"], "gonogo plan TARGET --file FILE"),
        (["demo", "--config", "helpdesk.yml"], "no such file; did you mean 'helpdesk.yaml'?"),
        (["demo", "--config", "helpdesk.yaml"], "gonogo plan TARGET --file FILE writes a config"),
        (["train", "envs/helpdesk"], "gonogo plan TARGET --file FILE writes a config"),
        ([*rolled, "randm"], "did you mean 'random'?"),
        ([*rolled, "traned"], "did you mean 'trained'?"),
        (["audit", "envs/helpdesk", "--reference", "policies:wal"], "did you mean 'walk'?"),
        (["tran"], "Did you mean 'train'?"),
    ):
        assert called(monkeypatch, *words) == 2, words
        told = capsys.readouterr().err
        assert said in " ".join(told.split()), (words, told)
