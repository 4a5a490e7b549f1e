"""Check a release's folder by itself: checksums, ledger, rows, figures, card and archive.

Nothing is asked of a database, and no path is taken from a file: only files that are in the folder
are read.
"""

import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from releases.files.exporters import FORMATS
from releases.files.exporters.all_hidden import TEXTS_NAME
from releases.files.exporters.base import WithheldText
from releases.files.exporters.card import CARD_NAME, card_text
from releases.files.exporters.citation import CITATION_NAME, citation_text
from releases.files.exporters.fact_figures import fact_figures
from releases.files.exporters.output import sha256_of
from releases.files.ledger_figures import BLACK_BOX
from releases.files.manifest import (
    MANIFEST_NAME,
    Counts,
    ReleaseFacts,
    SubjectCount,
    WrittenFile,
    canary_string,
    facts_from,
    json_document,
)
from releases.files.storage import write_zip
from releases.verification.files import (
    HIDDEN,
    LEDGER,
    NOT_THERE,
    QUALITY,
    SUMS,
    ReleaseFiles,
    Unreadable,
    reading,
)
from releases.verification.rows import PublishedRow, files_of, read_rows

HIDDEN_FIELDS = frozenset({"id", "key", "level", "texts", "source_ids", "option_order"})
"""What the ledger never tells of a hidden item."""
MOST_NAMED = 20


@dataclass(frozen=True, slots=True)
class Problem:
    """A deviation from what the release says; `file` is its path in the release."""

    code: str
    file: str
    detail: str


@dataclass(frozen=True, slots=True)
class Verification:
    """The result of a check; `notes` say what could not be checked."""

    content_hash: str
    files: int
    items: int
    problems: tuple[Problem, ...]
    notes: tuple[str, ...]


def verify(folder: Path, *, content_hash: str = "", version: str = "") -> Verification:
    """Check every byte and every figure that the ledger allows.

    `content_hash` is what the release's page gives, if the caller has it. The card is written
    again where the release was made by this `version` of the software.
    """
    checked = ReleaseFiles(folder, content_hash, version)
    problems = tuple(problem for step in _steps(checked) for problem in _guarded(step, checked))
    return Verification(
        content_hash=checked.sums_found.get(MANIFEST_NAME, ""),
        files=len(checked.sums_found),
        items=checked.items,
        problems=tuple(dict.fromkeys(problems)),
        notes=tuple(checked.notes),
    )


def _steps(folder: ReleaseFiles) -> Sequence["Step"]:
    """Return what can be checked: the ledger of the first format has no figures to count."""
    if not folder.is_of_first_format:
        return tuple(STEPS)
    with suppress(Unreadable):
        folder.items = len(folder.objects_of(LEDGER))
    folder.notes.append(
        "The release has format 1, whose ledger says too little: checksums were checked, no figures."
    )
    return OF_FIRST_FORMAT


Step = Callable[[ReleaseFiles], Iterator[Problem]]


def _guarded(step: Step, folder: ReleaseFiles) -> Iterator[Problem]:
    """Report what cannot be read as a problem too."""
    try:
        with reading(STEPS[step]):
            yield from step(folder)
    except Unreadable as error:
        yield Problem("unreadable", error.file, error.words)


def _check_sums(folder: ReleaseFiles) -> Iterator[Problem]:
    """Check that every file has a checksum, and that each is right to the byte."""
    text = folder.bytes_of(SUMS)
    with reading(SUMS):
        listed = dict(_sum_lines(text.decode()))
    found = {name: sha256 for name, sha256 in folder.sums_found.items() if name != SUMS}
    for name, sha256 in listed.items():
        if name not in found and name not in folder.unread:
            words = folder.why_unread(name)
            yield Problem("unreadable" if words else "missing", name, words or NOT_THERE)
        elif found.get(name, sha256) != sha256:
            yield Problem("changed", name, f"{SUMS} says {sha256}, the file has {found[name]}.")
    for name, words in sorted(folder.unread.items()):
        yield Problem("unreadable", name, words)
    for name in sorted(found.keys() - listed.keys() - folder.unsummed):
        yield Problem("unlisted", name, f"{SUMS} does not name this file.")
    exact = "".join(f"{listed[name]}  {name}\n" for name in sorted(listed))
    if exact.encode() != folder.bytes_of(SUMS):
        yield Problem("changed", SUMS, "The file is not written as a release writes it.")


def _sum_lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        sha256, _spaces, name = line.partition("  ")
        yield name, sha256


def _check_plain(folder: ReleaseFiles) -> Iterator[Problem]:
    """Check that everything is a file or a folder of files: a link may lead elsewhere tomorrow."""
    for path in sorted(folder.path.rglob("*")):
        name = path.relative_to(folder.path).as_posix()
        if folder.why_unread(name):
            continue
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            yield Problem("not_a_file", name, "This is neither a file nor a folder.")
        elif path.is_dir() and not any(path.iterdir()):
            yield Problem("not_a_file", name, "This folder is empty, and a release has none.")


def _check_manifest(folder: ReleaseFiles) -> Iterator[Problem]:
    manifest = folder.manifest
    if json_document(manifest) != folder.bytes_of(MANIFEST_NAME):
        yield Problem("changed", MANIFEST_NAME, "The file is not written as a release writes it.")
    found = folder.sums_found.get(MANIFEST_NAME, "")
    if folder.content_hash and folder.content_hash != found:
        yield Problem("changed", MANIFEST_NAME, f"The content hash is {found}.")
    listed = {file["name"]: file for file in manifest["artifacts"]}
    named = folder.sums_found.keys() - folder.unlisted
    for name in sorted(named ^ listed.keys()):
        if folder.why_unread(name):
            continue  # it may be there
        yield Problem("manifest", name, "Folder and manifest do not agree that it is there.")
    for name in sorted(named & listed.keys()):
        size = folder.path_of(name).stat().st_size
        if (listed[name]["sha256"], listed[name]["size"]) != (folder.sums_found[name], size):
            yield Problem("manifest", name, "The manifest has another checksum or size.")
    names = ("project", "version", "seed")
    if manifest["canary"] != canary_string(**{name: manifest[name] for name in names}):
        yield Problem("manifest", MANIFEST_NAME, "The canary is not that of this version.")


def _check_ledger(folder: ReleaseFiles) -> Iterator[Problem]:
    """Check that each item is named once, and that ledger and list have the same hidden items."""
    hidden = [line for line in folder.ledger if line["subset"] == BLACK_BOX]
    opened = [line for line in folder.ledger if line["subset"] != BLACK_BOX]
    listed = folder.objects_of(HIDDEN)
    with reading(LEDGER):
        ids, told = [line["id"] for line in opened], Counter(map(_sort_of, hidden))
    with reading(HIDDEN):
        ids += [line["id"] for line in listed]
        if told != Counter(map(_sort_of, listed)):
            yield Problem("ledger", HIDDEN, "The hidden items are not those of the ledger.")
    if len(set(ids)) != len(ids):
        yield Problem("ledger", LEDGER, "An item has more than one line.")
    forbidden = HIDDEN_FIELDS if folder.is_of_this_format else HIDDEN_FIELDS - {"id"}
    told_too_much = {name for line in hidden for name in forbidden & line.keys()}
    for name in sorted(told_too_much):
        yield Problem("ledger", LEDGER, f"{name}: this must not be told of a hidden item.")


def _check_withheld(folder: ReleaseFiles) -> Iterator[Problem]:
    """Check that texts of hidden items are there only if answers alone are withheld, without keys."""
    is_there = TEXTS_NAME in folder.sums_found
    if not _facts(folder).has_withheld:
        if is_there:
            yield Problem("ledger", TEXTS_NAME, "This release must not tell texts of hidden items.")
        return
    rows, listed = folder.objects_of(TEXTS_NAME), folder.objects_of(HIDDEN)
    with reading(TEXTS_NAME):
        told = [(row["id"], row["subject"], len(row["choices"])) for row in rows]
    with reading(HIDDEN):
        if told != [(each["id"], each["subject"], each["option_count"]) for each in listed]:
            yield Problem("rows", TEXTS_NAME, "The items are not the hidden ones.")
    if any(row["canary"] != folder.manifest["canary"] for row in rows):
        yield Problem("rows", TEXTS_NAME, "A row has another canary.")
    allowed = {*WithheldText._fields, "canary"}
    for name in sorted({name for row in rows for name in row} - allowed):
        yield Problem("rows", TEXTS_NAME, f"{name}: this must not be told of a hidden item.")


def _sort_of(line: Mapping[str, Any]) -> tuple[str, int]:
    return line["subject"], line["option_count"]


def _check_figures(folder: ReleaseFiles) -> Iterator[Problem]:
    told = folder.object_of(QUALITY)
    if json_document(told) != folder.bytes_of(QUALITY):
        yield Problem("changed", QUALITY, "The file is not written as a release writes it.")
    stated = told["release"]
    for name in sorted(stated.keys() | (folder.figures.keys() if folder.is_of_this_format else ())):
        if stated.get(name) != folder.figures.get(name):
            yield Problem("figures", QUALITY, f"{name}: the ledger gives another figure.")
    if folder.is_of_this_format and told["build"] != fact_figures(_facts(folder)):
        yield Problem("figures", QUALITY, "build: the manifest gives other figures.")


def _check_counts(folder: ReleaseFiles) -> Iterator[Problem]:
    """Check that the counts of the manifest are those of the ledger."""
    counts = folder.manifest["counts"]
    for name in ("items", "test", "dev", "open", "black_box", "levels", "option_counts"):
        if counts[name] != folder.figures[name]:
            yield Problem("figures", MANIFEST_NAME, f"{name}: the ledger gives another figure.")
    if counts.get("kinds", {}) != folder.figures.get("kinds", {}):
        yield Problem("figures", MANIFEST_NAME, "kinds: the ledger gives another figure.")
    told = folder.manifest.get("simulated_judgements", 0)
    if told != folder.figures["simulated_judgements"]:
        yield Problem(
            "figures", MANIFEST_NAME, "simulated_judgements: the ledger gives another figure."
        )
    notes = folder.manifest.get("waivers", ())
    waived = {note["code"]: note["items"] for note in notes if note["items"]}
    if waived != folder.figures["waivers"]:
        yield Problem("figures", MANIFEST_NAME, "waivers: the ledger gives other figures.")
    if _by_subject(counts["subjects"]) != folder.figures["subjects"]:
        yield Problem("figures", MANIFEST_NAME, "subjects: the ledger gives other figures.")


def _by_subject(subjects: list[dict[str, Any]]) -> dict[str, Any]:
    names = ("test", "dev", "black_box")
    return {each["slug"]: {name: each[name] for name in names} for each in subjects}


def _check_rows(folder: ReleaseFiles) -> Iterator[Problem]:
    """Check that the open items are in the files with the ledger's key and text."""
    ledger = folder.ledger
    with reading(LEDGER):
        lines = {line["id"]: line for line in ledger if line["subset"] == "open"}
    formats = [name for name in ("jsonl", "parquet", "csv") if name in folder.manifest["formats"]]
    if not formats:
        folder.notes.append("No format holds the exact texts of all items: no text was checked.")
    for name in formats:
        yield from _check_format(folder, name, lines)


def _check_format(
    folder: ReleaseFiles, name: str, lines: Mapping[str, Mapping[str, Any]]
) -> Iterator[Problem]:
    waiting, canary = dict(lines), folder.manifest["canary"]
    for file in files_of(name, folder.sums_found):
        with reading(file):
            for row in read_rows(folder.path, name, file):
                line = waiting.pop(row.id, None)
                if line is None:
                    words = f"{row.id}: the ledger has no such open item, or no more."
                    yield Problem("rows", file, words)
                elif wrong := _differing(row, line, canary):
                    yield Problem("rows", file, f"{row.id}: {wrong} not as in the ledger.")
    if waiting and not folder.unread:
        named = ", ".join(sorted(waiting)[:MOST_NAMED])
        yield Problem("rows", LEDGER, f"{name} has no row of: {named}")


def _differing(row: PublishedRow, line: Mapping[str, Any], canary: str) -> str:
    """Name what of a row differs from the ledger."""
    found = {
        "subject": row.subject == line["subject"],
        "split": row.split == line["split"],
        "level": row.level == line["level"],
        "kind": row.kind == line.get("kind", "choice"),
        "key": row.key == line["key"],
        "number of options": len(row.choices) == line["option_count"],
        "text": row.text_hash(line.get("option_order", "")) == line["texts"][-1]["sha256"],
        "canary": row.canary == canary,
    }
    return ", ".join(name for name, is_same in found.items() if not is_same)


def _check_card(folder: ReleaseFiles) -> Iterator[Problem]:
    """Write the card again from manifest and ledger and compare it."""
    made_by = folder.manifest["software"]["version"]
    if made_by != folder.version or not folder.is_of_this_format:
        folder.notes.append(f"The card was made by version {made_by} and was not written again.")
        return
    facts = _facts(folder)
    formats = tuple(FORMATS[name] for name in facts.formats)
    listed = folder.manifest["artifacts"]
    files = [WrittenFile(**file) for file in listed if file["name"] != CARD_NAME]
    if citation_text(facts).encode() != folder.bytes_of(CITATION_NAME):
        yield Problem("card", CITATION_NAME, "The manifest gives another citation.")
    quality = folder.object_of(QUALITY) | {"release": folder.figures}
    if card_text(facts, formats, quality, files).encode() != folder.bytes_of(CARD_NAME):
        yield Problem("card", CARD_NAME, "Manifest and ledger give another card.")


def _facts(folder: ReleaseFiles) -> ReleaseFacts:
    """Return what the manifest says, with the counts of the ledger."""
    figures = folder.figures
    with reading(MANIFEST_NAME):
        return _facts_with(figures, folder)


def _facts_with(figures: Mapping[str, Any], folder: ReleaseFiles) -> ReleaseFacts:
    manifest = folder.manifest
    told = dict(manifest["counts"])
    names = {each["slug"]: (each["name"], each["category"]) for each in told["subjects"]}
    subjects = tuple(
        SubjectCount(slug, *names[slug], **found) for slug, found in figures["subjects"].items()
    )
    counts = Counts(**{**told, "subjects": subjects})
    counts = replace(counts, **{name: figures[name] for name in _COUNTED})
    return facts_from({**manifest, "software_version": manifest["software"]["version"]}, counts)


_COUNTED = ("items", "test", "dev", "open", "black_box", "levels", "option_counts")


def _check_archive(folder: ReleaseFiles) -> Iterator[Problem]:
    """Write the archive again and compare it, so that every byte of it is accounted for."""
    name = folder.archive
    if name not in folder.sums_found and not folder.why_unread(name):
        folder.notes.append("The archive is not in the folder.")
        return
    if folder.unread:
        return  # and the archive of the rest would be another one
    names = [each for each in folder.sums_found if each != name]
    with tempfile.TemporaryDirectory() as path:
        again = Path(path) / "again.zip"
        with reading(name):
            write_zip(again, folder.path, names, root=name.removesuffix(".zip"))
        if sha256_of(again) != folder.sums_found[name]:
            yield Problem("archive", name, "The files of the folder give another archive.")


STEPS: dict[Step, str] = {
    _check_sums: SUMS,
    _check_plain: SUMS,
    _check_manifest: MANIFEST_NAME,
    _check_ledger: LEDGER,
    _check_figures: QUALITY,
    _check_counts: MANIFEST_NAME,
    _check_rows: MANIFEST_NAME,
    _check_withheld: TEXTS_NAME,
    _check_card: MANIFEST_NAME,
    _check_archive: MANIFEST_NAME,
}
"""Each step, and the file that is at fault where something in it has another shape."""

OF_FIRST_FORMAT: tuple[Step, ...] = (_check_sums, _check_plain, _check_manifest, _check_archive)
