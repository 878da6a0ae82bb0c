"""What a source compares a field with, looks it up among, and does beside it."""

from __future__ import annotations

import ast
from textwrap import dedent

import pytest

from gonogo.contract.literals import COMPARED, GIVEN, Literals


def read(source: str) -> Literals:
    return Literals([ast.parse(dedent(source))])


@pytest.mark.parametrize(
    ("source", "values"),
    [
        ("if action.room == 'red' or 'blue' == action.room: pass", {"red", "blue"}),
        ("if action.room in {'red', 'blue'}: pass", {"red", "blue"}),
        ("ROOMS = {'red': 1, 'blue': 2}\nx = ROOMS[action.room]", {"red", "blue"}),
        ("ROOMS = {'red': 1}\nx = self.ROOMS.get(action.room.strip().lower())", {"red"}),
        ("match action.room:\n    case 'red' | 'blue':\n        pass", {"red", "blue"}),
        (
            "class R(Enum):\n    A = 'red'\nif action.room is not None and action.room == R.A.value: pass",
            {"red"},
        ),
        (
            "class R(str, Enum):\n    A = 'red'\n    B = 'blue'\nif action.room in [r.value for r in R]: pass",
            {"red", "blue"},
        ),
        ("room = (action.room or '').lower()\nif room == 'red': pass", {"red"}),
        ("verb, rest = action.room.split(' ', 1)\nif verb == 'go': pass", {"go"}),
        ("if 'rollback' in action.room.lower(): pass", {"rollback"}),
        ("if action.room.startswith('go '): pass", {"go "}),
        ("def grade(text):\n    return text == 'red'\ngrade(action.room)", {"red"}),
        ("words = action.payload.get('room')\nif words == 'red': pass", {"red"}),
        ("if action.room == -1: pass", {-1}),
        ("r, n = action.room, action.size\nif r == 'red' and n == 2: pass", {"red"}),
        (
            "ROOMS = ['red', 'blue']\nnames = sorted(rng.sample(ROOMS, 1))\nself.cost = {n: 1 for n in names}\n"
            "if action.room not in self.cost: pass",
            {"red", "blue"},
        ),
        ("r: str = action.room\nif r == 'red': pass", {"red"}),
    ],
)
def test_a_field_is_compared_with(source: str, values: set[object]) -> None:
    found = read(source).near["room"]
    assert {value for value, near in found.items() if near == COMPARED} == values


def test_what_is_given_somewhere_is_further_away() -> None:
    found = read("Order(room='red')\ntable = {'room': 'blue'}").near["room"]
    assert found == {"red": GIVEN, "blue": GIVEN}


def test_a_field_that_is_compared_with_another_name_may_take_what_that_one_is_given() -> None:
    found = read(
        """
        tickets = [{"label": name} for name in ["LOW", "TOP"]]
        said = action.priority.strip()
        if said == ticket["label"]: pass
        """
    ).near["priority"]
    assert found == {"LOW": GIVEN, "TOP": GIVEN}


def test_keys_of_a_mapping_are_those_that_it_is_asked_for() -> None:
    source = (
        "body = json.loads(action.payload)\nx = body['order']\ny = action.payload.get('size', 1)"
    )
    assert read(source).keys["payload"] == ["order", "size"]


def test_what_is_used_beside_a_value_is_known_also_through_a_call() -> None:
    source = """
    def step(self, action):
        if action.kind == "open":
            return self._open(action)
        if action.kind == "leave":
            return action.why

    def _open(self, action):
        return action.door
    """
    beside = read(source).beside
    assert "door" in beside["open"]
    assert "door" not in beside["leave"]
    assert "why" in beside["leave"]


def test_plain_keywords_are_kept_together() -> None:
    found = read(
        "class K(Enum):\n    A = 'open'\nstep(Act(kind=K.A, doors=['left'], who=me))"
    ).actions
    assert {"kind": "open", "doors": ["left"]} in found


@pytest.mark.parametrize(
    "source",
    [
        "WORDS = ['new', 'best', 'rare']\nfound = [w for w in WORDS if w in action.text.lower()]",
        "WORDS = ('new', 'best', 'rare')\n"
        "def grade(text):\n"
        "    said = set(re.findall('[a-z]+', text.lower()))\n"
        "    return sum(w in said for w in WORDS)\n"
        "grade(action.text)",
    ],
)
def test_a_list_whose_items_are_looked_for_is_kept_together(source: str) -> None:
    assert ("new", "best", "rare") in read(source).lists["text"]


@pytest.mark.parametrize(
    "source",
    [
        "step({'type': request.action, 'by': 1})\nif action['type'] == 'wait': pass",
        "act = Act(type=request.action)\nif act.type == 'wait': pass",
        "kind = {'type': request.action}.get('type')\nif kind == 'wait': pass",
    ],
)
def test_what_is_passed_on_under_another_name_is_known_by_its_own(source: str) -> None:
    assert read(source).near["action"] == {"wait": COMPARED}


def test_a_text_that_is_taken_apart_is_known_with_what_stands_between() -> None:
    source = "verb, _, rest = action.room.lower().partition(':')\nwords = action.text.split()"
    found = read(source).split
    assert (found["room"], found["text"]) == (":", " ")


@pytest.mark.parametrize(
    "chosen",
    [
        'getattr(self, "_do_" + action.tool)(action.given)',
        "getattr(self, f'_do_{action.tool}')(action.given)",
        "TABLE[action.tool](action.given)",
        "self.TABLE.get(action.tool)(action.given)",
        "call = getattr(self, '_do_' + action.tool, None)\n        call(action.given)",
        "call = TABLE.get(action.tool)\n        call(action.given)",
        "getattr(self, '_do_' + action.tool)(**action.given)",
    ],
)
def test_a_function_that_is_chosen_by_a_value_asks_for_its_keys(chosen: str) -> None:
    takes = "order, size" if "**" in chosen else "args"
    read_so = "pass" if "**" in chosen else "return args['order'], need(args, 'size')"
    found = read(
        f"""
class Shop:
    def step(self, action):
        {chosen}

    def _do_book(self, {takes}):
        {read_so}

    def _do_leave(self):
        return self.why

    TABLE = {{"book": _do_book, "leave": _do_leave}}

def need(args, name):
    if name not in args:
        raise ValueError(name)
    return args[name]
"""
    )
    assert set(found.keys["given"]) == {"order", "size"}
    assert {"order", "size"} <= found.beside["book"]
    assert "size" not in found.beside["leave"] and "why" in found.beside["leave"]


def test_an_attribute_that_is_read_by_its_name_chooses_between_no_functions() -> None:
    found = read("def run(a):\n    return a['x']\ngetattr(self, 'run')(action.given)")
    assert "given" not in found.keys
