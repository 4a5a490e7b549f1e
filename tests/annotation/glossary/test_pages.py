"""Pages of the glossary: who sees what, proposals and their decisions, files in and out."""

import re
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from annotation.models import Term, TermProposal
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.factories import (
    MembershipFactory,
    ProjectFactory,
    UserFactory,
    make_proposal,
    make_term,
    make_translated_item,
)

pytestmark = pytest.mark.django_db


@pytest.fixture
def project() -> Project:
    return ProjectFactory(slug="ti")


def person(project: Project, role: Role) -> User:
    user: User = UserFactory()
    MembershipFactory(project=project, user=user, role=role)
    return user


def browser(user: User) -> Client:
    client = Client()
    client.force_login(user, backend="accounts.backends.AccountBackend")
    return client


def address(name: str, *arguments: Any) -> str:
    return reverse(f"annotation:{name}", args=["ti", *arguments])


VALUES = {"source": "法律", "preferred": "ཁྲིམས་ལུགས\nཁྲིམས", "forbidden": "བཅའ་ཁྲིམས"}


@pytest.mark.parametrize("count", [1, 3])
def test_list_takes_the_same_queries_for_any_number_of_terms(
    project: Project, count: int, django_assert_num_queries: Any
) -> None:
    senior = browser(person(project, Role.SENIOR))
    for number in range(count):
        make_term(project, f"词{number}")
    senior.get(address("glossary"))
    with django_assert_num_queries(8):
        page = senior.get(address("glossary"))
    assert page.content.decode().count("<tr>") == count + 1


def test_list_marks_renderings_that_a_term_lacks(project: Project) -> None:
    make_term(project)
    page = browser(person(project, Role.SENIOR)).get(address("glossary")).content.decode()
    assert page.count('<span lang="bo">–</span>') == 2


def test_senior_adds_changes_and_removes_a_term_and_its_page_tells_of_it(project: Project) -> None:
    senior = browser(person(project, Role.SENIOR))
    assert senior.post(address("add-term"), VALUES).status_code == 302
    term = Term.objects.get()
    assert (term.source, term.preferred, term.forbidden) == (
        "法律",
        ["ཁྲིམས་ལུགས", "ཁྲིམས"],
        ["བཅའ་ཁྲིམས"],
    )
    changed = VALUES | {"note": "law as a field", "seen": term.changed_at.isoformat()}
    assert senior.post(address("term", term.pk), changed).status_code == 302
    page = senior.get(address("term", term.pk)).content.decode()
    assert "changed a term of the glossary" in page
    assert "law as a field" in page
    assert senior.post(address("remove-term", term.pk), {"reason": "twice"}).status_code == 302
    assert not Term.objects.exists()


def test_change_of_a_term_that_somebody_else_changed_is_refused(project: Project) -> None:
    term = make_term(project)
    seen = term.changed_at.isoformat()
    first, second = (browser(person(project, Role.SENIOR)) for _ in range(2))
    values = {"source": "民族", "preferred": "མི་རིགས", "seen": seen}
    assert first.post(address("term", term.pk), values | {"note": "a"}).status_code == 302
    answer = second.post(address("term", term.pk), values | {"note": "b"})
    assert answer.status_code == 400
    assert "changed or removed this term" in answer.content.decode()
    term.refresh_from_db()
    assert term.note == "a"


def test_history_names_nobody_to_reviewers(project: Project) -> None:
    senior = person(project, Role.SENIOR)
    browser(senior).post(address("add-term"), VALUES)
    term = Term.objects.get()
    assert senior.email in browser(senior).get(address("term", term.pk)).content.decode()
    page = browser(person(project, Role.REVIEWER)).get(address("term", term.pk)).content.decode()
    assert senior.email not in page


def test_reviewer_proposes_and_sees_what_became_of_it(project: Project) -> None:
    reviewer = browser(person(project, Role.REVIEWER))
    senior = browser(person(project, Role.SENIOR))
    item = make_translated_item(project=project, uid="law/1")
    sent = VALUES | {"comment": "used in law/1", "item": "law/1"}
    assert reviewer.post(address("propose-term"), sent).status_code == 302
    proposal = TermProposal.objects.get()
    assert proposal.item == item
    assert "law/1" in senior.get(address("decide-term", proposal.pk)).content.decode()
    decided = VALUES | {"decision": "accept", "preferred": "ཁྲིམས", "reason": "the shorter one"}
    assert senior.post(address("decide-term", proposal.pk), decided).status_code == 302
    page = reviewer.get(address("term-proposals")).content.decode()
    assert "accepted with changes" in page
    assert "the shorter one" in page
    assert Term.objects.get().preferred == ["ཁྲིམས"]


def test_proposals_of_others_are_shown_to_those_who_decide_only(project: Project) -> None:
    make_proposal(project, person(project, Role.REVIEWER))
    other = browser(person(project, Role.REVIEWER)).get(address("term-proposals"))
    assert "法律" not in other.content.decode()
    assert (
        "法律"
        in browser(person(project, Role.MANAGER)).get(address("term-proposals")).content.decode()
    )


def test_declining_takes_a_reason(project: Project) -> None:
    proposal = make_proposal(project, person(project, Role.REVIEWER))
    senior = browser(person(project, Role.SENIOR))
    sent = VALUES | {"decision": "decline"}
    assert senior.post(address("decide-term", proposal.pk), sent).status_code == 400
    assert (
        senior.post(address("decide-term", proposal.pk), sent | {"reason": "no"}).status_code == 302
    )
    assert (
        senior.post(address("decide-term", proposal.pk), sent | {"reason": "x"}).status_code == 400
    )
    proposal.refresh_from_db()
    assert (proposal.state, proposal.reason) == ("declined", "no")


def test_script_gets_the_form_alone_and_answers_as_json(project: Project) -> None:
    reviewer = browser(person(project, Role.REVIEWER))
    panel = reviewer.get(
        address("propose-term"), {"source": "法"}, headers={"Lotsawa-Fragment": "panel"}
    ).content.decode()
    assert panel.lstrip().startswith("<form")
    assert 'value="法"' in panel
    asked = {"Accept": "application/json"}
    refused = reviewer.post(address("propose-term"), {"source": ""}, headers=asked)
    assert (refused.status_code, refused.json()["code"]) == (400, "term_invalid")
    taken = reviewer.post(address("propose-term"), VALUES, headers=asked)
    assert taken.json() == {"proposal": TermProposal.objects.get().pk}
    again = reviewer.post(address("propose-term"), VALUES, headers=asked)
    assert (again.status_code, again.json()["code"]) == (409, "proposal_exists")


@pytest.mark.parametrize("extension", ["csv", "tbx", "dct.tbx"])
def test_download_is_imported_again_without_a_change(project: Project, extension: str) -> None:
    make_term(project, forbidden=("རིགས་རྒྱུད",), note="a\nb", domain="law", part_of_speech="noun")
    senior = browser(person(project, Role.SENIOR))
    file = b"".join(senior.get(address("download-glossary", extension)))  # type: ignore[arg-type]
    assert facts(upload(senior, file)) == ["0", "0", "1"]


def test_import_shows_wrong_rows_and_writes_nothing(project: Project) -> None:
    manager = browser(person(project, Role.MANAGER))
    page = upload(manager, "source,preferred\n法律,ཁྲིམས\n民族,\n".encode())
    assert re.search(r"3\s*</td>", page)
    assert "at least one rendering" in page
    assert not Term.objects.exists()


def test_dry_run_says_what_would_happen_and_writes_nothing(project: Project) -> None:
    manager = browser(person(project, Role.MANAGER))
    page = upload(manager, "source,preferred\n法律,ཁྲིམས\n".encode(), dry_run="on")
    assert facts(page) == ["1", "0", "0"]
    assert not Term.objects.exists()


def test_item_page_names_terms_with_what_became_of_them(project: Project) -> None:
    make_term(project, "民族", forbidden=("རིགས་རྒྱུད",))
    make_term(project, "法律", preferred=("ཁྲིམས་ལུགས",))
    item = make_translated_item(
        project=project, question="རིགས་རྒྱུད་གང་།", options=["ཁྲིམས་ལུགས", "a"], key="A"
    )
    type(item).objects.filter(pk=item.pk).update(question="哪个民族？", options=["法律", "a"])
    page = browser(person(project, Role.REVIEWER)).get(address("item", item.pk)).content.decode()
    hits = page[page.index("data-term-hits") :]
    assert '<li class="forbidden"' in hits
    assert '<li class="used"' in hits


def upload(client: Client, content: bytes, **fields: str) -> str:
    """Return the page of the import's job, once it has ended."""
    file = SimpleUploadedFile("terms", content)
    answer = client.post(address("import-terms"), {"file": file, **fields})
    job = Job.objects.latest("pk")
    assert answer.url == reverse("jobs:job", args=[job.pk])
    run_now(job)
    return client.get(answer.url).content.decode()


def facts(page: str) -> list[str]:
    """Return the numbers of new, changed and unchanged terms."""
    return re.findall(r"<dd>(\d+)</dd>", page[page.index('id="report"') :])
