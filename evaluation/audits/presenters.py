"""What the pages and the API show of a response to those who read it, and the accuracies of methods."""

from dataclasses import dataclass

from django.utils.functional import Promise

from annotation.enums import ItemKind
from evaluation.audits.queries import AuditFigures, MethodAccuracy
from evaluation.models import AuditedResponse, Run
from evaluation.results.labels import method_texts
from languages.letters import letters_of
from scoring.scorers.reasoning import answer_text


@dataclass(frozen=True, slots=True)
class ReadableResponse:
    """A response as people read it: without the key, and without what methods read.

    reference: of an open-ended item, with which people compare the response
    text: the response without reasoning, which is what the methods read
    """

    response: int
    question: str
    options: tuple[tuple[str, str], ...]
    has_number: bool
    reference: str
    text: str


def readable_response(audited: AuditedResponse, run: Run) -> ReadableResponse:
    placed = audited.response.release_item
    return ReadableResponse(
        response=audited.response_id,
        question=placed.revision.question,
        options=tuple(zip(letters_of(len(placed.options)), placed.options, strict=True)),
        has_number=placed.kind == ItemKind.NUMBER,
        reference=placed.reference if placed.kind == ItemKind.OPEN else "",
        text=answer_text(audited.response.text, is_published=run.is_published),
    )


def method_rows(figures: AuditFigures, run: Run) -> list[tuple[str | Promise, MethodAccuracy]]:
    return [
        (method_texts(each.method, is_published=run.is_published).label, each)
        for each in figures.methods
    ]
