"""Markdown that people write: safe, one level below the page's own heading, Tibetan marked as such."""

import pytest

from common.markdown import to_html

LONG = "འདི་ནི་ཚིག་གྲུབ་རིང་པོ་ཞིག་ཡིན། ཡང་གཅིག"


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("# One\n\n## Two", "<h2>One</h2>\n<h3>Two</h3>\n"),
        ("###### Six", "<h6>Six</h6>\n"),
        ("`<h1>`", "<p><code>&lt;h1&gt;</code></p>\n"),
        ("except after ང.", '<p>except after <span lang="bo" class="inline">ང</span>.</p>\n'),
        (LONG, f'<p><span lang="bo">{LONG}</span></p>\n'),
        ("<script>", "<p>&lt;script&gt;</p>\n"),
    ],
)
def test_text_becomes_html(text: str, html: str) -> None:
    assert to_html(text) == html


def test_address_with_tibetan_in_it_stays_whole() -> None:
    shown = to_html("[ང](https://a.example/ང)")
    assert 'href="https://a.example/%E0%BD%84"' in shown
    assert '<span lang="bo" class="inline">ང</span></a>' in shown


def test_title_of_a_link_is_no_place_for_markup() -> None:
    assert 'title="ང"' in to_html('[x](https://a.example "ང")')
