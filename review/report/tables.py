"""The tables of a report in words: each turns figures into the `Table` that all formats write."""

from collections.abc import Callable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from common.figure_tables import Cell, Column, Kind, Part, Table
from projects.criteria import Criteria, Criterion, common_scale, criterion_of
from projects.models import Project
from review.figures.labels import marked, missing_words, n_text, short_label
from review.figures.peers import LEAST_SHARED
from review.figures.stages import LEAST_ITEMS
from review.guidelines.labels import criterion_label
from review.report.candidate_table import candidates_table
from review.report.labels import setup_text, stage_name
from review.report.peer_queries import ReviewerTables, reviewer_tables
from review.report.queries import report
from review.report.rows import GroupFigures, Report, RoundSetup, Stage
from review.report.systems import compared_systems
from review.selection.control_queries import ControlCounts

PUBLIC = ("stages", "systems", "candidates", "subjects", "categories", "criteria")
"""The tables that name nobody."""
NAMED = ("reviewers", "pairs")
TABLES = (*PUBLIC, *NAMED)
CONTROLS = ("controls_found", "controls_missed", "false_alarms", "controls_agreement")


def make_tables(project: Project, names: Sequence[str], *, as_of: int | None = None) -> list[Table]:
    """Tables of TABLES in the order of `names`; reads only what they need."""
    found = report(project, as_of=as_of) if set(names) & set(PUBLIC) else None
    people = reviewer_tables(project, as_of=as_of) if set(names) & set(NAMED) else None
    tables: list[Table] = []
    for name in names:
        if found is not None and name == "systems":
            tables.append(systems_table(project, found))
        elif found is not None and name in PUBLIC:
            tables.append(report_table(found, name))
        elif people is not None:
            tables.append(reviewers_table(people) if name == "reviewers" else pairs_table(people))
    return tables


def systems_table(project: Project, report: Report) -> Table:
    """The one table of translation systems: from a comparison, else from first judgements."""
    compared = compared_systems(project, report.as_of)
    return compared.table if compared else report_table(report, "systems")


def report_table(report: Report, name: str) -> Table:
    """The table `name` of PUBLIC."""
    makers: dict[str, Callable[[Report], Table]] = {
        "stages": stages_table,
        "candidates": candidates_table,
        "systems": lambda it: _groups_table("systems", it, it.systems, _("System")),
        "subjects": lambda it: _groups_table("subjects", it, it.subjects, _("Subject")),
        "categories": lambda it: _groups_table("categories", it, it.categories, _("Category")),
        "criteria": criteria_table,
    }
    compared = max((each.simulated for each in report.candidates), default=0)
    extra = compared if name == "candidates" else 0
    return marked(makers[name](report), report.simulated + extra)


def report_json(
    project: Project, *, table: str | None, as_of: int | None, is_named: bool
) -> dict[str, Any]:
    """The report as the API, the command and JSON files give it.

    One table of TABLES, or all of them; those of NAMED only if `is_named`. Systems that a
    comparison compared have the rows of its results, and `systems_from` names its round.
    """
    data: dict[str, Any] = {"project": project.slug, "as_of": as_of}
    if table not in NAMED:
        data |= report(project, as_of=as_of).as_json()
        if table in (None, "systems") and (compared := compared_systems(project, as_of)):
            data |= {"systems": compared.rows, "systems_from": f"comparison {compared.round}"}
    if is_named and table not in PUBLIC:
        data |= reviewer_tables(project, as_of=as_of).as_json()
    if table is None:
        return data
    wanted = {"project", "as_of", "simulated_judgements", table}
    wanted |= {"systems_from"} if table == "systems" else set()
    return {name: each for name, each in data.items() if name in wanted}


def report_stem(slug: str, table: str, as_of: int | None) -> str:
    """What the names of files with a table of the report begin with."""
    return f"{slug}-{table}" + (f"-round-{as_of}" if as_of else "")


def stages_table(report: Report) -> Table:
    """Stages with their own and the cumulative figures; printed as approval and as agreement."""
    setups = [each.setup for each in report.stages]
    total = report.stages[-1].cumulative.items_judged if report.stages else 0
    return Table(
        name="stages",
        title=_titled(_("Review by stage"), total, setups),
        columns=_stage_columns(report),
        rows=tuple(_stage_cells(each) for each in report.stages),
        words=missing_words(),
        parts=_stage_parts(report, total, setups) if report.stages else (),
    )


def _stage_columns(report: Report) -> tuple[Column, ...]:
    own = report.stages[0].figures.estimates if report.stages else {}
    sofar = report.stages[0].cumulative.estimates if report.stages else {}
    return (
        *_setup_columns(),
        Column("items_judged", _("Items"), Kind.COUNT),
        Column("approved", _("Approved"), Kind.COUNT),
        *(_estimate_column(name, report.rated) for name in own),
        Column("cumulative_items_judged", _("Items so far"), Kind.COUNT),
        Column("cumulative_approved", _("Approved so far"), Kind.COUNT),
        *(_estimate_column(name, report.rated, is_cumulative=True) for name in sofar),
        Column("dev_items_judged", _("Dev items"), Kind.COUNT),
        Column("dev_approved", _("Dev items approved"), Kind.COUNT),
    )


def _stage_cells(stage: Stage) -> tuple[Cell, ...]:
    return (
        *_setup_cells(stage.setup, str(stage.name.purpose), stage_name(stage.name)),
        stage.figures.items_judged,
        stage.figures.approved,
        *stage.figures.estimates.values(),
        stage.cumulative.items_judged,
        stage.cumulative.approved,
        *stage.cumulative.estimates.values(),
        stage.dev.items_judged if stage.dev else None,
        stage.dev.approved if stage.dev else None,
    )


def _stage_parts(report: Report, total: int, setups: Sequence[RoundSetup]) -> tuple[Part, ...]:
    """The tables of a paper that the stages are printed as, each with its columns."""
    # The title says how panels judged where all did so in the same way.
    names = ("stage", "setup") if len(set(map(setup_text, setups))) > 1 else ("stage",)
    ratings = (f"{each.name}_mean" for each in report.rated)
    approval = (*names, "items_judged", "approval_rate", "final_approval_rate", *ratings)
    so_far = ("items_judged", "approval_rate", "final_approval_rate")
    dev = ("dev_items_judged", "dev_approved") if any(each.dev for each in report.stages) else ()
    measures = filter(_is_agreement, report.stages[0].figures.estimates)
    parts = {
        _("Expert approval and ratings by stage"): approval,
        _("Expert approval of all items so far"): (
            "stage", *(f"cumulative_{each}" for each in so_far), *dev,
        ),
        _("Agreement of reviewers by stage"): ("stage", "items_judged", *measures),
    }  # fmt: skip
    left_out = _dev_words(report)
    return tuple(
        Part(_titled(title, total, setups, left_out), names, _note_of(names))
        for title, names in parts.items()
    )


def _dev_words(report: Report) -> str:
    """How many dev items each stage leaves out of its figures, if any."""
    counts = ", ".join(
        f"{stage_name(each.name)} {each.dev.items_judged}" for each in report.stages if each.dev
    )
    return _("dev items left out: %(counts)s") % {"counts": counts} if counts else ""


def criteria_table(report: Report) -> Table:
    """The ratings of each criterion by stage, with how often each rating was given."""
    scale = common_scale(report.rated)
    columns = (
        *_setup_columns(),
        Column("criterion", _("Criterion")),
        Column("label", _("Criterion")),
        Column("mean", _("Mean"), Kind.RATING, has_estimates=True),
        Column("alpha", "α", Kind.AGREEMENT, has_estimates=True),
        *(Column(f"rated_{place}", _("Rated %(n)s") % {"n": place}, Kind.COUNT) for place in scale),
    )
    rows = tuple(
        (
            *_setup_cells(each.setup, str(each.stage.purpose), stage_name(each.stage)),
            each.criterion,
            criterion_label(criterion_of(report.rated, each.criterion)),
            each.mean,
            each.alpha,
            *_counts_on(scale, criterion_of(report.rated, each.criterion), each.counts),
        )
        for each in report.criteria
    )
    setups = [each.setup for each in report.criteria]
    title = _titled(_("Ratings by criterion"), 0, setups)
    names, counts = ("stage", "label", "mean", "alpha"), [f"rated_{place}" for place in scale]
    parts = (
        Part(title, names, _note_of(names)),
        Part(_titled(_("How often each rating was given"), 0, setups), ("stage", "label", *counts)),
    )
    return Table("criteria", title, columns, rows, missing_words(), parts=parts)


def _counts_on(scale: range, criterion: Criterion, counts: Sequence[int]) -> list[int | None]:
    """The counts by rating; None where the criterion has no such rating."""
    found = dict(zip(criterion.scale, counts, strict=True))
    return [found.get(rating) for rating in scale]


def reviewers_table(tables: ReviewerTables) -> Table:
    """One line a reviewer; the reliability where the model has run, controls where there are any."""
    has_controls = any(each.controls.agreement.n_used for each in tables.reviewers)
    columns = (
        Column("reviewer", _("E-mail")),
        Column("name", _("Reviewer")),
        Column("judgements", _("Judgements"), Kind.COUNT),
        Column(
            "outcome_agreement",
            _("Same as the outcome (percent of verdicts in settled panels)"),
            Kind.PERCENT,
            has_estimates=True,
        ),
        Column(
            "peer_agreement",
            _("Same as a peer (percent of comparisons)"),
            Kind.PERCENT,
            has_estimates=True,
        ),
        Column(
            "reliability", _("Reliability (percent of verdicts)"), Kind.PERCENT, has_estimates=True
        ),
        *(_person_column(each, "severity") for each in tables.rated),
        *(_person_column(each, "consistency") for each in tables.rated),
        Column("median_seconds", _("Median seconds"), Kind.COUNT),
        *_control_columns(has_controls),
    )
    rows = tuple(
        (
            each.person.email,
            each.person.name,
            each.figures.judgements,
            each.figures.outcome_agreement,
            each.figures.peer_agreement,
            each.reliability,
            *each.figures.severity.values(),
            *each.figures.consistency.values(),
            each.figures.median_seconds,
            *_control_cells(each.controls, has_controls),
        )
        for each in tables.reviewers
    )
    title = _("Reviewers compared")
    parts = _reviewer_parts(title, columns)
    table = Table("reviewers", title, columns, rows, missing_words(), parts=parts)
    return marked(table, tables.simulated)


def _reviewer_parts(title: str, columns: Sequence[Column]) -> tuple[Part, ...]:
    """How people judge, how they rate and, where there are any, how they judged control items."""
    names = [column.name for column in columns if column.name not in ("reviewer", "name")]
    ratings = tuple(each for each in names if each.startswith(("severity", "consistency")))
    controls = tuple(each for each in names if each in CONTROLS)
    rest = tuple(each for each in names if each not in (*ratings, *controls))
    brackets = _("Brackets show 95 %% intervals.") % {}
    least = _("Nothing is shown for fewer than %(least)s items.") % {"least": LEAST_SHARED}
    severity = _(
        "Severity is the mean of a person's rating minus another judge's of the same text, σ its "
        "standard deviation."
    )
    parts = [
        Part(title, ("name", *rest), f"{brackets} {least}"),
        Part(_("Ratings of reviewers"), ("name", *ratings), f"{brackets} {severity} {least}"),
    ]
    if controls:
        parts.append(Part(_("Reviewers on control items"), ("name", *controls), brackets))
    return tuple(parts)


def _control_columns(has_controls: bool) -> tuple[Column, ...]:
    if not has_controls:
        return ()
    return (
        Column(
            "controls_found",
            _("Planted faults found (percent of those seen)"),
            Kind.PERCENT,
            has_estimates=True,
        ),
        Column("controls_missed", _("Missed"), Kind.COUNT),
        Column(
            "false_alarms",
            _("False alarms (percent of sound controls)"),
            Kind.PERCENT,
            has_estimates=True,
        ),
        Column(
            "controls_agreement",
            _("Judged correctly (percent of control items)"),
            Kind.PERCENT,
            has_estimates=True,
        ),
    )


def _control_cells(controls: ControlCounts, has_controls: bool) -> tuple[Any, ...]:
    if not has_controls:
        return ()
    shares = (controls.found_share, controls.missed, controls.false_alarm_share)
    return (*shares, controls.agreement)


def pairs_table(tables: ReviewerTables) -> Table:
    """One line for every two reviewers who judged an item together."""
    columns = (
        Column("first", _("E-mail")),
        Column("first_name", _("Reviewer")),
        Column("second", _("E-mail")),
        Column("second_name", _("Other reviewer")),
        Column("items", _("Items"), Kind.COUNT),
        Column(
            "agreement",
            _("Same verdict (percent of common items)"),
            Kind.PERCENT,
            has_estimates=True,
        ),
        Column("kappa", _("Fleiss κ"), Kind.AGREEMENT, has_estimates=True),
    )
    rows = tuple(
        (
            each.first.email,
            each.first.name,
            each.second.email,
            each.second.name,
            each.figures.items,
            each.figures.agreement,
            each.figures.kappa,
        )
        for each in tables.pairs
    )
    title = _("Agreement of pairs of reviewers")
    printed = ("first_name", "second_name", "items", "agreement", "kappa")
    parts = (Part(title, printed),)
    table = Table("pairs", title, columns, rows, missing_words(), parts=parts)
    return marked(table, tables.simulated)


def _groups_table(name: str, report: Report, groups: Sequence[GroupFigures], heading: str) -> Table:
    estimates = groups[0].figures.estimates if groups else {}
    columns = (
        *_setup_columns(),
        Column("code", _("Code")),
        Column("name", heading),
        Column("items_judged", _("Items"), Kind.COUNT),
        Column("approved", _("Approved"), Kind.COUNT),
        *(_estimate_column(each, report.rated) for each in estimates),
    )
    rows = tuple(
        (
            *_setup_cells(each.setup, str(each.stage.purpose), stage_name(each.stage)),
            each.code,
            each.name,
            each.figures.items_judged,
            each.figures.approved,
            *each.figures.estimates.values(),
        )
        for each in groups
    )
    titles = {
        "systems": _(
            "Translation systems by the first judgements of the texts that went to review"
        ),
        "subjects": _("Review by subject"),
        "categories": _("Review by category"),
    }
    setups = [each.setup for each in groups]
    items = sum(each.figures.items_judged for each in groups)
    is_one_stage = len({each.round for each in setups}) < 2
    title = _titled(titles[name], items if is_one_stage else 0, setups)
    names = () if is_one_stage else ("stage",)
    printed = (*names, "name", "items_judged", *estimates)
    parts = (Part(title, printed, _note_of(printed)),)
    return Table(name, title, columns, rows, missing_words(), parts=parts)


def _setup_columns() -> tuple[Column, ...]:
    return (
        Column("round", _("Round"), Kind.COUNT),
        Column("stage_code", _("Stage")),
        Column("stage", _("Stage")),
        Column("panel_size", _("Judgements per item"), Kind.COUNT),
        Column("verdict_rule", _("Verdict rule")),
        Column("score_gap", _("Gap"), Kind.COUNT),
        Column("setup", _("Panel")),
    )


def _setup_cells(setup: RoundSetup, code: str, stage: str) -> tuple[Cell, ...]:
    return (
        setup.round,
        code,
        stage,
        setup.panel_size,
        setup.verdict_rule,
        setup.score_gap,
        setup_text(setup),
    )


def _estimate_column(name: str, criteria: Criteria, *, is_cumulative: bool = False) -> Column:
    headings = {
        "approval_rate": _("By the panel (%)"),
        "final_approval_rate": _("Final (%)"),
        **{f"{each.name}_mean": short_label(each) for each in criteria},
        "fleiss_kappa": _("Fleiss κ"),
        "alpha_verdicts": _("α verdicts"),
        **{f"alpha_{each.name}": f"α {short_label(each).lower()}" for each in criteria},
        "gwet_ac1": _("Gwet AC1"),
    }
    kind = Kind.AGREEMENT if _is_agreement(name) else Kind.RATING
    kind = Kind.PERCENT if name.endswith("approval_rate") else kind
    if not is_cumulative:
        return Column(name, headings[name], kind, has_estimates=True)
    heading = _("%(figure)s so far") % {"figure": headings[name]}
    return Column(f"cumulative_{name}", heading, kind, has_estimates=True)


def _is_agreement(name: str) -> bool:
    return name in {"fleiss_kappa", "gwet_ac1"} or name.startswith("alpha_")


def _person_column(criterion: Criterion, figure: str) -> Column:
    name, short = criterion.name, short_label(criterion)
    if figure == "severity":
        heading = _("Severity, %(criterion)s") % {"criterion": short.lower()}
        return Column(f"severity_{name}", heading, Kind.RATING, has_estimates=True)
    heading = f"σ, {short.lower()}"
    return Column(f"consistency_{name}", heading, Kind.RATING)


def _titled(title: str, items: int, setups: Sequence[RoundSetup], left_out: str = "") -> str:
    """The title of a table with n, the panels where all rounds have the same, and what is left out."""
    said = [n_text(items)] if items else []
    texts = {setup_text(each) for each in setups}
    said += texts if len(texts) == 1 else []
    said += [left_out] if left_out else []
    return f"{title} ({'; '.join(said)})" if said else title


def _note_of(columns: Sequence[str]) -> str:
    """What a reader must know of these columns: what counts as approved, and which intervals they have."""
    has_approval = any(name.endswith("approval_rate") for name in columns)
    has_agreement = any(name == "alpha" or _is_agreement(name) for name in columns)
    methods = [
        _("Wilson for approval") if has_approval else "",
        _("percentile bootstrap for ratings") if any("mean" in name for name in columns) else "",
        _("Bayesian bootstrap with unseen items for agreement") if has_agreement else "",
    ]
    said = [
        _(
            "“By the panel” counts items that their judges approved by the rule of the round; "
            "“final” adds disputes that a senior settled by approving the text as it stood."
        )
        if has_approval
        else "",
        _("Brackets show 95 %% intervals over items: %(methods)s.")
        % {"methods": ", ".join(filter(None, methods))},
        _("Agreement is not shown for fewer than %(least)s items.") % {"least": LEAST_ITEMS}
        if has_agreement
        else "",
    ]
    return " ".join(filter(None, said))
