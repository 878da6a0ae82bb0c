"""What a step reaches and what a reward is computed of, followed by names through a small source."""

from __future__ import annotations

import ast
import textwrap
from pathlib import Path

from gonogo.contract.followed import FollowedCode, called_by
from gonogo.contract.source import first_line, read_source
from gonogo.records.inspection import CodePlace, EnvironmentClass, EnvironmentCode

TEXT = """
class Env:
    def __init__(self):
        self.desk = Desk(3)

    def reset(self, seed=None):
        self.tickets = [1, 2]
        return {}

    def step(self, action):
        self.desk.close(action, note="done")
        paid = compute_reward(self.tickets, scale=self.scale)
        return {}, paid, False, {}

    def unused(self):
        return self.never

class Desk:
    def __init__(self, size):
        self.size = size

    def close(self, name, note=""):
        self.note = note

def compute_reward(left, scale):
    total = len(left)
    return scale / total

def forgotten():
    return 0
"""


def followed(folder: Path, text: str) -> FollowedCode:
    """The functions of a small environment, followed."""
    file = folder / "env.py"
    file.write_text(textwrap.dedent(text))
    (cls,) = [
        n for n in ast.parse(file.read_text()).body
        if isinstance(n, ast.ClassDef) and n.name == "Env"
    ]  # fmt: skip
    lines = {n.name: first_line(n) for n in cls.body if isinstance(n, ast.FunctionDef)}
    place = CodePlace(file=str(file), line=first_line(cls), name="Env")
    code = EnvironmentCode(
        environment=EnvironmentClass(**place.model_dump(), bases=(), classes=(place,)),
        reset=CodePlace(file=str(file), line=lines["reset"], name="reset"),
        step=CodePlace(file=str(file), line=lines["step"], name="step"),
        action=place,
        observation=place,
    )
    return FollowedCode(read_source(folder, [file]), code)


def test_a_step_reaches_what_it_calls_and_nothing_else(tmp_path: Path) -> None:
    found = followed(tmp_path, TEXT)
    assert {each.function.name for each in found.stepping} == {"step", "close", "compute_reward"}
    assert [each.function.name for each in found.resetting] == ["reset"]
    assert found.reset_known
    assert found.chain == {"Env"}


def test_what_callers_give_for_a_parameter_is_found_by_place_and_by_name(tmp_path: Path) -> None:
    found = followed(tmp_path, TEXT)
    (close,), (reward,) = found.named("close"), found.named("compute_reward")
    pairs = [(close, "name"), (close, "note"), (reward, "left"), (reward, "scale")]
    given = [[ast.unparse(each) for _, each in found.given(*pair)] for pair in pairs]
    assert given == [["action"], ["'done'"], ["self.tickets"], ["self.scale"]]
    ((caller, call),) = found.callers(close)
    assert (caller.function.name, ast.unparse(call.func)) == ("step", "self.desk.close")


def test_a_reward_is_computed_of_what_is_given_for_its_parameters(tmp_path: Path) -> None:
    found = followed(tmp_path, TEXT)
    paid = {ast.unparse(expression) for _, expression in found.paid}
    assert {"scale / total", "len(left)", "self.tickets", "self.scale"} <= paid
    assert not {"self.never", "note", "0"} & paid


def test_an_object_is_made_by_its_class_s_name(tmp_path: Path) -> None:
    found = followed(tmp_path, TEXT)
    made = next(each for each in found.codes if each.owner == "Desk")
    assert called_by(made) == "Desk"
    assert made in found.named("Desk")
    assert called_by(found.named("close")[0]) == "close"
