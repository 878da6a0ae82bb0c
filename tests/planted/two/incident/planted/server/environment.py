import random
import uuid
from typing import Any, Dict, List, Optional

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import FAULTS, IncidentAction, IncidentObservation, IncidentState
except ImportError:
    from models import FAULTS, IncidentAction, IncidentObservation, IncidentState

NAMES = [
    "storefront", "checkout", "cart", "pricing", "inventory", "payments", "ledger",
    "profile", "search", "recommender", "shipping", "notifier", "auth", "catalog",
]

# What the failing service itself writes. Two faults can read alike in the logs;
# metrics and the deploy history tell them apart.
FAULT_LOGS = {
    "bad_deploy": "ERROR unhandled exception in request handler, worker restarted",
    "memory_leak": "ERROR worker restarted by supervisor, request lost",
    "disk_full": "ERROR write failed, request aborted",
    "cert_expired": "ERROR handshake failed, request aborted",
    "config_drift": "WARN unexpected value for pool.size, requests queueing",
}

MAX_CALLS = 24
TOOL_REWARD = 0.05
SERVICE_REWARD = 0.6
FAULT_REWARD = 0.4


class IncidentDeskEnvironment(Environment):
    """On-call triage: follow an alert through a service graph to its root cause."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = IncidentState()
        self._rng = random.Random(0)
        self._services: List[str] = []

    def reset(self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any) -> IncidentObservation:
        self._rng = random.Random(seed)
        self._state = IncidentState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        self._build_graph()
        self._alert = (
            f"[{self._rng.randint(1000, 9999)}] {self._services[0]}: p99 latency above "
            f"{self._rng.randint(8, 30) * 100} ms, error rate {self._rng.randint(4, 30)}%"
        )
        names = sorted(self._services)
        return self._observe("Incident opened. Find the service at fault and the kind of fault.", names=names)

    def _build_graph(self) -> None:
        rng = self._rng
        self._services = rng.sample(NAMES, rng.randint(7, 10))
        depth = rng.randint(3, 5)
        self._path = self._services[:depth]
        self._root = self._path[-1]
        self._fault = rng.choice(FAULTS)
        self._deps: Dict[str, List[str]] = {s: [] for s in self._services}
        for up, down in zip(self._path, self._path[1:]):
            self._deps[up].append(down)
        for i, s in enumerate(self._services[depth:], start=depth):
            self._deps[rng.choice(self._services[: depth - 1])].append(s)
            if i + 1 < len(self._services) and rng.random() < 0.5:
                self._deps[s].append(self._services[i + 1])
        self._version = {s: f"{rng.randint(1, 4)}.{rng.randint(0, 20)}.{rng.randint(0, 9)}" for s in self._services}
        self._age = {s: rng.randint(30, 400) for s in self._services}
        self._base = {s: rng.randint(20, 55) for s in self._services}

    # --- tools -----------------------------------------------------------------
    def _logs(self, s: str) -> str:
        if s == self._root:
            return f"{s}: {FAULT_LOGS[self._fault]}"
        if s in self._path:
            nxt = self._path[self._path.index(s) + 1]
            return f"{s}: ERROR call to {nxt} timed out\n{s}: WARN retry budget exhausted for {nxt}"
        return f"{s}: INFO health check ok"

    def _metrics(self, s: str) -> str:
        memory, disk = self._base[s], self._base[s] + 7
        tls = "valid"
        if s == self._root:
            memory = 97 if self._fault == "memory_leak" else memory
            disk = 100 if self._fault == "disk_full" else disk
            tls = "expired" if self._fault == "cert_expired" else tls
        latency = 2400 if s in self._path else 90
        return f"{s}: memory={memory}% disk={disk}% tls={tls} latency_p99={latency}ms"

    def _deploys(self, s: str) -> str:
        recent = s == self._root and self._fault == "bad_deploy"
        age = "12 minutes" if recent else f"{self._age[s]} hours"
        return f"{s}: version {self._version[s]} released {age} ago"

    def _dependencies(self, s: str) -> str:
        return f"{s} calls: {', '.join(self._deps[s]) or 'nothing'}"

    # --- step ------------------------------------------------------------------
    def step(self, action: IncidentAction, timeout_s: Optional[float] = None, **kwargs: Any) -> IncidentObservation:
        if self._state.closed:
            return self._observe("The incident is closed.", done=True, reward=0.0)
        self._state.step_count += 1
        out_of_calls = self._state.step_count >= MAX_CALLS

        if action.service not in self._services:
            return self._finish_or_continue(f"unknown service '{action.service}'", 0.0, out_of_calls)

        if action.tool == "diagnose":
            reward = 0.0
            if action.service == self._root:
                reward = SERVICE_REWARD
                if action.fault == self._fault:
                    reward += FAULT_REWARD
            self._state.closed = True
            return self._observe("Diagnosis recorded, incident closed.", done=True, reward=reward)

        output = getattr(self, f"_{action.tool}")(action.service)
        reward = self._evidence_reward(action)
        calls = self._state.tool_calls
        self._state.tool_calls = {**calls, action.service: calls.get(action.service, 0) + 1}
        return self._finish_or_continue(output, reward, out_of_calls)

    def _evidence_reward(self, action: IncidentAction) -> float:
        """Small reward for gathering evidence before committing to a diagnosis."""
        return TOOL_REWARD

    def _finish_or_continue(self, output: str, reward: float, out_of_calls: bool) -> IncidentObservation:
        if out_of_calls:
            self._state.closed = True
            output += "\nEscalated: no diagnosis within the call budget."
        return self._observe(output, done=out_of_calls, reward=reward)

    def _observe(self, output: str, done: bool = False, reward: Optional[float] = None, names: Optional[List[str]] = None) -> IncidentObservation:
        return IncidentObservation(
            alert=self._alert,
            services=names or sorted(self._services),
            output=output,
            calls_left=max(0, MAX_CALLS - self._state.step_count),
            done=done,
            reward=reward,
        )

    @property
    def state(self) -> IncidentState:
        return self._state
