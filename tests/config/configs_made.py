"""Config files for tests: the demo's with some fields changed."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from gonogo.config.run_config import _Loader

ROOT = Path(__file__).parents[2]


def write(tmp_path: Path, changes: dict[str, Any]) -> Path:
    """The demo's config with some fields changed; a dotted name reaches into a section."""
    data = yaml.load((ROOT / "configs/demo.yaml").read_text(), Loader=_Loader)
    for name, value in changes.items():
        *sections, field = name.split(".")
        place = data
        for section in sections:
            place = place[section]
        place[field] = value
    path = tmp_path / "config.yaml"
    path.write_text(yaml.safe_dump(data))
    return path
