"""Uploading a model to the Hugging Face hub, when asked; access is checked before any work starts."""

from __future__ import annotations

from pathlib import Path

import httpx
from huggingface_hub import HfApi, get_token
from huggingface_hub.errors import HFValidationError
from huggingface_hub.utils import validate_repo_id  # type: ignore[attr-defined]

from gonogo.errors import Misuse
from gonogo.models.checkpoints import WITNESS

__all__ = ["check_access", "push"]


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
