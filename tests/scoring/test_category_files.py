"""Reading category files: three layouts, and every refusal."""

from pathlib import Path

import pytest

from scoring.category_files import read_categories
from tests.scoring.response_writing import refusal


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("c.csv", "subject,category\nagronomy,Other\narts,Humanities\n"),
        ("c.csv", "\ufeffcategory,subject,note\nOther,agronomy,x\nHumanities,arts,y\n"),
        ("c.json", '{"agronomy": "Other", "arts": "Humanities"}'),
        ("c.json", '{"Other": ["agronomy"], "Humanities": ["arts"]}'),
    ],
)
def test_read_categories_layout_maps_subject_to_category(
    tmp_path: Path, name: str, text: str
) -> None:
    path = tmp_path / name
    path.write_text(text, encoding="utf-8")
    assert read_categories(path) == {"agronomy": "Other", "arts": "Humanities"}


@pytest.mark.parametrize(
    ("name", "content", "code"),
    [
        ("c.csv", b"a,b\n1,2\n", "missing_columns"),
        ("c.csv", b"", "missing_columns"),
        ("c.csv", b"subject,category\narts,\n", "bad_categories"),
        ("c.csv", b"subject,category\n", "bad_categories"),
        ("c.csv", b"subject,category\narts,x\narts,y\n", "subject_twice"),
        ("c.csv", b"\xff\xfe", "wrong_encoding"),
        ("c.json", b"{", "bad_json"),
        ("c.json", b"[]", "bad_categories"),
        ("c.json", b"5", "bad_categories"),
        ("c.json", b'{"x": []}', "bad_categories"),
        ("c.json", b'{"x": 5}', "bad_categories"),
        ("c.json", b'{"x": {"y": "z"}}', "bad_categories"),
        ("c.json", b'{"arts": "x", "arts": "y"}', "subject_twice"),
        ("c.json", b'{"x": ["arts"], "y": ["arts"]}', "subject_twice"),
    ],
)
def test_read_categories_bad_file_is_refused(
    tmp_path: Path, name: str, content: bytes, code: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    assert refusal(lambda: read_categories(path))[:2] == (code, name)


def test_read_categories_missing_file_is_refused(tmp_path: Path) -> None:
    assert refusal(lambda: read_categories(tmp_path / "c.csv")) == ("not_found", "c.csv", None)
