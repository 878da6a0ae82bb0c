"""How the package is built, in figures: lines of code, the largest folder, what is untyped, which modules lack a test.

A line of code is none of a docstring, a comment, an import or nothing. A signature is untyped by its text where it says
a mapping of text to anything, and through a name where it says one of those that the package gives to such mappings.

    python benchmarks/house.py [COMMIT]
"""

from __future__ import annotations

import ast
import io
import re
import subprocess
import sys
import tokenize
from collections import Counter
from collections.abc import Iterator
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parents[1]
PACKAGE = "src/gonogo"
BLANK = {
    tokenize.COMMENT,
    tokenize.NL,
    tokenize.NEWLINE,
    tokenize.INDENT,
    tokenize.DEDENT,
    tokenize.ENDMARKER,
}
UNTYPED = re.compile(r"\bJson\b|(dict|Mapping|MutableMapping)\[str, (Any|object)\]")
NAMED = re.compile(r"\b(WireObject|ConfigFields|Batch|LibraryState)\b")
WIRE = ("env/", "rollouts/codec.py", "rollout/codec.py")


def git(*words: str) -> str:
    """What git answers."""
    asked = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True)
    return asked.stdout


def lines_of(text: str) -> int:
    """Lines of code of a module."""
    none: set[int] = set()
    for node in ast.walk(ast.parse(text)):
        stands_alone = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if stands_alone or isinstance(node, ast.Import | ast.ImportFrom):
            none |= set(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    code: set[int] = set()
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in BLANK:
            code |= set(range(token.start[0], token.end[0] + 1))
    return len(code - none)


def signatures(text: str) -> Iterator[str]:
    """The annotations of each function, as one text."""
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            said = [each.annotation for each in named if each and each.annotation]
            yield " ".join(ast.unparse(each) for each in [*said, *filter(None, [node.returns])])


def main() -> None:
    """Print the figures of a commit, the last one where none is named."""
    commit = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    names = git("ls-tree", "-r", "--name-only", commit).split("\n")
    modules = [name for name in names if name.startswith(PACKAGE) and name.endswith(".py")]
    lines: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    named: list[str] = []
    bare: list[str] = []
    for name in modules:
        text = git("show", f"{commit}:{name}")
        inside = PurePosixPath(name).relative_to(PACKAGE)
        lines[inside.parts[0]] += lines_of(text)
        if not str(inside).startswith(WIRE):
            counted["text"] += sum(bool(UNTYPED.search(each)) for each in signatures(text))
            counted["name"] += sum(bool(NAMED.search(each)) for each in signatures(text))
        if not inside.name.startswith("__"):
            test = f"tests/{inside.parent / f'test_{inside.name}'}".replace("/./", "/")
            named.append(str(inside))
            bare += [] if test in names else [str(inside)]
    total, (largest, most) = lines.total(), lines.most_common(1)[0]
    print(f"{total} lines of code; the largest folder is {largest} with {most / total:.1%}")
    print(
        f"{counted['text']} signatures are untyped by their text outside env/ and the codec, {counted['name']} more "
        "through a name that is no stranger's value"
    )
    print(f"{len(bare)} of {len(named)} modules have no test of their name: {', '.join(bare)}")


if __name__ == "__main__":
    main()
