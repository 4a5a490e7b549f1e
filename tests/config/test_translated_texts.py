"""Texts for translation stand where the collector of messages finds them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
MARKERS = {
    "_", "gettext", "gettext_lazy", "gettext_noop", "ngettext", "ngettext_lazy", "pgettext",
    "pgettext_lazy", "npgettext", "npgettext_lazy",
}  # fmt: skip
_PERHAPS = re.compile(r"\bf[\"'][^\n]*\{[^\n]*(?:_|gettext\w*)\(|\bf(?:\"\"\"|''')")
LEFT_OUT = {"tests", "benchmarks", "static", "locale", "node_modules"}


def marked_within_f_strings(source: str) -> Iterator[int]:
    """Yield the line of each text for translation that stands within an f-string."""
    if not _PERHAPS.search(source):
        return
    for outer in ast.walk(ast.parse(source)):
        if isinstance(outer, ast.JoinedStr):
            yield from (
                inner.lineno
                for inner in ast.walk(outer)
                if isinstance(inner, ast.Call)
                and isinstance(inner.func, ast.Name)
                and inner.func.id in MARKERS
            )


def sources() -> Iterator[Path]:
    for folder in ROOT.iterdir():
        if folder.is_dir() and folder.name not in LEFT_OUT and not folder.name.startswith("."):
            yield from folder.rglob("*.py")


def test_no_text_for_translation_stands_within_an_f_string() -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}"
        for path in sources()
        for line in marked_within_f_strings(path.read_text())
    }
    assert not found


def test_a_text_within_an_f_string_is_seen() -> None:
    assert list(marked_within_f_strings("a = 1\nb = f\"{a}, {_('part') % a}\"")) == [2]
    assert not list(marked_within_f_strings('b = _("part")\nc = f"{b} {call(1)}"'))
