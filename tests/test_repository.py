"""The README's annotated tree is the disk, in both directions, and the commands it promises exist.

No two classes or named types of the package have the same name.
"""

from __future__ import annotations

import ast
import json
import re
import subprocess
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
ROW = re.compile(r"^(?P<indent>[│ ]*)(?:├──|└──) (?P<names>.+?)(?:\s{2,}(?P<note>.+))?$")
UNLISTED = frozenset({"__init__.py", "py.typed", ".gitkeep"})


def readme_tree() -> dict[str, str]:
    """Path to annotation of every row in the README's tree; a row may name several siblings."""
    block = re.search(r"```text\n(\./?\n.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    assert block is not None, "README.md holds a ```text block that begins with '.'"
    rows: dict[str, str] = {}
    parents: list[str] = []
    for line in block.group(1).splitlines()[1:]:
        match = ROW.match(line)
        assert match is not None, f"no row of a tree: {line!r}"
        depth = len(match["indent"]) // 4
        names = match["names"].split()
        del parents[depth:]
        for name in names:
            rows["/".join([*parents, name.rstrip("/")])] = match["note"] or ""
        parents.append(names[-1].rstrip("/"))
    return rows


def tracked() -> list[str]:
    listing = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listing.returncode != 0:
        pytest.skip("not a git checkout")
    return [name for name in listing.stdout.split("\0") if name and (ROOT / name).exists()]


def absent(path: str) -> bool:
    """Whether the row is about an environment folder that was deleted, which gonogo allows."""
    return path.split("/")[0] == "envs" and not (ROOT / "envs").exists()


def test_every_row_of_the_tree_is_on_the_disk() -> None:
    missing = [path for path in readme_tree() if not (ROOT / path).exists() and not absent(path)]
    assert missing == []


def test_every_leaf_of_the_tree_is_annotated() -> None:
    rows = readme_tree()
    opened = {path.rpartition("/")[0] for path in rows}
    assert [path for path, note in rows.items() if not note and path not in opened] == []


def test_everything_on_the_disk_is_in_the_tree_where_the_tree_looks_inside() -> None:
    rows = readme_tree()
    opened = {""} | {path.rpartition("/")[0] for path in rows}
    unlisted = set()
    for name in tracked():
        parts = name.split("/")
        for depth in range(len(parts)):
            if "/".join(parts[:depth]) in opened and parts[depth] not in UNLISTED:
                path = "/".join(parts[: depth + 1])
                if path not in rows:
                    unlisted.add(path)
    assert unlisted == set()


def test_the_two_commands_stand_at_the_top_of_the_readme() -> None:
    top = (ROOT / "README.md").read_text().split("\n## ", 1)[0]
    assert "make demo" in top
    assert "make test" in top


@pytest.mark.parametrize(
    "target", ["setup", "demo", "test", "check", "test-all", "bench", "bench-all"]
)
def test_make_knows_the_target(target: str) -> None:
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(), re.MULTILINE)


@pytest.mark.parametrize(
    "target", re.findall(r"^([a-z-]+):.*##", (ROOT / "Makefile").read_text(), re.MULTILINE)
)
def test_a_shell_can_read_what_make_would_run(target: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", "--no-print-directory", target],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    subprocess.run(["sh", "-n"], input=done.stdout, text=True, check=True)


def test_make_runs_every_benchmark() -> None:
    lists = re.findall(r"^\w*BENCHMARKS := (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    named = re.findall(r"\b[a-z_]+\b", re.sub(r"\$\(if \S+,", "", " ".join(lists)))
    scripts = (ROOT / "benchmarks").glob("*.py")
    assert sorted(named) == sorted(
        path.stem for path in scripts if '__name__ == "__main__"' in path.read_text()
    )


def test_the_core_install_brings_no_torch() -> None:
    text = (ROOT / "pyproject.toml").read_text()
    core = text[text.index("dependencies = [") : text.index("[project.optional-dependencies]")]
    for heavy in ("torch", "transformers", "trl", "datasets", "peft", "unsloth"):
        assert f'"{heavy}' not in core


def test_the_versions_are_pinned_exactly() -> None:
    lines = [
        line for line in (ROOT / "constraints.txt").read_text().splitlines() if line[:1] != "#"
    ]
    assert [line for line in lines if not re.fullmatch(r"[A-Za-z0-9._-]+==[^\s;]+", line)] == []
    names = [line.split("==")[0].lower() for line in lines]
    assert len(set(names)) == len(names)
    assert {"torch==2.13.0", "openenv==0.10.0"} <= set(lines)
    tested = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"][
        "optional-dependencies"
    ]["dev"]
    assert {"datasets", "trl"}.isdisjoint(names), "train and unsloth need other releases"
    assert {"datasets==5.2.0", "trl==1.16.0"} <= set(tested)


def test_the_readme_tells_of_the_zoo_what_its_record_says() -> None:
    record = json.loads((ROOT / "benchmarks" / "zoo.json").read_text())
    rows = record["pairs_audited"]
    unseen = [row["hit"] for row in rows if row["set"] == "unseen"]
    accused = sum(bool(row["sound"]["found"]) for row in rows)
    said = (
        f"{record['recall']['mean']:.2f} of all {record['pairs']} defects, {sum(unseen)} of the {len(unseen)} unseen "
        f"ones among them, and accuses {accused} of the {len(rows)} sound"
    )
    assert said in (ROOT / "README.md").read_text()
    round_ = f"the present round: {sum(unseen)} of the {len(unseen)} are named"
    assert round_ in (ROOT / "tests" / "zoo" / "README.md").read_text()


def test_no_two_classes_of_the_package_have_the_same_name() -> None:
    """Nor has a type that is named at a module's top another's, except where both are the same expression."""
    modules, meanings = defaultdict(list), defaultdict(set)
    for path in sorted((ROOT / "src" / "gonogo").rglob("*.py")):
        where = str(path.relative_to(ROOT))
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef):
                modules[node.name].append(where)
                meanings[node.name].add(where)
            elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id
                if name != name.upper() and name[0].isupper():
                    meanings[name].add(ast.unparse(node.value))
    assert {"Finding", "Stage", "NamedPolicy"} <= set(modules)
    assert {name: where for name, where in modules.items() if len(where) > 1} == {}
    assert {name: what for name, what in meanings.items() if len(what) > 1} == {}


UNTYPED = re.compile(r"\bJson\b|(dict|Mapping|MutableMapping)\[str, (Any|object)\]")
NAMED = {
    "records/record.py": {"Dumped"},
    "training/grpo.py": {"Batch"},
    "training/training_loop.py": {"LibraryState"},
    "wire.py": {
        "Action",
        "JsonSchema",
        "Manifest",
        "Memory",
        "Metadata",
        "Observation",
        "State",
        "TaskOptions",
        "Tool",
        "WireObject",
    },
}
"""Names of mappings whose fields nobody here can name, where they are defined: what is a stranger's, what TRL hands
from one of its methods to another, and the state of a library's objects."""


def is_wire(path: Path) -> bool:
    """Whether a module is where a stranger's JSON comes in untyped."""
    return path.parts[0] == "env" or path == Path("rollouts/action_codec.py")


def annotations(tree: ast.AST) -> Iterator[ast.expr]:
    """What is written after the names of parameters and attributes, and of what functions return."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            given = node.args
            named = [*given.posonlyargs, *given.args, *given.kwonlyargs, given.vararg, given.kwarg]
            yield from (each.annotation for each in named if each and each.annotation)
            yield from [node.returns] if node.returns else []
        elif isinstance(node, ast.ClassDef):
            yield from (each.annotation for each in node.body if isinstance(each, ast.AnnAssign))


def test_a_shape_has_one_owner() -> None:
    """No signature and no attribute is a mapping of text to anything, but where a stranger's JSON comes in."""
    package = ROOT / "src" / "gonogo"
    found = []
    for path in sorted(package.rglob("*.py")):
        name = path.relative_to(package)
        if not is_wire(name):
            tree = ast.parse(path.read_text())
            found += [
                f"{name}: {text}"
                for a in annotations(tree)
                if UNTYPED.search(text := ast.unparse(a))
            ]
    assert found == []


def test_names_of_untyped_mappings_are_few() -> None:
    package = ROOT / "src" / "gonogo"
    found: dict[str, set[str]] = defaultdict(set)
    for path in package.rglob("*.py"):
        name = path.relative_to(package)
        for node in ast.parse(path.read_text()).body:
            value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
            if value is not None and not is_wire(name) and UNTYPED.fullmatch(ast.unparse(value)):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                found[str(name)].add(ast.unparse(target))
    assert found == NAMED


def modules_and_importers() -> dict[str, tuple[Path, set[str]]]:
    """Every module of the package by its dotted name: its file, and the modules that import it."""
    source = ROOT / "src"
    found: dict[str, tuple[Path, set[str]]] = {}
    for path in sorted(source.glob("gonogo/**/*.py")):
        name = ".".join(path.relative_to(source).with_suffix("").parts).removesuffix(".__init__")
        found[name] = (path, set())
    for name, (path, _) in found.items():
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ImportFrom) and node.module:
                for each in node.names:
                    whole = f"{node.module}.{each.name}"
                    imported = whole if whole in found else node.module
                    if imported in found:
                        found[imported][1].add(name)
            elif isinstance(node, ast.Import):
                for each in node.names:
                    if each.name in found:
                        found[each.name][1].add(name)
    return found


def test_a_file_earns_its_door() -> None:
    """No module has under a hundred lines and one importer, except a program that is run by its name."""
    found = modules_and_importers()
    small = {
        name
        for name, (path, importers) in found.items()
        if path.name not in {"__init__.py", "__main__.py"}
        and len(importers) <= 1
        and len(path.read_text().splitlines()) < 100
    }
    assert len(found) > 100
    assert small <= {"gonogo.training.saved_model_check"}


def test_no_module_or_class_has_a_name_that_the_glossary_gave_up() -> None:
    page = (ROOT / "docs" / "glossary.md").read_text()
    rows = re.findall(r"^\| ([^|]+) \| [^|]+ \|$", page.partition("| not used |")[2], re.MULTILINE)
    words = {word.strip() for row in rows for word in row.split(",")}
    assert "airfield" in words
    names = set()
    for path in (ROOT / "src" / "gonogo").rglob("*.py"):
        names.add(path.stem)
        names |= {n.name for n in ast.parse(path.read_text()).body if isinstance(n, ast.ClassDef)}
    assert [n for n in sorted(names) if any(word in n.lower() for word in words)] == []


def test_every_module_has_a_test_of_its_name() -> None:
    package = ROOT / "src" / "gonogo"
    lacking = [
        str(path.relative_to(package))
        for path in sorted(package.rglob("*.py"))
        if not path.name.startswith("__")
        and not (ROOT / "tests" / path.relative_to(package).with_name(f"test_{path.name}")).exists()
    ]
    assert lacking == ["wire.py"]  # names of types
