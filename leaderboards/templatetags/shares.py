"""How a leaderboard writes a share, and what programs did in place of people."""

from django import template

from leaderboards.presenters import share
from review.figures.labels import simulated_text

register = template.Library()
register.filter(share)
register.filter(simulated_text)


@register.filter
def points(value: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")
