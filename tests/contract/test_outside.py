"""Errors that speak of something outside the environment, and errors that are its own."""

from __future__ import annotations

import pytest

from gonogo.contract.outside import lacks


@pytest.mark.parametrize(
    ("said", "outside"),
    [
        ("[Errno -3] Temporary failure in name resolution", True),
        ("ConnectionError: HTTPSConnectionPool(host='x', port=443): Max retries exceeded", True),
        ("We couldn't connect to 'https://huggingface.co' to load the files", True),
        ("Resource 'stopwords' not found. Please use the NLTK Downloader", True),
        ("status = StatusCode.UNAVAILABLE", True),
        ("KeyError: 'connection'", False),
        ("failed to connect to the database", True),
        ("unable to reach the API", True),
        ("there is no such item", False),
        ("the agent cannot reach the goal", False),
        ("cannot connect node A to B", False),
        ("failed to fetch the box", False),
        ("the radio is in offline mode", False),
        ("AttributeError: 'NoneType' object has no attribute 'download'", False),
        ("AttributeError: 'NoneType' object has no attribute 'chat'", True),
        ("", False),
        (None, False),
    ],
)
def test_what_is_missing_outside_is_told_from_the_environments_own_errors(
    said: str | None, outside: bool
) -> None:
    assert (lacks(said) is not None) is outside
