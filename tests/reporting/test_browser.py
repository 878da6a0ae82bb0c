"""The page in headless Chromium: played, scrubbed, by keyboard, without script from what an environment says."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.reporting.conftest import spoil_episodes
from tests.reporting.reading import NASTY

from gonogo.reporting import report as station

webdriver = pytest.importorskip("selenium.webdriver", reason="selenium is not installed")
BROWSER, DRIVER = shutil.which("chromium"), shutil.which("chromedriver")
pytestmark = pytest.mark.skipif(
    BROWSER is None or DRIVER is None, reason="there is no chromium with its chromedriver"
)
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


@pytest.fixture(scope="module")
def chromium(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    options = webdriver.ChromeOptions()
    options.binary_location = str(BROWSER)
    for flag in (*FLAGS, f"--user-data-dir={tmp_path_factory.mktemp('profile')}"):
        options.add_argument(flag)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL"})
    driver = webdriver.Chrome(options=options, service=webdriver.ChromeService(str(DRIVER)))
    yield driver
    driver.quit()


@pytest.fixture
def page(run: Path, chromium: Any) -> Any:
    """The run's page, open."""
    return opened(run, chromium)


def opened(run: Path, chromium: Any) -> Any:
    station.run(run)
    chromium.get_log("browser")  # what other tests left in it
    chromium.get((run / "report.html").as_uri())
    return chromium


def by_id(page: Any, name: str) -> Any:
    return page.find_element("id", name)


def now(page: Any) -> float:
    return float(by_id(page, "scrub").get_property("value"))


def press(page: Any, key: str) -> None:
    """Send a key to whatever has the focus."""
    page.switch_to.active_element.send_keys(key)


def focused(page: Any, name: str) -> None:
    page.execute_script("document.getElementById(arguments[0]).focus()", name)


def media(page: Any, name: str, value: str) -> None:
    features = [{"name": name, "value": value}]
    page.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})


def test_it_plays_pauses_and_ends(page: Any) -> None:
    play = by_id(page, "play")
    assert play.get_attribute("aria-label") == "Play"
    play.click()
    assert play.get_attribute("aria-label") == "Pause"
    wait(page, "Number(document.getElementById('scrub').value) > 0.2")
    play.click()
    stopped = now(page)
    assert 0 < stopped < float(by_id(page, "scrub").get_attribute("max"))
    page.execute_async_script("setTimeout(arguments[0], 300)")
    assert now(page) == stopped
    page.execute_script("document.getElementById('speed').value = '4'")
    play.click()
    wait(page, "document.getElementById('play').getAttribute('aria-label') === 'Play'")
    assert now(page) == float(by_id(page, "scrub").get_attribute("max"))
    assert "Over after" in by_id(page, "flights").text


def wait(page: Any, condition: str) -> None:
    """Wait in the page until a condition holds."""
    page.set_script_timeout(60)
    page.execute_async_script(
        f"const done = arguments[0]; (function look() {{ if ({condition}) done();"
        " else setTimeout(look, 30); })()"
    )


def test_scrubbing_shows_the_turn_at_that_time(page: Any) -> None:
    place = "const s = document.getElementById('scrub'); s.value = arguments[0];"
    page.execute_script(f"{place} s.dispatchEvent(new Event('input'))", 2)
    assert "Decision 3 of" in by_id(page, "flights").text
    assert "turn 2" in by_id(page, "scrub").get_attribute("aria-valuetext")


def test_the_keyboard_does_everything(page: Any) -> None:
    focused(page, "scrub")
    for key, place in (("\ue014", 1), ("\ue014", 2), ("\ue012", 1), ("\ue011", 0)):
        press(page, key)  # right, right, left, home
        assert now(page) == pytest.approx(place)
    press(page, "\ue010")  # end
    assert now(page) == float(by_id(page, "scrub").get_attribute("max"))
    press(page, " ")
    assert by_id(page, "play").get_attribute("aria-label") == "Pause"
    press(page, " ")
    assert by_id(page, "play").get_attribute("aria-label") == "Play"
    focused(page, "play")
    press(page, " ")  # clicks once, and no second time by the viewer's own key
    assert by_id(page, "play").get_attribute("aria-label") == "Pause"


def test_what_has_the_focus_is_seen(page: Any) -> None:
    focused(page, "scrub")
    press(page, "\ue004")  # tab, as a keyboard moves the focus
    outline = "return getComputedStyle(document.activeElement).outlineStyle"
    assert page.execute_script(outline) == "solid"


def test_all_controls_have_names(page: Any) -> None:
    unnamed = page.execute_script(
        "return [...document.querySelectorAll('button, input, select, [tabindex=\"0\"]')].filter(e => "
        "!e.getAttribute('aria-label') && !e.getAttribute('aria-labelledby') && !e.closest('label'))"
        ".map(e => e.outerHTML)"
    )
    assert unnamed == []


def test_markup_stays_inert(run: Path, chromium: Any) -> None:
    spoil_episodes(run, NASTY)
    page = opened(run, chromium)
    press(page, "\ue014")
    assert page.title.endswith("gonogo report")
    assert page.find_elements("css selector", "img") == []
    assert len(page.find_elements("css selector", "script")) == 2
    saw = page.find_element("css selector", ".flight .saw")
    assert saw.get_property("textContent") == NASTY
    assert NASTY in page.find_element("css selector", ".order").get_property("textContent")


def test_a_script_that_is_not_the_page_s_own_would_not_run(page: Any) -> None:
    page.execute_script(
        "const s = document.createElement('script'); s.textContent = \"document.title = 'owned'\";"
        "document.body.append(s)"
    )
    assert page.title != "owned"


def test_without_motion_it_goes_from_decision_to_decision(page: Any) -> None:
    media(page, "prefers-reduced-motion", "reduce")
    page.execute_script("document.getElementById('speed').value = '4'")
    by_id(page, "play").click()
    wait(page, "Number(document.getElementById('scrub').value) >= 2")
    by_id(page, "play").click()
    assert now(page) == pytest.approx(round(now(page)))
    media(page, "prefers-reduced-motion", "no-preference")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_is_legible_in_light_and_dark(page: Any, scheme: str) -> None:
    media(page, "prefers-color-scheme", scheme)
    body = page.execute_script(
        "const s = getComputedStyle(document.documentElement); return [s.color, s.backgroundColor]"
    )
    ink, paper = (luminance(each) for each in body)
    assert (max(ink, paper) + 0.05) / (min(ink, paper) + 0.05) > 7
    assert (paper > ink) is (scheme == "light")


def luminance(colour: str) -> float:
    """Relative luminance (WCAG 2) of ``rgb(r, g, b)``."""
    parts = [int(part) / 255 for part in colour.removeprefix("rgb(").rstrip(")").split(",")]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(w * p for w, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_a_phone_scrolls_down_and_not_sideways(page: Any) -> None:
    size = {"width": 390, "height": 844, "deviceScaleFactor": 2, "mobile": True}
    page.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", size)
    page.refresh()
    assert page.execute_script("return document.documentElement.scrollWidth") <= 390
    columns = "return getComputedStyle(document.getElementById('flights')).gridTemplateColumns"
    assert len(page.execute_script(columns).split()) == 1
    page.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})


def test_nothing_is_wrong_in_the_console(page: Any) -> None:
    assert "turn" in by_id(page, "clock").text  # the run has no clock
    by_id(page, "play").click()
    assert [line for line in page.get_log("browser") if line["level"] == "SEVERE"] == []
