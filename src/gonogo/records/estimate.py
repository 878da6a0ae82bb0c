"""A mean with its interval, as records hold it and :mod:`gonogo.statistics` computes it."""

from __future__ import annotations

from gonogo.records.record import Part

__all__ = ["Estimate"]


class Estimate(Part):
    """A mean with its 95 % interval."""

    mean: float | None
    """The sample mean; None of what cannot be estimated."""
    ci95: tuple[float, float] | None
    """Low and high end; None where the sample is constant."""
    note: str | None = None
    """Why there is no interval; None where there is one."""

    @property
    def ends(self) -> tuple[float, float] | None:
        """Of the interval; the mean twice where the sample is constant, None without a mean."""
        return self.ci95 if self.ci95 is not None or self.mean is None else (self.mean, self.mean)

    def above(self, bar: float) -> bool:
        """Whether the whole interval lies above ``bar``; never true of a constant sample."""
        return self.ci95 is not None and self.ci95[0] > bar
