"""The environment as a model gets it: what it is told and sees first, what is kept from it, whether the example holds.

Nobody else who decides is shown more: reference policies and the audit's get the same fields.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence

from gonogo.contract.flights import HistoryPlan, Trace, fly, recordable
from gonogo.contract.items import Item, failed, not_applicable, passed
from gonogo.errors import CodecError
from gonogo.records.contract import HiddenField, ModelView
from gonogo.records.tables import TextTable, cut
from gonogo.rollouts.codec import Codec
from gonogo.rollouts.space import Space
from gonogo.rollouts.types import Inspection

__all__ = ["check_example", "model_part", "model_sheets"]

SEEN_CHARS = 20_000
"""Of the first observation, in the record."""
LINES, LINE_CHARS = 40, 600
"""Of a text, in a table."""
MORE = re.compile(r"… and \d+ more")


def check_example(connection: Inspection, plan: HistoryPlan, space: Space, codec: Codec) -> Item:
    """Send the example that the instructions give, once, and what idle does, in an episode of its own each.

    Args:
        connection: Where to.
        plan: The task.
        space: Its actions.
        codec: What tells a model of them.
    """
    example, idle = codec.example(), space.idle()
    if codec.reply_field is not None:
        said = "replies are texts that the environment judges itself, and no example is given"
        return not_applicable("example", said, plan.task)
    try:
        codec.parse(json.dumps(example))
    except CodecError as error:
        said = f"no action could be made that fits the schema: {error}; {ADVICE}"
        return not_applicable("example", said, plan.task)
    flown = [fly(connection, 0, plan.options(), [action]) for action in (example, idle)]
    refused = [refusal(trace) for trace in flown]
    if refused[0] is None:
        said = f"{cut(json.dumps(example), LINE_CHARS)} is accepted"
        if refused[1] is not None:
            said += f"; idle's {cut(json.dumps(idle), LINE_CHARS)} is refused: {refused[1]}"
        return passed("example", said, plan.task)
    said = f"{cut(json.dumps(example), LINE_CHARS)} is refused: {recordable(refused[0])}; {ADVICE}"
    raw = flown[0].shots[-1].raw if flown[0].shots else None
    if raw and raw.refused == "invalid":
        return failed("example", "example_refused", said, plan.task, flown[0].witness())
    return not_applicable("example", said, plan.task)


ADVICE = "an action's schema may give one among its `examples`"


def refusal(trace: Trace) -> str | None:
    """Why the last action of a flight was not accepted; None where it was."""
    if trace.failure is not None:
        return trace.failure.message
    return trace.shots[-1].answer.refusal


def model_part(codec: Codec, traces: Sequence[Trace]) -> ModelView:
    """What a model is told and sees first, and what it does not see.

    Args:
        codec: What tells and shows it.
        traces: Everything that was flown.
    """
    told = codec.instructions()
    shots = [shot for trace in traces for shot in trace.shots]
    first = codec.render(shots[0].answer.observation) if shots else None
    out: dict[str, str] = {}
    for shot in shots:
        out |= codec.left_out(shot.answer.observation)
        out |= {f"metadata.{name}": "hidden" for name in shot.answer.metadata}
    hidden = [*out.items(), *(("instructions", said) for said in MORE.findall(told))]
    return ModelView(
        instructions=told,
        first_observation=None if first is None else cut(first, SEEN_CHARS),
        left_out=tuple(HiddenField(field=name, why=why) for name, why in hidden),
    )


def model_sheets(model: ModelView) -> Iterator[TextTable]:
    """The same for a reader, line by line."""
    titles = {
        "What a model is told": model.instructions,
        "What a model sees first": model.first_observation,
    }
    for title, text in titles.items():
        yield TextTable(title, ("text",), [(line,) for line in lines_of(text)])
    rows = [(hidden.field, hidden.why) for hidden in model.left_out]
    yield TextTable("What a model does not see", ("field", "why"), rows)


def lines_of(text: str | None) -> Iterator[str]:
    """The lines of a text, the first of them."""
    if text is None:
        yield "no episode could be flown"
        return
    lines = text.splitlines() or [""]
    for line in lines[:LINES]:
        yield cut(line, LINE_CHARS) or "(nothing)"
    if len(lines) > LINES:
        yield f"… and {len(lines) - LINES} more lines"
