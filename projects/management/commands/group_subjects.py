"""Set the category, dimension and level of subjects."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from common.commands import FileFailed, LotsawaCommand
from projects.actions import group_subjects
from projects.categories import PUBLISHED, published, read_groupings
from projects.queries import subjects_of
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Say which category, dimension and level the subjects of a project belong to."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", help="short name of the project")
        source = parser.add_mutually_exclusive_group(required=True)
        source.add_argument(
            "--published",
            choices=sorted(PUBLISHED),
            help="fill what is empty from the assignment that this benchmark publishes",
        )
        source.add_argument(
            "--file",
            type=Path,
            help="CSV file with the column subject and some of category, dimension and level",
        )

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        code = options["published"]
        groupings = published(code) if code else read_groupings(_text(options["file"]))
        changed = group_subjects(
            project=project, groupings=groupings, fills_gaps=bool(code), actor=None,
            now=timezone.now(),
        )  # fmt: skip
        without = subjects_of(project).filter(category="").values_list("slug", flat=True)
        return {"changed": changed, "without_category": list(without)}


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8-sig")
    except OSError as error:
        raise FileFailed(file=path, problem=error.strerror) from error
    except UnicodeDecodeError as error:
        raise FileFailed(file=path, problem=_("it is not UTF-8")) from error
