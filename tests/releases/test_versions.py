"""Semantic versions: what is one, and which comes first."""

import pytest

from releases.versions import Version, VersionUnreadable, next_version, parse_version


@pytest.mark.parametrize(
    ("text", "version"),
    [
        ("0.1.0", Version(0, 1, 0)),
        ("10.20.30", Version(10, 20, 30)),
        ("1.0.0-rc.1", Version(1, 0, 0, ("rc", "1"))),
        ("1.0.0-0a.-", Version(1, 0, 0, ("0a", "-"))),
        ("1.0.0-x+001.sha", Version(1, 0, 0, ("x",), "001.sha")),
        ("1.0.0+21AF26D3---117B344092BD", Version(1, 0, 0, (), "21AF26D3---117B344092BD")),
    ],
)
def test_parse_version_of_a_version_reads_it_and_prints_it_again(
    text: str, version: Version
) -> None:
    assert parse_version(text) == version
    assert str(version) == text


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1",
        "1.2",
        "1.2.3.4",
        "v1.2.3",
        "01.2.3",
        "1.2.03",
        "1.2.3-",
        "1.2.3-01",
        "1.2.3-a..b",
        "1.2.3+",
        "1.2.3+a_b",
        "1.2.3 ",
        "1.2.3\n",
        "-1.2.3",
        "1.2.3a1",
        "1!1.2.3",
        "../1.2.3",
        "༡.༢.༣",
        "1.0.0-" + "a" * 40,
    ],
)
def test_parse_version_of_anything_else_is_refused(text: str) -> None:
    with pytest.raises(VersionUnreadable):
        parse_version(text)


def test_precedence_orders_as_the_specification_says() -> None:
    ordered = [
        "0.9.9",
        "1.0.0-1",
        "1.0.0-9",
        "1.0.0-10",
        "1.0.0-alpha",
        "1.0.0-alpha.1",
        "1.0.0-alpha.beta",
        "1.0.0-beta",
        "1.0.0-beta.2",
        "1.0.0-beta.11",
        "1.0.0-rc.1",
        "1.0.0",
        "1.0.1",
        "1.2.0",
        "1.10.0",
        "2.0.0",
    ]
    keys = [parse_version(text).precedence for text in ordered]
    assert keys == sorted(keys)
    assert len(set(keys)) == len(keys)


def test_precedence_ignores_build_metadata() -> None:
    assert parse_version("1.0.0+a").precedence == parse_version("1.0.0+b").precedence


@pytest.mark.parametrize(
    ("latest", "offered"),
    [(None, "0.1.0"), ("0.1.0", "0.2.0"), ("1.4.2", "1.5.0"), ("2.0.0-rc.1", "2.0.0")],
)
def test_next_version_comes_after_the_latest(latest: str | None, offered: str) -> None:
    assert str(next_version(parse_version(latest) if latest else None)) == offered
