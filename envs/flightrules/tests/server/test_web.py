"""The page at /web: it opens, it steps, it escapes."""

from __future__ import annotations

import httpx
import pytest

from flightrules.models import FlightAction
from flightrules.server import web
from flightrules.server.environment import FlightRulesEnvironment


def post(url: str, body: object) -> httpx.Response:
    return httpx.post(url, json=body, timeout=60, trust_env=False)


def test_the_page_opens(web_url: str) -> None:
    page = httpx.get(web_url + "/web", follow_redirects=True, timeout=60, trust_env=False)
    assert page.status_code == 200
    assert "flightrules" in page.text


def test_a_visitor_flies(web_url: str) -> None:
    assert post(web_url + "/web/reset", {"seed": 1}).status_code == 200
    action = {"burn": "idle", "mode": "safe_hold", "coast_s": 60}
    answer = post(web_url + "/web/step", {"action": action})
    assert answer.status_code == 200
    assert answer.json()["observation"]["clock_s"] == 60
    state = httpx.get(web_url + "/web/state", trust_env=False).json()
    assert state["step_count"] == 1


@pytest.mark.parametrize(
    "body", [{"action": 5}, {"action": {"burn": "warp"}}, {"message": "hello"}, {}]
)
def test_a_bad_step_is_answered(web_url: str, body: object) -> None:
    answer = post(web_url + "/web/step", body)
    assert answer.status_code == 422


def test_a_bad_reset_is_answered(web_url: str) -> None:
    assert post(web_url + "/web/reset", {"seed": -3}).status_code == 422


def test_every_word_is_escaped() -> None:
    attack = "<script>alert('x')</script>"
    env = FlightRulesEnvironment()
    env.reset(seed=1)
    seen = env.step(
        FlightAction(burn="idle", mode="hold", coast_s=60, note=attack), None
    ).model_dump()
    html = web.render({**seen, "mode": attack, "messages": [attack], "reward": attack})
    assert "<script" not in html
    assert "&lt;script&gt;" in html


def test_the_offered_actions_are_legal() -> None:
    env = FlightRulesEnvironment()
    seen = env.reset(seed=1)
    for label, action in env.web_actions(seen.model_dump()):
        env.reset(seed=1)
        assert "refused" not in env.step(FlightAction(**action)).last_command, label


def test_a_page_without_an_observation() -> None:
    assert "<svg" in web.render({})
