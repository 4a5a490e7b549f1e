"""The words for what happens to items, findings and duplicates."""

from django.utils.translation import gettext_lazy as _

VERBS = {
    "duplicate.decided": _("decided on a pair of duplicates"),
    "duplicate.reopened": _("reopened a pair of duplicates"),
    "duplicates.cancelled": _("cancelled a search for duplicates"),
    "duplicates.resumed": _("resumed a search for duplicates"),
    "duplicates.started": _("started a search for duplicates"),
    "finding.dismissed": _("dismissed a finding"),
    "finding.reopened": _("reopened a finding"),
    "import.cancelled": _("cancelled an import"),
    "import.resumed": _("resumed an import"),
    "import.started": _("started an import"),
    "import-undo.cancelled": _("cancelled the removal of an import"),
    "import-undo.resumed": _("resumed the removal of an import"),
    "import-undo.started": _("started the removal of an import"),
    "item.excluded": _("excluded an item"),
    "item.key_corrected": _("corrected the key of an item"),
    "item.restored": _("restored an item"),
    "items.imported": _("imported items"),
    "items.import-undone": _("undid an import"),
    "glossary.imported": _("imported terms into the glossary"),
    "revision.created": _("changed the text of an item"),
    "revision.restored": _("went back to an earlier text of an item"),
    "term.changed": _("changed a term of the glossary"),
    "term.created": _("added a term to the glossary"),
    "term.decided": _("decided on a proposed term"),
    "term.proposed": _("proposed a term"),
    "term.removed": _("removed a term from the glossary"),
}
