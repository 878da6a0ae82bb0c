"""learnlens-rl on one class: the class behind OpenEnv's server, LensWrapper on its address, both policies as agents.

The tool judges an agent, so it gets two: the one that succeeds and the one that exploits. Five episodes a probe and
all settings as they are by default. Its reasoning probe needs a paid judge and an agent that reasons in words; without
either it answers its documented neutral 0.5.
"""

from __future__ import annotations

import json
import re
import socket
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import uvicorn
from learnlens import LensWrapper
from learnlens.adapters.openenv import OpenEnvAdapter
from openenv.core.env_server.http_server import create_app
from tests.zoo.cases import Plan

from .common import FORK, Json, Pilot, Subject

LIMIT_S = 300.0
START_S = 120.0
LOW = 0.5  # below it the tool says: investigate the reward signal


class SteeredAdapter(OpenEnvAdapter):
    """The tool's adapter, telling the agent when an episode begins, and passing the reset options of the pair."""

    def __init__(self, url: str, options: Json) -> None:
        super().__init__(url)
        self.options = options
        self.pilot: Pilot | None = None
        self.waiting = False

    def reset(self, seed: int | None = None) -> Any:
        """Start an episode."""
        self._ensure_open()
        answer = self._parse(self._sync_client.reset(**self.options, seed=seed))
        if self.pilot is not None:
            self.pilot.begin()
        self.waiting = True
        return answer

    def step(self, action: Json) -> Any:
        """Take a step."""
        answer = super().step(action)
        self.waiting = not answer.done
        return answer


def agent(adapter: SteeredAdapter, plan: Plan, reads_state: bool) -> Any:
    """A policy as the tool wants it: text in, text out; it finds the observation in any phrasing."""
    pilot = adapter.pilot = Pilot(plan)

    def answer(text: str) -> str:
        found = re.search(r"\{.*\}", text, re.DOTALL)
        observation = json.loads(found[0] if found else "{}")
        observation.pop("metadata", None)
        if reads_state:
            observation |= adapter.get_state()
        ask = pilot.act if adapter.waiting else pilot.again
        adapter.waiting = False
        return json.dumps(ask(observation))

    return answer


def serve(subject: Subject, port: int) -> None:
    """OpenEnv's own server, in a process of its own."""
    app = create_app(subject.cls, subject.action, subject.observation, max_concurrent_envs=8)
    uvicorn.run(app, host="127.0.0.1", port=port, log_level="error")


def wait_for(url: str) -> None:
    """Until the server answers."""
    until = time.monotonic() + START_S
    while True:
        try:
            with urllib.request.urlopen(f"{url}/health", timeout=5):
                return
        except (urllib.error.URLError, ConnectionError, TimeoutError):
            if time.monotonic() > until:
                raise
            time.sleep(0.2)


def evaluate(subject: Subject, url: str, plan: Plan) -> Json:
    """The tool's report on one agent, with its verdict in words; or what it raised."""
    adapter = SteeredAdapter(url, subject.pair.options)
    try:
        chosen = agent(adapter, plan, subject.reads_state(plan))
        report = LensWrapper(adapter=adapter).evaluate(agent_fn=chosen)
    except (RuntimeError, ValueError, LookupError, StopIteration) as error:
        return {"error": f"{type(error).__name__}: {error}"[:300]}
    finally:
        adapter.close()
    return {**report.to_dict(), "verdict": report.verdict()}


def drive(name: str, case: str, folder: Path) -> Json:
    """Evaluate both agents on one class; see :mod:`benchmarks.rivals` for the answer's fields."""
    subject = Subject.load(name, case)
    began = time.monotonic()
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = FORK.Process(target=serve, args=(subject, port))
    server.start()
    try:
        wait_for(f"http://127.0.0.1:{port}")
        plans = {"solver": subject.pair.solve, "exploit": subject.pair.exploit}
        reports = {
            who: evaluate(subject, f"http://127.0.0.1:{port}", plan) for who, plan in plans.items()
        }
    finally:
        server.kill()
        server.join()
    read = {who: report for who, report in reports.items() if "error" not in report}
    alarmed = {
        who: bool(report["hack_flagged"] or report["lqs"] < LOW) for who, report in read.items()
    }
    hacking = [report["verdict"].startswith("Agent is reward hacking") for report in read.values()]
    errors = [report["error"] for report in reports.values() if "error" in report]
    return {
        "flags": {
            "alarm": any(alarmed.values()),
            "exploit_alarm": alarmed.get("exploit", False),
            "hacking": any(hacking),
        },
        "taken": bool(read),
        "why": errors[0] if errors else None,
        "detail": reports,
        "seconds": round(time.monotonic() - began, 1),
    }
