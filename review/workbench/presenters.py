"""What a reviewer sees of one item, for the page and the API alike."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from django.db.models import F, QuerySet
from django.http import QueryDict

from accounts.models import User
from annotation.checks.presenters import (
    ShownFinding,
    causes_in_words,
    in_words,
    open_causes,
    open_findings,
)
from annotation.diffs import Segment, diff
from annotation.items.other_sources import other_sources
from annotation.items.presenters import hits_json
from annotation.items.text_languages import language_of, source_language_of
from annotation.items.text_rows import ANSWER, TextRow, text_in, text_rows
from annotation.items.timeline import FieldDiff
from annotation.models import Item, Revision
from common.prepared import prepared
from languages.letters import letter_of
from projects.models import Project
from review.comments.threads import with_comment_counts
from review.enums import PanelState
from review.models import Assignment, Judgement, Panel, Round, Suggestion
from review.outcomes import Correction, normalise_correction
from review.selection.controls import as_shown, control_findings, is_degraded
from review.workbench.queries import seconds_before_reveal

MOST_WORDS = 20  # of earlier rounds beside an item; its comments and its history have all
CLAIM_FIELDS = (
    "item__uid",
    "item__question",
    "item__options",
    "item__key",
    "item__kind",
    "item__answer",
    "item__explanation",
    "item__metadata",
    "item__subject__slug",
    "item__subject__category",
    "revision__number",
    "revision__key",
    "revision__question",
    "revision__options",
    "revision__answer",
    "revision__explanation",
    "is_control",
)
PAGE_FIELDS = (
    *CLAIM_FIELDS,
    "item__subject__name",
    "revision__origin",
    "revision__supersedes__question",
    "revision__supersedes__options",
    "revision__supersedes__answer",
    "revision__supersedes__explanation",
)


def panel_rows(panel: Panel) -> list[TextRow]:
    """The question and each option of the item beside the text that the panel judges."""
    item, revision = panel.item, panel.revision
    return text_rows(item, revision, shown_causes(panel), option_count=len(item.options))


def shown_causes(panel: Panel) -> list[ShownFinding]:
    """What is wrong with the text that the panel's judges see, each cause once."""
    revision = panel.revision
    if is_degraded(panel):
        return causes_in_words(control_findings(panel), revision)
    return open_causes(revision)


def surplus_options(panel: Panel) -> list[tuple[str, str]]:
    """Letter and text of the options that the translation has beyond those of its item.

    A correction has as many options as the item, so these can be read but not kept.
    """
    count = len(panel.item.options)
    return [
        (letter_of(count + index), text)
        for index, text in enumerate(panel.revision.options[count:])
    ]


def workbench_rows(panel: Panel, typed: Mapping[str, str] | None = None) -> list[TextRow]:
    """The rows of a panel with what changed since the revision before and what was typed."""
    rows = panel_rows(panel)
    before = panel.revision.supersedes
    return [
        replace(
            row,
            diff=_changed(before, row) if before and not row.is_fixed else (),
            edited_text=typed.get(row.input_name) if typed else None,
        )
        for row in rows
    ]


@dataclass(frozen=True, slots=True)
class EarlierWords:
    """What somebody said of the item in an earlier round: a comment, a text or both.

    `rows` has each field that a suggestion changes, against the text that is judged now.
    """

    round: int
    kind: str
    comment: str
    rows: Sequence[FieldDiff] = ()


def earlier_words(panel: Panel, round_: Round) -> list[EarlierWords]:
    """The latest comments and suggestions on the item from the rounds before, oldest first.

    Of this round nothing: the panel judges independently.
    """
    if round_.number == 1:
        return []
    earlier = {"panel__item": panel.item_id, "panel__round__number__lt": round_.number}
    comments = Judgement.objects.filter(**earlier).exclude(comment="").order_by("-pk")
    said = [
        EarlierWords(number, "comment", comment)
        for number, comment in comments.values_list("panel__round__number", "comment")[:MOST_WORDS]
    ]
    suggested = _suggestions(Suggestion.objects.filter(**earlier), panel.revision)
    return sorted([*reversed(said), *suggested], key=lambda words: words.round)[-MOST_WORDS:]


def suggestions_on(panel: Panel) -> list[EarlierWords]:
    """The latest that came too late for a judgement, up to this panel's round, oldest first.

    For the senior: the panel is complete.
    """
    rows = Suggestion.objects.filter(panel__item=panel.item_id)
    return _suggestions(rows.filter(panel__round__number__lte=panel.round.number), panel.revision)


def suggested_fields(suggestion: Suggestion, current: Revision) -> list[FieldDiff]:
    """The fields that a suggestion changes, with what is new in each against `current`.

    White space around a text is no change. A field that `current` has by now has no segments.
    """
    if not suggestion.correction:
        return []
    before, now = (_texts_of(text) for text in (suggestion.revision, current))
    after = Correction.from_json(suggestion.correction).texts()
    changed = [(name, new) for name, new in after if new != before.get(name, "")]
    return [FieldDiff(name, new, _unlike(now.get(name, ""), new)) for name, new in changed]


def _unlike(old: str, new: str) -> Sequence[Segment]:
    return diff(old, new) if old != new else ()


def _texts_of(revision: Revision) -> dict[str, str]:
    """The texts of each field as corrections are compared."""
    return dict(normalise_correction(Correction.of(revision)).texts())


def _suggestions(rows: QuerySet[Suggestion], current: Revision) -> list[EarlierWords]:
    numbered = (
        rows.filter(panel__is_control=False)
        .annotate(round_number=F("panel__round__number"))
        .select_related("revision")
    )
    return [
        EarlierWords(each.round_number, "suggestion", each.comment, suggested_fields(each, current))
        for each in reversed(numbered.order_by("-pk")[:MOST_WORDS])
    ]


def seconds_left(seat: Assignment, now: datetime) -> int:
    """How long the seat is reserved still; a device's clock may be wrong, a span is not."""
    return max(0, int((seat.expires_at - now).total_seconds())) if seat.expires_at else 0


def held_seconds(seats: Sequence[Assignment], now: datetime) -> str:
    """Seats with their seconds left, in order, as the page's script reads them: `7:3600 9:3600`."""
    return " ".join(f"{seat.pk}:{seconds_left(seat, now)}" for seat in seats)


def revealed_after(seat: Assignment) -> int | None:
    """Seconds after which the source was shown: 0 from the start, None while it is hidden still.

    Asks the database only in a round with a blind first reading.
    """
    if not seat.round.has_blind_reading:
        return 0
    return seconds_before_reveal(seat.panel_id, seat.reviewer_id, seat.claimed_at)


def judgement_to_undo(round_: Round, reviewer: User, now: datetime) -> Judgement | None:
    """The last judgement of `reviewer` in the round with its item, while it can be taken back."""
    judged = Judgement.with_controls.filter(panel__round=round_, reviewer=reviewer)
    last = judged.select_related("panel__item").order_by("-submitted_at", "-pk").first()
    if last is None or last.panel.state != PanelState.JUDGING:
        return None
    is_in_time = now - last.submitted_at <= timedelta(minutes=round_.project.undo_minutes)
    return last if is_in_time else None


def said_before(seat: Assignment) -> QueryDict | None:
    """What the seat's holder said in the judgement of it that they took back last, as a form's values."""
    judged = Judgement.all_rows.filter(
        assignment=seat, reviewer=seat.reviewer_id, withdrawal__isnull=False
    )
    judgement = judged.order_by("-pk").first()
    if judgement is None:
        return None
    values = QueryDict(mutable=True)
    for name, said in again_values(judgement).items():
        values.setlist(name, said)
    return values


def again_values(judgement: Judgement) -> dict[str, list[str]]:
    """What was said in a judgement, by the names of the form's fields."""
    values = {"verdict": [judgement.verdict], "comment": [judgement.comment]}
    values["tags"] = list(judgement.tags)
    values["active_seconds"] = [str(judgement.active_seconds)]
    if judgement.revealed_after is not None:
        values["revealed_after"] = [str(judgement.revealed_after)]
    values |= {name: [str(rating)] for name, rating in judgement.ratings.items()}
    if judgement.numbers_confirmed:
        values["numbers_confirmed"] = ["1"]
    if judgement.correction:
        text = Correction.from_json(judgement.correction)
        values["question"] = [text.question]
        values |= {f"option_{index}": [option] for index, option in enumerate(text.options)}
        values |= {name: [words] for name, words in text.further()}
    return values


def seat_with_texts(seat: Assignment) -> Assignment:
    """Fill `seat.panel` with the item and the texts that the page shows, in one query."""
    seat.panel = as_shown(*_panel_of_page(panel=seat.panel_id))
    return seat


def load_texts(seat: Assignment) -> Assignment:
    """Fill `seat.panel` with the item and the text to judge, in one query of what a claim says."""
    seat.panel = as_shown(*_panel_of_claim(panel=seat.panel_id))
    return seat


@prepared(panel=int)
def _panel_of_page(panel: int) -> QuerySet[Panel]:
    rows = Panel.with_controls.select_related("item__subject", "revision__supersedes")
    return with_comment_counts(rows).only(*PAGE_FIELDS).filter(pk=panel)


@prepared(panel=int)
def _panel_of_claim(panel: int) -> QuerySet[Panel]:
    rows = Panel.with_controls.select_related("item__subject", "revision")
    return rows.only(*CLAIM_FIELDS).filter(pk=panel)


def _changed(before: Revision, row: TextRow) -> Sequence[Segment]:
    old = text_in(before, row.field)
    return diff(old, row.target_text) if old != row.target_text else ()


def claim_json(assignment: Assignment) -> dict[str, Any]:
    """The body of a claim: the seat, the item in its source language and the text to judge.

    During a blind first reading the source, the key, the answer, the explanation and the findings,
    which speak of them, are left out; `reveal_source` brings them.
    """
    is_blind = revealed_after(assignment) is None
    panel = assignment.panel
    item, revision = panel.item, panel.revision
    project: Project = assignment.round.project
    return {
        "assignment": assignment.pk,
        "expires_at": assignment.expires_at,
        "round": assignment.round_id,
        "item": {
            "id": item.pk,
            "uid": item.uid,
            "subject": item.subject.slug,
            "category": item.subject.category,
            "option_count": len(item.options),
            "kind": item.kind,
        },
        "is_blind": is_blind,
        "source": None if is_blind else source_json(item, project),
        "revision": {
            "id": revision.pk,
            "number": revision.number,
            "language": language_of(item, "question", project),
            "answer_language": language_of(item, ANSWER, project),
            "question": revision.question,
            "options": revision.options,
            "answer": None if is_blind else revision.answer,
            "explanation": None if is_blind else revision.explanation,
        },
        "findings": [] if is_blind else list(map(finding_json, _shown_findings(panel))),
        "glossary": [] if is_blind else hits_json(project, item, revision),
        "earlier": []
        if is_blind
        else list(map(earlier_json, earlier_words(panel, assignment.round))),
    }


def earlier_json(words: EarlierWords) -> dict[str, Any]:
    texts = [{"label": row.label, "text": row.text} for row in words.rows]
    return {
        "round": words.round,
        "kind": words.kind,
        "comment": words.comment,
        "texts": texts,
    }


def _shown_findings(panel: Panel) -> list[ShownFinding]:
    if is_degraded(panel):
        return in_words(control_findings(panel))
    return open_findings(panel.revision_id)


def source_json(item: Item, project: Project) -> dict[str, Any]:
    return {
        "language": source_language_of(item, "question", project),
        "answer_language": source_language_of(item, ANSWER, project),
        "question": item.question,
        "options": item.options,
        "key": item.key,
        "answer": item.answer,
        "explanation": item.explanation,
        "others": [other.as_json() for other in other_sources(item, project)],
    }


def finding_json(finding: ShownFinding) -> dict[str, Any]:
    return {
        "code": finding.code,
        "severity": finding.severity,
        "field": finding.field,
        "start": finding.start,
        "end": finding.end,
        "message": finding.message,
    }
