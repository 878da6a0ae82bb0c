"""Records as stations write them, whole, for tests that need one and not the station."""

from __future__ import annotations

from typing import Any

from gonogo.config import AuditConfig, RolloutConfig
from gonogo.records.audit import (
    AuditedComponent,
    AuditedPolicy,
    AuditedTask,
    AuditReport,
    FarmingFigures,
    HeadlineNumbers,
    LeakFigures,
    LengthTrend,
    RewardComponents,
    SearchFigures,
)
from gonogo.records.contract import ContractItem, ContractReport, ItemVerdict, SourcePlace
from gonogo.records.evaluation import EvaluationReport, PairedComparison, PolicyResult
from gonogo.records.findings import EpisodeWitness, Finding
from gonogo.records.inspection import RubricNode
from gonogo.records.probe import (
    ContextFit,
    ContextNeed,
    EpisodeTokens,
    IdleComparison,
    MeasuredModel,
    MeasuredPolicy,
    MemoryBudget,
    ModelChoice,
    ModelNumbers,
    ProbedTasks,
    ProbeReport,
    RankedModel,
)
from gonogo.records.provenance import provenance
from gonogo.records.record import Estimate, Verdict
from gonogo.records.reward import (
    AuditSide,
    ComponentExploits,
    ExploitCase,
    RewardReport,
    SuiteOutcome,
    WrittenReturns,
    WrittenReward,
)
from gonogo.records.submission import (
    AgentsFact,
    AuditFact,
    BoxEvidence,
    BoxWord,
    CanaryEpisode,
    CheckedBox,
    CheckReport,
    CurriculumFact,
    DecisionsFact,
    DelayFact,
    GradedEpisode,
    GradedTask,
    GradeReport,
    HiddenFact,
    IdleEpisodes,
    KnownEnvironment,
    OracleEpisodes,
    RandomReturns,
    ReplayedEpisode,
    ResourceUse,
    ResourceUses,
    ShownAnswers,
    Statement,
    ThemeCriterion,
    ThemeFacts,
    ThemeReport,
    ToolsFact,
    UnderexploredFact,
)
from gonogo.records.success import JudgedSuccess, SaidBy, SuccessCandidate
from gonogo.records.training import (
    SavedModel,
    TrainedPhase,
    TrainingPhases,
    TrainingReport,
    UntrainedModel,
)

NUMBERS: dict[str, Any] = {
    "episodes": 10,
    "lost": {},
    "unscored": 0,
    "scores": (0.5,) * 10,
    "score": Estimate(mean=0.5, ci95=(0.4, 0.6)),
    "success": None,
    "invalid_rate": 0.0,
    "invalid_said": {},
    "timeout_rate": 0.0,
    "mean_turns": 3.0,
    "example": None,
    "tokens": EpisodeTokens(
        mean=40.0, longest=50, reply_mean=8.0, reply_longest=9, context_ran_out=0
    ),
    "same_action": False,
}


def idle_comparison(above: bool = True, better: int = 9, episodes: int = 10) -> IdleComparison:
    """A policy beside idle."""
    return IdleComparison(
        episodes=episodes, idle_top=0.3, better=better, difference=None, above=above
    )


def measured_policy(**given: Any) -> MeasuredPolicy:
    """A policy that is no model, whose actions are valid, but for what is given otherwise."""
    return MeasuredPolicy.model_validate(NUMBERS | given)


def measured_model(**given: Any) -> MeasuredModel:
    """A model above idle whose actions are valid, but for what is given otherwise."""
    known = NUMBERS | {"against_idle": idle_comparison(), "seconds": None}
    return MeasuredModel.model_validate(known | given)


def ranked_model(name: str, measured: MeasuredModel | None, **given: Any) -> RankedModel:
    """A candidate that can be trained, with its score on each axis, but for what is given otherwise."""
    from gonogo.training.probe.ranking import axes_of, total_of

    memory = {
        "lora_16bit_gb": 20.0,
        "lora_4bit_gb": 8.0,
        "inference_16bit_gb": 17.0,
        "inference_4bit_gb": 5.0,
    }
    known = {
        "name": name,
        "repository": None,
        "where": None,
        "weights_hash": None,
        "parameters": 10**9,
        "architecture": None,
        "memory": memory,
        "fits": "lora_4bit",
        "context": ContextFit(need=100, basis="about", had=8192, enough=True),
        "licence": "mit",
        "unsloth": True,
        "sources": {},
        "failure": None,
        "measured": measured,
    }
    row = ModelNumbers.model_validate(known | given)
    axes = axes_of(row)
    return RankedModel(**dict(row), axes=axes, total=total_of(axes))


def probe_report() -> ProbeReport:
    """A probe that flew one model of two."""
    flown = measured_model()
    return ProbeReport(
        target="envs/x",
        environment="x",
        source_hash=None,
        reward_hash=None,
        seed=0,
        episodes=10,
        tasks=ProbedTasks(first={"split": "test"}, count=10),
        verdict=Verdict.GO,
        reason="a scores above idle",
        choice=ModelChoice(name="a", measured=True, why="It is."),
        advice=(),
        notes=("one",),
        machine_memory=MemoryBudget(gb=16.0, whose="RAM", on_cpu=True),
        context_need=ContextNeed(bytes=400, tokens=None, at_most=500, tokens_a_byte=None),
        weights={"reward": 4},
        policies={
            "idle": measured_policy(),
            "random": measured_policy(against_idle=idle_comparison(above=False)),
        },
        candidates=(
            ranked_model("a", flown, architecture={"layers": 2, "tied": True}),
            ranked_model("b", None),
        ),
        config={},
        **provenance(),
    )


def trained_phase(**given: Any) -> TrainedPhase:
    """A phase of a training, but for what is given otherwise."""
    said = {"best_step": 4, "validation_score": 0.5, "seconds": 1.5, "stopped_by": None}
    return TrainedPhase.model_validate(said | given)


def saved_model(**given: Any) -> SavedModel:
    """A model that reloads, but for what is given otherwise."""
    said = {
        "model": "models/trained",
        "logit_difference": 1e-6,
        "relative_difference": 1e-7,
        "tolerance": 1e-4,
        "same_likeliest_token": 1.0,
        "reason": None,
        "flown": {"reward/overall": 0.5},
    }
    return SavedModel.model_validate(said | given)


def training_report(**given: Any) -> TrainingReport:
    """A training that is GO, but for what is given otherwise."""
    saved = saved_model()
    said = {
        "target": "envs/x",
        "source_hash": None,
        "reward_hash": None,
        "verdict": Verdict.GO,
        "reason": None,
        "alarm": None,
        "config": {},
        "phases": TrainingPhases(
            untrained=UntrainedModel(parameters=1000, validation={"reward/overall": 0.1}),
            grpo=trained_phase(),
        ),
        "model": saved.model,
        "logit_difference": saved.logit_difference,
        "validation": saved.flown,
        "missing_16bit": None,
        "dequantised_difference": None,
        "saved": (saved,),
        **provenance(),
    }
    return TrainingReport.model_validate(said | given)


def exploit_case(exploit: str = "idle", **fields: Any) -> ExploitCase:
    """An exploit of the component primary."""
    given = {
        "component": "primary",
        "guard": "word",
        "exploit": exploit,
        "origin": "the panel's idle",
        "task": {},
        "plan": ({"call": "quiet"},),
        "fails": True,
        "guarded": 0.05,
        "unguarded": 0.6,
        "most_for_a_failure": 0.05,
    }
    return ExploitCase(**{**given, **fields})


def component_exploits(name: str = "primary", *exploits: str, **fields: Any) -> ComponentExploits:
    """A component with a case for each exploit."""
    cases = tuple(exploit_case(exploit, component=name) for exploit in exploits)
    given = {"weight": 0.5, "guards": {"word": "Success is what it says."}, "cases": cases}
    return ComponentExploits(name=name, **{**given, **fields})


def written_reward(**fields: Any) -> WrittenReward:
    """A reward of one component with three exploits, whose tests pass."""
    given = {
        "environment": "x",
        "reward_hash": "0",
        "written_hash": "0",
        "components": (component_exploits("primary", "idle", "stall", "shout"),),
        "alike": (),
        "flown": WrittenReturns(worst_success=(1.0, 1.0), best_failure=(0.6, 0.05)),
        "tests": SuiteOutcome(passed=True, said="9 passed"),
        "notes": (),
    }
    return WrittenReward(**{**given, **fields})


def reward_report(**fields: Any) -> RewardReport:
    """The same after both audits."""
    given = {
        "target": "envs/x",
        "source_hash": None,
        "before": AuditSide(
            verdict=Verdict.NO_GO, reason="paid for idling", findings=("paid_for_idling",)
        ),
        "after": AuditSide(verdict=Verdict.GO, reason="nothing found", findings=()),
        "sides": (),
        "verdict": Verdict.GO,
        "reason": "4 components",
        "seed": 0,
        "config": {},
    }
    return RewardReport(**{**dict(written_reward()), **given, **provenance(), **fields})


def checked_box(**fields: Any) -> CheckedBox:
    """A box that is so."""
    given = {
        "name": "files",
        "question": "no large files are in the folder",
        "why": "it is cloned",
        "answer": BoxWord.GO,
        "said": "11 files",
        "command": None,
        "evidence": BoxEvidence(),
    }
    return CheckedBox(**{**given, **fields})


def check_report(**fields: Any) -> CheckReport:
    """A check of one box."""
    given = {
        "target": "envs/x",
        "source_hash": None,
        "environment": "x",
        "seed": 0,
        "verdict": Verdict.GO,
        "reason": "all 1 boxes",
        "notes": (),
        "boxes": (checked_box(),),
        "config": {},
    }
    return CheckReport(**{**given, **provenance(), **fields})


def graded_episode(paid: float, success: bool) -> GradedEpisode:
    """An episode of three turns."""
    return GradedEpisode(
        task={"seed": 1},
        episode_return=paid,
        success=success,
        turns=3,
        components={"opened": paid, "begun": paid},
        error=None,
    )


def graded_task(**fields: Any) -> GradedTask:
    """A task that is solved, and replayed the same."""
    replayed = ReplayedEpisode(
        policy="solve",
        task={"seed": 1},
        success=True,
        steps=3,
        difference=None,
        verdict=None,
        record=None,
    )
    oracle = (graded_episode(1.0, success=True),)
    given = {
        "task": {},
        "oracle": OracleEpisodes(policy="solve", shipped=True, episodes=oracle),
        "idle": IdleEpisodes(episodes=(graded_episode(0.0, success=False),)),
        "random": (RandomReturns(task={"seed": 1}, returns=(0.0, 0.1)),),
        "replays": (replayed,),
        "shown": ShownAnswers(
            tried={"observation": 3, "state": 1, "metadata": 0}, leaks=(), judged=True
        ),
    }
    return GradedTask(**{**given, **fields})


def grade_report(**fields: Any) -> GradeReport:
    """What was flown of a sound package with one task."""
    used = ResourceUse(episodes=4, seconds=1.0, memory_mb=200.0, lost=None)
    given = {
        "target": "envs/x",
        "source_hash": None,
        "verdict": Verdict.GO,
        "reason": "all pass",
        "seed": 0,
        "seeds": (1,),
        "tasks": (graded_task(),),
        "canaries": (CanaryEpisode(name="a.json", episode_return=0.0, floor=0.0, problem=None),),
        "resources": ResourceUses(replays=used, provoked=used),
        "config": {},
    }
    return GradeReport(**{**given, **provenance(), **fields})


def theme_facts(**fields: Any) -> ThemeFacts:
    """What was measured of an environment without an audit."""
    near = (KnownEnvironment(name="echo_env", similarity=0.1),)
    given = {
        "agents": AgentsFact(holds=None, said="one agent acts", acting=1, others_named_by=()),
        "decisions": DecisionsFact(
            holds=False, said="few", to_succeed={"{}": 3.0}, longest_episode=9, episodes=2
        ),
        "delay": DelayFact(
            holds=False, said="soon", mean_decisions=1.5, of_successes=True, actions=6
        ),
        "hidden": HiddenFact(
            holds=None, said="too few", situations_met_again=1, went_another_way=0
        ),
        "tools": ToolsFact(holds=None, said="none", tools=(), action_fields=("move",)),
        "curriculum": CurriculumFact(holds=False, said="none", levels=(), knobs=(), splits=()),
        "audit": AuditFact(holds=None, said="the reward is not audited yet"),
        "underexplored": UnderexploredFact(
            holds=True,
            said="far",
            nearest=near,
            near_from=0.2,
            entries=30,
            catalogue="OpenEnv",
            words=("grid",),
        ),
    }
    return ThemeFacts(**{**given, **fields})


def theme_report(**fields: Any) -> ThemeReport:
    """A theme that is chosen and confirmed."""
    said = dict.fromkeys(("gap", "observes", "decides", "does", "verified", "remember"), "It is.")
    point = {"theme": "5", "criterion": "maps", "points": 3, "of": 3, "by": "author"}
    given = {
        "target": "envs/x",
        "source_hash": None,
        "environment": "x",
        "seed": 0,
        "verdict": Verdict.GO,
        "reason": "theme 5",
        "theme": "5",
        "why": "the author's choice",
        "totals": {"5": 3},
        "points": (ThemeCriterion(**point, reason="It is original."),),
        "facts": theme_facts(),
        "words": "theme.yaml",
        "statement": Statement(**said),
        "drafted_by": None,
        "confirmed": True,
        "missing": (),
        "notes": (),
        "config": {},
    }
    return ThemeReport(**{**given, **provenance(), **fields})


def estimate(mean: float | None, half: float | None = 0.1) -> Estimate:
    """A mean with so wide an interval on each side; constant without one."""
    ci95 = None if mean is None or half is None else (mean - half, mean + half)
    return Estimate(mean=mean, ci95=ci95)


def policy_result(score: Estimate, **given: Any) -> PolicyResult:
    """What a policy came to, with one score for everything that is not given."""
    said = {
        "decoding": None,
        "success": score,
        "score": score,
        "components": {},
        "invalid_rate": 0.0,
        "timeout_rate": 0.0,
        "mean_turns": 4.0,
        "episodes": 20,
        "unscored": 0,
        "lost": (),
        "seed": 0,
        "flown": {"score": (), "success": (), "turns": (), "invalid": (), "timeout": ()},
    }
    return PolicyResult.model_validate(said | given)


def paired_comparison(**given: Any) -> PairedComparison:
    """A comparison of trained with untrained in which nothing differs, but for what is given otherwise."""
    said = {
        "baseline": "untrained",
        "candidate": "trained",
        "success_difference": estimate(0.0),
        "score_difference": estimate(0.0),
        "improvement_percent": 0.0,
        "mcnemar_p": 1.0,
        "sign_flip_p": 1.0,
        "episodes": 20,
        "excluded": 0,
    }
    return PairedComparison.model_validate(said | given)


def evaluation_report(policies: dict[str, PolicyResult], **given: Any) -> EvaluationReport:
    """An evaluation of some policies on 20 tasks, but for what is given otherwise."""
    said = {
        "target": "envs/x",
        "source_hash": None,
        "verdict": Verdict.HOLD,
        "reason": "there is no trained model among the policies",
        "environment": "somewhere",
        "reward_hash": None,
        "split": "test",
        "level": "easy",
        "episodes": 20,
        "tasks": {"first": {"seed": 0}, "count": 20},
        "training_seeds": (),
        "seed": 0,
        "criteria": ({"id": "trained", "verdict": "HOLD", "said": "there is none"},),
        "held_out": None,
        "constants": None,
        "method": "by hand",
        "notes": (),
        "likeness": {},
        "shown_task": 0,
        "policies": policies,
        "comparisons": (),
        "config": {},
        **provenance(),
    }
    return EvaluationReport.model_validate(said | given)


def episode_witness(**given: Any) -> EpisodeWitness:
    """Idling that is paid."""
    said = {
        "reset": {"seed": 3},
        "actions": [{"move": "stay"}] * 12,
        "rewards": [0.0] * 11 + [0.5],
        "total": 0.5,
        "success": False,
        "done": True,
        "plan": [{"move": "stay"}],
    }
    return EpisodeWitness.model_validate(said | given)


def finding(name: str, **given: Any) -> Finding:
    """A finding of an audit."""
    said = {
        "id": name,
        "task": {},
        "component": None,
        "witness": episode_witness(),
        "explanation": f"{name} happened",
    }
    return Finding.model_validate(said | given)


def headline_numbers(**given: Any) -> HeadlineNumbers:
    """The numbers of a task of which nothing is known but that nothing was paid."""
    said = {
        "paid_for_nothing": None,
        "failure_out_earns_success": None,
        "best_failing_return": None,
        "success_on_its_seed": None,
        "best_known_return": None,
        "floor": 0.0,
        "distinct_episodes": {"different": 1, "seeds": 2},
        "reachability": None,
    }
    return HeadlineNumbers.model_validate(said | given)


def audited_policy(name: str, kind: str, **given: Any) -> AuditedPolicy:
    """A policy that fails and is paid nothing."""
    said = {
        "policy": name,
        "kind": kind,
        "episodes": 2,
        "lost": 0,
        "cut": 0,
        "returns": {"mean": 0.0, "ci95": None, "note": "all 2 values are equal"},
        "success": {"mean": 0.0, "ci95": (0.0, 0.66)},
        "failed": 2,
        "paid": 0.0,
        "steps": 12.0,
    }
    return AuditedPolicy.model_validate(said | given)


def audited_component(name: str, **given: Any) -> AuditedComponent:
    """A component that lies within its weight."""
    said = {
        "name": name,
        "min": 0.0,
        "max": 0.4,
        "mean": 0.2,
        "mean_success": 0.3,
        "mean_failure": 0.1,
        "constant": False,
        "weight": 0.4,
        "factor": 1.0,
        "normalised": "weight",
        "auroc_success": 0.25,
        "correlation_return": 0.5,
        "without": None,
        "shapley": None,
        "cheapest": {
            "policy": "idle",
            "kind": "idle",
            "mean": 0.4,
            "value": 0.4,
            "witness": episode_witness(),
        },
    }
    return AuditedComponent.model_validate(said | given)


def audited_task(**given: Any) -> AuditedTask:
    """A task that was audited to the end, in which nothing was found."""
    length = LengthTrend(episodes=2, spearman=None, slope_per_step=None, note="too few failures")
    said = {
        "task": {},
        "success": (),
        "numbers": headline_numbers(),
        "policies": (audited_policy("idle", "idle"),),
        "search": SearchFigures(plan=None, policy=None),
        "candidate": None,
        "components": RewardComponents(note="none are shown", rule=None, components=()),
        "farming": FarmingFigures(length=length, cycles=()),
        "metamorphic": (),
        "leakage": LeakFigures(paths=0, copies_flown=0, agreements=(), copies=()),
        "distinct": {"note": "the task takes no seed: it is one episode"},
        "review": (),
    }
    return AuditedTask.model_validate(said | given)


def judged_success(said_by: SaidBy, expression: str) -> JudgedSuccess:
    """A success that is a word for it, and who says so; of the environment's own word there is no expression."""
    candidate = SuccessCandidate(
        expression=expression, strength=3.0, why="it held", held=1, ends=2, return_held=1.0, return_else=0.0,
        circular=False, word=True,
    )  # fmt: skip
    said = expression if said_by in ("given", "assumed") else None
    return JudgedSuccess(said_by=said_by, expression=said, why="it held", candidates=(candidate,))


def audit_config(**audit: Any) -> dict[str, Any]:
    """What an audit was made by: the defaults, but for some fields of its own section."""
    asked = AuditConfig().model_dump(mode="json") | audit
    rollout = RolloutConfig().model_dump(mode="json")
    return {"reward": None, "rollout": rollout, "audit": asked}


def audit_report(*findings: Finding, **given: Any) -> AuditReport:
    """An audit with some findings; GO without any."""
    said = {
        "target": "envs/grid",
        "environment": "grid",
        "source_hash": "0" * 64,
        "reward_hash": None,
        "seed": 0,
        "seeds": {"survey": (1, 2), "fresh": (3, 4)},
        "verdict": Verdict.NO_GO if findings else Verdict.GO,
        "reason": "a reason",
        "findings": findings,
        "tasks": (audited_task(),),
        "flown": {"episodes": 2, "steps": 24},
        "budget": {"spent": 26, "ended": "flown", "unreached": ()},
        "clock": {"minutes": 2.0, "first_finding_s": None, "verdict_s": 9.0},
        "limit": {"turns": 64, "why": "so much was flown"},
        "notes": ("a note",),
        "config": audit_config(),
        **provenance(),
    }
    return AuditReport.model_validate(said | given)


def source_place(file: str, line: int) -> SourcePlace:
    """A line of code."""
    return SourcePlace(file=file, line=line, inside="", text="")


def rubric_node(
    name: str = "",
    *children: RubricNode,
    weight: float | None = None,
    file: str | None = None,
    line: int | None = None,
) -> RubricNode:
    """A rubric and those below it."""
    return RubricNode(
        name=name, class_name="Rubric", weight=weight, file=file, line=line, children=children
    )


def contract_item(
    name: str, verdict: ItemVerdict = "pass", said: str = "so", **given: Any
) -> ContractItem:
    """A check's answer about the default task, but for what is given otherwise."""
    known: dict[str, Any] = {"task": {}, "evidence": {}, "finding": None}
    return ContractItem.model_validate(
        known | {"id": name, "verdict": verdict, "said": said} | given
    )


def contract_report(*flown: dict[str, Any], **given: Any) -> ContractReport:
    """A map of an environment that shows little and keeps its contract; a part that is given in part is filled up.

    Args:
        flown: Reset options of the tasks; the default one alone where none is given.
        given: Other fields.
    """
    tasks = [{"options": options, "source": "default"} for options in flown or ({},)]
    known: dict[str, Any] = {
        "target": "envs/x",
        "source_hash": None,
        "verdict": Verdict.GO,
        "reason": "mapped",
        "environment": "x",
        "reward_hash": None,
        "seed": 0,
        "metadata": None,
        "reset": {"parameters": None, "open": None, "code": None, "example": None},
        "step": {"code": None, "steps": 0, "changed": {}},
        "action": {"fields": (), "tools": ()},
        "observation": (),
        "state": (),
        "model": {"instructions": "", "first_observation": None, "left_out": ()},
        "terminal": {
            "limit": 64,
            "why": "so much was flown",
            "sought": 0,
            "cut": (),
            "ended": 0,
            "flown": 0,
            "steps": None,
            "ends": (),
            "places": None,
        },
        "reward": {"declared": None, "seen": None, "rubric": {}, "breakdown": (), "places": ()},
        "tasks": {"flown": tasks, "left_out": (), "splits": None},
        "manifest": None,
        "packaging": None,
        "unknown": (),
        "contract": (),
        "items": (),
        "findings": (),
        "notes": (),
        "config": {},
    }
    for name, value in given.items():
        part = isinstance(value, dict) and isinstance(known.get(name), dict)
        known[name] = known[name] | value if part else value
    return ContractReport.model_validate(provenance() | known)
