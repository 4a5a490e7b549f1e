"""Questions about a project's glossary: its terms, compiled and as a list, and what was proposed."""

import gc
import json
from collections import OrderedDict
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from threading import Lock

from django.db.models import Count, QuerySet, TextField
from django.db.models.functions import Cast

from accounts.models import AuditEvent, User
from annotation.enums import ProposalState
from annotation.glossary.folding import fold_term
from annotation.glossary.formats.csv_terms import write_csv
from annotation.glossary.formats.tbx_writing import write_dca, write_dct
from annotation.glossary.matching import KINDS, Field, Glossary, TermHit, TermText
from annotation.glossary.term_values import TermValues
from annotation.models import Term, TermProposal
from annotation.text_fields import option_field
from projects.models import Project

MOST_KEPT = 16
MOST_EVENTS = 100
ROWS_AT_ONCE = 1000
_Key = tuple[int, str, int, str, str]
_kept: OrderedDict[_Key, Glossary] = OrderedDict()
_lock = Lock()


@dataclass(frozen=True, slots=True, kw_only=True)
class TermFilter:
    """A choice of a project's terms; empty means all."""

    q: str = ""
    domain: str = ""
    part_of_speech: str = ""


def glossary_of(project: Project) -> Glossary | None:
    """Return the compiled glossary of a project as it was loaded, None where there is none.

    One query for each new version in each process; the last `MOST_KEPT` are kept.
    """
    if not project.glossary_version:
        return None
    languages = project.source_language, project.target_language
    key = (project.pk, project.slug, project.glossary_version, *languages)
    with _lock:
        if key in _kept:
            _kept.move_to_end(key)
            return _kept[key]
    with _without_collections():
        found = Glossary(_term_texts(project), *languages)
    with _lock:
        _kept[key] = found
        while len(_kept) > MOST_KEPT:
            _kept.popitem(last=False)
    return found


def terms_in_source(project: Project, question: str, options: Sequence[str]) -> list[TermHit]:
    """Return the terms in the source of an item; costs nothing in a project without a glossary."""
    glossary = glossary_of(project)
    if glossary is None:
        return []
    fields = [("question", question), *((option_field(n), o) for n, o in enumerate(options))]
    return glossary.terms_in(fields)


def term_hits(project: Project, fields: Sequence[Field]) -> list[TermHit]:
    """Return the terms in an item with what became of them in its translation, in the order of the source."""
    glossary = glossary_of(project)
    return glossary.hits(fields) if glossary else []


def filtered_terms(project: Project, wanted: TermFilter) -> QuerySet[Term]:
    """Return the terms that `wanted` names; order by key and pk."""
    rows: QuerySet[Term] = Term.objects.filter(project=project)
    plain = {"domain": wanted.domain, "part_of_speech": wanted.part_of_speech}
    rows = rows.filter(**{name: value for name, value in plain.items() if value})
    return rows.filter(search_text__contains=fold_term(wanted.q)) if wanted.q else rows


def renderings_of(project: Project) -> Iterator[tuple[str, str]]:
    """Yield each term of a glossary with each of its preferred and allowed renderings."""
    rows = Term.objects.filter(project=project).order_by("pk")
    columns = rows.values_list("source", "preferred", "allowed")
    for source, preferred, allowed in columns.iterator(chunk_size=ROWS_AT_ONCE):
        yield from ((source, rendering) for rendering in (*preferred, *allowed))


def domains_of(project: Project) -> list[str]:
    rows = Term.objects.filter(project=project).exclude(domain="").order_by("domain")
    return list(rows.values_list("domain", flat=True).distinct())


def terms_to_download(project: Project, extension: str) -> Iterator[str]:
    """Yield the whole glossary as lines of a file: csv, tbx (DCA) or dct.tbx."""
    rows = Term.objects.filter(project=project).order_by("key", "pk")
    terms = map(values_of, rows.iterator(chunk_size=ROWS_AT_ONCE))
    if extension == "csv":
        return write_csv(terms)
    write = write_dct if extension == "dct.tbx" else write_dca
    languages = {"source": project.source_language, "target": project.target_language}
    return write(terms, title=project.name, **languages)


def values_of(term: Term | TermProposal) -> TermValues:
    """Return what a term or a proposal says."""
    return TermValues(
        source=term.source,
        preferred=tuple(term.preferred),
        allowed=tuple(term.allowed),
        forbidden=tuple(term.forbidden),
        part_of_speech=term.part_of_speech,
        domain=term.domain,
        note=term.note,
    )


def term_events(term: Term) -> list[AuditEvent]:
    """Return what happened to a term, the newest first."""
    rows = AuditEvent.objects.filter(scope=term.project.slug, target=f"term:{term.pk}")
    return list(rows.order_by("-pk")[:MOST_EVENTS])


def proposals_for(project: Project, user: User, state: str = "") -> QuerySet[TermProposal]:
    """Return the proposals that `user` may see: of everybody for those who decide, else their own."""
    rows = TermProposal.objects.filter(project=project).select_related(
        "proposed_by", "decided_by", "term", "item"
    )
    if not user.has_perm("annotation.change_glossary", project):
        rows = rows.filter(proposed_by=user)
    return rows.filter(state=state) if state else rows


def open_proposal_counts(projects: Collection[Project]) -> dict[int, int]:
    """Return how many proposals wait for a decision, by the id of each project that has any."""
    rows = TermProposal.objects.filter(project__in=projects, state=ProposalState.OPEN)
    return dict(rows.values_list("project").annotate(n=Count("pk")).order_by())


@contextmanager
def _without_collections() -> Iterator[None]:
    """Collect no garbage meanwhile, which takes half of the time where there are many terms."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _term_texts(project: Project) -> list[TermText]:
    """Return the terms; the lists of all are read as one JSON text, a third of the time for 40,000."""
    rows = Term.objects.filter(project=project).order_by("key", "pk")
    as_text = {f"{kind}_text": Cast(kind, TextField()) for kind in KINDS}
    found = list(rows.annotate(**as_text).values_list("source", *as_text, "note", "pk"))
    lists = json.loads(f"[{','.join(text for row in found for text in row[1:4])}]")
    texts = iter(map(tuple, lists))
    return [
        TermText(source, next(texts), next(texts), next(texts), note, pk)
        for source, *_texts, note, pk in found
    ]
