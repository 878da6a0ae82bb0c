"""What is imitated beside reinforcement: transcripts of closed stages, the same again for a step."""

from __future__ import annotations

import pytest

pytest.importorskip("transformers", reason="the train extra is not installed")

from gonogo.training.imitation import SHOWN, Imitation, padded
from gonogo.training.transcripts import Transcript


def test_what_is_shown_and_what_pads_has_no_label() -> None:
    short, long = Transcript((7, 8), (-1, 0), ()), Transcript((4, 5, 6), (-1, 0, -1), ())
    ids, labels = padded([short, long], pad=9)
    assert ids.tolist() == [[7, 8, 9], [4, 5, 6]]
    assert labels.tolist() == [[SHOWN, 8, SHOWN], [SHOWN, 5, SHOWN]]


def test_imitated_are_those_of_closed_stages_and_the_same_again_for_a_step() -> None:
    transcripts = [
        (number % 3, Transcript((1,) * (number + 1), (0,) * (number + 1), ()))
        for number in range(9)
    ]
    opened = 1
    imitation = Imitation(transcripts, lambda stage: stage >= opened, 4, 0.1, (5, 6))
    seen = {len(each.ids) - 1 for step in range(20) for each in imitation.draw(step)}
    assert seen == {1, 2, 4, 5, 7, 8}
    first = imitation.draw(1)
    assert imitation.draw(1) == first != imitation.draw(2)
    assert first == sorted(first, key=lambda each: len(each.ids)) and len(first) == 4
    opened = 2
    assert len(imitation.draw(1)) == 4  # of three, one of them twice
    opened = 3
    assert imitation.draw(1) == []
