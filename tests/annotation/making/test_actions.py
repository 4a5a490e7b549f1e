"""Made items are imported with their recipe and go through review like all others."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from annotation.making.actions import MakingInvalid, MakingSettings, made_of
from annotation.models import Item
from projects.models import Project

pytestmark = pytest.mark.django_db


@pytest.fixture
def sentences(tmp_path: Path) -> Path:
    path = tmp_path / "sentences.txt"
    path.write_text("今天|我们|去|学校。\n我们去。\n", encoding="utf-8")
    return path


def make(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    call_command("make_items", "ti", *arguments, "--json")
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_made_items_are_imported_once_and_lines_left_out_are_named(
    project: Project, sentences: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ("word-order", str(sentences), "--question", "哪一句正确？", "--seed", "5")

    assert make(capsys, *arguments, "--dry-run")["made"] == 1
    assert not Item.objects.exists()
    first = make(capsys, *arguments)
    item = Item.objects.get()
    again = make(capsys, *arguments)

    assert first["left_out"] == [
        {
            "line": 2,
            "code": "words_not_parted",
            "reason": "This language writes no spaces. Part the words of the sentence with “|”.",
        }
    ]
    assert item.options["ABCD".index(item.key)] == "今天我们去学校。"
    assert (item.subject.name, item.metadata) == (
        "word-order",
        {"made_by": "word-order 2, seed 5"},
    )
    assert not item.translations.exists()
    outcomes = [found["import"]["outcome"] for found in (first, again)]  # type: ignore[index]
    assert outcomes == ["imported", "unchanged"]


def test_cloze_needs_a_vocabulary_with_its_columns_and_a_place_for_the_sentence(
    project: Project, sentences: Path, tmp_path: Path
) -> None:
    words = tmp_path / "words.csv"
    words.write_text("word,kind\n学校,noun\n", encoding="utf-8")
    for arguments, fault in (
        (["--question", "%s"], "A cloze needs a vocabulary"),
        (["--question", "%s", "--vocabulary", str(words)], "columns word, part_of_speech"),
        (["--question", "?", "--vocabulary", str(words)], "Write “%s” once in the question"),
    ):
        with pytest.raises(CommandError, match=fault):
            call_command("make_items", "ti", "cloze", str(sentences), *arguments)


def test_vocabulary_that_is_no_table_is_refused_and_line_ends_of_any_kind_are_read(
    project: Project,
) -> None:
    def words(vocabulary: str) -> MakingSettings:
        return MakingSettings(
            way="cloze", sentences="我们|去|学校", question="%s", vocabulary=vocabulary
        )

    head = "word,part_of_speech\n"
    for fault in (head + "学" * 131_073 + ",noun\n", "w" * 131_073):
        with pytest.raises(MakingInvalid, match="vocabulary is no CSV table"):
            made_of(project=project, settings=words(fault))
    rows = head + "学校,noun\n医院,noun\n河流,noun\n他,pronoun\n"
    for end in ("\n", "\r\n", "\r"):
        made = made_of(project=project, settings=words(rows.replace("\n", end)))
        assert len(made.items) == 1, end
    quoted = rows + '"two\nlines",verb\n'
    assert len(made_of(project=project, settings=words(quoted)).items) == 1
    from_spreadsheet = "\ufeff" + rows.replace(",", ";").replace("word", "Word")
    assert len(made_of(project=project, settings=words(from_spreadsheet)).items) == 1


def test_cloze_is_made_from_a_vocabulary(
    project: Project, sentences: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tmp_path / "words.csv"
    rows = ("学校,noun", "医院,noun", "河流,noun", "他,pronoun")
    words.write_text("word,part_of_speech\n" + "\n".join(rows), encoding="utf-8")
    make(capsys, "cloze", str(sentences), "--question", "填空：%s", "--vocabulary", str(words))
    item = Item.objects.get()
    assert item.question == "填空：今天我们去____。"
    assert {*item.options} == {"学校", "医院", "河流", "他"}
    assert item.options["ABCD".index(item.key)] == "学校"


def test_question_that_is_not_given_is_that_of_the_language_or_the_sentence(
    project: Project, sentences: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = tmp_path / "words.csv"
    words.write_text(
        "word,part_of_speech\n学校,noun\n医院,noun\n河流,noun\n山,noun\n", encoding="utf-8"
    )

    make(capsys, "word-order", str(sentences))
    make(capsys, "cloze", str(sentences), "--vocabulary", str(words))

    asked = dict(Item.objects.values_list("subject__name", "question"))
    Project.objects.update(source_language="ug")
    with pytest.raises(CommandError, match="Write the question"):
        call_command("make_items", "ti", "word-order", str(sentences))
    assert asked == {"word-order": "下列哪个句子的语序正确？", "cloze": "今天我们去____。"}


def test_file_that_is_not_there_or_not_in_utf8_is_refused(project: Project, tmp_path: Path) -> None:
    (tmp_path / "latin.txt").write_bytes(b"caf\xe9 au lait")
    for name, fault in {"none.txt": "cannot be read", "latin.txt": "not in UTF-8"}.items():
        with pytest.raises(CommandError, match=fault):
            call_command("make_items", "ti", "word-order", str(tmp_path / name), "--question", "?")
