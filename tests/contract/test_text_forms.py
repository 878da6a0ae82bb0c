"""What form a text is asked to have, read from source, README and observations; and what has it and says nothing."""

from __future__ import annotations

import ast
import json

import pytest

from gonogo.contract.prose import MOST_CHARS
from gonogo.contract.text_forms import MOST_FORMS, MOST_NAMES, TextForm, forms_of_texts

STRINGS = ("string", "string")


def forms(source: str = "", *texts: str) -> list[TextForm]:
    return forms_of_texts([ast.parse(source)], texts)


@pytest.mark.parametrize(
    ("text", "names", "types"),
    [
        ("Answer with JSON: shop (string), date (YYYY-MM-DD), net and vat (numbers).", ("shop", "date", "net", "vat"),
         ("string", "string", "number", "number")),
        ("The fields are: city, boxes.", ("city", "boxes"), (None, None)),
        ("Reply in JSON with town: str, boxes: int", ("town", "boxes"), ("string", "number")),
        ("Answer with one JSON object with exactly these keys: town, boxes, and to. Dates as YYYY-MM-DD (boxes).",
         ("town", "boxes", "to"), (None, None, None)),
        ("A JSON object with the following: town, boxes", ("town", "boxes"), (None, None)),
        ("Reply with JSON, with fields: town, boxes", ("town", "boxes"), (None, None)),
        ("Your JSON must have these keys:\n- `town`: the town's name (text)\n- **boxes** - a number\n- to\n\nBe quick.",
         ("town", "boxes", "to"), ("string", "number", None)),
        ('Send {"a": <int>, "b": "..."}', ("a", "b"), ("number", "string")),
        ('```\n{"town": "Bute", "boxes": 3, "late": false, "to": ["x"]}\n```', ("town", "boxes", "late", "to"),
         ("string", "number", "boolean", "array")),
    ],
)  # fmt: skip
def test_a_form_is_read_from_a_text(
    text: str, names: tuple[str, ...], types: tuple[str | None, ...]
) -> None:
    (form,) = forms("", text)
    assert (form.names, form.types, form.tagged) == (names, types, False)


@pytest.mark.parametrize(
    "text",
    [
        "The keys are checked with care.",
        "Fields of the observation:\n- town\n- boxes",
        "JSON keys:\n- Use the arrow keys\n- Press space to stop",
        "A JSON object with a sensible answer in it. Then: up, down",
    ],
)
def test_what_lists_no_names_is_no_form(text: str) -> None:
    assert forms("", text) == []


def test_each_sentence_has_its_own_form() -> None:
    two = forms("", "JSON with town, boxes. The keys of the other are: a, b, c.")
    assert [form.names for form in two] == [("town", "boxes"), ("a", "b", "c")]


def test_the_keys_of_a_parsed_answer_are_a_form() -> None:
    source = (
        "def grade(text):\n    data = json.loads(text)\n    return set(data) == {'town', 'boxes'}\n"
    )
    (form,) = forms(source)
    assert (form.names, form.types) == (("town", "boxes"), (None, None))
    assert forms(source.replace("loads(text)", "loads(open(text).read())")) == []


def test_a_form_is_read_from_the_source() -> None:
    said = forms(
        'A = {"town": str, "boxes": (int, float)}\nB = {"x": "string", "y": 3}\n'
        "class Slip(BaseModel):\n    to: str\n    at: list[int]\n    by: Sign | None = None\n"
        "class SlipAction(BaseModel):\n    one: str\n    two: str\n"
        "class Plain:\n    three: str\n    four: str\n"
    )
    assert {form.names: form.types for form in said} == {
        ("town", "boxes"): ("string", "number"),
        ("to", "at", "by"): ("string", "array", "string"),
    }


def test_tags_are_a_form() -> None:
    (form,) = forms("", "Use <think>why</think><answer>what</answer>, and <br> nothing")
    assert (form.names, form.tagged) == (("think", "answer"), True)
    assert form.fillings()[0] == "<think>x</think>\n<answer>x</answer>"


def test_a_form_with_types_stands_for_the_same_names_without() -> None:
    (form,) = forms('A = {"town": str, "boxes": int}', "The fields are: boxes, town.")
    assert form.types == ("string", "number")


def test_a_long_sum_is_no_type_and_a_long_union_is_its_first() -> None:
    joined = " + ".join(['"str"'] * 1500)
    assert forms(f'A = {{"town": {joined}, "boxes": int}}') == []
    either = " | ".join(["str"] * 1500)
    (form,) = forms(f'A = {{"town": {either}, "boxes": list[int]}}')
    assert form.types == ("string", "array")


def test_a_text_is_read_as_far_as_prose_is() -> None:
    late = f'{"." * MOST_CHARS}{{"town": 1, "boxes": 2}}'
    assert forms("", late) == [] and forms("", late[-30:])


def test_tags_are_not_too_many() -> None:
    assert forms("", "".join(f"<t{n}>x</t{n}>" for n in range(MOST_NAMES + 1))) == []


def test_fillings_have_the_form_and_say_nothing() -> None:
    known = TextForm(("town", "boxes"), ("string", "number"))
    assert [json.loads(text) for text in known.fillings()] == [
        {"town": "x", "boxes": 1},
        {"town": "qzxj vkwp", "boxes": 7},
        {"town": "", "boxes": 0},
    ]
    unknown = [json.loads(text) for text in TextForm(("a", "b"), (None, "string")).fillings()]
    assert {type(held["a"]) for held in unknown} == {str, int}


def test_one_name_is_no_form_and_there_are_not_too_many() -> None:
    assert forms("", 'Send {"a": 1}') == []
    many = "\n".join(f'{{"a{n}": 1, "b{n}": 2}}' for n in range(20))
    assert len(forms("", many)) == MOST_FORMS


LAID_OUT = """# Notes

A report:

    ## Cause
    which service failed
    ## Times
    - start: HH:MM
    - end: HH:MM
    ## Advice

```bash
## Install
## Run
```

```
ANSWER: the number
REASON: why
```

```
Answer: the number
and more
```
"""


def test_what_is_laid_out_under_headings_or_after_labels_is_a_form() -> None:
    forms = [form for form in forms_of_texts([], [LAID_OUT]) if form.layout]
    assert [form.names for form in forms] == [
        ("Cause", "Times", "start", "end", "Advice"),
        ("ANSWER", "REASON"),
    ]
    assert forms[0].fillings()[0] == ("## Cause\nx\n## Times\n- start: x\n- end: x\n## Advice\nx")
    assert forms[1].fillings()[1] == "ANSWER: qzxj vkwp\nREASON: qzxj vkwp"


def test_all_words_stand_in_each_part_as_far_as_there_is_room() -> None:
    form = TextForm(("cause", "tags"), ("string", "array"))
    said = form.said_everywhere(["disk", "network", "power"], 36)
    assert json.loads(said) == {"cause": "disk, network", "tags": ["disk", "network"]}
