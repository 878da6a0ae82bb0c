"""Memory that ran out is recognised however torch says it, and says what to lower."""

from __future__ import annotations

import pytest

pytest.importorskip("trl", reason="the train extra is not installed")

import torch

from gonogo.errors import OutOfMemory
from gonogo.models.failures import FLYING, is_out_of_memory, naming_what_to_lower


def test_memory_that_runs_out_names_what_to_lower() -> None:
    lower = pytest.raises(OutOfMemory, match=r"lower train.micro_batch, rollout.slots")
    with lower as caught, naming_what_to_lower():
        torch.empty(2**60, dtype=torch.uint8)
    assert caught.value.exit_code == 3  # a machine too small says nothing about an agent
    first_line = pytest.raises(OutOfMemory, match=r"CUDA out of memory. Tried to allocate 2 GiB")
    with first_line, naming_what_to_lower():
        raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2 GiB\nand more")
    with pytest.raises(RuntimeError, match="another matter"), naming_what_to_lower():
        raise RuntimeError("another matter")


@pytest.mark.parametrize(
    "error",
    [
        torch.AcceleratorError("CUDA error: out of memory\nCUDA kernel errors might be reported"),
        RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"),
        RuntimeError("cuDNN error: CUDNN_STATUS_ALLOC_FAILED"),
        MemoryError(),
    ],
    ids=["CUDA itself", "cuBLAS", "cuDNN", "Python"],
)
def test_each_way_in_which_memory_runs_out_is_said_so(error: Exception) -> None:
    lower = pytest.raises(OutOfMemory, match=r"memory ran out .*lower rollout.slots")
    with lower as caught, naming_what_to_lower(FLYING):
        raise error
    assert "\n" not in str(caught.value)


def test_another_fault_of_the_gpu_is_no_memory_that_ran_out() -> None:
    with pytest.raises(torch.AcceleratorError), naming_what_to_lower():
        raise torch.AcceleratorError("CUDA error: an illegal memory access was encountered")


def test_a_word_of_memory_alone_is_no_memory_that_ran_out() -> None:
    assert is_out_of_memory(MemoryError())
    assert is_out_of_memory(RuntimeError("CUDA error: out of memory"))
    assert not is_out_of_memory(ValueError("the agent said: out of memory"))
    assert not is_out_of_memory(RuntimeError("an illegal memory access was encountered"))
