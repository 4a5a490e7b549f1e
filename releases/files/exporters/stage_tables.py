"""The table of stages of review in the card, with the figures of `review_report --table stages`.

The figures are those of the whole project when the release was frozen, as `quality.json` has them:
a stage is also about items that were rejected, which no release holds.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from common.estimates import Estimate, NoInterval, Undefined
from common.figure_tables import Cell, Column, Kind, Table, Words, as_markdown
from review.figures.stages import LEAST_ITEMS

Stage = Mapping[str, Any]
_ORDINALS = {1: "st", 2: "nd", 3: "rd"}
_RATES = {"approval_rate": "By the panel (%)", "final_approval_rate": "Final (%)"}
_WORDS = Words(
    undefined={
        Undefined.NO_ITEMS: "no items yet",
        Undefined.NOTHING_TO_COMPARE: "not defined: no item has enough judgements",
        Undefined.TOO_FEW_ITEMS: f"too few items (fewer than {LEAST_ITEMS})",
        Undefined.NO_VARIATION: "not defined: everyone gave the same answer",
    },
    no_interval={
        NoInterval.TOO_LITTLE_DISAGREEMENT: "not enough disagreement to tell",
        NoInterval.ALL_THE_SAME: "no interval: the same for all items",
    },
    left_out="n = %(used)d, %(left_out)d left out",
)


def stages(told: Sequence[Stage], labels: Mapping[str, str]) -> Iterator[str]:
    """Return two tables: approval and ratings by stage, then agreement by stage.

    `told` is as reports give it, `labels` names each criterion for a heading.
    """
    if not told:
        return
    yield "## Stages of review\n\n"
    yield (
        "All test items that were judged, those too that are not in this release. Brackets show "
        "95 % intervals over items. “By the panel” counts items that their panel approved, “final” "
        f"adds disputes that a senior settled by approving the text as it stood.{_dev_words(told)}\n\n"
    )
    ratings = {f"{name}_mean": label for name, label in labels.items()}
    alphas = {f"alpha_{name}": f"α {label.lower()}" for name, label in labels.items()}
    agreement = {
        "fleiss_kappa": "Fleiss κ",
        "alpha_verdicts": "α verdicts",
        **alphas,
        "gwet_ac1": "Gwet AC1",
    }
    columns = (
        *_columns(_RATES, Kind.PERCENT),
        *_columns(ratings, Kind.RATING)[1:],
        *_columns(_RATES, Kind.PERCENT, part="cumulative", words=" so far"),
    )
    yield as_markdown([_table("Expert approval and ratings by stage", told, columns)])
    yield "\n"
    agreed = _columns(agreement, Kind.AGREEMENT)
    yield as_markdown([_table("Agreement of reviewers by stage", told, agreed)])
    yield "\n"


def _dev_words(told: Sequence[Stage]) -> str:
    """Say how many dev items each stage leaves out of its figures."""
    left = [(each, each["dev"]["items_judged"]) for each in told if each.get("dev")]
    counts = ", ".join(f"{stage_name(each['stage'])} {number}" for each, number in left)
    return f" Dev items are left out: {counts}." if left else ""


Reader = Callable[[Stage], Cell]


def _columns(
    headings: Mapping[str, str], kind: Kind, *, part: str = "", words: str = ""
) -> tuple[tuple[Column, Reader], ...]:
    """Return the number of items and the estimates with `headings`, each with how to read it."""
    of = _part(part)
    items = Column(f"{part}items", f"Items{words}", Kind.COUNT)
    return (
        (items, lambda stage: int(of(stage)["items_judged"])),
        *(
            (
                Column(f"{part}{name}", f"{heading}{words}", kind, has_estimates=True),
                lambda stage, name=name: Estimate.from_json(of(stage)[name]),
            )
            for name, heading in headings.items()
        ),
    )


def _part(name: str) -> Callable[[Stage], Stage]:
    return (lambda stage: stage[name]) if name else (lambda stage: stage)


def _table(title: str, told: Sequence[Stage], columns: Sequence[tuple[Column, Reader]]) -> Table:
    return Table(
        name="stages",
        title=title,
        columns=(Column("stage", "Stage"), *(column for column, _read in columns)),
        rows=tuple(
            (stage_name(stage["stage"]), *(read(stage) for _column, read in columns))
            for stage in told
        ),
        words=_WORDS,
    )


def stage_name(stage: Mapping[str, Any]) -> str:
    """Name a stage as papers print it: Initial, 1st Alignment, Audit."""
    number = int(stage["number"])
    ordinal = f"{number}{_suffix(number)}"
    if stage["code"] == "initial":
        name = "Initial"
    elif stage["code"] == "alignment":
        name = f"{ordinal} Alignment"
    else:
        name = "Audit" if number == 1 else f"{ordinal} Audit"
    return name if stage["part"] == 1 else f"{name}, part {stage['part']}"


def _suffix(number: int) -> str:
    return "th" if number % 100 in (11, 12, 13) else _ORDINALS.get(number % 10, "th")
