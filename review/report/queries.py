"""The figures of reports: by stage, system, subject, category, criterion and reviewer.

Everything that pages, the API, commands and releases tell of review is read here, once; they only
render it. Figures are functions of {tally: number of panels}. A closed round keeps its own, in
`Round.figures` and `RoundTables`; those of an open one are made from what is decided in it. What
costs more than one look at an index is kept for a while where a round has many items.
What changes after a round is closed, the seniors' decisions on its disputes, is always counted
anew, up to the moment that a report speaks of. Figures that are kept count those of their moment:
with later ones more items might be approved than were judged.

Items of the dev split stand apart: no figure counts them but `Stage.dev`.
"""

import hashlib
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from django.db.models import QuerySet

from projects.models import Project, Subject
from review.enums import Outcome, RoundState
from review.figures.stages import (
    BriefFigures,
    CumulativeFigures,
    StageFigures,
    brief_figures,
    cumulative_figures,
    rating_counts,
    stage_figures,
)
from review.models import Round, RoundTables
from review.report.candidates import candidate_figures
from review.report.decisions import decided_before
from review.report.kept import is_kept, kept
from review.report.peer_queries import round_peers
from review.report.rows import CriterionFigures, DevFigures, GroupFigures, Report, Stage, StageName
from review.report.simulated import simulated_judgements
from review.report.tallies import (
    Adjudicated,
    Tallies,
    adjudicated_approvals,
    dev_rows,
    group_rows,
    input_of,
    latest_rows,
    own_rows,
    setup_of,
    stage_names,
)


def report(project: Project, *, as_of: int | None = None) -> Report:
    """Every table that names no reviewer, as of round `as_of` or of this moment.

    As of a round means: as if no later round had been opened, so with what seniors had decided
    when the next one was.
    """
    reading = _Reading(project, as_of)
    return Report(
        project=project.slug,
        as_of=as_of,
        stages=tuple(reading.stages()),
        systems=tuple(reading.groups("systems")),
        subjects=tuple(reading.groups("subjects")),
        categories=tuple(reading.groups("categories")),
        criteria=tuple(reading.criteria()),
        rated=project.criteria,
        simulated=simulated_judgements(reading.rounds),
        candidates=candidate_figures(project, as_of),
    )


def stage_table(project: Project, *, as_of: int | None = None) -> list[Stage]:
    """One row of figures for each round in which an item got all its judgements, in order."""
    return _Reading(project, as_of).stages()


def subject_table(project: Project, *, as_of: int | None = None) -> list[GroupFigures]:
    """The figures of each subject in each stage, by slug."""
    return _Reading(project, as_of).groups("subjects")


def stage_report(project: Project, *, as_of: int | None = None) -> Report:
    """A report with the table of stages alone, as of a round or of this moment."""
    reading = _Reading(project, as_of)
    simulated = simulated_judgements(reading.rounds)
    return _partial(project, stages=reading.stages(), simulated=simulated)


def round_report(round_: Round) -> Report:
    """A report of this moment with one round's stage and its subjects."""
    reading = _Reading(round_.project, None)
    stages = [each for each in reading.stages() if each.round == round_.number]
    subjects = reading.groups("subjects", only=round_.number)
    simulated = simulated_judgements([round_])
    return _partial(round_.project, stages=stages, subjects=subjects, simulated=simulated)


def stage_name_of(round_: Round) -> StageName:
    """What stage a round is, whether or not anything was judged in it yet."""
    rounds = judged_rounds(round_.project).filter(number__lt=round_.number).order_by("number")
    return stage_names([*rounds, round_])[round_.pk]


def judged_rounds(project: Project) -> QuerySet[Round]:
    """The rounds with at least one judgement; the others are no stages of review."""
    return Round.objects.filter(project=project, judged_count__gt=0)


def closed_rounds(project: Project) -> QuerySet[Round]:
    """The rounds that a report may be asked for as of, in order."""
    rows = judged_rounds(project).filter(state=RoundState.CLOSED)
    return rows.order_by("number")


def round_figures(round_: Round) -> StageFigures:
    """The figures of a round: frozen if it is closed, from the tallies of this moment if not."""
    if round_.figures:
        return StageFigures.from_json(round_.figures, round_.project.criteria)
    return stage_figures(input_of(own_rows(group_rows(round_)), round_))


def tables_to_freeze(round_: Round) -> dict[str, Any]:
    """What `RoundTables.content` holds of a round that has just been closed.

    {"cumulative", "dev"} as `Stage.as_json` gives them, {"systems", "subjects", "categories"}:
    [{"code", figures}], {"ratings"}: for each criterion how often each rating was given, and
    {"peers"}: `PeerCounts.as_json`.
    """
    reading = _Reading(round_.project, round_.number)
    return {**reading.content(round_), "peers": round_peers(round_).as_json()}


def _partial(
    project: Project,
    *,
    stages: Sequence[Stage],
    simulated: int,
    subjects: Sequence[GroupFigures] = (),
) -> Report:
    return Report(
        project.slug,
        None,
        stages=tuple(stages),
        systems=(),
        subjects=tuple(subjects),
        categories=(),
        criteria=(),
        rated=project.criteria,
        simulated=simulated,
    )


class _Reading:
    """One reading of a project's rounds; each table costs a fixed number of queries."""

    def __init__(self, project: Project, as_of: int | None) -> None:
        rows = judged_rounds(project)
        if as_of is not None:
            rows = rows.filter(number__lte=as_of)
        self.project = project
        self.rounds = list(rows.select_related("project").order_by("number"))
        self.names = stage_names(self.rounds)
        self.frozen: dict[int, dict[str, Any]] = dict(
            RoundTables.objects.filter(round__in=self.rounds).values_list("round", "content")
        )
        self.adjudicated = adjudicated_approvals(
            project, self.rounds, decided_before(project, as_of)
        )
        self._subjects: dict[int, tuple[str, str, str]] | None = None
        self._rows: dict[int, list[dict[str, Any]]] = {}
        self._stage_figures: dict[int, StageFigures] = {}

    def stages(self) -> list[Stage]:
        """The stages in which an item got all its judgements."""
        rows = [self._stage(each) for each in self.rounds]
        return [row for row in rows if row.figures.items_judged]

    def groups(self, table: str, only: int | None = None) -> list[GroupFigures]:
        """The rows of a table of groups; systems are those of the first stage."""
        chosen = [each for each in self.rounds if only is None or each.number == only]
        if table == "systems":
            chosen = chosen[:1]
        return [row for each in chosen for row in self._groups(each, table)]

    def criteria(self) -> list[CriterionFigures]:
        return [row for each in self.rounds for row in self._criteria(each)]

    def content(self, round_: Round) -> dict[str, Any]:
        """What is frozen of a round; as of the moment of its closing."""
        dev = self._dev(round_)
        groups = {
            table: self._live_groups(round_, table)
            for table in ("systems", "subjects", "categories")
        }
        return {
            "cumulative": self._live_cumulative(round_).as_json(),
            "dev": dev.as_json() if dev else None,
            "ratings": {name: list(counts) for name, counts in self._ratings(round_).items()},
            **groups,
        }

    def _stage(self, round_: Round) -> Stage:
        return Stage(
            setup=setup_of(round_),
            name=self.names[round_.pk],
            figures=self._figures(round_).with_adjudicated(
                sum(each.approvals for each in self.adjudicated if each.round == round_.pk)
            ),
            cumulative=self._cumulative_of(round_),
            dev=self._dev(round_),
        )

    def _figures(self, round_: Round) -> StageFigures:
        """The figures of a round, counted once: stages and criteria tell of them."""
        if round_.pk not in self._stage_figures:
            self._stage_figures[round_.pk] = self._read_figures(round_)
        return self._stage_figures[round_.pk]

    def _read_figures(self, round_: Round) -> StageFigures:
        if round_.figures:
            return StageFigures.from_json(round_.figures, round_.project.criteria)
        return stage_figures(input_of(self._own_rows(round_), round_))

    def _own_rows(self, round_: Round) -> list[dict[str, Any]]:
        """The tallies of an open round without its dev items."""
        return own_rows(self._all_rows(round_))

    def _all_rows(self, round_: Round) -> list[dict[str, Any]]:
        """The tallies of a round in all groups, read once."""
        if round_.pk not in self._rows:
            self._rows[round_.pk] = group_rows(round_)
        return self._rows[round_.pk]

    def _is_latest(self, group: Adjudicated, round_: Round) -> bool:
        """Whether the panels of `group` are their items' latest ones as of `round_`."""
        order = {each.pk: each.number for each in self.rounds}
        is_begun = order[group.round] <= round_.number
        return is_begun and (group.until is None or group.until > round_.number)

    def _cumulative_of(self, round_: Round) -> CumulativeFigures:
        """The cumulative figures with the seniors' approvals that belong to them."""
        if content := self.frozen.get(round_.pk):
            stored = content["cumulative"]
            figures = CumulativeFigures.from_json(stored, round_.project.criteria)
        else:
            figures = self._live_cumulative(round_)
            if round_ != self.rounds[0] and is_kept(round_):
                return figures  # with the approvals of the moment at which they were counted
        return figures.with_adjudicated(self._approvals_until(round_))

    def _approvals_until(self, round_: Round) -> int:
        """How many items seniors approved in the latest panels as of `round_`."""
        return sum(each.approvals for each in self.adjudicated if self._is_latest(each, round_))

    def _live_cumulative(self, round_: Round) -> CumulativeFigures:
        if round_ == self.rounds[0]:  # no item has been judged before, so none is judged again
            rows: Tallies = [row for row in self._own_rows(round_) if row["outcome"]]
            return cumulative_figures(input_of(rows, round_))
        found = kept(round_, "cumulative", lambda: self._count_cumulative(round_).as_json())
        return CumulativeFigures.from_json(found, round_.project.criteria)

    def _count_cumulative(self, round_: Round) -> CumulativeFigures:
        begun = [each for each in self.rounds if each.number <= round_.number]
        approvals = self._approvals_until(round_)
        return cumulative_figures(input_of(latest_rows(begun), round_, adjudicated=approvals))

    def _dev(self, round_: Round) -> DevFigures | None:
        if round_.pk in self.frozen:
            stored = self.frozen[round_.pk]["dev"]
            return DevFigures(stored["items_judged"], stored["approved"]) if stored else None
        rows = [row for row in dev_rows(self._all_rows(round_)) if row["outcome"]]
        judged = sum(row["n"] for row in rows)
        approved = sum(row["n"] for row in rows if row["outcome"] == Outcome.APPROVED)
        return DevFigures(judged, approved) if judged else None

    def _ratings(self, round_: Round) -> Mapping[str, Sequence[int]]:
        if content := self.frozen.get(round_.pk):
            stored: dict[str, list[int]] = content["ratings"]
            return stored
        return rating_counts(input_of(self._own_rows(round_), round_))

    def _criteria(self, round_: Round) -> list[CriterionFigures]:
        figures = self._figures(round_)
        if not figures.items_judged:
            return []
        counts = self._ratings(round_)
        return [
            CriterionFigures(
                setup=setup_of(round_),
                stage=self.names[round_.pk],
                criterion=each.name,
                mean=figures.means[each.name],
                alpha=figures.alphas[each.name],
                counts=tuple(counts[each.name]),
            )
            for each in self.project.criteria
        ]

    def _groups(self, round_: Round, table: str) -> list[GroupFigures]:
        rows = [
            GroupFigures(
                setup=setup_of(round_),
                stage=self.names[round_.pk],
                code=self._code(table, code),
                name=self._name(table, code),
                figures=figures,
            )
            for code, figures in self._figures_of_groups(round_, table)
            if figures.items_judged
        ]
        return sorted(rows, key=lambda row: row.code)

    def _figures_of_groups(self, round_: Round, table: str) -> list[tuple[Any, BriefFigures]]:
        """Each group and its figures, with the seniors' approvals that belong to them."""
        stored = self._frozen_groups(round_, table)
        rows = self._live_groups(round_, table) if stored is None else stored
        found = [(row["code"], BriefFigures.from_json(row, self.project.criteria)) for row in rows]
        if stored is None and is_kept(round_):
            return found  # with the approvals of the moment at which they were counted
        approvals = self._approvals(round_, table)
        return [(code, each.with_adjudicated(approvals.get(code, 0))) for code, each in found]

    def _frozen_groups(self, round_: Round, table: str) -> list[dict[str, Any]] | None:
        """The frozen rows of a table of groups; None where they must be counted.

        An import may name the category of a subject after a round was closed.
        """
        content = self.frozen.get(round_.pk)
        if content is None or (table == "categories" and not self._has_same_categories(content)):
            return None
        rows: list[dict[str, Any]] = content[table]
        return rows

    def _has_same_categories(self, content: dict[str, Any]) -> bool:
        """Whether subjects belong to the categories of now in the frozen content of a round."""
        counts: Counter[str] = Counter()
        for row in content["subjects"]:
            counts[self._category(row["code"])] += _begun(row)
        del counts[""]
        return counts == Counter({row["code"]: _begun(row) for row in content["categories"]})

    def _live_groups(self, round_: Round, table: str) -> list[dict[str, Any]]:
        """The rows of a table of groups as they are frozen: [{"code", figures}]."""
        name = table if table != "categories" else f"{table}-{self._digest_of_categories()}"
        return kept(round_, name, lambda: self._count_groups(round_, table))

    def _digest_of_categories(self) -> str:
        """Tells the categories of this moment from those of another."""
        text = repr(sorted(self._all_subjects().items()))
        return hashlib.sha256(text.encode()).hexdigest()[:16]

    def _count_groups(self, round_: Round, table: str) -> list[dict[str, Any]]:
        groups: dict[Any, list[dict[str, Any]]] = defaultdict(list)
        column = "system" if table == "systems" else "subject"
        for row in self._own_rows(round_):
            code = row[column]
            groups[self._category(code) if table == "categories" else code].append(row)
        approvals = self._approvals(round_, table)
        inputs = {
            code: input_of(rows, round_, adjudicated=approvals.get(code, 0))
            for code, rows in groups.items()
            if code != ""
        }
        return [{"code": code, **brief_figures(it).as_json()} for code, it in inputs.items()]

    def _approvals(self, round_: Round, table: str) -> dict[Any, int]:
        counts: dict[Any, int] = defaultdict(int)
        field = {"systems": "system", "subjects": "subject", "categories": "category"}[table]
        for each in self.adjudicated:
            if each.round == round_.pk:
                counts[getattr(each, field)] += each.approvals
        return counts

    def _code(self, table: str, code: Any) -> str:
        return self._subject(code)[0] if table == "subjects" else str(code)

    def _name(self, table: str, code: Any) -> str:
        return self._subject(code)[1] if table == "subjects" else str(code)

    def _category(self, subject: int) -> str:
        return self._subject(subject)[2]

    def _subject(self, pk: int) -> tuple[str, str, str]:
        return self._all_subjects()[pk]

    def _all_subjects(self) -> dict[int, tuple[str, str, str]]:
        """Slug, name and category of each subject; all are read at once."""
        if self._subjects is None:
            rows = Subject.objects.filter(project=self.project)
            columns = rows.values_list("pk", "slug", "name", "category")
            self._subjects = {key: (slug, name, category) for key, slug, name, category in columns}
        return self._subjects


def _begun(row: dict[str, Any]) -> int:
    """How many items of a group got a judgement."""
    count: int = row["items_judged"] + row["approval_rate"]["n_left_out"]
    return count
