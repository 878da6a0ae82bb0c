"""What a flight compared, put into its plan."""

from __future__ import annotations

import time

from gonogo.explore.changes import (
    SWEPT,
    ComparedFlight,
    ComparedStep,
    PlanChange,
    certain,
    changes,
    is_open,
    promise,
    shared_out,
)
from gonogo.explore.substitution import MOST_CHARS, Swap
from gonogo.rollouts.types import Comparison
from gonogo.wire import Action, JsonValue


def compared(left: JsonValue, right: JsonValue, op: str = "==", site: str = "here") -> Comparison:
    return Comparison(op, left, right, False, site)


def flight(*steps: tuple[float, list[Comparison]], over: bool = False) -> ComparedFlight:
    taken = [ComparedStep(reward, {}, tuple(found)) for reward, found in steps]
    return ComparedFlight({}, taken, over)


def follow(made: PlanChange, flown: ComparedFlight, *ends: Action) -> dict[str, list[PlanChange]]:
    """What is made of a plan, by how the last change was made."""
    found: dict[str, list[PlanChange]] = {}
    for each in changes(made, flown, [(end, frozenset({"do"})) for end in ends]):
        found.setdefault(each.history[-1].split(" ")[0], []).append(each)
    return found


def test_values_of_one_place_are_tried_alone_and_in_turn() -> None:
    made = PlanChange(
        ({"do": "see"}, {"lamp": "zqax", "part": "zqbx"}), ("fit filled",), 1.0, start=1
    )
    found = follow(made, flight((0, []), (0, [compared("zqax", ["L1", "L2"], "in")])))
    assert [each.actions[-1]["lamp"] for each in found["lamp"]] == ["L1", "L2"]
    (swept,) = found["swept"]
    assert [action.get("lamp") for action in swept.actions] == [None, "L1", "L2"]
    assert swept.actions[1]["part"] != swept.actions[2]["part"]


def test_one_value_is_not_sent_in_turn() -> None:
    assert SWEPT[0] == 2
    made = PlanChange(({"lamp": "zqax"},), ("fit filled",), 1.0)
    assert "swept" not in follow(made, flight((0, [compared("zqax", ["L1"], "in")])))


def test_a_field_that_says_what_is_done_is_not_changed() -> None:
    made = PlanChange(({"do": "fit", "lamp": "zqax"},), ("fit filled",), 1.0, frozenset({"do"}))
    assert follow(made, flight((0, [compared("fit", "see")]))) == {}


def test_what_several_actions_were_compared_with_is_put_in_at_once() -> None:
    plan = ({"name": "a", "value": "zqbxaa"}, {"name": "b", "value": "zqbxab"})
    made = PlanChange(plan, ("set filled", "swept name here"), 1.0)
    flown = flight((0, [compared("zqbxaa", "Ada")]), (0, [compared("zqbxab", "Bo", site="b")]))
    (found,) = follow(made, flown)["together"]
    assert [action["value"] for action in found.actions] == ["Ada", "Bo"]
    again = follow(found, flown)["together"][0]
    assert again.history == found.history


def test_what_was_fined_is_left_out() -> None:
    plan = ({"name": "a"}, {"name": "b"}, {"name": "c"})
    made = PlanChange(plan, ("pull each",), 1.0)
    (found,) = follow(made, flight((1, []), (-0.5, []), (0, [])))["pruned"]
    assert [action["name"] for action in found.actions] == ["a", "c"]


def test_one_value_of_many_is_put_into_all_the_actions() -> None:
    plan = ({"lamp": "L1", "part": "zqbx"}, {"lamp": "L2", "part": "zqbx"})
    made = PlanChange(plan, ("fit filled", "swept lamp here"), 1.0)
    flown = flight((0, []), (0, [compared("zqbx", ["fuse", "relay"], "in")]))
    parts = [[a["part"] for a in each.actions] for each in follow(made, flown)["everywhere"]]
    assert parts == [["fuse", "fuse"], ["relay", "relay"]]


def test_what_the_end_compares_is_put_into_it_and_into_what_was_before() -> None:
    plan = ({"do": "write", "n": "zqax"}, {"do": "write", "n": "zqbx"})
    made = PlanChange(plan, ("write filled",), 1.0, frozenset({"do"}), start=1)
    end = [compared("zqax", "Ada"), compared("zqex", "Bo")]
    found = follow(
        made, flight((0, []), (0, []), (0, end), over=True), {"do": "send", "to": "zqex"}
    )
    assert found["late"][0].actions == ({"do": "write", "n": "Ada"}, plan[1])
    assert [each.actions[-1] for each in changes_of_end(found)] == [{"do": "send", "to": "Bo"}]


def changes_of_end(found: dict[str, list[PlanChange]]) -> list[PlanChange]:
    return [each for made in found.values() for each in made if each.history[0] == "end"]


def test_as_many_comparisons_as_actions_are_shared_out_in_order() -> None:
    plan = [{"rx": "1", "verdict": "pass"}, {"rx": "2", "verdict": "pass"}]
    sent = (compared("query", "pass"), compared("hold", "pass"), compared(3, 4))
    two, one, other = (
        each._replace(at=(place,)) for place, each in zip((1, 0, 2), sent, strict=True)
    )
    dealt, rest = shared_out(plan, [one, two, other])
    assert dealt == [[one], [two]]
    assert rest == [other]
    twice = Comparison("==", "hold", "pass", False, "here", 2)
    assert shared_out(plan, [twice]) == ([[], []], [twice])


def test_the_same_value_in_several_actions_is_shared_out_by_when_it_was_compared() -> None:
    plan: list[Action] = [{"label": "empty"}] * 3
    right = Comparison("==", "empty", "empty", True, "here", 2, (0, 2))
    wrong = Comparison("==", "empty", "fox", False, "here", 1, (1,))
    assert shared_out(plan, [right, wrong]) == ([[right], [wrong], [right]], [])


def test_all_that_one_action_was_compared_with_is_put_in_at_once() -> None:
    made = PlanChange(({"a": "zqax", "b": "zqbx"},), ("send filled",), 1.0)
    flown = flight((0, [compared("zqax", "Ada"), compared("zqbx", "Bo")]))
    (found,) = follow(made, flown)["at"]
    assert found.actions == ({"a": "Ada", "b": "Bo"},)


def test_all_that_is_missing_in_a_place_is_added_together() -> None:
    made = PlanChange((), ("send filled",), 1.0)
    sought = [compared("fever", "zqax", "in"), compared("rash", "zqax", "in")]
    (text,) = certain({"a": "zqax"}, sought, made)
    assert text.value == "zqax fever rash"
    asked = [compared("A", ["zqcx"], "in"), compared("B", ["zqcx"], "in")]
    (keys,) = certain({"a": {"zqcx": "zqdx"}}, asked, made)
    assert list(keys.value) == ["zqcx", "A", "B"]
    assert keys.value["A"] != keys.value["B"]  # each is known again


def test_what_is_added_is_no_longer_than_what_is_compared() -> None:
    sought = [compared(f"trouble {n} " * 20, "zqax", "in") for n in range(100)]
    (text,) = certain({"a": "zqax"}, sought, PlanChange((), ("send filled",), 1.0))
    assert MOST_CHARS / 2 < len(text.value) <= MOST_CHARS


def seconds_for(sides: int) -> float:
    """Processor time that it takes to put in what 80 actions compared with so many lists."""
    words = [[f"w{n}-{place}" for place in range(64)] for n in range(sides)]
    steps = [(0.0, [compared("nothing", each, "in") for each in words])] * 80
    made = PlanChange(({"a": "zqax", "b": ["zqbx", "zqcx"]},) * 80, ("send filled",), 1.0)
    began = time.process_time()
    follow(made, flight(*steps), {"a": "zqdx"})
    return time.process_time() - began


def test_what_many_actions_compared_takes_no_more_than_its_share_of_time() -> None:
    assert seconds_for(400) < 40 * seconds_for(40)  # it took 110 times as long


def test_a_distance_belongs_to_the_number_that_is_nearest() -> None:
    made = PlanChange((), ("write filled",), 1.0)
    measured = [compared(9337 - 3, 0.1, "<="), compared(8328.5 - 8.4, 0.1, "<=")]
    found = certain({"mean": 8328.5, "days": 9337}, measured, made)
    assert {swap.path[0]: round(swap.value, 6) for swap in found} == {"mean": 8.4, "days": 3}


def test_a_small_number_is_not_taken_for_another_by_chance() -> None:
    made = PlanChange((), ("write filled",), 1.0)
    assert certain({"n": 3}, [compared(3, 40)], made) == []
    small, own = Swap(("n",), 4, "same", "", 3), Swap(("n",), 4, "same", "", 7319)
    assert promise(small, 0, []) < promise(own, 0, [])
    assert promise(own, 0, [{"n": 4}]) < promise(own, 0, [{"n": 5}])


def test_what_was_put_in_as_a_whole_stays() -> None:
    same, guess = Swap(("a",), "x", "same", ""), Swap(("a",), "x", "element", "")
    assert is_open(same, ("set filled", "a element here"))
    assert not is_open(guess, ("set filled", "a element here"))
    assert not is_open(same, ("set filled", "a same here"))
    assert is_open(same, ("set filled", "b same here"))
