"""The kinds of job of this app: importing a file, undoing that, and searching for duplicates.

`errors` is imported so that the web process knows the words of what only a worker raises.
"""

from django.utils.translation import gettext_lazy as _

import annotation.duplicates.errors  # noqa: F401
from annotation.duplicates.actions import KIND as DUPLICATES
from annotation.duplicates.actions import refuse_second_search
from annotation.duplicates.job_page import search_page
from annotation.imports.actions import KIND as IMPORT
from annotation.imports.actions import FileRefused, RowsRefused, refuse_without_upload
from annotation.imports.job_page import import_page, undo_page
from annotation.imports.queries import has_what_it_needs, import_result
from annotation.imports.undoing import KIND as UNDO
from jobs.kinds import JobKind, register_kind
from projects.selectors import find_project

register_kind(
    JobKind(
        name=IMPORT,
        title=_("Import"),
        work="annotation.imports.actions.perform_import",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="annotation.import_items",
        notes={
            "reading": _("Reading the file"),
            "writing": _("Writing the items"),
            "finishing": _("Finishing"),
        },
        final_errors=frozenset({FileRefused.code, RowsRefused.code}),
        on_resume=refuse_without_upload,
        can_resume=has_what_it_needs,
        section="items",
        page=import_page,
        template="annotation/includes/import_result.html",
        result=import_result,
    )
)
register_kind(
    JobKind(
        name=UNDO,
        title=_("Undo an import"),
        work="annotation.imports.undoing.perform_undo",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="annotation.import_items",
        notes={"removing": _("Removing the rows")},
        section="items",
        page=undo_page,
        template="annotation/includes/import_undo.html",
    )
)
register_kind(
    JobKind(
        name=DUPLICATES,
        title=_("Search for duplicates"),
        queue="embed",
        work="annotation.duplicates.search.perform_search",
        find_scope=find_project,
        view_permission="annotation.view_items",
        manage_permission="annotation.search_duplicates",
        on_resume=refuse_second_search,
        notes={
            "loading_model": _("Loading the model"),
            "reading_texts": _("Reading the texts"),
            "encoding_texts": _("Encoding the texts"),
        },
        section="duplicates",
        page=search_page,
    )
)
