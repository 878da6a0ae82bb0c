# %% [markdown]
# # Train an agent in an OpenEnv environment, and say honestly how much better it got
#
# A language model learns to fly a spacecraft by orders in plain language, in the environment *flightrules*. This
# notebook calls gonogo's commands, the same that `make demo` runs, and shows what each leaves behind.
#
# - **Without a GPU** it makes a very small model from nothing: two cores need a few minutes for all of it. That is
#   enough to see every part work and the score rise; the published figures come from the longer `make demo`.
# - **With a GPU** it loads a pretrained model by Unsloth and trains LoRA factors beside its frozen weights.
#
# Run the cells from top to bottom: each section needs those before it.

# %% [markdown]
# ## 1. Install
#
# Reinforcement learning breaks quietly when versions change, so all of them are pinned, and printed. What is there
# already is left as it is. `SPACE_URL` is the one thing to change if you would rather train against a Space than
# against a server on this machine.

# %%
import importlib
import os
import shutil
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

SPACE_URL = os.environ.get(
    "SPACE_URL", ""
)  # such as https://OWNER-flightrules.hf.space; "" for a server of our own
REPOSITORY = os.environ.get(
    "GONOGO_REPOSITORY", ""
)  # git URL of gonogo, on a machine without a checkout
ROOT = Path(
    os.environ.get("GONOGO_ROOT", "..")
).resolve()  # the checkout that this notebook lies in
OUT = Path("runs/notebook").resolve()  # records, models and plots of this run


def command(*words: object, answers: tuple[int, ...] = (0,)) -> None:
    """Run a program in the checkout, show what it says, and stop here unless its exit code is one of the answers."""
    settings = {**os.environ, "COLUMNS": "120", "TTY_COMPATIBLE": "0", "PYTHONUNBUFFERED": "1"}
    with subprocess.Popen(
        [str(word) for word in words],
        cwd=ROOT if ROOT.is_dir() else None,  # what makes the checkout runs here
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        env=settings,
    ) as process:
        for line in process.stdout or ():
            print(line, end="")
    if process.returncode not in answers:
        raise RuntimeError(f"{' '.join(map(str, words))}: exit code {process.returncode}")


if not (ROOT / "constraints.txt").is_file():
    ROOT = Path("gonogo").resolve()
    if not ROOT.is_dir():
        if not REPOSITORY:
            raise RuntimeError("no checkout of gonogo here: set REPOSITORY above to its git URL")
        command("git", "clone", "--depth", "1", REPOSITORY, ROOT)

GPU = shutil.which("nvidia-smi") is not None
needed = ["gonogo", "numba", "trl", *(["unsloth"] if GPU else [])]
if missing := [name for name in needed if find_spec(name) is None]:
    print("Installing, because these are missing:", *missing)
    local = [f"{ROOT}[{'unsloth' if GPU else 'train'}]", ROOT / "envs" / "flightrules"]
    pins = ROOT / "constraints.txt"
    command(sys.executable, "-m", "pip", "install", "--quiet", "-c", pins, *local)
    importlib.invalidate_caches()

# %%
from gonogo.records.base import provenance

found = provenance()
print("Python", found["python"], "on", found["machine"]["processor"])
for name, version in found["packages"].items():
    print(f"{name}=={version}")

# %% [markdown]
# ## 2. Load the model
#
# One config file says everything about a run: the model, how it is trained, what it is compared with. Which one is
# right depends on this machine only. The cell loads the model once, to see that it is there and fits. A model that is
# made from nothing gets its real vocabulary later, from the words of the first flights.

# %%
import warnings

warnings.filterwarnings("ignore", message="IProgress not found")  # nothing here needs that widget
import torch

from gonogo.config import load
from gonogo.train.trainer import new_speaker

# The most that each needs of a GPU, in GB; a test holds it against the dry run.
NEEDED_GB = {"t4-7b-4bit": 15.8, "a100-7b": 42, "a100-14b": 80, "h200": 140}
if torch.cuda.is_available():
    memory_gb = torch.cuda.get_device_properties(0).total_memory / 1e9
    fitting = [name for name, needed in NEEDED_GB.items() if needed <= memory_gb]
    name = fitting[-1] if fitting else "t4-7b-4bit"
else:
    name = "notebook"
CONFIG = ROOT / "configs" / f"{name}.yaml"
run = load(CONFIG, {"target": str(ROOT / "envs" / "flightrules"), "out": str(OUT)})

speaker = new_speaker(run, [], "")
size = sum(weight.numel() for weight in speaker.model.parameters())
print(f"{CONFIG.name}: {type(speaker.model).__name__}, {size:,} parameters, {speaker.model.device}")
del speaker  # training loads it again, in a process of its own
torch.cuda.empty_cache()

# %% [markdown]
# ## 3. Connect to the environment
#
# An OpenEnv environment is a server; each agent that flies has a WebSocket of its own. By default it runs on this
# machine. One task is flown by hand as a smoke test, because a training that fails after ten minutes of loading
# teaches nobody anything. The first flight on a new machine compiles the physics, and nothing else answers meanwhile:
# the client is told not to take that for a dead connection.

# %%
import atexit
import socket
import time
import urllib.request

sys.path.insert(0, str(ROOT / "envs"))
from flightrules.client import FlightRulesEnv
from flightrules.models import FlightAction


def is_up(url: str) -> bool:
    """Whether an OpenEnv server answers at the URL."""
    try:
        with urllib.request.urlopen(f"{url}/health", timeout=5) as answer:
            return answer.status == 200
    except OSError:
        return False


TARGET = SPACE_URL
if not TARGET:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    words = ["-m", "flightrules.server.app", "--host", "127.0.0.1", "--port", str(port)]
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    server = subprocess.Popen([sys.executable, *words], cwd=ROOT / "envs", **silent)
    atexit.register(server.kill)
    TARGET = f"http://127.0.0.1:{port}"
deadline = time.monotonic() + 180
while not is_up(TARGET):
    assert time.monotonic() < deadline, f"no OpenEnv server answers at {TARGET}"
    time.sleep(0.5)

patient = {"websocket_ping_interval_s": None, "message_timeout_s": 300}
with FlightRulesEnv(base_url=TARGET, **patient).sync() as env:
    told = env.reset(split="validation", index=0, level="detumble")
    print(TARGET, "says:\n")
    print(told.observation.text, "\n")
    told = env.step(FlightAction(burn="idle", mode="detumble", coast_s=60))
    print(told.observation.text)

# %% [markdown]
# ## 4. Rollout
#
# A model that has never seen a command cannot find one by chance, and reinforcement improves only what sometimes
# works. So a teacher flies first: a controller that the environment ships, which sees no more than an agent does. It
# is a program in the environment's folder and no part of the server. Here it flies four missions to look at: what an
# agent reads, what it answers, what it is paid. The training will have it fly more of them.

# %%
from gonogo.rollout.episodes import read_episodes

GONOGO = (sys.executable, "-m", "gonogo")
HERE = ("--config", CONFIG, "--out", OUT)
FOLDER = ROOT / "envs" / "flightrules"
TASKS = ("--split", "validation", "--level", "detumble", "--episodes", 4)
flights = OUT / "teacher.jsonl"
teacher = run.train.sft.teacher
command(*GONOGO, "rollout", FOLDER, *HERE, "--policies", teacher, *TASKS, "--file", flights)

flight = next(iter(read_episodes(flights)))
for turn in flight.turns[:3]:
    print(turn.text)
    print("  ->", turn.action, "\n")
print(
    f"... {len(flight.turns)} decisions, score {flight.episode_return:.3f}, success {flight.success}"
)

# %% [markdown]
# ## 5. GRPO
#
# First the teacher flies, and the model learns to write what it wrote (SFT). Then the model flies every task several
# times, each flight is compared with the others of its task, and what did better becomes more likely (GRPO, through
# TRL). The model that is kept is the one that did best on validation tasks, which are neither trained on nor used
# below. Interrupt it, and the same cell goes on from the last checkpoint.

# %%
command(*GONOGO, "train", TARGET, *HERE)

# %% [markdown]
# ## 6. Logging
#
# Every step of the training is a line of `training.jsonl`, with each component of the reward apart: a reward that
# rises while success does not is the first sign of a reward that is being fooled. Here are the steps at which the
# model was validated.

# %%
import pandas as pd
from IPython.display import Image, display

from gonogo.records.base import read_lines

rows = pd.DataFrame(read_lines(OUT / "training.jsonl"))
shown = ["stage", "step", "loss", "reward/overall", "episode/success_rate", "validation/score"]
display(rows.loc[rows["validation/score"].notna(), shown].round(3))

# %% [markdown]
# ## 7. Save, and test what was saved
#
# Many a good model was lost when it was saved: merged wrongly, or with another tokenizer. So the training has loaded
# both folders that it leaves, the model as trained and in 16 bit, in fresh processes, held their logits against its
# own, and flown. Below another fresh process flies once more. Weights are safetensors; no pickle is ever loaded.

# %%
import json

trained = json.loads((OUT / "train.json").read_text())
print("verdict:", trained["verdict"])
for saved in trained["saved"]:
    print(f"{saved['model']}: a logit differs by {saved['logit_difference']} at most")
reloaded = OUT / "reloaded.jsonl"
command(*GONOGO, "rollout", TARGET, *HERE, "--policies", "trained", *TASKS, "--file", reloaded)

# %% [markdown]
# ## 8. Before and after
#
# The untrained and the trained model fly the same held-out tasks, and are compared task by task: that is the only
# fair way with so few of them. The interval says how sure the improvement is; it covers the choice of tasks, not the
# luck of this one training. An improvement whose interval reaches 0 is a NO-GO, and the notebook would say so.
# The small model of a machine without a GPU learns by imitation here: six steps of GRPO seldom beat that, and then the
# answer is NO-GO by "above sft", whatever the untrained model was.

# %%
(OUT / "evaluation.json").unlink(missing_ok=True)
command(*GONOGO, "evaluate", TARGET, *HERE, answers=(0, 1, 3))

evaluation = json.loads((OUT / "evaluation.json").read_text())
before, after = (evaluation["policies"][who] for who in ("untrained", "trained"))
compared = next(
    pair
    for pair in evaluation["comparisons"]
    if (pair["baseline"], pair["candidate"]) == ("untrained", "trained")
)
for what in ("score", "success"):
    difference = compared[f"{what}_difference"]
    interval = difference["ci95"]
    sure = "no interval" if interval is None else "95 %% interval [%+.3f, %+.3f]" % tuple(interval)
    change = f"{before[what]['mean']:.3f} -> {after[what]['mean']:.3f}"
    print(f"Improvement of {what}: {difference['mean']:+.3f} ({change}; {sure})")
print(f"{compared['episodes']} tasks each; verdict {evaluation['verdict']}: {evaluation['reason']}")

# %% [markdown]
# ## 9. Plots
#
# The evaluation has drawn them as PNG files, from its record and from the log of the training: the rewards and the
# loss of every step, and one task flown by both models.

# %%
for plot in ("reward_curve.png", "before_after.png"):
    print(OUT / plot)
    display(Image(OUT / plot, width=900))

# %%
if not SPACE_URL:
    server.terminate()
    server.wait()
