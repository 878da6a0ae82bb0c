"""A map that says where to look."""

from __future__ import annotations

from typing import Any

from tests.records_made import contract_report, rubric_node, source_place

from gonogo.records.contract import ContractReport, MethodCode


def method(file: str, line: int) -> MethodCode:
    return MethodCode(file=file, line=line, doc="", sets=())


def card(**changes: Any) -> ContractReport:
    """A map that says where to look."""
    environment, rubrics = "server/environment.py", "server/rubrics.py"
    reach = rubric_node("reach", file=rubrics, line=5)
    whole: dict[str, Any] = {
        "reset": {"code": method(environment, 10)},
        "step": {"code": method(environment, 20)},
        "terminal": {"places": [source_place(environment, 25)]},
        "reward": {
            "breakdown": [{"name": "speed", "place": source_place(environment, 32)}],
            "rubric": rubric_node("", reach, file=rubrics, line=1),
            "places": [source_place(environment, 30)],
        },
        "packaging": {"files": {"client": "client.py"}, "project": None},
    }
    return contract_report(**{**whole, **changes})
