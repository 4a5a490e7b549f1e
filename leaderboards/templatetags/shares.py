"""How a leaderboard writes a share, and the name of a part."""

from django import template

from leaderboards.presenters import part_name, share

register = template.Library()
register.filter(part_name)
register.filter(share)


@register.filter
def points(value: float) -> str:
    """Return a difference of shares in percentage points, with its sign."""
    return f"{100 * value:+.1f}".replace("-", "−")
