"""Templates, styles and scripts are written so that a changed word is a one-line diff."""

import re
from pathlib import Path

import pytest

from scripts.format_styles import format_style
from scripts.template_format import Untidy, format_template, template_paths
from scripts.template_format.elements import KEPT_CLASSES

SHOWN_SPACE = re.compile(r"([^{}]+)\{[^{}]*white-space: (?:pre|pre-wrap|break-spaces);")
ROOT = Path(__file__).resolve().parents[2]
KINDS = {
    "templates": "*.html",
    "templates/emails": "*.txt",
    "static/css": "*.css",
    "static/js": "*.js",
}


def paths(folder: str) -> list[Path]:
    return sorted((ROOT / folder).rglob(KINDS[folder]))


@pytest.mark.parametrize("folder", KINDS)
def test_no_line_is_longer_than_120_characters(folder: str) -> None:
    assert paths(folder)
    assert [
        f"{path.relative_to(ROOT)}:{number}: {len(line)} characters"
        for path in paths(folder)
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
        if len(line) > 120
    ] == []


def test_templates_and_styles_are_formatted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # the formatter reads the included templates
    for path in template_paths(ROOT / "templates"):
        source = path.read_text("utf-8")
        assert format_template(source) == source, path
    for path in paths("static/css"):
        source = path.read_text("utf-8")
        assert format_style(source) == source, path


def test_inline_text_gains_no_space() -> None:
    words = " ".join(["word"] * 40)
    source = f'<p><a href="/">{words}</a>, <b>y</b>.</p>\n'
    text = format_template(source)
    assert "</a\n  >, <b>y</b>." in text
    assert re.search(r"\s</a", text) is None
    assert format_template(text) == text


def test_text_that_shows_its_spaces_stays_as_it_is() -> None:
    for source in (
        "<pre>a\n  b </pre>\n",
        '<div class="source"> {{ text }}</div>\n',
        '<div class="source{{ fold }}"> {{ text }}</div>\n',
    ):
        assert format_template(source) == source


def test_long_text_for_translation_is_trimmed() -> None:
    words = " ".join(["word"] * 40)
    text = format_template(f"<p>{{% blocktranslate %}}{words}{{% endblocktranslate %}}</p>\n")
    head = "{% blocktranslate trimmed %}"
    inner = text.split(head)[1].split("{% endblocktranslate %}")[0]
    assert re.sub(r"\s*\n\s*", " ", inner.strip()) == words


@pytest.mark.parametrize(
    ("source", "written"),
    [
        ("<ul><li>a</li><li>b</li></ul>\n", "<ul>\n  <li>a</li>\n  <li>b</li>\n</ul>\n"),
        (
            "{% if a %}<p>b</p>{% else %}c{% endif %}\n",
            "{% if a %}\n  <p>b</p>\n{% else %}c\n{% endif %}\n",
        ),
        ("<p>a{% if b %} {{ b }}{% endif %}</p>\n", "<p>a{% if b %} {{ b }}{% endif %}</p>\n"),
        ('<textarea id="a"\n>\n b </textarea>\n', '<textarea id="a">\n b </textarea>\n'),
    ],
)
def test_tags_get_lines_of_their_own_where_no_white_space_shows(source: str, written: str) -> None:
    assert format_template(source) == written


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("<p><b>a</p>", "</p> closes <b>"),
        ("{% if a %}<p>{% endif %}</p>", "{% endif %} closes <p>"),
        ("<p>{% else %}</p>", "{% else %} inside <p>"),
        ("<div>", "<div> is never closed"),
    ],
)
def test_tags_that_do_not_pair_up_are_refused(source: str, said: str) -> None:
    with pytest.raises(Untidy, match=re.escape(said)):
        format_template(source)


def test_style_has_one_declaration_a_line() -> None:
    text = format_style("@layer a{.x{color:red;&:is(.y,.z){width:calc(1px + 2px)}}}")
    assert "  .x {\n    color: red;\n" in text
    assert "calc(1px + 2px)" in text
    assert format_style(text) == text


def test_formatter_keeps_the_white_space_of_every_class_that_shows_it() -> None:
    """A new line before a question would be shown as one, and its indentation too."""
    shown = {
        name
        for path in paths("static/css")
        for selectors in SHOWN_SPACE.findall(path.read_text("utf-8"))
        for selector in selectors.split(",")
        for name in re.findall(r"\.([-\w]+)$", selector.strip())
    }
    assert {"target-text", "reading-text"} <= shown <= KEPT_CLASSES
