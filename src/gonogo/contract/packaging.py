"""How an environment is packaged: the files that OpenEnv's layout has, the manifest, the client.

A client is what a trainer installs; importing it must not run the server. So it is imported in a process of its own,
which says which files of the environment were loaded with it. What a target cannot show is None with a reason, and
what is not there is said to be absent.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from gonogo.contract.findings import Item, failed, not_applicable, passed
from gonogo.env.target import FolderTarget, Target, UrlTarget
from gonogo.env.variables import child_environment
from gonogo.env.worker.answers import read_first, shown, take_frame
from gonogo.env.worker.process import Child, Malformed, child_spec, worker_command
from gonogo.folder import read_toml
from gonogo.records.contract import ItemEvidence, PackageProject, Packaging
from gonogo.records.findings import ContractWitness
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.watch import Watch
from gonogo.wire import Manifest

FILES = {
    "manifest": ("openenv.yaml",),
    "package": ("__init__.py",),
    "models": ("models.py",),
    "client": ("client.py",),
    "project": ("pyproject.toml",),
    "dockerfile": ("server/Dockerfile", "Dockerfile"),
    "readme": ("README.md",),
    "app": ("server/app.py",),
}
"""Files of an environment's folder by role, each at the first place where it is."""
OPENENV = ("openenv.core.", "openenv_core.")
"""Where the classes of OpenEnv stand, of this version and of older ones."""


def unseen(target: Target) -> str | None:
    """Why a target shows no files; None where it shows them."""
    if isinstance(target, FolderTarget):
        return None
    kind = "a URL" if isinstance(target, UrlTarget) else "an import path"
    return f"cannot be seen over {kind}; give the environment's folder"


def manifest_of(target: Target) -> Manifest:
    """``openenv.yaml``, parsed; empty where the target has none to see."""
    return target.manifest if isinstance(target, FolderTarget) else {}


def declared_range(manifest: Manifest) -> tuple[float, float] | None:
    """The reward's range that the manifest declares, or None.

    OpenEnv's place for it is ``validation.reward.range``. Others write ``reward_range`` or ``reward.range``, at the top
    or in a section such as ``scoring``. What a list of tasks says of each is left out: that may be a whole episode's.
    """
    sections = [manifest.get("validation"), manifest, *manifest.values()]
    for section in sections:
        if not isinstance(section, dict):
            continue
        reward = section.get("reward")
        told = [reward.get("range")] if isinstance(reward, dict) else []
        for declared in (*told, section.get("reward_range")):
            if (bounds := bounds_in(declared)) is not None:
                return bounds
    return None


def bounds_in(declared: object) -> tuple[float, float] | None:
    """The least and the most that a list of two or an object with ``min`` and ``max`` says; None of anything else."""
    if isinstance(declared, dict):
        declared = [declared.get("min"), declared.get("max")]
    if not isinstance(declared, list) or len(declared) != 2:
        return None
    numbers = [float(each) for each in declared if is_number(each)]
    return (numbers[0], numbers[1]) if len(numbers) == 2 and numbers[0] < numbers[1] else None


def read_packaging(target: Target) -> Packaging | None:
    """The files by role (None where absent), and what ``pyproject.toml`` says; None where unseen."""
    if not isinstance(target, FolderTarget):
        return None
    client = find_client(target)
    files = {
        role: next((name for name in names if (target.folder / name).is_file()), None)
        for role, names in FILES.items()
    } | {
        "app": target.app,
        "client": None if client is None else client.relative_to(target.folder).as_posix(),
    }
    return Packaging(files=files, project=read_project(target))


def read_project(target: FolderTarget) -> PackageProject | None:
    """Name, version and dependencies of ``pyproject.toml``; None where it is absent or unreadable."""
    try:
        project = read_toml(target.folder / "pyproject.toml").get("project", {})
    except OSError:
        return None
    if not isinstance(project, dict):
        return None
    return PackageProject(**{name: project.get(name) for name in PackageProject.model_fields})


def check_client(
    target: Target, server_file: str | None, timeout_s: float, watch: Watch | None = None
) -> Item:
    """Whether importing the client leaves the server alone.

    Args:
        target: The environment.
        server_file: File of the environment class, relative to the folder.
        timeout_s: Seconds that the import may take.
        watch: The map's clock; None for one that never ends. An import that it cuts proves nothing.
    """
    check = "client_separation"
    if not isinstance(target, FolderTarget):
        return not_applicable(check, str(unseen(target)))
    client = find_client(target)
    if client is None:
        return not_applicable(check, "the folder has no client.py")
    name = client.relative_to(target.folder).as_posix()
    allowed = timeout_s if watch is None else min(timeout_s, watch.left)
    found = ImportedClient(late=True) if allowed == 0 else import_client(target, client, allowed)
    if found.late and allowed < timeout_s:
        return not_applicable(
            check, f"{name} was not imported in the time", evidence=ItemEvidence(late=True)
        )
    if found.error is not None:
        # A package around it may be what fails.
        module = module_name(target, client)
        said = f"importing {module} ({name}) fails: {found.error}"
        return failed(check, "client_broken", said, witness=ContractWitness(client=name))
    files = sorted(set(found.loaded.values()))
    others = [file for file in files if file != name]
    server = [file for file in others if file.startswith("server/") or file == server_file]
    # A copy of OpenEnv in the folder brings its own bases with it.
    own = tuple(each for each in found.environments if not each.startswith(OPENENV))
    if server or own:
        said = f"importing {name} brings in {', '.join(server or own)}"
        witness = ContractWitness(
            client=name, loaded=found.loaded, classes=found.classes, environments=own
        )
        return failed(check, "client_imports_server", said, witness=witness)
    classes = [cls.rpartition(".")[2] for cls in found.classes] or ["no OpenEnv client"]
    said = f"{', '.join(classes)}: importing {name} loads {', '.join(files)}"
    return passed(check, said, None, ItemEvidence(files=tuple(files), classes=found.classes))


@dataclass(frozen=True, slots=True)
class ImportedClient:
    """What importing a client brought in.

    Attributes:
        error: Why it could not be imported; None where it could.
        classes: OpenEnv's clients in it.
        loaded: Files of the folder by module.
        environments: Server environments that came along.
        late: Whether the time was over.
    """

    error: str | None = None
    classes: tuple[str, ...] = ()
    loaded: dict[str, str] = field(default_factory=dict)
    environments: tuple[str, ...] = ()
    late: bool = False


def find_client(target: FolderTarget) -> Path | None:
    """The client's file: ``client.py`` in the folder or in a package under ``src``; None if there is none."""
    candidates = [target.folder / "client.py", *sorted(target.folder.glob("src/*/client.py"))]
    return next((path for path in candidates if path.is_file()), None)


def import_client(target: FolderTarget, client: Path, timeout_s: float) -> ImportedClient:
    """Import the client in a process of its own.

    Args:
        target: The environment.
        client: What :func:`find_client` found.
        timeout_s: Seconds that it may take.
    """
    spec = {**child_spec(target), "kind": "client", "module": module_name(target, client)}
    child = Child(worker_command(spec, "{read}", "{write}"), target.folder, child_environment())
    try:
        _, body = child.exchange(b"", take_frame, timeout_s)
        return read_import(body)
    except Malformed as error:
        return ImportedClient(f"importing the client broke the worker's protocol: {error}")
    except BrokenPipeError:
        return ImportedClient(f"importing the client ended its process: it {child.obituary()}")
    except TimeoutError:
        return ImportedClient(f"not imported within {timeout_s:g} s\n{child.abort()}", late=True)
    finally:
        child.close()


def module_name(target: FolderTarget, client: Path) -> str:
    """The name that a user imports the client by."""
    if client.parent != target.folder:
        return f"{client.parent.name}.client"
    names = [*target.packages, *target.aliases]
    return f"{names[0]}.client" if names else "client"


def read_import(body: bytes) -> ImportedClient:
    """What the process said of the import.

    Raises:
        Malformed: It is nothing of the kind.
    """
    said = read_first(body)
    texts = {"classes": list, "environments": list, "loaded": dict}
    fits = isinstance(said, dict) and (
        isinstance(said.get("error"), str)
        or all(isinstance(said.get(name), kind) for name, kind in texts.items())
    )
    if not fits:
        raise Malformed(f"the answer must say what was imported, not {shown(said)}")
    if "error" in said:
        return ImportedClient(said["error"])
    return ImportedClient(None, tuple(said["classes"]), said["loaded"], tuple(said["environments"]))
