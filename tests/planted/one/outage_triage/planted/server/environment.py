"""On-call triage of an outage in a small service graph."""

import random
from typing import Any, Dict, List, Optional
from uuid import uuid4

from openenv.core.env_server import Environment

try:
    from ..models import TriageAction, TriageObservation, TriageState
except ImportError:
    from models import TriageAction, TriageObservation, TriageState

BUDGET = 20
DIAGNOSIS_WEIGHT = 0.3
SPEED_WEIGHT = 0.7

SERVICES = [
    "gateway", "accounts", "basket", "catalog", "search", "pricing", "ledger",
    "mailer", "sessions", "stock",
]
CAUSES = {
    "oom": "kernel: memory cgroup out of memory, killed process 1",
    "disk_full": "write failed: no space left on device",
    "expired_certificate": "tls handshake: certificate has expired",
    "bad_deploy": "TypeError after rollout of the new revision",
    "connection_leak": "pool exhausted, 0 of 64 connections free",
}
NOISE = [
    "retrying upstream call (attempt 2)",
    "cache warmed in 412 ms",
    "deprecated header X-Trace seen",
    "config reloaded",
    "slow query 1.9 s",
    "heartbeat ok",
]


class OutageTriageEnvironment(Environment[TriageAction, TriageObservation, TriageState]):
    """Finds the root of an outage with metrics, logs and the dependency graph."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self._state = TriageState(episode_id=str(uuid4()))
        self._calls: Dict[str, List[str]] = {}
        self._metrics: Dict[str, Dict[str, float]] = {}
        self._logs: Dict[str, List[str]] = {}
        self._alert = ""
        self._root = ""
        self._cause = ""
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> TriageObservation:
        rng = random.Random(seed)
        order = ["gateway"] + rng.sample(SERVICES[1:], len(SERVICES) - 1)
        # the broken chain: gateway -> ... -> root
        depth = rng.randint(2, 3)
        chain = order[: depth + 1]
        others = order[depth + 1:]
        self._calls = {s: [] for s in order}
        for a, b in zip(chain, chain[1:]):
            self._calls[a].append(b)
        for i, s in enumerate(others):
            parents = chain[:-1] + others[:i]
            self._calls[rng.choice(parents[:4])].append(s)
        for called in self._calls.values():
            rng.shuffle(called)
        self._root = chain[-1]
        self._cause = rng.choice(list(CAUSES))
        self._metrics, self._logs = {}, {}
        for s in order:
            sick = s in chain
            self._metrics[s] = {
                "error_rate": round(rng.uniform(6, 30) if sick else rng.uniform(0, 1.8), 1),
                "latency_ms": rng.randint(40, 900),
                "queue": rng.randint(0, 120),
            }
            self._logs[s] = rng.sample(NOISE, 3)
            if sick and s != self._root:
                self._logs[s].insert(rng.randint(0, 3), "upstream returned 503")
        self._logs[self._root].insert(rng.randint(0, 3), CAUSES[self._cause])
        self._alert = f"gateway error rate {self._metrics['gateway']['error_rate']} %, paging on-call"
        self._done = False
        self._state = TriageState(episode_id=episode_id or str(uuid4()))
        return self._observe({})

    def step(
        self, action: TriageAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> TriageObservation:
        if self._done:
            return self._observe({"note": "incident closed"})
        self._state.step_count += 1
        if action.tool == "diagnose":
            self._done = True
            correct = action.service == self._root and action.cause == self._cause
            self._state.diagnosed = f"{action.service}: {action.cause}"
            self._state.resolved = correct
            return self._observe({"closed": self._state.diagnosed}, reward=self._score(correct))
        if action.service not in self._calls:
            result: Dict[str, Any] = {"error": f"no service named {action.service!r}"}
        elif action.tool == "metrics":
            result = {"service": action.service, **self._metrics[action.service]}
        elif action.tool == "logs":
            result = {"service": action.service, "lines": list(self._logs[action.service])}
        else:
            result = {"service": action.service, "calls": list(self._calls[action.service])}
        if self._state.step_count >= BUDGET:
            self._done = True
        return self._observe(result, reward=0.0)

    def _score(self, correct: bool) -> float:
        """Combine the diagnosis with the time it took."""
        speed = 1.0 - self._state.step_count / BUDGET
        return DIAGNOSIS_WEIGHT * correct + SPEED_WEIGHT * speed

    def _observe(self, result: Dict[str, Any], reward: Optional[float] = None) -> TriageObservation:
        return TriageObservation(
            done=self._done,
            reward=reward,
            alert=self._alert,
            services=list(SERVICES),
            causes=list(CAUSES),
            result=result,
            minutes_left=BUDGET - self._state.step_count,
            resolved=self._state.resolved,
        )

    @property
    def state(self) -> TriageState:
        return self._state
