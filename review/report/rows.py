"""The rows of a report's tables, and the report that holds them."""

from dataclasses import dataclass
from typing import Any

from common.estimates import Estimate
from projects.criteria import Criteria
from review.enums import Purpose
from review.figures.stages import BriefFigures, CumulativeFigures, StageFigures, approval_rate
from review.report.candidates import CandidateFigures


@dataclass(frozen=True, slots=True)
class StageName:
    """What a stage is: `number` counts alignments, or audits; `part` rounds of one stage."""

    purpose: Purpose
    number: int
    part: int

    def as_json(self) -> dict[str, Any]:
        return {"code": str(self.purpose), "number": self.number, "part": self.part}


@dataclass(frozen=True, slots=True)
class RoundSetup:
    """The settings of a round that its figures depend on."""

    round: int
    panel_size: int
    verdict_rule: str
    score_gap: int
    is_closed: bool

    def as_json(self) -> dict[str, Any]:
        return {
            "round": self.round,
            "panel_size": self.panel_size,
            "verdict_rule": self.verdict_rule,
            "score_gap": self.score_gap,
            "is_closed": self.is_closed,
        }


@dataclass(frozen=True, slots=True)
class DevFigures:
    """The dev items of a stage, which no other figure counts."""

    items_judged: int
    approved: int

    @property
    def approval_rate(self) -> Estimate:
        return approval_rate(self.approved, self.items_judged)

    def as_json(self) -> dict[str, Any]:
        return {
            "items_judged": self.items_judged,
            "approved": self.approved,
            "approval_rate": self.approval_rate.as_json(),
        }


@dataclass(frozen=True, slots=True)
class Stage:
    """One round's own figures, and those of all items judged up to it; `dev` where there are any."""

    setup: RoundSetup
    name: StageName
    figures: StageFigures
    cumulative: CumulativeFigures
    dev: DevFigures | None

    @property
    def round(self) -> int:
        return self.setup.round

    def as_json(self) -> dict[str, Any]:
        return {
            **self.setup.as_json(),
            "stage": self.name.as_json(),
            **self.figures.as_json(),
            "cumulative": self.cumulative.as_json(),
            "dev": self.dev.as_json() if self.dev else None,
        }


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """The figures of one system, subject or category in one stage; `code` names it for programs."""

    setup: RoundSetup
    stage: StageName
    code: str
    name: str
    figures: BriefFigures

    def as_json(self, kind: str) -> dict[str, Any]:
        return {
            "round": self.setup.round,
            "stage": self.stage.as_json(),
            kind: self.code,
            "name": self.name,
            **self.figures.as_json(),
        }


@dataclass(frozen=True, slots=True)
class CriterionFigures:
    """The ratings of one criterion in one stage; `counts[r]` ratings were r above the lowest."""

    setup: RoundSetup
    stage: StageName
    criterion: str
    mean: Estimate
    alpha: Estimate
    counts: tuple[int, ...]

    def as_json(self) -> dict[str, Any]:
        return {
            "round": self.setup.round,
            "stage": self.stage.as_json(),
            "criterion": self.criterion,
            "mean": self.mean.as_json(),
            "alpha": self.alpha.as_json(),
            "counts": list(self.counts),
        }


@dataclass(frozen=True, slots=True)
class Report:
    """What a paper prints of a project; names nobody. `as_of` is None for this moment.

    `rated` are the project's criteria. Programs gave `simulated` of the judgements, not people.
    """

    project: str
    as_of: int | None
    stages: tuple[Stage, ...]
    systems: tuple[GroupFigures, ...]
    subjects: tuple[GroupFigures, ...]
    categories: tuple[GroupFigures, ...]
    criteria: tuple[CriterionFigures, ...]
    rated: Criteria
    simulated: int = 0
    candidates: tuple[CandidateFigures, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "project": self.project,
            "as_of": self.as_of,
            **({"simulated_judgements": self.simulated} if self.simulated else {}),
            "stages": [each.as_json() for each in self.stages],
            "systems": [each.as_json("system") for each in self.systems],
            "candidates": [each.as_json() for each in self.candidates],
            "subjects": [each.as_json("subject") for each in self.subjects],
            "categories": [each.as_json("category") for each in self.categories],
            "criteria": [each.as_json() for each in self.criteria],
        }
