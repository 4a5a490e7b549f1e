"""Web fonts are made from what is installed, and served to be kept for good."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from fontTools.fontBuilder import FontBuilder
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.ttLib import TTFont

from languages import LANGUAGES
from languages.base import WebFont
from languages.web_fonts import find_file, made_fonts, make_font, wanted_fonts

FONT = WebFont(files=("Best.ttf", "Good.ttf"), ranges=((0x0F40, 0x0F42),))


def write_font(path: Path, *codes: int) -> Path:
    """The smallest font with a triangle for each code."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pen = TTGlyphPen(None)
    for number, point in enumerate([(0, 0), (0, 500), (500, 0)]):
        (pen.lineTo if number else pen.moveTo)(point)
    pen.closePath()
    names = [".notdef", *(f"u{code:04X}" for code in codes)]
    font = FontBuilder(1000)
    font.setupGlyphOrder(names)
    font.setupCharacterMap(dict(zip(codes, names[1:], strict=True)))
    font.setupGlyf(dict.fromkeys(names, pen.glyph()))
    font.setupHorizontalMetrics(dict.fromkeys(names, (600, 0)))
    font.setupHorizontalHeader(ascent=800, descent=-200)
    font.setupNameTable({"familyName": "Test", "styleName": "Regular", "licenseDescription": "OFL"})
    font.setupOS2()
    font.setupPost()
    font.save(path)
    return path


def test_best_file_is_found_in_any_folder(tmp_path: Path) -> None:
    write_font(tmp_path / "one" / "deep" / "Good.ttf", 0x0F40)
    folders = [tmp_path / "nowhere", tmp_path / "one", tmp_path / "two"]
    found = find_file(FONT, folders)
    assert found == tmp_path / "one" / "deep" / "Good.ttf"
    best = write_font(tmp_path / "two" / "Best.ttf", 0x0F40)
    assert find_file(FONT, folders) == best
    assert find_file(FONT, [tmp_path / "nowhere"]) is None


def test_made_font_holds_the_characters_asked_for_and_the_licence(tmp_path: Path) -> None:
    source = write_font(tmp_path / "Good.ttf", 0x41, 0x0F40, 0x0F41, 0x0F69)
    made = make_font("tibetan", FONT, source, tmp_path / "made")
    font = TTFont(made)
    assert font.flavor == "woff2"
    assert sorted(font.getBestCmap()) == [0x0F40, 0x0F41]
    assert str(font["name"].getName(13, 3, 1)) == "OFL"
    assert made_fonts(tmp_path / "made") == {"tibetan": made.name}


def test_font_is_made_once_and_replaced_when_its_source_changes(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    first = make_font("tibetan", FONT, write_font(tmp_path / "Good.ttf", 0x0F40), folder)
    other = make_font("lao", FONT, tmp_path / "Good.ttf", folder)
    written = first.stat().st_mtime_ns
    assert make_font("tibetan", FONT, tmp_path / "Good.ttf", folder) == first
    assert first.stat().st_mtime_ns == written
    second = make_font("tibetan", FONT, write_font(tmp_path / "Best.ttf", 0x0F41), folder)
    assert sorted(folder.iterdir()) == sorted([second, other])


def test_folder_with_other_files_or_none_has_no_fonts(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").touch()
    (tmp_path / "tibetan-0123456789abcdef.part").touch()
    assert made_fonts(tmp_path) == {}
    assert made_fonts(tmp_path / "nowhere") == {}


def test_languages_of_one_script_share_a_font() -> None:
    assert sorted(wanted_fonts(LANGUAGES.values())) == ["arabic", "lao", "mongolian", "tibetan"]
    of_script: dict[str, set[WebFont]] = {}
    for language in LANGUAGES.values():
        if language.typography.web_font:
            of_script.setdefault(language.script, set()).add(language.typography.web_font)
    assert [len(fonts) for fonts in of_script.values()] == [1] * 4


def test_command_without_any_font_says_so_and_changes_nothing(
    tmp_path: Path, settings: Any
) -> None:
    settings.FONT_FOLDER = tmp_path / "made"
    out = StringIO()
    call_command("subset_fonts", fonts=str(tmp_path), stdout=out)
    assert out.getvalue() == "arabic: none\nlao: none\nmongolian: none\ntibetan: none\n"
    assert not settings.FONT_FOLDER.exists()


@pytest.mark.django_db
def test_made_font_is_named_in_the_style_sheet_and_served_for_good(
    tmp_path: Path, settings: Any, client: Client
) -> None:
    settings.FONT_FOLDER = tmp_path / "made"
    settings.FONTS_DIR = str(tmp_path)
    before = _address(client)
    write_font(tmp_path / "NotoSerifTibetan-Regular.ttf", 0x0F40)
    out = StringIO()
    call_command("subset_fonts", "--json", stdout=out)
    assert json.loads(out.getvalue())["tibetan"]["from"] == "NotoSerifTibetan-Regular.ttf"

    assert _address(client) != before
    name = made_fonts(settings.FONT_FOLDER)["tibetan"]
    assert f'url("fonts/{name}")' in client.get("/styles.css").content.decode()
    answer = client.get(f"/fonts/{name}")
    assert (answer.status_code, answer["Content-Type"]) == (200, "font/woff2")
    assert answer["Cache-Control"] == "public, max-age=31536000, immutable"
    assert b"".join(answer.streaming_content) == (settings.FONT_FOLDER / name).read_bytes()


@pytest.mark.parametrize("name", ["tibetan-0123456789abcdef.woff2", "secret_key.woff2"])
def test_font_that_was_not_made_is_not_found(
    tmp_path: Path, settings: Any, client: Client, name: str, db: None
) -> None:
    settings.FONT_FOLDER = tmp_path
    (tmp_path / "secret_key.woff2").touch()
    answer = client.get(f"/fonts/{name}")
    assert (answer.status_code, answer["Cache-Control"]) == (404, "private, no-store")


def _address(client: Client) -> str:
    return client.get("/help/").content.decode().split('href="/styles.css')[1].split('"')[0]
