"""The reward station: a reward that pays for nothing no more, with its exploits as tests that run.

It leaves ``reward.py`` (prefilled, and never overwritten once it was edited), ``exploits.json``,
``test_reward.py``, ``reward.md`` and ``reward.json``. It works in two parts, between which the pipeline audits
the environment again: :func:`prepare` writes the reward and tries it, :func:`conclude` judges. GO needs at
least four components that differ, each with three exploits and guards whose tests pass, and a re-audit that
is GO.
"""

from __future__ import annotations

import inspect
import sys
from collections.abc import Sequence
from importlib import resources
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from string import Template
from tempfile import TemporaryDirectory

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.success import SuccessRule
from gonogo.env.target import Target, UrlTarget
from gonogo.env.variables import child_environment
from gonogo.env.worker.child import run_to_end
from gonogo.errors import MissingExtra, MissingRecord, Misuse, StaleRecord
from gonogo.records.audit import AuditReport
from gonogo.records.files import write_text
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.record import Verdict
from gonogo.records.reward import (
    AuditSide,
    ComponentExploits,
    ExploitCase,
    ExploitCases,
    RewardReport,
    SuiteOutcome,
    WrittenReturns,
    WrittenReward,
)
from gonogo.records.terminal import Terminal
from gonogo.reward.cases import FAILED, candidates, choose, try_all
from gonogo.reward.facts import Facts, find_facts
from gonogo.reward.page import docstring, markdown, print_upgrade, sides
from gonogo.rollouts.episodes import Episode

__all__ = ["PROGRAM", "conclude", "prepare", "read_audit"]

PAGE, PROGRAM = "reward.md", "reward.py"
TESTS = "test_reward.py"
LEAST_EXPLOITS = 3
TEST_SECONDS = 600.0
RULE_IMPORTS = """import ast
import difflib
from collections.abc import Callable, Iterable

from openenv.core.env_server.serialization import serialize_observation
from pydantic_core import from_json, to_json
from simpleeval import (
    DEFAULT_OPERATORS,
    AttributeDoesNotExist,
    EvalWithCompoundTypes,
    InvalidExpression,
    NumberTooHigh,
)
"""
PAYMENT = {
    True: "It is paid once, when the environment says that the episode is over; one that never ends is paid nothing.",
    False: """The environment does not end every success itself, and a reward cannot see the limit of turns that does:
so each step is paid by how much it changed the value. The sum is the value of where the episode was left.""",
}


def read_audit(run: RunConfig, folder: Path, *, own: bool) -> AuditReport:
    """The audit of a folder, by the environment's own reward or by the new one.

    Raises:
        MissingRecord: There is none.
        StaleRecord: It is of another version of the environment, by another reward, or was flown otherwise.
    """
    record = AuditReport.load(folder, Env.of(run).source)
    by = None if own else reward_hash(run.out / PROGRAM)
    if record.target != run.target or record.reward_hash != by:
        raise StaleRecord(
            f"{AuditReport.path(folder)}: it is of another target or reward; run audit again"
        )
    flown, wanted = record.config["audit"], run.audit.model_dump(mode="json")
    alike = {**flown, "jobs": None} == {**wanted, "jobs": None}
    if not alike or record.config["rollout"]["success"] != run.rollout.success:
        raise StaleRecord(
            f"{AuditReport.path(folder)}: it was flown by another config; run audit again"
        )
    return record


def prepare(run: RunConfig, *, overwrite: bool) -> WrittenReward:
    """Write the reward and its tests, fly both, and say what came of it.

    Args:
        run: The config; its folder holds the audit by the environment's own reward.
        overwrite: Whether a reward that was edited is replaced.

    Raises:
        Misuse: The target is a server, or a reward was given already.
        MissingRecord: There is no audit.
        StaleRecord: It is of another version of the environment, or by another reward.
        PolicyFailure: No policy succeeds.
    """
    target = Env.of(run).target
    if isinstance(target, UrlTarget):
        raise Misuse(f"a reward is applied where the environment runs, and {target} is a URL")
    if run.reward is not None:
        raise Misuse(f"reward writes a reward and takes none, not {run.reward}")
    audit = read_audit(run, run.out, own=True)
    run = run.within(audit.config["rollout"]["max_turns"])
    facts = find_facts(run, audit)
    file = run.out / PROGRAM
    notes = []
    edited = file.is_file() and not overwrite and reward_hash(file) != written_before(run.out)
    if edited:
        notes.append(f"{file} was edited and is kept; --overwrite writes it anew")
        text = file.read_text(encoding="utf-8")
    else:
        text = fill(target, facts, run.rollout.success, {})
    with TemporaryDirectory() as folder:
        draft = Path(folder) / PROGRAM
        write_text(draft, text)
        described, tried = try_all(target, draft, candidates(audit, facts), run.rollout)
    components = [
        ComponentExploits(**dict(part), cases=choose(tried, part.name, list(part.guards)))
        for part in described
    ]
    if not edited:
        docs = {part.name: docstring(part.cases, part.guards) for part in components}
        write_text(file, fill(target, facts, run.rollout.success, docs))
    write_tests(run, target, [case for part in components for case in part.cases])
    episodes = [each.episode for each in tried]
    return WrittenReward(
        environment=target.name,
        reward_hash=reward_hash(file),
        written_hash=written_before(run.out) if edited else reward_hash(file),
        components=tuple(components),
        alike=tuple(alike(episodes, [part.name for part in described])),
        flown=extremes(facts, episodes),
        tests=run_tests(run.out / TESTS),
        notes=tuple(notes),
    )


def written_before(out: Path) -> str | None:
    """Hash of the reward as this station last wrote it; None where it has not."""
    try:
        return RewardReport.load(out).written_hash
    except MissingRecord:
        return None


def fill(target: Target, facts: Facts, success: str | None, docs: dict[str, str]) -> str:
    """The reward's text; without tables, a draft. Success is an expression, or None for a field's word."""
    if success is None:
        imports, by, rule = "", "by_field.py.txt", ""
    else:
        imports, by, rule = RULE_IMPORTS, "by_rule.py.txt", inspect.getsource(SuccessRule)
    given = repr(facts.success if success is None else success)
    succeeded = Template(resource(by)).substitute(success=given, fields=facts.fields, rule=rule)
    return Template(resource("reward.py.txt")).substitute(
        environment=target.name,
        imports=imports,
        succeeded=succeeded,
        payment=PAYMENT[facts.at_the_end],
        at_the_end=facts.at_the_end,
        guide=facts.guide,
        successes=sum(f.name == facts.guide for f in facts.good),
        par_steps=repr(facts.par_steps),
        par=repr(facts.par if facts.par > facts.floor else facts.floor + 1.0),
        floor=repr(facts.floor),
        texts=repr(facts.texts),
        clocks=repr(facts.clocks),
        failed=repr(FAILED),
        **{name: docs.get(name, "") for name in ("primary", "process", "format", "efficiency")},
    )


def resource(name: str) -> str:
    """A template of this package."""
    return resources.files(__package__).joinpath(name).read_text(encoding="utf-8")


def write_tests(run: RunConfig, target: Target, cases: Sequence[ExploitCase]) -> None:
    """The exploits as a record, and the tests that fly it."""
    rollout = run.rollout.model_dump(mode="json")
    ExploitCases(target=run.target, rollout=rollout, cases=tuple(cases)).save(run.out)
    names = {"environment": target.name, "target": run.target, "file": str(run.out / TESTS)}
    write_text(run.out / TESTS, Template(resource("test_reward.py.txt")).substitute(names))


def run_tests(file: Path) -> SuiteOutcome:
    """Run the tests as anyone would.

    Raises:
        MissingExtra: pytest is not installed.
    """
    if find_spec("pytest") is None:
        raise MissingExtra("dev", "running test_reward.py")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(file)]
    status, said = run_to_end(command, Path.cwd(), child_environment(), TEST_SECONDS)
    return SuiteOutcome(passed=status == 0, said=said.splitlines()[-1] if said else "")


def alike(episodes: Sequence[Episode], names: Sequence[str]) -> list[tuple[str, str]]:
    """Pairs of components that paid the same in every episode: they are one component."""
    paid = {name: [e.components.get(name) for e in episodes] for name in names}
    return [(one, other) for one, other in combinations(names, 2) if paid[one] == paid[other]]


def extremes(facts: Facts, episodes: Sequence[Episode]) -> WrittenReturns:
    """The worst success and the best failure flown here, by the own reward and by the new one."""
    own_good = [f.episode.episode_return or 0.0 for f in facts.good]
    own_bad = [f.episode.episode_return or 0.0 for f in facts.bad]
    good = [e.episode_return or 0.0 for e in episodes if e.success is True]
    bad = [e.episode_return or 0.0 for e in episodes if e.success is False]
    return WrittenReturns(
        worst_success=(min(own_good), min(good, default=None)),
        best_failure=(max(own_bad, default=None), max(bad, default=None)),
    )


def conclude(run: RunConfig, prepared: WrittenReward, reaudit: Path) -> Verdict:
    """Judge the upgrade, write the record and the page, print both sides.

    Args:
        run: The config.
        prepared: What :func:`prepare` gave.
        reaudit: Folder of the audit by the new reward.
    """
    before, after = read_audit(run, run.out, own=True), read_audit(run, reaudit, own=False)
    verdict, reason = judge(prepared, side(after))
    record = RewardReport(
        **dict(prepared),
        target=run.target,
        source_hash=before.source_hash,
        before=side(before),
        after=side(after),
        sides=tuple(sides(before, after)),
        verdict=verdict,
        reason=reason,
        seed=run.seed,
        config=run.model_dump(mode="json", include={"rollout", "audit"}),
        **provenance(),
    )
    record.save(run.out)
    write_text(run.out / PAGE, markdown(record))
    print_upgrade(record, Terminal())
    return verdict


def side(audit: AuditReport) -> AuditSide:
    """What the record keeps of an audit."""
    findings = tuple(finding.id for finding in audit.findings)
    return AuditSide(verdict=audit.verdict, reason=audit.reason, findings=findings)


def judge(prepared: WrittenReward, after: AuditSide) -> tuple[Verdict, str]:
    """The verdict and its reason."""
    if after.verdict is Verdict.NO_GO:
        return Verdict.NO_GO, f"the re-audit: {after.reason}"
    if not prepared.tests.passed:
        return Verdict.NO_GO, f"{TESTS} fails: {prepared.tests.said}"
    parts = prepared.components
    missing = [
        f"{part.name} has {found} exploits with guards, and {LEAST_EXPLOITS} are wanted"
        for part in parts
        if (found := len({case.exploit for case in part.cases})) < LEAST_EXPLOITS
    ]
    missing += [f"{one} and {other} pay the same always" for one, other in prepared.alike]
    if after.verdict is not Verdict.GO:
        missing.append(f"the re-audit: {after.reason}")
    if missing:
        return Verdict.HOLD, "; ".join(missing)
    exploits = sum(len(part.cases) for part in parts)
    return Verdict.GO, (
        f"{len(parts)} components, {exploits} exploits run into their guards "
        f"({prepared.tests.said}); the re-audit: {after.reason}"
    )
