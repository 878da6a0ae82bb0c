"""What lies beside a target is read, and nothing of it is run."""

from __future__ import annotations

from pathlib import Path

from gonogo.contract.sources import Sources, held_in, verbs_in
from gonogo.env.target import resolve

DOOR = Path(__file__).parents[1] / "first_contact" / "door"


def test_source_readme_and_manifest_are_read(tmp_path: Path) -> None:
    (tmp_path / "server").mkdir()
    (tmp_path / "server" / "app.py").write_text(
        "def step(action):\n    'Takes `red`.'\n    return action.room == 'blue'\nraise SystemExit\n"
    )
    (tmp_path / "server" / "broken.py").write_text("def (")
    (tmp_path / "README.md").write_text('Send ```json\n{"room": "green"}\n``` to the `lobby`.')
    (tmp_path / "openenv.yaml").write_text("name: rooms\ntasks: [easy]\n")
    sources = Sources.of(resolve(str(tmp_path)))
    assert "blue" in sources.literals.near["room"]
    assert {"red", "lobby"} <= set(sources.words)
    assert {"room": "green"} in sources.actions
    assert sources.manifest["tasks"] == ["easy"]
    assert "Takes `red`." in sources.sentences


def test_a_folder_of_the_field_names_its_rooms() -> None:
    near = Sources.of(resolve(str(DOOR))).literals.near
    assert {"red", "blue", "green"} <= near["room"].keys()


def test_a_server_has_no_folder() -> None:
    sources = Sources.of(resolve("http://127.0.0.1:9"))
    assert (sources.words, sources.actions, sources.manifest) == ((), (), {})


def test_verbs_are_what_a_manifest_names_where_it_speaks_of_actions() -> None:
    manifest = {
        "name": "desk",
        "tasks": ["easy"],
        "action_space": [{"type": "reply_mail", "args": ["mail"]}, {"type": "wait"}],
        "tools": ["look_up", "not a name"],
        "actions": {"type": "object", "enum": ["close"]},
    }
    assert list(verbs_in(manifest)) == ["reply_mail", "wait", "look_up", "close"]


def test_what_stands_in_a_request_is_an_object_too_and_its_action_comes_first() -> None:
    request = {"session_id": "s1", "action": {"move": "right"}}
    answer = {"observation": {"at": 1}, "reward": 0.0}
    found = list(held_in([answer, request]))
    assert found[:2] == [{"move": "right"}, {"action": {"move": "right"}}]
    assert found[2:] == [request, answer, {"at": 1}]


def test_each_request_is_tried_in_all_its_ways_before_the_next_one() -> None:
    requests = [{"action": {"move": n}} for n in range(20)]
    found = list(held_in([*requests, {"session_id": "s1", "move": 3}]))
    assert found[:4] == [{"move": 0}, requests[0], {"move": 1}, requests[1]]
    assert found[40:] == [{"move": 3}, {"session_id": "s1", "move": 3}]


def test_what_is_said_of_the_reward_is_read_with_its_place(tmp_path: Path) -> None:
    (tmp_path / "models.py").write_text(
        "class Seen:\n    reward: float = Field(description='Running total')\n"
    )
    (tmp_path / "game.py").write_text(
        "class Game:\n    def reset(self): ...\n    def step(self, action): ...\n"
    )
    (tmp_path / "README.md").write_text("- The reward is 0.1 per character.\n- category: 0.4\n")
    (tmp_path / "openenv.yaml").write_text("name: x\nreward: the cumulative score\n")
    said = Sources.of(resolve(str(tmp_path))).pay
    assert said.total is not None and said.total.where == "docstring"
    assert said.length is not None and said.length.where == "README"
    assert said.part(["category"], 0.4) is not None
    (tmp_path / "models.py").unlink()
    said = Sources.of(resolve(str(tmp_path))).pay
    assert said.total is not None and said.total.where == "openenv.yaml"
