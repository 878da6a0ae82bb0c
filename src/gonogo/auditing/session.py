"""Where an audit flies: one process of the environment, and the policies that are meant to succeed.

Everything is flown by seeds that are passed in, so that two sessions given the same seeds see the same.
"""

from __future__ import annotations

import json
import time
from collections import deque
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import repeat

from gonogo.auditing.accepted import accepted_action, list_sizes, sized, with_base
from gonogo.auditing.budget import Limit
from gonogo.auditing.documented import is_contradicted
from gonogo.auditing.flight_log import FlightLog
from gonogo.auditing.progress import TaskProgress
from gonogo.auditing.resets import Opening, opening_mark
from gonogo.auditing.success_judge import SuccessJudge
from gonogo.config import RunConfig
from gonogo.contract.check_env import find_source
from gonogo.contract.followed import FollowedCode
from gonogo.contract.moved_shares import MovedShare, moved_shares
from gonogo.contract.reset_search import MOST_RESETS, at_each_reset
from gonogo.contract.sources import Sources
from gonogo.env.environment import Env
from gonogo.env.reward_functions import RewardFunctions
from gonogo.env.target import FolderTarget, Target, UrlTarget
from gonogo.errors import EnvironmentFailure, PolicyFailure
from gonogo.exploits.panel import NO_VALUES, Habit, LeafValues, panel
from gonogo.exploits.witness import fly_plans, trimmed
from gonogo.explore.values import ValuePool
from gonogo.policies.external import FunctionPolicy, ReferencePolicy
from gonogo.policies.named import ModelSettings, find_policy, shipped
from gonogo.records.contract import ContractReport
from gonogo.records.inspection import Description, EnvironmentCode, RawAnswer
from gonogo.records.success import JudgedSuccess
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.engine import Flight, fly
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.space import EACH, ActionField, Space
from gonogo.rollouts.types import Failure, Inspection, Policy, Reply, Schemas, Transition, View
from gonogo.rollouts.volatile import volatile_in
from gonogo.wire import Action, JsonSchema, Observation, State, TaskOptions, Tool, WireObject

STILL = 12
"""Turns after which an episode ends in which nothing goes on, and which nobody else would end; more where the
environment was seen to end one later."""
PAUSE_S, PAUSES = 0.05, 10
After = int | Sequence[TaskOptions] | None
"""Resets of a new session before a flight: so many of its own, or these; None for the session as it is."""


class NoTextCodec(Codec):
    """Renders nothing: nobody in an audit session reads text, and rendering takes longer than a step."""

    def render(self, observation: Observation, error: str | None = None) -> str:
        """No text."""
        return ""


@dataclass(slots=True)
class Learned:
    """What exploration learned of an environment's actions, so far.

    Attributes:
        values: The values of each field; None before anything was explored.
        sizes: How many items a list has to have, by the field's name, where the schema does not say it.
        base: An action that is taken, where the one that does least by the schema is refused; else None.
        still: Whether nothing goes on in some turns; None where an episode without progress comes to an end.
        totals: Whether rewards are running totals, as the documentation says.
        latest_end: The most turns after which the environment ended an episode.
        paid: Names of the policies that do the same as long as the same is seen, and were paid or succeeded somewhere.
    """

    values: ValuePool | None = None
    sizes: Mapping[str, int] = field(default_factory=dict)
    base: Action | None = None
    still: Callable[[Sequence[Turn]], bool] | None = None
    totals: bool = False
    latest_end: int = 0
    paid: set[str] = field(default_factory=set)

    def note_ends(self, episodes: Iterable[Episode]) -> None:
        """Keep how late the environment ended an episode."""
        ended = (len(e.turns) for e in episodes if e.turns and e.turns[-1].done)
        self.latest_end = max(self.latest_end, *ended, 0)


@dataclass(frozen=True, slots=True)
class ReadCode:
    """What was read of an environment's functions, once for all sessions of an audit.

    Attributes:
        followed: By where its class, reset and step lie.
        shares: The shares whose whole steps move, by the same.
    """

    followed: dict[str, FollowedCode] = field(default_factory=dict)
    shares: dict[str, list[MovedShare]] = field(default_factory=dict)

    def follow(self, target: Target, code: EnvironmentCode) -> FollowedCode:
        """The environment's functions."""
        key = repr(code)
        if key not in self.followed:
            source = find_source(target, Description(code=code))
            self.followed[key] = FollowedCode(source, code)
        return self.followed[key]

    def moved(self, target: Target, code: EnvironmentCode) -> list[MovedShare]:
        """The shares of its reward whose whole steps move."""
        key = repr(code)
        if key not in self.shares:
            self.shares[key] = moved_shares(self.follow(target, code))
        return self.shares[key]


@dataclass(frozen=True, slots=True)
class AuditContext:
    """What the sessions of one task's audit have in common.

    Attributes:
        env: The environment.
        run: The config.
        card: The map.
        log: The flights so far.
        part: The progress.
        given: Names of policies, given to the environment as objects, that are meant to succeed.
        judge: What success is, as far as it is known by now.
        limit: Where its flights end.
        learned: What was learned of the actions, for all of its sessions.
        sources: What the environment's folder says.
        read: What was read of the environment's functions.
    """

    env: Env
    run: RunConfig
    card: ContractReport
    log: FlightLog
    part: TaskProgress
    given: Sequence[str] = ()
    judge: SuccessJudge = field(default_factory=SuccessJudge)
    limit: Limit = field(default_factory=Limit)
    learned: Learned = field(default_factory=Learned)
    sources: Sources = field(default_factory=Sources)
    read: ReadCode = field(default_factory=ReadCode)

    def check(self, _: object = None) -> None:
        """End within a flight if the user or the clock ended the audit.

        Raises:
            BudgetSpent: The time is up.
            KeyboardInterrupt: The user ended it.
        """
        self.part.check()
        self.limit.check_clock()

    def begin(self) -> None:
        """End before a flight if the user ended the audit, or nothing is left of the time or the budget.

        Raises:
            BudgetSpent: Nothing is left.
            KeyboardInterrupt: The user ended it.
        """
        self.part.check()
        self.limit.check(self.log.spent)

    def guides(self) -> list[Policy]:
        """The policies that are meant to succeed, those that the target ships, each a process, and the given ones."""
        run, target = self.run, self.env.target
        # An environment's own idle and random are flown as the panel's.
        names = [name for name in shipped(target) if name not in {"idle", "random"}]
        guides: list[Policy] = [self.env.policies[name]() for name in self.given]
        if isinstance(target, FolderTarget):
            guides += [ReferencePolicy(target, name, seed=run.seed) for name in names]
        if run.audit.reference is not None:
            guides.append(FunctionPolicy(run.audit.reference))
        return guides


@dataclass(frozen=True, slots=True)
class LastAnswer:
    """The last answer to some actions.

    Attributes:
        answer: It, or what lost the episode.
        raw: What it was before it was JSON; None where the transport does not show it.
        state: The state after it; None where it cannot be read.
        ended: How many actions it took to the first end of the episode; 0 where none ended it.
        rewards: What each action was paid that was answered.
    """

    answer: Transition | Failure
    raw: RawAnswer | None
    state: State | None
    ended: int = 0
    rewards: tuple[float | None, ...] = ()


class MisledPolicy:
    """A policy that is shown another observation than the environment's.

    Args:
        policy: Who decides.
        shows: What it sees instead.
    """

    def __init__(self, policy: Policy, shows: Callable[[View], Observation]) -> None:
        self.name = f"{policy.name}, misled"
        self.begin, self.end, self.close = policy.begin, policy.end, policy.close
        self._policy, self._shows = policy, shows

    def act(self, views: Mapping[int, View]) -> dict[int, Reply]:
        """What the policy replies to what it is shown."""
        return self._policy.act(
            {slot: replace(view, observation=self._shows(view)) for slot, view in views.items()}
        )


class AuditSession:
    """One fresh process of the environment, with processes for the policies that are meant to succeed.

    Args:
        context: What is flown, how, and where it is written down.
        hash_seed: What its process orders sets by; None for ours.
        guided: Whether the policies that are meant to succeed are started as well.
        anew: Whether plans are flown in new sessions.

    Attributes:
        part: The progress.

    Raises:
        TargetError: There is no environment at the target.
        EnvironmentFailure: It could not be started.
    """

    def __init__(
        self,
        context: AuditContext,
        *,
        hash_seed: int | None = None,
        guided: bool = True,
        anew: bool = False,
    ) -> None:
        run, self._anew = context.run, anew
        self._context, self._run, self.part = context, run, context.part
        with ExitStack() as stack:
            # They load while the environment does.
            self._guides = context.guides() if guided else []
            for guide in self._guides:
                stack.callback(guide.close)
            self._rewards = RewardFunctions(run.audit.rewards) if run.audit.rewards else None
            if self._rewards is not None:
                stack.callback(self._rewards.close)
            self._connection = context.env.connect(hash_seed=hash_seed)
            stack.callback(self._connection.close)
            self._open = stack.pop_all()
        schemas = self._connection.schemas
        self._codec = schemas.codec()
        self._wordless = NoTextCodec(schemas.action, schemas.observation)
        self._flight = Flight(run.target, run.rollout.max_turns)
        self._spaces: dict[str, Space] = {}
        self._reaching: list[Episode] = []
        self._lines: set[str] = set()
        self._resets = deque[TaskOptions](maxlen=MOST_RESETS)
        self._before: dict[str, tuple[TaskOptions, ...]] = {}

    def close(self) -> None:
        """End the processes."""
        self._open.close()

    def fresh(self, *, anew: bool = False) -> AuditSession:
        """A process that flew nothing, without policies; over a URL sessions of the same server."""
        return AuditSession(self._context, guided=False, anew=anew)

    @cached_property
    def tools(self) -> tuple[Tool, ...]:
        """The tools of an MCP environment; none where it cannot be asked."""
        try:
            return self._connection.describe().tools
        except EnvironmentFailure:
            return ()

    @cached_property
    def code(self) -> EnvironmentCode | None:
        """Where the environment's class, reset and step lie; None where that cannot be asked."""
        try:
            return self._connection.describe().code
        except EnvironmentFailure:
            return None

    @property
    def sources(self) -> Sources:
        """What the environment's folder says."""
        return self._context.sources

    def comparing(self) -> Inspection | None:
        """A process of its own, of which each step says what the environment's code compared.

        None over a URL, and where the environment does not load in it.
        """
        if isinstance(self.target, UrlTarget):
            return None
        try:
            return self._context.env.connect(1, compare=True)
        except EnvironmentFailure:
            return None

    @property
    def spoken(self) -> tuple[str, ...]:
        """The sentences of the environment's README, docstrings and manifest."""
        return self._context.sources.sentences

    @property
    def shares(self) -> list[MovedShare]:
        """Shares whose whole steps move, by the source of the reward; none where that is not the environment's."""
        code = self._own_code
        return [] if code is None else self._context.read.moved(self.target, code)

    @property
    def followed(self) -> FollowedCode | None:
        """The environment's functions; None where they are not found, or the reward is not the environment's own."""
        code = self._own_code
        return None if code is None else self._context.read.follow(self.target, code)

    @property
    def _own_code(self) -> EnvironmentCode | None:
        """Where the reward is computed, if that is the environment's own."""
        others = (self._rewards, self._run.reward)
        return None if any(each is not None for each in others) else self.code

    @property
    def target(self) -> Target:
        """What is flown."""
        return self._context.env.target

    @property
    def schemas(self) -> Schemas:
        """JSON schemas of the environment; lists of an action have the sizes that were learned."""
        return sized(self._connection.schemas, self._context.learned.sizes)

    @property
    def space(self) -> Space:
        """The actions, with what was learned of them."""
        pool = self._context.learned.values
        schema = self._schema if pool is None else pool.opened_up(self._schema)
        known = self._spaces.get(text := json.dumps(schema, sort_keys=True))
        if known is None:
            known = self._spaces[text] = Space(schema, self.tools)
        return known

    @property
    def _schema(self) -> JsonSchema:
        """The schema of an action, in which a field for any verb names those that were learned."""
        pool = self._context.learned.values
        schema = self.schemas.action if pool is None else pool.enriched(self.schemas.action)
        return with_base(schema, self._context.learned.base)

    @property
    def values(self) -> LeafValues:
        """What was learned of the values of each place of an action."""
        pool = self._context.learned.values
        return NO_VALUES if pool is None else pool.for_leaves(self.space.leaves())

    @property
    def learned(self) -> ValuePool | None:
        """What was learned of the values of an action's fields, and what was observed; None before any exploration."""
        return self._context.learned.values

    def asks(self, action: Action, leaf: ActionField) -> bool:
        """Whether what an action does may ask for a place in a field of it that takes any object."""
        pool = self._context.learned.values
        if pool is None or len(leaf.path) != 2 or EACH in leaf.path or leaf.tool:
            return False
        field, key = leaf.path
        said = [value for value in action.values() if isinstance(value, str)]
        return bool(said) and all(key in pool.asked(verb, field) for verb in said)

    def measure_lists(self, tasks: Sequence[TaskOptions]) -> None:
        """Find out how many items each list of an action has to have, for all sessions of the task's audit.

        Args:
            tasks: Reset options with two seeds.
        """
        fly_once = partial(self.plans, "lists of each size", whole=True, turns=1)
        self._context.learned.sizes = list_sizes(self.space, tasks, fly_once)

    def find_base(self, tasks: Sequence[TaskOptions], explored: Sequence[Episode]) -> None:
        """Find out which action is taken where the one that does least is refused, for all sessions of the audit.

        Args:
            tasks: Reset options with two seeds.
            explored: What exploration flew.
        """
        if self.tools:
            return
        fly_once = partial(self.plans, "what is taken", turns=1)
        found = accepted_action(self._schema, tasks, explored, fly_once)
        self._context.learned.base = found

    def find_totals(self, explored: Sequence[Episode]) -> bool:
        """Count all that is flown by what each step adds, where rewards are documented as running totals and are such.

        Args:
            explored: What exploration flew; it is counted so, too.

        Returns:
            Whether they are.
        """
        own = self._rewards is None and self._run.reward is None
        if not own or self._context.sources.pay.total is None:
            return False

        def fly_once(task: TaskOptions, plan: Sequence[Action]) -> Episode:
            (flown,) = self.plans("what stays of a pay", [(task, plan)], turns=len(plan))
            return flown

        self._context.learned.totals = not is_contradicted(explored, self.space.idle(), fly_once)
        self._count([*explored, *self._reaching])
        return self._context.learned.totals

    def learn(self, values: ValuePool) -> None:
        """Let all sessions of the task's audit know what is known of the actions by now."""
        self._context.learned.values = values

    def learn_still(self, still: Callable[[Sequence[Turn]], bool] | None) -> None:
        """Let constants be flown no further than to where nothing goes on.

        Args:
            still: Says of some turns whether nothing goes on in them; None where an episode without progress ends.
        """
        self._context.learned.still = still

    def beside(self) -> list[Episode]:
        """The episodes since the last call in which something was reached for the first time, whoever flew them."""
        found, self._reaching = self._reaching, []
        return found

    def tasks(self, task: TaskOptions, seeds: Sequence[int]) -> list[TaskOptions]:
        """The task's reset options with each seed; without one where it names an episode and takes no seed."""
        self.looking(1)
        seeded = [{**task, "seed": seed} for seed in seeds]
        refused = isinstance(self._connection.reset({0: seeded[0]})[0], Failure)
        if refused and not isinstance(self._connection.reset({0: task})[0], Failure):
            return [dict(task) for _ in seeds]
        return seeded

    @property
    def takes_seed(self) -> bool:
        """Whether a reset offers a seed, as far as the map knows."""
        return seed_offered(self._context.card)

    def panel(self) -> list[Habit]:
        """The policies that do not try, made anew."""
        schemas = self.schemas
        return panel(self._schema, schemas.observation, self.tools, self._run.seed, self.values)

    def candidate(self, name: str) -> Policy:
        """The policy under audit, to be closed by whoever asked for it.

        Raises:
            Misuse: No policy has that name.
            MissingExtra: It is a model, and the ``train`` extra is not installed.
        """
        run = self._run
        return find_policy(
            name,
            self._context.env.target,
            self._connection.schemas,
            seed=run.seed,
            settings=ModelSettings(run.out / "models", run.rollout.max_reply_tokens, run.model),
        ).policy

    @property
    def judged(self) -> JudgedSuccess:
        """What success is, and who says so, as far as it is known by now."""
        return self._context.judge.record

    def fly(
        self,
        policy: Policy,
        tasks: Sequence[TaskOptions],
        *,
        whole: bool = True,
        text: bool = True,
        limits: Sequence[int] = (),
    ) -> list[Episode]:
        """Fly each task once.

        Args:
            policy: Who flies.
            tasks: Reset options.
            whole: Whether what was seen is kept, or only what was done and what came of it.
            text: Whether what is seen whole is also kept as a model reads it.
            limits: Turns of each episode at most; empty for the config's.
        """

        def now(codec: Codec) -> list[Episode]:
            flight = replace(self._flight, limits=tuple(limits), sees_state=sees)
            check = self._context.check
            read = codec if text or self._rewards is not None else self._wordless
            return fly(self._connection, policy, tasks, flight, codec=read, on_progress=check)

        self._resets += tasks
        sees = self._context.judge.needs_state
        limited: WireObject = {"limits": list(limits)} if limits else {}
        limited |= {"state": True} if sees else {}
        asked = {"policy": policy.name, "tasks": list(tasks), **limited}
        return self._flown(json.dumps(asked, sort_keys=True), now, whole)

    def fly_constant(
        self, policy: Policy, tasks: Sequence[TaskOptions], *, whole: bool
    ) -> list[Episode]:
        """Fly a policy that does the same as long as the same is seen.

        Where nobody ends an episode in which nothing goes on, and nothing went on in the first task's, the others are
        cut after few turns, but not before the environment was seen to end one. What was paid on any seed is never cut:
        another seed may pay it later.

        Args:
            policy: Who flies.
            tasks: Reset options.
            whole: As for :meth:`fly`.
        """
        flown = self._fly_constant(policy, tasks, whole)
        if any(e.success or any(turn.reward for turn in e.turns) for e in flown):
            self._context.learned.paid.add(policy.name)
        return flown

    def _fly_constant(
        self, policy: Policy, tasks: Sequence[TaskOptions], whole: bool
    ) -> list[Episode]:
        """The same, without a note of who was paid."""
        learned = self._context.learned
        still, few = learned.still, max(STILL, learned.latest_end)
        if still is None or policy.name in learned.paid or self.limit <= few or len(tasks) < 2:
            return self.fly(policy, tasks, whole=whole)
        (first,) = self.fly(policy, tasks[:1])
        later: list[Episode] = []
        if first.cut and first.error is None and still(first.turns):
            later = self.fly(policy, tasks[1:], limits=[few] * (len(tasks) - 1))
        if not later or not all(e.cut and e.error is None and still(e.turns) for e in later):
            later = self.fly(policy, tasks[1:], whole=whole)
        return [*([first] if whole else bare([first])), *(later if whole else bare(later))]

    def cover(self) -> tuple[str, ...] | None:
        """Measure which lines of the environment's code are reached from now on.

        Returns:
            The lines that its reset and step may reach; None where they cannot be measured.
        """
        return self._connection.cover()

    @property
    def steps(self) -> int:
        """Environment steps that the task's audit flew so far."""
        return self._context.log.steps

    @property
    def limit(self) -> int:
        """Turns after which an episode is cut."""
        return self._flight.max_turns

    @property
    def spent(self) -> int:
        """What the task's audit spent so far: environment steps, and one for each reset."""
        return self._context.log.spent

    @property
    def capacity(self) -> int:
        """How many episodes it flies at once."""
        return self._connection.capacity

    def plans(
        self,
        name: str,
        plans: Sequence[tuple[TaskOptions, Sequence[Action]]],
        *,
        whole: bool = False,
        slowly: bool = False,
        turns: int | None = None,
        after: After = None,
    ) -> list[Episode]:
        """Fly open-loop plans: reset options and actions of each, the last one repeated.

        Args:
            name: Name for the record.
            plans: The plans.
            whole: As for :meth:`fly`.
            slowly: Whether there is a pause after each of the first steps.
            turns: Decisions after which an episode is cut; None for the audit's limit.
            after: Each is flown in a new session, after so many resets of its own, or after these; None for the
                sessions as they are.
        """
        if not plans:
            return []
        self._remember(plans)
        pauses = repeat(PAUSE_S, PAUSES if slowly else 0)

        def check(_: object = None) -> None:
            self._context.check()
            if pause := next(pauses, 0.0):
                time.sleep(pause)

        def now(codec: Codec) -> list[Episode]:
            flight = replace(self._flight, max_turns=limit, sees_state=sees)
            connection = self._connection
            self._renew([task for task, _ in plans], after)
            return fly_plans(connection, plans, flight, name, codec=codec, on_progress=check)

        after = 0 if after is None and self._anew else after
        limit = turns or self._flight.max_turns
        sees = self._context.judge.needs_state
        further: WireObject = {} if turns is None else {"turns": turns}
        further |= {"state": True} if sees else {}
        further |= {} if after is None else {"after": after}
        of = [[task, *each_once(actions)] for task, actions in plans]
        asked = json.dumps({"plans": name, "of": of, "whole": whole, **further}, sort_keys=True)
        return self._flown(asked, now, whole)

    def references(self, tasks: Sequence[TaskOptions]) -> dict[str, list[Episode]]:
        """What the policies that are meant to succeed do on these tasks, by name.

        Raises:
            PolicyFailure: One of them failed.
        """
        return {name: self.reference(name, tasks) for name in self.guides}

    @property
    def guides(self) -> list[str]:
        """Names of the policies that are meant to succeed."""
        return [policy.name for policy in self._guides]

    def reference(self, name: str, tasks: Sequence[TaskOptions]) -> list[Episode]:
        """What one of the policies that are meant to succeed does on these tasks.

        Args:
            name: Its name, one of :attr:`guides`.
            tasks: Reset options.

        Raises:
            PolicyFailure: It failed.
        """
        return self.fly(next(p for p in self._guides if p.name == name), tasks)

    def in_turn(
        self,
        task: TaskOptions,
        plan: Sequence[Action],
        until: Callable[[int, Episode], bool],
    ) -> list[Episode]:
        """Fly a plan at one reset after another, until an episode is what is looked for: one flight of the log.

        Args:
            task: Reset options.
            plan: Its actions, the last one repeated.
            until: Says of an episode, by how many came before it, whether it is the one.

        Returns:
            The episodes, the one that was looked for last; they end before one that is lost.
        """
        sees = self._context.judge.needs_state
        flight = replace(self._flight, sees_state=sees)

        def now(codec: Codec) -> list[Episode]:
            def once() -> Episode | None:
                self._context.begin()
                (flown,) = fly_plans(
                    self._connection, [(task, plan)], flight, "in turn", codec=codec,
                    on_progress=self._context.check,
                )  # fmt: skip
                self._finish([flown])
                return flown if flown.error is None else None

            return at_each_reset(once, is_it)

        def is_it(number: int, flown: Episode) -> bool:
            # Judged as it will be, once the log holds it: what flew now is not counted yet.
            known = Episode.from_json(flown.to_json())
            self._count([known])
            self._context.judge.judge([known])
            return until(number, known)

        state: WireObject = {"state": True} if sees else {}
        asked = json.dumps({"in turn": [task, plan], **state}, sort_keys=True)
        return self._flown(asked, now, whole=True, finished=True)

    def resets_before(
        self, task: TaskOptions, actions: Sequence[Action]
    ) -> tuple[TaskOptions, ...]:
        """The last resets of this process before those actions were flown alone, the last time; none where never.

        Args:
            task: Reset options of the flight.
            actions: What was sent; repetitions of the last action are no matter.
        """
        return self._before.get(plan_key(task, actions), ())

    def _remember(self, plans: Sequence[tuple[TaskOptions, Sequence[Action]]]) -> None:
        """Keep which resets come before a flight, for those that are flown after it."""
        if len(plans) == 1:
            self._before[plan_key(*plans[0])] = tuple(self._resets)
        self._resets += [task for task, _ in plans]

    def _renew(self, tasks: Sequence[TaskOptions], after: After) -> None:
        """Open a new session for each of the tasks that fly first, and reset it so often; with None nothing is done."""
        if after is None:
            return
        slots = dict(enumerate(tasks[: self._connection.capacity]))
        self._connection.renew(slots)
        for options in [None] * after if isinstance(after, int) else after:
            self._connection.reset(slots if options is None else dict.fromkeys(slots, options))

    def look(
        self,
        task: TaskOptions,
        actions: Sequence[Action],
        after: Sequence[TaskOptions] | None = None,
        *,
        late: bool = False,
    ) -> LastAnswer:
        """Fly some actions alone, also past the end, and look at the last answer.

        Args:
            task: Reset options.
            actions: What is sent.
            after: It is flown in a new session, after these resets; None for the session as it is.
            late: Whether only the last of the actions is sent once the episode has ended.
        """
        self.looking(1 + len(actions) + len(after or ()))
        self._remember([(task, actions)])
        self._renew([task], after)
        answer, ended = self._connection.reset({0: task})[0], 0
        paid: list[float | None] = []
        for number, action in enumerate(actions, start=1):
            if isinstance(answer, Failure):
                break
            if late and ended and number < len(actions):
                continue
            answer = self._connection.step({0: action})[0]
            if isinstance(answer, Failure):
                break
            paid.append(answer.reward)
            ended = number if answer.done and not ended else ended
        rewards = tuple(paid)
        if isinstance(answer, Failure):
            return LastAnswer(answer, None, None, ended, rewards)
        raw, state = self._connection.raw([0])[0], self._connection.state([0])[0]
        known = None if isinstance(state, Failure) else state
        return LastAnswer(answer, raw, known, ended, rewards)

    def last_lines(self, task: TaskOptions, actions: Sequence[Action]) -> tuple[str, ...]:
        """The lines of the environment's own code that the last of some actions reaches; none if they are not measured.

        Args:
            task: Reset options.
            actions: What is sent.
        """
        self.looking(1 + len(actions))
        answer = self._connection.reset({0: task})[0]
        for number, action in enumerate(actions, start=1):
            if isinstance(answer, Failure) or (number == len(actions) and self.cover() is None):
                return ()
            answer = self._connection.step({0: action})[0]
        return () if isinstance(answer, Failure) else answer.reached

    def misled(
        self, tasks: Sequence[TaskOptions], shows: Callable[[View], Observation]
    ) -> dict[str, list[Episode]]:
        """What the policies that are meant to succeed do when they are shown something else, by name.

        Each flies in a process of its own, since it may break on what it sees then: it is left out in that case.

        Args:
            tasks: Reset options of each episode.
            shows: The observation that takes the place of a view's.
        """
        flown = {}
        for policy in self._context.guides():
            with closing(policy), suppress(PolicyFailure):
                flown[policy.name] = self.fly(MisledPolicy(policy, shows), tasks)
        return flown

    def openings(self, tasks: Sequence[TaskOptions]) -> list[Opening | None]:
        """What each task's reset shows; None where it failed."""
        found: list[Opening | None] = []
        self._resets += tasks
        for start in range(0, len(tasks), self._connection.capacity):
            self.looking(min(self._connection.capacity, len(tasks) - start))
            some = dict(enumerate(tasks[start : start + self._connection.capacity]))
            answers = self._connection.reset(some)
            states = self._connection.state(answers)
            found += [Opening.of(some[slot], answers[slot], states.get(slot)) for slot in some]
        return found

    def looking(self, costs: int) -> None:
        """Count what is flown beside the log.

        Raises:
            BudgetSpent: Nothing is left of the time or the budget.
        """
        self._context.begin()
        self._context.log.looks += costs

    def _count(self, episodes: Iterable[Episode]) -> None:
        """Count episodes by what each step adds, where rewards are running totals."""
        if self._context.learned.totals:
            for episode in episodes:
                episode.count_by_step()

    def _finish(self, flown: Sequence[Episode]) -> None:
        """Pay what was flown by the functions outside the environment, each once, and note what its reset showed."""
        if self._rewards is not None:
            self._rewards.pay(flown)
        for episode in flown:
            volatile = volatile_in(self._context.card, episode.task)
            shown = episode.turns[0].observation if episode.turns else {}
            episode.opened = opening_mark(shown, volatile) if shown else ""

    def _flown(
        self,
        asked: str,
        now: Callable[[Codec], list[Episode]],
        whole: bool,
        *,
        finished: bool = False,
    ) -> list[Episode]:
        """Episodes from the log, or flown now; ``finished`` if the flight finishes each of them itself."""
        self._context.begin()

        def fly_now() -> list[Episode]:
            # A reward function outside the environment reads what a model would have seen.
            flown = now(self._codec if whole or self._rewards is not None else self._wordless)
            if not finished:
                self._finish(flown)
            return flown if whole else bare(flown)

        episodes = self._context.log.flown(asked, fly_now)
        self._context.learned.note_ends(episodes)
        self._count(episodes)
        self._context.judge.judge(episodes)
        # A process tells a line when it is the first to reach it: one that goes on from a log tells lines again.
        for turn in (turn for episode in episodes for turn in episode.turns if turn.reached):
            turn.reached = tuple(line for line in turn.reached if line not in self._lines)
            self._lines.update(turn.reached)
        self._reaching += [e for e in episodes if any(turn.reached for turn in e.turns)]
        self.part.advance()
        return episodes


def seed_offered(card: ContractReport) -> bool:
    """Whether a reset offers a seed, or may: one that offers none may drop it without a word."""
    reset = card.reset
    return reset.parameters is None or bool(reset.open) or "seed" in reset.names


def each_once(actions: Sequence[Action]) -> tuple[list[Action], list[int]]:
    """The actions of a plan, each written once, and the number of each in its order.

    A plan repeats the same few objects hundreds of times, and one of them may hold a long text.
    """
    numbers: dict[str, int] = {}
    number_of: dict[int, int] = {}
    for action in actions:
        if id(action) not in number_of:
            number_of[id(action)] = numbers.setdefault(repr(action), len(numbers))
    once = {number_of[id(action)]: action for action in actions}
    return [once[number] for number in range(len(numbers))], [number_of[id(a)] for a in actions]


def plan_key(task: TaskOptions, actions: Sequence[Action]) -> str:
    """By what a plan is known again: the last action of a plan is repeated anyway."""
    return json.dumps([task, trimmed(actions) if actions else []], sort_keys=True, default=repr)


def bare(episodes: list[Episode]) -> list[Episode]:
    """Episodes without what was seen on the way: a survey has thousands, and reads it of a few."""
    for episode in episodes:
        for turn in episode.turns:
            turn.observation = {}
    return episodes
