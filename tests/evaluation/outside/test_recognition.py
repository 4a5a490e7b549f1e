"""The format of a file of answers is told by its content, or asked for."""

import json
import zipfile
from pathlib import Path

import pytest

from evaluation.models import Run
from evaluation.outside.readers.recognition import recognise
from projects.models import Project
from tests.evaluation.builders import make_release
from tests.evaluation.outside.test_import_run import command, table


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ({"doc_id": 0, "doc": {}, "resps": [["A"]]}, "lm_eval"),
        ({"custom_id": "a/1", "response": {"body": {}}}, "openai_batch"),
        ({"loc": "law_3", "model_result": "B"}, "tlue"),
        ({"uid": "law/3", "model_result": None}, "tlue"),
        ({"version": 2, "eval": {}, "samples": []}, "inspect"),
        ('\ufeff\n{\n  "version": 2,\n  "eval": {}\n}', "inspect"),
        ("\ufeffUID,Response,model\n", "csv"),
        ("epoch,id,answer\n1,a,B\n", "csv"),
        ({"id": "a", "question": "Q"}, ""),
        ("subject,question\n", ""),
        ('["A"]', ""),
        ("", ""),
    ],
)
def test_content_says_the_format(tmp_path: Path, content: object, expected: str) -> None:
    path = tmp_path / "answers"
    text = content if isinstance(content, str) else json.dumps(content) + "\n"
    path.write_text(text, encoding="utf-8")
    assert recognise(path) == expected


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("a/samples_x_1.jsonl", "lm_eval"),
        ("law_m_out.jsonl", "tlue"),
        ("2026_x.json", "inspect"),
        ("2026_x.eval", "inspect"),
        ("law.jsonl", ""),
    ],
)
def test_names_of_its_files_say_the_format_of_a_folder(
    tmp_path: Path, name: str, expected: str
) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text("", encoding="utf-8")
    assert recognise(tmp_path) == expected


def test_archive_is_a_log_of_inspect(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "log.eval", "w") as archive:
        archive.writestr("samples/1.json", "{}")
    assert recognise(tmp_path / "log.eval") == "inspect"


@pytest.mark.django_db
def test_answers_are_imported_without_naming_their_format(project: Project, tmp_path: Path) -> None:
    release = make_release(project, tests=3, hidden=1)
    command(release, table(tmp_path / "a.csv", release), "--model", "their-model")
    assert Run.objects.get().imported_from == "csv"
    (tmp_path / "b.txt").write_text("answers\n", encoding="utf-8")
    with pytest.raises(Exception, match="none of the known formats"):
        command(release, tmp_path / "b.txt")
