"""The decoder over real models: same tokens as generate, same log-probabilities as teacher forcing."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch", reason="the train extra is not installed")

import torch
from tests.models.tiny_models import (
    CASES,
    PAD,
    STOP,
    VOCABULARY,
    chunks_of,
    decoder,
    generated,
    teacher_forced,
    tiny,
)

from gonogo.errors import Misuse, PolicyFailure
from gonogo.models.decoder import COLUMNS, Decoder, RowCache, beginning
from gonogo.models.forwards import forward_for


@pytest.mark.parametrize(("kind", "forward"), CASES)
def test_greedy_equals_generate_over_the_whole_history(kind: str, forward: type) -> None:
    model = tiny(kind)
    flying = decoder(forward(model, 512))
    rng = np.random.default_rng(1)
    histories: dict[int, list[int]] = {row: [] for row in range(5)}
    for row in histories:
        flying.begin(row)
    for turn, observations in enumerate(chunks_of(rng, 5, 7)):
        if turn == 3:  # rows that ended leave, the others move
            flying.end([1, 3])
            del histories[1], histories[3]
        if turn == 4:  # and new ones join
            flying.begin(7)
            histories[7] = []
        replies = flying.reply({row: observations[row % 5] for row in histories})
        for row, history in histories.items():
            history += observations[row % 5]
            assert list(replies[row].ids) == generated(model, history)
            forced = teacher_forced(model, history, replies[row])
            assert torch.allclose(forced, torch.tensor(replies[row].logprobs), atol=1e-4)
            history += replies[row].ids


@pytest.mark.parametrize(("kind", "forward"), CASES)
def test_sampled_log_probabilities_are_those_of_the_sampling_distribution(
    kind: str, forward: type
) -> None:
    model = tiny(kind)
    hot = decoder(forward(model, 256), temperature=1.7)
    for row in range(4):
        hot.begin(row, np.random.default_rng(row))
    replies = hot.reply({row: [7, 8, 9] for row in range(4)})
    for reply in replies.values():
        ids = torch.tensor([[7, 8, 9, *reply.ids]])
        with torch.inference_mode():
            scores = (model(ids).logits[0, 2:-1] / 1.7).log_softmax(-1)
        forced = scores.gather(-1, torch.tensor(reply.ids)[:, None])[:, 0]
        assert torch.allclose(forced, torch.tensor(reply.logprobs), atol=1e-4)
    assert len({reply.ids for reply in replies.values()}) > 1


def test_what_an_episode_says_does_not_depend_on_the_batch() -> None:
    model = tiny()
    alone, together = (decoder(forward_for(model, 256), 1.0) for _ in range(2))
    alone.begin(2, np.random.default_rng(2))
    for row in range(4):
        together.begin(row, np.random.default_rng(row))
    for observations in chunks_of(np.random.default_rng(5), 4, 4):
        batch = together.reply(dict(enumerate(observations)))
        assert alone.reply({2: observations[2]})[2].ids == batch[2].ids


def test_waiting_rows_keep_their_history() -> None:
    model = tiny()
    flying, reference = (decoder(forward_for(model, 256)) for _ in range(2))
    for each in (flying, reference):
        each.begin(0)
        each.begin(1)
    first = flying.reply({0: [9, 8], 1: [7]})
    flying.reply({0: [11, 12, 13]})
    late = flying.reply({1: [14, 15]})
    assert reference.reply({0: [9, 8], 1: [7]}) == first
    assert reference.reply({0: [11, 12, 13], 1: [14, 15]})[1].ids == late[1].ids


def test_sampling_frequencies_follow_the_distribution() -> None:
    model = tiny()
    flying = Decoder(forward_for(model, 64), stop=STOP, pad=PAD, max_new_tokens=1, temperature=1.0)
    for row in range(4000):
        flying.begin(row, np.random.default_rng([9, row]))
    drawn = [reply.ids[0] for reply in flying.reply({r: [10, 20] for r in range(4000)}).values()]
    with torch.inference_mode():
        wanted = model(torch.tensor([[10, 20]])).logits[0, -1].softmax(-1).numpy()
    seen = np.bincount(drawn, minlength=VOCABULARY) / 4000
    assert np.abs(seen - wanted).max() < 5 * np.sqrt(0.25 / 4000)
    assert (seen[wanted < 1e-9] == 0).all()


class Counted:
    """A forward that counts the tokens that it reads, padding included."""

    def __init__(self, forward: Any) -> None:
        self.forward, self.read = forward, 0
        self.context, self.device = forward.context, forward.device

    def new_cache(self) -> Any:
        return self.forward.new_cache()

    def __call__(self, ids: torch.Tensor, *rest: Any) -> Any:
        self.read += ids.numel()
        return self.forward(ids, *rest)


@pytest.mark.parametrize(("kind", "forward"), CASES)
def test_what_episodes_share_is_read_once(kind: str, forward: type) -> None:
    model, rng = tiny(kind), np.random.default_rng(6)
    counted = Counted(forward(model, 512))
    flying = Decoder(counted, stop=STOP, pad=PAD, max_new_tokens=1)
    system, *tasks = (rng.integers(6, VOCABULARY, size).tolist() for size in (60, 9, 11))
    histories = {row: [*system, *tasks[row % 2]] for row in range(6)}  # two groups of three
    for row in histories:
        flying.begin(row)
    replies = flying.reply(histories)
    assert counted.read == 60 + 2 * 11
    flying.end([0, 3])
    for row in (0, 3):
        del histories[row]
    for row, history in histories.items():
        history += [*replies[row].ids, 7, 8]
    late = [*system, 9, 10, 11]
    flying.begin(9)  # joins while the others go on: its opening costs them nothing
    before = counted.read
    again = flying.reply({**{row: [7, 8] for row in histories}, 9: late})
    assert counted.read - before == 3 + 4 * 3
    for row, history in {**histories, 9: late}.items():
        assert list(again[row].ids) == generated(model, history, 1)
        forced = teacher_forced(model, history, again[row])
        assert torch.allclose(forced, torch.tensor(again[row].logprobs), atol=1e-4)


def test_one_episode_after_another_shares_its_opening() -> None:
    model, rng = tiny(), np.random.default_rng(8)
    counted = Counted(forward_for(model, 512))
    flying = Decoder(counted, stop=STOP, pad=PAD, max_new_tokens=1)
    system = rng.integers(6, VOCABULARY, 40).tolist()
    for number, task in enumerate(([7, 8, 9], [7, 11], [7, 11])):
        before = counted.read
        flying.begin(number)
        reply = flying.reply({number: [*system, *task]})[number]
        assert counted.read - before == (43, 1, 1)[number]
        assert list(reply.ids) == generated(model, [*system, *task], 1)
        flying.end([number])


def test_long_chunks_are_read_in_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    whole, parts = (decoder(forward_for(tiny(), 256)) for _ in range(2))
    for each in (whole, parts):
        for row in range(5):
            each.begin(row)
    for observations in chunks_of(np.random.default_rng(7), 5, 3):
        chunks = dict(enumerate(observations))
        wanted = whole.reply(chunks)
        with monkeypatch.context() as patch:
            patch.setattr("gonogo.models.decoder.PASS", 16)
            assert {k: v.ids for k, v in parts.reply(chunks).items()} == {
                k: v.ids for k, v in wanted.items()
            }


def test_memory_bounds_the_episodes() -> None:
    forward = forward_for(tiny(), 1024)  # 2 layers, 2 heads of 8, fp32: 256 KiB an episode
    flying = Decoder(forward, stop=STOP, pad=PAD, max_new_tokens=2, cache_mib=1)
    assert flying.most == 3
    for row in range(3):
        flying.begin(row)
    with pytest.raises(Misuse, match="holds 3 episodes at once"):
        flying.begin(3)
    rng = np.random.default_rng(3)
    flying.reply({row: rng.integers(6, VOCABULARY, 900).tolist() for row in range(3)})
    # A row near the context's end beside one that reads a long chunk: padding takes no more.
    flying.end([1])
    flying.begin(4)
    flying.reply({0: [7], 2: [8] * 100, 4: [9] * 1000})
    held = [
        tensor.numel() * tensor.element_size()
        for cache in (flying._cache, flying._kept)
        for tensor in (*cache.keys, *cache.values)
    ]
    assert sum(held) <= 1 << 20
    with pytest.raises(Misuse, match="cache_mib must be at least 2 for one episode of 4096 tokens"):
        Decoder(forward_for(tiny(), 4096), stop=STOP, pad=PAD, max_new_tokens=2, cache_mib=1)


def test_misuse_is_named() -> None:
    forward = forward_for(tiny(), 16)
    with pytest.raises(Misuse, match="max_new_tokens"):
        Decoder(forward, stop=STOP, pad=PAD, max_new_tokens=0)
    with pytest.raises(Misuse, match="temperature"):
        decoder(forward, temperature=0.0)
    with pytest.raises(Misuse, match="stream"):
        decoder(forward, temperature=1.0).begin(0)
    flying = decoder(forward)
    flying.begin(0)
    with pytest.raises(Misuse, match="in use"):
        flying.begin(0)
    assert not flying.room(0, 12)
    with pytest.raises(PolicyFailure, match="context"):
        flying.reply({0: list(range(6, 18))})
    assert flying.reply({}) == {}
    flying.end([0, 99])
    flying.begin(0)


@pytest.mark.parametrize(
    ("chunks", "shared"),
    [
        ([(1, 2, 3), (1, 2, 4)], (1, 2)),
        ([(1, 2), (1, 2, 4)], (1, 2)),
        ([(1, 2, 3)], (1, 2, 3)),
        ([(1, 9), (2, 9), (1, 9)], ()),
        ([(), (1,)], ()),
    ],
)
def test_a_beginning_is_what_all_have_in_common(
    chunks: list[tuple[int, ...]], shared: tuple[int, ...]
) -> None:
    assert beginning(chunks) == shared


def test_a_reply_ends_with_its_stop_token_or_at_its_longest() -> None:
    model = tiny()
    (first, second, *_), _ = decoder_says(model, stop=-1, longest=6)
    assert first != second
    assert decoder_says(model, stop=second, longest=6)[0] == (first, second)
    assert len(decoder_says(model, stop=-1, longest=3)[0]) == 3


def decoder_says(model: Any, stop: int, longest: int) -> tuple[tuple[int, ...], tuple[float, ...]]:
    flying = Decoder(forward_for(model, 64), stop=stop, pad=PAD, max_new_tokens=longest)
    flying.begin(0)
    reply = flying.reply({0: [7, 8, 9]})[0]
    return reply.ids, reply.logprobs


def test_a_slot_is_free_for_another_once_its_episode_has_ended() -> None:
    model = tiny()
    flying = decoder(forward_for(model, 64))
    flying.begin(0)
    flying.reply({0: [7, 8]})
    flying.end([0])
    flying.begin(0)
    assert list(flying.reply({0: [9, 10]})[0].ids) == generated(model, [9, 10])


def cache(rows: int, columns: int) -> RowCache:
    made = RowCache(2, 2, 4, torch.float32, torch.device("cpu"))
    made.reserve(rows, columns)
    for store in (*made.keys, *made.values):
        store.normal_(generator=torch.Generator().manual_seed(rows))
    return made


@pytest.mark.parametrize("length", [1, COLUMNS - 1, COLUMNS])
@pytest.mark.parametrize("targets", [[0], [0, 1], slice(0, 2)])
def test_a_row_is_copied_over_others_of_its_own_cache(
    length: int, targets: list[int] | slice
) -> None:
    held = cache(3, COLUMNS)
    before = [store.clone() for store in (*held.keys, *held.values)]
    held.take(held, 2, targets, length)
    for store, old in zip((*held.keys, *held.values), before, strict=True):
        assert torch.equal(store[targets, :, :length], old[[2]].expand_as(old)[targets, :, :length])
        assert torch.equal(store[:, :, length:], old[:, :, length:])
        assert torch.equal(store[2], old[2])


@pytest.mark.parametrize("length", [5, COLUMNS])
def test_a_row_is_copied_from_another_cache(length: int) -> None:
    held, other = cache(3, 2 * COLUMNS), cache(1, COLUMNS)
    held.take(other, 0, [1, 2], length)
    for store, source in zip((*held.keys, *held.values), (*other.keys, *other.values), strict=True):
        assert torch.equal(store[1, :, :length], source[0, :, :length])
        assert torch.equal(store[2, :, :length], source[0, :, :length])
