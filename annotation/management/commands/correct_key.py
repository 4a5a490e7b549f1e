"""`correct_key PROJECT UID KEY --reason TEXT`: give an item another key."""

from argparse import ArgumentParser
from typing import Any

from django.utils import timezone

from annotation.items.keys import correct_key
from annotation.items.selectors import get_item
from common.commands import LotsawaCommand
from projects.selectors import get_project


class Command(LotsawaCommand):
    help = "Correct the key of an item; the old key and the reason stay in its history."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project", metavar="PROJECT")
        parser.add_argument("uid", metavar="UID")
        parser.add_argument("key", metavar="KEY", help="letter of the correct option")
        parser.add_argument("--reason", required=True, help="why the old key is wrong")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        item = get_item(get_project(options["project"]), options["uid"])
        change = correct_key(
            item=item,
            key=options["key"],
            reason=options["reason"],
            actor=None,
            now=timezone.now(),
        )
        return {"uid": item.uid, "from": change.old_key, "to": change.new_key}

    def text(self, result: dict[str, Any]) -> str:
        return f"{result['uid']}: {result['from']} → {result['to']}"
