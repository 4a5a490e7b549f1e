"""Imports answers that another program asked for, as a run of a release."""

import hashlib
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO

from django.conf import settings
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.batches import batched
from common.errors import DomainError
from endpoints.enums import ProviderName
from endpoints.models import Endpoint, ModelSpec
from endpoints.parameters import NAME
from evaluation.contents import said_in
from evaluation.enums import ResponseState
from evaluation.models import ModelResponse, Run
from evaluation.outside.joining import Joined, Place, Places, join, measured
from evaluation.outside.orders import ANY_ROTATION
from evaluation.outside.readers import READERS
from evaluation.outside.readers.base import AnswersUnreadable, OutsideAnswer
from evaluation.outside.readers.recognition import recognise
from evaluation.queries import asked_items
from evaluation.results.actions import headline_kept, score_missing
from evaluation.runs.actions import (
    MAX_EPOCHS,
    RUNNABLE_RELEASES,
    ReleaseNotRunnable,
    ReleaseWithoutTests,
    RunInvalid,
    check_methods,
)
from jobs.actions import create_job
from jobs.models import Job
from jobs.progress import Progress
from jobs.uploads import keep_upload, new_folder, remove_folder
from projects.models import Project
from prompts.enums import PromptPurpose
from prompts.models import PromptTemplate
from releases.models import Release
from releases.option_orders import in_order

KIND = "run-import"
ELSEWHERE = "elsewhere"
NAMED = 100
NAMED_IN_WORDS = 5
BATCH = 500


class FormatUnknown(DomainError):
    code = "format_unknown"
    detail = _("There is no format “%(name)s”. Choose one of: %(known)s.")
    status = 400


class FormatNotRecognised(DomainError):
    code = "format_not_recognised"
    detail = _("This file looks like none of the known formats. Choose one of: %(known)s.")
    status = 400


class AnswersRefused(DomainError):
    code = "answers_refused"
    detail = _("The file cannot be read: %(reason)s.")
    status = 400


class NothingJoined(DomainError):
    code = "nothing_joined"
    detail = _(
        "None of the %(count)s answers belongs to a test item of release %(version)s. Answers are "
        "joined by the id of the item, or by its question."
    )
    status = 400


class TooManyEpochs(DomainError):
    code = "too_many_epochs"
    detail = _("An answer is of epoch %(epoch)s. A run has at most %(most)s epochs.")
    status = 400


class RotationsMixed(DomainError):
    code = "rotations_mixed"
    detail = _("The answers are of several rotations (%(rotations)s). Import each by itself.")
    status = 400


class OptionsReordered(DomainError):
    code = "options_reordered"
    detail = _(
        "%(count)s answers are to options in another order than in release %(version)s, or than the "
        "rotation that the file says: %(rows)s. Import answers to options in the order of the "
        "release, or rotated."
    )
    status = 400


class OrderUntold(DomainError):
    code = "order_untold"
    detail = _(
        "The options of some answers are rotated, and of %(count)s others the file does not tell the "
        "order: %(rows)s. Add their options, or import them by themselves."
    )
    status = 400


class ModelNameMissing(DomainError):
    code = "model_name_missing"
    detail = _("The file does not name the model. Enter its name.")
    status = 400


class ModelNameTaken(DomainError):
    code = "model_name_taken"
    detail = _(
        "The project asks a model “%(name)s” itself. Choose another name for the imported answers."
    )


@dataclass(frozen=True, slots=True)
class OutsideOptions:
    """How to import answers: the methods, the format and the model's name, '' as the file says."""

    methods: tuple[str, ...]
    format: str = ""
    model: str = ""


def start_run_import(
    *,
    release: Release,
    file: BinaryIO,
    name: str,
    options: OutsideOptions,
    actor: User | None,
    now: datetime,
) -> Job:
    """Keep an uploaded file and queue its import. Raises as `queue_run_import`."""
    _check(release, options)
    kept = keep_upload(file, new_folder(), name).relative_to(settings.IMPORT_FOLDER)
    return queue_run_import(release=release, path=kept, options=options, actor=actor, now=now)


def queue_run_import(
    *, release: Release, path: Path, options: OutsideOptions, actor: User | None, now: datetime
) -> Job:
    """Queue the import of a file or folder, named from the folder of imports or from the root.

    Raises FormatUnknown, RunInvalid, ReleaseNotRunnable, ReleaseWithoutTests.
    """
    _check(release, options)
    params = {
        "release": release.version,
        "format": options.format,
        "model": options.model,
        "methods": list(options.methods),
        "file": path.name,
        "path": str(path),
    }
    slug = release.project.slug
    return create_job(kind=KIND, scope=slug, params=params, actor=actor, now=now)


def perform_run_import(job: Job, progress: Progress) -> dict[str, Any]:
    """Read the file, store its answers as a run of this job, all or none, and score them.

    Called again, it only scores what is left. Raises FormatNotRecognised, AnswersRefused,
    NothingJoined, TooManyEpochs, RotationsMixed, OptionsReordered, OrderUntold, ModelNameMissing,
    ModelNameTaken.
    """
    run = Run.objects.filter(job=job).select_related("release__project", "prompt_template").first()
    if run is None:
        progress.set_note("reading")
        run = _import(job)
    progress.start(run.import_report["joined"], note="scoring")
    with headline_kept(run):
        score_missing(run=run, when_read=progress.advance_to)
    remove_folder((settings.IMPORT_FOLDER / job.params["path"]).parent)
    return {"run": run.pk, **{key: run.import_report[key] for key in ("joined", "unjoined")}}


def _import(job: Job) -> Run:
    project = Project.objects.get(slug=job.scope)
    release = Release.objects.select_related("project").get(
        project=project, version=job.params["release"]
    )
    methods, path = job.params["methods"], settings.IMPORT_FOLDER / job.params["path"]
    format_name = job.params["format"] or _recognised(path)
    joined = _joined(path, format_name, release, methods)
    epochs = max(epoch for _pk, epoch in joined.answers)
    if epochs > MAX_EPOCHS:
        raise TooManyEpochs(epoch=epochs, most=MAX_EPOCHS)
    rotation = _rotation(joined, release)
    name = _model_name(job.params["model"], joined)
    now = timezone.now()
    with transaction.atomic():
        run: Run = Run.objects.create(
            release=release,
            model_spec=_outside_model(project, name, now),
            prompt_template=_outside_prompt(project, now),
            epochs=epochs,
            rotation=rotation,
            methods=methods,
            is_published=format_name == "tlue",
            imported_from=format_name,
            import_report=_report(joined, path.name),
            job=job,
            started_by=User.objects.filter(email=job.requested_by).first(),
            started_at=now,
        )
        for rows in batched(_rows(run, joined, now), BATCH):
            ModelResponse.objects.bulk_create(rows)
    return run


def _recognised(path: Path) -> str:
    try:
        found = recognise(path)
    except OSError as error:
        raise AnswersRefused(reason=error) from error
    if not found:
        raise FormatNotRecognised(known=", ".join(READERS))
    return found


def _joined(path: Path, format_name: str, release: Release, methods: Sequence[str]) -> Joined:
    items = asked_items(release, methods).values_list(
        "pk", "public_id", "item__uid", "revision__question", "revision__options", "option_order"
    )
    places = Places(
        Place(pk, (public, uid), text, tuple(in_order(options, order)))
        for pk, public, uid, text, options, order in items
    )
    try:
        joined = join(READERS[format_name](path), places)
    except (AnswersUnreadable, OSError) as error:
        raise AnswersRefused(reason=error) from error
    if not joined.answers:
        raise NothingJoined(count=len(joined.unjoined), version=release.version)
    return joined


def _rows(run: Run, joined: Joined, now: datetime) -> Iterator[ModelResponse]:
    for (pk, epoch), answer in sorted(joined.answers.items()):
        yield ModelResponse(
            run=run,
            release_item_id=pk,
            epoch=epoch,
            state=ResponseState.ANSWERED,
            says=said_in(answer.text),
            text=answer.text.replace("\0", "\ufffd"),
            finish_reason=answer.finish_reason,
            endpoint_model=answer.model[:200],
            prompt_tokens=answer.prompt_tokens,
            completion_tokens=answer.completion_tokens,
            request_hash=hashlib.sha256(f"{run.pk}/{pk}/{epoch}".encode()).hexdigest(),
            created_at=now,
        )


def _report(joined: Joined, file: str) -> dict[str, Any]:
    return {
        "file": file,
        "joined": len(joined.answers),
        "unjoined": len(joined.unjoined),
        "unjoined_rows": _named(joined.unjoined),
        "doubled": len(joined.doubled),
        "doubled_rows": _named(joined.doubled),
        "own_figures": [
            {"measure": measure, "mean": mean, "n": n} for measure, mean, n in measured(joined)
        ],
    }


def _named(answers: Sequence[OutsideAnswer]) -> list[dict[str, Any]]:
    first = islice(answers, NAMED)
    return [{"file": each.file, "row": each.row, "id": each.uid[:200]} for each in first]


def _rotation(joined: Joined, release: Release) -> int:
    """Return the rotation of options that all answers share, the smallest that fits.

    Raises OptionsReordered, RotationsMixed, OrderUntold.
    """
    if found := joined.reordered:
        raise OptionsReordered(count=len(found), version=release.version, rows=_in_words(found))
    shared = ANY_ROTATION.intersection(*joined.rotations)
    if not shared:
        said = sorted(set(map(min, joined.rotations)))
        raise RotationsMixed(rotations=", ".join(map(str, said)))
    if min(shared) and joined.untold:
        raise OrderUntold(count=len(joined.untold), rows=_in_words(joined.untold))
    return min(shared)


def _in_words(answers: Sequence[OutsideAnswer]) -> str:
    """Return the places of the first answers in their files."""
    named = list(dict.fromkeys(f"{each.file}:{each.row} ({each.uid[:200]})" for each in answers))
    return ", ".join([*named[:NAMED_IN_WORDS], *(["…"] if len(named) > NAMED_IN_WORDS else [])])


def _model_name(asked: str, joined: Joined) -> str:
    said = asked or next((each.model for each in joined.answers.values() if each.model), "")
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", said).strip("-")[:100]
    if not NAME.fullmatch(name):
        raise ModelNameMissing
    return name


def _outside_model(project: Project, name: str, now: datetime) -> ModelSpec:
    """Return the project's model of this name that other programs ask, made where there is none."""
    endpoint, _new = Endpoint.objects.get_or_create(
        project=project,
        name=ELSEWHERE,
        defaults={"provider": ProviderName.ELSEWHERE, "is_active": False, "created_at": now},
    )
    try:
        with transaction.atomic():
            spec, _new = ModelSpec.objects.get_or_create(
                project=project, endpoint=endpoint, name=name,
                defaults={"model": name, "created_at": now},
            )  # fmt: skip
    except IntegrityError as error:
        raise ModelNameTaken(name=name) from error
    return spec


def _outside_prompt(project: Project, now: datetime) -> PromptTemplate:
    prompt, _new = PromptTemplate.objects.get_or_create(
        project=project, name=ELSEWHERE, purpose=PromptPurpose.ELSEWHERE,
        defaults={"language": project.target_language, "frame": "", "created_at": now},
    )  # fmt: skip
    return prompt


def _check(release: Release, options: OutsideOptions) -> None:
    if options.format and options.format not in READERS:
        raise FormatUnknown(name=options.format, known=", ".join(READERS))
    check_methods(options.methods)
    if options.model and not NAME.fullmatch(options.model):
        raise RunInvalid(
            fields={"model": [gettext("Use 1 to 100 Latin letters, digits, “.”, “_” and “-”.")]}
        )
    if release.state not in RUNNABLE_RELEASES:
        raise ReleaseNotRunnable(version=release.version)
    if not asked_items(release, options.methods).exists():
        raise ReleaseWithoutTests(version=release.version)
