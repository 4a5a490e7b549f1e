"""Comments a page at a time: threads come first, and one that is long goes on on the next page."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from review.comments.threads import ItemComments, Said, Thread

COMMENTS_AT_ONCE = 50


@dataclass(frozen=True, slots=True)
class Line:
    """One comment with the thread that it is in, None beside a judgement or a suggestion."""

    said: Said
    thread: Thread | None


def lines_of(comments: ItemComments) -> list[Line]:
    """Return every comment in the order in which pages have them."""
    in_threads = [
        Line(said, thread)
        for thread in comments.threads
        for said in (thread.first, *thread.replies)
    ]
    return in_threads + [Line(said, None) for said in comments.beside]


def line_of(lines: Iterable[Line], comment: int) -> Line:
    """Return the line of a comment that is in a thread."""
    return next(line for line in lines if line.thread and line.said.pk == comment)


def page_with(lines: Sequence[Line], comment: int | None) -> str | None:
    """Return the number of the page that shows the comment, None for the first page."""
    places = (n for n, line in enumerate(lines) if line.thread and line.said.pk == comment)
    number = next(places, 0) // COMMENTS_AT_ONCE
    return str(number + 1) if number else None


def threads_of(lines: Sequence[Line]) -> ItemComments:
    """Return the lines of one page in threads, each under its first comment."""
    threads = []
    for _first, group in groupby(lines, lambda line: line.thread and line.thread.first.pk):
        found = list(group)
        if thread := found[0].thread:
            replies = [line.said for line in found if line.said is not thread.first]
            threads.append(replace(thread, replies=replies))
    return ItemComments(threads, [line.said for line in lines if line.thread is None])
