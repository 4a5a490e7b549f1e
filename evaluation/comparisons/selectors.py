"""Finds the runs to compare and reads which table of them is asked for."""

import re
from collections.abc import Sequence

from django.http import Http404
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from accounts.models import User
from common.db import bounded_pk
from common.errors import DomainError
from common.figure_tables import Table
from evaluation.comparisons.catalogue import TABLES, TRANSLATION_TABLES
from evaluation.comparisons.queries import OWN, Comparison, compare, compare_translations
from evaluation.comparisons.tables import Maker
from evaluation.models import Run
from evaluation.queries import runs_seen_by
from evaluation.results.queries.differences import methods_of
from evaluation.selectors import run_by_id
from evaluation.translation.queries import has_translations
from projects.models import Project
from projects.selectors import check_reading, project_for
from scoring.scorers import TRANSLATION

MOST_RUNS = 10
"""More runs at once have more pairs than a request should compute; the command takes them."""
NUMBERS = re.compile(r"[0-9]{1,18}(,[0-9]{1,18})*")
VIEW = "evaluation.view_run"
HIDDEN = "evaluation.view_hidden_figures"


class RunsNotComparable(DomainError):
    code = "runs_not_comparable"
    detail = _("These runs cannot be compared.")
    status = 400


class RunsMissing(DomainError):
    code = "runs_missing"
    detail = _("Name the runs to compare by their numbers, as in “runs=3,7”.")
    status = 404


class TableUnknown(DomainError):
    code = "table_unknown"
    detail = _("There is no table “%(table)s”. Choose one of: %(known)s.")
    status = 404


def runs_to_compare(user: User, project: Project, asked: str) -> list[Run]:
    """Return the runs that `asked` names as “3,7”, in that order.

    They may belong to other projects that `user` may see. Raises RunsNotComparable, and what
    `run_by_id` raises.
    """
    numbers = read_numbers(asked)
    rows = runs_seen_by(user, project).filter(pk__in=numbers)
    found = {run.pk: run for run in rows}
    if found:
        check_reading(user, next(iter(found.values())), project, VIEW)
    for number in numbers:
        if number not in found:
            try:
                found[number] = run_by_id(user, number, VIEW)
            except Http404 as error:
                raise RunsNotComparable(
                    fields={"runs": [gettext("There is no run %(run)s.") % {"run": number}]}
                ) from error
    return [found[number] for number in numbers]


def read_numbers(asked: str) -> list[int]:
    """Return the different numbers in “3,7”. Raises RunsMissing without any, or RunsNotComparable."""
    if not asked:
        raise RunsMissing
    text = asked.replace(" ", "")
    numbers = list(dict.fromkeys(map(int, text.split(",")))) if NUMBERS.fullmatch(text) else []
    if not 2 <= len(numbers) <= MOST_RUNS:
        words = gettext("Name 2 to %(most)s runs by their numbers, as in “3,7”.") % {
            "most": MOST_RUNS
        }
        raise RunsNotComparable(fields={"runs": [words]})
    return [bounded_pk(number) for number in numbers]


def shared_methods(runs: Sequence[Run]) -> list[str]:
    """Return the methods that have scored all of these runs, in the order of their pages."""
    first, *others = (methods_of(run) for run in runs)
    return [name for name in first if all(name in each for each in others)]


def comparison_with_answers(user: User, slug: str, asked: str, method: str = "") -> Comparison:
    """Compare runs for somebody who may see every answer of theirs, those to hidden items too.

    Raises what the functions above raise, and PermissionDenied.
    """
    project = project_for(user, slug, "evaluation.start_run")
    runs = runs_to_compare(user, project, asked)
    for run in {run.release.project_id: run for run in runs}.values():
        check_reading(user, run, run.release.project, "evaluation.view_responses")
    if method == TRANSLATION or _are_only_translations(runs):
        words = gettext("Translations are neither right nor wrong. Compare their scores instead.")
        raise RunsNotComparable(fields={"method": [words]})
    return comparison_of(runs, method, user)


def page_number(asked: str) -> int:
    """Return the number of a page; the first for what is no number."""
    return int(asked) if asked.isascii() and asked.isdecimal() and len(asked) < 7 else 1


def comparison_of(runs: Sequence[Run], method: str = "", user: User | None = None) -> Comparison:
    """Compare runs by a method, by the first one that all have, or else each by its own first one.

    Raises RunsNotComparable.
    For a user who does not manage the project of each run, without hidden items: a run of few items
    that such a user brings would tell what other runs answered to each.
    Runs that ask for translations alone are compared by these.
    """
    if method == TRANSLATION or (not method and _are_only_translations(runs)):
        return _translations_of(runs, user)
    methods = [*shared_methods(runs), OWN]
    if not all(map(methods_of, runs)):
        words = gettext("No method has scored one of these runs. Score its answers by one first.")
        raise RunsNotComparable(fields={"runs": [words]})
    if method and method not in methods:
        words = gettext("Choose one of: %(known)s.") % {"known": ", ".join(methods)}
        raise RunsNotComparable(fields={"method": [words]})
    found = compare(runs, method or methods[0], has_hidden=_sees_hidden(user, runs))
    if not len(found.items):
        raise RunsNotComparable(fields={"runs": [_why_nothing_is_shared(found)]})
    return found


def table_and_method(asked_table: str, asked_method: str) -> tuple[str, str]:
    """Return what table and method a request asks for: translations have tables of their own.

    A table decides. Without one, the method does.
    """
    if asked_table in TRANSLATION_TABLES:
        return asked_table, TRANSLATION
    if asked_table and asked_method == TRANSLATION:
        return asked_table, ""
    return asked_table, asked_method


def tables_of(runs: Sequence[Run]) -> dict[str, Maker]:
    """Return the tables that these runs can be compared in."""
    graded = TABLES if all(map(methods_of, runs)) else {}
    return graded | (TRANSLATION_TABLES if all(map(has_translations, runs)) else {})


def _are_only_translations(runs: Sequence[Run]) -> bool:
    return all(map(has_translations, runs)) and not all(map(methods_of, runs))


def _translations_of(runs: Sequence[Run], user: User | None) -> Comparison:
    for run in runs:
        if not has_translations(run):
            words = gettext("Run %(run)s asks for no translations.") % {"run": run.pk}
            raise RunsNotComparable(fields={"runs": [words]})
    found = compare_translations(runs, has_hidden=_sees_hidden(user, runs))
    if not len(found.items):
        words = gettext("These runs share no item with a translation in the same direction.")
        raise RunsNotComparable(fields={"runs": [words]})
    return found


def _why_nothing_is_shared(found: Comparison) -> str:
    for run, answers in zip(found.runs, found.answers, strict=True):
        if not answers.version:
            words = gettext("Run %(run)s has no scored answer yet. Wait for it, or resume it.")
            return words % {"run": run.pk}
    return gettext(
        "These runs share no item with a scored answer. Items of two projects are the same if their "
        "uids are: choose runs on releases that have items in common."
    )


def _sees_hidden(user: User | None, runs: Sequence[Run]) -> bool:
    """Whether figures may count hidden items; they always may for a command, which has no user."""
    projects = {run.release.project_id: run.release.project for run in runs}
    return user is None or all(user.has_perm(HIDDEN, project) for project in projects.values())


def table_of(asked: str, found: Comparison) -> Table:
    """Return a table of a comparison, the first one if none is asked for. Raises TableUnknown."""
    tables = TRANSLATION_TABLES if found.method == TRANSLATION else TABLES
    name = asked or next(iter(tables))
    if name not in tables:
        raise TableUnknown(table=name, known=", ".join(tables))
    return tables[name](found)
