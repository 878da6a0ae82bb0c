"""What a result depends on is told by its hashes, versions and machine, and what changed is named."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from gonogo.errors import MissingRecord
from gonogo.records.files import read_record, write_record
from gonogo.records.provenance import (
    AuditorFingerprint,
    EpisodeFingerprint,
    provenance,
    source_hash,
    tree_hash,
)
from gonogo.rollouts.episodes import Episode


def environment(folder: Path) -> Path:
    (folder / "server").mkdir(parents=True)
    (folder / "openenv.yaml").write_text("name: x\n")
    (folder / "server" / "app.py").write_text("x = 1\n")
    return folder


def test_the_source_hash_follows_the_source_only(tmp_path: Path) -> None:
    one, two = environment(tmp_path / "one"), environment(tmp_path / "two")
    digest = source_hash(one)
    assert len(digest) == 64
    for name in (
        "README.md",
        ".git/HEAD",
        "server/__pycache__/app.py",
        "plots/a.json",
        "tests/t.py",
    ):
        (one / name).parent.mkdir(parents=True, exist_ok=True)
        (one / name).write_text("noise")
    assert source_hash(one) == source_hash(two) == digest
    (two / "server" / "app.py").write_text("x = 2\n")
    assert source_hash(two) != digest
    (one / "server" / "app.py").rename(one / "server" / "main.py")
    assert source_hash(one) != digest
    with pytest.raises(MissingRecord):
        source_hash(tmp_path / "none")


def test_provenance_names_versions_and_machine(tmp_path: Path) -> None:
    block = provenance()
    assert block["packages"]["numpy"] == np.__version__
    assert block["machine"].cpu_count == os.cpu_count()
    assert block["created"].endswith("+00:00")
    write_record(tmp_path / "x.json", "x", 1, {**block})
    assert read_record(tmp_path / "x.json", "x", 1)["machine"]["cpu_count"] == os.cpu_count()


def test_a_model_stays_the_same_when_its_card_is_written(tmp_path: Path) -> None:
    (tmp_path / "model.safetensors").write_bytes(b"weights")
    before = tree_hash(tmp_path)
    (tmp_path / "README.md").write_text("# A model\n")
    assert tree_hash(tmp_path) == before
    (tmp_path / "model.safetensors").write_bytes(b"other weights")
    assert tree_hash(tmp_path) != before


FLOWN = EpisodeFingerprint(source="ab", success="score > 1", max_turns=8, max_reply_tokens=64)


def episode(means: EpisodeFingerprint | None) -> Episode:
    return Episode(0, {"seed": 1}, "envs/x", "idle", flown_with=means)


def test_what_changed_is_named() -> None:
    assert FLOWN.changed(FLOWN) == []
    assert FLOWN.changed(replace(FLOWN, source="cd", max_turns=9)) == ["source", "max_turns"]
    here = AuditorFingerprint("ab", {"m:f": None}, None, None, {"numpy": "1"})
    assert here.changed(replace(here, functions={"m:f": "1"})) == ["functions"]
    assert here.changed(replace(here, packages={"numpy": "2"})) == ["packages"]


def test_an_episode_says_what_it_was_flown_with() -> None:
    for means in (FLOWN, None):
        assert Episode.from_json(episode(means).to_json()).flown_with == means
    assert json.loads(episode(None).to_json())["flown_with"] == {}


def test_an_episode_of_before_says_less() -> None:
    record = json.loads(episode(FLOWN).to_json())
    del record["flown_with"]["max_reply_tokens"]
    older = Episode.from_json(json.dumps(record)).flown_with
    assert older is not None and older.changed(FLOWN) == ["max_reply_tokens"]
    del record["flown_with"]
    assert Episode.from_json(json.dumps(record)).flown_with is None
