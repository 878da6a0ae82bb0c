"""The probe end to end on the zoo's gridworld: models from folders and servers, good, bad and broken."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from tests.answering import Answering
from tests.records_made import idle_comparison, measured_policy, probe_report, ranked_model
from tests.training.probing import Json, measured_of, row, run_of, solver

from gonogo import config
from gonogo.errors import ConfigError
from gonogo.records.probe import (
    ContextFit,
    ContextNeed,
    MemoryBudget,
    ModelChoice,
    ProbeReport,
)
from gonogo.records.record import Verdict
from gonogo.training.probe import report
from gonogo.training.probe.report import (
    UNKNOWN,
    choice_sheet,
    count,
    facts_row,
    measured_row,
    number,
    sheets_of,
)


def test_a_model_that_says_nothing_valid_is_no_go_with_the_advice_to_warm_start(
    probed: Path,
) -> None:
    record = ProbeReport.load(probed)
    assert record.reason == "none of 1 flown scores above idle (0.000)"
    assert record.choice is None
    measured = measured_of(probed, "tiny")
    assert (measured.invalid_rate, measured.against_idle.better) == (1.0, 0)
    assert measured.score.mean == 0 and measured.score.ci95 is None
    assert measured.tokens.longest > 12
    assert any("warm start" in said.advice for said in record.advice)
    assert "**NO_GO**" in (probed / "probe.md").read_text()


def test_every_candidate_is_in_the_table_with_its_facts(probed: Path) -> None:
    record = ProbeReport.load(probed)
    assert len(record.candidates) == 1 + len(config.load_candidates())
    for entry in record.candidates:
        assert entry.memory["lora_4bit_gb"] > entry.memory["inference_4bit_gb"] >= 0
        assert set(entry.axes) == set(record.weights)
    mistral = row(probed, "Mistral-7B-Instruct-v0.3")
    assert mistral.licence is None and mistral.axes["licence"] is None
    assert row(probed, "Llama-3.3-70B-Instruct").fits == "nothing"
    page = (probed / "probe.md").read_text()
    assert "unknown" in page and "Qwen2.5-7B-Instruct" in page
    assert "what the C library keeps" not in page  # the config names a machine


def test_what_a_cpu_takes_beyond_the_formulas_is_said() -> None:
    need = ContextNeed(bytes=1, tokens=1, at_most=1, tokens_a_byte=1.0)
    machine = MemoryBudget(gb=1.0, whose="it", on_cpu=True)
    beyond = report.notes_of(need, [], {}, machine)[0]
    assert "what the C library keeps" in beyond


def test_a_served_model_that_solves_it_is_go_as_the_candidate_that_it_is(
    gridworld: Path, served: Answering, address: str, tmp_path: Path
) -> None:
    served.answer = solver
    run = run_of(gridworld, tmp_path, f"Qwen3-0.6B={address}#served")
    assert report.run(run) is Verdict.GO
    record = ProbeReport.load(tmp_path)
    chosen = record.choice
    assert (chosen.name, chosen.measured) == ("Qwen3-0.6B", True)
    assert chosen.why.count(". ") == 2 and chosen.why.endswith("candidates.")
    measured = measured_of(tmp_path, "Qwen3-0.6B")
    assert measured.success.mean == 1 and measured.invalid_rate == 0
    assert measured.against_idle.better == 4
    assert measured.tokens.mean > 10  # the server's own count
    assert {asked["model"] for asked in served.asked} == {"served"}
    assert {asked["temperature"] for asked in served.asked} == {0}


def test_a_served_model_of_no_known_shape_is_a_hold_that_says_what_is_missing(
    gridworld: Path, served: Answering, address: str, tmp_path: Path
) -> None:
    served.answer = solver
    assert report.run(run_of(gridworld, tmp_path, address)) is Verdict.HOLD
    assert "shape of 127.0.0.1" in ProbeReport.load(tmp_path).reason


def test_a_model_that_does_what_idle_does_is_compared_with_idle_not_with_zero(
    gridworld: Path, served: Answering, address: str, tmp_path: Path, flat_reward: Path
) -> None:
    run = run_of(gridworld, tmp_path, f"Qwen3-0.6B={address}#served", reward=str(flat_reward))
    assert report.run(run) is Verdict.NO_GO
    record = ProbeReport.load(tmp_path)
    measured = measured_of(tmp_path, "Qwen3-0.6B")
    assert measured.score.mean > 0
    assert measured.score.mean == record.policies["idle"].score.mean
    assert (measured.same_action, measured.against_idle.above) == (True, False)
    advice = [said.advice for said in record.advice if said.name == "Qwen3-0.6B"]
    assert any("always the same one" in said for said in advice)
    assert any(said.name == "environment" for said in record.advice)  # the walker too


@pytest.mark.parametrize(
    ("answer", "why"),
    [
        (b"<html>", "did not answer JSON"),
        (b"[]", "no chat completion"),
        (b'{"choices": [{"message": {"content": 7}}]}', "has no text"),
        (b'!500{"error": "out of memory"}', "answered 500"),
        (b'!400{"error": "no such sampler"}', "no such sampler"),
    ],
)
def test_a_server_that_answers_nonsense_loses_the_episodes_and_scores_none(
    answer: bytes, why: str, gridworld: Path, served: Answering, address: str, tmp_path: Path
) -> None:
    served.answer = lambda _: answer
    run = run_of(gridworld, tmp_path, f"Qwen3-0.6B={address}#served")
    assert report.run(run) is Verdict.HOLD
    measured = measured_of(tmp_path, "Qwen3-0.6B")
    assert measured.episodes == 0 and measured.scores == (None,) * 4
    assert measured.score.mean is None
    ((said, count),) = measured.lost.items()
    assert why in said and count == 4


def test_a_conversation_that_the_served_model_cannot_hold_is_no_lost_episode(
    gridworld: Path, served: Answering, address: str, tmp_path: Path
) -> None:
    served.answer = lambda _: b'!400{"error": "context length exceeded"}'
    run = run_of(gridworld, tmp_path, f"Qwen3-0.6B={address}#served")
    assert report.run(run) is Verdict.NO_GO
    measured = measured_of(tmp_path, "Qwen3-0.6B")
    assert (measured.lost, measured.scores) == ({}, (0.0,) * 4)
    assert measured.tokens.context_ran_out == 4


def test_a_server_that_is_slow_loses_the_episodes(
    gridworld: Path, served: Answering, address: str, tmp_path: Path
) -> None:
    served.seconds = 3.0
    given = {"probe.reply_timeout_s": 0.5, "probe.episodes": 2}
    run = run_of(gridworld, tmp_path, f"Qwen3-0.6B={address}#served", **given)
    assert report.run(run) is Verdict.HOLD
    ((said, count),) = measured_of(tmp_path, "Qwen3-0.6B").lost.items()
    assert "did not answer within 0.5 s" in said and count == 2


def test_nonsense_of_the_model_itself_is_its_own_and_counted(
    gridworld: Path, served: Answering, address: str, tmp_path: Path
) -> None:
    served.answer = lambda _: "I think I would go north."
    run = run_of(gridworld, tmp_path, f"Qwen3-0.6B={address}#served")
    assert report.run(run) is Verdict.NO_GO
    measured = measured_of(tmp_path, "Qwen3-0.6B")
    assert (measured.invalid_rate, measured.lost) == (1.0, {})
    assert measured.example == "I think I would go north."


def test_the_only_model_of_a_server_need_not_be_named_but_one_of_several_must(
    gridworld: Path, served: Answering, address: str, tmp_path: Path
) -> None:
    served.answer = solver
    assert report.run(run_of(gridworld, tmp_path / "one", f"Qwen3-4B={address}")) is Verdict.GO
    served.models = ("a", "b")
    run = run_of(gridworld, tmp_path / "two", f"Qwen3-4B={address}")
    assert report.run(run) is Verdict.HOLD
    assert "has 2 models (a, b): name one" in row(tmp_path / "two", "Qwen3-4B").failure


@pytest.mark.parametrize(
    ("broken", "why"),
    [
        ({"template": None}, "no chat template"),
        ({"pad": "<|end|>"}, "pad token must be set and differ from '<|end|>'"),
        ({"template": "{{ messages[-1].content }}"}, "chat template"),
    ],
    ids=["no template", "pad is end", "template forgets"],
)
def test_a_model_that_cannot_carry_an_episode_is_a_failure_with_its_reason(
    broken: Json, why: str, gridworld: Path, chat: Callable[..., Path], tmp_path: Path
) -> None:
    run = run_of(gridworld, tmp_path / "run", f"broken={chat(**broken)}")
    assert report.run(run) is Verdict.HOLD
    found = row(tmp_path / "run", "broken")
    assert found.measured is None and why in found.failure
    assert why in ProbeReport.load(tmp_path / "run").reason


def test_a_context_shorter_than_an_episode_is_counted(
    gridworld: Path, chat: Callable[..., Path], tmp_path: Path
) -> None:
    run = run_of(gridworld, tmp_path / "run", f"short={chat(context=320)}")
    assert report.run(run) is Verdict.NO_GO
    tokens = measured_of(tmp_path / "run", "short").tokens
    assert tokens is not None and tokens.context_ran_out == 4
    advice = [said.advice for said in ProbeReport.load(tmp_path / "run").advice]
    assert any("its context ran out in 4 of 4 episodes" in said for said in advice)


def test_weights_that_are_not_all_there_are_no_model(
    gridworld: Path, chat: Callable[..., Path], tmp_path: Path
) -> None:
    from safetensors.torch import load_file, save_file

    folder = chat()
    file = folder / "model.safetensors"
    held = {name: weight for name, weight in load_file(file).items() if "layers.1.mlp" not in name}
    save_file(held, file, {"format": "pt"})
    assert report.run(run_of(gridworld, tmp_path / "run", str(folder))) is Verdict.HOLD
    assert "3 of its weights are not there" in row(tmp_path / "run", "chat").failure
    file.write_bytes(file.read_bytes()[:1000])
    assert report.run(run_of(gridworld, tmp_path / "run", str(folder))) is Verdict.HOLD
    assert "cannot be loaded" in row(tmp_path / "run", "chat").failure


def test_without_any_weights_it_holds_and_says_what_to_try_first(
    gridworld: Path, tmp_path: Path
) -> None:
    assert report.run(run_of(gridworld, tmp_path)) is Verdict.HOLD
    record = ProbeReport.load(tmp_path)
    assert "--model NAME=WHERE" in record.reason
    assert record.choice.measured is False
    assert record.choice.why.count(". ") == 2
    assert "bounded by its bytes" in " ".join(record.notes)


def test_candidates_of_a_file_are_added_and_checked(gridworld: Path, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    file.write_text("- name: Mine\n  context: 64\n")
    given = {"probe.candidates": str(file)}
    assert report.run(run_of(gridworld, tmp_path / "run", **given)) is Verdict.HOLD
    found = row(tmp_path / "run", "Mine")
    assert found.memory is None and found.fits is None and found.context.had == 64
    file.write_text("- name: Mine\n  licence: mit\n")
    with pytest.raises(ConfigError, match="sources must say where licence was read"):
        report.run(run_of(gridworld, tmp_path / "run", **given))


def test_a_record_has_a_table_of_each_kind_and_one_without_rows_is_empty() -> None:
    candidates, flown, axes, failed, advice, choice = sheets_of(probe_report())
    assert "Candidates for x, on 16.0 GB of RAM" in candidates.title
    assert [row[0] for row in candidates.rows] == ["a", "b"] == [row[0] for row in axes.rows]
    assert [row[0] for row in flown.rows] == ["idle", "random", "a"]  # b has no weights here
    assert (list(failed.rows), list(advice.rows)) == ([], [])
    assert (choice.title, list(choice.rows)) == ("Choice", [("a", "It is.")])
    for sheet in (candidates, flown, axes):
        assert all(len(row) == len(sheet.columns) for row in sheet.rows)


def test_who_could_not_be_flown_is_named_with_the_reason() -> None:
    broken = ranked_model("c", None, failure="no chat template")
    failed = sheets_of(probe_report().model_copy(update={"candidates": (broken,)}))[3]
    assert list(failed.rows) == [("c", "no chat template")]


def test_what_is_known_of_a_candidate_is_in_its_row() -> None:
    assert tuple(facts_row(ranked_model("a", None)).values())[:8] == (
        "a", "1.00 B", "5.0 / 17.0", "8.0 / 20.0", "LoRA, 4 bit", "about 100 / 8192", "mit", "yes",
    )  # fmt: skip
    nothing = ranked_model(
        "b", None, parameters=None, memory=None, fits=None, licence=None, unsloth=None,
        context=ContextFit(need=100, basis="at most", had=None, enough=None),
    )  # fmt: skip
    unknown = tuple(facts_row(nothing).values())
    assert unknown[1:5] == (UNKNOWN,) * 4
    assert unknown[5:8] == (f"at most 100 / {UNKNOWN}", UNKNOWN, UNKNOWN)


def test_what_a_policy_did_is_in_its_row() -> None:
    random = measured_policy(invalid_rate=0.25, lost={"slow": 2, "gone": 1})
    row = tuple(measured_row("random", random).values())
    assert row[0] == "random" and row[1].startswith("0.50")
    assert row[2:] == ("-", "-", "25 %", "3.0", "40", "3")
    beside = measured_policy(against_idle=idle_comparison(better=9), tokens=None, invalid_rate=None)
    assert tuple(measured_row("a", beside).values())[3:7] == ("9 of 10", "-", "3.0", "-")


def test_a_choice_that_was_not_flown_is_to_be_tried_first() -> None:
    first = choice_sheet(ModelChoice(name="a", measured=False, why="It fits."))
    assert (first.title, list(first.rows)) == ("To try first", [("a", "It fits.")])
    assert list(choice_sheet(None).rows) == []


def test_numbers_are_in_words_of_a_table() -> None:
    assert [count(134_515_008), count(7_615_616_512)] == ["134.5 M", "7.62 B"]
    assert [number(None), number(0.5)] == ["?", "0.50"]
