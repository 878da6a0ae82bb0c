"""The reward station: a reward that pays for nothing no more, with its exploits as tests that run.

It leaves ``reward.py`` (prefilled, and never overwritten once it was edited), ``exploits.json``,
``test_reward.py``, ``reward.md`` and ``reward.json``. It works in two parts, between which the pipeline audits
the environment again: :func:`prepare` writes the reward and tries it, :func:`conclude` judges. GO needs at
least four components that differ, each with three exploits and guards whose tests pass, and a re-audit that
is GO.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

from jinja2 import Environment, PackageLoader, StrictUndefined
from rich.console import Console
from rich.markup import escape
from rich.table import Table

from gonogo.config import RunConfig
from gonogo.env.environment import Env
from gonogo.env.success import SuccessRule
from gonogo.env.target import Target, UrlTarget
from gonogo.env.variables import child_environment
from gonogo.env.worker.process import run_to_end
from gonogo.errors import MissingExtra, MissingRecord, Misuse, StaleRecord
from gonogo.records.audit import AuditReport, HeadlineNumbers
from gonogo.records.files import write_text
from gonogo.records.provenance import provenance, reward_hash
from gonogo.records.record import Verdict
from gonogo.records.reward import (
    AuditSide,
    ComponentExploits,
    ExploitCase,
    ExploitCases,
    RewardReport,
    SideNumber,
    SuiteOutcome,
    WrittenReturns,
    WrittenReward,
)
from gonogo.records.terminal import Terminal
from gonogo.reward.ablations import FAILED, candidates, choose, try_all
from gonogo.reward.facts import Facts, find_facts
from gonogo.rollouts.episodes import Episode

PAGE, PROGRAM = "reward.md", "reward.py"
TESTS = "test_reward.py"
LEAST_EXPLOITS = 3
TEST_SECONDS = 600.0
WIDTH = 100


def read_audit(run: RunConfig, folder: Path, *, own: bool) -> AuditReport:
    """The audit of a folder, by the environment's own reward or by the new one.

    Raises:
        MissingRecord: There is none.
        StaleRecord: It is of another version of the environment, by another reward, or was flown otherwise.
    """
    record, path = AuditReport.load(folder, Env.of(run).source), AuditReport.path(folder)
    by = None if own else reward_hash(run.out / PROGRAM)
    if record.target != run.target or record.reward_hash != by:
        raise StaleRecord(f"{path}: it is of another target or reward; run audit again")
    free = {"jobs"} if run.audit.budget is None else {"jobs", "minutes"}
    wanted, held = run.audit.model_dump(mode="json", exclude=free), record.config["audit"]
    asked = {n: v for n, v in held.items() if n not in free} if isinstance(held, dict) else None
    if asked != wanted or record.made_by.rollout.success != run.rollout.success:
        raise StaleRecord(f"{path}: it was flown by another config; run audit again")
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
    check_success(run.rollout.success)
    audit = read_audit(run, run.out, own=True)
    run = run.within(audit.made_by.rollout.max_turns)
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


def check_success(success: str | None) -> None:
    """Refuse a success that a written reward cannot read: the reward in its own place, or the state, which it lacks.

    Raises:
        Misuse: It is one.
    """
    if success is None:
        return
    names = {n.id for n in ast.walk(SuccessRule.parsed(success)) if isinstance(n, ast.Name)}
    if found := names & {"reward", "state"}:
        raise Misuse(
            f"success {success!r} reads {' and '.join(sorted(found))}, which a reward does not see: "
            "give one that reads the observation or the metadata"
        )


def written_before(out: Path) -> str | None:
    """Hash of the reward as this station last wrote it; None where it has not."""
    try:
        return RewardReport.load(out).written_hash
    except MissingRecord:
        return None


def fill(target: Target, facts: Facts, success: str | None, docs: dict[str, str]) -> str:
    """The reward's text; without tables, a draft. Success is an expression, or None for a field's word."""
    return render(
        PROGRAM,
        environment=target.name,
        facts=facts,
        successes=sum(f.name == facts.guide for f in facts.good),
        success=repr(facts.success if success is None else success),
        rule=None if success is None else inspect.getsource(SuccessRule),
        failed=FAILED,
        docs=docs,
    )


def render(name: str, **values: object) -> str:
    """A file of the station's, from the template of its name."""
    templates = Environment(
        loader=PackageLoader("gonogo.reward", ""),
        undefined=StrictUndefined,
        keep_trailing_newline=True,
        trim_blocks=True,
    )
    return templates.get_template(f"{name}.jinja").render(values)


def write_tests(run: RunConfig, target: Target, cases: Sequence[ExploitCase]) -> None:
    """The exploits as a record, and the tests that fly it."""
    rollout = run.rollout.model_dump(mode="json")
    ExploitCases(target=run.target, rollout=rollout, cases=tuple(cases)).save(run.out)
    file = run.out / TESTS
    write_text(file, render(TESTS, environment=target.name, target=run.target, file=file))


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


def docstring(cases: Sequence[ExploitCase], guards: dict[str, str]) -> str:
    """The table of a component as its docstring has it: one exploit a paragraph."""
    if not cases:
        return "    No exploit was found that a guard keeps out."
    lines = ["    Exploits that were flown, what each is paid, and its guard:"]
    for case in cases:
        said = (
            f"{plain(case.exploit)} ({case.origin}): {case.guarded:.3f}, and {case.unguarded:.3f} without "
            f"`{case.guard}`. {guards[case.guard]}"
        )
        lines += textwrap.wrap(said, WIDTH, initial_indent="    - ", subsequent_indent="      ")
    return "\n".join(lines)


def plain(text: str) -> str:
    """A text that may stand in a docstring: ASCII, short, without what would end it."""
    shown = text.encode("ascii", "backslashreplace").decode().replace("\\", "/").replace('"', "'")
    return textwrap.shorten(shown, 90, placeholder=" ...")


def sides(before: AuditReport, after: AuditReport) -> Iterator[SideNumber]:
    """Each number of the audit, by the environment's own reward and by the new one, task by task."""
    for old, new in zip(before.tasks, after.tasks, strict=True):
        numbers = named(new.numbers)
        for name, number in named(old.numbers).items():
            yield SideNumber(task=old.task, number=name, before=number, after=numbers[name])


def named(numbers: HeadlineNumbers) -> dict[str, float | None]:
    """The numbers that are compared, by their names; None where one is not known."""
    nothing, order = numbers.paid_for_nothing, numbers.failure_out_earns_success
    return {
        "paid for nothing": None if nothing is None else nothing.mean,
        "failure out-earns success, on the same seed": None if order is None else order.same_seed,
        "best failing return": numbers.best_failing_return,
        "best known return": numbers.best_known_return,
    }


def print_upgrade(record: RewardReport, console: Console) -> None:
    """Print both sides, the components, and the verdict."""
    table = Table("", "own reward", "new reward", title="Both sides", title_justify="left")
    for row in record.sides:
        table.add_row(row.number, shown(row.before), shown(row.after))
    flown = record.flown
    table.add_row("worst success flown here", *map(shown, flown.worst_success))
    table.add_row("best failure flown here", *map(shown, flown.best_failure))
    for name, *words in judged(record):
        table.add_row(name, *map(escape, words))
    console.print(table)
    heads = ("component", "weight", "exploits", "guards")
    table = Table(*heads, title="Components", title_justify="left")
    for part in record.components:
        guards = ", ".join(sorted({case.guard for case in part.cases}))
        table.add_row(part.name, f"{part.weight:g}", str(len(part.cases)), guards)
    console.print(table)
    for note in record.notes:
        console.print(f"Note: {note}", markup=False, highlight=False)
    console.print(f"{record.verdict.name}: {record.reason}", markup=False, highlight=False)


def judged(record: RewardReport) -> Iterator[tuple[str, str, str]]:
    """Findings and verdict of both audits."""
    before, after = record.before, record.after
    old, new = (", ".join(dict.fromkeys(side.findings)) or "none" for side in (before, after))
    yield "findings", old, new
    yield "verdict", before.verdict.name, after.verdict.name


def shown(value: float | None) -> str:
    """A number for a table."""
    return "unknown" if value is None else f"{value:.3f}"


def markdown(record: RewardReport) -> str:
    """The page."""
    return render(PAGE, record=record, judged=list(judged(record)), shown=shown, plain=plain)
