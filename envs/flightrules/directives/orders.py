"""What has become of a mission's orders: their verdicts over a growing trace, with superseding.

Owns the meaning of superseding: from the second at which an order is given that replaces an earlier one, the earlier
one no longer counts; a violation before that stands. Everything else is
:class:`~flightrules.directives.monitor.MonitorSet`.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from flightrules.directives.directive import Directive
from flightrules.directives.monitor import Floats, Ints, MonitorSet, Verdict

SETTLED = 1.0
"""Robustness of an order that was superseded unbroken: nothing can break it any more."""


class Orders:
    """Monitors of directives, all of them mandatory, over one growing trace.

    Attributes:
        superseded: (k,) bool, the orders that no longer count.
    """

    def __init__(self, directives: Sequence[Directive]) -> None:
        """Start at second 0.

        Raises:
            ValueError: If an order replaces one that is not among those given before it.
        """
        self._monitors = MonitorSet([directive.formula for directive in directives])
        places = {directive.id: k for k, directive in enumerate(directives)}
        pending = []
        for directive in directives:
            if directive.replaces is None:
                continue
            old = places.get(directive.replaces)
            if old is None or directives[old].given_s >= directive.given_s:
                raise ValueError(
                    f"{directive.id} must replace an order given before it, got {directive.replaces!r}"
                )
            pending.append((directive.given_s, old))
        self._pending = sorted(pending)
        self.superseded = np.zeros(len(directives), bool)
        self._some = False

    @property
    def seconds(self) -> int:
        """Samples read so far."""
        return self._monitors.seconds

    @property
    def verdicts(self) -> Ints:
        """(k,) values of ``Verdict``; an order that was superseded unbroken is satisfied."""
        if not self._some:
            return self._monitors.verdicts
        return np.where(self.superseded, np.int64(Verdict.SATISFIED), self._monitors.verdicts)

    @property
    def lower(self) -> Floats:
        """(k,) robustness if the trace stopped now."""
        if not self._some:
            return self._monitors.lower
        return np.where(self.superseded, SETTLED, self._monitors.lower)

    @property
    def state_robustness(self) -> Floats:
        """(k,) robustness of the last sample alone."""
        if not self._some:
            return self._monitors.state_robustness
        return np.where(self.superseded, SETTLED, self._monitors.state_robustness)

    def update(self, samples: Floats) -> Ints:
        """Read the next seconds, (m, signals), and answer the verdicts, (k,)."""
        start = self.seconds
        taken = 0
        while self._pending and self._pending[0][0] <= start + len(samples):
            second, old = self._pending.pop(0)
            self._monitors.update(samples[taken : second - start])
            taken = max(second - start, taken)
            if self._monitors.verdicts[old] != Verdict.VIOLATED:
                self.superseded[old] = self._some = True
        self._monitors.update(samples[taken:])
        return self.verdicts

    def update_with(self, other: Orders, samples: Floats, other_samples: Floats) -> None:
        """Read the next seconds of this trace, and of another one into a copy of these orders.

        Args:
            other: A copy of these orders that has read as many seconds.
            samples: (m, signals).
            other_samples: (m, signals) the same seconds of the other trace.
        """
        if self._pending and self._pending[0][0] <= self.seconds + len(samples):
            self.update(samples)
            other.update(other_samples)
        else:
            self._monitors.update_with(other._monitors, samples, other_samples)

    def copy(self) -> Orders:
        """Independent monitors in the same state, without compiling the formulas again."""
        other = object.__new__(Orders)
        other._monitors = self._monitors.copy()
        other._pending = list(self._pending)
        other.superseded = self.superseded.copy()
        other._some = self._some
        return other
