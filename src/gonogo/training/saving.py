"""Saved models, and the proof that one is what was trained: reloaded in a fresh process, compared, flown.

Beside a model's weights lies a witness: tokens of an episode that it flew, and the logits that it gave for them while
it was in memory. :func:`check_reload` starts a process that has nothing but the folder, holds its logits against the
witness and lets it fly. :func:`release` makes the 16-bit model that others load: LoRA's factors are merged into the
weights that they belong to, read again from where they came, never into quantised ones. :func:`prove` does this for
both. Only safetensors are written or read.
"""

from __future__ import annotations

import gc
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from peft import PeftConfig, PeftModel
from safetensors import safe_open
from safetensors.torch import load_file, save_file
from transformers import AutoConfig

from gonogo.config import ModelConfig, RunConfig
from gonogo.env.acceptance import acceptances
from gonogo.errors import EnvironmentFailure, Misuse, PolicyFailure, RecordError
from gonogo.models import saved as models
from gonogo.models.checkpoints import ROUNDED, WITNESS, flaw, writing
from gonogo.models.machine import ram
from gonogo.models.memory import read_file_config, shape_of
from gonogo.models.pretrained import load_gguf, load_whole
from gonogo.models.tokenizer import Speaker
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.record import Part, Verdict
from gonogo.records.training import (
    Alarm,
    SavedModel,
    TrainedEnvironment,
    TrainingPhases,
    TrainingReport,
)
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.training.curriculum import TrainingTask
from gonogo.training.environments import TrainingEnvironment, validation_of
from gonogo.training.tracking import metrics_of

ADAPTER = "adapter_config.json"
TOKENS, POSITIONS = 256, 16
"""Tokens of the witness at most, and how many of the last have logits: more say the same."""
LOGITS, EPISODES = "logits.json", "episodes.jsonl"
"""What the fresh process leaves: the comparison, then the flight."""
SAME, NEAR = 1e-4, 0.1
"""Largest difference of logits, as a share of their spread: the same weights in 32 bit; weights or arithmetic rounded
to 16 bit. SmolLM2-135M's differ by 0.015 where weights are rounded to bf16 and by 0.05 where arithmetic is too."""
FP32_BYTES = 4


@dataclass(frozen=True, slots=True)
class LogitDifference:
    """How a model's logits compare with its witness.

    Attributes:
        difference: Root mean square of the differences, as a share of the logits' spread over the vocabulary.
        worst: Largest difference.
        agreement: Share of positions at which the likeliest token is the same.
        precision: How the witness held its weights: ``32-bit``, ``16-bit`` or ``quantised``.
    """

    difference: float
    worst: float
    agreement: float
    precision: str


class ReloadJob(Part):
    """What a fresh process is told: a model's folder, the run's config, and the tasks to fly."""

    folder: Path
    config: RunConfig
    tasks: tuple[TrainingTask, ...]


@dataclass(frozen=True, slots=True)
class ReloadCheck:
    """What a fresh process found.

    Attributes:
        folder: The model's.
        reason: Why it is not the model that was trained; None where it is.
        likeness: Of its logits; None where it did not load.
        tolerance: Largest difference that passes.
        episodes: What it flew.
    """

    folder: Path
    reason: str | None
    likeness: LogitDifference | None = None
    tolerance: float | None = None
    episodes: tuple[Episode, ...] = ()

    def saved(self) -> SavedModel:
        """What a record holds of it."""
        found = self.likeness
        numbers = (None, None) if found is None else (found.worst, found.difference)
        worst, difference = (n if n is not None and math.isfinite(n) else None for n in numbers)
        return SavedModel(
            model=str(self.folder),
            logit_difference=worst,
            relative_difference=difference,
            tolerance=self.tolerance,
            same_likeliest_token=None if found is None else found.agreement,
            reason=self.reason,
            flown=metrics_of(self.episodes),
        )


def release_folder(folder: Path) -> Path:
    """Where the 16-bit model of a run's model lies."""
    return folder.with_name(folder.name + ROUNDED)


def keep(speaker: Speaker, folder: Path, ids: Sequence[int]) -> None:
    """Save a model that is in memory as a whole folder, with a witness.

    Args:
        speaker: The model; one with LoRA leaves its factors only.
        folder: Where; what is there is replaced.
        ids: Tokens of an episode that it flew.
    """
    with writing(folder) as place:
        models.save(speaker, place)
        tokens = torch.tensor(list(ids[:TOKENS]) or [speaker.turns.end])
        kept = {"ids": tokens, "logits": last_logits(speaker.model, tokens)}
        save_file(kept, place / WITNESS, metadata={"precision": precision_of(speaker.model)})


def last_logits(model: Any, ids: torch.Tensor) -> torch.Tensor:
    """(positions, vocabulary) fp32 logits after the last of some tokens."""
    training = model.training
    model.eval()
    with torch.no_grad():
        logits = model(input_ids=ids[None].to(model.device), use_cache=False).logits[0]
    model.train(training)
    return logits[-POSITIONS:].float().cpu().contiguous()


def precision_of(model: Any) -> str:
    """How a model in memory holds its weights."""
    weights = [weight.dtype for weight in model.parameters()]
    if not all(kind.is_floating_point for kind in weights):
        return "quantised"
    return "16-bit" if min(kind.itemsize for kind in weights) < 4 else "32-bit"


def compare_witness(speaker: Speaker, folder: Path) -> LogitDifference:
    """Hold a model against the witness in its folder.

    Raises:
        RecordError: The witness is not there, or the vocabulary is another one.
    """
    try:
        with safe_open(folder / WITNESS, framework="pt") as file:
            ids, wanted = file.get_tensor("ids"), file.get_tensor("logits")
            precision = file.metadata()["precision"]
    except OSError as error:
        raise RecordError(f"{folder}: no witness of what was trained: {error}") from error
    got = last_logits(speaker.model, ids)
    if got.shape != wanted.shape:
        raise RecordError(f"{folder}: logits are {tuple(got.shape)}, not {tuple(wanted.shape)}")
    return LogitDifference(
        difference=difference(got, wanted),
        worst=float((got - wanted).abs().max()),
        agreement=float((got.argmax(-1) == wanted.argmax(-1)).float().mean()),
        precision=precision,
    )


def difference(got: torch.Tensor, wanted: torch.Tensor) -> float:
    """Root mean square of the differences of logits, as a share of their spread over the vocabulary.

    What is added to all logits of a position says nothing, and does not count.
    """
    apart, spread = (each - each.mean(dim=-1, keepdim=True) for each in (got - wanted, wanted))
    return float(apart.square().mean().sqrt() / spread.square().mean().sqrt())


def release(folder: Path) -> tuple[Path, float | None]:
    """Write the 16-bit model of a saved one beside it: whole weights, whether LoRA was trained or all of them.

    Args:
        folder: Of a model that :func:`keep` saved.

    Returns:
        Its folder; and, where LoRA was trained on quantised weights, by how much the logits on the whole ones that
        it is merged into differ: nobody can merge and keep what quantisation did.

    Raises:
        Misuse: The factors belong to a model that is there in quantised form only.
        PolicyFailure: The memory does not hold its weights in 32 bit, in which factors are merged, or nothing says
            which weights these are.
        RecordError: The factors' model is another one, merging changed what it says, or a number is none.
    """
    target, dequantised = release_folder(folder), None
    speaker = models.load(folder)
    witness = load_file(folder / WITNESS)
    if (folder / ADAPTER).is_file():
        speaker.model = None  # the memory may not hold it twice
        speaker.model, before = merged(folder, speaker.base, witness["ids"])
        dequantised = distance_to_training(folder, before, witness["logits"])
        witness["logits"] = before
    model = speaker.model.to(torch.bfloat16)
    if strange := [n for n, w in model.named_parameters() if not torch.isfinite(w).all()]:
        raise RecordError(f"{folder}: {strange[0]} is not finite")
    with writing(target) as place:
        models.save(Speaker(model, speaker.tokenizer, speaker.turns, speaker.context), place)
        save_file(witness, place / WITNESS, metadata={"precision": "32-bit"})
    return target, dequantised


def merged(folder: Path, base: ModelConfig | None, ids: torch.Tensor) -> tuple[Any, torch.Tensor]:
    """A model with a folder's LoRA factors added to its weights, in 32 bit; and its logits before they were.

    Args:
        folder: The factors'.
        base: How the weights under them were loaded, where that is known; a GGUF file is named nowhere else.
        ids: (tokens,) to compare by.

    Raises:
        As :func:`release`.
    """
    file = None
    if base is not None and str(base.pretrained).endswith(".gguf"):
        file = Path(str(base.pretrained))
        name, config = str(file), read_file_config(file)
    else:
        name = PeftConfig.from_pretrained(str(folder)).base_model_name_or_path
        if not name:
            raise PolicyFailure(f"{folder}: its factors do not say which model they belong to")
        config = AutoConfig.from_pretrained(name)
    if file is None and getattr(config, "quantization_config", None) is not None:
        raise Misuse(
            f"{name} holds quantised weights, which nothing is merged into: name the 16-bit model "
            "that it was made from"
        )
    shape, (there, _) = shape_of(config), ram()
    if shape is not None and FP32_BYTES * shape.parameters > there:
        raise PolicyFailure(
            f"{name} in 32 bit takes {FP32_BYTES * shape.parameters / 1e9:.1f} GB, in which factors are merged, and "
            f"this machine has {there / 1e9:.1f} GB"
        )
    whole = load_whole(name) if file is None else load_gguf(file, None).model
    model = PeftModel.from_pretrained(whole, str(folder))
    before = last_logits(model, ids)
    model = model.merge_and_unload()
    changed = difference(last_logits(model, ids), before)
    if not changed <= SAME:
        raise RecordError(f"{folder}: merging changed the logits by {changed:.2g} of their spread")
    return model, before


def distance_to_training(folder: Path, logits: torch.Tensor, witness: torch.Tensor) -> float | None:
    """How far factors on whole weights are from those in training, where these were quantised; else they are near.

    Raises:
        RecordError: They are not.
    """
    with safe_open(folder / WITNESS, framework="pt") as file:
        precision = file.metadata()["precision"]
    found = difference(logits, witness)
    if precision == "quantised":
        return found
    if not found <= tolerance_of(precision, folder):
        raise RecordError(
            f"{folder}: with the weights that it names its logits differ by {found:.2g} of their spread"
        )
    return None


def check_reload(run: RunConfig, folder: Path, tasks: Sequence[TrainingTask]) -> ReloadCheck:
    """Reload a model in a fresh process, hold it against its witness and let it fly.

    Args:
        run: The whole config.
        folder: The model's.
        tasks: What to fly as validation does, each in its environment.

    Raises:
        EnvironmentFailure: It loaded, and an episode was lost.
    """
    gc.collect()
    torch.cuda.empty_cache()  # the fresh process needs the memory; nothing happens without a GPU
    with tempfile.TemporaryDirectory() as scratch:
        job, out = Path(scratch) / "job.json", Path(scratch)
        body = ReloadJob(folder=folder, config=run, tasks=tuple(tasks)).model_dump_json()
        job.write_text(body, encoding="utf-8")
        done = subprocess.run(
            [sys.executable, "-m", "gonogo.training.saved_model_check", str(job), str(out)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            start_new_session=True,  # an interrupt is this process's to hear
        )
        said = (done.stderr.decode(errors="replace").strip() or "it said nothing").splitlines()[-1]
        if not (out / LOGITS).is_file():
            return ReloadCheck(folder, f"it does not load in a fresh process: {said}")
        likeness = LogitDifference(**json.loads((out / LOGITS).read_text(encoding="utf-8")))
        episodes = tuple(read_episodes(out / EPISODES)) if (out / EPISODES).is_file() else ()
        lost = [episode.error for episode in episodes if episode.error is not None]
        if done.returncode != 0 or lost:
            raise EnvironmentFailure(
                f"{folder}: it loads and does not fly: {lost[0] if lost else said}"
            )
    tolerance = tolerance_of(likeness.precision, folder)
    reason = verdict_of(likeness, tolerance, folder)
    return ReloadCheck(folder, reason, likeness, tolerance, episodes)


def tolerance_of(precision: str, folder: Path) -> float:
    """Largest difference that a folder's weights may have from a witness."""
    exact = precision == "32-bit" and not folder.name.endswith(ROUNDED)
    return SAME if exact else NEAR


def verdict_of(likeness: LogitDifference, tolerance: float, folder: Path) -> str | None:
    """Why a folder does not hold what was trained, or None."""
    if (wrong := flaw(folder)) is not None:
        return wrong
    if not likeness.difference <= tolerance:
        return (
            f"its logits differ from those in training by {likeness.difference:.2g} of their spread, "
            f"and {tolerance:g} is allowed"
        )
    return None


def prove(
    run: RunConfig,
    phases: TrainingPhases,
    where: Sequence[TrainingEnvironment],
    say: Callable[[str], None],
    *,
    source: str | None,
    lost_traces: int,
) -> TrainingReport:
    """Reload a model as it was trained and its 16-bit one, hold them against their witness and let them fly.

    Args:
        run: The whole config.
        phases: What came of its phases; the last one's model is proven.
        where: The run's environments.
        say: Hears of a 16-bit model that there is not.
        source: The environments' source hash, for the record.
        lost_traces: Episodes of the teacher that infrastructure lost, for the record.

    Returns:
        The record of the training: GO where nothing speaks against what was trained.

    Raises:
        EnvironmentFailure: A model loaded, and an episode was lost.
    """
    alarm = None if phases.grpo is None else phases.grpo.stopped_by
    folder = models.model_folder(run.out, "sft" if phases.grpo is None else "trained")
    tasks = validation_of(run)
    count = len(tasks) // len(where)
    found = check_reload(run, folder, tasks)
    proofs, missing, dequantised = [found], None, None
    reasons = [found.reason]
    if found.reason is None:
        try:
            released, dequantised = release(folder)
            # One task of each environment.
            proofs.append(check_reload(run, released, tasks[::count]))
            reasons.append(proofs[-1].reason)
        except (Misuse, PolicyFailure) as error:  # what was trained is no worse for it
            missing = str(error)
            say(f"There is no 16-bit model: {missing}")
        except RecordError as error:
            reasons.append(str(error))
    if alarm is not None:
        reasons.append(stopped(alarm, folder))
    reason = next((said for said in reasons if said is not None), None)
    saved = tuple(each.saved() for each in proofs)
    several = None if len(where) == 1 else by_environment(where, count, found.episodes)
    return TrainingReport(
        target=run.target,
        source_hash=source,
        reward_hash=reward_hash(run.reward),
        verdict=Verdict.GO if reason is None else Verdict.NO_GO,
        reason=reason,
        alarm=alarm,
        accepted=acceptances(run.target).entries,
        lost_traces=lost_traces,
        config=run.model_dump(mode="json"),
        phases=phases,
        model=saved[0].model,
        logit_difference=saved[0].logit_difference,
        validation=saved[0].flown,
        missing_16bit=missing,
        dequantised_difference=dequantised,
        saved=saved,
        environments=several,
        **provenance(),
    )


def by_environment(
    where: Sequence[TrainingEnvironment], count: int, validation: Sequence[Episode]
) -> dict[str, TrainedEnvironment]:
    """What the record says of each of several environments."""
    return {
        each.name: TrainedEnvironment(
            target=str(each.env),
            source_hash=each.env.source,
            validation=metrics_of(validation[count * n : count * (n + 1)]),
        )
        for n, each in enumerate(where)
    }


def stopped(alarm: Alarm, folder: Path) -> str:
    """Why the watch stopped the training, and what to do, for a reader."""
    return (
        f"the watch stopped the training: {alarm}. The best model before it is in {folder}. If the reward is honest, "
        "train on with train.watch.on_alarm: warn and another --out"
    )
