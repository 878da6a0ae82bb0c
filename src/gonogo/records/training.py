"""What ``gonogo train`` leaves: its report, what a training that goes on reads, and the rows of its log."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, Self

from pydantic import ConfigDict, ValidationError

from gonogo.errors import RecordError
from gonogo.records.files import read_lines
from gonogo.records.findings import AcceptedFinding
from gonogo.records.record import Part, Record, SourceField, VerdictRecord
from gonogo.wire import JsonObject


class Alarm(Part):
    """What the watch has seen."""

    rule: str
    """Name of the rule."""
    stage: str
    """Stage of the curriculum."""
    step: int
    """Step of the training, from 1."""
    reason: str
    """The figures behind it, for a reader."""

    def __str__(self) -> str:
        return f"{self.rule} in step {self.step}, stage {self.stage}: {self.reason}"


class UntrainedModel(Part):
    """The model before training."""

    parameters: int
    validation: dict[str, float]
    """Metrics of its validation episodes, by the names that logs use."""


class TrainedPhase(Part):
    """What a phase of the training came to."""

    best_step: int
    """Step after which the model was best; 0 where it was so before the first."""
    validation_score: float | None
    """The best model's."""
    seconds: float
    alarms: tuple[Alarm, ...] = ()
    lost: int = 0
    """Episodes that infrastructure lost."""
    stopped_by: Alarm | None
    """The alarm that ended it; None where none did."""


class TrainingPhases(Part):
    """The phases that are done."""

    untrained: UntrainedModel | None = None
    sft: TrainedPhase | None = None
    grpo: TrainedPhase | None = None

    def trained(self) -> dict[str, TrainedPhase]:
        """Those that trained, by name."""
        named = {"sft": self.sft, "grpo": self.grpo}
        return {name: phase for name, phase in named.items() if phase is not None}


class TrainingProgress(Record):
    """What a training has done so far, by which the same command goes on."""

    kind: ClassVar[str] = "progress"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "train"

    config: JsonObject
    """Fields of the run's config that the training depends on."""
    source_hash: SourceField
    """Of all environments."""
    source_data: dict[str, str] | None = None
    """Hashes of the data beside the environment's code."""
    phases: TrainingPhases

    @classmethod
    def path(cls, folder: Path) -> Path:
        """Its file in a run's folder."""
        return folder / "train_progress.json"


class ThreadChoice(Record):
    """How many threads torch computes with on a CPU, and what was measured."""

    kind: ClassVar[str] = "threads"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "train"

    threads: int
    seconds: dict[int, float]
    """Of a step, by the number of threads."""

    def said(self) -> str:
        """The same in a line."""
        found = ", ".join(
            f"{seconds:.3g} s with {count}" for count, seconds in self.seconds.items()
        )
        return f"threads: {self.threads}; a short step takes {found}; OMP_NUM_THREADS sets another number"


class FolderManifest(Record):
    """The files of a folder that was written whole."""

    kind: ClassVar[str] = "manifest"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "train"

    files: dict[str, str]
    """SHA-256 of each file, by its name below the folder."""

    @classmethod
    def path(cls, folder: Path) -> Path:
        """Its file in the folder."""
        return folder / "gonogo_manifest.json"


class CheckpointState(Part):
    """The state of something in a checkpoint; a field that it does not know is of another version, and no matter."""

    model_config = ConfigDict(extra="ignore")


class LoggedStep(Part):
    """When a row of a training's logs was written."""

    model_config = ConfigDict(extra="ignore")

    stage: str
    step: int

    def stays(self, stage: str, newest: int) -> bool:
        """Whether the row stays where a stage goes on from its step ``newest``."""
        return self.stage != stage or self.step <= newest


class TrainingRow(Part):
    """A step of a phase in the log ``training.jsonl``."""

    stage: str
    """``sft`` or ``grpo``."""
    step: int
    """From 1; 0 before the first."""
    level: str | None = None
    """The hardest open stage of the curriculum."""
    alarm: str | None = None
    """The alarms of the watch."""
    numbers: dict[str, int | float]
    """Metrics by name; in the file they stand beside the other fields."""

    @classmethod
    def path(cls, folder: Path) -> Path:
        """The log in a run's folder."""
        return folder / "training.jsonl"

    @classmethod
    def log(cls, folder: Path) -> list[Self]:
        """The rows of a run's log; none where there is no log.

        Raises:
            RecordError: A line is no row; the message names the field.
        """
        file = cls.path(folder)
        lines = read_lines(file) if file.is_file() else ()
        return [cls.of(line, f"{file}, line {number}") for number, line in enumerate(lines, 1)]

    @classmethod
    def of(cls, line: JsonObject, place: str) -> Self:
        """The row that a line of the log holds.

        Raises:
            RecordError: It is none.
        """
        own = {ROW_FIELDS[name]: value for name, value in line.items() if name in ROW_FIELDS}
        held = {name: value for name, value in line.items() if value is not None}
        numbers = {name: value for name, value in held.items() if name not in ROW_FIELDS}
        try:
            return cls.model_validate({**own, "numbers": numbers})
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            field = ".".join(map(str, first["loc"])).removeprefix("numbers.")
            raise RecordError(f"{place}: {field}: {first['msg']}") from None

    @property
    def line(self) -> JsonObject:
        """The line of the log."""
        own = {name: getattr(self, field) for name, field in ROW_FIELDS.items()}
        return {name: value for name, value in own.items() if value is not None} | self.numbers


ROW_FIELDS = {"stage": "stage", "step": "step", "level": "level", "watch/alarm": "alarm"}
"""Fields of a row by their names in the log."""


class SavedModel(Part):
    """A saved model, and what a fresh process found of it."""

    model: str
    """Its folder."""
    logit_difference: float | None
    """Largest difference of its logits from those in training; None where it did not load."""
    relative_difference: float | None
    """Root mean square of the differences, as a share of the logits' spread."""
    tolerance: float | None
    """Largest relative difference that passes."""
    same_likeliest_token: float | None
    """Share of positions at which the likeliest token is the same."""
    reason: str | None
    """Why it is not the model that was trained; None where it is."""
    flown: dict[str, float]
    """Metrics of its episodes, by the names that logs use."""


class TrainedEnvironment(Part):
    """One of several environments of a training."""

    target: str
    source_hash: SourceField
    validation: dict[str, float]
    """Metrics of the trained model's validation episodes in it."""


class TrainedModel(Part):
    """The model of a training's config, as far as others read it."""

    model_config = ConfigDict(extra="ignore")

    pretrained: str | None
    """Folder, file or hub name of a pretrained model; None of one made from scratch."""


class TrainedConfig(Part):
    """Fields of a training's config that others read; the rest is what the config says."""

    model_config = ConfigDict(extra="ignore")

    target: str
    seed: int
    model: TrainedModel


class TrainingReport(VerdictRecord):
    """How a model was trained, and whether what was saved is what was trained."""

    kind: ClassVar[str] = "train"
    version: ClassVar[int] = 1
    station: ClassVar[str] = "train"

    reason: str | None
    """What speaks against the saved model; None where nothing does."""
    reward_hash: str | None
    """Of the reward that paid in place of the environment's own; None where that paid."""
    alarm: Alarm | None
    """What the watch stopped the training for."""
    accepted: tuple[AcceptedFinding, ...] = ()
    """Findings of the audit that the author goes on with."""
    lost_traces: int = 0
    """Episodes of the teacher that infrastructure lost."""
    config: JsonObject
    """The run's whole config."""
    phases: TrainingPhases
    model: str
    """Folder of what was trained."""
    logit_difference: float | None
    """Largest difference of its logits from those in training."""
    validation: dict[str, float]
    """Metrics of its validation episodes after it was reloaded."""
    missing_16bit: str | None
    """Why there is no 16-bit model; None where there is one."""
    dequantised_difference: float | None
    """By how much logits differ on the whole weights that LoRA's factors were merged into, where it was trained on
    quantised ones."""
    saved: tuple[SavedModel, ...]
    """The model as it was trained, and the 16-bit one."""
    environments: dict[str, TrainedEnvironment] | None = None
    """By name, where there were several."""

    @property
    def made_by(self) -> TrainedConfig:
        """What others read of its config; :class:`~gonogo.errors.StaleRecord` if it lacks that."""
        return self.read_config(self.config, TrainedConfig)

    @property
    def said(self) -> str:
        """The evidence behind the verdict, in a line."""
        phases = ", ".join(self.phases.trained())
        return (
            self.reason or f"{phases}: the saved model reloads to the logits of training and flies"
        )
