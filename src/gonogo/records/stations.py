"""The stations in order: which record each leaves, what it needs from those before it, and how a record is said.

A poll, a report and whoever refuses a station that is called too early all read it here.
"""

from __future__ import annotations

from dataclasses import dataclass

from gonogo.records.audit import AuditReport
from gonogo.records.contract import ContractReport
from gonogo.records.evaluation import EvaluationReport
from gonogo.records.page import PageReport
from gonogo.records.probe import ProbeReport
from gonogo.records.record import VerdictRecord
from gonogo.records.reward import RewardReport
from gonogo.records.submission import CheckReport, GradeReport
from gonogo.records.theme import ThemeReport
from gonogo.records.training import TrainingReport

__all__ = ["STATIONS", "WORDS", "Station"]

WORDS = {"GO": "GO", "NO_GO": "NO-GO", "HOLD": "HOLD"}
"""Verdicts of records as they are said."""


@dataclass(frozen=True, slots=True)
class Station:
    """A station.

    Attributes:
        record: What it leaves in the run's folder.
        needs: Stations whose records have to be there before it is called.
        statement: Whether it also needs a problem statement that the author has confirmed: what costs much does.
        asks: What it answers, in a few words.
    """

    record: type[VerdictRecord]
    needs: tuple[str, ...]
    statement: bool
    asks: str

    @property
    def name(self) -> str:
        """Its command."""
        return self.record.station

    @property
    def before(self) -> list[str]:
        """What has to be there before it is called, in words."""
        return [*self.needs, *(["a confirmed problem statement"] if self.statement else [])]


STATIONS = {
    station.name: station
    for station in (
        Station(ContractReport, (), False, "what it is, and whether it keeps its contract"),
        Station(ThemeReport, ("map",), False, "which theme it serves, and the problem statement"),
        Station(AuditReport, ("map",), False, "what it pays for nothing"),
        Station(GradeReport, ("map", "audit"), False, "OpenEnv's own checks"),
        Station(RewardReport, ("map", "audit"), True, "a reward that pays for nothing no more"),
        Station(ProbeReport, ("map",), True, "which model to train"),
        Station(TrainingReport, ("map", "audit"), True, "an agent"),
        Station(EvaluationReport, ("train",), False, "how much better the agent got"),
        Station(PageReport, ("evaluate",), False, "one page for a reader"),
        Station(CheckReport, ("map", "audit"), False, "whether it can be submitted"),
    )
}
"""In the order of the poll."""
