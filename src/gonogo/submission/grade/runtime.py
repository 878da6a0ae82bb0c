"""The runtime checks: does an episode rest on its seed and actions alone, and is what is declared so?"""

from __future__ import annotations

import math

from openenv.validation import NormalizedManifest, Subject

from gonogo.records.submission import GradedTask
from gonogo.records.tables import task_text
from gonogo.submission.grade.grader import (
    GraderAnswer,
    RunRecords,
    check,
    each_flown_task,
    each_task,
    failed,
    judge_shown,
    passed,
    unknown,
    within,
)

EXACT = 1e-6
"""How far a reward may be from the sum of its parts; sums of floats differ by their order."""


def items_hold(evidence: RunRecords, *checks: str, also: tuple[str, ...] = ()) -> GraderAnswer:
    """Whether items of the map's contract hold; fails with those that fail, unknown where one passed nowhere.

    Args:
        evidence: The records.
        checks: Items that each have to pass on some task, and to fail on none.
        also: Items that must not fail; they may be not applicable.
    """
    items = [item for item in evidence.map.items if item.id in {*checks, *also}]
    counted = {
        name: {
            verdict: sum(item.id == name and item.verdict == verdict for item in items)
            for verdict in ("pass", "fail", "na")
        }
        for name in (*checks, *also)
    }
    if wrong := [item for item in items if item.verdict == "fail"]:
        said = "; ".join(f"{task_text(item.task or {})}: {item.said}" for item in wrong)
        return failed(said, items=counted)
    for name in checks:
        if not counted[name]["pass"]:
            said = next((item.said for item in items if item.id == name), "it was not flown")
            return unknown(f"{name}: {said}", items=counted)
    told = next(item.said for item in items if item.verdict == "pass")
    return passed(f"on every task where it could be flown: {told}", items=counted)


@check(
    "runtime.seed_control",
    "draw everything that varies from a generator made of the reset's seed",
)
def seed_control(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """The seed of a reset decides the episode: the same seed the same, another seed another."""
    # A source that outlives the reset differs for every seed, and for the same one too.
    also = ("determinism_same_session", "determinism_new_session")
    return items_hold(evidence, "seed_control", also=also)


@check(
    "runtime.episode_determinism",
    "let nothing but seed and actions reach an answer: no clock, hash() or shared state",
)
def episode_determinism(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """The same seed and actions give the same episode: in the session, in a new one, in a new process.

    Bit for bit; a judged reward varies by declaration, which the map does not measure.
    """
    if subject.manifest.capabilities.llm_judged:
        return unknown("the reward is judged by a model: its variance is not measured here")
    places = ("same_session", "new_session", "new_process")
    return items_hold(evidence, *(f"determinism_{place}" for place in places))


@check(
    "runtime.episode_isolation",
    "make everything an episode changes anew in reset, and share nothing between instances",
)
def episode_isolation(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """Nothing of one episode shows in another: of the same session, or of one beside it."""
    return items_hold(evidence, "isolation_episodes", also=("isolation_sessions",))


@check(
    "runtime.rubric_introspectable",
    "set env.rubric to a Rubric whose parts are child rubrics, weighted by WeightedSum",
    requires="rubric_tree",
)
def rubric_introspectable(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """The rubric's parts can be enumerated, by name, place and weight.

    Fails where a tree is declared and none is found, or one without parts or with unknown weights.
    """
    tree = evidence.map.reward.rubric
    if tree is None:
        return unknown("the environment could not be asked for its rubric")
    if not tree:
        return failed("rubric_tree is declared, and the environment has no rubric")
    parts = list(tree.leaves())
    told = [{"name": part.name, "class": part.class_name, "weight": part.weight} for part in parts]
    if not tree.children:
        return failed(f"{tree.class_name} has no parts to enumerate", parts=told)
    if unweighed := [part.name or part.class_name for part in parts if part.weight is None]:
        return failed(f"no weight is known of {', '.join(unweighed)}", parts=told)
    said = ", ".join(f"{part.class_name} {part.weight:g}" for part in parts)
    return passed(f"{len(parts)} parts: {said}", parts=told)


@check(
    "runtime.reward_attribution",
    "report each rubric's score of the episode by name, such as metadata['components']",
    requires="rubric_tree",
)
def reward_attribution(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """What an episode is paid is the weighted sum of the named parts that it reports."""
    rubric = evidence.map.reward.rubric
    parts = list(rubric.leaves()) if rubric else []
    weights = {name.lower(): p.weight for p in parts for name in (p.name, p.class_name)}
    return each_task((flown.task, attribute(flown, weights)) for flown in evidence.grade.tasks)


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
        if strangers := [name for name, weight in known.items() if weight is None]:
            return unknown(f"no rubric's weight is known for {', '.join(strangers)}")
        weighed = math.fsum(parts[name] * weight for name, weight in known.items() if weight)
        if abs(weighed - total) > EXACT:
            said = f"the components {parts} weigh {weighed:g}, and the return is {total:g}"
            return failed(said, weighed=weighed, paid=total)
    names = ", ".join(paid[0][1])
    return passed(f"{len(paid)} episodes are paid what {names} weigh", episodes=len(paid))


@check(
    "runtime.tool_declaration_accuracy",
    "list in capabilities.declared_tools exactly the tools that the environment offers",
)
def tool_declaration_accuracy(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """The tools that are declared are those that are discovered, by name, in both directions."""
    declared = set(subject.manifest.capabilities.declared_tools)
    if trouble := [n for n in evidence.map.notes if n.startswith("asked for its tools")]:
        return unknown(trouble[0])
    found = {tool["name"] for tool in evidence.map.action.tools}
    measured = {"declared": sorted(declared), "discovered": sorted(found)}
    wrong = [f"{name} is declared and not offered" for name in sorted(declared - found)]
    wrong += [f"{name} is offered and not declared" for name in sorted(found - declared)]
    if wrong:
        return failed("; ".join(wrong), **measured)
    return passed(f"{len(found)} declared, the same discovered", **measured)


def declares_tasks(manifest: NormalizedManifest) -> bool:
    """As OpenEnv has it: where a task API or numbers of tasks are declared."""
    return manifest.capabilities.task_api or bool(manifest.capabilities.declared_task_count)


@check(
    "runtime.task_declaration_accuracy",
    "declare in capabilities.declared_task_count what num_tasks answers for each split",
    declared=declares_tasks,
)
def task_declaration_accuracy(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """The splits and numbers of tasks that are declared are those that are discovered.

    Where numbers are declared they are all of them; where only the API is, it has to be there.
    """
    declared = subject.manifest.capabilities.declared_task_count
    splits = evidence.map.tasks.splits
    if splits is None:
        return failed("tasks are declared, and the environment has no task API")
    found = {split.name: split.num_tasks for split in splits}
    measured = {"declared": declared, "discovered": found}
    if declared and declared != found:
        said = "; ".join(
            f"{n}: {declared.get(n, 'nothing')} declared, {found.get(n, 'nothing')} discovered"
            for n in sorted({*declared, *found})
            if declared.get(n) != found.get(n)
        )
        return failed(said, **measured)
    said = ", ".join(f"{name} {number}" for name, number in found.items())
    return passed(f"discovered as declared: {said}", **measured)


@check(
    "runtime.trajectory_record",
    "answer every step with a reward, and keep episode_id and step_count in the state",
)
@each_flown_task
def trajectory_record(flown: GradedTask) -> GraderAnswer:
    """An episode can be recorded whole: named, counted, paid, and ended."""
    if lacking := [replay.record for replay in flown.replays if replay.record is not None]:
        return failed(lacking[0])
    if not flown.replays:
        return unknown("no episode was flown to its end")
    return passed(f"{len(flown.replays)} episodes: id, count, rewards and end, all there")


@check(
    "runtime.resource_bounds",
    "bound what one action may cost, or declare what it needs in validation.resources",
)
def resource_bounds(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """No episode, whatever is sent, takes more time or memory than is declared.

    Measured over actions that are as long, large and broken as the schema lets them be.
    """
    return within(evidence.grade.resources.provoked, subject.manifest.resources)


@check(
    "runtime.oracle_containment",
    "keep the answer out of the state and the metadata, and the server out of the client",
)
def oracle_containment(evidence: RunRecords, subject: Subject) -> GraderAnswer:
    """The ground truth is withheld from the agent: neither state nor metadata hold it, nor the client.

    Fails where what is read beside the observation solves the task, or the client brings the server.
    """
    if brought := evidence.found("client_imports_server"):
        return failed(brought[0].explanation)
    return judge_shown(evidence, frozenset({"state", "metadata"}))
