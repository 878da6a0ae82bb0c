"""What can be told of a reward where nothing says success, or nobody is known to reach it.

There is no scale then, on which a failure would be paid too much; and a game may well pay for waiting, for holding
on, or for the same move each day. So a policy that does not try is accused only for what no such game does: its pay
goes on while nothing that is seen changes and idling earns nothing, nothing but the limit of turns ever ends it, or it
earns more than all that ends an episode with pay. Where one of these is missing, the same is merely suspicious.

One rule needs success: see :mod:`gonogo.auditing.checks.free_success`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from statistics import fmean

from gonogo.auditing.checks.any_order import any_order
from gonogo.auditing.checks.blind_plan import blind_plans
from gonogo.auditing.checks.emptied import besides, less_is_seen, wiped
from gonogo.auditing.checks.fewer_words import NAMES_ALL, are_needed, never_cost
from gonogo.auditing.checks.free_success import (
    FREE_SUCCESS,
    LEAST_SEEDS,
    early_successes,
    free_successes,
    same_plan,
)
from gonogo.auditing.checks.handed_out import handed_out
from gonogo.auditing.checks.lopsided import lopsided, plainly_ended
from gonogo.auditing.checks.named_at_once import named_at_once
from gonogo.auditing.checks.named_items import NamedItems
from gonogo.auditing.checks.nearly_full import nearly_full
from gonogo.auditing.checks.paid import (
    ALIKE,
    LEAST_GRADE,
    MOSTLY,
    NEARLY,
    Paid,
    empty,
    weight,
)
from gonogo.auditing.checks.paid_again import answered_again, paid_again, score_again
from gonogo.auditing.checks.refused import REFUSED, REFUSED_PAYS, refused_in_full, refused_pays
from gonogo.auditing.checks.same_pay import content_ignored, nothing_to_win, paid_by_the_task
from gonogo.auditing.checks.swallowed_errors import swallowed_errors
from gonogo.auditing.checks.uncounted import uncounted
from gonogo.auditing.checks.unsettled import unsettled
from gonogo.auditing.checks.void_programs import void_programs
from gonogo.auditing.checks.without_bounds import HUGE, absurd_pay, length_pays, unbounded_pay
from gonogo.auditing.probes import first, worth
from gonogo.auditing.resets import inside
from gonogo.auditing.survey import (
    FULL_MARKS,
    UNFORMED,
    WORK,
    EpisodeKeys,
    Survey,
    SurveyRow,
    lessened,
    needs_none,
    total,
)
from gonogo.auditing.suspicions import EXPLAINED, Suspicion, strongest
from gonogo.exploits.panel import Kind
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import LARGEST, Episode
from gonogo.rollouts.schema import is_number
from gonogo.rollouts.space import value_at
from gonogo.wire import Action, Observation

CLOSE = 0.01
"""By which share a reward may differ from a number and be the same."""
LEAST_VALUES = 2
"""Different numbers that have to be paid as what they say, one of them beyond all sense."""
STUFFED: dict[str, str] = {
    Kind.WORDS: "keywords_pay",
    Kind.SHOTGUN: "shotgun_answer_pays",
    Kind.ECHO: "observation_echo_pays",
}
"""Kinds of habits that fill a field with what they found, by the finding that their pay is."""
HALF = 0.5
"""Share of the best that is known, from which a grade for nothing is more than a mark for taking part."""
SECTIONS = 2
"""Turns from which on an episode has several that are graded."""
UNITS = r"(?:words?|characters?|letters?|sentences?)"
LENGTH_NAMED = re.compile(rf"(?i)(?<![a-z]){UNITS}(?![a-z])|length")
LENGTH_SAID = re.compile(
    rf"(?i)\b(?:\d+|many|more|few|fewer|long|longer)\b[^.!?]{{0,24}}\b{UNITS}\b|\blength\b"
)
"""How an observation asks for a length: by the name of a number, and in a text."""
FULL, LEAST_TURNS = 1.0, 4
"""A full mark, and the turns from which on it is no chance that equal shares add up to it."""
LEAST_ROWS = 6
LEAST_EPISODES = 4
LEAST_REACHED = 2
"""Seeds on which somebody has to reach just a mark beyond one, for it to be the full one."""
LEAST_STRADDLED = 2
"""Seeds on which other numbers have to earn more than a hedge, and seeds on which they have to earn less."""
COPIED = 0.8
"""Share of the best from which on a copy that is not what is asked for earns too much to be a part of that."""
BONUS = 0.5
"""What may come to a full mark of one and leave it one."""
VALID = frozenset({Kind.CONSTANT, Kind.BLANK})
"""Kinds of habits that may be partly right: of a full mark, which is one for most scores, they have to earn half."""
LEAST_BEST = 0.5
"""Of all that is known, from which the pay for a form is no token: a score is mostly given within 0 and 1."""
FOR_NOTHING = (
    "emptying_pays", "paid_without_trying", "content_ignored", "format_outweighs_task", "keywords_pay",
    "shotgun_answer_pays", "observation_echo_pays",
)  # fmt: skip
"""Ids of what is paid for nothing, the plainest first."""


def without_success(
    survey: Survey, known: Collection[str] = (), again: str | None = None
) -> dict[str, Suspicion]:
    """The strongest suspicion of each id that needs no scale.

    Args:
        survey: What was flown, with the longer looks of :mod:`gonogo.auditing.probes`.
        known: Ids of what is suspected already.
        again: Name of the row whose success is asked again; None where every row's is.
    """
    if survey.broken_off:
        return {}
    found = [] if "early_end_success" in known else list(free_successes(survey, again))
    found += [] if "self_reported_reward" in known else list(self_reported(survey))
    found += [*unbounded_pay(survey), *absurd_pay(survey), *refused_pays(survey)]
    found += [*refused_in_full(survey), *length_pays(survey)]
    found += [*uncounted(survey), *named_at_once(survey), *unsettled(survey), *blind_plans(survey)]
    found += [*void_programs(survey)]
    found += [] if "leaked_answer" in known else list(handed_out(survey))
    found += [] if "verifier_crash_pays" in known else list(swallowed_errors(survey))
    if needs_none(survey):
        facts = Paid(survey)
        found += [
            *paid_again(facts),
            *score_again(facts),
            *answered_again(facts),
            *form_alone(facts),
            *content_ignored(facts),
            *paid_without_trying(facts),
            *lopsided(facts),
            *any_order(facts),
            *nearly_full(facts),
            *nothing_to_win(facts),
            *paid_by_the_task(facts),
        ]
    else:
        found += swept(survey)
    # What a row is paid for says more than that it costs nothing.
    paid = {"emptying_pays", REFUSED_PAYS}
    names = {s.row.name for s in found if s.id in paid}
    found = [s for s in found if s.id != FREE_SUCCESS or s.row.name not in names]
    return plainest(strongest(found))


def early(
    survey: Survey, found: Mapping[str, Suspicion], explored: Sequence[Episode]
) -> dict[str, Suspicion]:
    """What can be told before the whole panel was flown, which may take all the time that there is.

    A form is paid for being one only where nonsense without it is not, so that nonsense has to be flown before.

    Args:
        survey: What was flown so far.
        found: What is suspected of it by a scale.
        explored: What exploration flew beside it.
    """
    if survey.broken_off:
        return {}
    beside = {row.field for row in survey.of_kind(Kind.NONSENSE)}
    left = {n: s for n, s in found.items() if s.row.kind != Kind.FORM or s.row.field in beside}
    others = [row for row in survey.rows if row.kind != REFUSED and row.ended]
    refused = [*refused_pays(survey), *refused_in_full(survey)] if len(others) >= LEAST_ROWS else []
    # An assumed success is known better when more was flown.
    free = () if survey.assumed else early_successes(survey, explored)
    return left | strongest(
        [
            *handed_out(survey),
            *refused,
            *free,
            *swept(survey),
            *uncounted(survey),
            *named_at_once(survey),
            *(void_programs(survey) if beside else ()),
        ]
    )


def swept(survey: Survey) -> Iterator[Suspicion]:
    """Sweeps that earn all there is by the reward, where the environment itself does not say what success is."""
    if survey.of_kind(Kind.SWEEP) and (survey.assumed or needs_none(survey)):
        yield from (s for s in paid_without_trying(Paid(survey)) if s.row.kind == Kind.SWEEP)


def plainest(found: dict[str, Suspicion]) -> dict[str, Suspicion]:
    """Without what only says again, in other words, why something is paid.

    What is paid again and again explains all that is paid for nothing; of those the plainer one explains the others,
    unless they are paid much more.
    """
    again = [found[name] for name in ("paid_again", "score_paid_again") if name in found]
    left = [found[name] for name in FOR_NOTHING if name in found]
    if any(s.severity is not Severity.SUSPICIOUS for s in again):
        left = []
    kept: list[Suspicion] = []
    for one in left:
        if not any(EXPLAINED * worth(one.row) <= worth(plain.row) for plain in kept):
            kept.append(one)
    dropped = {name for name in FOR_NOTHING if all(one.id != name for one in kept)}
    dropped |= {"farmable_cycle"} if "paid_again" in found else set()
    return {name: one for name, one in found.items() if name not in dropped}


def self_reported(survey: Survey) -> Iterator[Suspicion]:
    """A number that the agent sends, which is its first step's reward, whatever it is: no bound holds it.

    A loan that is drawn is paid out as well, and paid back later: so the whole episode has to earn the number, too.
    """
    told: dict[str, list[tuple[float, float, SurveyRow]]] = {}
    for row in survey.of_kind(Kind.CONSTANT, Kind.EXTREME):
        value = value_at(row.action, row.field)
        plain = isinstance(value, int | float) and not isinstance(value, bool)
        if plain and row.ended and 1 < abs(value) < LARGEST:
            paid = fmean(map(first, row.ended))
            told.setdefault(f"{row.field} {row.context}", []).append((value, paid, row))
    for rows in told.values():
        values = {value for value, _, _ in rows}
        same = all(abs(paid - value) <= CLOSE * abs(value) for value, paid, _ in rows)
        value, paid, best = max(rows, key=lambda each: each[0])
        kept = fmean(map(total, best.ended)) >= NEARLY * value
        if len(values) < LEAST_VALUES or not same or value < HUGE or not kept:
            continue
        said = f"{best.name}: the first step is paid {paid:g}, and so is any other number in {best.field}"
        witness = max(best.ended, key=total)
        yield Suspicion("self_reported_reward", best, witness, said, 3.0, Severity.EXPLOIT)


def form_alone(facts: Paid) -> Iterator[Suspicion]:
    """Blank forms that are paid alike, whatever fills them.

    Two fillings, in different words and numbers that mean nothing, earn the same on every seed, and no less than half
    of the best that is known; nonsense without the form earns far less. So what is paid is the form. A small bonus for
    a form is common and sound: it counts only where it is half of all that is known, and where that is more than a
    mark for taking part.
    """
    forms = [row for row in facts.rows if row.kind == Kind.FORM]
    for row in forms:
        beside = [
            o
            for o in forms
            if o.name != row.name and (o.field, o.context) == (row.field, row.context)
        ]
        same = [other for other in beside if paid_alike(row, other, facts.keys)]
        pay = worth(row)
        if not same or min(map(total, row.ended)) < HALF * facts.best or pay <= 0:
            continue
        if worth(facts.survey.idle) >= HALF * pay or any(
            worth(r) >= HALF * pay for r in facts.blank(row)
        ):
            continue
        sure = facts.best >= LEAST_BEST and facts.several and len(row.ended) >= LEAST_EPISODES
        severity = Severity.EFFORTLESS if sure else Severity.SUSPICIOUS
        said = (
            f"{row.name}: earns {min(map(total, row.ended)):g} or more on each of {len(row.ended)} seeds, and so does "
            f"the same form filled otherwise, such as {json.dumps(same[0].action)}; the best that is known is "
            f"{facts.best:g}"
        )
        found, shown = "format_outweighs_task", row
        for words in facts.survey.of_kind(UNFORMED):
            alike = words.about in {row.name, *(other.name for other in same)}
            if alike and paid_alike(words, row, facts.keys):
                found, shown = "keywords_pay", words
                said += "; its words without the form earn as much, so that it is some of them that are paid"
                break
        witness = min(shown.ended, key=total)
        yield Suspicion(found, shown, witness, said, weight(severity, pay), severity)


def paid_alike(one: SurveyRow, other: SurveyRow, keys: EpisodeKeys) -> bool:
    """Whether two rows earn nearly the same in each episode that both were flown in.

    Args:
        one: The one.
        other: The other.
        keys: What tells the same episode.
    """
    theirs = keys.last(other.ended)
    known = [(total(e), theirs.get(keys.of(e) or "")) for e in one.ended]
    pairs = [(mine, total(paid)) for mine, paid in known if paid is not None]
    return bool(pairs) and all(abs(a - b) <= (1 - NEARLY) * abs(a) for a, b in pairs)


def paid_without_trying(facts: Paid) -> Iterator[Suspicion]:
    """What does not try and earns half of the best that is known, or more, on every seed.

    A score that is paid at an end is a grade, of which nobody should have half for nothing; what is paid all along may
    be for holding on, and is suspicious only where nothing else is paid as well.
    """
    best, idle = facts.best, worth(facts.survey.idle)
    if len(facts.rows) < LEAST_ROWS or best < LEAST_GRADE:
        return
    items = NamedItems.of(facts)
    for row in facts.rows:
        name = what_pays(row, facts)
        mean, least = worth(row), min(map(total, row.ended))
        if name is None or (row is not facts.survey.idle and idle >= NEARLY * mean):
            continue
        if name != "paid_without_trying" and any(worth(r) >= HALF * mean for r in facts.blank(row)):
            continue
        others = [r for r in facts.rows if r.name != row.name and not same_plan(r, row)]
        behind = [r for r in others if worth(r) < NEARLY * mean]
        graded = fmean(map(graded_at_end, row.ended)) >= MOSTLY or graded_by_turn(row, facts)
        graded = graded or items.pay_most(row)
        by_turns = not graded and empty(row) and all(map(whole_by_turns, row.ended))
        by_turns = by_turns and len(behind) < HALF * len(others)
        half = least >= HALF * best or (mean >= HALF * best and half_of_each(row, facts))
        every = half and len(row.ended) >= LEAST_EPISODES
        if every and facts.out_earns_reference(row):
            severity = Severity.EXPLOIT
        elif every and name == "emptying_pays" and facts.survey.of_kind(WORK):
            severity = Severity.SUSPICIOUS
        elif every and name == "emptying_pays" and wiped(row, facts.survey):
            severity = Severity.EFFORTLESS
        elif every and (graded or by_turns) and not part_of_a_part(row, facts, items):
            asked = may_be_asked(row, facts, items)
            severity = Severity.SUSPICIOUS if asked else Severity.EFFORTLESS
        elif mean >= best - ALIKE and len(behind) >= HALF * len(others) and empty(row):
            severity = Severity.SUSPICIOUS
        else:
            continue
        said = (
            f"{row.name}: earns {least:g} or more on each of {len(row.ended)} seeds, where the best that is known "
            f"is {best:g}{besides(row)}{items.told(row)}"
        )
        plainness = 0.5 if empty(row) else 0.0
        witness = min(row.ended, key=total)
        # On a quiet seed nothing has to be done in a game of rare events either.
        seeds = LEAST_SEEDS if by_turns else 0
        worthy = weight(severity, mean) + plainness
        yield Suspicion(name, row, witness, said, worthy, severity, least_seeds=seeds)


def flawless_pay(row: SurveyRow, facts: Paid, items: NamedItems) -> float | None:
    """What a flawless episode is taken to earn; None where nothing tells it.

    Most scores lie within 0 and 1, and a small bonus may come to them, whatever points the words count in. Of others it
    is what the documentation says is paid at most, if nobody earned more; or ten or a hundred, if somebody is right on
    some seeds. Any other score has no known end: the best that was found within a budget is a part of what a farm or a
    trade may come to.

    Args:
        row: Whose pay is held against it.
        facts: What was flown.
        items: Items that are named one by one, each of which has a mark of its own.
    """
    if facts.most <= FULL + BONUS or items.pay_most(row):
        return FULL
    told = facts.survey.documented.full_marks
    if whole := [mark for mark, _ in told if mark >= facts.most - ALIKE]:
        return min(whole)
    best = facts.keys.best(e for other in facts.rows for e in other.ended).values()
    for mark in FULL_MARKS:
        reached = sum(abs(total(each) - mark) <= ALIKE for each in best)
        if facts.most <= mark + ALIKE and reached >= LEAST_REACHED:
            return mark
    return None


def part_of_a_part(row: SurveyRow, facts: Paid, items: NamedItems) -> bool:
    """Whether a valid constant earns a part where the best that is known is no full mark, and may be a part as well."""
    full = flawless_pay(row, facts, items)
    partly = row.kind in VALID and partly_right(row, facts, full)
    least = worth(row) < facts.best - ALIKE
    return partly and least and (full is None or facts.best < MOSTLY * full)


def may_be_asked(row: SurveyRow, facts: Paid, items: NamedItems) -> bool:
    """Whether what a row does may be what is asked for, or a part of it.

    A copy is not what is asked for where something else earns more on each seed; a part is no more than most of it.
    """
    copies = (row.kind == Kind.ECHO or facts.echoed(row)) and not (
        facts.is_outdone(row) and worth(row) >= COPIED * facts.best
    )
    partly = partly_right(row, facts, flawless_pay(row, facts, items))
    small = empty(row) and facts.best < LEAST_BEST
    return copies or partly or small or is_hedge(row, facts)


def partly_right(row: SurveyRow, facts: Paid, full: float | None) -> bool:
    """Whether a part of the mark may be fair: less than half for a valid constant, any where a word too many costs.

    So may all of it where most words of what is seen are asked for, and whatever is earned of a score without a known
    end: the best that was found within a budget may be the price for giving up, also with nonsense in a field that is
    not read then.

    Args:
        row: Who earns it.
        facts: What was flown.
        full: A full mark; None where none is known.
    """
    if row.kind in NAMES_ALL:
        asked = row.kind == Kind.SHOTGUN and are_needed(row, facts.survey)
        return asked or not never_cost(row, facts.survey)
    if full is None:
        return row.kind in VALID or is_unread(row, facts)
    return row.kind in VALID and worth(row) < HALF * full - ALIKE


def is_unread(row: SurveyRow, facts: Paid) -> bool:
    """Whether a valid action that is the same but for the row's field is paid as well: that is what is paid.

    Args:
        row: Who says something in a field.
        facts: What was flown.
    """
    return any(
        other.kind in VALID
        and besides_field(other, row.field) == besides_field(row, row.field)
        and worth(other) >= NEARLY * worth(row)
        for other in facts.rows
        if other.action is not None
    )


def besides_field(row: SurveyRow, name: str | None) -> Action:
    """What a row repeats, without one of its fields."""
    return {key: value for key, value in (row.action or {}).items() if key != name}


def is_hedge(row: SurveyRow, facts: Paid) -> bool:
    """Whether a constant number is a hedge: it earns the same on each seed, and other numbers more here and less there.

    So does a chance of one half under a proper score, and the middle of a scale where likeness is paid: whoever says
    anything else has to know something. Where a form is paid, or a claim, no other number earns more on some seeds and
    less on others.

    Args:
        row: Who sends the number.
        facts: What was flown, with other numbers in the same field.
    """
    mine = [total(e) for e in row.ended]
    if not is_constant_number(row) or max(mine) - min(mine) > ALIKE:
        return False
    more, less = set[str](), set[str]()
    for other in facts.rows:
        beside = (other.field, other.context) == (row.field, row.context)
        if not (is_constant_number(other) and beside) or other.action == row.action:
            continue
        pays = {seed: total(e) for seed, e in facts.keys.last(other.ended).items()}
        above = {seed for seed, paid in pays.items() if paid > mine[0] + ALIKE}
        below = {seed for seed, paid in pays.items() if paid < mine[0] - ALIKE}
        if above and below:
            more |= above
            less |= below
    return min(len(more), len(less)) >= LEAST_STRADDLED


def is_constant_number(row: SurveyRow) -> bool:
    """Whether a row sends the same number on each seed."""
    return row.kind == Kind.CONSTANT and is_number(value_at(row.action, row.field))


def half_of_each(row: SurveyRow, facts: Paid) -> bool:
    """Whether a row earns half of the best that is known on each of its seeds, of which one may be worth more.

    Where all earn the same on a seed, nobody was right there: it says nothing of what the seed is worth.
    """
    known = facts.keys.grouped(e for other in facts.rows for e in other.ended)
    mine = [(total(e), facts.keys.of(e)) for e in row.ended]
    if facts.survey.drawn or any(key is None for _, key in mine):
        return False
    pairs = [(paid, [*map(total, known[key])]) for paid, key in mine if key is not None]
    return all(
        mine > 0 and mine >= HALF * max(others) and min(others) < NEARLY * max(others)
        for mine, others in pairs
    )


def what_pays(row: SurveyRow, facts: Paid) -> str | None:
    """What a row that does not try would be paid for, as a finding's id; None of a row that may be trying."""
    if empty(row):
        return "paid_without_trying"
    if row.kind == Kind.SWEEP:
        return "emptying_pays" if wiped(row, facts.survey) else None
    if row.kind == Kind.EMPTYING and not facts.ends_as_idle(row):
        return "emptying_pays" if fmean(map(less_is_seen, row.ended)) >= MOSTLY else None
    one = row.kind == Kind.CONSTANT and row.action is not None
    if one and not facts.ends_as_idle(row) and fmean(map(lessened, row.ended)) >= MOSTLY:
        return "emptying_pays"
    if row.kind in {Kind.CONSTANT, Kind.EXTREME, Kind.NAN, Kind.BLANK}:
        return "paid_without_trying" if facts.several else None
    return STUFFED.get(row.kind)


def graded_at_end(episode: Episode) -> bool:
    """Whether nearly all that an episode earns is paid at its end, which the environment made."""
    last = (episode.turns[-1].reward or 0.0) if episode.turns else 0.0
    return not episode.cut and last > 0 and last >= MOSTLY * total(episode)


def whole_by_turns(episode: Episode) -> bool:
    """Whether an episode earns just a full mark, in equal shares of many turns.

    Who holds on is paid by the turn, whatever comes together; only a share of all turns adds up to 1. It counts where
    most of the others earn as much, so that nothing that is done matters.
    """
    pays = [turn.reward or 0.0 for turn in episode.turns]
    alike = len(pays) >= LEAST_TURNS and max(pays) - min(pays) <= ALIKE
    return alike and not episode.cut and abs(total(episode) - FULL) <= ALIKE


def graded_by_turn(row: SurveyRow, facts: Paid) -> bool:
    """Whether a text without content earns the best that is known, and each turn is graded as a report's sections are.

    So it is where all episodes have as many turns, whatever is done, and idling earns far less: then nobody is paid for
    holding on. Each turn has to be paid alike, whatever it asks for, and none may ask for a length. A list of words may
    be worth more to one turn than to another.
    """
    if row.kind not in {Kind.NONSENSE, Kind.LENGTH, Kind.WORDS} or facts.best < HALF:
        return False
    taken = (e for other in facts.rows for e in other.ended if plainly_ended(e))
    lengths = {len(episode.turns) for episode in taken}
    pays = [turn.reward or 0.0 for e in row.ended for turn in e.turns]
    alike = min(pays) > 0 and (row.kind == Kind.WORDS or max(pays) - min(pays) <= ALIKE)
    if len(lengths) != 1 or min(lengths) < SECTIONS or not alike:
        return False
    idle = facts.survey.idle
    best = worth(row) >= NEARLY * facts.best and worth(idle) < HALF * worth(row)
    return best and not any(
        asks_for_length(turn.observation) for e in idle.ended for turn in e.turns
    )


def asks_for_length(observation: Observation) -> bool:
    """Whether an observation says how long a text is to be, in words or by the name of a number."""
    shown = inside(observation)
    numbers = (path for path, value in shown.items() if is_number(value) and value > 0)
    named = any(map(LENGTH_NAMED.search, numbers))
    return named or any(LENGTH_SAID.search(v) for v in shown.values() if isinstance(v, str))
