"""Write the difference between two releases as Markdown."""

from collections.abc import Iterator, Sequence

from django.http import HttpResponse

from annotation.diffs import Segment
from releases.changes.differences import SOURCE, Difference, ReleaseDifference, TextDifference

WORDS = {
    "added": "New items",
    "removed": "Items removed",
    "text": "Texts changed",
    "key": "Keys changed",
    "split": "Moved between dev and test",
    "subset": "Opened or hidden",
    "category": "Moved to another subject or category",
}
MARKS = {"same": "", "ins": "**", "del": "~~"}
_SPECIAL = str.maketrans({mark: f"\\{mark}" for mark in "\\`*_{}[]<>#|~&"})


def as_markdown(found: ReleaseDifference, *, canary: str = "") -> str:
    """Return a file that says what changed; hidden items are counted, and described only where shown.

    It says how many changes the lists of `found` leave out. `canary` ends a file for the public.
    """
    return "".join([*_pieces(found), f"\n## Canary\n\n    {canary}\n" if canary else ""])


def send_markdown(project_slug: str, found: ReleaseDifference, *, canary: str = "") -> HttpResponse:
    """Send the file that says what changed as a download."""
    content_type = "text/markdown; charset=utf-8"
    response = HttpResponse(as_markdown(found, canary=canary), content_type=content_type)
    name = f"{project_slug}-{found.before}-{found.after}.md"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response


def _pieces(found: ReleaseDifference) -> Iterator[str]:
    since = "the source" if found.before == SOURCE else found.before
    yield f"# Changes in {found.after} since {since}\n\n"
    for name, words in WORDS.items():
        hidden = f", {found.hidden[name]} of them hidden" if found.hidden[name] else ""
        yield f"- {words}: {found.counts[name]}{hidden}\n"
    yield from _subjects(found)
    for name in ("added", "removed"):
        yield from _uids(WORDS[name], getattr(found, name))
        yield from _rest(found, name)
    for name in ("key", "split", "subset", "category"):
        yield from _differences(WORDS[name], getattr(found, name))
        yield from _rest(found, name)
    yield from _texts(found.text)
    yield from _rest(found, "text")


def _rest(found: ReleaseDifference, name: str) -> Iterator[str]:
    left = found.counts[name] - found.hidden[name] - len(getattr(found, name))
    if left:
        yield f"\n{left} more are not listed here.\n"


def _subjects(found: ReleaseDifference) -> Iterator[str]:
    if not found.subjects:
        return
    heads = (
        f"{words.lower()} (open items)" if found.hidden[name] else words.lower()
        for name, words in WORDS.items()
    )
    yield f"\n## By subject\n\n| subject | {' | '.join(heads)} |\n"
    yield f"|---|{'---:|' * len(WORDS)}\n"
    for row in found.subjects:
        counts = " | ".join(str(row.counts[name]) for name in WORDS)
        yield f"| {plain(row.subject)} | {counts} |\n"


def _uids(title: str, uids: Sequence[str]) -> Iterator[str]:
    if uids:
        yield f"\n## {title}\n\n"
        yield from (f"- {plain(uid)}\n" for uid in uids)


def _differences(title: str, rows: Sequence[Difference]) -> Iterator[str]:
    if rows:
        yield f"\n## {title}\n\n| item | before | after |\n|---|---|---|\n"
        for row in rows:
            yield f"| {plain(row.uid)} | {plain(row.before)} | {plain(row.after)} |\n"


def _texts(rows: Sequence[TextDifference]) -> Iterator[str]:
    if rows:
        yield f"\n## {WORDS['text']}\n\nWhat went is ~~struck through~~, what came is **bold**.\n"
    for row in rows:
        yield f"\n### {plain(row.uid)}\n\n"
        for segments in row.parts:
            yield f"- {''.join(map(_marked, segments))}\n"


def _marked(segment: Segment) -> str:
    mark, text = MARKS[segment.op], plain(segment.text)
    inner = text.strip()
    if not mark or not inner:
        return text
    before, after = text[: text.index(inner)], text[text.index(inner) + len(inner) :]
    return f"{before}{mark}{inner}{mark}{after}"


def plain(text: str) -> str:
    """Return text that Markdown shows as it stands, on one line."""
    joined = " ".join(text.splitlines()) if len(text.splitlines()) > 1 else text.rstrip("\n")
    return joined.translate(_SPECIAL)
