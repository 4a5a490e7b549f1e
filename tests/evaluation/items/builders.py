"""Finished runs whose answers are given letter by letter, and analyses of them."""

from collections.abc import Sequence

from endpoints.models import ModelSpec
from evaluation.items.actions import start_analysis
from evaluation.items.analysis import perform_analysis
from evaluation.models import ItemAnalysis, Run
from jobs.worker import run_now
from projects.models import Project
from releases.models import Release
from tests.evaluation.builders import NOW, asked_uid, make_release, make_run, work_off
from tests.factories import ModelSpecFactory

GOOD, WEAK = "ABCDAB", "BBCAAC"
"""The keys of the six items are A, B, C, D, A, B."""


def six_items(project: Project, *, hidden: int = 0) -> Release:
    release: Release = make_release(
        project, subjects={"history": ""}, tests=6, hidden=hidden, version="1.0.0"
    )
    return release


def spec_named(project: Project, name: str) -> ModelSpec:
    spec: ModelSpec = ModelSpecFactory(project=project, name=name, model=name)
    return spec


def answered_run(release: Release, model: str, letters: str, *, rotation: int = 0) -> Run:
    """A run of `model` that answers item n with the n-th letter, as its prompts have them."""
    found = ModelSpec.objects.filter(project=release.project, name=model).first()
    spec = found or spec_named(release.project, model)
    run = make_run(release.project, release, spec=spec, methods=("anchored",), rotation=rotation)
    work_off(run, lambda request: letters[int(asked_uid(request).rpartition("-")[2])])
    return run


def analysed(
    release: Release, answers: Sequence[str] = (), *, reference: Release | None = None
) -> ItemAnalysis:
    """Run a model for each of `answers`, then analyse the items."""
    for number, letters in enumerate(answers):
        answered_run(release, f"model-{number}", letters)
    analysis = start_analysis(release=release, reference=reference, actor=None, now=NOW)
    job = run_now(analysis.job, perform_analysis)
    assert job.state == "done", job.error
    analysis.refresh_from_db()
    return analysis
