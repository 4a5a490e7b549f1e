"""The batch files of a translation job: the next one as a download, and the answers of those that came back."""

from collections.abc import Iterable
from itertools import chain

from django.http import StreamingHttpResponse
from django.utils import timezone

from annotation.asking.batch_files import Taken, missing_lines, take_answers
from annotation.models import TranslationJob
from annotation.translating.execution import translation_work
from endpoints.batch_files import read_answers

MEDIA_TYPE = "application/jsonl; charset=utf-8"


def file_of(started: TranslationJob) -> StreamingHttpResponse | None:
    """Return the next batch file of a job, None if no call is left."""
    lines = missing_lines(translation_work(started), timezone.now())
    first = next(lines, None)
    if first is None:
        return None
    response = StreamingHttpResponse(chain([first], lines), content_type=MEDIA_TYPE)
    name = f"{started.project.slug}-translation-{started.pk}.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def take_files(started: TranslationJob, files: Iterable[Iterable[bytes]]) -> Taken:
    """Take the answers of one or several files; raises what `read_answers` and `take_answers` raise."""
    answers = read_answers(chain.from_iterable(files))
    return take_answers(translation_work(started), answers, timezone.now())
