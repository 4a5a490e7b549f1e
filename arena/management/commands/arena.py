"""`arena PROJECT create|start|count|table|…`: hold a contest of models on open-ended items."""

from argparse import ArgumentParser, ArgumentTypeError
from pathlib import Path
from typing import Any

from django.utils import timezone

from arena.actions.arenas import ArenaSettings, create_arena, start_judging
from arena.actions.importing import import_arena
from arena.actions.judges import bring_back_judge, leave_out_judge
from arena.actions.recounting import start_counting
from arena.actions.removing import delete_arena, hide_arena, show_arena
from arena.estimates import estimate_arena, estimate_json
from arena.execution import perform_counting, perform_judging
from arena.files import battle_lines
from arena.models import DEFAULT_BOUND, Arena
from arena.selectors import get_arena, get_judge
from common.commands import LotsawaCommand
from endpoints.specs.selectors import get_model
from evaluation.models import Run
from evaluation.selectors import get_run
from jobs.models import Job
from jobs.worker import run_now
from projects.models import Project
from projects.selectors import get_project
from releases.selectors import get_release


class Command(LotsawaCommand):
    help = "Hold a contest of models on the open-ended items of a release, judged by models."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        verbs = parser.add_subparsers(dest="verb", required=True)
        self._creating(verbs)
        start = verbs.add_parser("start", help="ask the judges what is missing, and count")
        start.add_argument("name", metavar="NAME")
        start.add_argument("--wait", action="store_true", help="do the work here")
        count = verbs.add_parser("count", help="count the verdicts that are there again")
        count.add_argument("name", metavar="NAME")
        count.add_argument("--wait", action="store_true", help="do the work here")
        self._managing(verbs)
        take = verbs.add_parser("import", help="take in judgements in arena-hard's shape")
        take.add_argument("name", metavar="NAME")
        take.add_argument("file", type=Path, metavar="FILE")
        take.add_argument("--release", required=True, dest="release_version", metavar="VERSION")
        take.add_argument(
            "--baseline", default="", metavar="MODEL", help="for lines that don't name it"
        )
        take.add_argument(
            "--family", action="append", default=[], type=_family, metavar="MODEL=FAMILY"
        )
        send = verbs.add_parser("export", help="write judgements of open prompts as JSONL")
        send.add_argument("name", metavar="NAME")
        send.add_argument("out", type=Path, metavar="FILE")
        verbs.add_parser("table", help="print the figures").add_argument("name", metavar="NAME")
        for verb in verbs.choices.values():
            verb.add_argument("--json", action="store_true", help="print one JSON object")

    def _creating(self, verbs: Any) -> None:
        """Add what plans an arena."""
        create = verbs.add_parser("create", help="create an arena; nothing is asked yet")
        create.add_argument("name", metavar="NAME")
        create.add_argument("--release", required=True, dest="release_version", metavar="VERSION")
        create.add_argument("--runs", required=True, nargs="+", type=int, metavar="RUN")
        create.add_argument("--judges", required=True, nargs="+", metavar="MODEL")
        create.add_argument(
            "--baseline", type=int, metavar="RUN",
            help="each run plays against this one; without it all play against all",
        )  # fmt: skip
        create.add_argument("--each", type=int, default=2, help="battles of a run on a question")
        create.add_argument(
            "--family", action="append", default=[], type=_family, metavar="MODEL=FAMILY",
            help="a judge never judges its family",
        )  # fmt: skip
        create.add_argument("--sample", type=int, default=50, help="battles that people judge too")
        create.add_argument("--seed", type=int, default=0)
        create.add_argument(
            "--bound", type=float, default=DEFAULT_BOUND,
            help="a judge that agrees less often with people counts for no rank (default: 0.7)",
        )  # fmt: skip
        create.add_argument(
            "--dry-run",
            action="store_true",
            help="print what judging would take, and create nothing",
        )

    def _managing(self, verbs: Any) -> None:
        """Add what leaves judges out, hides and deletes."""
        leave = verbs.add_parser("leave-out", help="ask a judge no more and don't count it")
        leave.add_argument("name", metavar="NAME")
        leave.add_argument("judge", metavar="JUDGE")
        leave.add_argument("--reason", required=True)
        back = verbs.add_parser("bring-back", help="let a judge that was left out count again")
        back.add_argument("name", metavar="NAME")
        back.add_argument("judge", metavar="JUDGE")
        hide = verbs.add_parser("hide", help="take an arena off the leaderboard")
        hide.add_argument("name", metavar="NAME")
        hide.add_argument("--reason", required=True)
        for verb, words in (
            ("show", "put a hidden arena back on the leaderboard"),
            ("delete", "delete an arena without verdicts"),
        ):
            verbs.add_parser(verb, help=words).add_argument("name", metavar="NAME")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        match options["verb"]:
            case "create":
                return _create(project, options)
            case "import":
                return _import(project, options)
        return _of_arena(get_arena(project, options["name"]), options)

    def text(self, result: dict[str, Any]) -> str:
        if "contestants" not in result:
            return super().text(result)
        lines = [_line(each) for each in result["contestants"]]
        return "\n".join([*lines, *(_judge_line(each) for each in result["judges"])])


def _of_arena(arena: Arena, options: dict[str, Any]) -> dict[str, Any]:
    """Do what is asked of an arena that is there."""
    match options["verb"]:
        case "start":
            return _start(arena, is_here=options["wait"])
        case "count":
            return _count(arena, is_here=options["wait"])
        case "export":
            return _export(arena, options["out"])
        case "leave-out" | "bring-back":
            return _change_judge(arena, options)
        case "hide" | "show" | "delete":
            return _change(arena, options)
    return {"arena": arena.name, "release": arena.release.version, **arena.figures}


def _create(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    runs = {pk: get_run(pk) for pk in options["runs"]}
    baseline: Run | None = None
    if options["baseline"] is not None:
        baseline = runs.get(options["baseline"]) or get_run(options["baseline"])
    settings = ArenaSettings(
        name=options["name"],
        release=get_release(project, options["release_version"], must_stand=True),
        runs=list(runs.values()),
        judges=[get_model(project, name) for name in options["judges"]],
        baseline=baseline,
        each=options["each"],
        seed=options["seed"],
        sample=options["sample"],
        bound=options["bound"],
        families=dict(options["family"]),
    )
    if options["dry_run"]:
        return estimate_json(estimate_arena(project, settings))
    arena = create_arena(project=project, settings=settings, actor=None, now=timezone.now())
    return {"id": arena.pk, "arena": arena.name, "battles": arena.battles.count()}


def _start(arena: Arena, *, is_here: bool) -> dict[str, Any]:
    job = start_judging(arena=arena, actor=None, now=timezone.now())
    if is_here:
        job = run_now(job, perform_judging)
    return _job_told(arena, job)


def _count(arena: Arena, *, is_here: bool) -> dict[str, Any]:
    job = start_counting(arena=arena, actor=None, now=timezone.now())
    if is_here:
        job = run_now(job, perform_counting)
    return _job_told(arena, job)


def _job_told(arena: Arena, job: Job) -> dict[str, Any]:
    why = {"error": job.error} if job.error else {}
    return {"arena": arena.name, "job": job.pk, "state": str(job.state), **why}


def _change_judge(arena: Arena, options: dict[str, Any]) -> dict[str, Any]:
    judge, now = get_judge(arena, options["judge"]), timezone.now()
    if options["verb"] == "leave-out":
        leave_out_judge(judge=judge, reason=options["reason"], actor=None, now=now)
    else:
        bring_back_judge(judge=judge, actor=None, now=now)
    judge.refresh_from_db()
    return {"arena": arena.name, "judge": judge.name, "left_out_reason": judge.left_out_reason}


def _change(arena: Arena, options: dict[str, Any]) -> dict[str, Any]:
    now = timezone.now()
    match options["verb"]:
        case "hide":
            hide_arena(arena=arena, reason=options["reason"], actor=None, now=now)
        case "show":
            show_arena(arena=arena, actor=None, now=now)
        case "delete":
            delete_arena(arena=arena, actor=None, now=now)
            return {"arena": arena.name, "is_deleted": True}
    arena.refresh_from_db()
    return {"arena": arena.name, "hidden_reason": arena.hidden_reason}


def _import(project: Project, options: dict[str, Any]) -> dict[str, Any]:
    with options["file"].open(encoding="utf-8", errors="replace") as lines:
        arena = import_arena(
            project=project,
            release=get_release(project, options["release_version"], must_stand=True),
            name=options["name"],
            lines=lines,
            baseline=options["baseline"],
            families=dict(options["family"]),
            actor=None,
            now=timezone.now(),
        )
    return {"id": arena.pk, "arena": arena.name, "battles": arena.battles.count()}


def _export(arena: Arena, out: Path) -> dict[str, Any]:
    count = 0
    with out.open("w", encoding="utf-8") as file:
        for line in battle_lines(arena):
            file.write(line)
            count += 1
    return {"arena": arena.name, "lines": count, "file": str(out)}


def _family(text: str) -> tuple[str, str]:
    model, equals, family = text.rpartition("=")
    if not equals or not model or not family:
        raise ArgumentTypeError("write MODEL=FAMILY")
    return model, family


def _line(each: dict[str, Any]) -> str:
    best, worst, rate = each["best_rank"], each["worst_rank"], each["rate"]
    ranks = str(best) if best == worst else f"{best}–{worst}"
    share = f"{rate['share']:.1f} [{rate['low']:.1f}, {rate['high']:.1f}]"
    judges = "\t".join(f"{name} {own['share']:.1f}" for name, own in each["by_judge"].items())
    return f"{ranks}\t{share}\t{each['name']}\t{judges}".rstrip()


def _judge_line(each: dict[str, Any]) -> str:
    flips = each["order"]["flips"]
    said = "–" if flips is None else f"{100 * flips:.0f} %"
    reason = each.get("left_out_reason") or "disagrees with people"
    used = "" if each["is_used"] else f"\tleft out: {reason}"
    return f"judge {each['name']}\t{each['verdicts']} verdicts\tflips {said}{used}"
