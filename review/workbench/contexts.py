"""What the templates of the workbench are given: the page, the round, one seat."""

import uuid
from typing import Any

from django.http import HttpRequest
from django.utils import timezone

from accounts.rules import current_user
from common.build import build_id
from common.markdown import to_html
from projects.criteria import Criteria, common_scale, names_of
from projects.queries import pause_message_of
from projects.rules import is_paused_in
from review.enums import SkipReason
from review.models import Assignment, Round
from review.rounds.queries import reviewer_progress, shown_judged, shown_total
from review.seats.actions.seats import has_reached_cap, held_seat
from review.seats.refusals import PausedWithSeat, reviewer_paused
from review.workbench.labels import rating_fields, tag_fields, typed_rating
from review.workbench.presenters import (
    earlier_words,
    judgement_to_undo,
    revealed_after,
    seat_with_texts,
    seconds_left,
    surplus_options,
    workbench_rows,
)
from review.workbench.text_checks import shown_repair


def without_item(request: HttpRequest, round_: Round) -> dict[str, Any]:
    """Why nothing may be left for a person who holds no item, and what they may still take back."""
    user = current_user(request)
    return {
        "has_reached_cap": has_reached_cap(round_, user),
        "is_all_judged": shown_judged(round_) >= shown_total(round_),
        "to_undo": judgement_to_undo(round_, user, timezone.now()),
    }


def round_context(round_: Round) -> dict[str, Any]:
    shown = {"judged": shown_judged(round_), "total": shown_total(round_)}
    return {"project": round_.project, "round": round_, **shown}


def page_context(
    request: HttpRequest, round_: Round, seat: Assignment | None, typed: Any = None
) -> dict[str, Any]:
    context = {
        "project": round_.project,
        "round": round_,
        "section": "rounds",
        "assignment": seat,
        "notice": (notice := _pause_notice(request, round_)),
        "stopped": "" if seat else notice,
        "criteria": round_.project.criteria,
        "rating_keys": common_scale(round_.project.criteria),
        "progress": reviewer_progress(round_, current_user(request)),
        "has_nothing_left": "nothing-left" in request.GET and not notice and round_.gives_seats,
        "build": build_id(),
    }
    context["is_page"] = True
    return context | form_context(round_, typed) | seat_context(seat, typed) if seat else context


def _pause_notice(request: HttpRequest, round_: Round) -> str:
    """What a paused reviewer reads beside the item that they may finish; empty for others."""
    user = current_user(request)
    if not is_paused_in(user, round_.project):
        return ""
    held = held_seat(round_=round_, reviewer=user)
    message = pause_message_of(user, round_.project)
    return str(PausedWithSeat(held, message=message) if held else reviewer_paused(message))


def form_context(round_: Round, typed: Any) -> dict[str, Any]:
    """What the page shows beside every item of the round, with what was typed before a refusal."""
    criteria = round_.project.criteria
    values = _values(typed, criteria) if typed else {}
    return {
        "guideline": round_.guideline,
        "guideline_html": to_html(round_.guideline.text),
        "tags": tag_fields(),
        "skip_reasons": SkipReason.choices,
        "values": values,
        "rating_fields": rating_fields(criteria, round_.guideline.rubric, values),
    }


def seat_context(held: Assignment, typed: Any = None) -> dict[str, Any]:
    """What the page shows of the seat itself, with the texts that were typed before a refusal."""
    panel = seat_with_texts(held).panel
    return {
        "assignment": held,
        "item": panel.item,
        "revision": panel.revision,
        "rows": workbench_rows(panel, typed),
        "surplus": surplus_options(panel),
        "repair": shown_repair(panel.revision, panel.item, held.round.project),
        "earlier": earlier_words(panel, held.round),
        "expires_at": held.expires_at,
        "seconds_left": seconds_left(held, timezone.now()),
        "revealed_after": (typed and typed.get("revealed_after")) or revealed_after(held),
        "idempotency_key": (typed and typed.get("idempotency_key")) or uuid.uuid4().hex,
    }


def _values(typed: Any, criteria: Criteria) -> dict[str, Any]:
    """What was typed, in the shape in which the page shows it again."""
    values: dict[str, Any] = {name: typed.get(name, "") for name in typed}
    values["tags"] = typed.getlist("tags")
    for name in names_of(criteria):
        values[name] = typed_rating(values.get(name, ""))
    return values
