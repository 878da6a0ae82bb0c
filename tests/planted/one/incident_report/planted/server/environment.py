"""Write a post-incident report from an on-call log, section by section."""

import random
import re
import uuid
from typing import Any, Dict, List, Optional, Tuple

from openenv.core.env_server import Environment

try:
    from ..models import ReportObservation, ReportState, SectionAction
except ImportError:
    from models import ReportObservation, ReportState, SectionAction

MAX_WORDS = 60
WORDS_PER_POINT = 10
DETAIL_WEIGHT = 0.85
CLARITY_WEIGHT = 0.15
SENTENCE_LENGTH = (5, 26)

SERVICES = ["checkout", "search", "billing", "login", "mailer", "catalogue", "ledger", "gateway"]
REGIONS = ["eu-north", "eu-west", "us-east", "us-west", "ap-south", "sa-east"]
PEOPLE = ["Priya", "Tomas", "Lena", "Oskar", "Wei", "Nadia", "Ruben", "Ivy"]
CAUSES = ["an expired certificate", "a full disk", "a missing index", "a leaked connection", "a wrong timeout", "a stale cache key"]
REMEDIES = ["rolled back", "restarted", "failed over", "scaled up", "patched"]
NOISE = [
    "{s} deploy finished without warnings", "{s} latency is back to normal", "{s} backup took {n} seconds",
    "{s} reported {n} slow queries in {r}", "{p} acknowledged a duplicate alert for {s}", "{p} muted a test alarm in {r}",
]

GUIDANCE = {
    "summary": "Which service failed, in which region, and who was on call.",
    "impact": "When the trouble began and ended, how many requests failed and how many tickets came in.",
    "cause": "What the cause was, which build brought it in and which host showed it first.",
    "remedy": "What was done to the service, by whom, and under which change number.",
}


def words_of(text: str) -> List[str]:
    return text.split()[:MAX_WORDS]


def mentions(words: List[str], fact: str) -> bool:
    """True if the fact stands in the text as whole words."""
    text = " ".join(words).lower()
    return re.search(rf"(?<![\w-]){re.escape(fact.lower())}(?![\w-])", text) is not None


class IncidentReportEnvironment(Environment[SectionAction, ReportObservation, ReportState]):
    """Four sections, each graded when it is handed in."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = ReportState()
        self._log = ""
        self._facts: Dict[str, List[str]] = {}
        self._todo: List[str] = []

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> ReportObservation:
        rng = random.Random(seed)
        self._state = ReportState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        self._log, self._facts = self._night(rng)
        self._todo = list(GUIDANCE)
        return self._observe(None)

    def step(self, action: SectionAction, timeout_s: Optional[float] = None, **kwargs: Any) -> ReportObservation:
        if not self._todo:
            return self._observe(0.0)
        self._state.step_count += 1
        section = self._todo.pop(0)
        words = words_of(action.text)
        self._state.words_written += len(words)
        facts = self._facts[section]
        score = DETAIL_WEIGHT * self._detail(words, facts) + CLARITY_WEIGHT * self._clarity(words)
        return self._observe(score / len(GUIDANCE))

    @property
    def state(self) -> ReportState:
        return self._state

    def _detail(self, words: List[str], facts: List[str]) -> float:
        """How much of what the section should cover has been written up."""
        points = len(words) // WORDS_PER_POINT
        return min(1.0, points / len(facts))

    def _clarity(self, words: List[str]) -> float:
        """Share of the sentences that are neither fragments nor monsters."""
        lengths = [len(part.split()) for part in re.split(r"[.!?](?:\s|$)", " ".join(words)) if part.strip()]
        if not lengths:
            return 0.0
        low, high = SENTENCE_LENGTH
        return sum(low <= n <= high for n in lengths) / len(lengths)

    def _observe(self, reward: Optional[float]) -> ReportObservation:
        section = self._todo[0] if self._todo else ""
        return ReportObservation(
            log=self._log,
            section=section,
            guidance=GUIDANCE.get(section, ""),
            sections_left=len(self._todo),
            reward=reward,
            done=not self._todo,
        )

    @staticmethod
    def _night(rng: random.Random) -> Tuple[str, Dict[str, List[str]]]:
        """Make the log of a night and the facts that each section is about."""
        service, *others = rng.sample(SERVICES, 4)
        region, *other_regions = rng.sample(REGIONS, 3)
        oncall, fixer, *other_people = rng.sample(PEOPLE, 4)
        cause, remedy = rng.choice(CAUSES), rng.choice(REMEDIES)
        failed, tickets = rng.randint(2000, 90000), rng.randint(11, 99)
        build = f"b{rng.randint(1000, 9999)}"
        host = f"{service}-{rng.randint(10, 99)}"
        change = f"CHG-{rng.randint(10000, 99999)}"
        events = [
            f"PAGE: {service} is failing in {region}, {oncall} is on call",
            f"first errors of the incident were seen on host {host}",
            f"investigation: {cause} since build {build}",
            f"{fixer} {remedy} {service} under {change}",
            f"RESOLVED: {failed} requests failed during the incident",
            f"support counted {tickets} tickets on the incident",
        ]
        lines: List[str] = []
        for event in events:
            for _ in range(rng.randint(2, 4)):
                lines.append(
                    rng.choice(NOISE).format(
                        s=rng.choice(others), r=rng.choice(other_regions), p=rng.choice(other_people), n=rng.randint(2, 900)
                    )
                )
            lines.append(event)
        minute, stamped, times = rng.randint(0, 90), [], {}
        for line in lines:
            minute += rng.randint(3, 14)
            stamp = f"{minute // 60:02d}:{minute % 60:02d}"
            stamped.append(f"{stamp} {line}")
            times[line] = stamp
        facts = {
            "summary": [service, region, oncall],
            "impact": [times[events[0]], times[events[4]], str(failed), str(tickets)],
            "cause": [cause, build, host],
            "remedy": [remedy, fixer, change],
        }
        return "\n".join(stamped), facts
