"""`leaderboard PROJECT VERSION`: print the leaderboard of a part of a release."""

from argparse import ArgumentParser
from typing import Any

from common.commands import LotsawaCommand
from leaderboards.access import find_board
from leaderboards.queries import PARTS, Filters
from leaderboards.tables import board_json
from projects.selectors import get_project
from releases.selectors import get_release


class Command(LotsawaCommand):
    help = "Print the leaderboard of a part of a release, with ranges of ranks."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("release_version", metavar="VERSION")
        parser.add_argument("--part", choices=PARTS, default="", help="the hidden part by default")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        release = get_release(get_project(options["project"]), options["release_version"])
        return board_json(find_board(release, options["part"], Filters()))

    def text(self, result: dict[str, Any]) -> str:
        yanked = f", yanked: {result['yank_reason']}" if result["is_yanked"] else ""
        title = (
            f"{result['project']} {result['version']}, {result['part']}, {result['items']} items"
        )
        return "\n".join(
            [title + yanked] + [_line(entry) for entry in result["entries"]] + _baselines(result)
        )


def _line(entry: dict[str, Any]) -> str:
    who = entry["name"]
    if entry["is_withdrawn"]:
        return f"–\t–\t{who}\twithdrawn"
    best, worst = entry["best_rank"], entry["worst_rank"]
    ranks = str(best) if best == worst else f"{best}–{worst}"
    said = "verified" if entry["is_verified"] else "self-reported"
    said = "imported" if entry["kind"] == "imported" else said
    said = " · ".join(filter(None, (entry["sent_as"], said)))
    share = f"{entry['accuracy']:.3f} [{entry['low']:.3f}, {entry['high']:.3f}]"
    return f"{ranks}\t{share}\t{who}\t{said}"


def _baselines(result: dict[str, Any]) -> list[str]:
    found = []
    if result["human_baseline"]:
        found.append(f"human\t{result['human_baseline']['share']:.3f}")
    if result["random_baseline"] is not None:
        found.append(f"random\t{result['random_baseline']:.3f}")
    return found
