"""The page addresses that all kinds of job that ask models about items share."""

from typing import Any

from django.urls import path
from django.urls.resolvers import URLPattern

from annotation.asking import views
from annotation.asking.kinds import AskingKind


def job_paths(jobs: str, kind: AskingKind[Any]) -> list[URLPattern]:
    """Return the addresses of the progress of a job, and of cancelling and resuming it, below `jobs`."""
    job, given = f"{jobs}/<int:pk>", {"kind": kind}
    return [
        path(f"{job}/progress/", views.progress, given, name=f"{kind.name}-progress"),
        path(f"{job}/cancel/", views.cancel, given, name=f"cancel-{kind.name}"),
        path(f"{job}/resume/", views.resume, given, name=f"resume-{kind.name}"),
    ]
