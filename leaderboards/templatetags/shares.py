"""How a leaderboard writes a share."""

from django import template

register = template.Library()


@register.filter
def share(value: float) -> str:
    """Return a share in per cent with one decimal."""
    return f"{100 * value:.1f} %"


@register.filter
def points(value: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")
