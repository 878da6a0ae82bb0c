"""The runtime checks: does an episode rest on its seed and actions alone, and is what is declared so?"""

from __future__ import annotations

import math
from typing import ClassVar

from openenv.validation import Level, NormalizedManifest, Subject

from gonogo.records.submission import GradedTask
from gonogo.submission.grade.grader import (
    EvidenceGrader,
    GraderAnswer,
    RunRecords,
    TaskGrader,
    each_task,
    failed,
    judge_shown,
    passed,
    task_text,
    unknown,
    within,
)

__all__ = [
    "EpisodeDeterminism",
    "EpisodeIsolation",
    "OracleContainment",
    "ResourceBounds",
    "RewardAttribution",
    "RubricIntrospectable",
    "SeedControl",
    "TaskDeclarationAccuracy",
    "ToolDeclarationAccuracy",
    "TrajectoryRecord",
]

EXACT = 1e-6
"""How far a reward may be from the sum of its parts; sums of floats differ by their order."""


class RuntimeGrader(EvidenceGrader):
    """A check of the runtime level."""

    level = Level.RUNTIME


class ContractGrader(RuntimeGrader):
    """A check that items of the map's contract answer.

    Attributes:
        checks: Items that each have to pass on some task, and to fail on none.
        also: Items that must not fail; they may be not applicable.
    """

    checks: ClassVar[tuple[str, ...]]
    also: ClassVar[tuple[str, ...]] = ()

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Fails with the first item that fails; unknown where one passed nowhere."""
        items = [i for i in evidence.map.items if i.id in {*self.checks, *self.also}]
        wrong = [item for item in items if item.verdict == "fail"]
        counted = {
            check: {
                verdict: sum(i.id == check and i.verdict == verdict for i in items)
                for verdict in ("pass", "fail", "na")
            }
            for check in (*self.checks, *self.also)
        }
        if wrong:
            said = "; ".join(f"{task_text(i.task or {})}: {i.said}" for i in wrong)
            return failed(said, items=counted)
        for check in self.checks:
            if not counted[check]["pass"]:
                reasons = [item.said for item in items if item.id == check]
                said = reasons[0] if reasons else "it was not flown"
                return unknown(f"{check}: {said}", items=counted)
        told = next(item.said for item in items if item.verdict == "pass")
        return passed(f"on every task where it could be flown: {told}", items=counted)


class SeedControl(ContractGrader):
    """The seed of a reset decides the episode: the same seed the same, another seed another."""

    check_id = "runtime.seed_control"
    checks = ("seed_control",)
    # A source that outlives the reset differs for every seed, and for the same one too.
    also = ("determinism_same_session", "determinism_new_session")
    remediation = "draw everything that varies from a generator made of the reset's seed"


class EpisodeDeterminism(ContractGrader):
    """The same seed and actions give the same episode: in the session, in a new one, in a new process."""

    check_id = "runtime.episode_determinism"
    checks = (
        "determinism_same_session",
        "determinism_new_session",
        "determinism_new_process",
    )
    remediation = (
        "let nothing but seed and actions reach an answer: no clock, hash() or shared state"
    )

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Bit for bit; a judged reward varies by declaration, which the map does not measure."""
        if subject.manifest.capabilities.llm_judged:
            return unknown("the reward is judged by a model: its variance is not measured here")
        return super().judge(evidence, subject)


class EpisodeIsolation(ContractGrader):
    """Nothing of one episode shows in another: of the same session, or of one beside it."""

    check_id = "runtime.episode_isolation"
    checks = ("isolation_episodes",)
    also = ("isolation_sessions",)
    remediation = (
        "make everything an episode changes anew in reset, and share nothing between instances"
    )


class RubricIntrospectable(RuntimeGrader):
    """The rubric's parts can be enumerated, by name, place and weight."""

    check_id = "runtime.rubric_introspectable"
    requires_capabilities = frozenset({"rubric_tree"})
    remediation = (
        "set env.rubric to a Rubric whose parts are child rubrics, weighted by WeightedSum"
    )

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Fails where a tree is declared and none is found, or one without parts or with unknown weights."""
        tree = evidence.map.reward.rubric
        if tree is None:
            return unknown("the environment could not be asked for its rubric")
        if not tree:
            return failed("rubric_tree is declared, and the environment has no rubric")
        parts = list(tree.leaves())
        unweighed = [p.name or p.class_name for p in parts if p.weight is None]
        measured = {
            "parts": [{"name": p.name, "class": p.class_name, "weight": p.weight} for p in parts]
        }
        if tree.children and not unweighed:
            said = ", ".join(f"{p.class_name} {p.weight:g}" for p in parts)
            return passed(f"{len(parts)} parts: {said}", **measured)
        if not tree.children:
            return failed(f"{tree.class_name} has no parts to enumerate", **measured)
        return failed(f"no weight is known of {', '.join(unweighed)}", **measured)


class RewardAttribution(RuntimeGrader):
    """What an episode is paid is the weighted sum of the named parts that it reports."""

    check_id = "runtime.reward_attribution"
    requires_capabilities = frozenset({"rubric_tree"})
    remediation = (
        "report each rubric's score of the episode by name, such as metadata['components']"
    )

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Every flown episode's parts, weighted as the rubric is, against its return."""
        rubric = evidence.map.reward.rubric
        parts = list(rubric.leaves()) if rubric else []
        weights = {name: p.weight for p in parts for name in (p.name.lower(), p.class_name.lower())}
        tasks = ((flown.task, attribute(flown, weights)) for flown in evidence.grade.tasks)
        return each_task(tasks)


def attribute(flown: GradedTask, weights: dict[str, float | None]) -> GraderAnswer:
    """One task's episodes against the rubric's weights."""
    episodes = [*flown.oracle.episodes, *flown.idle.episodes]
    paid = [(e.episode_return, e.components) for e in episodes if e.episode_return is not None]
    if not paid:
        return unknown("no episode has a return")
    for total, parts in paid:
        if not parts:
            return failed(f"an episode of return {total:g} reports no components")
        known = {name: weights.get(name.lower()) for name in parts}
        strangers = [name for name, weight in known.items() if weight is None]
        if strangers:
            return unknown(f"no rubric's weight is known for {', '.join(strangers)}")
        weighed = math.fsum(parts[name] * weight for name, weight in known.items() if weight)
        if abs(weighed - total) > EXACT:
            said = f"the components {parts} weigh {weighed:g}, and the return is {total:g}"
            return failed(said, weighed=weighed, paid=total)
    names = ", ".join(paid[0][1])
    return passed(f"{len(paid)} episodes are paid what {names} weigh", episodes=len(paid))


class ToolDeclarationAccuracy(RuntimeGrader):
    """The tools that are declared are those that are discovered."""

    check_id = "runtime.tool_declaration_accuracy"
    remediation = (
        "list in capabilities.declared_tools exactly the tools that the environment offers"
    )

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """By name, in both directions."""
        declared = set(subject.manifest.capabilities.declared_tools)
        trouble = [note for note in evidence.map.notes if note.startswith("asked for its tools")]
        if trouble:
            return unknown(trouble[0])
        found = {tool["name"] for tool in evidence.map.action.tools}
        measured = {"declared": sorted(declared), "discovered": sorted(found)}
        wrong = [f"{name} is declared and not offered" for name in sorted(declared - found)]
        wrong += [f"{name} is offered and not declared" for name in sorted(found - declared)]
        if wrong:
            return failed("; ".join(wrong), **measured)
        return passed(f"{len(found)} declared, the same discovered", **measured)


class TaskDeclarationAccuracy(RuntimeGrader):
    """The splits and numbers of tasks that are declared are those that are discovered."""

    check_id = "runtime.task_declaration_accuracy"
    remediation = (
        "declare in capabilities.declared_task_count what num_tasks answers for each split"
    )

    def applies_to(self, manifest: NormalizedManifest) -> bool:
        """As OpenEnv has it: where a task API or numbers of tasks are declared."""
        declared = manifest.capabilities
        return declared.task_api or bool(declared.declared_task_count)

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Where numbers are declared they are all of them; where only the API is, it has to be there."""
        declared = subject.manifest.capabilities.declared_task_count
        splits = evidence.map.tasks.splits
        if splits is None:
            return failed("tasks are declared, and the environment has no task API")
        found = {split.name: split.num_tasks for split in splits}
        measured = {"declared": declared, "discovered": found}
        if declared and declared != found:
            names = sorted({n for n in {*declared, *found} if declared.get(n) != found.get(n)})
            said = "; ".join(
                f"{n}: {declared.get(n, 'nothing')} declared, {found.get(n, 'nothing')} discovered"
                for n in names
            )
            return failed(said, **measured)
        said = ", ".join(f"{name} {number}" for name, number in found.items())
        return passed(f"discovered as declared: {said}", **measured)


def recorded(flown: GradedTask) -> GraderAnswer:
    """Whether one task's episodes make whole records."""
    lacking = [replay.record for replay in flown.replays if replay.record is not None]
    if lacking:
        return failed(lacking[0])
    if not flown.replays:
        return unknown("no episode was flown to its end")
    return passed(f"{len(flown.replays)} episodes: id, count, rewards and end, all there")


class TrajectoryRecord(TaskGrader, RuntimeGrader):
    """An episode can be recorded whole: named, counted, paid, and ended."""

    check_id = "runtime.trajectory_record"
    remediation = "answer every step with a reward, and keep episode_id and step_count in the state"
    judge_task = recorded


class ResourceBounds(RuntimeGrader):
    """No episode, whatever is sent, takes more time or memory than is declared."""

    check_id = "runtime.resource_bounds"
    remediation = "bound what one action may cost, or declare what it needs in validation.resources"

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Measured over actions that are as long, large and broken as the schema lets them be."""
        return within(evidence.grade.resources.provoked, subject.manifest.resources)


class OracleContainment(RuntimeGrader):
    """The ground truth is withheld from the agent: neither state nor metadata hold it, nor the client."""

    check_id = "runtime.oracle_containment"
    remediation = (
        "keep the answer out of the state and the metadata, and the server out of the client"
    )

    def judge(self, evidence: RunRecords, subject: Subject) -> GraderAnswer:
        """Fails where what is read beside the observation solves the task, or the client brings the server."""
        brought = evidence.found("client_imports_server")
        if brought:
            return failed(brought[0].explanation)
        return judge_shown(evidence, frozenset({"state", "metadata"}))
