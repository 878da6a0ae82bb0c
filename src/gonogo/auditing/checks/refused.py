"""Actions that the environment itself refuses in words, and pays.

``Unknown tool``, ``not found``, ``invalid``: an environment that answers so has seen that nothing was done. Where such
steps are paid all the same, as a clamp to a least reward or a pay for each call does, the same nonsense earns a part of
what solving the task does, and a learner finds it first. Blank actions and nonsense of each kind are sent for some
steps; what is refused and paid at each of them is flown to the end.

What names each thing in turn may be refused, too, and be paid as if it had been done. Where that earns all there is on
every seed, although most of its paid steps are refused, while others of the same kind are answered and paid alike, the
refusal decides nothing. It blocks where the refusal blames what was sent, and not what it found: by a status such as
422 beside answers of 2xx or 3xx, or because the same thing is answered when it is asked for rightly. ``404`` and ``not
found`` may be what a search is for: they are suspicious.

A reward for time explains the pay where idling, which is not refused, earns as much a step; so does one for lasting
where the best that is known lasted longer and earns no more a step. Whether a part of a score for nothing matters is
the author's to say: it is suspicious.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from statistics import fmean

from gonogo.auditing.blank_forms import blanks
from gonogo.auditing.checks.emptied import FULL, ROUNDING, best_everywhere
from gonogo.auditing.checks.paid import MOSTLY, NEARLY
from gonogo.auditing.resets import key_of
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import REFERENCE, SEEN, Survey, SurveyRow, seed_of, total
from gonogo.auditing.suspicions import NOT_TRYING, PAID, Suspicion
from gonogo.explore.observed import named
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.space import value_at
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

REFUSED_PAYS = "refused_action_pays"
REFUSED = "refused"
"""Kind of rows of actions that are refused in words and paid."""
MOST_BLANK, MOST_KEPT, MOST_OTHERS = 40, 2, 12
"""Blank actions that are tried, those that are flown to the end, and other actions of which one must be taken."""
SCREENED = 3
"""Steps of each that have to be refused and paid before it is flown to the end."""
LEAST_STEPS, LEAST_EPISODES = 4, 4
"""Steps of an episode, and episodes, that have to be so: less may be a token."""
MOST_CHARS = 80
REFUSES = re.compile(
    r"^\W*(?:[\w'-]+\W+){0,2}?(?:(?:unknown|invalid|unrecogni[sz]ed|unsupported|malformed|unparsable|no such|"
    r"not found|not (?:a )?valid|not recogni[sz]ed|does(?: not|n't) exist|(?:could|can)(?: ?not|n't) (?:be )?parsed?)"
    r"\b|error\s*(?:\d+\s*)?(?:[:!(-]|$))",
    re.IGNORECASE,
)
"""A text that refuses something in its first words: documents, logs and tales may hold such words further on."""
ERROR = re.compile(r"(?i)^error(?:_?(?:message|text))?$")
"""Keys of texts that are refusals whatever they say."""
NO_ERROR = re.compile(r"(?i)^\W*(?:(?:no|none|null|nil|n/?a|ok|okay|false|success)\b|$)")
"""How such a text says that there is none."""
STATUS = re.compile(r"(?i)^(?:http_?)?(?:status(?:_?code)?|code)$")
"""Keys of numbers that are statuses of an answer, as of HTTP."""
TAKEN, REFUSING = range(200, 400), range(400, 600)
"""Statuses of what was done, and of what was refused."""
BLAMING = frozenset({400, 405, 406, 411, 413, 414, 415, 417, 422, 428, 431})
"""Statuses that blame what was sent. The others may be news of what was asked for: it is gone, closed, or broken."""
MOST_REFUSED = 0.5
"""Share of the paid steps, and of their pay, more than which has to be refused."""


def refused_rows(
    session: AuditSession,
    flown: Survey,
    tasks: Sequence[TaskOptions],
    explored: Sequence[Episode] = (),
) -> Iterator[SurveyRow]:
    """Rows of the blank actions that are refused in words and paid at each of some steps, the dearest ones.

    An environment of whose answers every one speaks so refuses nothing by it: some other action has to be taken.

    Args:
        session: Where.
        flown: The survey.
        tasks: Reset options of a row's episodes.
        explored: What else was flown; a row that earns little beside it is left out.
    """
    if flown.broken_off or not tasks:
        return
    some = blanks(session.space)[:MOST_BLANK]
    session.part.expect(len(some))
    plans = [(tasks[0], [action] * SCREENED) for _, action in some]
    name = "nothing, some times"
    tried = session.plans(name, plans, whole=True, turns=SCREENED)
    paid = [
        (total(episode), number)
        for number, episode in enumerate(tried)
        if episode.error is None and len(episode.turns) == SCREENED and all(refusals(episode))
    ]
    dearest = [some[n] for _, n in sorted(paid, key=lambda each: -each[0])[:MOST_KEPT]]
    if not dearest or not takes_another(session, tasks[0]):
        return
    known = [total(e) for e in explored if e.error is None and e.episode_return is not None]
    for said, action in dearest:
        row = row_of(session, f"{said}, refused in words", action, tasks)
        if row.ended and min(map(total, row.ended)) >= PAID * max(known, default=0.0):
            yield row


def takes_another(session: AuditSession, task: TaskOptions) -> bool:
    """Whether the environment answers some plain action without a word of refusal."""
    actions = session.space.constants(MOST_OTHERS)
    flown = session.plans(
        "plain actions, once", [(task, [a]) for a in actions], whole=True, turns=1
    )
    return any(
        e.error is None and e.turns and e.turns[0].invalid is None and told(e)[0] is None
        for e in flown
    )


def row_of(
    session: AuditSession, name: str, action: Action, tasks: Sequence[TaskOptions]
) -> SurveyRow:
    """The row of one action again and again, with all that is seen."""

    def again(session: AuditSession, tasks: Sequence[TaskOptions], _: Survey) -> SurveyRow:
        return row_of(session, name, action, tasks)

    episodes = session.plans(name, [(task, [action]) for task in tasks], whole=True)
    return SurveyRow(name, REFUSED, episodes, action=action, again=again)


def told(episode: Episode) -> list[str | None]:
    """After each turn the text that refuses it; None where none does, or only what the reset said already."""
    known = set(said_in(episode.turns[0].observation)) if episode.turns else set()
    return [refusal_in(shown, known) for shown in shown_after(episode)]


def shown_after(episode: Episode) -> list[Observation]:
    """What each turn of an episode is answered with."""
    after = [turn.observation for turn in episode.turns[1:]] + [episode.final_observation]
    return after[: len(episode.turns)]


def refusal_in(shown: Observation, known: set[str]) -> str | None:
    """What refuses something in an observation, but for what is known: a status, or a text that begins so."""
    return next((said for said in said_in(shown) if said not in known), None)


def said_in(shown: Observation) -> Iterator[str]:
    """What refuses something in an observation: statuses with their keys first, then texts."""
    yield from (f"{key} {code}" for key, code in statuses(shown) if code in REFUSING)
    for (key, _), value in named(shown, keys=False):
        if isinstance(value, str):
            error = ERROR.match(key) and not NO_ERROR.match(value)
            if error or refuses(value):
                yield value


def statuses(shown: Observation) -> Iterator[tuple[str, int]]:
    """The statuses of an observation, each with its key."""
    for (key, _), value in named(shown, keys=False):
        if isinstance(value, int) and STATUS.match(key):
            yield key, value


def refuses(text: str) -> bool:
    """Whether a text refuses something in its first words."""
    begins = text.strip().splitlines()[:1]
    return bool(begins) and REFUSES.search(begins[0]) is not None


def refusals(episode: Episode) -> list[bool]:
    """Of each turn, whether it is refused in words and paid."""
    both = zip(episode.turns, told(episode), strict=True)
    return [said is not None and (turn.reward or 0.0) > 0 for turn, said in both]


def refused_pays(survey: Survey) -> Iterator[Suspicion]:
    """Actions that are refused in words at nearly each step, and earn a quarter of the best on every seed.

    Args:
        survey: What was flown, with the rows of :func:`refused_rows`.
    """
    known = [e for row in survey.rows if row.kind != REFUSED for e in row.ended if e.turns]
    if not known:
        return
    best = max(known, key=total)
    idle = [turn.reward or 0.0 for e in survey.idle.ended for turn in e.turns]
    idle_step = fmean(idle) if idle else 0.0
    refuses_idle = any(said is not None for e in survey.idle.ended for said in told(e))
    for row in survey.of_kind(REFUSED):
        long = [e for e in row.ended if len(e.turns) >= LEAST_STEPS]
        if len(long) < LEAST_EPISODES or len(long) < len(row.ended):
            continue
        if min(fmean(refusals(e)) for e in long) < MOSTLY:
            continue
        least, step = min(long, key=total), fmean(total(e) / len(e.turns) for e in long)
        for_time = not refuses_idle and idle_step >= PAID * step
        if for_time or total(least) < PAID * total(best) or lasts(best, least):
            continue
        said = next(text for text in told(least) if text is not None)
        share = f"the best of the policies that were flown is paid {total(best):g}"
        yield Suspicion(
            REFUSED_PAYS,
            row,
            least,
            f"{row.name}: {len(least.turns)} steps, refused with texts such as {shortened(said)!r}, earn "
            f"{total(least):g} in total, and no less on any of {len(long)} seeds; {share}",
            total(least) / (1.0 + total(least)),
            Severity.SUSPICIOUS,
        )


@dataclass(frozen=True, slots=True)
class PaidTurn:
    """A step that is paid, and how it was answered.

    Attributes:
        action: What was sent.
        pay: What it earns.
        refusal: What refuses it; None where nothing does.
        answer: What was seen after it.
    """

    action: Action
    pay: float
    refusal: str | None
    answer: Observation

    @property
    def blamed(self) -> bool:
        """Whether a status blames what was sent."""
        return any(code in BLAMING for _, code in statuses(self.answer))

    @property
    def taken(self) -> bool:
        """Whether a status says that it was done."""
        return self.refusal is None and any(code in TAKEN for _, code in statuses(self.answer))


def paid_turns(episode: Episode) -> list[PaidTurn]:
    """The paid steps of an episode of which is known what was seen; none of any other."""
    if not episode.turns or not any(turn.observation for turn in episode.turns):
        return []
    each = zip(episode.turns, told(episode), shown_after(episode), strict=True)
    return [
        PaidTurn(turn.action, pay, said, shown)
        for turn, said, shown in each
        if turn.action is not None and (pay := turn.reward or 0.0) > 0
    ]


def refused_in_full(survey: Survey) -> Iterator[Suspicion]:
    """Rows that do not try and earn all there is, although most of their paid steps are refused.

    Others of the same kind, which differ from them in the row's field, are answered without a refusal and paid alike.

    Args:
        survey: What was flown.
    """
    idle_step = mean_step(survey.idle)
    for row in survey.of_kind(*SEEN & NOT_TRYING):
        fits = row is not survey.idle and row.field is not None and len(row.ended) >= LEAST_EPISODES
        if not fits or not best_everywhere(row, survey) or idle_step >= PAID * mean_step(row):
            continue
        paid = {seed_of(e.task): paid_turns(e) for e in row.ended}
        if not all(map(mostly_refused, paid.values())):
            continue
        answered = answered_rightly(survey, row)
        if not paid_as_if_done(paid, answered) or not refusals_pass(survey):
            continue
        turns = [(seed, turn) for seed, each in paid.items() for turn in each]
        refused = [(seed, turn) for seed, turn in turns if turn.refusal is not None]
        by_status = any(turn.taken for each in answered.values() for turn in each)
        at_fault = [
            (turn.blamed and by_status) or asked_rightly(turn, answered.get(seed, []), row.field)
            for seed, turn in refused
        ]
        blocks = earns_whole(row, survey) and fmean(at_fault) >= MOSTLY
        said = shortened(refused[0][1].refusal or "")
        pays = sum(turn.pay for _, turn in refused) / len(row.ended)
        yield Suspicion(
            REFUSED_PAYS,
            row,
            min(row.ended, key=total),
            f"{row.name}: {len(refused)} of {len(turns)} paid steps on {len(row.ended)} seeds are refused, as with "
            f"{said!r}, and earn {pays:g} of {fmean(map(total, row.ended)):g} in an episode, the best that is known; "
            f"others of the same kind are answered without a refusal and paid hardly more",
            1.0 + blocks,
            Severity.EFFORTLESS if blocks else Severity.SUSPICIOUS,
        )


def mean_step(row: SurveyRow) -> float:
    """What a step of a row earns on average."""
    steps = [turn.reward or 0.0 for e in row.ended for turn in e.turns]
    return fmean(steps) if steps else 0.0


def mostly_refused(turns: Sequence[PaidTurn]) -> bool:
    """Whether most of some paid steps, and most of what they earn, are refused, and are no token."""
    refused = [turn.pay for turn in turns if turn.refusal is not None]
    most = sum(refused) > MOST_REFUSED * sum(turn.pay for turn in turns)
    return len(refused) >= LEAST_STEPS and len(refused) > MOST_REFUSED * len(turns) and most


def answered_rightly(survey: Survey, row: SurveyRow) -> dict[str, list[PaidTurn]]:
    """The paid steps of the same kind as a row's that are not refused, by the seed; whoever took them."""
    kind = {key_of(list(each)) for each in row_kind(row)}
    found: dict[str, list[PaidTurn]] = {}
    for other in survey.of_kind(*SEEN, REFERENCE):
        for episode in other.ended:
            found.setdefault(seed_of(episode.task), []).extend(
                turn
                for turn in paid_turns(episode)
                if turn.refusal is None
                and kind <= {key_of(list(each)) for each in turn.action.items()}
            )
    return found


def row_kind(row: SurveyRow) -> list[tuple[str, JsonValue]]:
    """What all actions of a row's kind have in common: the values beside its field that say what is done."""
    beside = row.context if row.context is not None else row.action or {}
    begins = (row.field or "").partition(".")[0]
    plain = [(name, value) for name, value in beside.items() if name != begins]
    return [(name, value) for name, value in plain if isinstance(value, str) and value]


def paid_as_if_done(paid: dict[str, list[PaidTurn]], answered: dict[str, list[PaidTurn]]) -> bool:
    """Whether what is refused earns what is answered earns, on each seed on which both are known, and on several.

    Args:
        paid: The paid steps of a row, by the seed.
        answered: Those that are not refused.
    """
    both = [
        (fmean(t.pay for t in turns if t.refusal is not None), fmean(t.pay for t in answered[seed]))
        for seed, turns in paid.items()
        if answered.get(seed)
    ]
    return len(both) >= LEAST_EPISODES and all(mine >= NEARLY * theirs for mine, theirs in both)


def refusals_pass(survey: Survey) -> bool:
    """Whether some refusal is seen no more after the next step: one that stays says nothing of later steps."""
    flown = (e for row in survey.of_kind(*SEEN, REFERENCE) for e in row.ended if paid_turns(e))
    steps = (both for e in flown for both in pairwise(told(e)))
    return any(before is not None and after is None for before, after in steps)


def asked_rightly(turn: PaidTurn, answered: Sequence[PaidTurn], field: str | None) -> bool:
    """Whether the thing that a refused step names is answered without a refusal when it is sent otherwise."""
    thing = value_at(turn.action, field)
    others = [other for other in answered if other.action != turn.action]
    return thing is not None and any(value_at(other.action, field) == thing for other in others)


def earns_whole(row: SurveyRow, survey: Survey) -> bool:
    """Whether a row earns all there is: a full mark, a success that is not assumed, or what somebody meant to earn."""
    if survey.of_kind(REFERENCE):
        return True
    whole = [abs(total(e) - FULL) <= ROUNDING for e in row.ended]
    return all(whole) or (not survey.assumed and all(e.success is True for e in row.ended))


def lasts(best: Episode, least: Episode) -> bool:
    """Whether the best that is known earns no more a step, and only lasted longer: then lasting may be the game."""
    step = total(least) / len(least.turns)
    return len(best.turns) > len(least.turns) and step >= NEARLY * total(best) / len(best.turns)


def shortened(said: str) -> str:
    """The beginning of a text, for a reader."""
    return said if len(said) <= MOST_CHARS else f"{said[:MOST_CHARS]}…"
