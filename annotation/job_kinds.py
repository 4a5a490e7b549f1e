"""The kinds of job of this app: importing items or terms, undoing that, checking, searching duplicates.

`errors` and `making` are imported so that the web process knows the words of what only a worker or a
command raises.
"""

from django.utils.translation import gettext_lazy as _

import annotation.duplicates.errors
import annotation.making.actions  # noqa: F401
from annotation.asking.job_kinds import register_asking
from annotation.checks.recheck import KIND as RECHECK
from annotation.duplicates.actions import KIND as DUPLICATES
from annotation.duplicates.actions import refuse_second_search
from annotation.duplicates.job_page import search_page
from annotation.imports.actions import RowsRefused, refuse_without_upload
from annotation.imports.job_page import import_page, term_import_page, undo_page
from annotation.imports.opening import FileRefused
from annotation.imports.queries import KIND as IMPORT
from annotation.imports.queries import TERMS_KIND, has_what_it_needs, import_result
from annotation.imports.terms import TermsRefused, show_written_terms, term_import_result
from annotation.imports.undoing import KIND as UNDO
from annotation.making.by_model.actions import MAKING
from annotation.making.from_pool.actions import SAMPLING
from annotation.screening.actions import SCREENING
from annotation.translating.actions import TRANSLATION
from jobs.enums import Queue
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
        name=TERMS_KIND,
        title=_("Import of terms"),
        work="annotation.imports.terms.perform_term_import",
        find_scope=find_project,
        view_permission="annotation.change_glossary",
        manage_permission="annotation.change_glossary",
        notes={"reading": _("Reading the file"), "writing": _("Writing the terms")},
        final_errors=frozenset({TermsRefused.code}),
        on_stop=show_written_terms,
        on_resume=refuse_without_upload,
        can_resume=has_what_it_needs,
        section="glossary",
        page=term_import_page,
        template="annotation/includes/term_import_result.html",
        result=term_import_result,
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
        queue=Queue.EMBED,
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
register_asking(
    TRANSLATION,
    work="annotation.translating.execution.perform_translation",
    held="annotation.translating.execution.held_translation",
    link=_("Open the translation job"),
    left=_("%(open)s items are left. Resume the job with a higher budget to translate them."),
)
register_asking(
    MAKING,
    work="annotation.making.by_model.execution.perform_making",
    link=_("Open the making job"),
    left=_("%(open)s pairs are left. Resume the job with a higher budget to ask about them."),
)
register_asking(
    SAMPLING,
    work="annotation.making.from_pool.execution.perform_sampling",
    link=_("Open the sampling job"),
    left=_(
        "%(open)s prompts are left. Resume the job with a higher budget; its sample is drawn when all are scored."
    ),
    notes={
        "loading_model": _("Loading the model"),
        "encoding_texts": _("Encoding the texts"),
    },
)
register_asking(
    SCREENING,
    work="annotation.screening.execution.perform_screening",
    held="annotation.screening.execution.held_screening",
    link=_("Open the screening job"),
    left=_("%(open)s questions are left. Resume the job with a higher budget to ask them."),
)
register_kind(
    JobKind(
        name=RECHECK,
        title=_("Check again"),
        work="annotation.checks.recheck_work.perform_recheck",
        find_scope=find_project,
        view_permission="annotation.view_findings",
        manage_permission="annotation.import_items",
        notes={"whole_set": _("Looking at the whole set")},
        section="items",
    )
)
