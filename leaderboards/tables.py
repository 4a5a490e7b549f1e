"""A leaderboard as JSON and CSV."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict
from typing import Any

from common.csv_cells import csv_line, defused
from evaluation.results.queries.subsets import Figure
from leaderboards.arenas import arena_json
from leaderboards.queries import Board
from leaderboards.rows import Row

COLUMNS = (
    *("best_rank", "worst_rank", "model", "team", "kind", "is_verified", "accuracy", "low", "high"),
    *("n", "before_corrections", "size", "has_open_weights", "cutoff", "prompt"),
    *("gap", "gap_low", "gap_high", "cost", "sent_as"),
    *("name", "shots", "rotation", "epochs", "is_yanked"),
)
ARENA_COLUMNS = (
    *("arena", "model", "is_baseline", "best_rank", "worst_rank", "share", "low", "high"),
    *("questions", "judge", "is_used", "verdicts", "pairs", "agreement", "kappa", "is_yanked"),
)


def board_json(board: Board) -> dict[str, Any]:
    return {
        "project": board.release.project.slug,
        "version": board.release.version,
        "is_yanked": board.is_yanked,
        "yank_reason": board.release.yank_reason,
        "part": board.part,
        "items": board.items,
        "random_baseline": board.random,
        "human_baseline": asdict(board.human) if board.human else None,
        "entries": [row_json(row) for row in board.rows],
        "arenas": [arena_json(arena) for arena in board.arenas],
    }


def row_json(row: Row) -> dict[str, Any]:
    """Return a row; one that was withdrawn has neither rank nor figures."""
    is_measured = row.share is not None
    told = {
        "best_rank": row.best_rank or None,
        "worst_rank": row.worst_rank or None,
        "accuracy": row.share,
        "low": round(row.low, 4) if is_measured else None,
        "high": round(row.high, 4) if is_measured else None,
        "before_corrections": row.was,
        "is_withdrawn": not is_measured,
        "gap": round(row.gap.share, 4) if row.gap else None,
        "gap_low": round(row.gap.low, 4) if row.gap else None,
        "gap_high": round(row.gap.high, 4) if row.gap else None,
        "cost": None if row.cost is None else float(round(row.cost, 4)),
        "categories": _figures(row.categories),
        "levels": _figures(row.levels),
    }
    names = (
        "name",
        "model",
        "team",
        "kind",
        "sent_as",
        "is_verified",
        "n",
        "size",
        "has_open_weights",
        "cutoff",
        "prompt",
    )
    if row.kind == "run":
        told |= {"shots": row.shots, "rotation": row.rotation, "epochs": row.epochs}
    else:
        told |= dict.fromkeys(("shots", "rotation", "epochs"))
    return told | {name: getattr(row, name) for name in names}


def _figures(found: Mapping[str, Figure]) -> dict[str, Any]:
    return {name: asdict(figure) for name, figure in found.items()}


def board_csv(board: Board) -> Iterator[str]:
    """Yield the lines of the file: an entry each, with a column for each category and level."""
    groups = [(kind, name) for kind in ("categories", "levels") for name in board.group_names(kind)]
    yield f"{csv_line(defused([*COLUMNS, *(f'{kind}: {name}' for kind, name in groups)]))}\n"
    for row in board.rows:
        told = row_json(row) | {"is_yanked": board.is_yanked}
        cells = ["" if told[name] is None else str(told[name]) for name in COLUMNS]
        shares = [
            str(told[kind][name]["share"]) if name in told[kind] else "" for kind, name in groups
        ]
        yield f"{csv_line(defused([*cells, *shares]))}\n"


def arenas_csv(board: Board) -> Iterator[str]:
    """Yield the lines of the file of arenas: a model each, a judge each, and people as one judge.

    Models without verdicts that count have a line without figures.
    """
    yield f"{csv_line(ARENA_COLUMNS)}\n"
    for arena in board.arenas:
        for told in _arena_rows(arena_json(arena)):
            row = {"arena": arena.name, "is_yanked": board.is_yanked, **told}
            cells = [row.get(name) for name in ARENA_COLUMNS]
            texts = ["" if cell is None else str(cell) for cell in cells]
            yield f"{csv_line(defused(texts))}\n"


def _arena_rows(told: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    unranked = ({"model": name} for name in told["without_verdicts"])
    people = {"judge": "people", "pairs": told["pairs"], "kappa": told["people_kappa"]}
    yield from (*told["contenders"], *unranked, *told["judges"], people)
