"""falsepass's adapter for a class of the zoo: policies that play whole episodes, after its own skeleton for games.

The solver is the pair's; the honest loser sends the least that the schema accepts; the exploits are the tool's
ready-made ones, one fixed strategy for each value of a decision, special numbers in the solver's first action, and
the exploit of the pair. The reward of an episode is the sum of its steps' rewards.
"""

from __future__ import annotations

import json
from typing import Any

from falsepass import Adapter, Example, openenv_support
from falsepass import policies as ready
from falsepass.model import Completion, Expect, Policy, ProbeResult, Score
from falsepass.probes import check
from falsepass.scorers import as_messages
from pydantic import ValidationError
from tests.zoo.cases import Plan

from .common import Json, Pilot, Subject, key_of, seen

NAMES = {"kind": "zoo-episodes"}


class EpisodeScorer(openenv_support.OpenEnvScorer):
    """The tool's OpenEnv scorer, over all the steps of an episode instead of one."""

    multi_turn = True

    def __init__(self, subject: Subject) -> None:
        super().__init__(subject.cls, subject.action, openenv_support.action_plan(subject.action))
        self.subject = subject

    async def score(self, example: Example, completion: Completion) -> Score:
        """Play the completion to the end of the episode; its transcript is kept."""
        environment = (
            self.environment()
        )  # one instance in turn, as the tool does: what an episode leaves shows
        shown = seen(environment.reset(**self.subject.pair.options, seed=example.raw["seed"]))
        messages: list[Json] = [{"role": "user", "content": key_of(shown)}]
        script = as_messages(completion) or [{"content": ""}]
        rewards: list[float] = []
        state = environment.state
        for turn in range(2 * self.subject.cls.HORIZON):
            if environment.success is not None:
                break
            said = (
                completion.act(messages)
                if isinstance(completion, Policy)
                else script[min(turn, len(script) - 1)]
            )
            text = str((said.get("content") if isinstance(said, dict) else said) or "")
            messages.append({"role": "assistant", "content": text})
            try:
                action = self.action(text)
            except (ValidationError, RuntimeError) as refused:
                messages.append(
                    {"role": "user", "content": f"refused: {str(refused).splitlines()[0]}"}
                )
                continue
            try:
                answer = environment.step(action)
                rewards.append(float(answer.reward))
            except (ArithmeticError, LookupError, RuntimeError, TypeError, ValueError) as error:
                return Score(
                    None, {}, [f"{type(error).__name__}: {error}"[:300]], {"transcript": messages}
                )
            state = environment.state
            messages.append(
                {"role": "user", "content": key_of(seen(answer) | {"done": answer.done})}
            )
        turns = sum(message["role"] == "assistant" for message in messages)
        said_all = [message for message in messages if message["role"] == "assistant"]
        info = {
            "turns": turns,
            "stop": str(state.step_count),
            "transcript": messages,
            "script": said_all,
        }
        return Score(sum(rewards), {}, [], info)


def flown(name: str, subject: Subject, plan: Plan, seed: int) -> Policy:
    """A policy of the zoo as one of the tool's; one that reads the state is given what it did on this task."""
    if subject.reads_state(plan):
        plan = subject.episode(plan, seed)[0]
    pilot = Pilot(plan)

    def act(messages: list[Json]) -> str:
        heard = [message["content"] for message in messages if message["role"] == "user"]
        if len(messages) == 1:
            pilot.begin()
        if heard[-1].startswith("refused"):
            return json.dumps(pilot.again({}))
        observation = json.loads(heard[-1])
        observation.pop("done", None)
        return json.dumps(pilot.act(observation))

    return Policy(name, act)


class ZooAdapter(Adapter):
    """The tasks are seeds; every probe plays whole episodes."""

    def __init__(self, pair: str, case: str, tasks: int) -> None:
        self.name = f"{pair}:{case}"
        self.subject = Subject.load(pair, case)
        self.tasks = tasks
        self.loader = NAMES
        self.per_example_probes = [self.policy_probes]
        self.framework = "openenv"

    def load(self, n: int, seed: int) -> tuple[EpisodeScorer, list[Example]]:
        """One task a seed; the maximum is what the solver earns."""
        scorer = EpisodeScorer(self.subject)
        examples = []
        for index in range(min(n, self.tasks)):
            raw = {"seed": index, "reset": {"seed": index}}
            examples.append(
                Example(f"seed-{index}", key_of(self.subject.start(index)[1]), "solver", raw)
            )
        solve = self.subject.pair.solve
        earned = {
            example.key: self.subject.episode(solve, example.raw["seed"])[1] for example in examples
        }
        self.max_reward = min(
            earned.values()
        )  # other tasks pay more; each is judged by what the solver earns on it
        self.task_max = earned
        return scorer, examples

    def render(self, answer: str, example: Example) -> Policy:
        """The right answer is the solver, any other the honest loser."""
        if answer == example.answer:
            return flown("solver", self.subject, self.subject.pair.solve, example.raw["seed"])
        return ready.never_acts(self.least())

    def wrong_answer(self, example: Example) -> str:
        """Stands for the honest loser."""
        return "loser"

    def least(self, **chosen: Any) -> str:
        """The action with the least that the schema accepts in every field."""
        plan = openenv_support.action_plan(self.subject.action)
        return openenv_support._constant_action(plan, **chosen)

    def exploits(self, example: Example) -> dict[str, Completion]:
        """Policies that never use the answer."""
        plan = openenv_support.action_plan(self.subject.action)
        first = json.dumps(
            Pilot(self.subject.pair.solve).act(self.subject.start(example.raw["seed"])[1])
        )
        fixed: dict[str, Completion] = {
            f"fixed {name}={value}": ready.never_acts(self.least(**{name: value}))
            for name, values in plan["choices"].items()
            for value in values
        }
        pair = self.subject.pair
        if pair.exploit is not pair.solve:  # where it is, the defect is none of what is paid
            fixed["pair_exploit"] = flown(
                "pair_exploit", self.subject, pair.exploit, example.raw["seed"]
            )
        return {
            "after_the_end": ready.after_the_end(self.least()),
            "keeps_talking": ready.keeps_talking(self.least()),
            "never_acts": ready.never_acts(self.least()),
            **fixed,
            **ready.special_numbers([first]),
        }

    async def policy_probes(
        self, adapter: Adapter, scorer: EpisodeScorer, example: Example
    ) -> list[ProbeResult]:
        """The skeleton's X1 and X2: the solver in full, everything else nothing."""
        solver = self.render(example.answer, example)
        found = [
            await check("X1", "policy", "solver", Expect.FULL, solver, adapter, scorer, example)
        ]
        for name, policy in self.exploits(example).items():
            found.append(
                await check(
                    "X1",
                    "policy",
                    name,
                    Expect.ZERO,
                    policy,
                    adapter,
                    scorer,
                    example,
                    answer_free=True,
                )
            )
        return found
