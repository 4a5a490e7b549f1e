"""`undo_import PROJECT [IMPORT]`: take an import back, or list those that could be."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from annotation.imports.batches import discard_batch
from annotation.imports.brought import brought_by, undoable_imports
from annotation.imports.undoing import NothingToUndo, hide_import
from annotation.models import ImportBatch
from common.commands import LotsawaCommand, positive
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = (
        "Remove everything that an import brought, as long as nobody has worked with it. Without "
        "IMPORT, list the project's imports, newest first."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument(
            "number", metavar="IMPORT", nargs="?", type=positive, help="the import's number"
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        if options["number"] is None:
            return {"imports": [_as_json(batch) for batch in undoable_imports(project)]}
        batch = undoable_imports(project).filter(pk=options["number"]).first()
        if batch is None:
            raise NothingToUndo
        brought = hide_import(batch=batch, actor=None, now=timezone.now())
        self.say(
            _(
                "The rows are hidden now. Removing them takes a while. If the removal stops, the "
                "next import continues it."
            )
        )
        discard_batch(batch.pk)
        return {"import": batch.pk, "items": brought.items, "translations": brought.translations}

    def text(self, result: dict[str, Any]) -> str:
        if "imports" not in result:
            return super().text(result)
        return "\n".join(
            f"{row['import']}: {row['finished_at']}, {row['file']}, items {row['items']}, "
            f"translations {row['translations']}"
            for row in result["imports"]
        )


def _as_json(batch: ImportBatch) -> dict[str, Any]:
    brought = brought_by(batch)
    return {
        "import": batch.pk,
        "file": batch.import_job.name if batch.import_job else "–",
        "finished_at": batch.finished_at.isoformat() if batch.finished_at else "",
        "items": brought.items,
        "translations": brought.translations,
    }
