"""Which keys a source asks for in the answer that it parses."""

from __future__ import annotations

import ast

import pytest

from gonogo.contract.parsed_keys import parsed_keys

HEAD = """
import json
KEYS = ["town", "boxes"]
WEIGHTS = {"town": 0.5, "boxes": 0.5}
class Env:
    REQUIRED_FIELDS = ("town", "boxes")
    def step(self, action):
"""


def asked(body: str, head: str = HEAD) -> list[dict[str, str | None]]:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return list(parsed_keys([ast.parse(f"{head}{lines}\n")]))


@pytest.mark.parametrize(
    "uses",
    [
        "set(data) == set(KEYS)",
        "data.keys() != {'town', 'boxes'}",
        "all(k in data for k in self.REQUIRED_FIELDS)",
        "any(name not in data for name in ('town', 'boxes'))",
        "set(KEYS) <= set(data)",
        "set(KEYS) - data.keys()",
        "set(KEYS).issubset(data)",
        "sum(w for key, w in WEIGHTS.items() if data.get(key) == self.right[key])",
        "data['town'] == 'Bute' and data.get('boxes') == 3",
        "'town' in data and 'boxes' in data.keys()",
        "[data[key] for key in sorted(KEYS)]",
    ],
)
def test_keys_that_a_parsed_answer_is_asked_for(uses: str) -> None:
    (keys,) = asked(f"data = json.loads(action.text)\nreturn {uses}")
    assert sorted(keys) == ["boxes", "town"]


@pytest.mark.parametrize(
    "body",
    [
        "text = re.sub('```', '', action.text.strip())\ntry:\n    data = json.loads(text)\n"
        "except ValueError:\n    data = {}",
        "data = self.read(action.text)",
        "data, error = self.read(action.text) or (None, 'no JSON')",
        "data = json.loads(action.text) if action.text else {}",
        "for block in re.findall('{.*}', action.text):\n    data = json.loads(block)",
    ],
)
def test_an_answer_is_followed_to_where_it_is_parsed(body: str) -> None:
    read = "def read(self, text):\n    return json.loads(text)\n"
    uses = "\nreturn data['town'], data['boxes']"
    head = HEAD.replace(
        "    def step", f"    {read.replace(chr(10), chr(10) + '    ')}\n    def step"
    )
    (keys,) = asked(body + uses, head)
    assert list(keys) == ["town", "boxes"]


def test_an_answer_is_followed_to_where_it_is_graded() -> None:
    grade = "\ndef grade(held, right):\n    found = set(held)\n    return found >= {'town', 'boxes'} and held['to']\n"
    (keys,) = asked("data = json.loads(action.text)\nreturn grade(data, 1)", f"{grade}{HEAD}")
    assert sorted(keys) == ["boxes", "to", "town"]


def test_a_list_that_has_to_be_just_the_keys_is_the_form() -> None:
    body = (
        "data = json.loads(action.text)\n"
        "return set(data) == set(KEYS) and data.get('note') and float(data['boxes'])"
    )
    assert asked(body) == [{"town": None, "boxes": "number"}]


def test_what_is_done_with_a_value_says_its_type() -> None:
    body = (
        "data = json.loads(action.text)\n"
        "return float(data['net']), int(data.get('n', '0')), data.get('to', []), data.get('by', ''), "
        "data.get('at', {}), data.get('late', False), data.get('vat', 0), data.get('why', None)"
    )
    kinds = {"net": "number", "n": "number", "to": "array", "by": "string", "at": "object"}
    assert asked(body) == [{**kinds, "late": "boolean", "vat": "number", "why": None}]


@pytest.mark.parametrize(
    "body",
    [
        "data = json.loads(open('rows.json').read())\nreturn data['town'], data['boxes']",
        "data = json.loads(self.path.read_text())\nreturn data['town'], data['boxes']",
        "data = json.loads(requests.get(action.url).text)\nreturn data['town'], data['boxes']",
        "data = action.model_dump()\nreturn set(data) == set(KEYS)",
        "data = action.text.lower()\nreturn all(word in data for word in ('town', 'boxes'))",
        "data = json.loads(action.text)\nreturn data == self.right",
        "data = json.loads(action.text)\nreturn data == {'town': 'Bute', 'boxes': 3}",
        "data = json.loads(action.text)\nreturn self.rows[0]['town'], self.rows[0]['boxes']",
        "data = json.loads(action.text)\nreturn [row['town'] for row in data]",
        "data = json.loads(action.text)\nreturn data['_town'], data['_boxes']",
        "return KEYS, self.REQUIRED_FIELDS",
    ],
)
def test_what_is_no_answer_or_is_asked_for_nothing_has_no_keys(body: str) -> None:
    assert asked(body) == []


def test_what_a_function_reads_from_a_file_is_no_answer() -> None:
    load = (
        "def load(path):\n    for line in path:\n        row = json.loads(line)\n"
        "        yield row['q'], row['a']\n"
    )
    assert list(parsed_keys([ast.parse(load)])) == []


def test_what_a_player_parses_is_no_answer_to_the_environment() -> None:
    play = "import openai\ndef act(reply):\n    data = json.loads(reply)\n    return data['town'], data['boxes']\n"
    assert list(parsed_keys([ast.parse(play)])) == []
    assert list(parsed_keys([ast.parse(play.partition("\n")[2])])) != []


def test_a_list_of_another_file_is_known_and_one_that_changes_is_none() -> None:
    grade = (
        "def grade(text):\n    data = json.loads(text)\n    return all(k in data for k in FIELDS)\n"
    )
    known, changes = 'FIELDS = ["a", "b"]\n', 'FIELDS = ["a", "b"]\nFIELDS = ["c"]\n'
    assert list(parsed_keys([ast.parse(known), ast.parse(grade)])) == [{"a": None, "b": None}]
    assert list(parsed_keys([ast.parse(changes), ast.parse(grade)])) == []
