"""A pretrained chat model: by transformers, from a GGUF file or by Unsloth, at 32, 16 or 4 bit, with LoRA or whole.

**GGUF.** Needs ``gguf`` beside transformers. What transformers makes of the file is put right where it is wrong: the
end token comes from the file's own number for it, not from the first special token of the vocabulary.

**Unsloth.** Needs a GPU. Written from the source of Unsloth 2026.10.9, and not run: no machine that this was written on
had a GPU. :func:`check_decoding` is for that reason: a model that the decoder does not run exactly is refused when it
is loaded.

**LoRA.** Factors beside frozen weights, attached from a seed, found again in a folder.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from peft import LoraConfig as Factors
from peft import PeftModel, get_peft_model
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    BitsAndBytesConfig,
)

from gonogo.config import LoraConfig, ModelConfig
from gonogo.errors import MissingRecord, Misuse, PolicyFailure
from gonogo.models.chat import chat_format
from gonogo.models.checkpoints import require_safetensors
from gonogo.models.decoder import Decoder, Forward
from gonogo.models.failures import (
    broken_errors,
    first_line,
    is_out_of_memory,
)
from gonogo.models.forwards import forward_for
from gonogo.models.machine import device, uses_unsloth
from gonogo.models.memory import read_file_config
from gonogo.models.sampling import CHECK_TOKENS, ROUNDING, drift_of
from gonogo.models.tokenizer import Speaker


def load_trainable(config: ModelConfig, system: str | None, seed: int) -> Speaker:
    """A pretrained model that is ready to be trained, on the GPU if there is one.

    Args:
        config: Which model, and what of it is trained.
        system: System prompt, or None.
        seed: Of new LoRA factors.

    Raises:
        Misuse: Its chat template, padding or context cannot carry an episode, a LoRA target is no layer of it, or
            its weights are not all there.
        MissingExtra: A GGUF file's package is not installed.
        PolicyFailure: It cannot be loaded.
    """
    model, tokenizer = load_frozen(config)
    if config.pad_token is not None:
        if config.pad_token not in tokenizer.get_vocab():
            raise Misuse(
                f"model.pad_token must be a token of {config.pretrained}, not {config.pad_token!r}"
            )
        tokenizer.pad_token = config.pad_token
    turns = chat_format(tokenizer, system, config, str(config.pretrained))
    longest = getattr(model.config.get_text_config(), "max_position_embeddings", None)
    if longest is not None and config.context > longest:
        raise Misuse(
            f"model.context must be at most {longest}, which is what {config.pretrained} has, not {config.context}"
        )
    if config.lora is None:
        return Speaker(model, tokenizer, turns, config.context)
    if uses_unsloth(config):
        model = attach_by_unsloth(model, config.lora, seed)
        check_decoding(model, forward_for(model, config.context))
    else:
        model = attach(model, config.lora, seed)
    return Speaker(model.eval(), tokenizer, turns, config.context, base=config)


def load_adapted(config: ModelConfig, folder: Path) -> Any:
    """The model that a folder's LoRA factors were trained on, with them.

    Raises:
        MissingRecord: They are of another model.
        PolicyFailure: It cannot be loaded.
    """
    model, _ = load_frozen(config)
    if uses_unsloth(config) and config.lora is not None:
        patched = attach_by_unsloth(model, config.lora, 0)
        patched.load_adapter(str(folder), "default", is_trainable=True)
        return patched
    return reattach(model, folder)


def load_frozen(config: ModelConfig) -> tuple[Any, Any]:
    """A pretrained model as it is, and its tokenizer.

    Raises:
        As :func:`load_trainable`.
    """
    name = str(config.pretrained)
    try:
        if name.endswith(".gguf"):
            return load_file(Path(name), config)
        if uses_unsloth(config):
            return load_by_unsloth(name, config)
        return load_by_transformers(name, config)
    except broken_errors() as error:
        if is_out_of_memory(error):
            raise
        raise PolicyFailure(f"{name}: cannot be loaded: {first_line(error)}") from error


def load_by_transformers(name: str, config: ModelConfig) -> tuple[Any, Any]:
    """From a folder or the hub."""
    where = device()
    if config.precision == "4bit":
        quantized = BitsAndBytesConfig(
            load_in_4bit=True,
            bnb_4bit_quant_type="nf4",
            bnb_4bit_use_double_quant=True,
            bnb_4bit_compute_dtype=torch.bfloat16,
        )
        words = {
            "dtype": torch.bfloat16,
            "quantization_config": quantized,
            "device_map": {"": where},
        }
        return load_whole(name, **words), AutoTokenizer.from_pretrained(name)
    dtype = torch.float32 if config.precision == "fp32" else torch.bfloat16
    return load_whole(name, dtype=dtype).to(where), AutoTokenizer.from_pretrained(name)


def load_file(file: Path, config: ModelConfig) -> tuple[Any, Any]:
    """From a GGUF file, whose own quantisation is undone."""
    if config.precision == "4bit":
        raise Misuse("model.precision must be fp32 or bf16 for a GGUF file, not 4bit")
    speaker = load_gguf(file, None, config)
    dtype = torch.float32 if config.precision == "fp32" else torch.bfloat16
    return cast(speaker.model, dtype).to(device()), speaker.tokenizer


def cast(model: Any, dtype: torch.dtype) -> Any:
    """A model with its weights in another precision, in place.

    Its buffers stay as they are: the frequencies of the rotary embedding, rounded to 16 bit, put a token of a long
    episode into another place, and transformers' own loading leaves them in 32 bit.
    """
    for weight in model.parameters():
        weight.data = weight.data.to(dtype)
    model.config.dtype = dtype
    return model


def load_by_unsloth(name: str, config: ModelConfig) -> tuple[Any, Any]:
    """A model and its tokenizer; :func:`gonogo.models.machine.prepare` has imported Unsloth before."""
    fast = import_module("unsloth").FastLanguageModel
    found: tuple[Any, Any] = fast.from_pretrained(
        model_name=name,
        max_seq_length=config.context,
        dtype=None,  # bf16, or fp16 on a GPU without
        load_in_4bit=config.precision == "4bit",
        use_exact_model_name=True,
        fast_inference=False,
    )
    return found


def attach_by_unsloth(model: Any, config: LoraConfig, seed: int) -> Any:
    """Put new LoRA factors into a model that Unsloth has loaded."""
    fast = import_module("unsloth").FastLanguageModel
    return fast.get_peft_model(
        model,
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=list(config.targets),
        use_gradient_checkpointing=False,  # the trainer's setting decides
        random_state=seed,
    )


def check_decoding(model: Any, forward: Forward) -> None:
    """Fly two short turns through the decoder's cache, and hold them against the model's own forward.

    Raises:
        PolicyFailure: The two disagree: a training would learn from what the model did not say.
    """
    decoder = Decoder(forward, stop=-1, pad=0, max_new_tokens=CHECK_TOKENS, temperature=None)
    drift = drift_of(model, decoder)
    if not drift <= ROUNDING:
        raise PolicyFailure(
            f"the decoder and the model disagree by {drift:.3f} in log-probability, where {ROUNDING} is rounding: "
            "set model.loader to transformers"
        )


def load_gguf(file: Path, system: str | None, chat: ModelConfig | None = None) -> Speaker:
    """Read a GGUF file; takes tens of seconds for each hundred million weights.

    Args:
        file: It.
        system: System prompt, or None.
        chat: Says by which chat template, and with which variables; None for the file's own without any.

    Raises:
        MissingExtra: ``gguf`` is not installed.
        Misuse: Its chat template cannot carry an episode, or its weights are not all there.
        PolicyFailure: The file does not say which token ends a reply.
    """
    tokenizer = load_gguf_tokenizer(file)
    turns = chat_format(tokenizer, system, chat, str(file))
    model = load_whole(file.parent, gguf_file=file.name)
    return Speaker(plain(model), tokenizer, turns, model.config.max_position_embeddings)


def load_gguf_tokenizer(file: Path) -> Any:
    """The tokenizer of a GGUF file, without its weights: a second.

    Raises:
        MissingExtra: ``gguf`` is not installed.
        PolicyFailure: The file does not say which token ends a reply.
    """
    config = read_file_config(file)
    tokenizer = AutoTokenizer.from_pretrained(file.parent, gguf_file=file.name)
    end = config.eos_token_id
    if end is None:
        raise PolicyFailure(f"{file}: it does not say which token ends a reply")
    tokenizer.eos_token = tokenizer.convert_ids_to_tokens(end)
    # Padding is never looked at here, but it may not be mistaken for an end.
    others = (config.pad_token_id, getattr(config, "unk_token_id", None), config.bos_token_id)
    pads = [token for token in others if token is not None and token != end]
    if pads:
        tokenizer.pad_token = tokenizer.convert_ids_to_tokens(pads[0])
    return tokenizer


def plain(model: Any) -> Any:
    """The same weights in a model that does not remember a file's quantisation, and so can be cast and saved."""
    fields = {name: value for name, value in model.config.to_dict().items() if "quant" not in name}
    with torch.random.fork_rng(devices=[]):
        other = type(model)(type(model.config).from_dict(fields))
    other.load_state_dict(model.state_dict())
    other.tie_weights()
    return other.eval()


def load_whole(name: str | Path, dtype: torch.dtype = torch.float32, **where: Any) -> Any:
    """A pretrained model in evaluation, all its weights read.

    Args:
        name: Folder or hub name.
        dtype: Of its weights.
        where: Further words for transformers, such as the file in the folder.

    Raises:
        Misuse: Some are not there; transformers would draw them at random and go on. Or they are pickles.
    """
    if "gguf_file" not in where:
        where["use_safetensors"] = True
        if Path(name).is_dir():
            require_safetensors(Path(name))
    model, found = AutoModelForCausalLM.from_pretrained(
        name, dtype=dtype, output_loading_info=True, **where
    )
    if missing := sorted(found["missing_keys"]):
        raise Misuse(f"{name}: {len(missing)} of its weights are not there, such as {missing[0]}")
    return model.eval()


def attach(model: Any, config: LoraConfig, seed: int) -> PeftModel:
    """Put new factors into a model: it computes what it did before until they are trained.

    Args:
        model: Of transformers; its weights are frozen.
        config: Which factors; they are fp32 whatever the model's own weights are.
        seed: Of the factors. The caller's random state is left as it was.

    Raises:
        Misuse: A target is none of the model's linear layers.
    """
    check_targets(model, config)
    factors = Factors(
        r=config.rank,
        lora_alpha=config.alpha,
        lora_dropout=config.dropout,
        target_modules=list(config.targets),
        task_type="CAUSAL_LM",
    )
    # Of several GPUs, only the model's own has a state to keep.
    drawing = [model.device] if model.device.type == "cuda" else []
    with torch.random.fork_rng(devices=drawing):
        torch.manual_seed(seed)
        return get_peft_model(model, factors)


def check_targets(model: Any, config: LoraConfig) -> None:
    """Whether a model has the layers that get factors.

    Raises:
        Misuse: A target is none of them.
    """
    layers = {name.rpartition(".")[2] for name, _ in model.named_modules()}
    if strangers := [name for name in config.targets if name not in layers]:
        raise Misuse(
            f"model.lora.targets must name layers of the model, and it has no {', '.join(strangers)}"
        )


def reattach(model: Any, folder: Path) -> PeftModel:
    """Put a folder's factors into the model that they were trained on, to be flown or trained on.

    Raises:
        MissingRecord: There are none, or they are of another model.
    """
    try:
        return PeftModel.from_pretrained(model, str(folder), is_trainable=True)
    except (OSError, ValueError, RuntimeError) as error:
        raise MissingRecord(f"{folder}: no adapter for this model: {error}") from error


def load_pretrained(
    name: str, context: int, system: str | None, chat: ModelConfig | None = None
) -> Speaker:
    """A pretrained chat model from a folder or the hub, in fp32.

    Args:
        name: Folder or hub name.
        context: Longest episode in tokens.
        system: System prompt, or None.
        chat: Says by which chat template, and with which variables; None for the model's own without any.

    Raises:
        Misuse: Its chat template cannot carry an episode, or its weights are not all there.
    """
    tokenizer = AutoTokenizer.from_pretrained(name)
    turns = chat_format(tokenizer, system, chat, name)
    return Speaker(load_whole(name), tokenizer, turns, context)
