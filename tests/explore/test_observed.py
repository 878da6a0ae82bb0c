"""What was shown is taken for a field of the same kind."""

from __future__ import annotations

from gonogo.explore.observed import Observed, single_words

SHOWN = {
    "orders": [{"id": "ORD-1", "status": "new"}, {"id": "ORD-2", "status": "held"}],
    "rooms": {"red": {"size": 3}, "blue": {"size": 4}},
    "available_actions": ["look"],
    "text": "Use one of: lamp, rope.",
}


def like(field: str) -> list[object]:
    observed = Observed()
    observed.add(SHOWN)
    return [value for value, likeness in observed.like(field) if likeness > 1]


def test_an_id_is_taken_from_the_list_of_what_it_names() -> None:
    assert like("order_id")[:2] == ["ORD-2", "ORD-1"]
    assert like("orderId")[:2] == ["ORD-2", "ORD-1"]


def test_a_field_takes_what_stands_under_its_own_name() -> None:
    assert like("status")[:2] == ["held", "new"]


def test_keys_of_a_mapping_are_ids_of_what_it_holds() -> None:
    assert set(like("room_id")) >= {"red", "blue"}


def test_keys_of_a_mapping_are_tried_for_a_field_of_any_other_name_too_but_later() -> None:
    observed = Observed()
    observed.add({"prices": {"AMBR": 2.0, "BIRK": 3.0}, "note": {"ticker": "LAST"}})
    found = observed.like("ticker")
    assert found[0][0] == "LAST"
    assert {"AMBR", "BIRK"} <= {value for value, _ in found}
    assert "prices" not in {value for value, _ in found}


def test_single_words_of_a_list_are_tried_for_any_field_but_later() -> None:
    observed = Observed()
    observed.add({"topics": ["billing", "refund"], "notes": ["all is well", "x"], "to": "desk"})
    found = observed.like("category")
    assert {"billing", "refund"} <= {value for value, likeness in found if likeness > 0}
    assert "all is well" not in {value for value, likeness in found}
    assert observed.like("to")[0][0] == "desk"
    assert list(single_words({"a": {"topics": ["x", "y"]}, "b": ["one"], "c": ["p q", "r"]})) == [
        "x",
        "y",
    ]


def test_what_a_text_lists_may_be_taken_by_any_field() -> None:
    observed = Observed()
    observed.add(SHOWN)
    found = [value for value, _ in observed.like("target")]
    assert max(map(found.index, ("lamp", "rope"))) < found.index("ORD-1")  # an id is tried last


def test_it_holds_no_more_than_its_bounds() -> None:
    observed = Observed()
    for number in range(2000):
        observed.add({"order": {"id": number}})
    found = [value for value, _ in observed.like("order_id")]
    assert found[0] == 1999
    assert len(found) <= 100


def test_keys_are_told_from_the_names_of_fields() -> None:
    for shown, keyed in (
        ({"bench": {"B-1": "waiting"}}, True),
        ({"names": ["B-1", "B-2"]}, True),
        ({"name": "B-1", "loads": [5, 10]}, False),
    ):
        observed = Observed()
        observed.add(shown)
        assert observed.keyed is keyed
