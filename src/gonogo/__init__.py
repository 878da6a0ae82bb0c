"""Takes any OpenEnv environment from "it runs" to "an agent got measurably better in it".

``import gonogo as gg`` imports nothing else: a name is looked up where it is defined when it is first used (PEP 562).
"""

from __future__ import annotations

from importlib import import_module, metadata

HOMES = {
    "AuditReport": "gonogo.records.audit",
    "ContractReport": "gonogo.records.contract",
    "Env": "gonogo.env.environment",
    "Episode": "gonogo.rollouts.episodes",
    "Episodes": "gonogo.rollouts.collection",
    "EvaluationReport": "gonogo.records.evaluation",
    "Finding": "gonogo.records.findings",
    "ModelConfig": "gonogo.config",
    "PageReport": "gonogo.records.stations",
    "ReplayReport": "gonogo.evaluation.replay",
    "RunConfig": "gonogo.config",
    "TaskPlan": "gonogo.config",
    "TrainConfig": "gonogo.config",
    "TrainingReport": "gonogo.records.training",
    "Verdict": "gonogo.records.record",
    "audit": "gonogo.api",
    "check_env": "gonogo.api",
    "evaluate": "gonogo.api",
    "load_config": "gonogo.api",
    "load_environment": "gonogo.api",
    "plan": "gonogo.api",
    "replay": "gonogo.api",
    "report": "gonogo.api",
    "rollout": "gonogo.api",
    "show_progress": "gonogo.api",
    "train": "gonogo.api",
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
