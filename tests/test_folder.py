"""A foreign folder is read within bounds: links, pipes, devices, files without end and documents that grow."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

from gonogo import folder
from gonogo.env.target import FolderTarget, resolve
from gonogo.records.provenance import source_hash

LAUGHS = "\n".join(
    ["a0: &a0 [x, x, x, x, x, x, x, x, x]"]
    + [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12)]
)
MERGED = "\n".join(
    ["a0: &a0 {k: v}"]
    + [f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 9)}]}}" for n in range(1, 12)]
)
DEEP = f"a: {'[' * 5000}{']' * 5000}"


def make_pipe(path: Path) -> None:
    os.mkfifo(path)


def make_device(path: Path) -> None:
    path.symlink_to("/dev/zero")


def make_link(path: Path) -> None:
    outside = path.parent.parent / "outside.txt"
    outside.write_text("secret")
    path.symlink_to(outside)


def make_circle(path: Path) -> None:
    path.symlink_to(path.name)


def make_large(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(folder.MOST_BYTES + 1)


def make_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


ODD = [make_pipe, make_device, make_link, make_circle, make_large, make_socket]


@pytest.mark.parametrize("make", ODD)
def test_what_is_no_small_regular_file_of_the_folder_is_not_read(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    inside = tmp_path / "env"
    inside.mkdir()
    make(inside / "x.yaml")
    with pytest.raises(folder.UnreadableFile, match=r"x\.yaml"):
        folder.read_text(inside / "x.yaml")


@pytest.mark.parametrize("make", [m for m in ODD if m is not make_large])
def test_the_source_is_without_it_and_names_it(
    make: Callable[[Path], None], tmp_path: Path
) -> None:
    inside = tmp_path / "env"
    (inside / "server").mkdir(parents=True)
    (inside / "server" / "app.py").write_text("app = None\n")
    before = source_hash(inside)
    make(inside / "x.py")
    (inside / "server" / "again").symlink_to(inside)  # a loop of folders
    after = source_hash(inside)
    assert after == before
    assert before.left_out is None
    assert after.left_out is not None
    assert "x.py (" in after.left_out
    assert "server/again (" in after.left_out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (LAUGHS, "once its aliases are written out"),
        (MERGED, "once its aliases are written out"),
        ("a: &a [*a]", "a value that holds itself"),
        (DEEP, "nested too deeply"),
        ("a: " + "[" * 100 + "]" * 100, "levels deep"),
        ("a: [", "while parsing"),
        ("a: \udcff", "not UTF-8"),
    ],
)
def test_yaml_without_end_is_refused_in_a_line_and_an_environment_goes_without(
    text: str, said: str, tmp_path: Path
) -> None:
    inside = tmp_path / "env"
    (inside / "server").mkdir(parents=True)
    (inside / "server" / "app.py").write_text("")
    (inside / "openenv.yaml").write_bytes(f"name: env\n{text}".encode(errors="surrogateescape"))
    with pytest.raises(folder.UnreadableFile, match=said):
        folder.read_yaml(inside / "openenv.yaml")
    target = resolve(str(inside))
    assert isinstance(target, FolderTarget)
    assert said in (target.warning or "")


def test_aliases_within_the_bound_are_read(tmp_path: Path) -> None:
    file = tmp_path / "a.yaml"
    file.write_text("a: &a {x: 1}\nb: [*a, *a]\nc: {<<: *a, y: 2024-01-01}\n1: .inf\n")
    read = folder.read_yaml(file)
    same = {"x": 1}
    assert read == {"a": same, "b": [same, same], "c": {"x": 1, "y": "2024-01-01"}, "1": "inf"}


@pytest.mark.parametrize("text", [DEEP.replace(":", " ="), "[" * 90_000, "{", "x"])
def test_another_document_too(text: str, tmp_path: Path) -> None:
    file = tmp_path / "a"
    file.write_text(text)
    with pytest.raises(folder.UnreadableFile):
        folder.read_toml(file)


def test_a_folder_of_many_files_is_walked_to_a_bound(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder, "MOST_FILES", 3)
    for number in range(5):
        (tmp_path / f"{number}.txt").write_text("")
    found = folder.walk(tmp_path, lambda _: False)
    assert [path.name for path in found.files] == ["0.txt", "1.txt", "2.txt"]
    assert found.note() == "not read: 3.txt (more than 3 files)"
    deep = tmp_path / "/".join(["d"] * 40)
    deep.mkdir(parents=True)
    assert "folders deep" in str(folder.walk(tmp_path / "d", lambda _: False).note())


def test_what_is_not_there_is_told_from_what_is_not_read(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        folder.read_text(tmp_path / "none")


def test_a_name_of_no_alphabet_is_read_and_named(tmp_path: Path) -> None:
    (tmp_path / os.fsdecode(b"\xff.py")).write_text("x = 1\n")
    make_pipe(tmp_path / os.fsdecode(b"\xfe"))
    found = source_hash(tmp_path)
    assert found.data == {}
    assert found.left_out is not None
    found.left_out.encode()


def test_a_link_is_followed_inside_and_not_to_a_folder_whose_name_goes_on(tmp_path: Path) -> None:
    inside, beside = tmp_path / "env", tmp_path / "env2"
    for each in (inside, beside):
        each.mkdir()
        (each / "a.py").write_text("a = 1\n")
    (inside / "b.py").symlink_to(inside / "a.py")
    (inside / "c.py").symlink_to(beside / "a.py")
    (tmp_path / "named").symlink_to(inside)
    for way in (inside, tmp_path / "named"):
        found = folder.walk(way, lambda name: False)
        assert [path.name for path in found.files] == ["a.py", "b.py"]
        assert found.left_out == {"c.py": "a link out of the folder"}
        assert folder.read_text(way / "b.py", way) == "a = 1\n"


def test_a_file_with_a_byte_order_mark_is_told_what_to_be_saved_as(tmp_path: Path) -> None:
    file = tmp_path / "requirements.txt"
    file.write_text("fastapi", encoding="utf-16")
    with pytest.raises(folder.UnreadableFile, match="it is UTF-16: save it as UTF-8"):
        folder.read_text(file)
    file.write_text("[project]", encoding="utf-8-sig")
    with pytest.raises(folder.UnreadableFile, match="byte order mark, which TOML forbids: save it"):
        folder.read_toml(file)
