"""The newest release of a package that the package registry shows, as pip sees it from here."""

from __future__ import annotations

import re
import subprocess
import sys

__all__ = ["newest_release"]

LINE = re.compile(r"^(?P<name>\S+) \((?P<version>[^)\s]+)\)$", re.MULTILINE)


def newest_release(package: str, timeout_s: float) -> str | None:
    """The version that ``pip index versions`` names first; None where pip or the registry does not answer.

    Args:
        package: Its name on the registry.
        timeout_s: Seconds that the answer may take.
    """
    words = ["index", "versions", "--retries", "0", package]
    try:
        asked = subprocess.run(
            [sys.executable, "-m", "pip", *words],
            capture_output=True,
            text=True,
            check=False,
            timeout=timeout_s,
        )
    except subprocess.TimeoutExpired:
        return None
    found = LINE.search(asked.stdout) if asked.returncode == 0 else None
    return None if found is None else found["version"]
