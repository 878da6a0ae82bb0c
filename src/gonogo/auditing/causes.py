"""One cause, one finding: what is paid for the same actions stands once, its further witnesses below it.

A cause is read from minimised witnesses. Two findings of a task have the same one if their shortest plans are the same,
or if a text that says nothing is paid and the other plan differs from it in that text alone: then any text is paid,
whatever else the other one claims. A finding that is general, as that a failure earns as much as a success, goes below
one that says how. What broke the contract, and what has no plan, is a cause of its own.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from gonogo.records.findings import EpisodeWitness, Finding, FurtherWitness, Severity
from gonogo.rollouts.schema import idle_choice
from gonogo.rollouts.space import Space, free_text, value_at
from gonogo.wire import Action, JsonValue

GENERAL = frozenset({"failure_out_earns_success", "failure_earns_as_much"})
"""Findings that say that a failure is paid, and not for what."""
APART = frozenset(
    {"policy_is_an_exploit", "unreachable_reward", "success_unpaid", "reward_uncorrelated"}
)
"""Findings whose witness shows one thing of many, and no cause."""
ANY_TEXT = "malformed_action_pays"
"""What is found where a text that says nothing is paid."""
FOR_NOTHING = "paid_without_trying"
"""The same where nothing says success."""

TEXTS = frozenset({
    "reward_from_agent_text", "paid_for_length", "format_outweighs_task", "keywords_pay", "observation_echo_pays",
    "shotgun_answer_pays",
})  # fmt: skip
"""Findings that claim that what an action says is paid."""
NUMBERS = frozenset({"self_reported_reward", "unbounded_action_pays"})
"""Findings that claim that a number is paid."""
NOT_IDLING = TEXTS | NUMBERS | {
    "constant_answer_pays", "emptying_pays", "milestone_then_idle", "farmable_cycle", "rest_not_counted",
}  # fmt: skip
"""Findings whose name is not true of a plan that does nothing."""
NOT_BY_CHOICE = frozenset({ANY_TEXT, "verifier_crash_pays"})
"""Findings whose name is not true of a plan that does nothing by choosing to, as an agent may."""
CLAIMED = frozenset({"reward_from_agent_text", "paid_for_length", "keywords_pay"})
"""Findings that are about a free text, and no other value."""
ANY_WORD = "x"
"""A text that says nothing."""


WORDS = re.compile(r"-?\d+(?:\.\d+)?|\w+")
ECHOED = "observation_echo_pays"
"""What is found where what was seen is sent back."""


@dataclass(frozen=True, slots=True)
class CopiedField:
    """Where a plan is said to send back what it saw.

    Attributes:
        name: Of the field that held the copy.
        copies: The words and numbers of the copies.
    """

    name: str
    copies: frozenset[str]

    @classmethod
    def of(cls, name: str, copies: Iterable[JsonValue]) -> CopiedField:
        """A field, and what was sent in it.

        Args:
            name: Of the field.
            copies: The values.
        """
        return cls(name, frozenset(word for each in copies for word in words_in(each)))

    def holds(self, value: JsonValue) -> bool:
        """Whether a value is still of the copies: it holds words and numbers, and no others than they do."""
        said = set(words_in(value))
        return bool(said) and said <= self.copies


def words_in(value: JsonValue) -> Iterator[str]:
    """The words and numbers of a value, the keys of objects among them, each as a text."""
    if isinstance(value, dict):
        yield from words_in([*value, *value.values()])
    elif isinstance(value, list):
        for held in value:
            yield from words_in(held)
    elif value is not None:
        yield from WORDS.findall(str(value))


@dataclass(frozen=True, slots=True)
class Shortest:
    """What minimising left of a plan.

    Attributes:
        plan: The actions.
        idle: The action that does least.
        texts: Names of the leaves that take any text.
        numbers: Names of the leaves that take a number.
        success: What its episode came to.
    """

    plan: Sequence[Action]
    idle: Action
    texts: Sequence[str]
    numbers: Sequence[str]
    success: bool | None

    @classmethod
    def of(cls, plan: Sequence[Action], space: Space, success: bool | None) -> Shortest:
        """A plan of an environment's actions."""
        leaves = space.leaves()
        texts = [leaf.name for leaf in leaves if free_text(leaf.schema, leaf.root) is not None]
        kinds = {"integer", "number"}
        numbers = [leaf.name for leaf in leaves if kinds & {o.get("type") for o in leaf.options}]
        return cls(plan, space.idle(), texts, numbers, success)

    @property
    def idles(self) -> bool:
        """Whether it does nothing."""
        return all(action == self.idle for action in self.plan)

    def needed(self, names: Sequence[str]) -> list[JsonValue]:
        """The values that it has in some leaves and idling has not."""
        pairs = [
            (value_at(each, name), value_at(self.idle, name))
            for name in names
            for each in self.plan
        ]
        return [mine for mine, idle in pairs if mine is not None and mine != idle]

    def name(self, suspected: str, copied: CopiedField | None = None) -> str:
        """The id that is true of it.

        Args:
            suspected: What the longer plan was suspected of.
            copied: Where the longer plan sent back what it saw; None where that is not known.
        """
        fails = self.success is False
        if self.idles:
            chosen = idle_choice([*self.idle.values()]) is not None
            if suspected not in (NOT_IDLING | NOT_BY_CHOICE if chosen else NOT_IDLING):
                return suspected
            return "paid_for_idling" if fails else FOR_NOTHING
        said = self.needed(self.texts)
        if suspected in TEXTS and said and all(text == ANY_WORD for text in said):
            return ANY_TEXT if fails else FOR_NOTHING
        claimed = said if suspected in CLAIMED else self.needed(self.numbers)
        copy = copied is None or any(map(copied.holds, self.needed([copied.name])))
        if (suspected in CLAIMED | NUMBERS and not claimed) or (suspected == ECHOED and not copy):
            return "constant_answer_pays" if fails else FOR_NOTHING
        return suspected


def one_a_cause(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings, each cause once, in the order in which their causes were found."""
    causes: list[list[Finding]] = []
    for finding in findings:
        same = (known for known in causes if any(alike(finding, other) for other in known))
        cause = next(same, None)
        if cause is None:
            causes.append([finding])
        else:
            cause.append(finding)
    return tuple(headed(cause) for cause in causes)


def alike(one: Finding, other: Finding) -> bool:
    """Whether the shortest plans of two findings are paid for the same."""
    if one.task != other.task or one.component != other.component:
        return False
    mine, theirs = plan_of(one), plan_of(other)
    if mine is None or theirs is None:
        return False
    if written(mine) == written(theirs):
        return True
    if not {ANY_TEXT, FOR_NOTHING} & {one.id, other.id} or len(mine) != 1 or len(theirs) != 1:
        return False
    return one_text(mine[0], theirs[0])


def plan_of(finding: Finding) -> tuple[Action, ...] | None:
    """A finding's shortest plan; None where it tells no cause."""
    if finding.id in APART or finding.severity is Severity.CONTRACT:
        return None
    return finding.witness.plan if isinstance(finding.witness, EpisodeWitness) else None


def written(plan: tuple[Action, ...]) -> str:
    """A plan as a text, the same for the same actions; a repeated last action is repeated anyway."""
    actions = [json.dumps(action, sort_keys=True) for action in plan]
    while len(actions) > 1 and actions[-1] == actions[-2]:
        actions.pop()
    return "\n".join(actions)


def one_text(mine: Action, theirs: Action) -> bool:
    """Whether two actions differ in one field alone, which is a text in both."""
    names = sorted(mine.keys() | theirs.keys())
    differing = [name for name in names if mine.get(name) != theirs.get(name)]
    return len(differing) == 1 and all(
        isinstance(action.get(differing[0]), str) for action in (mine, theirs)
    )


def headed(cause: list[Finding]) -> Finding:
    """The findings of a cause as one: the one that says most stands for all, with the greatest weight of theirs.

    Where one of them blocks, it is of those that do: what blocks nothing does not say why.
    """
    if len(cause) == 1:
        return cause[0]
    sure = [each for each in cause if each.severity is not Severity.SUSPICIOUS]
    head = min(sure or cause, key=rank)
    further = tuple(
        FurtherWitness(id=each.id, explanation=each.explanation, witness=each.witness)
        for each in cause
        if each is not head
    )
    severity = min((each.severity for each in cause), key=list(Severity).index)
    return head.model_copy(update={"further": further or None, "severity": severity})


def rank(finding: Finding) -> tuple[bool, bool, bool, int]:
    """The order in which findings of one cause stand for it: any text before what a text claims, how before that.

    A milestone is paid once: where the last action is paid again and again, it says less than any other.
    """
    repaid = finding.id == "milestone_then_idle" and paid_on(finding)
    return (
        finding.id in GENERAL,
        finding.id not in {ANY_TEXT, FOR_NOTHING},
        repaid,
        list(Severity).index(finding.severity),
    )


def paid_on(finding: Finding) -> bool:
    """Whether most repetitions of a plan's last action are paid as well."""
    seen, plan = finding.witness, plan_of(finding)
    if plan is None or not isinstance(seen, EpisodeWitness):
        return False
    repeated = [isinstance(pay, int | float) and pay > 0 for pay in seen.rewards[len(plan) :]]
    return bool(repeated) and 2 * sum(repeated) > len(repeated)
