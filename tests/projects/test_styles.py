"""The style sheet: every sheet is in it once, in order, and its address changes with them."""

from pathlib import Path
from typing import Any

import brotli
import pytest
from django.conf import settings as project_settings
from django.test import Client

from projects.styles import FIRST, SHEETS, page_styles, styles_digest, without_comments

FOLDER = Path(project_settings.ROOT, "static", "css")


def test_every_sheet_of_the_folder_is_listed_once() -> None:
    assert sorted((*FIRST, *SHEETS)) == sorted(path.stem for path in FOLDER.glob("*.css"))


def test_sheets_stand_in_order_around_that_of_the_languages() -> None:
    whole = page_styles()
    read = [(FOLDER / f"{name}.css").read_text(encoding="utf-8") for name in (*FIRST, *SHEETS)]
    texts = [without_comments(text) for text in read]
    places = [whole.index(text) for text in texts]
    assert places == sorted(places)
    assert places[0] < whole.index('[lang|="bo"') < places[1]


def test_comments_of_a_sheet_stay_with_us() -> None:
    sheet = "/* first\n   of all */\na {\n  b: c; /* why */\n  /* alone */\n  d: e;\n}\n"
    assert without_comments(sheet) == "a {\n  b: c;  d: e;\n}\n"
    assert "/*" not in page_styles()


def test_changed_sheet_is_served_at_once_under_another_address(
    tmp_path: Path, settings: Any
) -> None:
    folder = tmp_path / "static" / "css"
    folder.mkdir(parents=True)
    for name in (*FIRST, *SHEETS):
        (folder / f"{name}.css").write_text(f".{name} {{}}\n", encoding="utf-8")
    settings.ROOT = tmp_path
    before = styles_digest()
    (folder / "people.css").write_text(".another {}\n", encoding="utf-8")
    assert ".another {}" in page_styles()
    assert styles_digest() != before


@pytest.mark.django_db
def test_page_loads_the_sheet_once_and_it_is_packed(client: Client) -> None:
    page = client.get("/help/").content.decode()
    assert page.count('rel="stylesheet"') == 1
    answer = client.get(f"/styles.css?v={styles_digest()}", headers={"Accept-Encoding": "gzip"})
    assert (answer["Content-Encoding"], answer["Cache-Control"]) == (
        "gzip",
        "public, max-age=31536000, immutable",
    )
    assert len(answer.content) < 22_000


@pytest.mark.django_db
def test_sheet_is_smaller_still_for_a_browser_that_reads_brotli(client: Client) -> None:
    address = f"/styles.css?v={styles_digest()}"
    answer = client.get(address, headers={"Accept-Encoding": "gzip, deflate, br, zstd"})
    assert (answer["Content-Encoding"], "Accept-Encoding" in answer["Vary"]) == ("br", True)
    assert brotli.decompress(answer.content).decode() == page_styles()
    assert len(answer.content) < 19_000
    without = client.get(address, headers={"Accept-Encoding": "br;q=0"})
    assert without.content.decode() == page_styles()
