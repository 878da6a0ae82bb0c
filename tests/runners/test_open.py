"""Who flies a run's policies: this process, on a real environment; and what is said where Ray is not there."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest
from tests.runners.flying import run_of

from gonogo.env.environment import Env
from gonogo.errors import MissingExtra
from gonogo.runners.open import open_runner


def test_ray_is_an_extra(gridworld: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    monkeypatch.delitem(sys.modules, "gonogo.runners.ray", raising=False)
    with pytest.raises(MissingExtra, match=r"--ray needs an extra: pip install 'gonogo\[ray\]'"):
        run = run_of(gridworld, tmp_path)
        open_runner(run, Env.of(run), over_ray=True)


def test_a_missing_extra_can_be_said_by_another_process() -> None:
    said = pickle.loads(pickle.dumps(MissingExtra("train", "the model x")))
    assert (said.extra, str(said)) == ("train", str(MissingExtra("train", "the model x")))
