"""Policies by name: the environment's own, the built-in ones, a function, a run's models, or a model's folder.

Names are looked up in that order, so that an environment which ships an ``idle`` is flown by its own.
A function is named as ``module:function``, is looked up from the working directory and flies in a process of its
own. ``always`` and an action as JSON is the policy that repeats it. A model's name may end in ``_sampled``; without it
the model decodes greedily. A model needs the
``train`` extra, which is imported when one is flown and not before. The name of a policy of the environment, or of a
built-in one, may end in ``_careless``: the same with slips.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from gonogo.config import FUNCTION, ModelConfig
from gonogo.env.target import FolderTarget, Target, check_function, module_hash
from gonogo.errors import MissingExtra, Misuse
from gonogo.exploits.panel import Habit, Kind
from gonogo.models.weights import OUR_MODEL_FILE, TRAIN_EXTRA, holds_model
from gonogo.nearest import nearest
from gonogo.policies.external import FunctionPolicy, ReferencePolicy
from gonogo.records.provenance import tree_hash
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.builtin_policies import (
    ALWAYS,
    CARELESS,
    CarelessPolicy,
    IdlePolicy,
    RandomPolicy,
)
from gonogo.rollouts.types import Policy, Schemas
from gonogo.wire import Action

if TYPE_CHECKING:
    from gonogo.models.vllm import VllmServer


SAMPLED = "_sampled"


@dataclass(frozen=True, slots=True)
class NamedPolicy:
    """A policy and what a record says of it.

    Attributes:
        policy: Who flies; to be closed by whoever asked for it.
        decoding: ``greedy`` or ``sampled`` for a model, else None.
        seed: Seed of its draws, or None where it draws nothing.
    """

    policy: Policy
    decoding: str | None = None
    seed: int | None = None


@dataclass(frozen=True, slots=True)
class ModelSettings:
    """How a policy that is a model is found and flown.

    Attributes:
        models: Folder with a run's models, each in a folder of its name.
        max_reply_tokens: Longest reply.
        model: Says how long an episode may be, of a model that does not say it itself, and its chat template.
        cache_mib: Most memory of its keys and values, MiB, or None.
        server: What says its replies in place of gonogo's own decoder; it must take adapters.
    """

    models: Path | None = None
    max_reply_tokens: int = 48
    model: ModelConfig = field(default_factory=ModelConfig)
    cache_mib: int | None = None
    server: VllmServer | None = None


def find_policy(
    name: str,
    target: Target,
    schemas: Schemas,
    *,
    seed: int,
    settings: ModelSettings = ModelSettings(),
    given: Mapping[str, Callable[[], Policy]] | None = None,
) -> NamedPolicy:
    """The policy that a name means.

    Args:
        name: A reference policy of the target, ``idle``, ``random``, ``always`` and an action, a function
            ``module:function``, one of the run's models, or a model's folder; models take the suffix ``_sampled``, the
            first two kinds ``_careless``.
        target: The environment.
        schemas: Its schemas.
        seed: Seed of the policy's draws.
        settings: How a model is found and flown.
        given: What makes each policy that was given as an object, by name; these come first.

    Raises:
        Misuse: No policy has that name, or the server cannot fly the model.
        MissingExtra: It is a model, and the ``train`` extra is not installed.
        PolicyFailure: The server did not answer.
    """
    if given is not None and name in given:
        return NamedPolicy(given[name]())
    steady = careful(name, target)
    if steady is not None:
        careless = find_policy(steady, target, schemas, seed=seed)
        return NamedPolicy(
            CarelessPolicy(careless.policy, schemas.action, seed, schemas.tools), seed=seed
        )
    if isinstance(target, FolderTarget) and name in shipped(target):
        return NamedPolicy(ReferencePolicy(target, name, seed=seed), seed=seed)
    if is_function(name):
        return NamedPolicy(FunctionPolicy(name))
    folder = locate(name, target, settings.models)
    if folder is None:
        return built_in(name, schemas, seed)
    sampled = find_model(name, settings.models)[1]
    policy = open_model(folder, name, schemas.codec(), sampled, seed, settings)
    return NamedPolicy(policy, "sampled" if sampled else "greedy", seed if sampled else None)


def built_in(name: str, schemas: Schemas, seed: int) -> NamedPolicy:
    """A policy that comes with gonogo."""
    if (action := repeated(name)) is not None:
        return NamedPolicy(Habit.constant(name, Kind.CONSTANT, action))
    if name == "idle":
        return NamedPolicy(IdlePolicy(schemas.action, schemas.tools))
    return NamedPolicy(RandomPolicy(schemas.action, seed, schemas.tools), seed=seed)


def shipped(target: Target) -> tuple[str, ...]:
    """Names of the reference policies that come with a target."""
    references = target.references
    return references.names if isinstance(target, FolderTarget) and references is not None else ()


def is_function(name: str) -> bool:
    """Whether a policy's name is that of a Python function, ``module:function``."""
    return re.fullmatch(FUNCTION, name) is not None


def repeated(name: str) -> Action | None:
    """The action that a policy repeats, where its name says so: ``always`` and the action as JSON.

    Raises:
        Misuse: What follows is no JSON object.
    """
    if not name.startswith(ALWAYS):
        return None
    try:
        action: Any = json.loads(name.removeprefix(ALWAYS))
    except ValueError as error:
        raise Misuse(f"policy {name!r}: what follows {ALWAYS!r} must be JSON: {error}") from None
    if not isinstance(action, dict):
        raise Misuse(f"policy {name!r}: an action is a JSON object, not {action!r}")
    return action


def teacher_named(name: str | None, target: Target, what: str) -> str:
    """The name of a policy that can be imitated: one that is no model, or a function whose module is there.

    Args:
        name: As it was given.
        target: The environment that ships it.
        what: What was given it, for the error.

    Raises:
        Misuse: It is none.
    """
    known = untaught(target)
    if name is not None and (name in known or (is_function(name) and module_hash(name))):
        return name
    raise Misuse(
        f"{what} must be one of {list(known)} or a function, module:function, whose module is found from {Path.cwd()} "
        f"or as any import, not {name!r}{nearest(str(name), known)}"
    )


def untaught(target: Target) -> tuple[str, ...]:
    """Names of the policies that are no model: the target's own and the built-in ones."""
    return tuple(dict.fromkeys([*shipped(target), "idle", "random"]))


def careful(name: str, target: Target) -> str | None:
    """Who it is that slips, where a name says ``_careless``; None where it means no such policy."""
    steady = name.removesuffix(CARELESS)
    return steady if name not in (known := untaught(target)) and steady in known else None


def policy_hash(
    name: str,
    target: Target,
    models: Path | None,
    model: ModelConfig | None = None,
    given: Collection[str] = (),
) -> str | None:
    """SHA-256 of what a policy is made of, without opening anything; None for one that comes with the target or gonogo.

    Args:
        name: As in :func:`find_policy`.
        target: The environment.
        models: Folder with a run's models, each in a folder of its name.
        model: Says the chat template of a pretrained model; None for its own.
        given: Names of policies that were given as objects: what they are made of is another each time.

    Raises:
        Misuse: No policy has that name.
    """
    if name in given:
        return uuid4().hex
    if is_function(name):
        check_function(name, "policy")
        if (found := module_hash(name)) is None:
            raise Misuse(
                f"no policy {name!r}: its module must be a Python file, found from {Path.cwd()} or as any import"
            )
        return found
    folder = locate(name, target, models)
    if folder is None:
        return None
    made_of = tree_hash(folder)
    if (folder / OUR_MODEL_FILE).is_file() or model is None or not (told := model.chat_hash()):
        return made_of
    return hashlib.sha256(f"{made_of} {told}".encode()).hexdigest()


def locate(name: str, target: Target, models: Path | None) -> Path | None:
    """The folder of the model that a name means; None for a policy of the target, or a built-in one.

    Raises:
        Misuse: No policy has that name.
    """
    known = untaught(target)
    if name in known or careful(name, target) is not None or repeated(name) is not None:
        return None
    folder, _ = find_model(name, models)
    if folder is None:
        raise Misuse(
            f"no policy {name!r}: give one of {', '.join(known)}, a function (module:function), a model of the run "
            f"({models}), or a model's folder (none is there){nearest(name, [*known, *made(models)])}"
        )
    return folder


def made(models: Path | None) -> list[str]:
    """Names of a run's models."""
    folders = [] if models is None or not models.is_dir() else list(models.iterdir())
    return [each.name for each in folders if holds_model(each)]


def find_model(name: str, models: Path | None) -> tuple[Path | None, bool]:
    """The folder of a model and whether it is to be sampled; None where there is no such model."""
    for stem, sampled in ((name, False), (name.removesuffix(SAMPLED), name.endswith(SAMPLED))):
        if not stem:
            break
        for folder in (*((models / stem,) if models is not None else ()), Path(stem)):
            if holds_model(folder):
                return folder, sampled
    return None, False


def open_model(
    folder: Path,
    name: str,
    codec: Codec,
    sampled: bool,
    seed: int,
    settings: ModelSettings,
) -> Policy:
    """A model as a policy: one of gonogo's, or any other that is told how to reply."""
    try:
        from gonogo.models.model_policy import ModelPolicy
        from gonogo.models.pretrained import load_pretrained
        from gonogo.models.saved import load
        from gonogo.models.vllm import Served, name_of
    except ModuleNotFoundError as error:
        if error.name not in TRAIN_EXTRA:
            raise
        raise MissingExtra("train", f"the model {name}") from None
    if (folder / OUR_MODEL_FILE).is_file():
        speaker = load(folder).told(codec.instructions())
    else:
        speaker = load_pretrained(
            str(folder), settings.model.context, codec.instructions(), settings.model
        )
    served = None
    if settings.server is not None:
        served = Served(settings.server)
        served.load(name_of(speaker), folder)
    return ModelPolicy(
        speaker,
        name,
        max_reply_tokens=settings.max_reply_tokens,
        temperature=1.0 if sampled else None,
        seed=seed,
        cache_mib=settings.cache_mib,
        served=served,
    )
