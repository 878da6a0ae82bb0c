"""One cause is one finding, with its further witnesses below it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.records_made import episode_witness, finding

from gonogo.auditing.causes import CopiedField, Shortest, one_a_cause, paid_on
from gonogo.records.findings import EpisodeWitness, Finding, Severity
from gonogo.rollouts.space import Space


def shown(name: str, *plan: dict[str, Any], **given: Any) -> Finding:
    seen = EpisodeWitness.model_validate(episode_witness().model_dump() | {"plan": plan})
    return finding(name, witness=seen, **given)


def names(*findings: Finding) -> list[tuple[str, ...]]:
    return [each.names for each in one_a_cause(findings)]


def test_the_same_shortest_plan_is_one_finding_named_for_how_it_is_paid() -> None:
    general = shown("failure_earns_as_much", {"order": 9}, {"order": 9})
    (found,) = one_a_cause([general, shown("constant_answer_pays", {"order": 9})])
    assert found.names == ("constant_answer_pays", "failure_earns_as_much")
    assert found.severity is Severity.EXPLOIT  # the greatest weight of both
    assert found.further is not None and found.further[0].witness == general.witness


def test_what_blocks_stands_before_what_is_suspicious() -> None:
    idle = shown("paid_without_trying", {"do": "wait"}, severity=Severity.SUSPICIOUS)
    (found,) = one_a_cause([idle, shown("stalling_pays", {"do": "wait"})])
    assert found.names == ("stalling_pays", "paid_without_trying")
    assert found.severity is Severity.EXPLOIT


def test_where_any_text_is_paid_what_a_text_claims_is_no_cause_of_its_own() -> None:
    claim = shown("reward_from_agent_text", {"kind": "say", "text": "I solved it"})
    length = shown("paid_for_length", {"kind": "say", "text": "word " * 99})
    nonsense = shown("malformed_action_pays", {"kind": "say", "text": "qzx"})
    assert names(claim, length) == [("reward_from_agent_text",), ("paid_for_length",)]
    assert names(nonsense, claim, length) == [
        ("malformed_action_pays", "reward_from_agent_text", "paid_for_length")
    ]
    elsewhere = shown("reward_from_agent_text", {"kind": "ask", "text": "I solved it"})
    assert len(names(nonsense, elsewhere)) == 2


def test_other_plans_tasks_and_components_and_the_contract_stay_apart() -> None:
    one = shown("constant_answer_pays", {"order": 9})
    others = [
        shown("farmable_cycle", {"order": 8}),
        shown("farmable_cycle", {"order": 9}, task={"level": 2}),
        shown("farmable_cycle", {"order": 9}, component="fuel"),
        shown("nan_reward", {"order": 9}),
        shown("policy_is_an_exploit", {"order": 9}),
    ]
    assert [each.further for each in one_a_cause([one, *others])] == [None] * 6


@pytest.mark.parametrize(
    ("rewards", "head"),
    [((0.5, 0.5, 0.5, 0.5), "farmable_cycle"), ((0.5, 0.0, 0.0, 0.0), "milestone_then_idle")],
)
def test_a_milestone_that_is_paid_again_and_again_is_a_farm(
    rewards: tuple[float, ...], head: str
) -> None:
    plan = ({"do": "stamp"},)
    seen = EpisodeWitness.model_validate(
        episode_witness().model_dump() | {"plan": plan, "actions": plan * 4, "rewards": rewards}
    )
    both = [finding(name, witness=seen) for name in ("milestone_then_idle", "farmable_cycle")]
    (found,) = one_a_cause(both if head == "farmable_cycle" else both[:1])
    assert found.id == head and paid_on(found) is (head == "farmable_cycle")


SPACE = Space(
    {
        "properties": {
            "do": {"enum": ["wait", "say", "bet"]},
            "text": {"type": "string"},
            "stake": {"type": "number", "default": 0},
        },
        "required": ["do"],
    }
)


@pytest.mark.parametrize(
    ("suspected", "success", "plan", "found"),
    [
        ("constant_answer_pays", False, [{"do": "wait"}], "paid_for_idling"),
        ("verifier_crash_pays", False, [{"do": "wait"}], "paid_for_idling"),
        ("malformed_action_pays", None, [{"do": "wait"}], "paid_without_trying"),
        ("constant_answer_pays", None, [{"do": "wait"}], "paid_without_trying"),
        ("stalling_pays", False, [{"do": "wait"}], "stalling_pays"),
        ("constant_answer_pays", False, [{"do": "bet"}], "constant_answer_pays"),
        (
            "reward_from_agent_text",
            False,
            [{"do": "say", "text": "all done"}],
            "reward_from_agent_text",
        ),
        ("reward_from_agent_text", False, [{"do": "say"}], "constant_answer_pays"),
        ("paid_for_length", False, [{"do": "say", "text": "x"}], "malformed_action_pays"),
        ("keywords_pay", None, [{"do": "say", "text": "x"}], "paid_without_trying"),
        ("shotgun_answer_pays", False, [{"do": "say", "text": "a / b"}], "shotgun_answer_pays"),
        ("unbounded_action_pays", False, [{"do": "bet", "stake": 1e9}], "unbounded_action_pays"),
        ("unbounded_action_pays", False, [{"do": "bet"}], "constant_answer_pays"),
    ],
)
def test_what_is_left_of_a_plan_decides_its_name(
    suspected: str, success: bool | None, plan: list[dict[str, Any]], found: str
) -> None:
    assert Shortest.of(plan, SPACE, success).name(suspected) == found


def test_an_empty_text_is_no_idling_where_no_choice_does_nothing() -> None:
    """There the text is all that is sent, and an empty one is malformed."""
    space = Space({"properties": {"text": {"type": "string"}}, "required": ["text"]})
    left = Shortest.of([{"text": ""}], space, False)
    assert left.idles and left.name("verifier_crash_pays") == "verifier_crash_pays"


@pytest.mark.parametrize(
    ("sent", "found"),
    [
        ({"amount": 340}, "observation_echo_pays"),
        ({"amount": 7}, "paid_without_trying"),
        ({"amount": 4}, "paid_without_trying"),
        ({"amount": "load 340"}, "observation_echo_pays"),
        ({"do": "sell"}, "paid_without_trying"),
    ],
)
def test_a_copy_that_the_shortest_plan_does_not_hold_is_not_claimed(
    sent: dict[str, Any], found: str
) -> None:
    copied = CopiedField.of("amount", [340, "the load is 340"])
    left = Shortest([{"do": "sell", **sent}], {"do": "wait"}, [], ["amount"], None)
    assert left.name("observation_echo_pays", copied) == found
    assert left.name("observation_echo_pays") == "observation_echo_pays"
