"""Say what invitations to a project tell of the work."""

from argparse import ArgumentParser
from dataclasses import asdict, replace
from decimal import Decimal, InvalidOperation
from typing import Any

from django.conf import settings
from django.utils import timezone

from common.commands import LotsawaCommand
from projects.actions.offers import OfferInvalid, change_offer, offer_of
from projects.enums import PayUnit
from projects.selectors import get_project

NAMES = ("about", "language", "items", "minutes", "pay", "currency", "unit")


class Command(LotsawaCommand):
    """What is not given stays as it is; without any of it the command only prints."""

    help = "Say what the work is, how long it takes and what it pays, for the next invitations."

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("project")
        parser.add_argument("--about", help="what the work is, in a few sentences")
        parser.add_argument("--language", choices=[code for code, _name in settings.LANGUAGES])
        parser.add_argument("--items", type=int, help="items for one person")
        parser.add_argument("--minutes", type=int, help="minutes for one item")
        parser.add_argument("--pay", help="an amount such as 20 or 1.50")
        parser.add_argument("--currency", help="such as EUR")
        parser.add_argument("--unit", choices=PayUnit.values, help="what the amount is for")

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        project = get_project(options["project"])
        said = {name: options[name] for name in NAMES if options[name] is not None}
        if "pay" in said:
            said["pay"] = _amount(said["pay"])
        if said:
            content = replace(offer_of(project), **said)
            change_offer(project=project, content=content, actor=None, now=timezone.now())
        told = asdict(offer_of(project))
        return {"project": project.slug, **told, "pay": told["pay"] and str(told["pay"])}


def _amount(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation as error:
        raise OfferInvalid(fields={"pay": [f"“{text}” is not an amount."]}) from error
