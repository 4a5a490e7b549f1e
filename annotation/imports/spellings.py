"""Takes names that look alike for one: the first spelling of a subject, system or uid is kept."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from annotation.importers.base import Note, SourceRow, TranslationRow
from annotation.items.queries import named_systems
from annotation.models import Item
from common.names import fold_name
from projects.models import Project

NOTED = 100
_Given = SourceRow | TranslationRow


@dataclass(slots=True)
class Names:
    """The spellings of one sort of names; those that the project has are all kept as they are."""

    exact: set[str] = field(default_factory=set)
    first: dict[str, str] = field(default_factory=dict)

    def add(self, name: str) -> None:
        self.exact.add(name)
        self.first.setdefault(fold_name(name), name)

    def find(self, name: str) -> str:
        """Return the spelling that is kept of a name, without remembering it."""
        return name if name in self.exact else self.first.get(fold_name(name), name)

    def keep(self, name: str) -> str:
        """Return the spelling that is kept of a name, which is its own if it is the first."""
        found = self.find(name)
        if found not in self.exact:
            found = found.strip() or found
            self.add(found)
        return found


class Spellings:
    """Writes the names of rows as the project, or an earlier row, spells them.

    The project's uids are read once, in one query. `notes` tell which names were taken for others,
    the first NOTED of them by name.
    """

    def __init__(self, project: Project) -> None:
        self._subjects, self._systems, self._uids = Names(), Names(), Names()
        self._changed: dict[tuple[str, str], str] = {}
        self._left = 0
        for slug in project.subjects.order_by("pk").values_list("slug", flat=True):
            self._subjects.add(slug)
        for system in named_systems(project):
            self._systems.add(system)
        uids = Item.objects.filter(project=project).order_by("pk").values_list("uid", flat=True)
        for uid in uids.iterator():
            self._uids.add(uid)

    def of_rows(self, rows: Sequence[_Given]) -> list[_Given]:
        """Return the rows with the spellings that are kept."""
        return [self._of_row(row) for row in rows]

    def of_system(self, name: str, file: str = "") -> str:
        """Return the spelling that is kept of a system, '' for none."""
        return self._note(file, name, self._systems.keep(name)) if name else ""

    @property
    def notes(self) -> Iterator[Note]:
        for (file, given), kept in self._changed.items():
            yield Note(file, "other_spelling", {"given": given, "kept": kept})
        if self._left:
            yield Note("", "other_spellings_left", {"count": self._left})

    def _of_row(self, row: _Given) -> _Given:
        file = row.ref.file
        uid = self._note(file, row.uid, self._uids.find(row.uid))
        if isinstance(row, TranslationRow):
            system = self.of_system(row.system, file)
            return (
                row
                if (uid, system) == (row.uid, row.system)
                else replace(row, uid=uid, system=system)
            )
        subject = self._note(file, row.subject, self._subjects.keep(row.subject))
        own = row.translation
        if own:
            own = replace(own, uid=uid, system=self.of_system(own.system, file))
        if (uid, subject, own) == (row.uid, row.subject, row.translation):
            return row
        return replace(row, uid=uid, subject=subject, translation=own)

    def _note(self, file: str, given: str, kept: str) -> str:
        if given != kept and (file, given) not in self._changed:
            if len(self._changed) < NOTED:
                self._changed[file, given] = kept
            else:
                self._left += 1
        return kept
