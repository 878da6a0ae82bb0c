"""A model out of a file forgets how the file held its weights; without the package the extra is named."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch
from tests.models.tiny_models import tiny

from gonogo.errors import MissingExtra
from gonogo.models.gguf import load_gguf, load_gguf_tokenizer, plain
from gonogo.models.speaker import load_whole


def test_the_same_weights_can_be_saved_once_the_file_is_forgotten(tmp_path: Path) -> None:
    model = tiny()
    model.config.quantization_config = {"quant_method": "gguf", "bits": 4}
    state = torch.random.get_rng_state()
    found = plain(model)
    assert torch.equal(torch.random.get_rng_state(), state)
    assert not hasattr(found.config, "quantization_config") and not found.training
    found.save_pretrained(tmp_path)
    ids = torch.arange(6, 20)[None]
    with torch.no_grad():
        assert torch.equal(load_whole(tmp_path)(ids).logits, model(ids).logits)


@pytest.mark.skipif(find_spec("gguf") is not None, reason="gguf is installed")
def test_without_its_package_a_file_names_the_extra(tmp_path: Path) -> None:
    file = tmp_path / "some.gguf"
    file.write_bytes(b"GGUF")
    with pytest.raises(MissingExtra, match=r"gonogo\[gguf\]"):
        load_gguf(file, None)
    with pytest.raises(MissingExtra, match=r"gonogo\[gguf\]"):
        load_gguf_tokenizer(file)
