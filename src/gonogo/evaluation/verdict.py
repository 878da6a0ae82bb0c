"""What GO means for a training: a list of criteria, each with its own verdict, and the one that follows from all.

A training is GO where all of this holds on the same held-out tasks:

- success rises over the untrained model; where the environment has no success, the verdict says so;
- the trained model is paid more than the untrained and than the sft model, and succeeds no less than that;
- it is paid more than each policy that does not try: idle, random, and a constant action if one was flown. To fall no
  lower would not do: whoever is paid as much for nothing has not shown that anything was learned;
- the held-out tasks differ from those of training;
- few episodes were lost.

A difference is above 0 if its paired bootstrap interval is and an exact test agrees (McNemar's for success, flipped
signs for scores): of few tasks that differ, the bootstrap alone says "above 0" too easily. No criterion is a threshold
on success itself.

All of it is computed from a record's ``policies``, so that whoever has the record can compute it again.

Whether the trained policy has become an exploit is a criterion too: its behaviour is held against policies that do not
try. The exploits are the panel's habits, made from the environment's schemas, and the plans of the findings where the
run has an audit. To be like one of them is no fault where that succeeds; to be like one and no more
successful than before is. So is a return that rose while success did not, but that may be honest partial
credit: it is said, and judged by whoever reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.errors import MissingRecord
from gonogo.exploits.distance import NEAR, nearest
from gonogo.exploits.panel import Habit, panel
from gonogo.exploits.witness import decode
from gonogo.records.audit import AuditReport
from gonogo.records.evaluation import Criterion, PairedComparison, PolicyResult
from gonogo.records.findings import ExploitDistance
from gonogo.records.record import Estimate, Verdict
from gonogo.rollouts.builtin_policies import ALWAYS
from gonogo.rollouts.episodes import Episode
from gonogo.rollouts.summary import (
    BASELINE,
    CANDIDATE,
    MOST_LOST,
    comparison,
    losses_in_words,
    stream,
    too_many,
)

IMITATED = "sft"
NOT_TRYING = ("idle", "random")
LEVEL = 0.05
"""p-values below it agree with a 95 % interval."""
WORDING = 1
"""Of the sentences that criteria and the reason are said in: another number with other words, so that records made
with these stay what they are."""
ABOVE = "above_"
"""How the id of a criterion begins that compares with a policy."""


def criteria_of(
    policies: Mapping[str, PolicyResult], seed: int, wanted: Sequence[str]
) -> list[Criterion]:
    """What GO needs, as far as the episodes say.

    Args:
        policies: Of the record, by name.
        seed: Seed of the resampling.
        wanted: Models that the trained one has to beat.

    Returns:
        Each criterion; one alone where nothing was trained.
    """
    if CANDIDATE not in policies:
        return [
            criterion("trained", Verdict.HOLD, f"there is no {CANDIDATE} model among the policies")
        ]
    rows = {
        base: comparison(
            base,
            policies[base].flown,
            CANDIDATE,
            policies[CANDIDATE].flown,
            stream(seed, base, CANDIDATE),
        )
        for base in (*wanted, *NOT_TRYING, *(name for name in policies if name.startswith(ALWAYS)))
        if base in policies
    }
    return [
        success_rises(rows.get(BASELINE)),
        *(beats(base, rows.get(base)) for base in wanted),
        *(
            out_earns(base, rows.get(base))
            for base in dict.fromkeys((*NOT_TRYING, *(b for b in rows if b.startswith(ALWAYS))))
        ),
        few_lost(policies),
    ]


def models_wanted(criteria: Sequence[Criterion]) -> list[str]:
    """The models that criteria were made with, from their ids."""
    names = [each.id.removeprefix(ABOVE) for each in criteria]
    return [name for name in names if name in (BASELINE, IMITATED)]


def conclude(criteria: Sequence[Criterion]) -> tuple[Verdict, str]:
    """The verdict that follows, and its reason: all that speaks against GO, or what was beaten."""
    verdict = Verdict.worst([each.verdict for each in criteria])
    decisive = [each for each in criteria if each.verdict is verdict]
    if verdict is not Verdict.GO:
        return verdict, "; ".join(each.said for each in decisive)
    models = [ABOVE + name for name in models_wanted(criteria)]
    said = [each.said for each in decisive if each.id in ("success", *models)]
    others = [
        each.id.removeprefix(ABOVE)
        for each in decisive
        if each.id.startswith(ABOVE) and each.id not in models
    ]
    return verdict, "; ".join([*said, f"paid more than {', '.join(others)}"])


def criterion(name: str, verdict: Verdict, said: str) -> Criterion:
    """A criterion as it stands in the record.

    Args:
        name: Its id.
        verdict: Its verdict.
        said: Why, in a sentence.
    """
    return Criterion(id=name, verdict=verdict, said=said)


def success_rises(compared: PairedComparison | None) -> Criterion:
    """Whether success is above the untrained model's."""
    if compared is None:
        return criterion("success", Verdict.HOLD, not_flown(BASELINE))
    difference, p = compared.success_difference, compared.mcnemar_p
    if not compared.episodes:
        return criterion("success", Verdict.HOLD, f"success: {difference.note}")
    if difference.mean is None or p is None:
        said = "the environment does not say whether an episode succeeded: judged by score alone"
        return criterion("success", Verdict.GO, said)
    rises = above(difference, p)
    said = f"success {'rises' if rises else 'does not rise'} over {BASELINE}: "
    said += f"{words(difference)}, p {p:.2g}"
    return criterion("success", Verdict.GO if rises else Verdict.NO_GO, said)


def beats(base: str, compared: PairedComparison | None) -> Criterion:
    """Whether the trained model is paid more than another model, and succeeds no less."""
    name = ABOVE + base
    if compared is None:
        return criterion(name, Verdict.HOLD, not_flown(base))
    found = out_earns(base, compared)
    success = compared.success_difference
    if found.verdict is Verdict.GO and below(success, compared.mcnemar_p):
        said = f"{found.said}, but success falls: {words(success)}"
        return criterion(name, Verdict.NO_GO, said)
    return found


def out_earns(base: str, compared: PairedComparison | None) -> Criterion:
    """Whether the trained model is paid more than another policy."""
    name = ABOVE + base
    if compared is None:
        return criterion(name, Verdict.HOLD, not_flown(base))
    difference, p = compared.score_difference, compared.sign_flip_p
    if difference.mean is None:
        said = f"{CANDIDATE} - {base}: {difference.note}"
        return criterion(name, Verdict.HOLD, said)
    is_above = above(difference, p)
    said = (
        f"{CANDIDATE} - {base} on score: {words(difference)}, {'' if is_above else 'not '}above 0"
    )
    if not is_above and difference.mean > 0 and positive(difference):
        said += f" by an exact test, p {p:.2g}"
    return criterion(name, Verdict.GO if is_above else Verdict.NO_GO, said)


def few_lost(policies: Mapping[str, PolicyResult]) -> Criterion:
    """Whether so few episodes were lost that those that are left stand for all."""
    said = [
        f"{name}: {losses_in_words([each.error for each in entry.lost], flown)}"
        for name, entry in policies.items()
        if too_many(len(entry.lost), flown := len(entry.flown.score))
    ]
    if said:
        return criterion("losses", Verdict.HOLD, f"{'; '.join(said)}; more than {MOST_LOST:.0%}")
    return criterion(
        "losses", Verdict.GO, f"no policy lost more than {MOST_LOST:.0%} of its episodes"
    )


def not_flown(base: str) -> str:
    """What is missing, and what to do about it."""
    return f"{base} was not flown on these tasks: name it in evaluation.policies"


def words(difference: Estimate) -> str:
    """A difference with its interval."""
    if difference.ci95 is None:
        return f"{difference.mean:+.3f} (constant)"
    low, high = difference.ci95
    return f"{difference.mean:+.3f} [{low:+.3f}, {high:+.3f}]"


def positive(difference: Estimate) -> bool:
    """Whether the bootstrap says that a difference is above 0; a constant one is if its value is."""
    return difference.ends is not None and difference.ends[0] > 0


def above(difference: Estimate, p: float | None) -> bool:
    """Whether a difference is above 0 by its interval and by an exact test; not where it is not known."""
    return p is not None and positive(difference) and p < LEVEL


def below(difference: Estimate, p: float | None) -> bool:
    """Whether a difference is below 0 by both; not where it is not known."""
    return p is not None and difference.ends is not None and difference.ends[1] < 0 and p < LEVEL


def likenesses(
    run: RunConfig, env: Env, models: Mapping[str, Sequence[Episode]]
) -> dict[str, tuple[ExploitDistance, ...]]:
    """The exploits that each model's episodes are nearest to.

    Args:
        run: The config.
        env: The environment.
        models: Episodes by the model's name; where there are none, nothing is opened.

    Raises:
        EnvironmentFailure: The environment could not be opened to ask for its schemas.
    """
    if not models:
        return {}
    exploits = known_exploits(run, env)
    return {name: tuple(nearest(episodes, exploits)) for name, episodes in models.items()}


def known_exploits(run: RunConfig, env: Env) -> list[Habit]:
    """The panel's habits, and the plans of the findings of the run's audit where it has one."""
    schemas, tools = env.schemas, env.connection.describe().tools
    try:
        findings = AuditReport.load(run.out).findings
    except MissingRecord:
        findings = ()
    plans = [Habit.plan(each.id, decode(each.plan)) for each in findings if each.plan]
    return [*panel(schemas.action, schemas.observation, tools, run.seed), *plans]


def became_exploit(
    likeness: Sequence[ExploitDistance], comparison: PairedComparison
) -> tuple[Verdict, str]:
    """Whether a candidate became an exploit.

    Args:
        likeness: Its row of :func:`likenesses`.
        comparison: The record's comparison of the candidate with its baseline.

    Returns:
        NO_GO where it is near an exploit and no more successful than its baseline, HOLD where it is near one and
        success is not known, else GO. The sentence also says where the return rose and success did not.
    """
    near, said = False, "no exploit to compare it with"
    if likeness:
        closest = likeness[0]
        near = closest.distance <= NEAR
        said = f"nearest exploit: {closest.exploit}, at a distance of {closest.distance:.2f}"
    if comparison.success_difference.mean is None:
        verdict = Verdict.HOLD if near else Verdict.GO
        return verdict, f"{said}; whether it succeeds is not known"
    if above(comparison.success_difference, comparison.mcnemar_p):
        return Verdict.GO, f"{said}; its success rose"
    rose = above(comparison.score_difference, comparison.sign_flip_p)
    also = "; its return rose and its success did not" if rose else ""
    return Verdict.NO_GO if near else Verdict.GO, f"{said}{also or '; its success did not rise'}"
