"""A question that is sent back as its answer, with its words in another order.

To copy what is seen may be the work, as in a dictation, where the order of the words matters, or of a list of what is
wanted, where no word may be missing. Where the copy of a text, or of all texts that are seen, is a full mark on every
seed, its words in another order are as well, nearly all of it is left if any word is left out, and nobody comes near
who says anything else, a grader looks for words which the question holds itself: whoever says it again need not answer
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gonogo.auditing.checks.emptied import FULL
from gonogo.auditing.checks.fewer_words import FEWER, LEFT_OUT, are_needed, without_one
from gonogo.auditing.checks.outliers import words_of
from gonogo.auditing.checks.paid import MOSTLY, NEARLY, Paid, weight
from gonogo.auditing.probes import changed_row, worth
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import TURNED, Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import Suspicion
from gonogo.exploits.panel import AND_COMMON, APART, Kind
from gonogo.exploits.witness import actions_of
from gonogo.explore.novelty import texts_in
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import value_at
from gonogo.wire import Action, JsonValue

LEAST_WORDS = 6
"""Words of a text in which an order is heard; fewer may be a name."""
LEAST_EPISODES = 4
FAR_LESS = 0.5
"""Share of a full mark that nobody else may earn."""
SEARCHES = frozenset({"query", "search"})
"""Words of a field's name in which the question itself may be what is to be sent."""
MOST = 0.5
"""Share of the words that a copy sends which stand in longer texts, above which it is one of texts."""
COPIES = frozenset({Kind.ECHO, Kind.SHOTGUN})
MOST_TURNED = 3
"""Copies that are flown in another order."""


def turned(value: JsonValue) -> JsonValue:
    """A value with the words of each longer text in it in the alphabet's order, or against it where they stand so."""
    if isinstance(value, dict):
        return {name: turned(held) for name, held in value.items()}
    if isinstance(value, list):
        return [turned(held) for held in value]
    if not isinstance(value, str) or not is_long(value):
        return value
    words = sorted(value.split(), key=str.lower)
    return " ".join(words if words != value.split() else reversed(words))


def turned_rows(session: AuditSession, flown: Survey) -> list[SurveyRow]:
    """Of each copy that earns a full mark the same in another order, and with a word left out; none flown before.

    Args:
        session: Where.
        flown: The survey.
    """
    known = {row.about for row in flown.of_kind(TURNED)}
    new = [r for r in full_copies(Paid(flown))[:MOST_TURNED] if r.name not in known]
    fewer = [without_one(session, row, part) for row in new for part in range(LEFT_OUT)]
    return [*(turned_row(session, row) for row in new), *fewer]


def turned_row(session: AuditSession, row: SurveyRow) -> SurveyRow:
    """The episodes of a copy with its words in another order.

    Args:
        session: Where.
        row: The copy.
    """

    def change(sent: Sequence[Action]) -> list[Action]:
        return [{name: turned(value) for name, value in action.items()} for action in sent]

    name = f"{row.name}, its words in another order"
    return changed_row(session, row, TURNED, name, change)


def full_copies(facts: Paid) -> list[SurveyRow]:
    """Copies of longer texts that earn a full mark on every seed; none where other words earn half of it."""
    every = facts.survey.of_kind(*COPIES)
    # With common words after it, it is no copy any more.
    plain = (row for row in every if not row.name.endswith(AND_COMMON))
    full = [row for row in plain if is_full(row) and copies_texts(row)]
    if not full:
        return []
    others = [r for r in facts.rows if r.kind not in COPIES and r.about is None]
    well_paid = [row for row in others if worth(row) >= FAR_LESS * FULL]
    return [] if any(says_more(row, every) for row in well_paid) else full


def is_full(row: SurveyRow) -> bool:
    """Whether a row earns a full mark on each of enough seeds, or what a score that stops just below 1 has for one."""
    pays = [total(e) for e in row.ended]
    return len(pays) >= LEAST_EPISODES and all(abs(pay - FULL) <= 1 - NEARLY for pay in pays)


def copies_texts(row: SurveyRow) -> bool:
    """Whether most words that a row sends in its field stand in longer texts."""
    sent = [value_at(turn.action, row.field) for e in row.ended for turn in e.turns]
    texts = [text for each in sent if isinstance(each, str) for text in each.split(APART)]
    longer = [len(text.split()) for text in texts if is_long(text)]
    return sum(longer) > MOST * sum(len(text.split()) for text in texts)


def says_more(row: SurveyRow, copies: Sequence[SurveyRow]) -> bool:
    """Whether a row says words which no copy says on any seed, or needs none.

    What was shown on one seed may be sent on all of them, and is a copy still.

    Args:
        row: Who is paid as well.
        copies: All rows that copy something.
    """
    copied = {word for copy in copies for e in copy.ended for word in words_said(e)}
    said = [words_said(e) for e in row.ended]
    return any(not words or not words <= copied for words in said)


def words_said(episode: Episode) -> set[str]:
    """The words of all texts that were sent in an episode."""
    sent = [value for turn in episode.turns for _, value in texts_in(turn.action or {})]
    return {word for text in sent for word in text.split()}


def is_long(text: str) -> bool:
    """Whether an order is heard in a text."""
    return len(text.split()) >= LEAST_WORDS


def any_order(facts: Paid) -> Iterator[Suspicion]:
    """Copies that are a full mark in whatever order their words stand.

    Args:
        facts: What was flown, with the rows of :func:`turned_rows`.
    """
    for row in full_copies(facts):
        turned = next((r for r in facts.survey.of_kind(TURNED) if r.about == row.name), None)
        if turned is None or not is_full(turned) or sends_the_same(turned, row):
            continue
        if not can_be_shorter(row, facts) or are_needed(row, facts.survey):
            continue
        said = (
            f"{row.name}: earns a full mark on each of {len(row.ended)} seeds, and so do its words in another order; "
            "any of them may be missing, and no other words earn half of it, so that to say the question again is paid "
            "like an answer"
        )
        witness = min(row.ended, key=total)
        asks = SEARCHES & set(words_of(row.field or ""))
        severity = Severity.SUSPICIOUS if asks else Severity.EFFORTLESS
        yield Suspicion(
            "observation_echo_pays", row, witness, said, weight(severity, FULL), severity
        )


def can_be_shorter(row: SurveyRow, facts: Paid) -> bool:
    """Whether a copy was flown with each of some words left out, and nearly all of a full mark was left each time."""
    fewer = [r for r in facts.survey.of_kind(FEWER) if r.about == row.name and r.ended]
    return len(fewer) == LEFT_OUT and all(total(e) >= MOSTLY * FULL for r in fewer for e in r.ended)


def sends_the_same(turned: SurveyRow, row: SurveyRow) -> bool:
    """Whether the words stood in the same order all the same on some seed, as a word that is repeated does."""
    sent = {seed_of(e.task): actions_of(e.turns) for e in row.ended}
    return any(actions_of(e.turns) == sent.get(seed_of(e.task)) for e in turned.ended)
