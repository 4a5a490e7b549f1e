"""How a leaderboard writes a share."""

from django import template

from leaderboards.presenters import share

register = template.Library()
register.filter(share)


@register.filter
def points(value: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")
