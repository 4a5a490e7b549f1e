"""Items without options, and explanations, on their whole way: from a file to a verified release."""

import csv
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.conf import settings
from django.test import Client
from django.utils import timezone
from pyarrow import parquet
from rest_framework.test import APIClient

from accounts.models import User
from annotation.checks.actions import check_again
from annotation.imports.actions import import_path
from annotation.imports.opening import ImportOptions
from annotation.items.keys import KeyNotThere, NumberUnknown, correct_key
from annotation.items.revisions import text_hash
from annotation.models import Finding, Item, Revision
from evaluation.queries import asked_items, example_items
from evaluation.results.queries.figures import run_counts
from projects.criteria import DEFAULT_NAMES
from projects.enums import Role
from projects.models import Project
from releases.files.storage import release_folder
from releases.verification.checking import verify
from review.disputes.actions.adjudication import DecisionContent, adjudicate_panel
from review.disputes.presenters import matrix
from review.enums import Selection
from review.models import Judgement, Panel, Round
from review.outcomes import Correction
from review.rounds.actions.rounds import open_round
from review.rounds.actions.settings import RoundSettings
from review.seats.actions.seats import claim_seat
from review.workbench.actions.judgements import JudgementContent, submit_judgement
from tests.evaluation.builders import make_run
from tests.releases.builders import build

pytestmark = pytest.mark.django_db
Member = Callable[..., User]
EXPLANATION = "因为 2 + 3 = 5。"
CHOICE = {
    "uid": "m/1", "subject": "maths", "question": "2 + 3 = ？", "options": ["4", "5", "6", "7"],
    "key": "B", "explanation": EXPLANATION, "translation_question": "2 + 3 = ག་ཚོད།",
    "translation_options": ["4", "5", "6", "7"], "translation_explanation": "2 + 3 = 5 ཡིན་པས།",
}  # fmt: skip
NUMBER = {
    "uid": "m/2", "subject": "maths", "question": "12 加 30 等于多少？", "answer": "42",
    "translation_question": "12 དང་ 30 བསྡོམས་ན་ག་ཚོད།",
}  # fmt: skip
OPEN = {
    "uid": "o/1", "subject": "open", "question": "什么是酥油？", "answer": "牦牛奶做的黄油。",
    "translation_question": "མར་ཟེར་ན་ག་རེ་རེད།", "translation_answer": "འབྲི་མར།",
}  # fmt: skip
TRANSLATION = {
    "uid": "t/1", "subject": "open", "kind": "translation", "question": "请译成藏文：谢谢。",
    "answer": "谢谢。", "translation_question": "བོད་ཡིག་ཏུ་བསྒྱུར།", "translation_answer": "ཐུགས་རྗེ་ཆེ།",
}  # fmt: skip
ROWS = (CHOICE, NUMBER, OPEN, TRANSLATION)


def import_rows(project: Project, folder: Path, *rows: dict[str, Any]) -> Any:
    path = folder / "items.jsonl"
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in rows), "utf-8")
    options = ImportOptions(system="mt")
    return import_path(project=project, path=path, options=options, actor=None, now=timezone.now())


def text_of(uid: str) -> Revision:
    translation = Item.objects.get(uid=uid).working_translation
    assert translation is not None and translation.current_revision is not None
    return translation.current_revision


def open_findings(uid: str) -> set[tuple[str, str]]:
    rows = Finding.objects.filter(revision=text_of(uid)).open()
    return set(rows.values_list("code", "field"))


def open_all(project: Project, **changes: Any) -> Round:
    return open_round(
        project=project,
        settings=RoundSettings(selection=Selection.ALL, **changes),
        actor=None,
        now=timezone.now(),
    )


def judge(round_: Round, user: User, **said: Any) -> Judgement:
    """Take the next seat and judge it: an approval, or a revision with a `correction`."""
    now = timezone.now()
    seat = claim_seat(round_=round_, reviewer=user, now=now)
    assert seat is not None
    content = JudgementContent(
        verdict="revise" if "correction" in said else "approve",
        ratings=dict.fromkeys(DEFAULT_NAMES, 5),
        **said,
    )
    return submit_judgement(
        assignment=seat, reviewer=user, revision_id=seat.panel.revision_id, content=content,
        idempotency_key=f"{seat.pk}", now=now,
    )  # fmt: skip


def approve_all(round_: Round, people: list[User], count: int) -> None:
    for user in people:
        for _number in range(count):
            judge(round_, user)


def test_rows_without_options_are_imported_with_their_kind_and_answer(
    project: Project, tmp_path: Path
) -> None:
    report = import_rows(project, tmp_path, *ROWS)

    found = Item.objects.order_by("uid").values_list("uid", "kind", "key", "answer", "options")
    assert (report.outcome, report.imported, report.with_findings) == ("imported", 4, 0)
    assert list(found) == [
        ("m/1", "choice", "B", "", ["4", "5", "6", "7"]),
        ("m/2", "number", "42", "", []),
        ("o/1", "open", "", "牦牛奶做的黄油。", []),
        ("t/1", "translation", "", "谢谢。", []),
    ]
    assert text_of("m/1").explanation == "2 + 3 = 5 ཡིན་པས།"
    assert (text_of("o/1").answer, text_of("m/2").answer) == ("འབྲི་མར།", "")
    again = import_rows(project, tmp_path, *ROWS)
    assert (again.outcome, again.refused) == ("unchanged", 0)


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ({"kind": "essay"}, "bad_kind"),
        ({"kind": "number", "answer": ""}, "empty_text"),
        ({"answer": ""}, "missing_column"),
        ({"key": "A", "answer": ""}, "option_count"),
    ],
)
def test_row_without_options_that_says_too_little_is_refused(
    project: Project, tmp_path: Path, row: dict[str, str], code: str
) -> None:
    report = import_rows(project, tmp_path, OPEN | row)
    assert [error["code"] for error in report.as_json()["errors"]] == [code]
    assert not Item.objects.exists()


def test_checks_find_what_is_wrong_in_texts_without_options(
    project: Project, tmp_path: Path
) -> None:
    import_rows(
        project, tmp_path,
        NUMBER | {"kind": "number", "answer": "about 12"},
        OPEN | {"translation_answer": " "},
        TRANSLATION | {"translation_answer": ""},
        CHOICE | {"translation_explanation": ""},
        CHOICE | {"uid": "m/9", "translation_explanation": "2 + 3 = 6 ཡིན་པས།"},
    )  # fmt: skip
    assert open_findings("m/2") == {("number_unreadable", "item")}
    assert open_findings("o/1") == open_findings("t/1") == {("empty_text", "answer")}
    assert open_findings("m/1") == {("explanation_missing", "explanation")}
    assert open_findings("m/9") == {("numbers_differ", "explanation")}


def test_corrected_number_is_a_number_and_an_open_item_has_no_key(
    project: Project, tmp_path: Path
) -> None:
    import_rows(project, tmp_path, NUMBER | {"kind": "number", "answer": "x"}, OPEN)
    number, now = Item.objects.get(uid="m/2"), timezone.now()
    with pytest.raises(NumberUnknown):
        correct_key(item=number, key="B", reason="no", actor=None, now=now)
    with pytest.raises(KeyNotThere):
        item = Item.objects.get(uid="o/1")
        correct_key(item=item, key="A", reason="no", actor=None, now=now)

    correct_key(item=number, key=" 43 ", reason="counted again", actor=None, now=now)

    assert (Item.objects.get(uid="m/2").key, open_findings("m/2")) == ("43", set())


def test_text_without_explanation_keeps_its_hash() -> None:
    assert text_hash("དྲི།", ("ཀ", "ཁ")) == (
        "2dcc55100f6625efdc854df0cd8b2b8c54b4eec6e281423716faccd279bc81d2"
    )
    assert len({text_hash("q", ()), text_hash("q", (), "b"), text_hash("q", (), "", "b")}) == 3


def test_page_shows_reference_and_explanation_and_takes_them_back(
    project: Project, tmp_path: Path, member: Member, browser_of: Callable[[User], Client]
) -> None:
    import_rows(project, tmp_path, OPEN | {"explanation": EXPLANATION})
    round_, user = open_all(project, panel_size=1), member(Role.REVIEWER)
    client = browser_of(user)
    client.post("/projects/ti/rounds/1/claim/")

    page = client.get("/projects/ti/rounds/1/workbench/").content.decode()

    assert "牦牛奶做的黄油。" in page and "འབྲི་མར།" in page and EXPLANATION in page
    assert 'name="answer"' in page and 'name="explanation"' in page
    assert 'name="option_0"' not in page
    seat = round_.panels.get().assignments.get()
    typed = {
        "assignment": seat.pk, "revision": seat.panel.revision_id, "idempotency_key": "k",
        "verdict": "revise", "question": text_of("o/1").question, "answer": "འབྲི་མོའི་མར།",
        "explanation": "2 + 3 = 5 ཡིན།", **dict.fromkeys(DEFAULT_NAMES, 4),
    }  # fmt: skip
    refused = client.post("/projects/ti/rounds/1/submit/", typed | {"answer": " "})
    assert refused.status_code == 400 and not Judgement.objects.exists()
    sent = client.post("/projects/ti/rounds/1/submit/", typed)
    assert sent.status_code == 303

    new = text_of("o/1")
    assert (new.answer, new.explanation, new.options) == ("འབྲི་མོའི་མར།", "2 + 3 = 5 ཡིན།", [])
    assert new.content_hash == text_hash(new.question, [], new.answer, new.explanation)
    stored = Judgement.objects.get().correction
    assert stored is not None
    assert (stored["answer"], stored["explanation"]) == (new.answer, new.explanation)
    assert not open_findings("o/1")


def test_api_carries_the_answer_and_leaves_what_is_not_sent(
    project: Project, tmp_path: Path, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    import_rows(
        project, tmp_path, OPEN | {"explanation": "因为。", "translation_explanation": "རྒྱུ།"}
    )
    round_ = open_all(project, panel_size=1)
    api = api_of(member(Role.REVIEWER))

    taken = api.post(f"/api/v1/rounds/{round_.pk}/claim/").json()

    assert taken["item"]["kind"] == "open"
    assert (taken["source"]["answer"], taken["source"]["explanation"]) == (OPEN["answer"], "因为。")
    assert (taken["revision"]["answer"], taken["revision"]["explanation"]) == ("འབྲི་མར།", "རྒྱུ།")
    said = {
        "verdict": "revise", "ratings": dict.fromkeys(DEFAULT_NAMES, 4), "revision": taken["revision"]["id"],
        "correction": {"question": "མར་ག་རེ་རེད།", "options": [], "answer": "མར།"},
    }  # fmt: skip
    url = f"/api/v1/assignments/{taken['assignment']}/judgement/"
    sent = api.post(url, said, format="json", HTTP_IDEMPOTENCY_KEY="k")
    assert sent.status_code == 201, sent.content
    new = text_of("o/1")
    assert (new.question, new.answer, new.explanation) == ("མར་ག་རེ་རེད།", "མར།", "རྒྱུ།")


def test_blind_reading_keeps_the_answer_back(
    project: Project, tmp_path: Path, member: Member, api_of: Callable[[User], APIClient]
) -> None:
    import_rows(project, tmp_path, OPEN)
    round_ = open_all(project, panel_size=1, has_blind_reading=True)
    taken = api_of(member(Role.REVIEWER)).post(f"/api/v1/rounds/{round_.pk}/claim/").json()
    assert (taken["source"], taken["revision"]["answer"]) == (None, None)


def test_senior_takes_one_field_of_a_proposal(
    project: Project, tmp_path: Path, member: Member
) -> None:
    import_rows(project, tmp_path, CHOICE)
    round_ = open_all(project)
    base, first, second = text_of("m/1"), member(Role.REVIEWER), member(Role.REVIEWER)
    options = tuple(base.options)
    given = Correction("2 + 3 = ག་རེ།", options, None, "2 + 3 = 5 ཡིན།")
    judge(round_, first, correction=given)
    judge(round_, second)
    panel = Panel.objects.get()

    shown = matrix(panel, list(panel.judgements.all()))
    rows = {row.text.field: [cell.text for cell in row.cells] for row in shown.rows}
    assert rows["explanation"] == ["2 + 3 = 5 ཡིན།"] and "answer" not in rows
    proposal = panel.judgements.get(verdict="revise")
    adjudicate_panel(
        panel=panel, senior=member(Role.SENIOR), now=timezone.now(),
        content=DecisionContent(kind="adopt", judgement=proposal, fields=["explanation"]),
    )  # fmt: skip

    new = text_of("m/1")
    assert (new.question, new.explanation) == (base.question, "2 + 3 = 5 ཡིན།")


def test_different_explanations_are_a_dispute_about_them(
    project: Project, tmp_path: Path, member: Member
) -> None:
    import_rows(project, tmp_path, CHOICE)
    round_, base = open_all(project), text_of("m/1")
    for words in ("2 + 3 = 5 ཡིན།", "2 + 3 = 5 རེད།"):
        correction = Correction(base.question, tuple(base.options), None, words)
        judge(round_, member(Role.REVIEWER), correction=correction)
    assert Panel.objects.get().reasons == [
        {"code": "different_corrections", "fields": ["explanation"]}
    ]


def make_release(project: Project, folder: Path, member: Member, **parameters: Any) -> Path:
    """A release of all kinds, each approved by two reviewers."""
    dev = CHOICE | {"uid": "m/dev", "split": "dev", "question": "3 + 3 = ？", "key": "C"}
    dev |= {"translation_question": "3 + 3 = ག་ཚོད།"}
    import_rows(project, folder, *ROWS, dev)
    round_ = open_all(project)
    approve_all(round_, [member(Role.REVIEWER), member(Role.REVIEWER)], 5)
    build(project, **parameters)
    return release_folder(project.slug, "0.1.0")


def test_release_holds_every_kind_in_every_format_and_proves_itself(
    project: Project, tmp_path: Path, member: Member
) -> None:
    folder = make_release(project, tmp_path, member)

    files = sorted(folder.glob("jsonl/test/*.jsonl"))
    rows = {
        row["id"]: row for file in files for row in map(json.loads, file.read_text().splitlines())
    }
    names = ("kind", "answer", "reference", "source_reference", "explanation")
    assert {uid: tuple(row[name] for name in names) for uid, row in rows.items()} == {
        "m/1": ("choice", 1, "", "", "2 + 3 = 5 ཡིན་པས།"),
        "m/2": ("number", -1, "42", "42", ""),
        "o/1": ("open", -1, "འབྲི་མར།", "牦牛奶做的黄油。", ""),
        "t/1": ("translation", -1, "ཐུགས་རྗེ་ཆེ།", "谢谢。", ""),
    }
    assert rows["m/1"]["source_explanation"] == EXPLANATION
    table = [
        row
        for file in sorted(folder.glob("parquet/test/*.parquet"))
        for row in parquet.read_table(file).to_pylist()
    ]
    assert {row["id"]: row for row in table} == rows
    cells = [
        row
        for file in sorted(folder.glob("csv/test/*.csv"))
        for row in csv.DictReader(file.read_text().splitlines())
    ]
    assert {row["id"]: (row["key"], row["reference"]) for row in cells} == {
        "m/1": ("B", ""), "m/2": ("", "42"), "o/1": ("", "འབྲི་མར།"), "t/1": ("", "ཐུགས་རྗེ་ཆེ།"),
    }  # fmt: skip
    found = verify(folder, version=settings.VERSION)
    assert (found.problems, found.notes, found.items) == ((), (), 5)
    ledger = [json.loads(line) for line in (folder / "ledger.jsonl").read_text().splitlines()]
    assert {line["id"]: line.get("kind") for line in ledger} == {
        "m/1": None, "m/dev": None, "m/2": "number", "o/1": "open", "t/1": "translation",
    }  # fmt: skip


def test_what_takes_options_only_leaves_the_others_out_and_the_card_says_so(
    project: Project, tmp_path: Path, member: Member
) -> None:
    folder = make_release(project, tmp_path, member, formats=("jsonl", "cmmlu", "ti_mmlu"))
    assert [path.name for path in folder.glob("cmmlu/test/*")] == ["maths.csv"]
    assert len((folder / "cmmlu/test/maths.csv").read_text().splitlines()) == 2
    tasks = {path.name for path in folder.glob("lm_eval/*.yaml")}
    assert any("maths" in name for name in tasks) and not any("open" in name for name in tasks)
    assert "HAS_OTHER_KINDS = True" in (folder / "lm_eval/utils.py").read_text()
    [inspect] = folder.glob("inspect/*.py")
    assert 'SUBJECTS = "maths"' in inspect.read_text()
    assert "3 open items have no options" in (folder / "README.md").read_text()
    assert json.loads((folder / "manifest.json").read_text())["counts"]["kinds"] == {
        "number": 1, "open": 1, "translation": 1,
    }  # fmt: skip


@pytest.mark.parametrize("column", ["reference", "explanation", "kind"])
def test_changed_reference_or_explanation_is_seen(
    project: Project, tmp_path: Path, member: Member, column: str
) -> None:
    folder = make_release(project, tmp_path, member, formats=("jsonl",))
    path = folder / "jsonl/test/open.jsonl"
    first, *others = map(json.loads, path.read_text().splitlines())
    changed = [first | {column: "number" if column == "kind" else "གཞན།"}, *others]
    path.write_text("".join(f"{json.dumps(row, ensure_ascii=False)}\n" for row in changed))
    assert "rows" in {each.code for each in verify(folder, version=settings.VERSION).problems}


def test_runs_ask_items_with_options_and_count_the_others(
    project: Project, tmp_path: Path, member: Member
) -> None:
    make_release(project, tmp_path, member)
    release = project.releases.get()
    assert [placed.uid for placed in asked_items(release, ["direct"])] == ["m/1"]
    assert [placed.uid for placed in example_items(release, ["direct"])] == ["m/dev"]
    run = make_run(project, release)
    counts = run_counts(run)
    assert (counts.left_out, list(counts.options.values())) == (3, [{4: 1}])


def test_checks_run_again_find_the_same(project: Project, tmp_path: Path) -> None:
    import_rows(project, tmp_path, *ROWS)
    rows = Revision.objects.select_related("translation__item").prefetch_related(
        "findings", "translation__item__key_changes"
    )
    assert check_again(revisions=list(rows), project=project, now=timezone.now()) == 0
