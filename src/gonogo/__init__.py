"""Takes any OpenEnv environment from "it runs" to "an agent got measurably better in it".

``import gonogo as gg`` imports nothing else: a name is looked up where it is defined when it is first used (PEP 562).
"""

from __future__ import annotations

from importlib import import_module, metadata

HOMES = {
    "AuditReport": "gonogo.records.audit",
    "CheckReport": "gonogo.records.submission",
    "ContractReport": "gonogo.records.contract",
    "Env": "gonogo.env.environment",
    "Episode": "gonogo.rollouts.episodes",
    "Episodes": "gonogo.rollouts.episodes",
    "EvaluationReport": "gonogo.records.evaluation",
    "Finding": "gonogo.records.findings",
    "ModelConfig": "gonogo.config",
    "PageReport": "gonogo.records.stations",
    "TrainingPlan": "gonogo.api",
    "PollReport": "gonogo.records.stations",
    "ProbeReport": "gonogo.records.probe",
    "ReplayReport": "gonogo.evaluation.replay",
    "RewardReport": "gonogo.records.reward",
    "RunConfig": "gonogo.config",
    "TaskPlan": "gonogo.config",
    "ThemeReport": "gonogo.records.submission",
    "TrainConfig": "gonogo.config",
    "TrainingReport": "gonogo.records.training",
    "Verdict": "gonogo.records.record",
    "audit": "gonogo.api",
    "check_env": "gonogo.api",
    "check_statement": "gonogo.api",
    "check_submission": "gonogo.api",
    "demo": "gonogo.api",
    "dry_run": "gonogo.api",
    "evaluate": "gonogo.api",
    "fly": "gonogo.api",
    "grade": "gonogo.api",
    "join_training": "gonogo.api",
    "load_config": "gonogo.api",
    "load_environment": "gonogo.api",
    "load_model": "gonogo.api",
    "missing_before": "gonogo.api",
    "plan": "gonogo.api",
    "poll": "gonogo.api",
    "probe": "gonogo.api",
    "publish": "gonogo.api",
    "replay": "gonogo.api",
    "replay_file": "gonogo.api",
    "report": "gonogo.api",
    "rollout": "gonogo.api",
    "show_progress": "gonogo.api",
    "theme": "gonogo.api",
    "train": "gonogo.api",
    "write_reward": "gonogo.api",
}
"""The module that defines each public name."""

__all__ = [*sorted(HOMES), "__version__"]  # noqa: PLE0604 - the names above


def __getattr__(name: str) -> object:
    """A public name, looked up when it is first used.

    Raises:
        AttributeError: There is none of that name.
    """
    if name == "__version__":
        return metadata.version("gonogo")
    if name not in HOMES:
        raise AttributeError(f"module 'gonogo' has no attribute {name!r}")
    return getattr(import_module(HOMES[name]), name)


def __dir__() -> list[str]:
    """The public names."""
    return sorted([*globals(), *__all__])
