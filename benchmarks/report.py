"""How soon the report's page answers and how smoothly it plays: the best of three in headless Chromium.

Times on the machine at hand, and so no test: what others run there is in them. Needs a run with a replay, such as
`make demo` leaves, chromium and chromedriver on the path, and selenium (in the development requirements).

Run from the repository's root: python benchmarks/report.py [RUN]
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path

from selenium import webdriver

from gonogo.reporting import report as station

TRIALS = 3
FLAGS = ("--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run")
FRAMES = """
const done = arguments[0], places = new Set(), began = performance.now();
document.getElementById('play').click();
function frame(now) {
  places.add(document.querySelector('.veil').style.transform);
  if (now - began < 2000) requestAnimationFrame(frame);
  else done(places.size / ((now - began) / 1000));
}
requestAnimationFrame(frame);
"""
"""Counts frames in which something moved, each second of two."""


def main() -> None:
    """Make the page, open it, print the figures."""
    run = Path(sys.argv[1] if len(sys.argv) > 1 else "runs/demo")
    browser, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if browser is None or driver is None:
        raise SystemExit("there is no chromium with its chromedriver on the path")
    station.run(run)
    page = (run / "report.html").resolve()
    with tempfile.TemporaryDirectory() as profile:
        options = webdriver.ChromeOptions()
        options.binary_location = browser
        for flag in (*FLAGS, f"--user-data-dir={profile}"):
            options.add_argument(flag)
        chromium = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        try:
            ready, rates = [], []
            for _ in range(TRIALS):
                chromium.get(page.as_uri())
                replay = chromium.find_element("id", "replay")
                ready.append(float(replay.get_attribute("data-ready-ms") or "nan"))
                rates.append(float(chromium.execute_async_script(FRAMES)))
        finally:
            chromium.quit()
    print(f"{page}: {page.stat().st_size / 1e6:.2f} MB (3 at most)")
    print(f"interactive after {min(ready):.0f} ms, best of {[round(ms) for ms in ready]} (1000)")
    print(f"{max(rates):.0f} frames a second, best of {[round(rate) for rate in rates]} (30)")


if __name__ == "__main__":
    main()
