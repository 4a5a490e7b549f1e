"""The API of the glossary does what the pages do."""

from collections.abc import Callable

import pytest
from rest_framework.test import APIClient

from accounts.models import AuditEvent, User
from annotation.models import Item, Term
from jobs.models import Job
from jobs.worker import run_now
from projects.enums import Role
from projects.models import Project
from tests.factories import ProjectFactory, make_term, make_translated_item

pytestmark = pytest.mark.django_db
Api = Callable[[User], APIClient]
Member = Callable[..., User]
TERMS = "/api/v1/projects/ti/terms/"
PROPOSALS = "/api/v1/projects/ti/term-proposals/"
LAW = {"source": "法律", "preferred": ["ཁྲིམས"]}


def test_senior_adds_changes_reads_and_removes_a_term(api_of: Api, member: Member) -> None:
    senior = api_of(member(Role.SENIOR))
    made = senior.post(TERMS, LAW, format="json")
    assert made.status_code == 201
    place = f"{TERMS}{made.json()['id']}/"
    changed = LAW | {"note": "a", "seen": made.json()["changed_at"]}
    assert senior.put(place, changed, format="json").json()["note"] == "a"
    assert senior.put(place, changed | {"note": "b"}, format="json").json()["code"] == "term_stale"
    assert [row["note"] for row in senior.get(TERMS, {"q": "ཁྲི"}).json()["results"]] == ["a"]
    assert senior.delete(place, {}, format="json").status_code == 400
    assert senior.delete(place, {"reason": "twice"}, format="json").status_code == 204
    assert senior.get(place).status_code == 404
    verbs = AuditEvent.objects.filter(verb__startswith="term.").order_by("pk")
    assert list(verbs.values_list("verb", flat=True)) == [
        "term.created",
        "term.changed",
        "term.removed",
    ]


def test_refusal_names_the_field(api_of: Api, member: Member) -> None:
    senior = api_of(member(Role.SENIOR))
    answer = senior.post(TERMS, {"source": "a"}, format="json")
    assert (answer.status_code, answer.json()["code"]) == (400, "term_invalid")
    assert list(answer.json()["fields"]) == ["preferred"]


def test_files_go_in_and_out(api_of: Api, member: Member, project: Project) -> None:
    make_term(project)
    manager = api_of(member(Role.MANAGER))
    for extension in ("csv", "tbx", "dct.tbx"):
        text = manager.get(f"{TERMS}file/{extension}/").json()["text"]
        job = manager.post(f"{TERMS}import/", {"text": text}, format="json").json()["job"]
        counts = {"read": 1, "created": 0, "changed": 0, "unchanged": 1}
        assert run_now(Job.objects.get(pk=job)).result == counts | {"outcome": "unchanged"}
    assert manager.get(f"{TERMS}file/exe/").status_code == 400


def test_import_with_wrong_rows_says_which(api_of: Api, member: Member) -> None:
    manager = api_of(member(Role.MANAGER))
    text = "source,preferred\n法律,ཁྲིམས\n民族,\n"
    answer = manager.post(f"{TERMS}import/", {"text": text}, format="json")
    run_now(Job.objects.get(pk=answer.json()["job"]))
    told = manager.get(f"/api/v1/jobs/{answer.json()['job']}/").json()
    assert (answer.status_code, told["error_code"]) == (202, "terms_refused")
    assert [row["row"] for row in told["result"]["problems"]] == [3]
    assert not Term.objects.exists()


def test_proposal_goes_from_reviewer_to_senior_and_back(api_of: Api, member: Member) -> None:
    reviewer, other = api_of(member()), api_of(member())
    senior = api_of(member(Role.SENIOR))
    made = reviewer.post(PROPOSALS, LAW | {"comment": "new law"}, format="json").json()
    assert other.get(PROPOSALS).json()["results"] == []
    decision = f"{PROPOSALS}{made['id']}/decision/"
    assert reviewer.post(decision, {"decision": "accept"}, format="json").status_code == 403
    said = {"decision": "accept", "values": LAW | {"note": "b"}, "reason": "with a note"}
    assert senior.post(decision, said, format="json").json()["state"] == "changed"
    (row,) = reviewer.get(PROPOSALS).json()["results"]
    assert (row["state"], row["reason"], row["term"]) == (
        "changed",
        "with a note",
        Term.objects.get().pk,
    )


def test_term_and_proposal_of_another_project_are_not_there(
    api_of: Api, member: Member, project: Project
) -> None:
    term = make_term(ProjectFactory())
    senior = api_of(member(Role.SENIOR))
    assert senior.get(f"{TERMS}{term.pk}/").status_code == 404
    assert senior.post(PROPOSALS, LAW | {"term": term.pk}, format="json").status_code == 404


def test_item_names_its_terms(api_of: Api, member: Member, project: Project) -> None:
    make_term(project)
    item = make_translated_item(project=project, question="མི་རིགས་གང་།")
    Item.objects.filter(pk=item.pk).update(question="哪个民族？")
    (hit,) = api_of(member()).get(f"/api/v1/projects/ti/items/{item.pk}/terms/").json()
    assert (hit["source"], hit["state"]) == ("民族", "used")
