"""Actions and answers with nothing in them: blank ones of each kind, and texts that have the form which is asked for.

Where an answer is a JSON object or stands in tags, what is no such text is refused, and all the panel's texts are. So a
reward that reads no more than the form was never reached. Each form is filled twice with different words and numbers
that mean nothing, and once with what is empty: what both fillings are paid alike cannot be for what they say. And once
more each part holds words that the source lists anywhere, as many as there is room for: a grader that looks for one of
them finds it. Beside it goes the same form with as many words that mean nothing, so that it is not paid for its length.

The panel and the crossings fill one field at a time. What has several is refused then, or is paid for the others. So
all texts and lists of an action are blank at once, too, for each tool, each form of an action and each choice; each
alone, again and again, and once before each way of ending: to hand in what nobody wrote.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, islice

from gonogo.auditing.plans import texts_of
from gonogo.auditing.probes import changed_row, constants, ends_at_once
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import UNFORMED, Survey, SurveyRow, fly_habit, total
from gonogo.contract.sources import docstrings, files_of, readme_of, tree_of, within
from gonogo.contract.syntax import nodes_of, text_of
from gonogo.contract.text_forms import TextForm, forms_of_texts
from gonogo.env.target import Target
from gonogo.exploits.crossings import Chosen, always, around, contexts, first_then, fits, named
from gonogo.exploits.panel import ANYTHING, NONSENSE, Habit, Kind
from gonogo.exploits.witness import actions_of
from gonogo.explore.novelty import texts_in
from gonogo.rollouts.space import EACH, LONG_TEXT, ActionField, Space, free_text, put, value_at
from gonogo.wire import Action, JsonValue, TaskOptions

MOST_GROUPS, MOST_STEPS = 60, 1_500
"""Forms, each with two groups of habits, and steps after which no more begin: some go on to the limit of turns."""
MOST_ENDS, MOST_KEPT = 3, 8
"""Ways to end, and rows of blank actions that are kept."""
MOST_BLANKS, MOST_ENDED = 60, 90
WAYS = ("", NONSENSE[0], ANYTHING[1], ANYTHING[0])
"""What stands in every text and list: nothing, nonsense, a pattern that matches all as two kinds of them say it."""
SCREENED = 2
MOST_WORD_CHARS, LEAST_LISTED, LONGEST_WORD = 3_600, 3, 40
"""Characters of all words in all parts, texts that a list holds at least, and characters of one of them."""
WORD = re.compile(r"\w+")
SHOWN_TURNS = 3
"""Turns of an idle episode that are read for what is asked for: a refusal says it, too."""


def form_rows(
    session: AuditSession, target: Target, flown: Survey, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """Rows of the blank forms that are paid more than idling, or succeed; each with all the fillings of its form.

    Args:
        session: Where.
        target: The environment, whose source and README are read.
        flown: The survey; idle's row says what is shown.
        tasks: Reset options of a row's episodes.
    """
    if flown.broken_off or not texts_of(session.space):
        return
    trees = trees_of(target)
    known = known_forms(target, trees, flown)
    forms = [form for form in known if not is_action(form, session.space)]
    habits = habits_of(session.space, forms, listed_words(trees))
    groups = list(islice(habits, MOST_GROUPS))
    session.part.expect(sum(map(len, groups)))
    began, bare = session.steps, 0.0
    for group in groups:
        if session.steps - began >= MOST_STEPS:
            return
        rows = [fly_habit(session, habit, tasks[:SCREENED]) for habit in group]
        said = [row for row in rows if row.kind == Kind.WORDS]
        plain = max(most_of(row) for row in rows if row not in said)
        # what the form alone is paid, or one of that length, is not for the words
        least = max(0.0, most_of(flown.idle), *([plain, bare] if said else []))
        bare = bare if said else plain
        if any(row.succeeded or most_of(row) > least for row in said or rows):
            for habit, row in zip(group, rows, strict=True):
                more = fly_habit(session, habit, tasks[SCREENED:])
                others = tuple(other.name for other in rows if other.name != row.name)
                yield replace(row.on(more), needs=others)


def unformed_rows(
    session: AuditSession, flown: Survey, suspected: Iterable[SurveyRow]
) -> list[SurveyRow]:
    """Of each form that is suspected of being paid for its form, its words without it; none flown before.

    A word that a grader looks for may stand in a form, even within another word: then it is paid wherever it stands.

    Args:
        session: Where.
        flown: The survey.
        suspected: Rows that are suspected of something.
    """
    known = {row.about for row in flown.of_kind(UNFORMED)}
    rows = []
    for row in (r for r in suspected if r.kind == Kind.FORM and r.name not in known):
        name, change = f"{row.name}, its words without the form", partial(unformed, field=row.field)
        if any(change(sent) != sent for sent in (actions_of(e.turns) for e in row.ended)):
            made = changed_row(session, row, UNFORMED, name, change)
            rows.append(replace(made, needs=(*row.needs, row.name)))
    return rows


def unformed(sent: Sequence[Action], field: str | None) -> list[Action]:
    """Some actions with no more than its words, in their order, of the text in a field."""
    path = (field or "").split(".")
    plain: list[Action] = []
    for action in sent:
        text = value_at(action, field)
        held = isinstance(text, str) and path[0] in action and EACH not in path
        plain.append(put(action, tuple(path), " ".join(WORD.findall(text))) if held else action)
    return plain


def most_of(row: SurveyRow) -> float:
    """The most that an episode of a row earned."""
    return max(map(total, row.ended), default=0.0)


def trees_of(target: Target) -> list[ast.Module]:
    """The files of the environment's source."""
    return within([tree for path in files_of(target) if (tree := tree_of(path)) is not None])


def listed_words(trees: Sequence[ast.Module]) -> list[str]:
    """The short texts that stand beside others in a list, a tuple, a set or as keys, each once."""
    found: dict[str, None] = {}
    for node in (node for tree in trees for node in nodes_of(tree)):
        held: Sequence[ast.expr | None] = ()
        if isinstance(node, ast.List | ast.Tuple | ast.Set):
            held = node.elts
        elif isinstance(node, ast.Dict):
            held = node.keys
        texts = map(text_of, held)
        short = [text for text in texts if text and len(text) <= LONGEST_WORD]
        found |= dict.fromkeys(short if len(short) >= LEAST_LISTED else ())
    return list(found)


def known_forms(target: Target, trees: Sequence[ast.Module], flown: Survey) -> list[TextForm]:
    """The forms that the environment's source, README and first observations speak of."""
    texts = [text for path in files_of(target) if (text := readme_of(path)) is not None]
    turns = [turn for e in flown.idle.ended[:1] for turn in e.turns[:SHOWN_TURNS]]
    shown = dict.fromkeys(text for turn in turns for _, text in texts_in(turn.observation))
    return forms_of_texts(
        trees, [*shown, *texts, *(doc for tree in trees for doc in docstrings(tree))]
    )


def is_action(form: TextForm, space: Space) -> bool:
    """Whether a form is that of the actions themselves, which are sent as they are."""
    return set(form.names) <= {field.name for field in space.describe()}


def habits_of(
    space: Space, forms: Sequence[TextForm], words: Sequence[str] = ()
) -> Iterator[list[Habit]]:
    """For each form and each text of an action, alone and beside each other choice, one habit for each filling.

    After these come two that are as long: one has many words in each part, and the other one as many that mean nothing.

    Args:
        space: The actions.
        forms: How a text is to look.
        words: What the source lists.
    """
    single: list[Chosen] = [(), *(chosen for chosen in contexts(space) if len(chosen) == 1)]
    for form in forms:
        for leaf in space.leaves():
            limits = free_text(leaf.schema, leaf.root)
            for chosen in single if limits is not None else ():
                if not fits(chosen, leaf):
                    continue
                place = around(chosen, leaf)
                longest = (limits or {}).get("maxLength", LONG_TEXT)
                texts = [text for text in form.fillings() if len(text) <= longest]
                beside = ", ".join(filter(None, [named(chosen), leaf.name]))
                context = place.base if chosen else None
                made = [
                    Habit.constant(
                        f"{beside}: the form alone, {text}",
                        Kind.FORM,
                        place.put(text),
                        leaf.name,
                        context,
                    )
                    for text in texts
                ]
                if made:
                    yield made
                full = form.said_everywhere(words, MOST_WORD_CHARS) if words else None
                if full is None or len(full) > longest:
                    continue
                blank = form.said_everywhere([senseless(word) for word in words], MOST_WORD_CHARS)
                name = f"{beside}: the form with"
                both = (
                    ("as many words that mean nothing in each part", Kind.LENGTH, blank),
                    ("the source's words in each part", Kind.WORDS, full),
                )
                yield [
                    Habit.constant(f"{name} {what}", kind, place.put(text), leaf.name, context)
                    for what, kind, text in both
                ]


def senseless(word: str) -> str:
    """A word of the same length, and of as many words, that means nothing."""
    return re.sub(r"\w", "q", word)


def blank_rows(
    session: AuditSession, flown: Survey, tasks: Sequence[TaskOptions]
) -> Iterator[SurveyRow]:
    """Rows of the blank actions that succeed, or earn more than any before them and than ending at once.

    Args:
        session: Where.
        flown: The survey; its constants say what ends an episode.
        tasks: Reset options of a row's episodes.
    """
    if flown.broken_off:
        return
    ends = ways_to_end(flown)
    # What is handed in ends soon; what is repeated may go on to the limit of turns.
    habits = [*handed_in(session.space, ends), *blank_habits(session.space)]
    session.part.expect(len(habits))
    began = session.steps
    plain = [row for row in flown.rows if row.kind == Kind.IDLE or row.action in ends]
    best, kept = max((least_of(row) for row in plain), default=0.0), 0
    known = [row.action for row in flown.rows if row.action is not None]
    for habit in habits:
        if session.steps - began >= MOST_STEPS:
            return
        if habit.action is not None and habit.action in known:
            continue
        row = fly_habit(session, habit, tasks[:SCREENED])
        worth = least_of(row)
        if kept < MOST_KEPT and (worth > max(0.0, best) or row.succeeds):
            best, kept = max(best, worth), kept + 1
            yield row.on(fly_habit(session, habit, tasks[SCREENED:]))


def ways_to_end(flown: Survey) -> list[Action]:
    """The actions that end every episode at once."""
    ends = [
        row.action for row in constants(flown) if row.kind == Kind.CONSTANT and ends_at_once(row)
    ]
    return [end for end in ends if end is not None][:MOST_ENDS]


def least_of(row: SurveyRow) -> float:
    """The least that an episode of a row earned."""
    return min(map(total, row.ended), default=0.0)


def blanks(space: Space) -> list[tuple[str, Action]]:
    """The blank actions, each once, with what each is called."""
    found: dict[str, tuple[str, Action]] = {}
    for way in WAYS:
        for name, base, leaves in kinds_of_action(space):
            action, filled = base, 0
            for leaf in leaves:
                value = blank(leaf, way)
                if value is not None:
                    action, filled = leaf.put_in(action, value), filled + 1
            if filled:
                said = "nothing" if way == "" else repr(way)
                found.setdefault(
                    repr(action),
                    (f"{name}: {said} in every text and list".removeprefix(": "), action),
                )
    return list(found.values())[:MOST_BLANKS]


def kinds_of_action(space: Space) -> Iterator[tuple[str, Action, list[ActionField]]]:
    """Each kind of action: its name, the action that does least of it, and its places beside the choice."""
    plain = [leaf for leaf in space.leaves() if EACH not in leaf.path]
    for tool, some in groupby(plain, key=lambda leaf: (leaf.tool, sorted(leaf.base))):
        leaves = list(some)
        yield tool[0], leaves[0].base, leaves
    for chosen in contexts(space):
        beside = [leaf for leaf in plain if fits(chosen, leaf)] if len(chosen) == 1 else []
        if beside:
            (leaf, choice) = chosen[0]
            yield named(chosen), leaf.put(choice), beside


def blank(leaf: ActionField, way: str) -> JsonValue:
    """What is blank in a place; None where it takes neither a text nor a list of them."""
    limits = free_text(leaf.schema, leaf.root)
    if limits is not None:
        fit = limits.get("minLength", 0) <= len(way) <= limits.get("maxLength", len(way))
        return way if fit else None
    for option in leaf.options:
        if option.get("type") == "array":
            text = free_text(option.get("items") or {}, leaf.root) is not None
            empty = option.get("minItems", 0) == 0
            return ([] if empty else None) if way == "" else [way] if text else None
    return None


def blank_habits(space: Space) -> list[Habit]:
    """Each blank action, again and again."""
    return [Habit.constant(name, Kind.BLANK, action) for name, action in blanks(space)]


def handed_in(space: Space, ends: Sequence[Action]) -> list[Habit]:
    """Each blank action once, and then an end.

    Args:
        space: The actions.
        ends: Actions that end an episode.
    """
    ways = (
        Habit(f"{name}, then {end}", Kind.BLANK, first_then(action, always(end)))
        for name, action in blanks(space)
        for end in ends
        if not same_kind(action, end)
    )
    return list(islice(ways, MOST_ENDED))


def same_kind(one: Action, other: Action) -> bool:
    """Whether two actions do the same kind of thing: all that both say is the same."""
    return all(one[key] == other[key] for key in one.keys() & other.keys())
