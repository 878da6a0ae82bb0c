"""What a result was made with is compared by name, and an episode's is read from files of earlier commits."""

from __future__ import annotations

import json
from dataclasses import replace

from gonogo.records.fingerprint import AuditorFingerprint, EpisodeFingerprint
from gonogo.rollouts.episodes import Episode

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
