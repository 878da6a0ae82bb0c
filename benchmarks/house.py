"""How the package is built, in figures: lines of code, the largest folder, what is untyped, which modules lack a test.

A line of code is none of a docstring, a comment, an import or nothing. A signature is untyped by its text where it says
a mapping of text to anything, and through a name where the package gives such a mapping the name that it says, unless
that is a name for what a stranger's environment has. JSON of any shape is typed: whoever reads it has to validate it.

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
STRANGERS = {
    "Action",
    "JsonSchema",
    "Manifest",
    "Memory",
    "Metadata",
    "Observation",
    "State",
    "TaskOptions",
    "Tool",
}
"""Names of what a stranger's environment has: nobody here can name its fields."""
ANY_SHAPE = re.compile(r"\b(JsonObject|ConfigFields)\b")
WIRE = ("env/", "rollouts/action_codec.py", "rollouts/codec.py", "rollout/codec.py")


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


def untyped_names(texts: dict[str, str]) -> dict[str, re.Pattern[str]]:
    """For each module, what finds the names that it has for mappings of text to anything, and that are no stranger's.

    Args:
        texts: The modules, by their paths.
    """
    given: dict[str, set[str]] = {}
    for name, text in texts.items():
        for node in ast.parse(text).body:
            if isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if UNTYPED.fullmatch(ast.unparse(node.value)):
                    given.setdefault(name, set()).add(ast.unparse(target))
    found = {}
    for name, text in texts.items():
        known = set(given.get(name, ()))
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, ast.ImportFrom) and node.module:
                home = f"src/{node.module.replace('.', '/')}.py"
                known |= given.get(home, set()) & {each.name for each in node.names}
        found[name] = re.compile(rf"\b({'|'.join(sorted(known - STRANGERS)) or '(?!)'})\b")
    return found


def main() -> None:
    """Print the figures of a commit, the last one where none is named."""
    commit = sys.argv[1] if len(sys.argv) > 1 else "HEAD"
    names = git("ls-tree", "-r", "--name-only", commit).split("\n")
    modules = [name for name in names if name.startswith(PACKAGE) and name.endswith(".py")]
    lines: Counter[str] = Counter()
    counted: Counter[str] = Counter()
    named: list[str] = []
    bare: list[str] = []
    texts = {name: git("show", f"{commit}:{name}") for name in modules}
    untyped = untyped_names(texts)
    for name, text in texts.items():
        inside = PurePosixPath(name).relative_to(PACKAGE)
        lines[inside.parts[0]] += lines_of(text)
        if not str(inside).startswith(WIRE):
            counted["text"] += sum(bool(UNTYPED.search(each)) for each in signatures(text))
            counted["name"] += sum(bool(untyped[name].search(each)) for each in signatures(text))
            counted["shape"] += sum(bool(ANY_SHAPE.search(each)) for each in signatures(text))
        if not inside.name.startswith("__"):
            test = f"tests/{inside.parent / f'test_{inside.name}'}".replace("/./", "/")
            named.append(str(inside))
            bare += [] if test in names else [str(inside)]
    total, (largest, most) = lines.total(), lines.most_common(1)[0]
    print(f"{len(modules)} modules")
    print(f"{total} lines of code; the largest folder is {largest} with {most / total:.1%}")
    print(
        f"{counted['text']} signatures are untyped by their text outside env/ and the codec, {counted['name']} more "
        f"through a name that is no stranger's value; {counted['shape']} are about JSON of any shape"
    )
    print(f"{len(bare)} of {len(named)} modules have no test of their name: {', '.join(bare)}")


if __name__ == "__main__":
    main()
