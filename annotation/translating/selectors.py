"""Finds translation jobs and models for requests and commands, with permissions."""

from django.http import Http404

from accounts.models import User
from annotation.models import TranslationJob
from annotation.translating.queries import translation_jobs
from common.db import bounded_pk
from projects.models import Project
from projects.selectors import project_for

VIEW = "annotation.view_translation_jobs"
MANAGE = "annotation.translate_items"


def translation_job_for(user: User, slug: str, pk: int, permission: str = VIEW) -> TranslationJob:
    """Return the translation job of an address. Raises Http404, PermissionDenied."""
    project = project_for(user, slug, permission)
    found = translation_jobs(project).filter(pk=bounded_pk(pk)).first()
    if found is None:
        raise Http404
    return found


def translation_job_by_id(user: User, pk: int, permission: str = VIEW) -> TranslationJob:
    """Do the same without knowing the project, for the API."""
    rows = Project.objects.visible_to(user).filter(translation_jobs=bounded_pk(pk))
    project = rows.first()
    if project is None:
        raise Http404
    return translation_job_for(user, project.slug, pk, permission)
