"""The processes of one training, as ``accelerate launch`` starts them: who flies what, and who writes.

Each process has the model and an environment of its own. It flies its part of a step's tasks; the episodes of all
go to all, so that whatever is decided (advantages, curriculum, the best model, the end) is decided in each process
from the same episodes and need not be sent round. Only the first one writes. Gradients are averaged by the trainer's
wrapper around the model, which has to see the forward pass: see :func:`through`.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any, TypeVar

import torch
from accelerate import PartialState
from accelerate.utils import gather_object

from gonogo.errors import GonogoError, Misuse

PATIENCE = timedelta(hours=6)
"""How long processes wait for one that works alone: a teacher's flights, saving, a slow environment."""

ItemT = TypeVar("ItemT")


class Ranks:
    """This process among the training's; one of one where nobody launched several.

    Attributes:
        count: How many processes there are.
        rank: Which one this is, from 0.
    """

    def __init__(self) -> None:
        self._state = PartialState(cpu=not torch.cuda.is_available(), timeout=PATIENCE)
        self.count: int = self._state.num_processes
        self.rank: int = self._state.process_index

    @property
    def main(self) -> bool:
        """Whether this is the process that writes."""
        return self.rank == 0

    def part(self, count: int) -> range:
        """The numbers, of so many in all, that are this process's: a run of them, as even as it goes."""
        return range(count * self.rank // self.count, count * (self.rank + 1) // self.count)

    def share(self, count: int, what: str) -> int:
        """How many of each are this process's, where all have to have the same.

        Args:
            count: How many there are.
            what: The field that says so.

        Raises:
            Misuse: They cannot be shared evenly.
        """
        if count % self.count:
            raise Misuse(f"{what} must be a multiple of the {self.count} processes, not {count}")
        return count // self.count

    def gather(self, mine: list[ItemT]) -> list[ItemT]:
        """Everybody's items, in the order of the processes."""
        gathered: list[ItemT] = gather_object(mine)
        return gathered

    def together(self, work: Callable[[], list[ItemT]]) -> list[ItemT]:
        """Everybody's items, as each makes its own; where one fails, all end by the same words, and nobody waits.

        Args:
            work: Makes this process's items.

        Raises:
            GonogoError: What failed here, or first elsewhere.
        """
        mine: list[ItemT] = []
        failed: list[GonogoError] = []
        try:
            mine = work()
        except GonogoError as error:
            failed = [error]
        for failure in [*failed, *self.gather(failed)]:
            raise failure
        return self.gather(mine)

    def any(self, mine: bool) -> bool:
        """Whether anybody says so."""
        return any(self.gather([mine]))

    def wait(self) -> None:
        """Wait until all are here."""
        self._state.wait_for_everyone()

    def leave(self) -> None:
        """Say goodbye at the end, so that nobody waits."""
        self._state.destroy_process_group()


def through(wrapped: Any, model: Any, compute: Callable[..., Any], *inputs: torch.Tensor) -> Any:
    """Compute something with a model inside its wrapper's forward pass.

    A wrapper for several processes averages the gradients of what was computed in its own forward pass, and of
    nothing else; what calls parts of the model by themselves has to come through here.

    Args:
        wrapped: The model as the trainer has it.
        model: The model itself; the same where there is one process.
        compute: What to compute from the inputs with the model's parts.
        inputs: Its arguments.
    """
    if wrapped is model:
        return compute(*inputs)
    forward = model.forward

    def once(*given: torch.Tensor) -> Any:
        model.forward = forward  # what is computed may want the real one
        return compute(*given)

    model.forward = once
    try:
        return wrapped(*inputs)
    finally:
        model.forward = forward
