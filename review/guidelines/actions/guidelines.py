"""Writing the guideline that rounds are judged by."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext_lazy as _

from accounts.actions import record_event
from accounts.models import User
from common.errors import DomainError
from projects.criteria import Criterion
from projects.models import Project
from review.guidelines.queries import guideline_in_force
from review.models import Guideline


class GuidelineInvalid(DomainError):
    code = "guideline_invalid"
    detail = _(
        "Write the instructions, and for each criterion one line for each rating, or one line "
        "about all of them."
    )
    status = 400


class GuidelineOutdated(DomainError):
    code = "guideline_outdated"
    detail = _(
        "Somebody else saved a new version of the guideline in the meantime. Read it, then save "
        "yours again."
    )


@transaction.atomic
def create_guideline(
    *,
    project: Project,
    text: str,
    rubric: Mapping[str, Sequence[str]],
    actor: User | None,
    now: datetime,
) -> Guideline:
    """Add the next version of a project's guideline. Raises GuidelineInvalid, GuidelineOutdated."""
    if faults := list(_faults(text, rubric, project.criteria)):
        raise GuidelineInvalid(fields={name: [str(GuidelineInvalid.detail)] for name in faults})
    latest = project.guidelines.order_by("-version").first()
    guideline = Guideline(
        project=project,
        version=latest.version + 1 if latest else 1,
        text=text,
        rubric={each.name: list(rubric[each.name]) for each in project.criteria},
        created_by=actor,
        created_at=now,
    )
    try:
        with transaction.atomic():
            guideline.save(force_insert=True)
    except IntegrityError as error:
        raise GuidelineOutdated from error
    record_event(
        actor=actor,
        verb="guideline.created",
        target=f"guideline:{guideline.pk}",
        scope=project.slug,
        data={"version": guideline.version},
        now=now,
    )
    return guideline


def current_guideline(*, project: Project, now: datetime) -> Guideline:
    """The latest version; the default one becomes version 1 where there is none."""
    guideline = guideline_in_force(project)
    if guideline.version:
        return guideline
    text, rubric = guideline.text, guideline.rubric
    return create_guideline(project=project, text=text, rubric=rubric, actor=None, now=now)


def _faults(
    text: str, rubric: Mapping[str, Sequence[str]], criteria: Iterable[Criterion]
) -> Iterator[str]:
    """The fields that are not whole, as the API calls them."""
    if not text.strip():
        yield "text"
    yield from (f"rubric.{each.name}" for each in criteria if not _is_complete(rubric, each))


def _is_complete(rubric: Mapping[str, Sequence[str]], criterion: Criterion) -> bool:
    texts = rubric.get(criterion.name, ())
    return len(texts) in (1, len(criterion.scale)) and all(text.strip() for text in texts)
