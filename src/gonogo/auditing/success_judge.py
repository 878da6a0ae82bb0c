"""Who says success in an audit; where nobody does, the likeliest candidate is assumed, and said.

What is assumed may be wrong, and then honest work is called a failure that is paid. So an assumed success accuses only
where it is a *word* for success: a truth value, a verdict or a sentence that names it, which the environment decides
apart from what it pays. A mark on a score, on a count or on the reward is none: whoever reaches half of it may have
earned half of the pay honestly, and a failure that earns more by the same mark there can hardly be. Nor is a word for
any end. What rests on these is suspicious, and what needs no success is looked for as if none were assumed.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path

from gonogo.auditing.resets import Opening
from gonogo.auditing.success_candidates import propose
from gonogo.auditing.success_words import SourceWords
from gonogo.env.success import SuccessRule, judge_flown
from gonogo.records.success import JudgedSuccess, SaidBy
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.types import Schemas

ASSUMED = 2.0
"""Strength from which a candidate is taken for success; a weaker one is only proposed."""
MOST_TOLD = 5
"""Candidates that a record holds."""


class SuccessJudge:
    """What success is in one task's audit: given, the environment's own word, or assumed from what was flown.

    Args:
        given: The expression of ``--success``; None for none.

    Attributes:
        record: What success is by now, and who says so.
        opened: What some resets showed.
    """

    def __init__(self, given: str | None = None) -> None:
        self._fields: list[str] = []
        self._words: SourceWords | None = None
        self.opened: tuple[Opening, ...] = ()
        self._told = False
        said_by: SaidBy = "nobody" if given is None else "given"
        why = "nothing was flown" if given is None else "as --success gives it"
        self.record = JudgedSuccess(said_by=said_by, expression=given, why=why, candidates=())

    @property
    def needs_state(self) -> bool:
        """Whether the state at the end of an episode may tell success, which nobody says otherwise."""
        if self.record.assumed is not None:
            return SuccessRule(self.record.assumed, self._fields).reads_state
        return self.record.said_by != "given" and not self._told

    def settle(
        self,
        episodes: Sequence[Episode],
        schemas: Schemas,
        folder: Path | None,
        openings: Sequence[Opening] = (),
        guides: Collection[str] = (),
        idle: str = "",
    ) -> None:
        """Assume the best candidate where nobody says success, and judge what was flown by it.

        It may be called again when more was flown: what is assumed may become another, or nothing if it behaves like
        less than success, or if the environment itself says success by then.

        Args:
            episodes: What was flown so far; ``success`` of each is set where an expression is assumed.
            schemas: Of the environment.
            folder: Where its source is; None where it is elsewhere.
            openings: What some resets show, metadata and state among it; empty for those that are known.
            guides: Names of the policies that are meant to succeed.
            idle: Name of the policy that does nothing.
        """
        if self.record.said_by == "given":
            return
        if self._told:
            update = {"said_by": "environment", "expression": None, "why": "in the usual fields"}
            self.record = self.record.model_copy(update=update)
            self.judge(episodes)
            return
        if self._words is None:
            self._words = SourceWords.of(folder)
        self.opened = tuple(openings) or self.opened
        found = propose(episodes, schemas, self._words, self.opened, guides, idle)
        shown = [name for episode in episodes for name in episode.final_observation]
        self._fields = list(dict.fromkeys([*schemas.observation.get("properties", {}), *shown]))
        best = found[0] if found and found[0].strength >= ASSUMED else None
        standing = self.record.assumed
        doubted = any(each.doubted for each in found if each.expression == standing)
        if best is None and standing is not None and not doubted:
            return  # what was flown since says nothing better
        self.record = JudgedSuccess(
            said_by="nobody" if best is None else "assumed",
            expression=None if best is None else best.expression,
            why="no candidate is likely enough" if best is None else best.why,
            candidates=tuple(found[:MOST_TOLD]),
        )
        self.judge(episodes)

    def judge(self, episodes: Sequence[Episode]) -> None:
        """Say of episodes whether they succeeded, where that is assumed; and hear whether the environment does.

        An assumption holds until :meth:`settle` is called again. Where none does, an episode has the environment's own
        word, also if an assumption that was given up had judged it.
        """
        if self.record.said_by == "given":
            return
        assumed = self.record.assumed
        told = [episode.told_success for episode in episodes]
        # What was cut before it was decided says nothing against an assumption.
        heard = (e for e, said in zip(episodes, told, strict=True) if said is not None)
        self._told = self._told or any(assumed is None or not e.cut for e in heard)
        if assumed is not None:
            judge_flown(episodes, assumed, self._fields)
            return
        for episode, said in zip(episodes, told, strict=True):
            episode.success = said
