"""What goes to the Hugging Face hub: the card of a saved model, and its folder when that is asked for.

The card is a README with the hub's front matter, every figure read from the run's records: what the model was made
from, in which environment and how, what the proof of its folder found, and what the evaluation measured. Figures are
shown only where the evaluation flew these very weights, or those that they were rounded from; a model that was not
evaluated says so. Access for an upload is checked before any work starts.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import httpx
import yaml
from huggingface_hub import EvalResult, HfApi, ModelCard, ModelCardData, get_token
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from gonogo.config import load_candidates
from gonogo.errors import MissingRecord, Misuse
from gonogo.models.checkpoints import ROUNDED, WITNESS
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.files import write_text
from gonogo.records.provenance import tree_hash
from gonogo.records.record import Verdict
from gonogo.records.stations import WORDS
from gonogo.records.tables import estimate
from gonogo.records.training import TrainingReport

CARD = "README.md"
SHOWN = ("model", "rollout", "train", "reward", "seed")
"""Fields of the config that a card repeats."""


def refresh_cards(run: Path) -> None:
    """Write the cards of a run's saved models again; nothing happens where no training has ended.

    Args:
        run: The run's folder.
    """
    try:
        record = TrainingReport.load(run)
    except MissingRecord:
        return
    for saved in record.saved:
        folder = run / "models" / Path(saved.model).name
        if folder.is_dir():
            write_card(run, folder)


def write_card(run: Path, folder: Path) -> None:
    """Write a model's card into its folder.

    Args:
        run: The run's folder, with ``train.json`` and perhaps ``evaluation.json``.
        folder: The model's.

    Raises:
        MissingRecord: The run has no record of a training.
    """
    train = TrainingReport.load(run)
    try:
        evaluation = EvaluationReport.load(run)
    except MissingRecord:
        evaluation = None
    names = [] if evaluation is None else evaluated(evaluation, folder)
    pretrained = train.made_by.model.pretrained
    local = pretrained is None or Path(pretrained).exists()
    data = ModelCardData(
        base_model=None if local else pretrained,
        license=licence(pretrained),
        library_name="peft" if (folder / "adapter_config.json").is_file() else "transformers",
        pipeline_tag="text-generation",
        tags=[
            "gonogo",
            "openenv",
            "reinforcement-learning",
            *train.phases.trained(),
        ],
        model_name=folder.name,
        eval_results=results(evaluation, names) if evaluation is not None and names else None,
    )
    text = "\n".join([
        *opening(train, folder, pretrained),
        *measured(evaluation, names, folder),
        *proven(train, folder),
        *trained(train),
    ])  # fmt: skip
    write_text(folder / CARD, str(ModelCard(f"---\n{data.to_yaml()}\n---\n\n{text}\n")))


def evaluated(evaluation: EvaluationReport, folder: Path) -> list[str]:
    """Policies of an evaluation that had a folder's weights, or else those that were rounded into it."""
    unrounded = folder.with_name(folder.name.removesuffix(ROUNDED))
    for source in (folder, unrounded):
        if source.is_dir():
            digest = tree_hash(source)
            names = [n for n, e in evaluation.policies.items() if e.model_hash == digest]
            if names:
                return names
    return []


def licence(pretrained: str | None) -> str | None:
    """The licence of what was trained, where its own card or the table of candidates says it."""
    if pretrained is None:
        return None
    card = Path(pretrained) / CARD
    if card.is_file():
        said = ModelCard.load(card, ignore_metadata_errors=True).data.license
        return said if isinstance(said, str) else None
    listed = {candidate.repository: candidate.licence for candidate in load_candidates()}
    return listed.get(pretrained)


def results(evaluation: EvaluationReport, names: Iterable[str]) -> list[EvalResult]:
    """The hub's form of what was measured."""
    out = []
    for name in names:
        entry = evaluation.policies[name]
        for metric, estimate_of in (("score", entry.score), ("success", entry.success)):
            if estimate_of.mean is not None:
                out.append(
                    EvalResult(
                        task_type="reinforcement-learning",
                        dataset_type=evaluation.environment,
                        dataset_name=evaluation.environment,
                        dataset_config=evaluation.level,
                        dataset_split=evaluation.split,
                        dataset_revision=evaluation.source_hash,
                        metric_type=metric,
                        metric_name=f"{metric}, {entry.decoding}",
                        metric_value=estimate_of.mean,
                    )
                )
    return out


def opening(train: TrainingReport, folder: Path, pretrained: str | None) -> list[str]:
    """What it is."""
    origin = "made from scratch" if pretrained is None else f"trained from `{pretrained}`"
    form = "Its weights are in 16 bit." if folder.name.endswith(ROUNDED) else ""
    targets = [each.target for each in (train.environments or {}).values()]
    where = (
        f"environment `{train.target}`"
        if not targets
        else "environments " + ", ".join(f"`{each}`" for each in targets)
    )
    return [
        f"# {folder.name}",
        "",
        f"A language model that acts in the OpenEnv {where}, {origin} with "
        f"gonogo {train.packages.get('gonogo', '')}. It reads an observation as text and replies with an action "
        f"as JSON; `gonogo_model.json` says in which turn format. {form}".rstrip(),
        "",
        "    gonogo evaluate TARGET --policies FOLDER",
        "",
    ]


def measured(evaluation: EvaluationReport | None, names: Sequence[str], folder: Path) -> list[str]:
    """What the evaluation found, beside everyone it flew."""
    lines = ["## Evaluation", ""]
    if evaluation is None or not names:
        return [
            *lines,
            "These weights have not been evaluated: `gonogo evaluate` writes its figures here.",
            "",
        ]
    places = (("split", evaluation.split), ("level", evaluation.level))
    where = ", ".join(f"{key} `{value}`" for key, value in places if value is not None)
    lines += [
        f"{evaluation.episodes} held-out tasks of `{evaluation.environment}`{', ' + where if where else ''}; "
        f"{evaluation.method}.",
        "",
    ]
    if folder.name.endswith(ROUNDED) and not any(name.startswith(folder.name) for name in names):
        lines += ["The figures are of the weights before they were rounded to 16 bit.", ""]
    lines += ["| policy | score | success | invalid replies | episodes |", "|---|---|---|---|---|"]
    for name, entry in evaluation.policies.items():
        shown = f"**{name}**" if name in names else name
        lines.append(
            f"| {shown} | {estimate(entry.score)} | {estimate(entry.success)} "
            f"| {plain(entry.invalid_rate)} | {entry.episodes} |"
        )
    shown = "" if evaluation.verdict is Verdict.GO else "no improvement is shown: "
    lines += ["", f"{WORDS[evaluation.verdict.name]}: {shown}{evaluation.reason}.", ""]
    return [
        *lines,
        *(f"- {note}" for note in evaluation.notes),
        *([""] if evaluation.notes else []),
    ]


def proven(train: TrainingReport, folder: Path) -> list[str]:
    """What a fresh process found of the folder."""
    found = [saved for saved in train.saved if Path(saved.model).name == folder.name]
    if not found:
        return []
    saved, apart = found[0], train.dequantised_difference
    quantised = folder.name.endswith(ROUNDED) and apart is not None
    return [
        "## Proof",
        "",
        f"Reloaded in a fresh process, its logits differ from those in training by "
        f"{plain(saved.relative_difference)} of their spread (at most {plain(saved.tolerance)} passes), "
        f"the likeliest token is the same at {plain(saved.same_likeliest_token)} of the positions, and it flew.",
        *(
            [
                "",
                f"LoRA was trained on quantised weights; on the whole ones that it was merged into, logits differ by "
                f"{plain(apart)} of their spread.",
            ]
            if quantised
            else []
        ),
        "",
    ]


def trained(train: TrainingReport) -> list[str]:
    """How it was trained, as the config says it."""
    config = {name: train.config[name] for name in SHOWN}
    packages = ", ".join(f"{name} {version}" for name, version in train.packages.items())
    return [
        "## Training",
        "",
        f"Environment's source: `{train.source_hash}`. {packages}.",
        "",
        "```yaml",
        yaml.safe_dump(config, sort_keys=False, allow_unicode=True).rstrip(),
        "```",
    ]


def plain(value: float | None) -> str:
    """A number in three digits; a dash for none."""
    return "–" if value is None else f"{value:.3g}"


def check_access(repository: str) -> None:
    """Whether a model could be uploaded: the name is one, there is a token, and the hub knows it.

    Raises:
        Misuse: It could not.
    """
    try:
        validate_repo_id(repository)
    except HFValidationError as error:
        raise Misuse(f"--push: {error}") from error
    if get_token() is None:
        raise Misuse(
            f"--push {repository} needs a token of the Hugging Face hub that may write: set HF_TOKEN, "
            "or run `hf auth login`"
        )
    try:
        HfApi().whoami()
    except (httpx.HTTPError, OSError) as error:
        raise Misuse(f"--push {repository}: the hub does not let us in: {error}") from error


def push(repository: str, folder: Path) -> str:
    """Upload a model's folder, without the witness of its proof.

    Args:
        repository: Its name on the hub; made if it is not there.
        folder: The model's.

    Returns:
        The repository's address.

    Raises:
        Misuse: The hub did not take it.
    """
    api = HfApi()
    try:
        made = api.create_repo(repository, exist_ok=True)
        api.upload_folder(
            repo_id=made.repo_id,
            folder_path=folder,
            commit_message=f"{folder.name}, by gonogo train",
            ignore_patterns=[WITNESS],
        )
    except (httpx.HTTPError, OSError) as error:
        raise Misuse(
            f"--push {repository}: the hub did not take {folder}, and the same command tries again: {error}"
        ) from error
    return str(made)
