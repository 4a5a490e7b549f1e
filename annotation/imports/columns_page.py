"""The page that maps the columns of a table: samples, guesses, the form and a preview of ten items."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cached_property
from itertools import islice
from pathlib import Path
from typing import Any

from django import forms
from django.conf import settings
from django.db.models import QuerySet
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from annotation.importers.base import Row, RowError, SourceRow, TranslationRow
from annotation.importers.errors import ImportRefused
from annotation.importers.guessing import guess_map
from annotation.importers.limits import ImportLimits
from annotation.importers.mapped import (
    FIELDS,
    LISTS,
    SEPARATORS,
    ColumnMap,
    columns_there,
    parse_map,
    written,
)
from annotation.importers.tables import ANY_SUFFIXES
from annotation.imports.actions import import_kept, options_again
from annotation.imports.mappings import keep_mapping
from annotation.imports.process import Request, reading
from annotation.imports.reports import reason_of
from annotation.imports.uploads import UploadRemoved
from annotation.items.text_languages import source_language_of
from annotation.models import ImportJob, ImportMapping, Item

SAMPLE_ROWS = 20
PREVIEWED = 10
LOOKED_AT_BYTES = 5_000_000
_WORDS = {
    "uid": _("Uid"),
    "subject": _("Subject"),
    "question": _("Question"),
    "options": _("Options"),
    "key": _("Key"),
    "explanation": _("Explanation"),
    "level": _("Level"),
    "year": _("Year"),
    "category": _("Category"),
    "split": _("Split"),
    "translation_question": _("Translated question"),
    "translation_options": _("Translated options"),
    "system": _("Translation system"),
}
MOST_COLUMNS = 300
_KEY_KINDS = [
    ("", _("Choose one")),
    ("letter", _("The letter of the option")),
    ("zero", _("The number of the option, counted from 0")),
    ("one", _("The number of the option, counted from 1")),
    ("text", _("The text of the option")),
]
_KINDS = [
    ("choice", _("Multiple choice")),
    ("number", _("Number")),
    ("open", _("Open-ended")),
]


class ColumnsForm(forms.Form):
    """The columns of each field, and how the table is read."""

    kind = forms.ChoiceField(label=_("Kind of item"), choices=_KINDS)
    key_as = forms.ChoiceField(
        label=_("The key is"),
        choices=_KEY_KINDS,
        required=False,
        help_text=_("Needed for items with options."),
    )
    sheet = forms.CharField(label=_("Sheet"), required=False, max_length=100)
    separator = forms.ChoiceField(
        label=_("Between the cells"),
        required=False,
        choices=[
            ("", _("Detect from the content")),
            ("comma", _("Commas")),
            ("tab", _("Tabs")),
            ("semicolon", _("Semicolons")),
            ("bar", _("Bars")),
        ],
    )
    keep_as = forms.CharField(
        label=_("Keep these columns as"),
        required=False,
        max_length=100,
        help_text=_("A name to use for the next file with the same columns."),
    )

    def __init__(self, *args: Any, columns: Sequence[str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        choices = [(column, column) for column in columns]
        for name in FIELDS:
            kind = forms.MultipleChoiceField if name in LISTS else forms.ChoiceField
            empty = [] if name in LISTS else [("", "–")]
            self.fields[name] = kind(
                label=_WORDS[name], required=name == "question", choices=[*empty, *choices]
            )
        self.order_fields([*FIELDS])

    def clean(self) -> dict[str, Any]:
        data = super().clean() or {}
        if data.get("kind") != "choice":
            return data
        for name in ("options", "key", "key_as"):
            if not data.get(name):
                self.add_error(name, _("Items with options need this."))
        return data

    def mapping(self) -> str:
        """Return the mapping as text."""
        data = self.cleaned_data
        is_choice = data["kind"] == "choice"
        columns = {
            name: tuple(data[name]) if name in LISTS else (data[name],)
            for name in FIELDS
            if data[name] and (is_choice or name not in LISTS)
        }
        return written(
            ColumnMap(
                columns, data["key_as"], data["kind"], data["sheet"].strip(), data["separator"]
            )
        )


class ColumnsPage:
    """What the page shows for one upload; `problem` says why the table or its items cannot be read."""

    def __init__(self, import_job: ImportJob, asked: Mapping[str, str], posted: Any | None) -> None:
        if not import_job.path:
            raise UploadRemoved
        self.import_job = import_job
        self.problem = ""
        said = posted or asked
        self._look = (said.get("sheet", "").strip(), said.get("separator", ""))
        if self._look[1] not in SEPARATORS:
            self._look = (self._look[0], "")
        self._action = posted.get("action", "preview") if posted else ""
        columns = [*dict.fromkeys(column for row in self.rows for column in row)]
        if len(columns) > MOST_COLUMNS:
            words = _(
                "The table has %(count)d columns, too many to choose here. Name them in the API "
                "(mapping) or with import_items --map."
            )
            self.problem = words % {"count": len(columns)}
            columns = []
        initial = {} if posted else self._initial(asked.get("kept", ""), columns)
        self.form = ColumnsForm(posted, columns=columns, initial=initial)
        self.preview: Sequence[Row] = ()
        if posted and self.form.is_valid():
            self.preview = self._read(mapping=self.form.mapping(), count=PREVIEWED)

    @property
    def wants_import(self) -> bool:
        is_sound = self.form.is_bound and self.form.is_valid() and not self.problem
        return is_sound and self._action in {"import", "dry_run"}

    def start(self, *, actor: User, now: datetime) -> ImportJob:
        """Start the import, or its dry run, and keep the columns where they have a name."""
        mapping = self.form.mapping()
        name = self.form.cleaned_data["keep_as"].strip()
        if name:
            project = self.import_job.project
            keep_mapping(project=project, name=name, mapping=mapping, actor=actor, now=now)
        options = replace(
            options_again(self.import_job),
            format="",
            mapping=mapping,
            is_dry_run=self._action == "dry_run",
        )
        return import_kept(import_job=self.import_job, options=options, actor=actor, now=now)

    @cached_property
    def rows(self) -> Sequence[Mapping[str, str]]:
        """The first rows of the table as texts by column."""
        found = self._read(look=self._look, count=SAMPLE_ROWS)
        return [row.metadata for row in found if isinstance(row, SourceRow)]

    @property
    def samples(self) -> list[tuple[str, list[str]]]:
        """Each column with its first different values."""
        columns = dict.fromkeys(column for row in self.rows for column in row)
        return [
            (
                column,
                [*dict.fromkeys(row[column][:80] for row in self.rows if row.get(column))][:3],
            )
            for column in islice(columns, MOST_COLUMNS)
        ]

    @property
    def items(self) -> list[dict[str, Any]]:
        """The previewed rows: an item, or the reason why there is none."""
        return [
            {"row": row.ref.row, "reason": reason_of(row.code, row.data)}
            if isinstance(row, RowError)
            else {"row": row.ref.row, "item": row, "language": self._language(row)}
            for row in self.preview
        ]

    @property
    def kept(self) -> QuerySet[ImportMapping]:
        return ImportMapping.objects.filter(project=self.import_job.project).order_by("name", "pk")

    def _language(self, row: SourceRow | TranslationRow) -> str:
        item = Item()
        if isinstance(row, SourceRow):
            item = Item(kind=row.kind, metadata=dict(row.metadata))
        return source_language_of(item, "question", self.import_job.project)

    def _initial(self, name: str, columns: Sequence[str]) -> dict[str, Any]:
        kept = self.kept.filter(name=name).first() if name else None
        found = parse_map(kept.mapping) if kept else guess_map(self.rows)
        chosen: dict[str, Any] = {
            field: [*names] if field in LISTS else names[0]
            for field, names in columns_there(found, columns).items()
        }
        return chosen | {
            "key_as": found.key_as,
            "kind": found.kind,
            "sheet": self._look[0] or found.sheet,
            "separator": self._look[1] or found.separator,
        }

    def _read(
        self, *, count: int, mapping: str = "", look: tuple[str, str] | None = None
    ) -> Sequence[Row]:
        limits = ImportLimits(**settings.IMPORT_LIMITS)
        request = Request(Path(self.import_job.path), None, None, limits, mapping, look)
        try:
            with reading(request, lambda: None) as opened:
                return list(islice(opened.rows, count))
        except ImportRefused as refusal:
            self.problem = reason_of(refusal.code, refusal.data)
            return ()


def is_unknown_table(import_job: ImportJob) -> bool:
    """Return whether no format knows the columns of an upload; a large one is left to its job."""
    path = Path(import_job.path)
    is_open = not import_job.format and not import_job.job.params.get("mapping")
    if not is_open or path.suffix.lower() not in ANY_SUFFIXES:
        return False
    if path.stat().st_size > LOOKED_AT_BYTES:
        return False
    limits = ImportLimits(**settings.IMPORT_LIMITS)
    try:
        with reading(Request(path, None, None, limits), lambda: None):
            return False
    except ImportRefused as refusal:
        return refusal.code in {"format_not_recognised", "options_not_recognised"}
