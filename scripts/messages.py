"""Collects the texts for people into the catalogues of locale/, compiles and checks them.

`update` writes what the source says now into every catalogue and keeps the translations; `compile`
makes the .mo files that Django reads; `check` fails where a catalogue is not that of the source or
a translation is broken, and warns of texts that nobody has translated; `check --complete`, before a
release, fails of those too.
Works without GNU gettext, so that a bare machine can build and test the pages in every language.
"""

import io
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from babel.messages import Catalog, Message
from babel.messages.extract import extract_python
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po
from django.utils.translation.template import templatize

ROOT = Path(__file__).resolve().parents[1]
LOCALE = ROOT / "locale"
SOURCE = "en"
SKIPPED = frozenset({"tests", "benchmarks", "scripts", "var", "docs", "locale", "static"})
KEYWORDS: dict[str, Any] = {
    "_": None,
    "gettext": None,
    "gettext_lazy": None,
    "gettext_noop": None,
    "ngettext": (1, 2),
    "ngettext_lazy": (1, 2),
    "pgettext": ((1, "c"), 2),
    "pgettext_lazy": ((1, "c"), 2),
    "npgettext": ((1, "c"), 2, 3),
}
Found = tuple[str | tuple[str, ...], str | None, str]


def main(arguments: list[str]) -> int:
    match arguments:
        case ["update"]:
            return update()
        case ["compile"]:
            return compile_all()
        case ["check"]:
            return check()
        case ["check", "--complete"]:
            return check(must_be_complete=True)
    print("usage: messages.py update | compile | check [--complete]", file=sys.stderr)
    return 2


def update() -> int:
    """Bring every catalogue into line with the source; a text that is gone goes from it too."""
    template = collect()
    for path in catalogue_paths():
        catalogue = read(path)
        catalogue.update(template, no_fuzzy_matching=True, update_creation_date=False)
        catalogue.obsolete.clear()
        catalogue.project, catalogue.version = "lotsawa", ""
        catalogue.last_translator = catalogue.language_team = ""
        write(path, catalogue)
    return 0


def compile_all() -> int:
    """Write each .mo file anew where its catalogue is newer."""
    for path in catalogue_paths():
        target = path.with_suffix(".mo")
        if not target.exists() or target.stat().st_mtime <= path.stat().st_mtime:
            replace(target, compiled(read(path)))
    return 0


def check(*, must_be_complete: bool = False) -> int:
    """Print what is wrong with the catalogues, and count or print what is not translated."""
    template = collect()
    faults = [fault for path in catalogue_paths() for fault in faults_of(path, template)]
    untranslated = [text for path in catalogue_paths() for text in untranslated_in(path)]
    for line in [*faults, *(untranslated if must_be_complete else ())]:
        print(line)
    if faults:
        print(f"{len(faults)} texts differ. Run make messages.")
    if untranslated:
        print(
            f"Warning: {len(untranslated)} texts have no translation. A release needs all of them."
        )
    return 1 if faults or (untranslated and must_be_complete) else 0


def faults_of(path: Path, template: Catalog) -> Iterator[str]:
    """Yield a line for each text that a catalogue lacks or has too many, or translates wrongly."""
    catalogue = read(path)
    language = path.parts[-3]
    there = {key_of(message) for message in catalogue if message.id}
    wanted = {key_of(message) for message in template if message.id}
    for key in sorted(wanted - there, key=str):
        yield f"{language}: missing: {shown(key)}"
    for key in sorted(there - wanted, key=str):
        yield f"{language}: not in the source any more: {shown(key)}"
    if language == SOURCE:
        return
    for message in catalogue:
        if message.id and is_translated(message):
            for fault in message.check(catalogue):
                yield f"{language}: {fault}: {shown(key_of(message))}"


def untranslated_in(path: Path) -> Iterator[str]:
    """Yield a line for each text that a catalogue has without a translation."""
    language = path.parts[-3]
    if language != SOURCE:
        for message in read(path):
            if message.id and not is_translated(message):
                yield f"{language}: not translated: {shown(key_of(message))}"


def is_translated(message: Message) -> bool:
    strings = message.string if isinstance(message.string, tuple) else (message.string,)
    return not message.fuzzy and all(strings)


def collect() -> Catalog:
    """A catalogue of every text of code and templates, with the files that hold it."""
    catalogue = Catalog(charset="utf-8")
    for path in sorted(source_paths()):
        place = str(path.relative_to(ROOT))
        for text, context, comment in texts_of(path):
            flags = ("python-format",) if "%(" in str(text) else ()
            notes = (comment,) if comment else ()
            catalogue.add(
                text, None, [(place, 0)], flags=flags, auto_comments=notes, context=context
            )
    return catalogue


def source_paths() -> Iterator[Path]:
    for top in sorted(ROOT.iterdir()):
        if top.is_dir() and top.name not in SKIPPED and not top.name.startswith("."):
            yield from top.rglob("*.py")
            yield from top.rglob("*.html")
            yield from top.rglob("*.txt")


def texts_of(path: Path) -> Iterator[Found]:
    """(text or its plural forms, context, comment for translators) of a file."""
    code = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        # Lines of a template are no Python: without their indentation they can be cut in tokens.
        code = textwrap.dedent(templatize(code, origin=str(path)))
        code = "\n".join(line.strip() for line in code.split("\n"))
    file = io.BytesIO(code.encode())
    options: Any = {"encoding": "utf-8"}
    for _line, function, messages, notes in extract_python(
        file, KEYWORDS, ["Translators"], options
    ):
        comment = " ".join(note for note in notes or () if note)
        yield from chosen(KEYWORDS[str(function)], messages, comment)


def chosen(spec: Any, messages: Any, comment: str) -> Iterator[Found]:
    """The arguments of one call that are texts, by where its function takes them."""
    values = messages if isinstance(messages, tuple) else (messages,)
    if spec is None:
        if isinstance(values[0], str) and values[0]:
            yield values[0], None, comment
        return
    context = values[0] if isinstance(spec[0], tuple) else None
    places = [place for place in spec if isinstance(place, int)]
    texts = tuple(values[place - 1] for place in places)
    if all(isinstance(text, str) for text in texts):
        yield (texts if len(texts) > 1 else texts[0]), context, comment


def catalogue_paths() -> list[Path]:
    return sorted(LOCALE.glob("*/LC_MESSAGES/django.po"))


def read(path: Path) -> Catalog:
    with path.open("rb") as file:
        return read_po(file, locale=path.parts[-3], abort_invalid=True)


def write(path: Path, catalogue: Catalog) -> None:
    out = io.BytesIO()
    write_po(out, catalogue, width=0, sort_output=False, include_lineno=False, omit_header=False)
    replace(path, out.getvalue())


def compiled(catalogue: Catalog) -> bytes:
    out = io.BytesIO()
    write_mo(out, catalogue)
    return out.getvalue()


def replace(path: Path, content: bytes) -> None:
    """Write beside and rename, so that a server never reads half a file."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    written = Path(file.name)
    written.chmod(0o644)
    written.replace(path)


def key_of(message: Message) -> tuple[Any, str | None]:
    return message.id, message.context


def shown(key: tuple[Any, str | None]) -> str:
    text, context = key
    first = text[0] if isinstance(text, tuple) else text
    return f"{first!r}" + (f" ({context})" if context else "")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
