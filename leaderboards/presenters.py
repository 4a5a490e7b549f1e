"""What the table of a leaderboard shows of each entry, as words."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.urls import NoReverseMatch, reverse
from django.utils.text import Truncator
from django.utils.translation import gettext as _
from django.utils.translation import ngettext, pgettext

from arena.presenters import panel_of
from evaluation.results.queries.subsets import Figure
from leaderboards.arenas import ArenaStanding
from leaderboards.rows import Row

DICTIONARY, ENDPOINT = "dictionary", "endpoint"
LONGEST_PROMPT = 60
"""Characters of a prompt that a table shows; the files have all."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A row with its words; `url` is empty if the name of the model cannot stand in an address."""

    row: Row
    url: str
    mark: str
    ranks: str
    accuracy: str
    interval: str
    source: str
    about: str
    setting: str
    figures: Sequence[tuple[str, Figure | None]]


def entries_of(rows: Sequence[Row], slug: str, columns: str, names: Sequence[str]) -> list[Entry]:
    """Return the entries of a project's board with their figures of the categories or levels `names`."""
    words, withdrawn = _words(), _("withdrawn")
    found = []
    for row in rows:
        is_shown = row.share is not None
        found.append(
            Entry(
                row=row,
                url=_url(slug, row.model),
                mark=_mark(row) if row.is_one_of_many else "",
                ranks=_ranks(row),
                accuracy=share(row.share) if row.share is not None else withdrawn,
                interval=f"{share(row.low)} – {share(row.high)}" if is_shown else "",
                source=words[row.kind, row.sent_as, row.is_verified],
                about=" · ".join(_about(row)),
                setting=setting(row),
                figures=[(name, getattr(row, columns).get(name)) for name in names],
            )
        )
    return found


def setting(row: Row) -> str:
    """Return how an entry was asked, as far as it is known: prompt, examples, order of options, repeats."""
    said = [Truncator(row.prompt).chars(LONGEST_PROMPT)] if row.prompt else []
    if row.shots:
        words = ngettext("%(number)s example", "%(number)s examples", row.shots)
        said.append(words % {"number": row.shots})
    if row.rotation:
        said.append(_("options shifted by %(number)s") % {"number": row.rotation})
    if row.epochs > 1:
        said.append(_("asked %(number)s times") % {"number": row.epochs})
    return " · ".join(said)


def setting_rows(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """Return the name of each entry and how it was asked."""
    return [(row.name, setting(row)) for row in rows]


def badge_words(row: Row, *, is_yanked: bool) -> str:
    """Return what a badge says of an entry with a score, first of all that its release is yanked."""
    rank = _("rank %(rank)s") % {"rank": _ranks(row)}
    words = [_("yanked")] if is_yanked else []
    return " · ".join([*words, rank, share(row.share or 0)])


def part_name(part: str) -> str:
    """Return what a part of a release is called."""
    names = {
        "open": pgettext("part of a release", "open"),
        "withheld": pgettext("part of a release", "withheld"),
        "closed": pgettext("part of a release", "closed"),
    }
    return names[part]


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


def _mark(row: Row) -> str:
    """Return in words what `Row.mark` says in addresses."""
    words = _("submission %(number)s") if row.kind == "submission" else _("run %(number)s")
    return words % {"number": row.number}


def _ranks(row: Row) -> str:
    if row.share is None:
        return "–"
    best, worst = row.best_rank, row.worst_rank
    return str(best) if best == worst else f"{best}–{worst}"


def _about(row: Row) -> Iterator[str]:
    """Yield what is said of its model, but for the prompt."""
    weights = {True: _("open weights"), False: _("closed weights"), None: _("weights not said")}
    if row.size:
        yield row.size
    yield weights[row.has_open_weights]
    if row.cutoff:
        yield _("training data until %s") % row.cutoff


def _url(slug: str, model: str) -> str:
    try:
        return reverse("leaderboards:model", args=[slug, model])
    except NoReverseMatch:
        return ""
