"""Two at once on findings, keys and terms: nobody waits in a circle and nothing is lost."""

from collections.abc import Callable

import pytest
from django.utils import timezone

from accounts.models import User
from annotation.checks.actions import FindingGone, check_again, dismiss_finding
from annotation.enums import Severity
from annotation.glossary.actions import (
    TermStale,
    change_term,
    propose_term,
    remove_term,
    write_terms,
)
from annotation.glossary.term_values import TermValues
from annotation.index import refresh_items
from annotation.items.keys import correct_key
from annotation.models import Finding, Item, Revision, Term, TermProposal
from projects.enums import Role
from projects.models import Project
from tests.factories import make_term, make_translated_item
from tests.races import interleave

pytestmark = [
    pytest.mark.both_databases,
    pytest.mark.postgres,
    pytest.mark.django_db(transaction=True),
]
Member = Callable[..., User]


def finding_on(item: Item, field: str, code: str = "option_count") -> Finding:
    assert item.working_translation is not None
    found: Finding = Finding.objects.create(
        revision=item.working_translation.current_revision,
        code=code,
        severity=Severity.ERROR,
        field=field,
        created_at=timezone.now(),
    )
    refresh_items([item.pk])
    return found


def dismiss(finding: Finding, actor: User) -> None:
    dismiss_finding(finding=finding, reason="It is right.", actor=actor, now=timezone.now())


def check(project: Project) -> None:
    revisions = Revision.objects.select_related("translation__item__project")
    check_again(
        revisions=revisions.prefetch_related("findings", "translation__item__key_changes"),
        project=project,
        now=timezone.now(),
    )


def test_two_findings_of_an_item_are_dismissed_at_once_and_none_is_left(
    project: Project, member: Member
) -> None:
    item, senior = make_translated_item(project=project), member(Role.SENIOR)
    one, two = finding_on(item, "options.0"), finding_on(item, "options.1")

    faults = interleave(
        lambda: dismiss(one, senior),
        lambda: dismiss(two, senior),
        behind="SELECT DISTINCT",  # it has seen which findings are left
    )

    assert faults == (None, None)
    assert not Item.objects.get().has_open_errors


def test_finding_is_dismissed_while_the_key_is_corrected(project: Project, member: Member) -> None:
    item, senior = make_translated_item(project=project), member(Role.SENIOR)
    finding = finding_on(item, "options.0")

    dismissed, corrected = interleave(
        lambda: dismiss(finding, senior),
        lambda: correct_key(item=item, key="B", reason="B.", actor=senior, now=timezone.now()),
        behind='UPDATE "annotation_finding"',
    )

    assert (dismissed, corrected) == (None, None)
    assert Finding.objects.get(pk=finding.pk).dismissed_by == senior
    assert Item.objects.get().key == "B"


def test_finding_that_the_checks_take_away_is_gone_for_who_dismisses_it(
    project: Project, member: Member
) -> None:
    item, senior = make_translated_item(project=project), member(Role.SENIOR)
    finding = finding_on(item, "options.0")

    checked, dismissed = interleave(
        lambda: check(project), lambda: dismiss(finding, senior), behind="DELETE FROM"
    )

    assert checked is None
    assert isinstance(dismissed, FindingGone)


def test_finding_dismissed_while_the_checks_run_stays(project: Project, member: Member) -> None:
    item, senior = make_translated_item(project=project), member(Role.SENIOR)
    finding = finding_on(item, "options.0")

    faults = interleave(
        lambda: check(project), lambda: dismiss(finding, senior), behind='FROM "annotation_finding"'
    )

    assert faults[0] is None
    is_kept = Finding.objects.filter(pk=finding.pk, dismissed_by=senior).exists()
    assert is_kept == (faults[1] is None)


def test_terms_are_imported_while_one_of_them_is_changed(project: Project) -> None:
    first, last = make_term(project, "一"), make_term(project, "二")
    values = [TermValues(source=each, preferred=("ཀ",)) for each in ("一", "二")]

    faults = interleave(
        lambda: write_terms(project=project, values=values, actor=None, now=timezone.now()),
        lambda: change_term(
            term=last,
            values=TermValues(source="二", preferred=("ཁ",)),
            actor=None,
            now=timezone.now(),
        ),
        behind='INSERT INTO "annotation_term"',
    )

    assert faults[0] is None
    assert faults[1] is None or isinstance(faults[1], TermStale)
    assert Term.objects.get(pk=first.pk).preferred == ["ཀ"]


def test_term_is_removed_before_a_change_of_it_is_proposed(
    project: Project, member: Member
) -> None:
    term, reviewer = make_term(project), member()

    removed, proposed = interleave(
        lambda: remove_term(term=term, reason="Wrong.", actor=None, now=timezone.now()),
        lambda: propose_term(
            project=project,
            values=TermValues(source="民族", preferred=("ཁ",)),
            term=term,
            actor=reviewer,
            now=timezone.now(),
        ),
        behind='DELETE FROM "annotation_term"',
    )

    assert removed is None
    assert isinstance(proposed, TermStale)
    assert not TermProposal.objects.exists()
