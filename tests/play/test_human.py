"""The human as a policy, and flights by hand in real processes: piped, in a terminal, left, interrupted, replayed."""

from __future__ import annotations

import fcntl
import io
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from rich.console import Console

from gonogo import api, config
from gonogo.api import replay_file
from gonogo.errors import Misuse
from gonogo.play import human as station
from gonogo.play.form import Form
from gonogo.play.human import Human
from gonogo.play.prompt import Ask, asking_stream
from gonogo.play.screen import Screen
from gonogo.records.record import Verdict
from gonogo.rollouts.action_codec import Codec
from gonogo.rollouts.episodes import Episode, read_episodes
from gonogo.rollouts.types import Reply, Schemas, View


class Pilot(Human):
    """A human whose keyboard is a text; ``said`` is what was on the screen beside the prompts."""

    def __init__(self, form: Form, ask: Ask) -> None:
        self.out = io.StringIO()
        console = Console(file=self.out, width=200)
        super().__init__(form, ask, Screen(console, Codec({}, {}), form, Schemas({}, {}, {}), 64))
        self.begin([0])

    def decide(self, turn: int = 0) -> Reply:
        return self.act({0: View("", {}, {}, turn)})[0]


def pilot(form: Form, text: str) -> Pilot:
    return Pilot(form, asking_stream(io.StringIO(text)))


def test_a_typo_is_no_decision(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    human = pilot(form, "north\nnroth 60\n\n:hlep\n:help\nnorth 60\n")
    assert human.decide() == Reply(action={"move": "north", "coast": 60})
    said = human.out.getvalue()
    assert "no decision: coast: required, and missing" in said
    assert 'no decision: move: enum ["north", "south", "far south"] (got "nroth")' in said
    assert "no decision: an empty line is no decision" in said
    assert "no decision: :hlep: no such command" in said
    assert "Where to" in said


def test_the_prompt_shows_what_is_kept(form: Form, capsys: pytest.CaptureFixture[str]) -> None:
    human = pilot(form, "'far south' 60 note=hi\ncoast=90\n{}\n")
    assert human.decide(0).action == {"move": "far south", "coast": 60, "note": "hi"}
    assert human.decide(1).action == {"move": "far south", "coast": 90}
    assert human.decide(2).action == {"move": "far south", "coast": 90}
    prompts = [line for line in capsys.readouterr().out.splitlines() if "> " in line]
    assert prompts[0].startswith("1> ")
    assert prompts[1].startswith("2 move='far south' coast=60> ")
    human.begin([0])
    assert human.decide(0) == Reply(leaves=True)
    assert capsys.readouterr().out.startswith("1> "), "a new episode begins without an action"


def test_a_long_value_is_short_in_the_prompt(capsys: pytest.CaptureFixture[str]) -> None:
    form = Form({"properties": {"say": {"type": "string"}}, "required": ["say"]})
    human = pilot(form, '{"say": "a\\n\\u001b' + "x" * 99 + '"}\n:quit\n')
    human.decide(0)
    human.decide(1)
    assert "2 say='a �" + "x" * 20 + "…> :quit" in capsys.readouterr().out


@pytest.mark.parametrize("text", ["", ":quit\nnorth 60\n", "  :quit  \n"])
def test_there_are_ways_out(form: Form, text: str) -> None:
    assert pilot(form, text).decide() == Reply(leaves=True)


def test_a_signal_leaves_at_the_prompt_and_between_prompts(form: Form) -> None:
    ask = asking_stream(io.StringIO("north 60\n"))

    def interrupted(prompt: str) -> str:
        os.kill(os.getpid(), signal.SIGHUP)
        return ask(prompt)

    waiting = Pilot(form, interrupted)
    before = signal.getsignal(signal.SIGINT)
    with waiting.leaving_on_signals():
        assert waiting.decide() == Reply(leaves=True)
    stepping = pilot(form, "north 60\n")
    with stepping.leaving_on_signals():
        os.kill(os.getpid(), signal.SIGINT)
        assert "once more loses the flight" in stepping.out.getvalue()
        assert stepping.decide() == Reply(leaves=True)
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


ROOT = Path(__file__).parents[2]
FLIGHTRULES = ROOT / "envs" / "flightrules"
TASK = ("--split", "test", "--start", "3")
PATIENCE_S = 40.0


def command(*words: object) -> list[str]:
    return [sys.executable, "-m", "gonogo", "fly", *map(str, words)]


def environment() -> dict[str, str]:
    # Without an answer to its question where the cursor is, prompt_toolkit would wait and warn.
    named = {"COLUMNS": "120", "TERM": "xterm", "PROMPT_TOOLKIT_NO_CPR": "1"}
    return {**os.environ, **named, "OMP_NUM_THREADS": "1"}


def fly(typed: str, *words: object) -> subprocess.CompletedProcess[str]:
    """A flight whose lines are all there before it begins."""
    return subprocess.run(
        command(*words),
        input=typed,
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
        env=environment(),
    )


def only(file: Path) -> Episode:
    (episode,) = read_episodes(file)
    return episode


def way_to_the_goal(east: int, north: int) -> list[str]:
    """One step a line, in every way that an action can be written."""
    steps = ["east" if east > 0 else "west"] * abs(east)
    steps += ["north" if north > 0 else "south"] * abs(north)
    ways = ("{}", "move={}", '{{"move": "{}"}}', "stride=1 {}")
    return [ways[n % len(ways)].format(step) for n, step in enumerate(steps)]


@pytest.fixture(scope="module")
def flown(gridworld: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a flight that was left at once, and the same task flown to its goal."""
    out = tmp_path_factory.mktemp("flown")
    assert fly("", gridworld, *TASK, "--out", out).returncode == 3
    seen = only(out / "flown.jsonl").final_observation
    lines = way_to_the_goal(seen["goal_east"], seen["goal_north"])
    done = fly("\n".join(["nroth", ":help", *lines]), gridworld, *TASK, "--out", out)
    assert done.returncode == 0, done.stderr + done.stdout
    assert 'no decision: move: enum ["stay"' in done.stdout
    assert "success     yes" in done.stdout
    assert "reward" not in done.stdout
    before_the_end = done.stdout.partition("the end")[0]
    assert "success" not in before_the_end and "return" not in before_the_end
    return out / "flown.jsonl"


def test_a_flight_is_an_episode_like_any_other(flown: Path, gridworld: Path) -> None:
    left, done = read_episodes(flown)
    assert (left.policy, left.turns, left.episode_return) == ("human", [], None)
    assert left.error == "left unfinished by the policy after 0 decisions"
    assert (done.policy, done.seed, done.error, done.invalid_count) == ("human", None, None, 0)
    assert (done.target, done.task) == (str(gridworld), {"split": "test", "index": 3})
    assert done.success is True
    assert done.episode_return == pytest.approx(1 - 0.05 * (len(done.turns) - 1))
    assert done.components["reach"] == 1


def test_a_replay_gives_the_same_rewards(flown: Path) -> None:
    report = replay_file(flown, None)
    assert report.reproduced
    assert report.said[0] == "1 episodes, 1 lost ones left out"


def test_a_reward_of_the_config_pays_a_human_too(
    gridworld: Path, flat_reward: Path, tmp_path: Path
) -> None:
    """As it pays who else flies: a rollout with the same config keeps the episode, one without it refuses it."""
    file, config_file = tmp_path / "episodes.jsonl", tmp_path / "run.yaml"
    config_file.write_text(f"target: {gridworld}\nout: {tmp_path}\nreward: {flat_reward}\n")
    fly("stay\n" * 64, "--config", config_file, "--file", file)
    episode = only(file)
    assert {turn.reward for turn in episode.turns[:4]} == {0.5}
    run = config.load(config_file, {"evaluation.policies": ["idle"], "evaluation.episodes": 1})
    api.rollout(run, file=file)
    assert [each.policy for each in read_episodes(file)] == ["human", "idle"]
    with pytest.raises(Misuse, match="another reward"):
        api.rollout(run.model_copy(update={"reward": None}), file=file)


def test_what_was_flown_before_leaving_is_kept(gridworld: Path, tmp_path: Path) -> None:
    file = tmp_path / "deeper" / "mine.jsonl"
    left = fly("stay\n{}\n:quit\nstay\n", gridworld, "--start", 7, "--file", file)
    assert left.returncode == 3
    assert "left unfinished by the policy after 2 decisions" in left.stdout
    episode = only(file)
    assert episode.task == {"seed": 7}
    assert [turn.action for turn in episode.turns] == [{"move": "stay"}] * 2
    assert [turn.reward for turn in episode.turns] == [0.0, 0.0]
    assert (episode.episode_return, episode.success) == (None, None)
    assert episode.final_observation["steps_left"] == 10


def test_what_the_environment_refuses_costs_what_it_costs(rogue: Path, tmp_path: Path) -> None:
    done = fly("forbidden\nallowed\n", rogue, "--out", tmp_path)
    assert done.returncode == 3
    assert "not accepted: " in done.stdout
    episode = only(tmp_path / "flown.jsonl")
    assert [turn.invalid is None for turn in episode.turns] == [False, True]
    assert episode.turns[1].action == {"word": "allowed"}


def test_a_lost_flight_is_a_hold_and_no_score(rogue: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        f"target: {rogue}\nout: {tmp_path}\nevaluation: {{options: {{trick: exit}}}}\n"
    )
    lost = fly("a\nb\nc\n", "--config", config)
    assert lost.returncode == 3, lost.stderr
    episode = only(tmp_path / "flown.jsonl")
    assert episode.error is not None and "left" not in episode.error
    assert (len(episode.turns), episode.episode_return) == (2, None)
    assert "return      not scored" in lost.stdout


@pytest.mark.parametrize(
    "content",
    [b"my notes", b'{"a": 1}\n', b"\xff\xff\n", b'{"schema": "gonogo/episode/0"}\n'],
)
def test_a_file_of_something_else_is_left_alone(
    gridworld: Path, tmp_path: Path, content: bytes
) -> None:
    file = tmp_path / "notes"
    file.write_bytes(content)
    run = config.load(None, {"target": str(gridworld), "out": str(tmp_path)})
    with pytest.raises(Misuse, match="--file must hold episodes or nothing"):
        station.run(run, file)
    assert file.read_bytes() == content
    with pytest.raises(Misuse, match="--file must be a file that can be written"):
        station.run(run, tmp_path)


def test_a_line_that_a_crash_tore_is_cut_off(flown: Path, gridworld: Path, tmp_path: Path) -> None:
    file = tmp_path / "torn.jsonl"
    file.write_text(flown.read_text() + flown.read_text()[:40])
    assert fly(":quit\n", gridworld, "--file", file).returncode == 3
    assert len(list(read_episodes(file))) == 3


class Terminal:
    """A human at a terminal: waits for words on the screen, types."""

    def __init__(self, process: subprocess.Popen[bytes], end: int) -> None:
        self.process, self._end = process, end
        self._screen = ""

    def wait_for(self, words: str) -> None:
        """Read on until the words have appeared since the last time."""
        deadline = time.monotonic() + PATIENCE_S
        while words not in self._screen:
            left_s = max(0.0, deadline - time.monotonic())
            ready, _, _ = select.select([self._end], [], [], left_s)
            assert ready, f"no {words!r} in {self._screen!r}"
            self._screen += os.read(self._end, 65536).decode(errors="replace")
        self._screen = self._screen.partition(words)[2]

    def type(self, keys: str) -> None:
        os.write(self._end, keys.encode())

    def leave(self) -> int:
        """Read to the end; the exit code."""
        with pytest.raises(OSError, match="Input/output error"):
            while os.read(self._end, 65536):
                pass
        return self.process.wait(PATIENCE_S)


@contextmanager
def terminal(*words: object) -> Iterator[Terminal]:
    """Fly in a terminal of its own."""
    end, line = pty.openpty()
    fcntl.ioctl(line, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 120, 0, 0))
    process = subprocess.Popen(
        command(*words),
        stdin=line,
        stdout=line,
        stderr=line,
        env=environment(),
        start_new_session=True,
    )
    os.close(line)
    try:
        yield Terminal(process, end)
    finally:
        process.kill()
        process.wait()
        os.close(end)


def test_a_terminal_completes_what_is_typed(gridworld: Path, tmp_path: Path) -> None:
    with terminal(gridworld, *TASK, "--out", tmp_path) as human:
        human.wait_for("1>")
        human.type("sta")
        human.wait_for("stay")  # the menu
        human.type("\t\r")
        human.wait_for("2 move=stay>")
        human.type("\x04")
        human.wait_for("left unfinished")
        assert human.leave() == 3
    assert [turn.action for turn in only(tmp_path / "flown.jsonl").turns] == [{"move": "stay"}]


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGHUP])
def test_a_signal_at_the_prompt_loses_nothing(
    gridworld: Path, tmp_path: Path, number: signal.Signals
) -> None:
    with terminal(gridworld, *TASK, "--out", tmp_path) as human:
        human.wait_for("1>")
        human.type("stay\r")
        human.wait_for("2 move=stay>")
        if number is signal.SIGINT:
            human.type("\x03")
        else:
            human.process.send_signal(number)
        assert human.leave() == 3
    assert len(only(tmp_path / "flown.jsonl").turns) == 1


def test_a_signal_while_the_environment_steps_waits_for_it(rogue: Path, tmp_path: Path) -> None:
    config = tmp_path / "config.yaml"
    config.write_text(
        f"target: {rogue}\nout: {tmp_path}\nrollout: {{timeout_s: 3}}\n"
        "evaluation: {options: {trick: hang}}\n"
    )
    with terminal("--config", config) as human:
        human.wait_for("1>")
        human.type("a\r")
        human.wait_for("2 word=a>")
        human.type("b\r")
        human.wait_for("\x1b[?2004l")  # the prompt has given the terminal back
        time.sleep(0.5)
        human.process.send_signal(signal.SIGINT)
        human.wait_for("leaving when the environment has answered")
        assert human.leave() == 3
    episode = only(tmp_path / "flown.jsonl")
    assert len(episode.turns) == 2
    assert episode.error is not None


@pytest.mark.long
@pytest.mark.skipif(not FLIGHTRULES.is_dir(), reason="envs/ was deleted")
def test_a_mission_is_flown_and_flown_again(tmp_path: Path) -> None:
    pytest.importorskip("numba", reason="the environment is not installed")
    words = (FLIGHTRULES, "--split", "validation", "--level", "detumble", "--out", tmp_path)
    lines = ["burn=warp", "coast_s=5", "idle detumble 60", "pitch+small note='half of it'"]
    done = fly("\n".join([*lines, *["coast_s=600 burn=idle"] * 64]), *words)
    assert done.returncode == 0, done.stderr + done.stdout
    assert "burn: enum" in done.stdout
    assert "time_left_s" in done.stdout
    assert "half of it" in done.stdout
    episode = only(tmp_path / "flown.jsonl")
    assert episode.error is None and episode.episode_return is not None
    assert episode.turns[1].action == {
        "burn": "pitch+small", "mode": "detumble", "coast_s": 60, "note": "half of it",
    }  # fmt: skip
    assert replay_file(tmp_path / "flown.jsonl", None).verdict is Verdict.GO
