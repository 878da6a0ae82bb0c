"""What the environment raises at actions of its own schema, and what that costs: a success, or the whole episode.

A refusal that the environment means is raised by a ``raise`` of its own, and leaves the episode where it was. Any
other error at an action that the schema admits is one that nobody meant, wherever it escapes from. It blocks where
something came of it (the step was counted or the episode went on without an answer, every action after it is answered
with it, or it stands where the policy that is to succeed does), and where errors are not how the environment refuses:
it answers most nonsense. Else it may stand for a refusal, and is suspicious.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from gonogo.auditing.checks.contract_breaks import Suspect
from gonogo.auditing.confirmation import Confirmed
from gonogo.auditing.session import AuditSession, LastAnswer
from gonogo.auditing.survey import BROKEN, REFERENCE, Survey, SurveyRow
from gonogo.contract.outside import lacks
from gonogo.exploits.panel import Kind
from gonogo.exploits.witness import ddmin, encode, simplify
from gonogo.records.findings import ContractWitness, Severity
from gonogo.records.inspection import RaisedError
from gonogo.rollouts.episodes import Episode, Turn
from gonogo.rollouts.types import Failure
from gonogo.wire import Action, JsonValue, Observation, TaskOptions

LOOKS = 12
"""Refusals that are looked at in a turn: none that was looked at before, each of another error or message."""
MOST_UNSEEN = 3
"""Errors that nobody looked into which are named."""
CONVERSIONS = frozenset({"ValueError", "TypeError", "ValidationError", "JSONDecodeError"})
"""What is raised where a value is none of a type, such as a text that is no number."""
TESTS = 60
HALF = 0.5
"""Share of the nonsense from which an environment has an answer to nonsense."""
ACTIONS = 4
"""Actions that have to raise, too, for an episode to be stuck."""
NAMES = re.compile(r"\d+|'[^']*'|\"[^\"]*\"")
"""What differs between two messages of the same refusal."""


@dataclass(frozen=True, slots=True)
class Raised:
    """An error that the environment raised at an action.

    Attributes:
        suspect: The episode up to the action.
        error: Its ``type``, what was ``said``, and ``file``, ``line`` and ``code`` of the environment; of a server
            only what was said.
    """

    suspect: Suspect
    error: RaisedError

    @property
    def words(self) -> str:
        """The error and its line, for a reader."""
        error = self.error
        if self.of_a_server:
            return error.said
        where = f"{error.file}:{error.line}: {error.code}"
        return f"{error.type}: {error.said} ({where})"

    @property
    def of_a_server(self) -> bool:
        """Whether only its text is known, so that it may be a refusal that is meant."""
        return self.error.file is None


def raised(
    session: AuditSession, flown: Survey, known: Collection[str] = ()
) -> tuple[list[Raised], set[str]]:
    """The errors of a survey that no refusal explains, each once.

    Args:
        session: Where the survey was flown.
        flown: It.
        known: What was looked into before, as this answers it.

    Returns:
        The errors, and what was looked into now: the keys of what was flown again, and of the errors.
    """
    found: dict[str, Raised] = {}
    looked: set[str] = set()
    for suspect in refusals(flown, known)[:LOOKS]:
        looked.add(key_at(suspect))
        error = error_at(session, suspect.episode.task, suspect.actions)
        placed = error is not None and error.file is not None
        if error is not None and (placed or ends_refused(suspect.row)):
            found.setdefault(key_of(error), Raised(suspect, error))
    return [each for key, each in found.items() if key not in known], looked | found.keys()


def key_of(error: RaisedError) -> str:
    """What tells an error from others: its line; of a server its words, but for what they name."""
    if error.file is None:
        return NAMES.sub("", error.said)
    return f"{error.type} {error.file}:{error.line}"


def met_in(flown: Survey, fresh: Survey, explored: Sequence[Episode]) -> Survey:
    """A survey with what was flown beside it, where an error may have been met alone.

    Args:
        flown: It.
        fresh: What was flown to confirm.
        explored: Exploration's episodes, of which those count in which something was raised that nobody meant.
    """
    erred = [each for each in explored if any(turn.erred for turn in each.turns)]
    return flown.plus([*fresh.rows, SurveyRow("exploration", Kind.RANDOM, erred)])


def refusals(flown: Survey, known: Collection[str] = ()) -> list[Suspect]:
    """What was not looked into yet: the first of each error that nobody meant, then the first refusal of each message.

    Args:
        flown: The survey; of its rows those of policies that are to succeed come first.
        known: The keys of what was looked into.
    """
    rows = sorted(flown.rows, key=lambda row: row.kind != REFERENCE)
    told: dict[str, Suspect] = {}
    for suspect in refused_in(rows):
        turn = turn_of(suspect)
        told.setdefault(turn.erred or NAMES.sub("", turn.invalid or ""), suspect)
    fresh = [suspect for suspect in told.values() if key_at(suspect) not in known]
    return sorted(fresh, key=lambda each: not turn_of(each).erred)


def refused_in(rows: Iterable[SurveyRow]) -> Iterator[Suspect]:
    """Each action of the schema that was refused."""
    for row in rows:
        for episode in row.episodes if row.kind != Kind.MALFORMED else ():
            for number, turn in enumerate(episode.turns, start=1):
                if turn.invalid is not None and turn.action is not None:
                    yield Suspect(row, episode, number)


def key_at(suspect: Suspect) -> str:
    """What tells a refusal from others before it is flown again.

    Of an error that nobody meant, its type and line, as :func:`key_of` has it. Else its words, but for what they name,
    and whether a policy that is to succeed met it: only of those are the words of a server an error.
    """
    turn = turn_of(suspect)
    guide = f"{REFERENCE}: " if suspect.row.kind == REFERENCE else ""
    return turn.erred or guide + NAMES.sub("", turn.invalid or "")


def not_looked_into(flown: Survey, known: Collection[str]) -> tuple[list[str], list[str]]:
    """What a survey met and nobody looked into before the audit ended, as sentences.

    Args:
        flown: The survey.
        known: The keys of what was looked into.

    Returns:
        What may block, and what may not: a value that means nothing was not converted, where such are refused.
    """
    told: tuple[list[str], list[str]] = [], []
    for suspect in refusals(flown, known):
        turn = turn_of(suspect)
        if turn.erred:
            told[is_conversion(turn.erred, flown)].append(
                f"{suspect.row.name}: {turn.invalid} is an error that the audit ended before it looked into"
            )
    return told[0][:MOST_UNSEEN], told[1][:MOST_UNSEEN]


def is_conversion(key: str, flown: Survey) -> bool:
    """Whether an error is only that of a conversion, met by policies that do not try, where nonsense is refused.

    Args:
        key: Its type and line.
        flown: All that was flown.
    """
    met = [each for each in refused_in(flown.rows) if turn_of(each).erred == key]
    return (
        key.partition(" ")[0] in CONVERSIONS
        and all(each.row.kind in {*Kind, BROKEN} for each in met)
        and any(refuses_nonsense(each, flown) for each in met)
    )


def refuses_nonsense(suspect: Suspect, flown: Survey) -> bool:
    """Whether what was refused is a value that means nothing, such as are mostly refused there."""
    rows = [row for row in flown.of_kind(Kind.NONSENSE) if suspect.row.field in {None, row.field}]
    turn = turn_of(suspect)
    texts = (value for value in (turn.action or {}).values() if isinstance(value, str))
    named = any(repr(text) in (turn.invalid or "") for text in texts)
    about = suspect.row.field is not None or named
    return bool(rows) and about and not answers_nonsense(suspect.row.field, flown)


def turn_of(suspect: Suspect) -> Turn:
    """The turn that is suspected."""
    return suspect.episode.turns[suspect.turns - 1]


def error_at(
    session: AuditSession, options: TaskOptions, actions: Sequence[Action]
) -> RaisedError | None:
    """The error that the last of some actions raises; None where it raises none, or one that is meant."""
    seen = session.look(options, actions)
    if seen.raw is None:
        refusal = None if isinstance(seen.answer, Failure) else seen.answer.refusal
        if refusal is None:
            return None
        return RaisedError(type=None, said=refusal, file=None, line=None, code=None, meant=False)
    error = seen.raw.raised
    return None if error is None or error.meant else error


def prove_raised(
    session: AuditSession, task: TaskOptions, found: Sequence[Raised], flown: Survey
) -> tuple[list[Confirmed], list[str]]:
    """Fly errors again in a fresh process, on the shortest way to each, and see what comes of them.

    Args:
        session: The fresh process.
        task: Reset options of the task, without a seed.
        found: What was raised.
        flown: The survey.

    Returns:
        What is proven, and notes about what is not.
    """
    proofs, notes = [], []
    for error in found:
        name = error.suspect.row.name
        plan = shortest_to(session, error)
        if not plan:
            notes.append(f"{name}: {error.words} was not raised again in a fresh process")
            continue
        # Of fewer and plainer actions the same line may say something else.
        error = replace(
            error, error=error_at(session, error.suspect.episode.task, plan) or error.error
        )
        came = next(consequences(session, error, plan, flown), None)
        if came is not None:
            why = lacks(error.error.said)
            said = f"{came[1]}; {why}" if why else came[1]
            proof = proof_of(session, task, error, plan, came[0], said)
            if proof is not None:
                proofs.append(proof.weighing(Severity.SUSPICIOUS) if why else proof)
        elif not error.of_a_server:
            said = "which may stand for a refusal: the episode stays where it was"
            proof = proof_of(session, task, error, plan, "action_raises", said)
            proofs += [] if proof is None else [proof.weighing(Severity.SUSPICIOUS)]
    return proofs, notes


def shortest_to(session: AuditSession, found: Raised) -> list[Action]:
    """The shortest and plainest actions that lead to the error; empty where it is not raised again."""
    options = found.suspect.episode.task

    def holds(plan: Sequence[Action]) -> bool:
        error = error_at(session, options, plan)
        return error is not None and key_of(error) == key_of(found.error)

    actions = found.suspect.actions
    if not holds(actions):
        return []
    plan = ddmin(actions, holds, TESTS)
    idle = session.space.idle()
    return [*plan[:-1], simplify(plan[-1], idle, lambda action: holds([*plan[:-1], action]))]


def consequences(
    session: AuditSession, found: Raised, plan: Sequence[Action], flown: Survey
) -> Iterator[tuple[str, str]]:
    """What comes of an error, each as a finding's id and words."""
    options, row = found.suspect.episode.task, found.suspect.row
    others = session.space.constants(ACTIONS)
    if all(error_at(session, options, [*plan, action]) is not None for action in others):
        tried = f"all {len(others)} actions that were tried after it"
        yield "step_raises", f"and {tried}, each in its own episode, are answered with an error"
    if found.of_a_server:
        return
    if (moved := moves(session, options, plan, others[0])) is not None:
        yield "action_raises", f"and the episode goes on all the same: {moved}"
    if ends_refused(row) and not any(row.succeeded for row in flown.rows):
        yield "action_raises", f"and nobody succeeds: every episode of {row.name} ends in it"
    if answers_nonsense(row.field, flown):
        yield "action_raises", "where other nonsense is answered, and no error stands for a refusal"


def ends_refused(row: SurveyRow) -> bool:
    """Whether a row is of a policy that is to succeed, and every episode of it ends refused."""
    return row.kind == REFERENCE and refused_to_the_end(row) is not None


def refused_to_the_end(row: SurveyRow) -> str | None:
    """What the environment said last in each of a row's episodes, where it refused; None where it accepted one."""
    last = [e.turns[-1].invalid if e.turns else None for e in row.episodes if e.error is None]
    return None if not last or None in last else last[0]


def moves(
    session: AuditSession, options: TaskOptions, plan: Sequence[Action], idle: Action
) -> str | None:
    """In what an episode differs after an action that raised; None where it stands where it was, or cannot be told."""
    was, now = (steps_of(session.look(options, some)) for some in (plan[:-1], plan))
    if was is not None and now is not None and was != now:
        return f"step_count is {now!r} after it, not {was!r}"
    before = [*plan[:-1], idle]
    without, again, after = (
        standing(session.look(options, some)) for some in (before, before, [*plan, idle])
    )
    if without is None or after is None or without != again:
        return None
    said = (
        f"{name} is {now!r} after the next action, not {then!r}"
        for name, then, now in zip(STANDING, without, after, strict=True)
        if then != now
    )
    return next(said, None)


def answers_nonsense(field: str | None, flown: Survey) -> bool:
    """Whether most texts that mean nothing, in a field or anywhere, are answered and not refused."""
    rows = [row for row in flown.of_kind(Kind.NONSENSE) if field in {None, row.field}]
    told = [turn.invalid is None for row in rows for e in row.episodes for turn in e.turns[:1]]
    return bool(told) and fmean(told) > HALF


STANDING = ("step_count", "done", "the reward", "the observation")
"""What :func:`standing` tells."""


def standing(seen: LastAnswer) -> tuple[JsonValue, bool, float | None, Observation] | None:
    """What an answer says of where an episode stands; None where it was lost or refused."""
    answer = seen.answer
    if isinstance(answer, Failure) or answer.refusal is not None:
        return None
    return steps_of(seen), answer.done, answer.reward, answer.observation


def steps_of(seen: LastAnswer) -> JsonValue:
    """The steps that the state counts; None where it counts none."""
    return (seen.state or {}).get("step_count")


def proof_of(
    session: AuditSession,
    task: TaskOptions,
    found: Raised,
    plan: Sequence[Action],
    name: str,
    said: str,
) -> Confirmed | None:
    """The finding with the episode that ends in the error; None where it is not flown so."""
    options, who = found.suspect.episode.task, found.suspect.row.name
    (flown,) = session.plans("witness", [(options, plan)], whole=True)
    turns = flown.turns[: len(plan)]
    if len(turns) < len(plan) or turns[-1].invalid is None:
        return None
    episode = replace(
        flown, turns=turns, episode_return=None, success=None, components={}, timeout=False,
        error=None, replays="same",
    )  # fmt: skip
    witness = ContractWitness(
        reset=options,
        actions=encode(plan),
        rewards=flown.rewards[: len(plan)],
        raised=found.error,
    )
    words = f"{who}: step {len(plan)} raises {found.words}, {said}"
    return Confirmed.of(name, task, witness, words, episode, who)
