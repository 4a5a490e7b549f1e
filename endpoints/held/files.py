"""The next batch file of a job as a download."""

from itertools import chain

from django.http import StreamingHttpResponse

from endpoints.held.actions import NoCallLeft, missing_lines
from endpoints.held.kinds import HeldWork

MEDIA_TYPE = "application/jsonl; charset=utf-8"


def file_of(work: HeldWork) -> StreamingHttpResponse:
    """Return the next batch file of a job, without writing. Raises NoCallLeft and as `missing_lines`."""
    lines = missing_lines(work)
    first = next(lines, None)
    if first is None:
        raise NoCallLeft
    response = StreamingHttpResponse(chain([first], lines), content_type=MEDIA_TYPE)
    name = f"{work.project.slug}-{work.name}.jsonl"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
