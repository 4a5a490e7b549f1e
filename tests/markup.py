"""A page's markup without the white space of its template, and the languages that it marks."""

import re
from html.parser import HTMLParser

VOID = frozenset(
    {"area", "base", "br", "col", "hr", "img", "input", "link", "meta", "source", "wbr"}
)


def squeezed(html: str) -> str:
    return re.sub(r" ?([<>]) ?", r"\1", re.sub(r"\s+", " ", html))


class _Marks(HTMLParser):
    """Collects the `lang` and `dir` in force where a text stands."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.text = text
        self.found: set[tuple[str, str]] = set()
        self._open: list[tuple[str, str, str]] = [("", "", "ltr")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        _tag, lang, way = self._open[-1]
        marks = given.get("lang", lang), given.get("dir", way)
        if tag not in VOID:
            self._open.append((tag, *marks))

    def handle_endtag(self, tag: str) -> None:
        while len(self._open) > 1 and tag in (name for name, *_marks in self._open):
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if self.text in data:
            self.found.add(self._open[-1][1:])


def marks_of(page: str, text: str) -> set[tuple[str, str]]:
    """Return each (language, direction) in which a page shows a text; `dir` is inherited like `lang`."""
    marks = _Marks(text)
    marks.feed(page)
    return marks.found
