"""What may become of terms and proposals, and that every process sees it."""

from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from accounts.models import AuditEvent
from annotation.checks.actions import check_again
from annotation.enums import Origin
from annotation.glossary.actions import (
    ImportCounts,
    ProposalDecided,
    ProposalExists,
    TermExists,
    TermInvalid,
    TermStale,
    accept_proposal,
    change_term,
    compare_terms,
    create_term,
    decline_proposal,
    propose_term,
    remove_term,
    write_terms,
)
from annotation.glossary.formats import read_terms
from annotation.glossary.queries import glossary_of, terms_in_source, values_of
from annotation.glossary.term_values import TermValues
from annotation.items.revisions import create_revision
from annotation.models import Finding, Item, Revision, Term, TermProposal
from common.reasons import ReasonMissing
from projects.models import Project
from tests.factories import (
    ProjectFactory,
    UserFactory,
    make_proposal,
    make_term,
    make_translated_item,
)

pytestmark = pytest.mark.django_db
NOW = timezone.now()


def values(source: str = "法律", **fields: Any) -> TermValues:
    return TermValues(source=source, **{"preferred": ("ཁྲིམས",)} | fields)


def test_project_without_glossary_is_asked_nothing(django_assert_num_queries: Any) -> None:
    project = ProjectFactory()
    with django_assert_num_queries(0):
        assert terms_in_source(project, "法律", ["民族"]) == []


def test_glossary_is_compiled_once_for_each_version(django_assert_num_queries: Any) -> None:
    project = ProjectFactory()
    term = make_term(project)
    with django_assert_num_queries(1):
        assert glossary_of(project) is glossary_of(project)
    change_term(term=term, values=values("民"), actor=None, now=NOW)
    fresh = Project.objects.get(pk=project.pk)
    assert [hit.term.source for hit in terms_in_source(fresh, "民族", [])] == ["民"]


def test_term_is_in_a_glossary_once_but_has_several_meanings() -> None:
    project, actor = ProjectFactory(), UserFactory()
    create_term(project=project, values=values("Cell"), actor=actor, now=NOW)
    with pytest.raises(TermExists):
        create_term(project=project, values=values(" cell "), actor=actor, now=NOW)
    create_term(project=project, values=values("cell", domain="prisons"), actor=actor, now=NOW)
    create_term(project=ProjectFactory(), values=values("cell"), actor=actor, now=NOW)
    make_term(project, "US")
    make_term(project, "us")
    assert Term.objects.filter(project=project).count() == 4


@pytest.mark.parametrize(
    ("wrong", "field"),
    [
        ({"source": " "}, "source"),
        ({"source": "a|b"}, "source"),
        ({"source": "a\0b"}, "source"),
        ({"preferred": ()}, "preferred"),
        ({"preferred": ("cell", "Cell")}, "preferred"),
        ({"forbidden": ("ཁྲིམས་",)}, "forbidden"),
        ({"preferred": tuple(map(str, range(21)))}, "preferred"),
        ({"part_of_speech": "x"}, "part_of_speech"),
        ({"domain": "x" * 101}, "domain"),
        ({"note": "\x01"}, "note"),
    ],
)
def test_term_that_cannot_be_stored_names_its_field(wrong: dict[str, Any], field: str) -> None:
    with pytest.raises(TermInvalid) as refused:
        create_term(project=ProjectFactory(), values=values(**wrong), actor=None, now=NOW)
    assert set(refused.value.fields) == {field}
    assert not Term.objects.exists()


def test_two_at_once_one_change_is_refused() -> None:
    term = make_term(ProjectFactory())
    same = Term.objects.get(pk=term.pk)
    later = NOW + timedelta(seconds=1)
    change_term(term=term, values=values("a"), actor=None, now=later)
    with pytest.raises(TermStale):
        change_term(term=same, values=values("b"), actor=None, now=later)
    remove_term(term=term, reason="no", actor=None, now=later)
    with pytest.raises(TermStale):
        remove_term(term=term, reason="no", actor=None, now=later)


def test_change_to_the_same_values_writes_nothing() -> None:
    project = ProjectFactory()
    term = make_term(project)
    version, events = project.glossary_version, AuditEvent.objects.count()
    change_term(term=term, values=values_of(term), actor=None, now=NOW)
    project.refresh_from_db()
    assert (project.glossary_version, AuditEvent.objects.count()) == (version, events)


def test_history_says_what_changed() -> None:
    actor, term = UserFactory(), make_term(ProjectFactory())
    change_term(term=term, values=values("民族", preferred=("མི",)), actor=actor, now=NOW)
    event = AuditEvent.objects.latest("pk")
    assert (event.verb, event.target, event.actor) == ("term.changed", f"term:{term.pk}", actor)
    assert event.data["changes"] == {"preferred": {"from": ["མི་རིགས"], "to": ["མི"]}}


def read(text: str) -> Any:
    return read_terms(text.encode(), source_language="zh", target_language="bo")


def test_terms_of_a_file_are_added_and_changed_once_and_none_is_removed() -> None:
    project, actor = ProjectFactory(), UserFactory()
    old = make_term(project, "民族")
    make_term(project, "法律")
    values = [
        TermValues(source="民族", preferred=("མི",)), TermValues(source="科学", preferred=("ཚན་རིག",))
    ]  # fmt: skip

    tried = compare_terms(project, values).counts
    before = Term.objects.count()
    done = write_terms(project=project, values=values, actor=actor, now=NOW)
    again = write_terms(project=project, values=values, actor=actor, now=NOW)

    old.refresh_from_db()
    assert (before, Term.objects.count(), old.preferred) == (2, 3, ["མི"])
    assert (tried, done, again) == (
        ImportCounts(1, 1, 0),
        ImportCounts(1, 1, 0),
        ImportCounts(0, 0, 2),
    )
    event = AuditEvent.objects.get(verb="term.changed", target=f"term:{old.pk}")
    assert event.data["changes"]["preferred"]["to"] == ["མི"]


def test_accepted_proposal_becomes_a_term_once() -> None:
    senior, proposal = UserFactory(), make_proposal(ProjectFactory(), UserFactory())
    term = accept_proposal(proposal=proposal, actor=senior, now=NOW)
    assert (term.source, proposal.state, proposal.term) == ("法律", "accepted", term)
    with pytest.raises(ProposalDecided):
        accept_proposal(proposal=proposal, actor=senior, now=NOW)
    with pytest.raises(ProposalDecided):
        decline_proposal(proposal=proposal, reason="no", actor=senior, now=NOW)
    assert Term.objects.count() == 1


def test_proposal_for_a_term_that_is_there_changes_it() -> None:
    project = ProjectFactory()
    term = make_term(project, "法律", preferred=("ཁྲིམས",))
    proposal = make_proposal(project, UserFactory())
    accept_proposal(proposal=proposal, actor=UserFactory(), now=NOW + timedelta(seconds=1))
    term.refresh_from_db()
    assert term.preferred == ["ཁྲིམས་ལུགས"]


def test_acceptance_that_cannot_be_stored_decides_nothing() -> None:
    proposal = make_proposal(ProjectFactory(), UserFactory())
    with pytest.raises(TermInvalid):
        accept_proposal(proposal=proposal, values=values(""), actor=UserFactory(), now=NOW)
    with pytest.raises(ReasonMissing):
        decline_proposal(proposal=proposal, reason=" ", actor=UserFactory(), now=NOW)
    proposal.refresh_from_db()
    assert proposal.state == "open"


def test_same_person_proposes_a_term_once_until_it_is_decided() -> None:
    project, person = ProjectFactory(), UserFactory()
    proposal = make_proposal(project, person)
    with pytest.raises(ProposalExists):
        propose_term(project=project, values=values("法律"), actor=person, now=NOW)
    make_proposal(project, UserFactory())
    decline_proposal(proposal=proposal, reason="no", actor=UserFactory(), now=NOW)
    propose_term(project=project, values=values("法律"), actor=person, now=NOW)
    assert TermProposal.objects.count() == 3


def test_new_text_is_checked_with_the_glossary() -> None:
    project = ProjectFactory()
    make_term(project, "民族", forbidden=("རིགས་རྒྱུད",))
    item = make_translated_item(project=project, question="x")
    Item.objects.filter(pk=item.pk).update(question="哪个民族？")
    revision = create_revision(
        base=Revision.objects.get(translation__item=item),
        question="རིགས་རྒྱུད་གང་།",
        options=["a", "b", "c", "d"],
        origin=Origin.HUMAN,
        author=None,
        now=NOW,
    )
    found = Finding.objects.filter(revision=revision, code__startswith="term_").order_by("code")
    assert [(f.code, f.field, f.start, f.end, f.severity) for f in found] == [
        ("term_forbidden", "question", 0, 10, "warning"),
        ("term_missing", "question", 0, 0, "warning"),
    ]


def test_checks_run_again_follow_the_glossary() -> None:
    project = ProjectFactory()
    item = make_translated_item(project=project)
    Item.objects.filter(pk=item.pk).update(question="民族")
    term = make_term(project)
    assert recheck(project) == {"term_missing"}
    remove_term(term=term, reason="no", actor=None, now=NOW)
    assert recheck(Project.objects.get(pk=project.pk)) == set()


def recheck(project: Project) -> set[str]:
    rows = Revision.objects.filter(translation__item__project=project)
    rows = rows.select_related("translation__item").prefetch_related("findings")
    check_again(revisions=rows, project=project, now=NOW)
    found = Finding.objects.filter(code__startswith="term_").values_list("code", flat=True)
    return set(found)
