"""The replay as a film: one task flown by two agents side by side, as an mp4 where ffmpeg is there, else as a GIF.

It shows what the page's viewer shows, from the same data: what each agent was shown so far, the windows and verdicts
of its directives, its last action, and at the end what came of it. It lasts as long whatever the task lasts.
"""

from __future__ import annotations

import json
import textwrap
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.animation import FFMpegWriter
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.text import Text
from numpy.typing import NDArray
from PIL import Image

from gonogo.records.stations import Film
from gonogo.reporting.viewer import ReplayFlight, ReplayOrder, ReplayPanel, ReplayTask, ReplayTurn

Picture = NDArray[np.uint8]

NAME = "flights"
SECONDS, OPENING, ENDING, FPS = 20, 1, 4, 10
"""Of the flight, of its first and of its last picture, s; pictures a second."""
MOST_COMMITTED = 5_000_000
"""Bytes of a film that may be committed."""
COLORS = 128
"""Of a GIF."""
SIZE, DPI = (9.6, 6.0), 100
LINES = ("#2557c7", "#d9601a", "#2e8b57")
STATUS = {"satisfied": "#17693b", "violated": "#a83227"}
OPEN, INK, SOFT = "#7d5600", "#191b1f", "#5d636c"
RC: Any = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "text.parse_math": False,  # a dollar in what an environment says is one
}
LEFT = 0.075
WORDS_WIDE, ACTION_CHARS, TITLE_CHARS, STATUS_CHARS = 150, 62, 110, 22
NAME_CHARS, MOST_ORDERS, MOST_LINES = 22, 6, 4


@dataclass(slots=True)
class Side:
    """One flight's half of the picture, and what of it changes."""

    flight: ReplayFlight
    cursors: list[Line2D] = field(default_factory=list)
    curves: list[tuple[Line2D, list[float], list[float]]] = field(default_factory=list)
    windows: list[tuple[Artist, int]] = field(default_factory=list)
    texts: list[Text] = field(default_factory=list)

    def artists(self) -> list[Artist]:
        """What changes."""
        curves = [curve for curve, *_ in self.curves]
        marks = [mark for mark, _ in self.windows]
        return [*marks, *curves, *self.cursors, *self.texts]

    def show(self, now: float) -> None:
        """Draw the flight up to a moment of its clock."""
        clock, turns = self.flight.clock, self.flight.turns
        for cursor in self.cursors:
            cursor.set_xdata([now, now])
        for curve, times, values in self.curves:
            seen = bisect_right(times, now)
            curve.set_data(times[:seen], values[:seen])
        for mark, number in self.windows:
            order = self.flight.orders[number]
            mark.set_visible(now >= order.start)
            mark.set(color=color_of(status_at(order, now)))
        turn = min(bisect_right(clock, now), len(turns))
        doing, *statuses, outcome = self.texts
        said = turns[turn - 1] if turn else None
        doing.set_text("" if said is None else f"{turn}/{len(turns)}  {action_of(said)}")
        doing.set_color(STATUS["violated"] if said is not None and said.refused else INK)
        for text, order in zip(statuses, self.flight.orders, strict=False):
            status = status_at(order, now)
            text.set_text("" if status is None else line(f"{order.id} {status}", STATUS_CHARS))
            text.set_color(color_of(status))
        outcome.set_text(outcome_of(self.flight) if now >= clock[-1] else "")


def film(task: ReplayTask, title: str, folder: Path) -> Film:
    """Draw a task's two flights as a film.

    Args:
        task: One of the replay's, with its two flights.
        title: What stands above it.
        folder: Where the film goes: ``flights.mp4``, or ``flights.gif`` where no ffmpeg is on the path.
    """
    with mpl.rc_context(RC):
        figure = Figure(figsize=SIZE, dpi=DPI, facecolor="white")
        sides = draw(figure, task, title)
        end = max(side.flight.clock[-1] for side in sides)
        moments = np.concatenate((
            np.zeros(OPENING * FPS),
            np.linspace(0, end, SECONDS * FPS),
            np.full(ENDING * FPS, end),
        ))  # fmt: skip
        path = folder / f"{NAME}.{'mp4' if FFMpegWriter.isAvailable() else 'gif'}"
        write = write_mp4 if path.suffix == ".mp4" else write_gif
        write(pictures(figure, sides, moments.tolist()), path)
    seconds = len(moments) / FPS
    return Film(file=path.name, bytes=path.stat().st_size, seconds=seconds, task=task.index)


def pictures(figure: Figure, sides: Sequence[Side], moments: Sequence[float]) -> Iterator[Picture]:
    """The figure at each moment, shape (height, width, 3); what stays is drawn once."""
    canvas: Any = FigureCanvasAgg(figure)  # whose methods have no types
    artists = [artist for side in sides for artist in side.artists()]
    for artist in artists:
        artist.set_animated(True)
    canvas.draw()
    still = canvas.copy_from_bbox(figure.bbox)
    for now in moments:
        canvas.restore_region(still)
        for side in sides:
            side.show(now)
        for artist in artists:
            artist.draw(canvas.get_renderer())
        yield np.asarray(canvas.buffer_rgba())[..., :3].copy()


def write_mp4(drawn: Iterator[Picture], path: Path) -> None:
    """Through ffmpeg, in the pixel format that every browser plays."""
    first = next(drawn)
    screen = Figure(figsize=SIZE, dpi=DPI)
    image = screen.figimage(first)
    writer = FFMpegWriter(fps=FPS, codec="libx264", extra_args=["-pix_fmt", "yuv420p"])
    with writer.saving(screen, path, DPI):
        for picture in chain([first], drawn):
            image.set_data(picture)
            writer.grab_frame()


def write_gif(drawn: Iterator[Picture], path: Path) -> None:
    """Through Pillow, all pictures in the colours of the last one, which holds everything that is drawn."""
    images = [Image.fromarray(picture) for picture in drawn]
    palette = images[-1].quantize(colors=COLORS)
    first, *others = (each.quantize(palette=palette, dither=Image.Dither.NONE) for each in images)
    first.save(path, save_all=True, append_images=others, duration=1000 // FPS, loop=0)


def draw(figure: Figure, task: ReplayTask, title: str) -> list[Side]:
    """Everything that stays, and the artists that do not."""
    figure.text(LEFT, 0.965, line(title, TITLE_CHARS), weight="bold", size=11, color=INK)
    figure.text(LEFT, 0.935, line(task.label, TITLE_CHARS), color=SOFT)
    orders = task.flights[0].orders
    words = [f"{order.id}: {order.text}" for order in orders if order.text]
    lines = [row for text in words for row in textwrap.wrap(text, WORDS_WIDE)][:MOST_LINES]
    figure.text(LEFT, 0.015, "\n".join(lines), color=SOFT, va="bottom", size=8)
    low = 0.08 + 0.025 * len(lines)
    rows = min(len(flight.panels) for flight in task.flights)  # progress may be said of one
    grid = figure.add_gridspec(
        rows, 2, left=LEFT, right=0.985, top=0.76, bottom=low, hspace=0.28, wspace=0.12
    )
    sides = [Side(flight) for flight in task.flights]
    end = max(side.flight.clock[-1] for side in sides) or 1.0
    for row in range(rows):
        low_high = span([side.flight for side in sides], row)
        for column, side in enumerate(sides):
            axes = figure.add_subplot(grid[row, column])
            axes.set_xlim(-0.01 * end, 1.01 * end)
            axes.set_ylim(*low_high)
            draw_panel(axes, side, side.flight.panels[row])
            axes.tick_params(labelbottom=row == rows - 1, labelleft=column == 0)
            if row == rows - 1:
                axes.set_xlabel(task.unit)
            if row == 0:
                place = axes.get_position()
                draw_head(figure, side, place.x0, place.x1)
    return sides


def draw_panel(axes: Axes, side: Side, panel: ReplayPanel) -> None:
    """One signal: an empty curve for each entry, the windows of directives, the cursor."""
    axes.set_title(panel.label, loc="left", size=9, color=SOFT, pad=3)
    style = "steps-post" if panel.step else "default"
    for number, values in enumerate(panel.v):
        name = panel.names[number] if panel.names else None
        (curve,) = axes.plot([], [], ".-", color=LINES[number % 3], label=name, drawstyle=style)
        side.curves.append((curve, panel.t, [np.nan if v is None else v for v in values]))
    if panel.names:
        axes.legend(loc="upper right", ncols=len(panel.names), fontsize=7, framealpha=0.8)
    for number, order in enumerate(side.flight.orders):
        side.windows.append((axes.axvline(order.end, linewidth=1, linestyle="-."), number))
        if panel.unit in order.limits:
            limit = order.limits[panel.unit]
            for level in (limit, -limit) if panel.names else (limit,):
                mark = axes.hlines(level, order.start, order.end, linestyle="--", linewidth=1)
                side.windows.append((mark, number))
    side.cursors.append(axes.axvline(0.0, color=INK, linewidth=0.8, alpha=0.6))


def draw_head(figure: Figure, side: Side, left: float, right: float) -> None:
    """Who flies, what it does now, how its directives stand, and what came of it."""
    flight = side.flight
    decoding = f" ({flight.decoding})" if flight.decoding else ""
    figure.text(
        left,
        0.89,
        line(f"{flight.policy}{decoding}", NAME_CHARS),
        weight="bold",
        size=12,
        color=INK,
    )
    side.texts = [figure.text(left, 0.855, "", family="monospace", size=7)]
    shown = min(len(flight.orders), MOST_ORDERS)
    step = (right - left) / max(shown, 3)
    for number in range(shown):
        side.texts.append(figure.text(left + step * number, 0.82, "", size=7, weight="bold"))
    side.texts.append(figure.text(right, 0.89, "", size=12, weight="bold", ha="right"))


def span(flights: Sequence[ReplayFlight], row: int) -> tuple[float, float]:
    """Ends of a common axis for what two flights show in a row, with the limits that it has there."""
    values = []
    for flight in flights:
        panel = flight.panels[row]
        values += [v for column in panel.v for v in column if v is not None]
        values += [o.limits[panel.unit] for o in flight.orders if panel.unit in o.limits]
    low, high = min(values, default=0.0), max(values, default=1.0)
    margin = 0.08 * (high - low) or 0.5
    return low - margin, high + margin


def status_at(order: ReplayOrder, now: float) -> str | None:
    """What was last said of a directive; None before it arrived."""
    told = [status for at, status in order.told if at <= now]
    return told[-1] if told else None


def color_of(status: str | None) -> str:
    """A verdict's colour."""
    return STATUS.get(status or "", OPEN)


def action_of(turn: ReplayTurn) -> str:
    """What was done in a turn, on one line; what was refused says so."""
    text = bare(turn.did).strip() or "(nothing)"
    return line(f"refused: {text}" if turn.refused else text, ACTION_CHARS)


def line(text: str, most: int) -> str:
    """A text on one line of so many characters; what no font has is a dot."""
    plain = "".join(c if c.isprintable() or c.isspace() else "·" for c in text[: 4 * most])
    short = " ".join(plain.split())
    return short if len(short) <= most else f"{short[: most - 1]}…"


def bare(text: str) -> str:
    """An action whose only field is a text, as a model's reply is, without its wrapping."""
    try:
        action = json.loads(text)
    except ValueError:  # a reply that is no JSON, or one that was cut
        return text
    values = list(action.values()) if isinstance(action, dict) else []
    return values[0] if len(values) == 1 and isinstance(values[0], str) else text


def outcome_of(flight: ReplayFlight) -> str:
    """Score and success."""
    if flight.score is None:
        return "lost"
    said = {True: ", success", False: ", no success", None: ""}[flight.success]
    return f"score {flight.score:.2f}{said}"
