"""Changes that may not matter, and one that must: the same episode flown again in another guise.

What is changed is a plan that succeeds, on a few of the survey's seeds; without one, what idling sends. A
check passes where every reward and the success stay the same to the bit, and is not applicable where the
environment offers nothing to change. Only free text is suspected here: words of equal length that move the
return and not the success. What depends on seeds, processes and earlier episodes is the map's to prove.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean
from typing import Literal

from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import MILESTONE, Scale, Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import CLAIM, Kind
from gonogo.exploits.witness import Witness, actions_of
from gonogo.records.audit import TransformCheck, TransformVerdict
from gonogo.records.contract import ContractReport
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.schema import forms_of
from gonogo.rollouts.space import action_fields, free_text, has_idle_choice
from gonogo.wire import Action, JsonSchema, JsonValue, TaskOptions

FLOWN = 3
MOVED = 0.15
"""Share of a success's return by which words have to move it to be suspected: more than a witness may lose."""
MOST_FAILED = 8
NEUTRAL = "The weather was mild, and there was nothing else to see by the river. "
PROVEN_BY_MAP = {
    "same_seed": "determinism_same_session",
    "seed_matters": "seed_control",
    "after_another_episode": "isolation_episodes",
}
"""Checks that the map holds already, by its own names."""

Change = Callable[[Action], Action]


def checked(
    name: str, verdict: TransformVerdict, said: str, source: Literal["flown", "map"] = "flown"
) -> TransformCheck:
    """One answer."""
    return TransformCheck(id=name, verdict=verdict, said=said, source=source)


def metamorphic(
    session: AuditSession, flown: Survey, card: ContractReport
) -> tuple[tuple[TransformCheck, ...], list[Suspicion]]:
    """Fly the checks.

    Args:
        session: Where.
        flown: The survey.
        card: The map, whose answers are taken over.

    Returns:
        The checks, and what is suspected.
    """
    seeds = {seed_of(e.task): e for e in reversed(flown.succeeded)}
    base = list(seeds.values())[:FLOWN] or flown.idle.episodes[:FLOWN]
    base = [e for e in base if e.error is None and e.turns]
    if not base:
        return (checked("all", "na", "no episode could be flown"),), []
    trial = TransformTrial(session, base)
    checks = [*repeats(session, flown, trial, card), *encodings(session, trial)]
    checks += [idle_inserted(session, trial), order_of_choices(flown, base)]
    words, suspected = free_texts(session, flown, trial)
    return without_chance((*checks, *words)), suspected


def without_chance(checks: tuple[TransformCheck, ...]) -> tuple[TransformCheck, ...]:
    """The checks, where an episode cannot be repeated without those that failed perhaps for that reason alone."""
    if not any(check.id == "same_seed" and check.verdict == "fail" for check in checks):
        return checks
    said = "the same seed and actions give another episode: nothing else can be blamed"
    return tuple(
        checked(check.id, "na", said, check.source)
        if check.verdict == "fail" and check.id not in PROVEN_BY_MAP
        else check
        for check in checks
    )


class TransformTrial:
    """The plans that are changed, with what they came to.

    Args:
        session: Where to fly.
        base: Their episodes.
    """

    def __init__(self, session: AuditSession, base: Sequence[Episode]) -> None:
        self._session, self.base = session, base
        self.plans = [(e.task, actions_of(e.turns)) for e in base]

    def beside(self, base: Sequence[Episode]) -> TransformTrial:
        """The same for other plans."""
        return TransformTrial(self._session, base)

    def changed(self, name: str, change: Change) -> list[Episode] | None:
        """The episodes of the changed plans; None where the change changes nothing that is sent."""
        plans = [(task, [change(action) for action in plan]) for task, plan in self.plans]
        before = json.dumps([plan for _, plan in self.plans])
        if json.dumps([plan for _, plan in plans]) == before:
            return None
        return self._session.plans(name, plans)

    def check(self, name: str, change: Change, nothing: str) -> TransformCheck:
        """Whether a change leaves all rewards as they were."""
        episodes = self.changed(name, change)
        if episodes is None:
            return checked(name, "na", nothing)
        refused = [t.invalid for e in episodes for t in e.turns if t.invalid is not None]
        if len(refused) > sum(e.invalid_count for e in self.base):
            return checked(name, "na", f"the environment refuses it: {refused[0]}")
        return compared(name, self.base, episodes)


def compared(name: str, base: Sequence[Episode], episodes: Sequence[Episode]) -> TransformCheck:
    """Whether episodes came to the same."""
    for one, other in zip(base, episodes, strict=True):
        if other.error is not None:
            return checked(name, "fail", f"reset {other.task}: lost, {other.error}")
        difference = Witness.of(one).differs(Witness.of(other))
        if difference is not None:
            return checked(name, "fail", f"reset {other.task}: {difference}")
    steps = sum(len(e.turns) for e in episodes)
    return checked(name, "pass", f"{len(episodes)} episodes, {steps} steps: every reward the same")


def repeats(
    session: AuditSession, flown: Survey, trial: TransformTrial, card: ContractReport
) -> Iterator[TransformCheck]:
    """The same seed, another seed, and an episode between; the map's answers where it has them."""
    known = mapped(flown.task, card)
    yield known.get("same_seed") or compared(
        "same_seed", trial.base, session.plans("again", trial.plans)
    )
    yield known.get("seed_matters") or seed_matters(flown)
    if "after_another_episode" in known:
        yield known["after_another_episode"]
        return
    others = flown.of_kind(Kind.RANDOM, Kind.HELD, Kind.CONSTANT) or [flown.idle]
    again = []
    for n, plan in enumerate(trial.plans):
        # Flown one at a time, all share a session.
        unrelated = others[n % len(others)].episodes[-1]
        session.plans("between", [(unrelated.task, actions_of(unrelated.turns))])
        again += session.plans("after another", [plan])
    yield compared("after_another_episode", trial.base, again)


def mapped(task: TaskOptions, card: ContractReport) -> dict[str, TransformCheck]:
    """The map's answers about a task."""
    about = {
        item.id: item
        for item in card.items
        if item.task is not None and {k: v for k, v in item.task.items() if k != "seed"} == task
    }
    return {
        name: checked(name, about[check].verdict, about[check].said, "map")
        for name, check in PROVEN_BY_MAP.items()
        if check in about
    }


def seed_matters(flown: Survey) -> TransformCheck:
    """Whether anything differs between seeds."""
    if any("seed" not in e.task for e in flown.idle.episodes):
        return checked("seed_matters", "na", "the task takes no seed")
    for row in flown.rows:
        if len({story(e) for e in row.episodes}) > 1 and row.action is not None:
            return checked("seed_matters", "pass", f"{row.name}: not the same on all seeds")
    said = "no repeated action tells one seed from another"
    return checked("seed_matters", "na", said)


def story(episode: Episode) -> str:
    """What an episode showed and paid."""
    told = [episode.final_observation, [(t.observation, t.reward) for t in episode.turns]]
    return json.dumps([*told, episode.success], sort_keys=True)


def encodings(session: AuditSession, trial: TransformTrial) -> Iterator[TransformCheck]:
    """The same actions, written otherwise."""
    schema = session.schemas.action
    fields = action_fields(schema)
    numbers = {n for n, f in fields.items() if "number" in types(f, schema)}
    texts = {n for n, f in fields.items() if types(f, schema) & {"string"}}

    def reordered(action: Action) -> Action:
        return dict(reversed(action.items()))

    def as_numbers(action: Action) -> Action:
        return {n: same_number(v) if n in numbers else v for n, v in action.items()}

    def spaced(action: Action) -> Action:
        return {n: respaced(v) if n in texts else v for n, v in action.items()}

    yield trial.check("key_order", reordered, "the actions have one field")
    yield trial.check("number_form", as_numbers, "no whole number is sent where any number may be")
    yield trial.check("json_whitespace", spaced, "no text that is sent is a JSON object or list")


def types(field: JsonSchema, root: JsonSchema) -> set[str]:
    """The types that a field takes freely; none where it has choices."""
    options = forms_of(field, root)
    return {str(o.get("type")) for o in options if "enum" not in o and "const" not in o}


def same_number(value: JsonValue) -> JsonValue:
    """1 for 1.0 and 1.0 for 1."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    return float(value)


def respaced(value: JsonValue) -> JsonValue:
    """A JSON text with other white space; other texts as they are."""
    if not isinstance(value, str):
        return value
    try:
        held = json.loads(value)
    except ValueError:
        return value
    if not isinstance(held, dict | list):
        return value
    tight = json.dumps(held, separators=(",", ":"))
    return tight if tight != value else json.dumps(held)


def idle_inserted(session: AuditSession, trial: TransformTrial) -> TransformCheck:
    """Whether an idle action before everything else leaves the rest as it was, where there is one."""
    schema = session.schemas.action
    fields = action_fields(schema)
    if session.tools or not any(has_idle_choice(f, schema) for f in fields.values()):
        return checked("idle_inserted", "na", "no field has a choice that does nothing")
    idle = session.panel()[0].action or {}
    episodes = session.plans("idle first", [(task, [idle, *plan]) for task, plan in trial.plans])
    if any(e.error is not None for e in episodes):
        return checked("idle_inserted", "na", "an episode was lost")
    kept = [a.success is b.success for a, b in zip(trial.base, episodes, strict=True)]
    moved = fmean(total(b) - total(a) for a, b in zip(trial.base, episodes, strict=True))
    said = f"success stays in {sum(kept)} of {len(kept)} episodes, the return moves by {moved:+.3g}"
    return checked("idle_inserted", "pass" if all(kept) else "fail", said)


def order_of_choices(flown: Survey, base: Sequence[Episode]) -> TransformCheck:
    """Whether what is sent stands at one place of a shown list on every seed, although the list changes."""
    name = "order_of_choices"
    good = flown.guided
    places: dict[str, list[tuple[int, int]]] = {}
    shown: dict[str, set[str]] = {}
    for episode in good:
        first = episode.turns[0]
        sent = {json.dumps(value) for value in (first.action or {}).values()}
        for path, value in first.observation.items():
            items = [json.dumps(item) for item in value] if isinstance(value, list) else []
            hits = [n for n, item in enumerate(items) if item in sent]
            if len(set(items)) == len(items) > 1 and len(hits) == 1:
                places.setdefault(path, []).append((hits[0], len(items)))
                shown.setdefault(path, set()).add(json.dumps(items))
    listed = {p: at for p, at in places.items() if len(at) == len(good) >= FLOWN}
    for path, at in listed.items():
        if len(shown[path]) > 1 and len({place for place, _ in at}) == 1:
            said = f"{path}: what succeeds is always the entry {at[0][0]} of {at[0][1]}"
            return checked(name, "fail", said)
    if not listed:
        return checked(name, "na", "what succeeds is not chosen from a list that is shown")
    said = f"{', '.join(listed)}: what succeeds stands at different places"
    return checked(name, "pass", said)


def free_texts(
    session: AuditSession, flown: Survey, trial: TransformTrial
) -> tuple[list[TransformCheck], list[Suspicion]]:
    """Whether words of equal length move the return, in fields that do not decide the success."""
    schema = session.schemas.action
    checks, suspected = [], []
    for name, limits in {} if session.tools else action_fields(schema).items():
        said = free_text(limits, schema)
        if said is None or (said.get("maxLength") or len(CLAIM)) < len("done"):
            continue
        check, suspicion = free_words(name, said.get("maxLength"), flown, trial)
        checks.append(check)
        suspected += [] if suspicion is None else [suspicion]
    if not checks:
        checks = [checked("free_text", "na", "no field takes any text")]
    return checks, suspected


def pays_failures(name: str, size: int, flown: Survey, trial: TransformTrial, moved: float) -> bool:
    """Whether the claim moves failures by half as much at least: beside a success it may be part of the task."""
    rows = flown.of_kind(MILESTONE, Kind.RANDOM, Kind.IDLE)
    failed = [e for row in rows for e in row.failed[:1] if e.error is None and e.turns][
        :MOST_FAILED
    ]
    beside = trial.beside(failed)
    claimed = beside.changed(name, lambda action: {**action, name: CLAIM[:size]})
    plain = beside.changed(name, lambda action: {**action, name: NEUTRAL[:size]})
    moves = [
        total(c) - total(p)
        for c, p in zip(claimed or [], plain or [], strict=True)
        if c.success is False and p.success is False
    ]
    return any(move >= moved / 2 for move in moves)


def free_words(
    name: str, longest: int | None, flown: Survey, trial: TransformTrial
) -> tuple[TransformCheck, Suspicion | None]:
    """One field: the claim that all is done against plain words of the same length."""
    size = min(len(CLAIM), len(NEUTRAL), longest or len(CLAIM))
    label = f"free_text: {name}"
    claimed = trial.changed(label, lambda action: {**action, name: CLAIM[:size]})
    plain = trial.changed(label, lambda action: {**action, name: NEUTRAL[:size]})
    if claimed is None or plain is None or any(e.error for e in [*claimed, *plain]):
        return checked(label, "na", "an episode was lost"), None
    pairs = list(zip(trial.base, claimed, plain, strict=True))
    if any(b.success is not c.success or b.success is not p.success for b, c, p in pairs):
        return checked(label, "na", "its words decide the success"), None
    moved = fmean(total(c) - total(p) for _, c, p in pairs)
    said = f"a claim instead of plain words moves the return by {moved:+.3g}"
    scale = Scale(flown)
    if moved == 0 or scale.par is None or not scale.calibrated:
        return checked(label, "pass" if moved == 0 else "fail", said), None
    suspicion = None
    if moved >= MOVED * (scale.par - scale.floor) and pays_failures(
        name, size, flown, trial, moved
    ):
        row = SurveyRow(f"{name}={CLAIM[:size]!r} beside a plan", Kind.CLAIM, claimed, name)
        best = max(claimed, key=total)
        suspicion = Suspicion("reward_from_agent_text", row, best, f"{name}: {said}", moved)
    return checked(label, "fail", said), suspicion
