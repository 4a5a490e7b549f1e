"""Bars in an SVG file: what stands where, and that any text may stand there."""

from xml.etree import ElementTree as ET

from common.bar_pictures import COLOURS, Group, Share, draw_groups

SVG = "{http://www.w3.org/2000/svg}"


def bars(picture: str) -> list[tuple[str, float]]:
    """The colour and the length of each bar, without the background and the legend."""
    found = [
        (one.get("fill", ""), one.get("width", ""))
        for one in ET.fromstring(picture).iter(f"{SVG}rect")
    ]
    return [(fill, float(width)) for fill, width in found if width not in ("100%", "11")]


def words(picture: str) -> list[str]:
    return [one.text or "" for one in ET.fromstring(picture).iter(f"{SVG}text")]


def test_bars_are_as_long_as_their_shares_and_have_the_colour_of_their_series() -> None:
    groups = [Group("Law", [Share(0.5, 0.4, 0.6), Share(1.0)]), Group("Art", [None, Share(0.25)])]
    picture = draw_groups("Accuracy", ["m", "o"], groups)
    (one, half), (other, whole), (last, quarter) = bars(picture)
    assert (one, other, last) == (COLOURS[0], COLOURS[1], COLOURS[1])
    assert (round(half / whole, 2), round(quarter / whole, 2)) == (0.5, 0.25)
    assert [each for each in words(picture) if each not in ("0 %", "25 %", "50 %", "75 %", "100 %")] == [
        "Accuracy", "m", "o", "Law", "50.0", "100.0", "Art", "25.0",
    ]  # fmt: skip


def test_one_series_needs_no_legend_and_any_text_is_written_as_text() -> None:
    picture = draw_groups(
        "<b>&", [""], [Group("དཔེ་ & <1>", [Share(None)]), Group("x" * 99, [Share(0.1)])]
    )
    assert bars(picture)[0][0] == COLOURS[0]
    assert words(picture)[0] == "<b>&"
    assert "དཔེ་ & <1>" in words(picture)
    assert max(map(len, words(picture))) < 50
