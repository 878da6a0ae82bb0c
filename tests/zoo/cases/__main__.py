"""``python -m tests.zoo.cases``: write the tables of the zoo's README from the docstrings, one a package."""

from __future__ import annotations

from pathlib import Path

from . import UNSEEN, pairs

README = Path(__file__).parents[1] / "README.md"
PACKAGES = (f"{__package__}", UNSEEN)


def table(package: str) -> str:
    """One row a pair: module, what the defect pays for, why the look-alike is sound."""
    rows = ["| module | the defect | why its look-alike is sound |", "|---|---|---|"]
    for pair in pairs(package):
        said = (" ".join((cls.__doc__ or "").split()) for cls in (pair.defect, pair.sound))
        rows.append(f"| `{pair.name}` | {' | '.join(said)} |")
    return "\n".join(rows) + "\n"


def main() -> None:
    """Put each package's table between its marks in the README."""
    text = README.read_text(encoding="utf-8")
    for package in PACKAGES:
        name = package.rpartition(".")[2]
        begin, end = f"<!-- {name}:begin -->\n", f"<!-- {name}:end -->"
        before, _, rest = text.partition(begin)
        text = f"{before}{begin}{table(package)}{end}{rest.partition(end)[2]}"
    README.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
