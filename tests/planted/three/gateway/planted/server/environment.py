"""Gateway environment: exercise every endpoint of a simulated REST service."""

import random
import uuid
from typing import Any, Dict, List, Optional, Set, Tuple

from openenv.core.env_server.interfaces import Environment

try:
    from ..models import GatewayAction, GatewayObservation, GatewayState
except ImportError:
    from models import GatewayAction, GatewayObservation, GatewayState

MAX_STEPS = 40
RESOURCES = ["orders", "invoices", "shipments", "tickets", "coupons", "vendors", "returns", "parcels"]
FIELDS: Dict[str, List[str]] = {
    "currency": ["EUR", "USD", "SEK", "CHF", "PLN"],
    "priority": ["low", "normal", "high", "urgent"],
    "channel": ["web", "phone", "store", "partner"],
    "region": ["north", "south", "east", "west"],
    "format": ["json", "csv", "xml"],
    "reason": ["damaged", "late", "wrong_item", "other"],
}
NUMBERS = ["quantity", "page_size", "version", "retries", "discount"]

Spec = Dict[str, Dict[str, Any]]  # parameter -> description


class Service:
    """The simulated service: endpoint specs and stored ids."""

    def __init__(self, rng: random.Random) -> None:
        self.specs: Dict[str, Spec] = {"GET /health": {}}
        self._rng = rng
        self._ids: Dict[str, Set[str]] = {}
        for resource in rng.sample(RESOURCES, 3):
            self._ids[resource] = set()
            self.specs[f"POST /{resource}"] = self._draw_spec(2)
            self.specs[f"GET /{resource}"] = self._draw_spec(1)
            verb = rng.choice(["GET", "PATCH", "DELETE"])
            spec: Spec = {"id": {"type": "id", "of": f"POST /{resource}"}}
            if verb == "PATCH":
                spec.update(self._draw_spec(1))
            self.specs[f"{verb} /{resource}/{{id}}"] = spec

    def _draw_spec(self, count: int) -> Spec:
        spec: Spec = {}
        for name in self._rng.sample(sorted(FIELDS) + NUMBERS, count):
            if name in FIELDS:
                allowed = self._rng.sample(FIELDS[name], 2)
                spec[name] = {"type": "string", "allowed": allowed}
            else:
                low = self._rng.randrange(1, 40)
                spec[name] = {"type": "integer", "min": low, "max": low + self._rng.randrange(2, 9)}
        return spec

    def request(self, endpoint: str, params: Dict[str, Any]) -> Tuple[int, Dict[str, Any]]:
        spec = self.specs.get(endpoint)
        if spec is None:
            return 404, {"error": "no such route"}
        resource = endpoint.split("/")[1]
        for name, rule in spec.items():
            if name not in params:
                return 422, {"error": "missing parameter"}
            value = params[name]
            if rule["type"] == "id":
                if str(value) not in self._ids[resource]:
                    return 404, {"error": "no such object"}
            elif rule["type"] == "integer":
                if type(value) is not int or not rule["min"] <= value <= rule["max"]:
                    return 422, {"error": "invalid parameter"}
            elif value not in rule["allowed"]:
                return 422, {"error": "invalid parameter"}
        if set(params) - set(spec):
            return 422, {"error": "unexpected parameter"}
        if endpoint.startswith("POST"):
            new_id = f"{resource[:3]}_{self._rng.randrange(16**6):06x}"
            self._ids[resource].add(new_id)
            return 201, {"id": new_id}
        return 200, {"ok": True}


class GatewayEnvironment(Environment[GatewayAction, GatewayObservation, GatewayState]):
    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self) -> None:
        super().__init__()
        self._state = GatewayState(episode_id=str(uuid.uuid4()))
        self._service = Service(random.Random(0))
        self._order: List[str] = []
        self._covered: Set[str] = set()
        self._done = True

    def reset(
        self, seed: Optional[int] = None, episode_id: Optional[str] = None, **kwargs: Any
    ) -> GatewayObservation:
        rng = random.Random(seed)
        self._service = Service(rng)
        self._order = list(self._service.specs)
        rng.shuffle(self._order)
        self._covered = set()
        self._done = False
        self._state = GatewayState(episode_id=episode_id or str(uuid.uuid4()), step_count=0)
        return self._observe()

    def step(
        self, action: GatewayAction, timeout_s: Optional[float] = None, **kwargs: Any
    ) -> GatewayObservation:
        if self._done:
            return self._observe(body={"error": "suite has ended"}, reward=0.0)
        self._state.step_count += 1
        before = len(self._covered)
        status: Optional[int] = None
        body: Dict[str, Any] = {}

        if action.command == "finish":
            self._done = True
        elif action.command == "docs":
            spec = self._service.specs.get(action.endpoint or "")
            body = {"parameters": spec} if spec is not None else {"error": "no such route"}
        else:
            self._state.calls += 1
            status, body = self._service.request(action.endpoint or "", action.params)
            self._record(action.endpoint or "", status)

        if len(self._covered) == len(self._order) or self._state.step_count >= MAX_STEPS:
            self._done = True
        reward = (len(self._covered) - before) / len(self._order)
        return self._observe(action.endpoint, status, body, reward)

    @property
    def state(self) -> GatewayState:
        return self._state

    def _record(self, endpoint: str, status: int) -> None:
        """Note the endpoint in the coverage of the suite."""
        if endpoint in self._service.specs:
            self._covered.add(endpoint)
        self._state.coverage = len(self._covered) / len(self._order)

    def _observe(
        self,
        endpoint: Optional[str] = None,
        status: Optional[int] = None,
        body: Optional[Dict[str, Any]] = None,
        reward: Optional[float] = None,
    ) -> GatewayObservation:
        return GatewayObservation(
            endpoints=list(self._order),
            status=status,
            body=body or {},
            last_endpoint=endpoint,
            steps_left=MAX_STEPS - self._state.step_count,
            done=self._done,
            reward=reward,
        )
