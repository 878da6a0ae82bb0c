"""A workspace with a specification, a mapping to be repaired, and its checks."""

import json
import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import CaseReport, RowmillAction, RowmillObservation, RowmillState, Tool
    from . import jobs, mill
except ImportError:
    from models import CaseReport, RowmillAction, RowmillObservation, RowmillState, Tool
    from server import jobs, mill

CALLS = 20
SPEC, MAPPING, CHECKS = "SPEC.md", "mapping.json", "checks/orders.json"


class RowmillEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._files: Dict[str, str] = {}
        self._calls = 0
        self._done = True
        self._success: Optional[bool] = None
        self._state = RowmillState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> RowmillObservation:
        job = jobs.draw(random.Random(seed))
        self._files = {
            SPEC: job.spec,
            MAPPING: json.dumps(job.broken, indent=2),
            CHECKS: json.dumps(job.cases, indent=2),
        }
        self._calls = 0
        self._done = False
        self._success = None
        self._state = RowmillState(
            episode_id=episode_id or str(uuid.uuid4()), step_count=0
        )
        return self._look(
            "The import of the order sheet fails its checks. Repair mapping.json "
            "according to SPEC.md, then submit."
        )

    def step(
        self,
        action: RowmillAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> RowmillObservation:
        if self._done:
            return self._look("The workspace is closed.")
        self._state.step_count += 1
        self._calls += 1
        if action.tool is Tool.SUBMIT or self._calls == CALLS:
            return self._submit()
        if action.tool is Tool.LIST:
            return self._look("\n".join(sorted(self._files)))
        if action.tool is Tool.READ:
            return self._look(self._files.get(action.path or "", "no such file"))
        if action.tool is Tool.WRITE:
            return self._write(action.path, action.content)
        self._state.checks_run += 1
        report = self._check()
        return self._look(self._summary(report), report)

    def _write(self, path: Optional[str], content: Optional[str]) -> RowmillObservation:
        if not path or content is None:
            return self._look("write needs a path and content")
        if len(content) > 20_000:
            return self._look("file too long")
        self._files[path] = content
        return self._look(f"wrote {len(content)} characters to {path}")

    def _check(self) -> List[CaseReport]:
        """Runs the mapping over the rows of the checks."""
        try:
            mapping = mill.load(self._files[MAPPING])
        except mill.MillError:
            mapping = {}
        try:
            cases = json.loads(self._files[CHECKS])
            report = []
            for case in cases:
                got = mill.run(mapping, case["row"])
                ok = got == case["expect"]
                report.append(CaseReport(case=case["name"], ok=ok, got=got))
            return report
        except (ValueError, TypeError, KeyError, AttributeError):
            return []

    @staticmethod
    def _summary(report: List[CaseReport]) -> str:
        if not report:
            return "no cases could be run"
        return f"{sum(case.ok for case in report)} of {len(report)} cases pass"

    def _submit(self) -> RowmillObservation:
        report = self._check()
        passed = sum(case.ok for case in report)
        self._done = True
        self._success = bool(report) and passed == len(report)
        reward = round(passed / len(report), 4) if report else 0.0
        return self._look(self._summary(report), report, reward)

    def _look(
        self,
        output: str,
        report: Optional[List[CaseReport]] = None,
        reward: float = 0.0,
    ) -> RowmillObservation:
        self._state.files = sorted(self._files)
        return RowmillObservation(
            output=output,
            report=report or [],
            calls_left=0 if self._done else CALLS - self._calls,
            success=self._success,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> RowmillState:
        return self._state
