"""An on-call shift: services break, alerts fire, somebody has to find out why."""

import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import Alert, PagerAction, PagerObservation, PagerState, Tool
except ImportError:
    from models import Alert, PagerAction, PagerObservation, PagerState, Tool

# service -> services it calls
CALLS = {
    "gateway": ["accounts", "catalogue", "checkout"],
    "checkout": ["ledger", "queue"],
    "catalogue": ["search", "images"],
    "accounts": ["ledger"],
    "search": ["index"],
    "images": [],
    "index": [],
    "ledger": [],
    "queue": [],
}
# remedy -> (what the alert looks like, what the logs say)
FAULTS = {
    Tool.RESTART: ("LatencyHigh", "gc pause 4.1s; heap 97% and climbing since start"),
    Tool.ROLLBACK: ("ErrorRateHigh", "TypeError in handler, first seen after release {n}"),
    Tool.SCALE: ("LatencyHigh", "request pool exhausted, {n} waiting; cpu 99% on all pods"),
    Tool.PURGE: ("ErrorRateHigh", "write failed: no space left on device (/var/tmp {n} GB)"),
    Tool.RENEW: ("ErrorRateHigh", "tls handshake rejected: certificate expired {n} h ago"),
}
BROKEN = 4
ACTIONS = 30
MINUTES_PER_ACTION = 2
SILENCE_MINUTES = 60
NEEDLESS_COST = 0.05


class PagerEnvironment(Environment):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._faults: Dict[str, Tool] = {}  # broken service -> its remedy
        self._logs: Dict[str, str] = {}
        self._alerts: List[Alert] = []
        self._origin: Dict[int, str] = {}  # alert -> service it fires because of
        self._silenced: Dict[int, int] = {}  # alert -> minute at which the silence ends
        self._left = 0
        self._done = True
        self._resolved: Optional[bool] = None
        self._state = PagerState()

    def reset(
        self,
        seed: Optional[int] = None,
        episode_id: Optional[str] = None,
        **kwargs: Any,
    ) -> PagerObservation:
        rng = random.Random(seed)
        self._faults, self._logs = {}, {}
        self._alerts, self._origin, self._silenced = [], {}, {}
        found = []
        for service in rng.sample(sorted(CALLS), BROKEN):
            remedy = rng.choice(list(FAULTS))
            rule, log = FAULTS[remedy]
            self._faults[service] = remedy
            self._logs[service] = log.format(n=rng.randint(11, 96))
            found.append((service, rule, f"{service}: {rule} for 5 min", service))
            for caller in sorted(CALLS):
                if service in CALLS[caller]:
                    text = f"{caller}: calls to another service fail"
                    found.append((caller, "UpstreamErrors", text, service))
        rng.shuffle(found)
        for number, (service, rule, text, origin) in enumerate(found, start=1):
            self._alerts.append(Alert(alert=number, service=service, rule=rule, summary=text))
            self._origin[number] = origin
        self._left = ACTIONS
        self._done = False
        self._resolved = None
        self._state = PagerState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._look(f"You are paged. {len(self._alerts)} alerts are firing.")

    def step(
        self,
        action: PagerAction,
        timeout_s: Optional[float] = None,
        **kwargs: Any,
    ) -> PagerObservation:
        if self._done:
            return self._look("The shift is over.")
        self._state.step_count += 1
        if action.tool is Tool.CLOSE:
            return self._close("You close the incident.")
        self._left -= 1
        self._state.minute += MINUTES_PER_ACTION
        if action.tool is Tool.SILENCE:
            output = self._silence(action.alert)
        elif action.service not in CALLS:
            output = f"no such service: {action.service}"
        elif action.tool is Tool.INSPECT:
            output = self._inspect(action.service)
        else:
            output = self._treat(action.service, action.tool)
        if self._left == 0:
            return self._close(output + "\nYour shift ends.")
        return self._look(output)

    def _silence(self, number: Optional[int]) -> str:
        if number not in self._origin:
            return f"no such alert: {number}"
        until = self._state.minute + SILENCE_MINUTES
        self._silenced[number] = until
        return f"alert {number} silenced until minute {until}"

    def _inspect(self, service: str) -> str:
        lines = [f"{service}: calls {', '.join(CALLS[service]) or 'nothing'}"]
        if service in self._faults:
            lines.append(f"ERROR {self._logs[service]}")
        lines += [f"WARN timeout calling {s}" for s in CALLS[service] if s in self._faults]
        if len(lines) == 1:
            lines.append("INFO all checks pass")
        return "\n".join(lines)

    def _treat(self, service: str, tool: Tool) -> str:
        if self._faults.get(service) is tool:
            del self._faults[service]
            return f"{tool.value} {service}: done, checks pass"
        self._state.needless += 1
        return f"{tool.value} {service}: done, nothing changed; users lost their sessions"

    def _is_silent(self, number: int) -> bool:
        return self._silenced.get(number, 0) > self._state.minute

    def _firing(self) -> List[Alert]:
        return [
            alert
            for alert in self._alerts
            if self._origin[alert.alert] in self._faults and not self._is_silent(alert.alert)
        ]

    def _close(self, output: str) -> PagerObservation:
        self._done = True
        firing = len(self._firing())
        self._resolved = firing == 0
        score = 1 - firing / len(self._alerts) - NEEDLESS_COST * self._state.needless
        return self._look(output, reward=round(max(0.0, score), 4))

    def _look(self, output: str, reward: float = 0.0) -> PagerObservation:
        return PagerObservation(
            output=output,
            minute=self._state.minute,
            actions_left=self._left,
            services=sorted(CALLS),
            firing=self._firing(),
            silenced=[a.alert for a in self._alerts if self._is_silent(a.alert)],
            resolved=self._resolved,
            reward=reward,
            done=self._done,
        )

    @property
    def state(self) -> PagerState:
        return self._state
