"""What a run is to do, as frozen, typed, strict models loaded from YAML.

A config file holds one :class:`RunConfig`. Nothing is coerced and nothing unknown is let through: a
wrong field stops the program with its name, the rule and the value, before anything has started.
The environment is named by its target and its tasks by reset options; no field here knows what they
mean.

Every field's documentation is the string below it, and is its description in the JSON schema.
"""

from gonogo.config.author_words import THEMES, Answer, Words, blank, check_words, read_words
from gonogo.config.candidates import Architecture, CandidateModel, load_candidates
from gonogo.config.kept_flags import goes_on, keeping, options_of
from gonogo.config.run_config import (
    UNPLANNED,
    ConfigFields,
    RunConfig,
    describe,
    load,
    reset_options,
    run_name,
)
from gonogo.config.stations import (
    FUNCTION,
    WORDS,
    AuditConfig,
    CheckConfig,
    EvaluationConfig,
    MapConfig,
    ProbeConfig,
    RolloutConfig,
    TaskPlan,
    TaskSource,
    ThemeConfig,
)
from gonogo.config.training import (
    CurriculumConfig,
    EnvironmentConfig,
    GrpoConfig,
    LoraConfig,
    ModelConfig,
    SftConfig,
    Stage,
    TrainConfig,
    ValidationConfig,
    WatchConfig,
)

__all__ = [
    "FUNCTION",
    "THEMES",
    "UNPLANNED",
    "WORDS",
    "Answer",
    "Architecture",
    "AuditConfig",
    "CandidateModel",
    "CheckConfig",
    "ConfigFields",
    "CurriculumConfig",
    "EnvironmentConfig",
    "EvaluationConfig",
    "GrpoConfig",
    "LoraConfig",
    "MapConfig",
    "ModelConfig",
    "ProbeConfig",
    "RolloutConfig",
    "RunConfig",
    "SftConfig",
    "Stage",
    "TaskPlan",
    "TaskSource",
    "ThemeConfig",
    "TrainConfig",
    "ValidationConfig",
    "WatchConfig",
    "Words",
    "blank",
    "check_words",
    "describe",
    "goes_on",
    "keeping",
    "load",
    "load_candidates",
    "options_of",
    "read_words",
    "reset_options",
    "run_name",
]
