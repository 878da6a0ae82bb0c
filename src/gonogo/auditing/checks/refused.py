"""Actions that the environment itself refuses in words, and pays.

``Unknown tool``, ``not found``, ``invalid``: an environment that answers so has seen that nothing was done. Where such
steps are paid all the same, as a clamp to a least reward or a pay for each call does, the same nonsense earns a part of
what solving the task does, and a learner finds it first. Blank actions and nonsense of each kind are sent for some
steps; what is refused and paid at each of them is flown to the end.

A reward for time explains the pay where idling, which is not refused, earns as much a step; so does one for lasting
where the best that is known lasted longer and earns no more a step. Whether a part of a score for nothing matters is
the author's to say: it is suspicious.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import fmean

from gonogo.auditing.blank_forms import blanks
from gonogo.auditing.checks.paid import MOSTLY, NEARLY
from gonogo.auditing.session import AuditSession
from gonogo.auditing.survey import Survey, SurveyRow, total
from gonogo.auditing.suspicions import PAID, Suspicion
from gonogo.explore.novelty import texts_in
from gonogo.records.findings import Severity
from gonogo.rollouts.episodes import Episode
from gonogo.wire import Action, Observation, TaskOptions

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
    after = [turn.observation for turn in episode.turns[1:]] + [episode.final_observation]
    known = {text for _, text in texts_in(episode.turns[0].observation)} if episode.turns else set()
    return [refusal_in(shown, known) for shown in after[: len(episode.turns)]]


def refusal_in(shown: Observation, known: set[str]) -> str | None:
    """The text of an observation that begins with a refusal, but for those that are known."""
    said = (text for _, text in texts_in(shown) if text not in known and refuses(text))
    return next(said, None)


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
        quoted = said if len(said) <= MOST_CHARS else f"{said[:MOST_CHARS]}…"
        share = f"the best of the policies that were flown is paid {total(best):g}"
        yield Suspicion(
            "refused_action_pays",
            row,
            least,
            f"{row.name}: {len(least.turns)} steps, refused with texts such as {quoted!r}, earn {total(least):g} in "
            f"total, and no less on any of {len(long)} seeds; {share}",
            total(least) / (1.0 + total(least)),
            Severity.SUSPICIOUS,
        )


def lasts(best: Episode, least: Episode) -> bool:
    """Whether the best that is known earns no more a step, and only lasted longer: then lasting may be the game."""
    step = total(least) / len(least.turns)
    return len(best.turns) > len(least.turns) and step >= NEARLY * total(best) / len(best.turns)
