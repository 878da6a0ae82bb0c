"""``python -m tests.zoo.cases``: write the table of the zoo's README from the docstrings."""

from __future__ import annotations

from pathlib import Path

from . import pairs

README = Path(__file__).parents[1] / "README.md"
BEGIN, END = "<!-- cases:begin -->\n", "<!-- cases:end -->"


def table() -> str:
    """One row a pair: module, what the defect pays for, why the look-alike is sound."""
    rows = ["| module | the defect | why its look-alike is sound |", "|---|---|---|"]
    for pair in pairs():
        said = (" ".join((cls.__doc__ or "").split()) for cls in (pair.defect, pair.sound))
        rows.append(f"| `{pair.name}` | {' | '.join(said)} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Put the table between the README's marks."""
    text = README.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    after = rest.partition(END)[2]
    README.write_text(f"{before}{BEGIN}{table()}{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
