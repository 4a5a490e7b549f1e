"""Makes items of a file and imports them as drafts of a project."""

import csv
import json
from dataclasses import dataclass
from datetime import datetime
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from accounts.models import User
from annotation.enums import ItemKind
from annotation.imports.actions import import_path, start_import
from annotation.imports.opening import ImportOptions
from annotation.imports.reports import ImportReport
from annotation.making.base import Made, MadeItem
from annotation.making.cloze import WAY as CLOZE
from annotation.making.cloze import make_cloze
from annotation.making.distractors import make_distractors
from annotation.making.pairs import WAY as DISTRACTORS
from annotation.making.rows import BYTE_ORDER_MARK, headings_in, table_of
from annotation.making.word_order import WAY as WORD_ORDER
from annotation.making.word_order import make_word_order
from annotation.models import ImportJob
from common.errors import DomainError
from languages import get_language
from projects.models import Project

WAYS: Final = (WORD_ORDER, CLOZE, DISTRACTORS)
GAP_SLOT: Final = "%s"
SHOWN: Final = 10
"""How many made items, and lines without one, a preview shows."""
MOST_CHARACTERS: Final = 200_000
LONGEST_CELL: Final = 10_000
MOST_LINES: Final = 1_000
"""Of the sentences that a page or a call of the API takes at once."""
VOCABULARY_COLUMNS: Final = ("word", "part_of_speech")


class MakingInvalid(DomainError):
    code = "making_invalid"
    detail = gettext_lazy("No items can be made: %(fault)s")
    status = 400


class NothingMade(DomainError):
    code = "nothing_made"
    detail = gettext_lazy("No item can be made of these lines. The preview says why.")


@dataclass(frozen=True, slots=True, kw_only=True)
class MakingSettings:
    """What to make of which sentences or pairs, one a line. `vocabulary` is a CSV file; `name` is for the import.

    `question` is what each item asks; that of a gap has “%s” for the sentence. Without one, a gap is
    asked by the sentence alone, and the order of words by the question of the language.
    """

    way: str
    sentences: str
    question: str = ""
    vocabulary: str = ""
    seed: int = 0
    name: str = "made"


@dataclass(frozen=True, slots=True)
class Making:
    """What was made, and what the import says of it, None if there was nothing to import."""

    made: Made
    report: ImportReport | None


def make_items(
    *,
    project: Project,
    settings: MakingSettings,
    actor: User | None,
    now: datetime,
    is_dry_run: bool = False,
) -> Making:
    """Make items in the source language and import them, with their recipe as metadata.

    They go through checks and review like every imported item. The uid is made of the sentence, so
    the same file again changes nothing. Raises MakingInvalid for a file that cannot be read, and
    what `import_path` raises.
    """
    made = made_of(project=project, settings=settings)
    if not made.items:
        return Making(made, None)
    report = import_made(
        project=project, way=settings.way, made=made, name=settings.name, actor=actor, now=now,
        is_dry_run=is_dry_run,
    )  # fmt: skip
    return Making(made, report)


def import_made(
    *,
    project: Project,
    way: str,
    made: Made,
    name: str,
    actor: User | None,
    now: datetime,
    is_dry_run: bool = False,
    is_skipping_refused: bool = False,
) -> ImportReport:
    """Import items as they were made, with their recipe as metadata. Raises what `import_path` raises."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / f"{name}.jsonl"
        path.write_text(_rows(way, made), encoding="utf-8")
        options = ImportOptions(
            format="items", is_dry_run=is_dry_run, is_skipping_refused=is_skipping_refused
        )
        return import_path(project=project, path=path, options=options, actor=actor, now=now)


def start_making(
    *, project: Project, settings: MakingSettings, actor: User, now: datetime
) -> ImportJob:
    """Make items and queue their import. Raises MakingInvalid, and NothingMade without any item."""
    made = made_of(project=project, settings=settings)
    if not made.items:
        raise NothingMade
    file = BytesIO(_rows(settings.way, made).encode())
    return start_import(
        project=project, file=file, name=f"{settings.name}.jsonl",
        options=ImportOptions(format="items"), actor=actor, now=now,
    )  # fmt: skip


def made_of(*, project: Project, settings: MakingSettings) -> Made:
    """Return the items that would be made, without writing. Raises MakingInvalid."""
    language = get_language(project.source_language)
    if settings.way == DISTRACTORS:
        return make_distractors(settings.sentences, seed=settings.seed)
    sentences = settings.sentences.removeprefix(BYTE_ORDER_MARK).splitlines()
    if settings.way == WORD_ORDER:
        question = settings.question or language.sentence_question
        if not question:
            raise MakingInvalid(fault=_("Write the question: none is known in this language."))
        return make_word_order(sentences, language, question=question, seed=settings.seed)
    if not settings.vocabulary.strip():
        raise MakingInvalid(fault=_("A cloze needs a vocabulary."))
    question = settings.question or GAP_SLOT
    if question.count(GAP_SLOT) != 1 or question.count("%") != 1:
        raise MakingInvalid(fault=_("Write “%s” once in the question, where the sentence goes."))
    words = _vocabulary(settings.vocabulary)
    return make_cloze(sentences, words, language, question=question, seed=settings.seed)


def read_text(path: Path) -> str:
    """Return the text of a file. Raises MakingInvalid."""
    try:
        return path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise MakingInvalid(fault=_("The file %s cannot be read.") % path) from error
    except UnicodeDecodeError as error:
        raise MakingInvalid(fault=_("The file %s is not in UTF-8.") % path) from error


def _vocabulary(text: str) -> dict[str, str]:
    csv.field_size_limit(LONGEST_CELL)  # of the process, so each reader sets its own
    try:
        return _words_of(table_of(text))
    except csv.Error as error:
        raise MakingInvalid(fault=_("The vocabulary is no CSV table.")) from error


def _words_of(rows: "csv.DictReader[str]") -> dict[str, str]:
    rows.fieldnames = headings_in(rows)
    if not {*VOCABULARY_COLUMNS} <= {*rows.fieldnames}:
        names = ", ".join(VOCABULARY_COLUMNS)
        raise MakingInvalid(fault=_("The vocabulary needs the columns %s.") % names)
    word, speech = VOCABULARY_COLUMNS
    return {row[word].strip(): row[speech] for row in rows if row[word].strip()}


def _rows(way: str, made: Made) -> str:
    return "".join(_line(way, item) for item in made.items)


def _line(way: str, item: MadeItem) -> str:
    """Return the row of an item as the format `items` reads it."""
    row = {
        "uid": item.uid,
        "subject": item.subject or way,
        "question": item.question,
        "made_by": item.recipe,
        **_answer(item),
    }
    return json.dumps(row, ensure_ascii=False) + "\n"


def _answer(item: MadeItem) -> dict[str, object]:
    if not item.options:
        return {"kind": ItemKind.OPEN}
    return {"options": item.options, "key": item.key}
