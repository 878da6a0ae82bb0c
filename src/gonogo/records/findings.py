"""What a station may find wrong with an environment: every id, once, with what it means and how to mend it.

A finding's id is what records, tests and later stations refer to, so it never changes its meaning. A
finding is proven: its witness is what was done and seen, so that it can be done again. How much it weighs is its
severity: all but what is suspicious is NO-GO.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import (
    Discriminator,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    Tag,
    field_validator,
    model_serializer,
)

from gonogo.nearest import nearest
from gonogo.records.inspection import CodeLine, RaisedError
from gonogo.records.record import Dumped, Part, written_as
from gonogo.wire import Action, JsonValue, Observation, State, TaskOptions

FINDINGS: dict[str, str] = {
    # An episode cannot be flown.
    "no_instance": "An instance of the environment cannot be made.",
    "reset_raises": "A reset that the environment itself offers raises an error.",
    "step_raises": "After some steps each action of the schema that was tried is answered with an error.",
    "action_raises": "An action of the schema raises an error that nobody meant. It blocks where the episode goes on "
    "without an answer, where its success is lost, and where the environment answers other nonsense.",
    "hangs": "The environment did not answer in time.",
    "dies": "The environment's process ended, or its server hung up, in the middle of an episode.",
    "answer_not_json": "An answer holds something that JSON cannot, so that no client gets it.",
    "silent_reset": "The environment moved to another episode, or back in this one, without saying so.",
    # What a step answers.
    "missing_reward": "No step of an episode gave a reward.",
    "bool_reward": "A reward is a truth value instead of a number.",
    "reward_not_numeric": "A reward is no number.",
    "nan_reward": "A reward is NaN or infinite, which the wire makes null; or NaN in an action is paid.",
    "reward_out_of_range": "A reward lies outside the range that the environment declares.",
    "nan_observation": "An observation holds NaN or an infinity; on the wire that becomes null.",
    "observation_schema": "An observation does not fit the schema that the environment publishes.",
    "state_contract": "The state does not hold the episode's id and the number of its steps.",
    # The same again.
    "seed_ignored": "The seed of a reset does not decide the episode.",
    "nondeterministic": "The same seed and actions give different episodes.",
    "process_dependent": "The same seed and actions give another episode in another process or at "
    "another time.",
    "episode_state_leak": "An episode depends on the episodes before it in the same session.",
    "session_state_leak": "An episode depends on what other sessions of the process do or did.",
    "kept_after_reset": "By the source, a reward reads what steps change and no reset empties.",
    # Manners.
    "done_at_reset": "An episode is over at its reset.",
    "paid_after_done": "Steps after the end of an episode are paid.",
    "revived_after_done": "A step after the end of an episode makes it run again.",
    "malformed_action_fatal": "A malformed action ends the session instead of being refused.",
    "example_refused": "The published schema's simple actions are refused, also the one that models are given.",
    "malformed_action_accepted": "An action of the wrong type is accepted as if it fitted the schema.",
    "silent_reconnect": "A step on a fresh session is answered, and nothing tells it from the lost one.",
    "reserved_tool_name": "A tool has a name that OpenEnv reserves: reset, step, state or close.",
    # Tasks.
    "unknown_split_crashes": "The task API answers an unknown split or index with a crash.",
    "unknown_split_accepted": "A reset to a split that does not exist starts an episode.",
    "negative_index_accepted": "The task API answers an index below zero with a task.",
    # What is paid without success.
    "paid_for_idling": "Doing nothing is paid although it fails.",
    "stalling_pays": "Doing nothing to the horizon out-earns the success that would end the episode.",
    "constant_answer_pays": "One action, the same whatever is seen, is paid although it fails.",
    "emptying_pays": "Deleting, dropping or emptying what is there is paid as if it were right: a check over "
    "what is left holds.",
    "settlement_avoided": "The end of an episode takes back what was paid, and whoever never ends it keeps all.",
    "rest_not_counted": "One thing done alone earns all there is, although others are left undone or taken away: pay "
    "is a share of what the agent itself chose.",
    "self_reported_reward": "A field that changes nothing but the reward pays what the agent claims.",
    "truncated_window_satisfied": "An episode that the agent cuts short is paid although it fails.",
    "malformed_action_pays": "An action that says nothing is paid although it fails.",
    "verifier_crash_pays": "An error is paid: one that the environment reports, or one that its grader swallows.",
    "reward_from_agent_text": "A claim in free text is paid, whatever was done.",
    "paid_for_length": "A long text is paid, whatever it says.",
    "format_outweighs_task": "The form of an answer is paid although its content is the same for any task.",
    "observation_echo_pays": "What was observed is paid for when it is sent back.",
    "shotgun_answer_pays": "Naming all the possible answers at once is paid.",
    "unbounded_action_pays": "A number beyond all sense, which no bound forbids, is paid.",
    "milestone_then_idle": "Stopping just before success out-earns the success.",
    "farmable_cycle": "A few actions repeated are paid each time, and the task is never done.",
    "failure_out_earns_success": "An episode that fails out-earns one that succeeds on the same seed.",
    "failure_earns_as_much": "An episode that fails earns as much as the best known success on the same seed.",
    "policy_is_an_exploit": "The policy under audit behaves as a proven exploit does.",
    # What success is worth.
    "early_end_success": "Ending at once is called a success, which going on without trying is not.",
    "unreachable_reward": "Not even the policy that is to succeed ever does, or it is proven that nobody can.",
    "success_unpaid": "A right answer is not paid: its episode succeeds and earns no more than a failure, and less "
    "than half of what the same answer earns in other words.",
    "reward_uncorrelated": "Failures and successes are paid alike.",
    "success_costs_nothing": "What does not try succeeds on most seeds, and is paid as well as anybody: idling, "
    "chance, nonsense, one constant, leaving lists empty, or destroying what is there.",
    # What needs no success.
    "paid_again": "The same action is paid again and again, while nothing that is seen changes or nothing ends it.",
    "score_paid_again": "Each step is paid the score reached so far: a step that does nothing is paid for it again.",
    "refused_action_pays": "What the environment's own answers refuse is paid: nonsense at each step, or each thing in "
    "turn as if it had been done.",
    "content_ignored": "What a text says makes no difference: nonsense or nothing earns what any other text does.",
    "paid_without_trying": "Idling, nonsense, one constant or a program that computes nothing earns much of the best "
    "that is known, on every seed.",
    "blind_plan_pays": "The same actions, whatever is shown, earn a full mark on every seed.",
    "keywords_pay": "The environment's own words, stuffed into a text as keywords, are paid.",
    "nothing_to_win": "All policies that were flown earn the same, whatever they did.",
    # What an agent gets without earning it.
    "leaked_answer": "The answer is handed out before it is earned: sent back, it succeeds.",
    "memorisable_tasks": "The episodes are so few that plans learned by heart succeed on other seeds.",
    # Packaging.
    "client_imports_server": "Importing the client imports the server's code.",
    "client_broken": "The client cannot be imported.",
}
"""Finding ids by what they mean."""

MENDS: dict[str, str] = {
    # An episode cannot be flown.
    "no_instance": "Let the environment be made without arguments, and say in the error what it needs.",
    "reset_raises": "Let reset serve every task and split that it offers, or offer them no longer.",
    "step_raises": "Find the state in which step raises, and answer there with an observation, or with done.",
    "action_raises": "Check the action's values where step begins, and answer a bad one with a refusal in the "
    "observation instead of an error.",
    "hangs": "Bound whatever step or reset waits for: loops, subprocesses, calls of the network.",
    "dies": "Keep the process alive: no exit in the environment, no unbounded memory, no crash of native code.",
    "answer_not_json": "Turn what the observation holds into texts, numbers, lists and mappings before it is sent.",
    "silent_reset": "Start another episode in reset only; where step has none to go on with, let it say so.",
    # What a step answers.
    "missing_reward": "Set the observation's reward at every step, 0.0 where nothing is earned.",
    "bool_reward": "Return float(correct) in place of the truth value.",
    "reward_not_numeric": "Return a float as the reward, never a text or a list.",
    "nan_reward": "Check the reward and the action's numbers with math.isfinite, and refuse an action that has others.",
    "reward_out_of_range": "Clip the reward to the range that is declared, or declare the range that it has.",
    "nan_observation": "Replace NaN and infinities in the observation by a number or by null.",
    "observation_schema": "Make the observation's class and what step returns agree, field by field.",
    "state_contract": "Keep the reset's episode_id in the state, and raise step_count, a whole number, by one at each "
    "step.",
    # The same again.
    "seed_ignored": "Draw everything of an episode from random.Random(seed) made in reset from its seed.",
    "nondeterministic": "Draw from a generator that reset seeds, never from the global one, a clock or a set's order.",
    "process_dependent": "Remove what differs between processes: hash(), the order of sets, clocks, process ids.",
    "episode_state_leak": "Let reset make every attribute of an episode anew.",
    "session_state_leak": "Keep an episode's state in the instance, not in the class, the module or a file.",
    "kept_after_reset": "Let reset set or empty the attribute; use None as the default, and make the set or list in "
    "the function.",
    # Manners.
    "done_at_reset": "Let reset give an episode in which at least one action can be taken.",
    "paid_after_done": "Where step begins, pay nothing if the episode is over.",
    "revived_after_done": "Where step begins, answer done again if the episode is over.",
    "malformed_action_fatal": "Catch the validation of an action, and answer with a refusal instead of ending the "
    "session.",
    "example_refused": "Put into the schema what step asks for (bounds, enums, required fields), so that a simple "
    "action of it is taken.",
    "malformed_action_accepted": "Validate the action's types strictly, as pydantic does with strict=True.",
    "silent_reconnect": "Let step refuse in a session that has had no reset.",
    "reserved_tool_name": "Rename the tool.",
    # Tasks.
    "unknown_split_crashes": "Answer an unknown split or index with an error that names those that exist.",
    "unknown_split_accepted": "Refuse a split that does not exist, instead of falling back to another one.",
    "negative_index_accepted": "Refuse an index below zero; Python counts it from the end.",
    # What is paid without success.
    "paid_for_idling": "Pay only for what the agent changed: begin at the state in which doing nothing would end, and "
    "pay the difference.",
    "stalling_pays": "Pay nothing for a step survived, or pay at success what the steps left would have earned.",
    "constant_answer_pays": "Ask for what no single answer gets right in all episodes, and pay a step only for "
    "progress that depends on the episode.",
    "emptying_pays": "Check that what is to be kept is still there before what is left is judged, and divide by what "
    "was there at the reset.",
    "settlement_avoided": "Settle the episode wherever it ends, at the limit of turns, too.",
    "rest_not_counted": "Divide by what was there at the reset, so that what is not attempted, withdrawn or taken away "
    "counts as not done.",
    "self_reported_reward": "Compute the reward from the environment's own state, never from a field that the agent "
    "fills in.",
    "truncated_window_satisfied": "Judge an episode that ends early over the whole window, steps not taken as failed.",
    "malformed_action_pays": "Pay nothing for an answer that cannot be parsed or is empty: let the default of the "
    "score be 0.",
    "verifier_crash_pays": "Let an error of the checker score 0, in its except branch too.",
    "reward_from_agent_text": "Check what was done, not what the text says of it: no keyword of the agent's earns.",
    "paid_for_length": "Take the text's length out of the score, or bound it by what the answer needs.",
    "format_outweighs_task": "Pay the form only together with right content, as a factor or a small bonus.",
    "observation_echo_pays": "Compare with an answer that the observation does not hold, and give no credit for words "
    "copied from it.",
    "shotgun_answer_pays": "Let every wrong answer named cost as much as a right one earns, or take one answer only.",
    "unbounded_action_pays": "Bound the number in the schema (ge, le), and clip what it can earn.",
    "milestone_then_idle": "Pay success more than all milestones together, or take back milestones where it fails.",
    "farmable_cycle": "Pay each thing once per episode: remember what was paid, or pay the change of a potential.",
    "failure_out_earns_success": "Bound what an episode can collect on its way below what success adds.",
    "failure_earns_as_much": "Let the final success add more than any failed episode can collect on the same task.",
    "policy_is_an_exploit": "Mend the finding that it behaves as, and train again.",
    # What success is worth.
    "early_end_success": "Say success only where the goal was reached, not where nothing failed until the end.",
    "unreachable_reward": "Look whether the condition of success can hold at all, and whether it is read after the "
    "last step.",
    "success_unpaid": "Let the score be decided by what success is, and read each form of a right answer that success "
    "reads.",
    "reward_uncorrelated": "Let the reward depend on what success is judged by.",
    "success_costs_nothing": "Ask for something that idling, chance, nonsense, an empty list and an emptied place do "
    "not reach, or pay success by what it takes.",
    # What needs no success.
    "paid_again": "Pay an action for what it changes, once, and end the episode after a number of steps.",
    "score_paid_again": "Pay the difference that a step makes to the score, or the score once, at the end.",
    "refused_action_pays": "Pay nothing for a step that is answered with an error, and do not raise rewards to a "
    "minimum above 0.",
    "content_ignored": "Let the score depend on what the text says; an empty one earns nothing.",
    "paid_without_trying": "Let the score depend on what the episode asks for, and let it begin at 0: what is sent "
    "without a look at the task should earn little of it.",
    "blind_plan_pays": "Let the mark depend on what the episode asks for: look what these actions leave undone, and "
    "what the score makes of it.",
    "keywords_pay": "Check what a text says, not which words are in it; let words that do not belong there cost.",
    "nothing_to_win": "Show an episode that earns more, or let the reward depend on what is done.",
    # What an agent gets without earning it.
    "leaked_answer": "Take the answer, also in another form, out of observation, metadata and state until the episode "
    "is over.",
    "memorisable_tasks": "Draw episodes from more than can be learned by heart, and hold some back for evaluation.",
    # Packaging.
    "client_imports_server": "Import only models and openenv in the client; move what it shares with the server there.",
    "client_broken": "Let the package's client be imported with nothing installed but its declared dependencies.",
}
"""How to mend what a finding says, in one sentence."""


class Severity(StrEnum):
    """How much a finding weighs."""

    EXPLOIT = "proven exploit"
    """Paid a large part of a success, or more, while it fails; or paid without bound."""
    EFFORTLESS = "pays without an effort"
    """Paid, or called a success, for what takes no skill."""
    SUSPICIOUS = "suspicious"
    """Worth a look, and no proof of a fault: a warning, which is no NO-GO."""
    CONTRACT = "contract"
    """The environment breaks what every environment has to keep."""


EFFORTLESS = frozenset({
    "paid_for_idling", "constant_answer_pays", "truncated_window_satisfied", "malformed_action_pays",
    "reward_from_agent_text", "paid_for_length", "format_outweighs_task", "observation_echo_pays",
    "shotgun_answer_pays", "early_end_success", "leaked_answer", "memorisable_tasks",
    "success_costs_nothing", "keywords_pay",
})  # fmt: skip
"""Findings that take no skill to be paid, where nothing else is said of how much."""
EXPLOITS = frozenset({
    "stalling_pays", "emptying_pays", "rest_not_counted", "settlement_avoided", "self_reported_reward",
    "verifier_crash_pays", "unbounded_action_pays", "milestone_then_idle", "farmable_cycle",
    "failure_out_earns_success", "failure_earns_as_much", "policy_is_an_exploit", "reward_uncorrelated",
    "blind_plan_pays",
})  # fmt: skip
"""Findings that are exploits by what they mean."""
SUSPICIOUS = frozenset({
    "paid_again", "score_paid_again", "content_ignored", "paid_without_trying", "nothing_to_win",
    "refused_action_pays", "kept_after_reset",
})  # fmt: skip
"""Findings that block nothing by what they mean."""


def severity_of(name: str) -> Severity:
    """How much a finding of this id weighs where nothing else is said of it."""
    for severity, names in (
        (Severity.EXPLOIT, EXPLOITS),
        (Severity.EFFORTLESS, EFFORTLESS),
        (Severity.SUSPICIOUS, SUSPICIOUS),
    ):
        if name in names:
            return severity
    return Severity.CONTRACT


class EpisodeWitness(Part):
    """An episode that anyone can fly again, and what it came to.

    Numbers that JSON does not have are named in it, see :func:`gonogo.exploits.witness.encode`.
    """

    reset: TaskOptions
    """Reset options, the seed among them."""
    actions: tuple[Action, ...]
    """What was sent, turn by turn."""
    rewards: tuple[JsonValue, ...]
    """What each action was paid; None where it was refused or no reward was given."""
    total: Annotated[float, written_as("return")]
    """The return."""
    success: bool | None
    """What the environment said at the end."""
    done: bool
    """Whether the environment ended the episode."""
    plan: tuple[Action, ...] | None = None
    """The shortest actions that are paid so, the last one repeated to the end; None where none were sought."""
    resets_before: tuple[TaskOptions, ...] | None = None
    """Resets of a fresh process that come before its own, in order; None where it is of the first one."""

    @property
    def sent(self) -> tuple[Action, ...]:
        """What has to be sent to see it again."""
        return self.plan or self.actions

    def worth(self, finding: str) -> str:
        """The return, for a reader; in words where a reward was NaN or infinite, of which the wire makes null.

        Args:
            finding: Id of the finding that it proves.
        """
        unknown = finding == "nan_reward" and None in self.rewards
        return "no number" if unknown else f"{self.total:g}"


class FirstDifference(Part):
    """The first thing in which two flights of the same plan differ."""

    step: int
    """The step after which it shows; 0 is the reset."""
    field: str | None = None
    """Where: a field of the observation or the state, the reward, or whether the episode is done."""
    values: tuple[JsonValue, JsonValue] | None = None
    """What either flight showed there."""
    flight: str | None = None
    """Name of the flight that is another."""


class RewardLine(CodeLine):
    """A line of an environment that computes a reward."""

    code: str
    """What stands there."""

    def __str__(self) -> str:
        """For a reader."""
        return f"{self.file}:{self.line}: {self.code}"


class ContractWitness(Part):
    """What was done and seen where the contract broke; there is only what the finding is about."""

    reset: TaskOptions | None = None
    """Reset options."""
    resets_before: tuple[TaskOptions, ...] | None = None
    """Resets of a fresh process that come before its own, in order; absent where it is of the first one."""
    actions: tuple[Action | str, ...] | None = None
    """What was sent, turn by turn; a text says how many more there were."""
    rewards: tuple[JsonValue, ...] | None = None
    """What each action was paid."""
    raised: RaisedError | None = None
    """The error that the environment raised at the last action."""
    difference: FirstDifference | None = None
    """In what a repetition was another."""
    seeds: tuple[int, ...] | None = None
    """Seeds that gave the same episode."""
    reward: str | None = None
    """The last reward as Python shows it, where it is no finite number."""
    observation: Observation | None = None
    """The last observation, where it does not fit its schema."""
    state: State | None = None
    """The last state, where it breaks the contract or shows a fresh session."""
    before: EpisodeWitness | None = None
    """The episode that was flown before it in the same session."""
    earlier: tuple[EpisodeWitness, ...] | None = None
    """The episodes that were flown before it in the same session, one after another, where it takes more than one."""
    code: tuple[RewardLine, ...] | None = None
    """Lines of the source that show it."""
    then: str | None = None
    """What was done after the actions."""
    split: str | None = None
    """A split that does not exist, of which the task API was asked."""
    index: int | None = None
    """The index of which it was asked."""
    tools: tuple[str, ...] | None = None
    """Names of tools."""
    client: Annotated[str | None, written_as("import")] = None
    """File of the client that was imported."""
    loaded: dict[str, str] | None = None
    """Modules that the import loaded, by their files."""
    classes: tuple[str, ...] | None = None
    """OpenEnv's clients that it brought in."""
    environments: tuple[str, ...] | None = None
    """Environments that it brought in."""
    replay: str | None = None
    """How to see it again, and what a replay shows."""

    @property
    def sent(self) -> tuple[Action, ...]:
        """What has to be sent to see it again; empty where that is not known."""
        return tuple(each for each in self.actions or () if not isinstance(each, str))

    @model_serializer(mode="wrap")
    def without_absent(self, dump: SerializerFunctionWrapHandler) -> Dumped:
        """What was given: that a state is None may be what was seen."""
        fields = type(self).model_fields
        given = {fields[name].serialization_alias or name for name in self.model_fields_set}
        return {name: value for name, value in dump(self).items() if name in given}


def witness_kind(value: object) -> str:
    """Whether a witness is of an episode that was flown to its end."""
    if isinstance(value, dict):
        return "episode" if "return" in value else "contract"
    return "episode" if isinstance(value, EpisodeWitness) else "contract"


Witnessed = Annotated[
    Annotated[EpisodeWitness, Tag("episode")] | Annotated[ContractWitness, Tag("contract")],
    Discriminator(witness_kind),
]
"""What proves a finding."""


class FurtherWitness(Part):
    """Another thing that the cause of a finding shows."""

    id: str
    """One of :data:`FINDINGS`, which this witness alone would have been called."""
    explanation: str
    """What happened, in one sentence."""
    witness: Witnessed
    """What was done and what was seen."""


class Finding(Part):
    """One thing that is wrong, with its proof."""

    id: str
    """One of :data:`FINDINGS`."""
    verdict: Literal["fail"] = "fail"
    """The check's answer."""
    task: TaskOptions | None
    """Reset options of the task; None where it is about no task."""
    component: str | None
    """Reward component that it is about; None where it is about none."""
    witness: Witnessed
    """What was done and what was seen."""
    explanation: str
    """What happened, in one sentence."""
    severity: Severity = Field(default_factory=lambda found: severity_of(found["id"]))
    """How much it weighs; where nothing else is said, by its id."""
    accepted: str | None = None
    """Why its author accepts it, as ``gonogo.yaml`` says; None of one that is not accepted."""
    further: tuple[FurtherWitness, ...] | None = None
    """What else the same cause shows; None where nothing."""
    place: RewardLine | None = None
    """The line that computes what the witness is paid; None where it cannot be told, or nothing is paid."""

    _proof: str | None = PrivateAttr(None)

    def __eq__(self, other: object) -> bool:
        """Whether it says the same; the proof that it carries is no part of it."""
        return isinstance(other, Finding) and self.model_dump() == other.model_dump()

    def __hash__(self) -> int:
        """Of what it says."""
        return hash(self.model_dump_json())

    @property
    def proof(self) -> str | None:
        """The episode that proves it, as a line of JSON; None where it was read from a file, or is about no flight."""
        return self._proof

    def with_proof(self, line: str) -> Self:
        """The same, with the episode that proves it.

        Args:
            line: The episode as JSON.
        """
        copied = self.model_copy()
        copied._proof = line
        return copied

    @property
    def names(self) -> tuple[str, ...]:
        """Its id, and those that its further witnesses alone would have had."""
        return tuple(dict.fromkeys([self.id, *(each.id for each in self.further or ())]))

    @property
    def blocks(self) -> bool:
        """Whether it is NO-GO: neither accepted nor merely suspicious."""
        return self.accepted is None and self.severity is not Severity.SUSPICIOUS

    @property
    def plan(self) -> tuple[Action, ...] | None:
        """The shortest actions that are paid; None where the proof has none."""
        return self.witness.plan if isinstance(self.witness, EpisodeWitness) else None

    @property
    def replay(self) -> str:
        """How to see it again, where the map says so; else empty."""
        return (self.witness.replay or "") if isinstance(self.witness, ContractWitness) else ""

    @field_validator("id")
    @classmethod
    def known(cls, name: str) -> str:
        """Refuse an id that means nothing."""
        if name not in FINDINGS:
            raise ValueError(f"a finding's id must be one of {', '.join(FINDINGS)}, not {name!r}")
        return name


class AcceptedFinding(Part):
    """A finding that its author means to be so."""

    finding: str
    """Its id."""
    reason: str
    """Why, in the author's words."""
    task: TaskOptions | None = None
    """Reset options of the tasks of which it is accepted; None for all."""
    component: str | None = None
    """The reward's component of which it is accepted; None for all."""
    environment: str | None = None
    """Name of the environment of which it is accepted; None for each that the file is about."""

    @field_validator("finding")
    @classmethod
    def known(cls, name: str) -> str:
        """Refuse an id that means nothing."""
        if name not in FINDINGS:
            raise ValueError(f"there is no finding {name!r}{nearest(name, FINDINGS)}")
        return name

    @field_validator("reason")
    @classmethod
    def said(cls, reason: str) -> str:
        """The reason on one line; none without a word."""
        if not (line := " ".join(reason.split())):
            raise ValueError("a reason stands in every record that follows: an empty text is none")
        return line


def accepted_of(findings: Iterable[Finding]) -> str:
    """Ids of the findings that are accepted, each once, with the reason."""
    told = {f.id: f.accepted for f in findings if f.accepted is not None}
    return ", ".join(f"{name} ({reason})" for name, reason in told.items())


class ExploitDistance(Part):
    """An exploit, and how far a policy's episodes are from it."""

    exploit: str
    """Name of the habit or the finding."""
    distance: float
    """Mean over all turns, from 0 to 1."""
