"""What a judge said, on the page of a response."""

from typing import Any

from django import template

from evaluation.judging.queries import replies_about
from evaluation.models import ModelResponse

register = template.Library()


@register.inclusion_tag("evaluation/judging/replies.html")
def judge_replies(response: ModelResponse) -> dict[str, Any]:
    """Show each reply of the judge of the run about a response; nothing where there is none."""
    return {"replies": replies_about(response)}
