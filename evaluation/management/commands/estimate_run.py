"""`estimate_run PROJECT VERSION MODEL`: say what a run would take before it starts."""

from argparse import ArgumentParser
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from common.commands import LotsawaCommand
from evaluation.management.run_options import add_run_arguments, read_run_arguments
from evaluation.runs.estimates import estimate_json, estimate_run


class Command(LotsawaCommand):
    """Looks at every item. Calls no endpoint."""

    help = "Say what a run would take: calls, reused answers, tokens and price."

    def arguments(self, parser: ArgumentParser) -> None:
        add_run_arguments(parser)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        parts = read_run_arguments(options)
        found = estimate_run(
            release=parts.release,
            model_spec=parts.model_spec,
            prompt=parts.prompt,
            settings=parts.settings,
        )
        return estimate_json(found)

    def text(self, result: dict[str, Any]) -> str:
        lines = [
            _("questions %(questions)s, reused %(reused)s, calls %(calls)s") % result,
            _("tokens of prompts %(prompt_tokens)s, by %(bytes_per_token).2f bytes for each")
            % result,
        ]
        if not result["measured_on"]:
            lines.append(_("No stored answer tells tokens, so the bytes for each are assumed."))
        basis = result["completion_basis"]
        if basis == "measured":
            lines.append(_("tokens of answers %(completion_tokens)s, by earlier answers") % result)
        elif basis == "limit":
            lines.append(_("tokens of answers %(completion_tokens)s at most") % result)
        if result["price"] is None:
            lines.append(_("price not known: it needs prices of the model and tokens of answers"))
        else:
            lines.append(_("price $%s") % f"{Decimal(result['price']):.2f}")
        if result["bare_shots"]:
            words = _(
                "%(bare_shots)s of %(shots)s examples have no explanation in the target language "
                "and show the answer alone"
            )
            lines.append(words % result)
        return "\n".join(lines)
