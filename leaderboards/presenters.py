"""What the table of a leaderboard shows of each entry, as words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.translation import gettext as _

from arena.presenters import panel_of
from evaluation.results.queries.subsets import Figure
from leaderboards.arenas import ArenaStanding
from leaderboards.queries import Row

DICTIONARY, ENDPOINT = "dictionary", "endpoint"


@dataclass(frozen=True, slots=True)
class Entry:
    """A row with its words; `url` is empty if the name of the model cannot stand in an address."""

    row: Row
    url: str
    ranks: str
    accuracy: str
    interval: str
    source: str
    about: str
    figures: Sequence[tuple[str, Figure | None]]


def entries_of(rows: Sequence[Row], slug: str, columns: str, names: Sequence[str]) -> list[Entry]:
    """Return the entries of a project's board with their figures of the categories or levels `names`."""
    words = _words()
    withdrawn = _("withdrawn")
    found = []
    for row in rows:
        is_shown = row.share is not None
        found.append(
            Entry(
                row=row,
                url=_url(slug, row.model),
                ranks=_ranks(row),
                accuracy=share(row.share) if row.share is not None else withdrawn,
                interval=f"{share(row.low)} – {share(row.high)}" if is_shown else "",
                source=words[row.kind, row.sent_as, row.is_verified],
                about=" · ".join(_about(row)),
                figures=[(name, getattr(row, columns).get(name)) for name in names],
            )
        )
    return found


def arena_panels(arenas: Sequence[ArenaStanding]) -> list[tuple[str, dict[str, Any]]]:
    """Return the name of each arena with what its tables show."""
    return [
        (each.name, panel_of(each.figures, each.figures["people"].get("simulated_verdicts", 0)))
        for each in arenas
    ]


def share(value: float) -> str:
    """Return a share in per cent with one decimal."""
    return f"{100 * value:.1f} %"


def _words() -> dict[tuple[str, str, bool], str]:
    """Return in words where an entry comes from, by kind, way and whether it is verified."""
    return {
        ("run", "", True): _("our own run"),
        ("imported", "", False): _("imported answers, not verified"),
        ("submission", DICTIONARY, True): _("file of answers, verified by us"),
        ("submission", DICTIONARY, False): _("file of answers, self-reported"),
        ("submission", ENDPOINT, True): _("team’s endpoint, verified by us"),
        ("submission", ENDPOINT, False): _("team’s endpoint, model self-reported"),
    }


def _ranks(row: Row) -> str:
    if row.share is None:
        return "–"
    best, worst = row.best_rank, row.worst_rank
    return str(best) if best == worst else f"{best}–{worst}"


def _about(row: Row) -> Iterator[str]:
    """Yield what the team said of its model, but for the prompt."""
    if row.size:
        yield row.size
    if row.has_open_weights:
        yield _("open weights")
    if row.cutoff:
        yield _("training data until %s") % row.cutoff


def _url(slug: str, model: str) -> str:
    try:
        return reverse("leaderboards:model", args=[slug, model])
    except NoReverseMatch:
        return ""
