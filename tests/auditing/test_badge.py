"""The badge: the verdict and nothing kinder, as shields.io reads it and as a picture."""

from __future__ import annotations

import xml.etree.ElementTree as ET

import pytest
from tests.records_made import audit_report, finding

from gonogo.auditing.badge import endpoint, picture
from gonogo.records.audit import AuditReport

SAID = [
    ("GO", [], "GO"),
    ("HOLD", [], "HOLD"),
    ("NO_GO", ["paid_for_idling"], "NO-GO, 1 finding"),
    ("NO_GO", ["paid_for_idling", "paid_for_idling", "seed_ignored"], "NO-GO, 2 findings"),
]


def audit(verdict: str, findings: list[str]) -> AuditReport:
    return audit_report(*map(finding, findings), verdict=verdict)


@pytest.mark.parametrize(("verdict", "findings", "said"), SAID)
def test_both_say_the_verdict(verdict: str, findings: list[str], said: str) -> None:
    words = endpoint(audit(verdict, findings))
    assert (words["schemaVersion"], words["label"], words["message"]) == (1, "gonogo audit", said)
    drawn = ET.fromstring(picture(audit(verdict, findings)))
    texts = [text.text for text in drawn.iter("{http://www.w3.org/2000/svg}text")]
    assert texts == ["gonogo audit", said]
    assert drawn.attrib["aria-label"] == f"gonogo audit: {said}"
    assert words["color"] in picture(audit(verdict, findings))


def test_white_letters_can_be_read_on_every_colour() -> None:
    for verdict in ("GO", "HOLD", "NO_GO"):
        colour = str(endpoint(audit(verdict, []))["color"])
        parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
        linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]
        assert 1.05 / (light + 0.05) >= 4.5, verdict
