"""Drawing the sample of an audit, and what people read in it."""

import pytest

from accounts.models import AuditEvent
from evaluation.audits.actions import (
    AnswerUnreadable,
    AuditInvalid,
    AuditNotYet,
    AuditThere,
    NumberUnreadable,
    ReadBefore,
    perform_audit,
    start_audit,
    store_reading,
)
from evaluation.audits.queries import (
    audit_figures,
    audited_answers,
    export_rows,
    figures_json,
    left_for,
)
from evaluation.audits.readings import same_text, settled
from evaluation.models import AuditedResponse, ExtractionReading
from jobs.progress import Progress
from projects.enums import Role
from projects.models import Project
from tests.evaluation.audits.builders import audited_run, drawn, read_all, sample
from tests.evaluation.builders import NOW, make_run
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_sample_has_the_doubtful_and_some_of_the_rest(project: Project) -> None:
    run = audited_run(project, tests=12)
    audit = drawn(run, agreed=2)
    assert audit.populations == {"choice": {"agree": 6, "differ": 3, "none": 3}}
    strata = [each.stratum for each in sample(audit)]
    assert sorted(strata) == ["agree"] * 2 + ["differ"] * 3 + ["none"] * 3
    assert AuditEvent.objects.filter(verb="extraction-audit.started").count() == 1

    before = list(AuditedResponse.objects.order_by("pk").values_list("response", "position"))
    perform_audit(audit.job, Progress(audit.job_id))
    after = list(AuditedResponse.objects.order_by("pk").values_list("response", "position"))
    assert after == before


def test_starting_is_refused_before_the_end_twice_and_with_odd_numbers(project: Project) -> None:
    waiting = make_run(project)
    with pytest.raises(AuditNotYet):
        start_audit(run=waiting, doubtful=5, agreed=5, seed=1, actor=None, now=NOW)
    run = audited_run(project, tests=4)
    with pytest.raises(AuditInvalid):
        start_audit(run=run, doubtful=0, agreed=5, seed=1, actor=None, now=NOW)
    drawn(run)
    with pytest.raises(AuditThere):
        start_audit(run=run, doubtful=5, agreed=5, seed=1, actor=None, now=NOW)


def test_a_reading_is_checked_stored_once_and_never_changed(project: Project) -> None:
    audited = sample(drawn(audited_run(project, tests=4)))[0]
    person = UserFactory()
    for odd in ("", "E", "AB", "7", "ཅ"):
        with pytest.raises(AnswerUnreadable, match="A, B, C, D"):
            store_reading(audited=audited, answer=odd, actor=person, now=NOW)
    for same in ("b", "B", "ཁ", "Ｂ"):
        reading = store_reading(audited=audited, answer=same, actor=person, now=NOW)
        assert reading.answer == "B"
    assert ExtractionReading.objects.count() == 1
    with pytest.raises(ReadBefore):
        store_reading(audited=audited, answer=None, actor=person, now=NOW)


def test_a_number_is_read_as_a_number(project: Project) -> None:
    audited = sample(drawn(audited_run(project, tests=4)))[0]
    audited.response.release_item.kind = "number"
    person = UserFactory()
    for odd in ("", "A", "1 or 2", "1" * 41):
        with pytest.raises(NumberUnreadable):
            store_reading(audited=audited, answer=odd, actor=person, now=NOW)
    for same in ("3/4", " 0.75", "༠.༧༥"):
        assert store_reading(audited=audited, answer=same, actor=person, now=NOW).answer == "3/4"


def test_two_people_read_each_and_a_third_where_they_differ(project: Project) -> None:
    audit = drawn(audited_run(project, tests=4))
    one, two, three, four = (UserFactory(is_superuser=True) for _ in range(4))
    read_all(audit, one)
    assert left_for(audit, one).count() == 0
    assert left_for(audit, two).count() == 4
    *rest, last = sample(audit)
    for audited in rest:
        answer = ExtractionReading.objects.get(audited=audited).answer or None
        store_reading(audited=audited, answer=answer, actor=two, now=NOW)
    store_reading(audited=last, answer="C", actor=two, now=NOW)

    assert [each.pk for each in left_for(audit, three)] == [last.pk]
    store_reading(audited=last, answer="C", actor=three, now=NOW)
    assert left_for(audit, four).count() == 0
    found = list(audited_answers(audit))
    assert found[-1].agreed == "C"


def test_figures_weigh_the_strata_and_compare_each_method(project: Project) -> None:
    run = audited_run(project, tests=12)
    audit = drawn(run, agreed=2)
    read_all(audit, UserFactory(), UserFactory())

    figures = audit_figures(audit)

    assert (figures.drawn, figures.read, figures.settled, figures.same) == (8, 8, 8, 8)
    assert (figures.readings, figures.readers, figures.kappa.value) == (16, 2, 1.0)
    found = {each.method: each for each in figures.methods}
    assert (found["anchored"].right, found["anchored"].read) == (8, 8)
    assert (found["direct"].right, found["direct"].read) == (5, 8)
    assert found["anchored"].accuracy is not None
    assert found["direct"].accuracy is not None
    assert found["anchored"].accuracy.share == 1
    assert found["direct"].accuracy.share == pytest.approx(9 / 12)
    rows = {each["stratum"]: each for each in export_rows(audit)}
    assert {name: row["agreed"] for name, row in rows.items()} == {
        "none": "", "differ": "B", "agree": "B",
    }  # fmt: skip
    assert rows["agree"]["population"] == 6
    assert rows["agree"]["readings"] == {"reader 1": "B", "reader 2": "B"}
    assert rows["differ"]["methods"]["direct"] == ""


def test_readings_of_programs_are_counted_and_named(project: Project) -> None:
    audit = drawn(audited_run(project, tests=12), agreed=2)
    person, program = UserFactory(), UserFactory(is_simulated=True)
    read_all(audit, person, program)

    figures = audit_figures(audit)

    assert (figures.readings, figures.simulated) == (16, 8)
    assert figures_json(figures)["simulated_readings"] == 8
    assert all(set(row["readings"]) == {"reader 1", "program 2"} for row in export_rows(audit))


def test_figures_without_readings_say_so(project: Project) -> None:
    figures = audit_figures(drawn(audited_run(project, tests=4)))
    assert figures.kappa.value is None
    assert [each.accuracy for each in figures.methods] == [None] * 3


def test_readers_need_a_majority_of_two() -> None:
    cases = {
        (): None, ("A",): None, ("A", "A"): "A", ("A", "B"): None, ("A", "B", "A"): "A",
        ("A", "B", "C"): None, ("", ""): "", ("A", "A", "B", "B"): None,
    }  # fmt: skip
    assert {answers: settled(answers) for answers in cases} == cases
    assert same_text("1E-2", is_number=True) == same_text("0.01", is_number=True) == "1/100"
    assert same_text("B", is_number=False) == "B"


def test_hidden_items_are_left_to_managers(project: Project, member: object) -> None:
    audit = drawn(audited_run(project, tests=8, hidden=4))
    manager, senior = member(Role.MANAGER), member(Role.SENIOR)  # type: ignore[operator]
    assert left_for(audit, manager).count() == 8
    assert left_for(audit, senior).count() == 4
