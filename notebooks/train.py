# %% [markdown]
# # Train an agent in an OpenEnv environment, and say honestly how much better it got
#
# A language model learns to fly a spacecraft by orders in plain language, in the environment *flightrules*. This
# notebook calls gonogo's functions, which do what the commands of `make demo` do, and shows what each leaves behind.
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
from importlib.util import find_spec
from pathlib import Path

from IPython import get_ipython
from IPython.display import Image, display

SPACE_URL = os.environ.get("SPACE_URL", "")  # such as https://OWNER-flightrules.hf.space
REPOSITORY = os.environ.get("GONOGO_REPOSITORY", "")  # git URL of gonogo, without a checkout
ROOT = Path(os.environ.get("GONOGO_ROOT", "..")).resolve()  # the checkout that this lies in
OUT = Path("runs/notebook").resolve()  # records, models and plots of this run

shell = get_ipython()
if not (ROOT / "constraints.txt").is_file():
    ROOT = Path("gonogo").resolve()
    if not ROOT.is_dir():
        if not REPOSITORY:
            raise RuntimeError("no checkout of gonogo here: set REPOSITORY above to its git URL")
        shell.system(f"git clone --depth 1 '{REPOSITORY}' '{ROOT}'")
        if not ROOT.is_dir():
            raise RuntimeError(f"git could not clone {REPOSITORY}")

GPU = shutil.which("nvidia-smi") is not None
needed = ["gonogo", "numba", "trl", *(["unsloth"] if GPU else [])]
if missing := [name for name in needed if find_spec(name) is None]:
    print("Installing, because these are missing:", *missing)
    extra = "unsloth" if GPU else "train"
    local = f"'{ROOT}[{extra}]' '{ROOT}/envs/flightrules'"
    shell.run_line_magic("pip", f"install --quiet -c '{ROOT}/constraints.txt' {local}")
    importlib.invalidate_caches()

# %%
import platform
from importlib.metadata import version

import gonogo as gg

gg.show_progress()
print("Python", platform.python_version(), "on", platform.processor() or platform.machine())
for package in (*needed, "openenv", "torch", "transformers"):
    print(f"{package}=={version(package)}")

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

# The most that each needs of a GPU, in GB; a test holds it against the dry run.
NEEDED_GB = {"t4-7b-4bit": 15.8, "a100-7b": 42, "a100-14b": 80, "h200": 140}
if torch.cuda.is_available():
    memory_gb = torch.cuda.get_device_properties(0).total_memory / 1e9
    fitting = [name for name, needed in NEEDED_GB.items() if needed <= memory_gb]
    name = fitting[-1] if fitting else "t4-7b-4bit"
else:
    name = "notebook"
CONFIG = ROOT / "configs" / f"{name}.yaml"
FOLDER = ROOT / "envs" / "flightrules"
TARGET = SPACE_URL or str(FOLDER)
run = gg.load_config(CONFIG, target=TARGET, out=str(OUT), train__sft__teacher_from=str(FOLDER))

speaker = gg.load_model(run)
size = sum(weight.numel() for weight in speaker.model.parameters())
print(f"{CONFIG.name}: {type(speaker.model).__name__}, {size:,} parameters, {speaker.model.device}")
del speaker  # training loads it again
torch.cuda.empty_cache()

# %% [markdown]
# ## 3. Connect to the environment
#
# An OpenEnv environment is a server, and each agent that flies has a session of its own. From its folder gonogo runs
# it in a process beside this one; from a URL it connects over a WebSocket, which is slower and needs no files. What a
# model is told before the first observation is made from the environment's schemas. One task is flown at random as a
# smoke test, because a training that fails after ten minutes of loading teaches nobody anything. The first flight on a
# new machine compiles the physics.

# %%
env = gg.load_environment(TARGET, timeout_s=300)
TASKS = env.tasks("validation", 4, level="detumble")
print(env.instructions)

(smoke,) = gg.rollout(env, "random", tasks=env.tasks("validation", 1, level="detumble"))
print(smoke.turns[0].text)
print("  ->", smoke.turns[0].action, "\n")
print(smoke.turns[1].text)

# %% [markdown]
# ## 4. Rollout
#
# A model that has never seen a command cannot find one by chance, and reinforcement improves only what sometimes
# works. So a teacher flies first: a controller that the environment ships, which sees no more than an agent does. It
# is a program in the environment's folder and no part of the server. Here it flies four missions to look at: what an
# agent reads, what it answers, what it is paid. The training will have it fly more of them.

# %%
with gg.load_environment(FOLDER, timeout_s=300) as folder:
    teacher = gg.rollout(folder, run.train.sft.teacher, tasks=TASKS, file=OUT / "teacher.jsonl")

flight = teacher[0]
for turn in flight.turns[:3]:
    print(turn.text)
    print("  ->", turn.action, "\n")
print(
    f"... {len(flight.turns)} decisions, score {flight.episode_return:.3f}, success {flight.success}"
)
display(teacher)

# %% [markdown]
# ## 5. GRPO
#
# First the teacher flies, and the model learns to write what it wrote (SFT). Then the model flies every task several
# times, each flight is compared with the others of its task, and what did better becomes more likely (GRPO, through
# TRL). The model that is kept is the one that did best on validation tasks, which are neither trained on nor used
# below. Interrupt it, and the same cell goes on from the last checkpoint.

# %%
trained = gg.train(run)
display(trained)

# %% [markdown]
# ## 6. Logging
#
# Every step of the training is a line of `training.jsonl`, with each component of the reward apart: a reward that
# rises while success does not is the first sign of a reward that is being fooled. Here are the steps at which the
# model was validated.

# %%
import pandas as pd

rows = pd.read_json(OUT / "training.jsonl", lines=True)
shown = ["stage", "step", "loss", "reward/overall", "episode/success_rate", "validation/score"]
display(rows.loc[rows["validation/score"].notna(), shown].round(3))

# %% [markdown]
# ## 7. Save, and test what was saved
#
# Many a good model was lost when it was saved: merged wrongly, or with another tokenizer. So the training has loaded
# both folders that it leaves, the model as trained and in 16 bit, in fresh processes, held their logits against its
# own, and flown. Below the folder is loaded once more, and flies. Weights are safetensors; no pickle is ever loaded.

# %%
print("verdict:", trained.verdict.name)
for saved in trained.saved:
    print(f"{saved.model}: a logit differs by {saved.logit_difference} at most")
display(gg.rollout(env, OUT / "models" / "trained", tasks=TASKS))

# %% [markdown]
# ## 8. Before and after
#
# The untrained and the trained model fly the same held-out tasks, and are compared task by task: that is the only
# fair way with so few of them. The interval says how sure the improvement is; it covers the choice of tasks, not the
# luck of this one training. An improvement whose interval reaches 0 is a NO-GO, and the notebook would say so.
# The small model of a machine without a GPU learns by imitation here: six steps of GRPO seldom beat that, and then the
# answer is NO-GO by "above sft", whatever the untrained model was.

# %%
evaluation = gg.evaluate(run)

before, after = (evaluation.policies[who] for who in ("untrained", "trained"))
compared = evaluation.compare("untrained", "trained")
for what in ("score", "success"):
    difference = getattr(compared, f"{what}_difference")
    interval = difference.ci95
    sure = "no interval" if interval is None else "95 %% interval [%+.3f, %+.3f]" % interval
    change = f"{getattr(before, what).mean:.3f} -> {getattr(after, what).mean:.3f}"
    print(f"Improvement of {what}: {difference.mean:+.3f} ({change}; {sure})")
print(f"{compared.episodes} tasks each; verdict {evaluation.verdict.name}: {evaluation.reason}")
display(evaluation)

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
env.close()
