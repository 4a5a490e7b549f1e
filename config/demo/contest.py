"""The arena of the second demo project: three stand-in models answer its open-ended items, a fourth judges."""

from django.utils import timezone

from arena.actions.arenas import ArenaSettings, create_arena, start_judging
from arena.execution import perform_judging
from arena.models import Arena
from config.demo.pretending import work_off
from endpoints.models import ModelSpec
from evaluation.models import Run
from evaluation.runs.actions import RunSettings, start_run
from evaluation.runs.execution import perform_run
from projects.models import Project
from prompts.actions import ensure_default_prompts
from prompts.queries import known_prompts
from releases.models import Release

NAME = "Open answers"
CONTESTANTS = ("stand-in-strong", "stand-in-chatty", "stand-in-weak")
JUDGES = ("stand-in-judge", "stand-in-chatty")
SAMPLE = 12


def hold(project: Project, release: Release) -> None:
    """Run the models on the open-ended items, then have every pair of answers judged; once.

    A demo that an earlier version loaded has no models here, and stays as it is.
    """
    specs = {spec.name: spec for spec in ModelSpec.objects.filter(project=project)}
    if not specs or Arena.objects.filter(project=project).exists():
        return
    runs = [_answered(release, specs[name]) for name in CONTESTANTS]
    settings = ArenaSettings(
        name=NAME,
        release=release,
        runs=runs,
        judges=[specs[name] for name in JUDGES],
        sample=SAMPLE,
    )
    arena = create_arena(project=project, settings=settings, actor=None, now=timezone.now())
    work_off(start_judging(arena=arena, actor=None, now=timezone.now()), perform_judging)


def _answered(release: Release, spec: ModelSpec) -> Run:
    now = timezone.now()
    ensure_default_prompts(project=release.project, now=now)
    run = start_run(
        release=release,
        model_spec=spec,
        prompt=known_prompts(release.project, now=now)[0],
        settings=RunSettings(methods=()),
        actor=None,
        now=now,
    )
    work_off(run.job, perform_run)
    return run
