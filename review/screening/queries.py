"""Compares what models say of items with what experts decided on the same texts."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Final

from django.db.models import Exists, OuterRef, QuerySet

from annotation.enums import OpinionState, Screen
from annotation.models import Opinion
from projects.models import Project
from review.enums import ErrorTag, Outcome, PanelState, RoundKind
from review.figures.calibration import Judged, Point, Share, calibrate
from review.models import Judgement, Panel

FAULT_TAGS: Final[Mapping[str, frozenset[str]]] = MappingProxyType(
    {
        Screen.UNIQUE: frozenset({ErrorTag.NOT_ANSWERABLE, ErrorTag.WRONG_KEY}),
        Screen.CONTEXT: frozenset({ErrorTag.NOT_ANSWERABLE}),
        Screen.CULTURAL: frozenset({ErrorTag.CULTURE}),
        Screen.FAITHFUL: frozenset({ErrorTag.ACCURACY, ErrorTag.TERMINOLOGY}),
    }
)
"""The error tags that say what a screen asks. For other screens, a text is faulty if it was not approved."""


@dataclass(frozen=True, slots=True)
class Calibration:
    """How a screen of one model agrees with experts; no points where it never doubts a judged text."""

    screen: str
    model: str
    judged: int
    faulty: int
    points: list[Point]


def calibrations(project: Project) -> list[Calibration]:
    """Return a calibration for each screen and model that has an opinion.

    An opinion counts if experts settled the same revision in a round of review. Of two opinions of
    one model on a revision, the later counts; so does the later of two panels.
    """
    is_faulty = _faulty_texts(project)
    given = Opinion.objects.filter(
        screening_job__project=project, state__in=[OpinionState.DOUBT, OpinionState.FINE]
    )
    pairs = given.values_list("screen", "screening_job__model_spec__name").distinct()
    found: dict[tuple[str, str], dict[int, Judged]] = {pair: {} for pair in pairs.order_by()}
    rows = given.filter(Exists(_panels(project).filter(revision=OuterRef("revision"))))
    for screen, model, revision, state, confidence in rows.order_by("pk").values_list(
        "screen", "screening_job__model_spec__name", "revision", "state", "confidence"
    ):
        if revision in is_faulty:
            doubt = (confidence or 0.0) if state == OpinionState.DOUBT else 0.0
            judged = Judged(doubt, _is_faulty(screen, is_faulty[revision]))
            found[screen, model][revision] = judged
    return [
        Calibration(
            screen, model, len(judged), sum(each.is_faulty for each in judged.values()),
            calibrate(list(judged.values())),
        )
        for (screen, model), judged in sorted(found.items())
    ]  # fmt: skip


def calibration_json(found: Calibration) -> dict[str, Any]:
    """Return what the command prints of a calibration."""
    return {
        "screen": found.screen,
        "model": found.model,
        "judged": found.judged,
        "faulty": found.faulty,
        "is_calibrated": bool(found.judged),
        "thresholds": [
            {
                "confidence": point.threshold,
                "precision": _share_json(point.precision),
                "recall": _share_json(point.recall),
            }
            for point in found.points
        ],
    }


@dataclass(frozen=True, slots=True)
class _Decided:
    """What experts said of a revision."""

    is_approved: bool
    tags: frozenset[str]


def _is_faulty(screen: str, decided: _Decided) -> bool:
    tags = FAULT_TAGS.get(screen)
    return not decided.is_approved if tags is None else bool(tags & decided.tags)


def _faulty_texts(project: Project) -> dict[int, _Decided]:
    panels = _panels(project).filter(revision__opinions__isnull=False)
    settled = list(panels.order_by("pk").values_list("pk", "revision", "outcome").distinct())
    tags: dict[int, set[str]] = defaultdict(set)
    rows = Judgement.objects.filter(panel__in=panels).values_list("panel", "tags")
    for panel, said in rows:
        tags[panel].update(said)
    return {
        revision: _Decided(outcome == Outcome.APPROVED, frozenset(tags[pk]))
        for pk, revision, outcome in settled
    }


def _panels(project: Project) -> QuerySet[Panel]:
    return Panel.objects.filter(
        round__project=project, round__kind=RoundKind.REVIEW, state=PanelState.SETTLED
    )


def _share_json(share: Share) -> dict[str, Any]:
    return {
        "value": None if share.value is None else round(share.value, 4),
        "count": share.count,
        "n": share.n,
        "interval": [round(share.interval.low, 4), round(share.interval.high, 4)],
    }
