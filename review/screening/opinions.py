"""Finds the opinions of models that people may see in review, as their round says.

A reviewer sees none before their own verdict can no longer change. A verdict is taken back or asked
for again only while its panel has no outcome, and no panel of the item may be judged meanwhile.
"""

from collections import defaultdict
from collections.abc import Sequence

from annotation.enums import OpinionState
from annotation.models import Opinion
from review.enums import OpinionsShown, PanelState, RoundState
from review.models import Judgement, Panel

OF_SENIORS = (OpinionsShown.AFTER_VERDICT, OpinionsShown.SENIORS)


def opinions_after_verdict(judgements: Sequence[Judgement]) -> dict[int, list[Opinion]]:
    """Return what the author of each judgement may see of models now, by judgement; two queries.

    No query if no round of theirs shows opinions. Control items have none, as they would be known
    by them.
    """
    panels = {each.pk: each.panel for each in judgements if _is_told(each.panel)}
    if not panels:
        return {}
    items = {panel.item_id for panel in panels.values()}
    undecided = Panel.with_controls.filter(
        item__in=items,
        state__in=[PanelState.JUDGING, PanelState.DISPUTED],
        round__state__in=[RoundState.OPENING, RoundState.OPEN],
    )
    open_items = set(undecided.values_list("item", flat=True))
    found = _by_item(items - open_items)
    return {
        pk: _about(panel, found[panel.item_id])
        for pk, panel in panels.items()
        if panel.item_id in found
    }


def opinions_in_dispute(panel: Panel) -> list[Opinion]:
    """Return what models said of the text in a dispute, if its round shows it to seniors."""
    if panel.round.opinions_shown not in OF_SENIORS or panel.is_control:
        return []
    return _about(panel, _by_item({panel.item_id})[panel.item_id])


def _is_told(panel: Panel) -> bool:
    is_decided = panel.state in (PanelState.SETTLED, PanelState.UNFINISHED)
    is_shown = panel.round.opinions_shown == OpinionsShown.AFTER_VERDICT
    return is_shown and is_decided and not panel.is_control


def _by_item(items: set[int]) -> dict[int, list[Opinion]]:
    rows = Opinion.objects.filter(
        item__in=items, state__in=[OpinionState.DOUBT, OpinionState.FINE]
    ).select_related("screening_job__model_spec")
    found: dict[int, list[Opinion]] = defaultdict(list)
    for opinion in rows.order_by("screen", "pk"):
        found[opinion.item_id].append(opinion)
    return found


def _about(panel: Panel, opinions: Sequence[Opinion]) -> list[Opinion]:
    """Return those about the text of the panel or the source text."""
    return [each for each in opinions if each.revision_id in (None, panel.revision_id)]
