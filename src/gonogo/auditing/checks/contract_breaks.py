"""What breaks the contract where the map's flights did not come: NaN, lost episodes, what success is paid.

Suspected from a survey, and proven in a fresh process by flying the same actions alone. A null on the wire is
either no reward or NaN: only the answer before it was JSON tells, which a server's client never sees.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice

from gonogo.auditing.confirmation import Confirmed, prove_shortest
from gonogo.auditing.exploration import distinct
from gonogo.auditing.session import AuditSession, LastAnswer, plan_key
from gonogo.auditing.survey import Survey, SurveyRow, total
from gonogo.contract.reset_search import MOST_RESETS, Before, ResetSearch, past_resets
from gonogo.env.target import UrlTarget
from gonogo.exploits.witness import Witness, actions_of, encode
from gonogo.records.contract import ContractReport
from gonogo.records.findings import ContractWitness
from gonogo.records.tables import in_a_line, reset_text
from gonogo.rollouts.episodes import Episode, Turn, added_by_step
from gonogo.rollouts.types import Failure
from gonogo.wire import Action, Observation, TaskOptions

LOOKS = 4
"""Episodes that are flown again for each kind of break; one that hangs takes a timeout each time."""
SHORT = 40
"""Turns up to which an episode is flown again for other actions after its end."""
ROUNDING = 1e-9
LATE = "paid_after_done"
REVIVED = "revived_after_done"
LOSSES = {
    "timeout": "hangs",
    "died": "dies",
    "identity": "silent_reset",
    "malformed": "answer_not_json",
}


@dataclass(frozen=True, slots=True)
class Suspect:
    """An episode to fly again.

    Attributes:
        row: Whose it is.
        episode: Up to what is suspected.
        turns: How many of its turns that are.
    """

    row: SurveyRow
    episode: Episode
    turns: int

    @property
    def actions(self) -> list[Action]:
        """What was sent."""
        return actions_of(self.episode.turns[: self.turns])

    @property
    def key(self) -> str:
        """What tells its flight from others: reset options and actions."""
        return plan_key(self.episode.task, self.actions)


@dataclass(frozen=True, slots=True)
class Suspects:
    """What is to be flown again.

    Attributes:
        nulls: Episodes with a reward that may be NaN.
        lost: Episodes that were lost.
        strays: Episodes with a reward outside the declared range.
    """

    nulls: list[Suspect]
    lost: list[Suspect]
    strays: list[Suspect]

    def __bool__(self) -> bool:
        return bool(self.nulls or self.lost or self.strays)


Prove = Callable[[AuditSession, TaskOptions, Suspect], Confirmed | None]
"""Flies a suspect again, alone in a fresh process."""
LeftOut = Collection[tuple[str, str]]
"""What is flown no more: what an episode is suspected of, with its :attr:`Suspect.key`, or with what ended it."""
VALUES = re.compile(r"0x[0-9a-fA-F]+|\d+")
NULL, LOST, STRAY = "null", "lost", "stray"
"""What an episode may be suspected of: an unpaid turn, a loss, a reward outside the range."""


class BreakProofs:
    """Proves contract breaks, one suspect after another.

    What was proven in a running session may not come back in a process that flew nothing. Then the next suspect is
    tried, and that one never again: it says nothing of the others with the same id. What is proven is not flown again.
    Of losses those are tried that end with another error: they may be of another kind.

    Args:
        card: The map.
        known: Gives the ids of all that is proven.
        stands: Takes up a proof, and says whether a process that flew nothing shows it.
    """

    def __init__(
        self,
        card: ContractReport,
        known: Callable[[], Collection[str]],
        stands: Callable[[Confirmed], bool],
    ) -> None:
        self._card, self._known, self._stands = card, known, stands
        self._left_out = set[tuple[str, str]]()
        self._ids = dict[str, str]()

    def suspects(self, survey: Survey) -> Suspects:
        """What a survey makes suspect, without what was tried in vain, and without losses as one that is proven."""
        return suspect(survey, self._card, self._left_out)

    def prove(self, session: AuditSession, task: TaskOptions, suspects: Suspects) -> list[str]:
        """Prove of each kind that is not proven the first suspect that stands, and of losses each other one.

        Args:
            session: A process that did not fly the survey.
            task: Reset options of the task, without a seed.
            suspects: What is flown.

        Returns:
            What could not be told, as sentences.
        """
        kinds: Sequence[tuple[str, list[Suspect], Prove]] = (
            (NULL, suspects.nulls, prove_nan),
            (LOST, suspects.lost, prove_loss),
            (STRAY, suspects.strays, partial(prove_range, self._card)),
        )
        proven = {kind for kind, some, way in kinds if self._one(session, task, kind, some, way)}
        nulls = suspects.nulls
        if not nulls or NULL in proven or session.look(nulls[0].episode.task, []).raw is not None:
            return []
        return [
            f"the reward of {nulls[0].row.name} is null: the environment gave None or NaN, and the server's JSON does "
            "not tell which. To see which, audit the environment's folder or import path"
        ]

    def _one(
        self,
        session: AuditSession,
        task: TaskOptions,
        kind: str,
        suspects: Sequence[Suspect],
        prove_one: Prove,
    ) -> bool:
        """Whether a kind is proven, by now or by one of its suspects that stands."""
        stands = self._ids.get(kind) in self._known()
        for each in suspects:
            if stands and kind != LOST:
                break
            if kind == LOST and (LOST, said_of(each.episode)) in self._left_out:
                continue
            proof = prove_one(session, task, each)
            if proof is None:
                continue
            if proof.finding.id not in self._known() and not self._stands(proof):
                self._left_out.add((kind, each.key))
                continue
            stands, self._ids[kind] = True, proof.finding.id
            if kind == LOST:
                self._left_out.add((LOST, said_of(each.episode)))
        return stands


def suspect(survey: Survey, card: ContractReport, left_out: LeftOut = ()) -> Suspects:
    """What a survey makes suspect.

    None in place of a reward is suspected where other episodes were paid a number at the same turn, or at
    their end.

    Args:
        survey: It.
        card: The map.
        left_out: What is flown no more.
    """
    episodes = [(row, episode) for row in survey.rows for episode in row.episodes]
    paid = {place for _, e in episodes for place, _, turn in places(e) if turn.reward is not None}
    nulls, strays = list[Suspect](), list[Suspect]()
    for row in survey.rows:
        found = (first_null(row, episode, paid) for episode in row.episodes)
        nulls += [n for n in found if n is not None and (NULL, n.key) not in left_out][:1]
        beyond = (each for each in out_of_range(row, card) if (STRAY, each.key) not in left_out)
        strays += [*islice(beyond, 1)]
    lost = (Suspect(row, e, len(e.turns)) for row, e in episodes if e.error is not None)
    known = {said for kind, said in left_out if kind == LOST}
    ends = (e for e in lost if e.actions and known.isdisjoint((e.key, said_of(e.episode))))
    return Suspects(nulls[:LOOKS], [*islice(ends, LOOKS)], strays[:LOOKS])


def said_of(episode: Episode) -> str:
    """What ended an episode, whatever numbers and addresses it names."""
    return VALUES.sub("#", str(episode.error))


def places(episode: Episode) -> Iterator[tuple[int, int, Turn]]:
    """The accepted turns, each after its place (-1 where the episode ends) and its number."""
    for number, turn in enumerate(episode.turns):
        if turn.invalid is None and turn.action is not None:
            yield -1 if turn.done else number, number, turn


def first_null(row: SurveyRow, episode: Episode, paid: set[int]) -> Suspect | None:
    """The first turn that is not paid where others are; None where there is none."""
    if episode.error is not None:
        return None
    for place, number, turn in places(episode):
        if turn.reward is None and place in paid:
            return Suspect(row, episode, number + 1)
    return None


def prove_nan(session: AuditSession, task: TaskOptions, suspect: Suspect) -> Confirmed | None:
    """The finding that a reward is no finite number."""
    raw = session.look(suspect.episode.task, suspect.actions).raw
    reward = None if raw is None else raw.reward
    if not reward or not reward.numeric or reward.finite:
        return None
    said = f"{suspect.row.name}: step {suspect.turns}: the reward is {reward.type} {reward.shown}"
    seen, ends = Witness.of(suspect.episode), partial(ends_unpaid, suspect)
    return prove_shortest(session, "nan_reward", task, seen, ends, said, suspect.row.name)


def ends_unpaid(suspect: Suspect, episode: Episode) -> bool:
    """Whether an episode's reward is null at the same turn, and it ends as the suspect does."""
    nulls = [number for _, number, turn in places(episode) if turn.reward is None]
    return suspect.turns - 1 in nulls and episode.success is suspect.episode.success


def prove_late(
    session: Callable[[], AuditSession],
    survey: Survey,
    looked: set[str],
    doubts: dict[str, str],
    *,
    revives: bool = False,
) -> list[Confirmed]:
    """The finding that a step after an end is paid, of the first end that shows it; the map saw only what chance ends.

    Args:
        session: Gives a fresh process.
        survey: What was flown.
        looked: Keys of the ends past which was looked; those of the new ones are added.
        doubts: What was suspected and no fresh process shows, by finding: what is seen here and not there is added.
        revives: Whether a step past an end is known to make the episode run again: what that pays is no more to say.
    """
    ends = {json.dumps([e.episode.task, e.actions]): e for e in ends_of(survey)}
    for key in [key for key in ends if key not in looked]:
        looked.add(key)
        suspect = ends[key]
        field = session()
        for action in after_end(suspect, field.space.idle()):
            actions = [*suspect.actions, action]
            look = field.look(suspect.episode.task, actions)
            if look.ended != len(suspect.actions):
                break  # it ends elsewhere, or no more: what comes next is no step after this end
            paid = look.answer
            if isinstance(paid, Failure) or paid.refusal is not None:
                continue
            if (pays_of(suspect, look)[-1] or 0.0) <= 0:
                continue
            if revives and not paid.done:
                continue
            proof = late_payment(field, survey, suspect, actions, look)
            if proof is None:
                doubts[LATE] = unseen_late(suspect, actions, look)
            return [] if proof is None else [proof]
    return []


def pays_of(suspect: Suspect, look: LastAnswer) -> tuple[float | None, ...]:
    """What each action was paid: what it added, where the suspect's rewards are running totals.

    Args:
        suspect: Whose actions were flown again.
        look: What was answered.
    """
    return added_by_step(look.rewards) if suspect.episode.totals else look.rewards


def late_payment(
    field: AuditSession, survey: Survey, suspect: Suspect, actions: list[Action], look: LastAnswer
) -> Confirmed | None:
    """The finding that a step after an end is paid: all it tells is of one flight, as a fresh process shows it.

    A server has no fresh process: there it is looked for at the resets of new sessions, where it comes out another when
    it is flown again. Where it is paid each time and each time otherwise, there is no episode that a replay would show
    again: the rewards of the one flight are what the finding holds.

    Args:
        field: Where it was flown.
        survey: What was flown before.
        suspect: The end.
        actions: What was sent, to the end and past it.
        look: What was answered.

    Returns:
        The finding; None where no reset of a fresh process shows a step after an end that is paid.
    """
    task, who = suspect.episode.task, suspect.row.name
    resets: Before = ()
    answered = zip(suspect.episode.turns, suspect.episode.rewards, strict=True)
    known = [(t, reward) for t, reward in islice(answered, suspect.turns) if t.action is not None]
    flown, paid = [turn for turn, _ in known], tuple(reward for _, reward in known)
    server = isinstance(field.target, UrlTarget)
    if not server or paid != look.rewards[:-1] or field.look(task, actions).rewards != look.rewards:
        found = late_at_some_reset(field, suspect, actions, look)
        if found is None and not server:
            return None
        if found is None or not comes_again(field, task, found, look):
            said = late_text(suspect, actions, look)
            said += (
                ", in one and the same episode. Flown again, the same actions were paid otherwise"
            )
            witness = late_witness(task, actions, look)
            proof = Confirmed.of(LATE, survey.task, witness, said, None, who)
            return replace(proof, settled=True)
        actions, look, resets = found
    said, witness = late_text(suspect, actions, look), late_witness(task, actions, look)
    if resets:
        said += f", {reset_text(resets)}"
        witness = witness.model_copy(update={"resets_before": resets})
    # Its last turn lies past the end: a replay of it does not stop there.
    over = not isinstance(look.answer, Failure) and look.answer.done
    turns = [
        replace(turn, reward=reward, done=number == look.ended)
        for number, (turn, reward) in enumerate(zip(flown, look.rewards[:-1], strict=False), 1)
    ]
    last = Turn("", {}, action=actions[-1], reward=look.rewards[-1], done=over)
    # What the suspect came to in the end was told before the last turn, and of another flight.
    episode = replace(
        suspect.episode, turns=[*turns, last], totals=(), episode_return=None, components={}, success=None,
        timeout=False, final_observation={}, final_metadata={}, final_state=None, replays="same", resets_before=resets,
    )  # fmt: skip
    return replace(Confirmed.of(LATE, survey.task, witness, said, episode, who), settled=True)


def comes_again(
    field: AuditSession,
    task: TaskOptions,
    found: tuple[list[Action], LastAnswer, Before],
    look: LastAnswer,
) -> bool:
    """Whether a late payment that a fresh process showed is the one that was seen, or comes so in a further process.

    Args:
        field: Whose environment it is.
        task: Reset options.
        found: What is sent, what was answered, and the resets before it.
        look: What was answered when it was seen.
    """
    actions, shown, before = found
    if before or shown.rewards == look.rewards:
        return True
    with closing(field.fresh()) as fresh:
        return fresh.look(task, actions).rewards == shown.rewards


def late_witness(task: TaskOptions, actions: Sequence[Action], look: LastAnswer) -> ContractWitness:
    """What was sent, to an end and past it, and what it was paid."""
    return ContractWitness(reset=task, actions=encode(actions), rewards=encode(look.rewards))


def late_text(suspect: Suspect, actions: Sequence[Action], look: LastAnswer) -> str:
    """What an end was paid, and a step after it, in words."""
    same = actions[-1] == actions[look.ended - 1]
    sent = "the same action, sent again" if same else f"{json.dumps(actions[-1])}, sent"
    pays = pays_of(suspect, look)
    earned, late = pays[look.ended - 1] or 0.0, pays[-1] or 0.0
    ended = f"step {look.ended} ended the episode and was paid {earned:g}"
    return f"{suspect.row.name}: {ended}; {sent} after the end, was paid {late:g}"


def unseen_late(suspect: Suspect, actions: Sequence[Action], look: LastAnswer) -> str:
    """Why a late payment that was seen is none, as a sentence."""
    return (
        f"{LATE} was seen in a running session, but a fresh process did not show it within {MOST_RESETS} resets "
        f"({late_text(suspect, actions, look)})"
    )


def late_at_some_reset(
    field: AuditSession, suspect: Suspect, actions: Sequence[Action], look: LastAnswer
) -> tuple[list[Action], LastAnswer, Before] | None:
    """A step after an end that is paid at the first reset of a process, or at a later one.

    There the episode may end sooner: then what is sent after the end follows that one.

    Args:
        field: Whose environment it is.
        suspect: The end.
        actions: What was sent, to the end and past it.
        look: What was answered.

    Returns:
        What is sent, to the end that it makes there and past it; what is answered; and the resets that come before.
        None where no number of resets gives it.
    """
    task = suspect.episode.task

    def fly_after(fresh: AuditSession, before: Before) -> LastAnswer:
        return fresh.look(task, actions, before or None, late=True)

    def shows(again: LastAnswer) -> bool:
        if isinstance(again.answer, Failure) or again.answer.refusal is not None:
            return False
        at_end = 0 < again.ended == len(again.rewards) - 1
        return at_end and (pays_of(suspect, again)[-1] or 0.0) > 0

    def same(one: LastAnswer, other: LastAnswer) -> bool:
        return shows(other) and one.rewards == other.rewards

    past = past_resets(task, field.resets_before(task, actions))
    search = ResetSearch(task, field.fresh, fly_after, shows, same, drawn=True)
    found = search.find(look, past)
    if found is None:
        return None
    again, before = found
    return [*actions[: again.ended], actions[-1]], again, before


def after_end(suspect: Suspect, idle: Action) -> list[Action]:
    """What is sent after an end: the action that made it; after a short episode idling and its dearest step as well.

    The same action again may be refused or fined as a repetition, where any other is paid.
    """
    sent = suspect.actions
    if len(sent) > SHORT:
        return sent[-1:]
    paid = [turn for turn in suspect.episode.turns if turn.action is not None]
    dearest = max(paid, key=lambda turn: turn.reward or 0.0).action
    return distinct([sent[-1], idle, *([] if dearest is None else [dearest])])


def ends_of(survey: Survey) -> list[Suspect]:
    """A few episodes that the environment ended, by the last action: successes first, then those that earn most."""
    best: dict[str, Suspect] = {}
    for row in survey.rows:
        for episode in row.ended:
            last = episode.turns[-1] if episode.turns else None
            if last is None or not last.done or last.action is None or last.invalid is not None:
                continue
            key = json.dumps(last.action, sort_keys=True)
            if key not in best or merit(episode) > merit(best[key].episode):
                best[key] = Suspect(row, episode, len(episode.turns))
    return sorted(best.values(), key=lambda each: merit(each.episode), reverse=True)[:LOOKS]


def merit(episode: Episode) -> tuple[bool, float]:
    """By what ends are put in order."""
    return episode.success is True, total(episode)


def out_of_range(row: SurveyRow, card: ContractReport) -> Iterator[Suspect]:
    """The first reward outside the declared range in each episode of a row, up to its turn.

    Args:
        row: What was flown.
        card: The map, which knows the manifest's range; without one an episode's own ``reward_range``
            counts, if it is the same from the first turn to the end.
    """
    for episode in row.episodes:
        limits = range_of(episode, card)
        for number, reward in enumerate(episode.rewards):
            if limits and reward is not None and not within(reward, limits):
                yield Suspect(row, episode, number + 1)
                break


def range_of(episode: Episode, card: ContractReport) -> list[float] | None:
    """The declared range: the manifest's, or what the metadata or observation tell; None where there is none.

    An observation's that changes from turn to turn is no declaration: it may be what the next step can be paid.
    """
    if card.reward.declared:
        return list(card.reward.declared)
    shown = [turn.observation.get("reward_range") for turn in episode.turns]
    last = episode.final_observation.get("reward_range")
    steady = all(limits in (last, None) for limits in shown)
    told = limits_in(episode.final_observation) if steady else None
    return limits_in(episode.final_metadata) or told


def limits_in(told: Observation) -> list[float] | None:
    """The range that an observation or metadata tell; None where they tell none."""
    limits = told.get("reward_range")
    plain = isinstance(limits, list) and [type(n) in {int, float} for n in limits] == [True, True]
    return limits if isinstance(limits, list) and plain else None


def within(reward: float, limits: Sequence[float]) -> bool:
    """Whether a reward lies between the limits, a rounding error beyond included."""
    low, high = limits
    return low - ROUNDING <= reward <= high + ROUNDING


def prove_range(
    card: ContractReport, session: AuditSession, task: TaskOptions, suspect: Suspect
) -> Confirmed | None:
    """The finding that a reward lies outside the declared range."""
    limits = range_of(suspect.episode, card) or []
    reward = suspect.episode.rewards[suspect.turns - 1]
    before = session.look(suspect.episode.task, suspect.actions[:-1]).answer
    if not card.reward.declared and not isinstance(before, Failure):
        told = limits_in(before.metadata) or limits_in(before.observation)
        if told not in (None, limits):
            return None  # the range is told anew for each step, and of another one by the end

    def strays(episode: Episode) -> bool:
        return any(paid is not None and not within(paid, limits) for paid in episode.rewards)

    who, seen = suspect.row.name, Witness.of(suspect.episode)
    said = f"{who}: step {suspect.turns} is paid {reward:g}, outside {limits}"
    return prove_shortest(session, "reward_out_of_range", task, seen, strays, said, who)


def prove_loss(session: AuditSession, task: TaskOptions, suspect: Suspect) -> Confirmed | None:
    """The finding that an action loses the episode."""
    failure = session.look(suspect.episode.task, suspect.actions).answer
    if not isinstance(failure, Failure) or failure.kind not in LOSSES:
        return None
    said = f"{suspect.row.name}: step {suspect.turns}: {in_a_line(failure.message)}"
    witness = ContractWitness(reset=suspect.episode.task, actions=encode(suspect.actions))
    lost = replace(suspect.episode, replays="lost")
    return Confirmed.of(LOSSES[failure.kind], task, witness, said, lost, suspect.row.name)
