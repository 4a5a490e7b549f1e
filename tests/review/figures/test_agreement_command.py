"""The agreement command: its JSON, its words and its refusals."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from review.management.commands.agreement import Command
from tests.review.figures.test_agreement import KRIPPENDORFF, TEN_BY_FOURTEEN


def written(path: Path, rows: list[str], header: str = "item,reviewer,value") -> Path:
    path.write_text("\n".join([header, *rows]) + "\n", encoding="utf-8")
    return path


@pytest.fixture
def ten_by_fourteen(tmp_path: Path) -> Path:
    rows = []
    for item, counts in enumerate(TEN_BY_FOURTEEN):
        letters = "".join("abcde"[column] * count for column, count in enumerate(counts))
        rows += [f"{item},{reviewer},{letter}" for reviewer, letter in enumerate(letters)]
    return written(tmp_path / "ten.csv", rows)


@pytest.fixture
def canonical(tmp_path: Path) -> Path:
    rows = [
        f"u{unit},{observer},{value}"
        for observer, values in enumerate(KRIPPENDORFF)
        for unit, value in enumerate(values)
        if value != "."
    ]
    return written(tmp_path / "canonical.csv", rows)


def as_json(capsys: pytest.CaptureFixture[str], *arguments: object) -> dict[str, Any]:
    call_command("agreement", *map(str, arguments), "--json")
    found = json.loads(capsys.readouterr().out)
    assert isinstance(found, dict)
    return found


def refused(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str]:
    """Run as from a shell: exit code and standard error.

    Nothing goes to standard output but, with --json, the same words as one object.
    """
    with pytest.raises(SystemExit) as exit_:
        Command().run_from_argv(["manage.py", "agreement", *map(str, arguments)])
    out, error = capsys.readouterr()
    if "--json" in arguments and exit_.value.code == 1:
        assert json.loads(out)["detail"] in error
    else:
        assert out == ""
    return int(exit_.value.code or 0), error


def test_agreement_json_has_the_published_values(
    ten_by_fourteen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = as_json(capsys, ten_by_fourteen)

    assert found["fleiss_kappa"]["value"] == pytest.approx(0.210, abs=5e-4)
    assert found["krippendorff_alpha"]["value"] == pytest.approx(0.2156, abs=5e-5)
    assert found["gwet_ac1"]["value"] == pytest.approx(0.2256, abs=5e-5)
    assert (found["items"], found["reviewers"], found["values"]) == (10, 14, 140)
    assert found["krippendorff_alpha"]["level"] == "nominal"
    assert set(found["gwet_ac1"]) == {
        "value",
        "low",
        "high",
        "n_used",
        "n_left_out",
        "undefined",
        "no_interval",
    }


def test_agreement_of_whole_numbers_is_ordinal_unless_told(
    canonical: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    ordinal = as_json(capsys, canonical)
    nominal = as_json(capsys, canonical, "--level", "nominal")

    assert ordinal["krippendorff_alpha"]["level"] == "ordinal"
    assert ordinal["krippendorff_alpha"]["value"] == pytest.approx(0.8154, abs=5e-5)
    assert nominal["krippendorff_alpha"]["value"] == pytest.approx(0.7434, abs=5e-5)


def test_agreement_of_whole_numbers_shows_alpha_of_both_levels_unless_told(
    canonical: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    both = as_json(capsys, canonical)["krippendorff_alpha_nominal"]
    assert (both["value"], both["level"]) == (pytest.approx(0.7434, abs=5e-5), "nominal")
    assert "krippendorff_alpha_nominal" not in as_json(capsys, canonical, "--level", "ordinal")

    call_command("agreement", str(canonical))
    lines = [line[:32].rstrip() for line in capsys.readouterr().out.splitlines()]
    assert lines[2:] == ["Krippendorff α (ordinal)", "Krippendorff α (nominal)", "Gwet AC1"]


def test_agreement_says_which_items_kappa_used_and_left_out(
    canonical: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    full = as_json(capsys, canonical)["fleiss_kappa"]
    three = as_json(capsys, canonical, "--panel-size", "3")["fleiss_kappa"]

    assert (full["panel_size"], full["n_used"], full["n_left_out"]) == (4, 8, 4)
    assert (three["panel_size"], three["n_used"], three["n_left_out"]) == (3, 2, 10)


def test_agreement_orders_whole_numbers_by_size(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = ["a,x,2", "a,y,10", "b,x,1", "b,y,2", "c,x,10", "c,y,10"]
    relabelled = ["a,x,2", "a,y,3", "b,x,1", "b,y,2", "c,x,3", "c,y,3"]

    first = as_json(capsys, written(tmp_path / "a.csv", rows))
    second = as_json(capsys, written(tmp_path / "b.csv", relabelled))

    assert first == second


def test_agreement_without_variation_is_undefined_in_json_and_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "same.csv", ["a,x,yes", "a,y,yes", "b,x,yes", "b,y,yes"])

    found = as_json(capsys, path)
    call_command("agreement", str(path))
    text = capsys.readouterr().out

    for name in ("fleiss_kappa", "krippendorff_alpha", "gwet_ac1"):
        assert (found[name]["value"], found[name]["undefined"]) == (None, "no_variation")
    assert text.count("not defined: all values are the same  n = 2, 0 left out") == 3
    assert "nan" not in text.lower()


def test_agreement_that_rests_on_one_item_has_no_interval_in_json_and_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"{item},{name},{'no' if item == 7 else 'yes'}" for item in range(30) for name in "xy"]
    path = written(tmp_path / "one.csv", rows)

    found = as_json(capsys, path)["fleiss_kappa"]
    call_command("agreement", str(path))

    assert (found["value"], found["low"], found["high"]) == (1.0, None, None)
    assert (found["undefined"], found["no_interval"]) == (None, "too_little_disagreement")
    text = capsys.readouterr().out
    assert "1.000  [not enough disagreement to tell]  n = 30, 0 left out" in text


def test_agreement_in_words_has_values_intervals_and_numbers(
    ten_by_fourteen: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call_command("agreement", str(ten_by_fourteen))

    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "10 items, 14 reviewers, 140 values"
    assert lines[1].startswith("Fleiss κ (items with 14 reviewers)  0.210  [")
    assert lines[1].endswith("n = 10, 0 left out")


def test_agreement_in_words_has_no_negative_zero(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # Pairs as often alike as chance has it, but for one item in 5,001: kappa is -0.0002.
    pairs = ["aa", "ab", "ba", "bb"] * 1250 + ["ab"]
    rows = [f"{item},x,{pair[0]}\n{item},y,{pair[1]}" for item, pair in enumerate(pairs)]
    path = written(tmp_path / "chance.csv", rows)

    call_command("agreement", str(path), "--resamples", "10")

    assert "reviewers)  0.000  [" in capsys.readouterr().out


def test_agreement_reads_a_byte_order_mark_other_columns_and_their_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "bom.csv"
    rows = "Value,note,ITEM, reviewer\r\nyes,,a,x\r\nno,,a,y\r\n\r\nno,,b,x\r\nno,,b,y\r\n"
    path.write_bytes(b"\xef\xbb\xbf" + rows.encode())

    found = as_json(capsys, path)

    assert (found["items"], found["reviewers"], found["values"]) == (2, 2, 4)


def test_rows_without_a_value_are_missing_judgements(
    canonical: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = as_json(capsys, canonical)
    with canonical.open("a", encoding="utf-8") as file:
        file.write("u0,late,\nu1,late, \n")

    found = as_json(capsys, canonical)
    call_command("agreement", str(canonical))

    assert (whole["missing"], found["missing"]) == (0, 2)
    assert found | {"missing": 0} == whole
    assert ", 2 missing" in capsys.readouterr().out.splitlines()[0]


VERDICTS = ["approve", "reject", "revise"]
SPELLINGS = [str.title, str.upper, "  {} ".format, lambda text: text.replace("e", "ｅ")]


@pytest.mark.parametrize("respell", SPELLINGS)
def test_spellings_of_one_value_are_folded_with_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], respell: Callable[[str], str]
) -> None:
    said = [(item, who, VERDICTS[(item * 7 + who) % 3]) for item in range(12) for who in range(3)]
    plain = [f"i{item},r{who},{value}" for item, who, value in said]
    mixed = [f"i{i},r{who},{respell(value) if who == 2 else value}" for i, who, value in said]
    whole = as_json(capsys, written(tmp_path / "plain.csv", plain))
    path = written(tmp_path / "mixed.csv", mixed)

    found = as_json(capsys, path)
    call_command("agreement", str(path))

    spelt = {frozenset({value, *others}) for value, others in found["folded"].items()}
    assert whole["folded"] == {}
    assert spelt == {
        frozenset({value, respell(value).strip()})
        for value in VERDICTS
        if respell(value).strip() != value
    }
    assert found | {"folded": {}} == whole
    words = capsys.readouterr().out
    for value, others in found["folded"].items():
        assert f"Counted as the value {value} too: {others[0]}." in words


@pytest.mark.parametrize("respell", ["{}.0", "{}.00", "+{}", "0{}", '"{},0"', "{}٫0"])
def test_numbers_with_and_without_decimals_are_one_value_of_a_numeric_scale(
    canonical: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], respell: str
) -> None:
    lines = canonical.read_text(encoding="utf-8").split()[1:]
    rows = [f"{head},{respell.format(value)}" if n % 2 else f"{head},{value}"
            for n, (head, _comma, value) in enumerate(line.rpartition(",") for line in lines)]  # fmt: skip

    found = as_json(capsys, written(tmp_path / "mixed.csv", rows))

    assert found["krippendorff_alpha"]["level"] == "ordinal"
    assert found | {"folded": {}} == as_json(capsys, canonical)


def test_numbers_with_decimals_keep_their_order(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    halves = [f"i{item},r{who},{(item + who) % 4 / 2 + 9}" for item in range(9) for who in range(2)]
    ranks = [f"i{item},r{who},{(item + who) % 4}" for item in range(9) for who in range(2)]
    found = as_json(capsys, written(tmp_path / "halves.csv", halves))
    assert found == as_json(capsys, written(tmp_path / "ranks.csv", ranks))


@pytest.mark.parametrize(
    "word",
    [
        "N.A.",
        "缺失",
        "--",
        "…",
        "NA",
        "n/a",
        "NaN",
        "null",
        "-",
        "#N/A",
        "ＮＡ",
        "None",
        "missing",
        "?",
        "N\u200bA",
        "\u200b",
    ],
)
def test_words_for_no_value_are_missing_judgements(
    canonical: Path, capsys: pytest.CaptureFixture[str], word: str
) -> None:
    whole = as_json(capsys, canonical)
    with canonical.open("a", encoding="utf-8") as file:
        file.write(f"u0,late,{word}\nu1,late,\n")

    found = as_json(capsys, canonical)

    assert (found["missing"], found["missing_as"]) == (2, [word])
    assert found | {"missing": 0, "missing_as": []} == whole


def test_agreement_is_the_same_with_the_same_seed(
    canonical: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert as_json(capsys, canonical, "--seed", "4") == as_json(capsys, canonical, "--seed", "4")


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "is empty"),
        (b"item,reviewer,value\n", "no rows of values"),
        (b"item,reviewer,value\na,x,\na,y, \n", "no rows of values"),
        (
            b"item,reviewer\na,x\n",
            "row 1: each of the columns item, reviewer, value must occur once",
        ),
        (b"item,item,reviewer,value\na,a,x,1\n", "Check item"),
        (b"item,reviewer,value\na,x,1\n\na,x,2\n", "row 4: reviewer x already has a value"),
        (b"item,reviewer,value\na,x,1\nb,x\n", "row 3 has 2 cells, but the header has 3"),
        (b"item,reviewer,value\na,x,1\nb,x,1,2\n", "row 3 has 4 cells, but the header has 3"),
        (b"item,reviewer,value\na,x,1\nb, ,1\n", "row 3: reviewer is empty"),
        ("item,reviewer,value\na,x,中\n".encode("gb18030"), "is not UTF-8 text"),
        ("item,reviewer,value\na,x,1\n".encode("utf-16"), "is not UTF-8 text"),
        (b'item,reviewer,value\na,x,"1\n', "is not a valid CSV file"),
        (b"item,reviewer,value\na,x," + b"1" * 200_000 + b"\n", "is not a valid CSV file"),
    ],
)
def test_agreement_of_a_bad_file_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, words: str
) -> None:
    path = tmp_path / "bad.csv"
    path.write_bytes(content)

    code, error = refused(capsys, path, "--json")

    assert code == 1
    assert words in error
    assert "bad.csv" in error
    assert "Traceback" not in error


def test_agreement_of_a_missing_file_is_refused_in_words(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    code, error = refused(capsys, tmp_path / "none.csv")

    assert code == 1
    assert "cannot be read: No such file or directory" in error


def test_agreement_on_an_ordinal_level_refuses_words_with_their_row(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.csv", ["a,x,1", "a,y,good"])

    code, error = refused(capsys, path, "--level", "ordinal")

    assert code == 1
    assert "row 3: good is not a number" in error


def test_agreement_takes_a_number_of_too_many_digits_for_a_word(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.csv", [f"a,x,{'9' * 5000}", "a,y,1"])

    assert as_json(capsys, path)["krippendorff_alpha"]["level"] == "nominal"
    assert refused(capsys, path, "--level", "ordinal")[0] == 1


def test_agreement_refuses_values_that_are_not_categories(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path / "a.csv", [f"i{row},x,text {row}" for row in range(501)])

    code, error = refused(capsys, path)

    assert code == 1
    assert "501 different values" in error


@pytest.mark.parametrize(
    "arguments",
    [[], ["a.csv", "b.csv"], ["a.csv", "--level", "ratio"], ["a.csv", "--panel-size", "0"]],
)
def test_agreement_with_bad_usage_exits_2(
    capsys: pytest.CaptureFixture[str], arguments: list[str]
) -> None:
    code, error = refused(capsys, *arguments)

    assert code == 2
    assert "usage:" in error


@pytest.mark.parametrize("digits", ["༠༡༢༣", "０１２３", "٠١٢٣"])
@pytest.mark.parametrize("hidden", ["", "\u200b", "\ufeff", "\u200d"])
def test_digits_of_any_script_and_invisible_characters_are_one_value(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], digits: str, hidden: str
) -> None:
    places = [(item, who, (item + who) % 4) for item in range(9) for who in range(2)]
    plain = [f"i{item},r{who},{value}" for item, who, value in places]
    other = [f"i{item},r{who},{hidden}{digits[value]}" for item, who, value in places]
    found = as_json(capsys, written(tmp_path / "mixed.csv", [*plain[:9], *other[9:]]))
    wanted = as_json(capsys, written(tmp_path / "plain.csv", plain))
    assert found.pop("folded") is not None
    wanted.pop("folded")
    assert found == wanted


def test_help_lists_what_counts_as_missing(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        Command().run_from_argv(["manage.py", "agreement", "--help"])
    said = capsys.readouterr().out
    assert all(word in said for word in ("none", "null", "missing", "n/a", "?", "–"))
