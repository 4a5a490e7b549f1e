"""Tables of figures as CSV, LaTeX and Markdown."""

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from review.agreement import Estimate, NoInterval, Undefined
from review.report_formats import Cell, Column, Kind, Table, Words, as_csv, as_latex, as_markdown

DEFINED = Estimate(0.28712345, 0.25, 0.3125, 670, 0)
NEGATIVE = Estimate(-0.0213, -0.1, 0.0625, 652, 18)
UNDEFINED = Estimate(None, None, None, 85, 0, Undefined.NO_VARIATION)
WITHHELD = Estimate(1.0, None, None, 30, 0, None, NoInterval.TOO_LITTLE_DISAGREEMENT)
WORDS = Words(
    undefined={reason: f"undefined: {reason}" for reason in Undefined},
    no_interval={reason: f"no interval: {reason}" for reason in NoInterval},
    left_out="n = %(used)d, %(left_out)d left out",
)
COLUMNS = (
    Column("name", "Name"),
    Column("items", "Items", Kind.COUNT),
    Column("rate", "Final (%)", Kind.PERCENT, has_estimates=True),
    Column("kappa", "Fleiss κ", Kind.AGREEMENT, has_estimates=True),
)
Render = Callable[[Sequence[Table]], str]


def has_latex() -> bool:
    if shutil.which("pdflatex") is None or shutil.which("kpsewhich") is None:
        return False
    return not subprocess.run(
        ["kpsewhich", "booktabs.sty"], capture_output=True, check=False, timeout=60
    ).returncode


def table(*rows: tuple[Cell, ...], title: str = "By name (n = 670)", note: str = "") -> Table:
    return Table("stages", title, COLUMNS, rows, WORDS, note)


def test_as_csv_keeps_full_precision_and_says_why_something_is_missing() -> None:
    text = as_csv([table(("Initial", 670, DEFINED, UNDEFINED), ("x", 30, WITHHELD, WITHHELD))])

    first, second = csv.DictReader(io.StringIO(text))
    assert (first["table"], first["name"], first["items"]) == ("stages", "Initial", "670")
    ends = ("", "_low", "_high", "_n_used", "_n_left_out", "_undefined", "_no_interval")
    assert [first[f"rate{end}"] for end in ends] == [
        "0.28712345",
        "0.25",
        "0.3125",
        "670",
        "0",
        "",
        "",
    ]
    assert [first[f"kappa{end}"] for end in ends] == [
        "", "", "", "85", "0", "undefined: no_variation", "",
    ]  # fmt: skip
    assert second["kappa_no_interval"] == "no interval: too_little_disagreement"


def test_as_csv_of_several_tables_has_the_columns_of_all() -> None:
    other = Table("pairs", "", (Column("first", "First"),), (("a",),), WORDS)

    rows = list(csv.DictReader(io.StringIO(as_csv([table(("x", 1, DEFINED, DEFINED)), other]))))

    assert [(row["table"], row["name"], row["first"]) for row in rows] == [
        ("stages", "x", ""),
        ("pairs", "", "a"),
    ]


@pytest.mark.parametrize("label", ["=1+1", "+x", "-x", "@x"])
def test_as_csv_defuses_labels_that_look_like_formulas(label: str) -> None:
    (row,) = csv.DictReader(io.StringIO(as_csv([table((label, 1, DEFINED, DEFINED))])))

    assert row["name"] == f"'{label}"


def test_as_markdown_is_a_table_with_intervals_and_numbered_notes() -> None:
    text = as_markdown(
        [table(("a|b\n<c>", 1670, DEFINED, NEGATIVE), ("d", 85, DEFINED, UNDEFINED), note="See.")]
    )

    assert text.splitlines() == [
        "**By name (n = 670)**",
        "",
        "| Name | Items | Final (%) | Fleiss κ |",
        "| --- | ---: | ---: | ---: |",
        "| a\\|b \\<c\\> | 1670 | 28.7 [25.0, 31.2] | −0.02 [−0.10, 0.06] (1) |",
        "| d | 85 | 28.7 [25.0, 31.2] | – (2) |",
        "",
        "See. (1) n = 652, 18 left out. (2) undefined: no\\_variation.",
    ]


def test_as_latex_is_a_table_of_booktabs_with_true_minus_signs() -> None:
    text = as_latex([table((r"50% & my_system\x", 670, DEFINED, NEGATIVE), note="See.")])

    assert text.splitlines() == [
        r"% Needs \usepackage{booktabs} in the preamble.",
        r"\begin{table}[t]",
        r"\centering",
        r"\small",
        r"\caption{By name (n = 670)}",
        r"\label{tab:stages}",
        r"\begin{tabular}{@{}lrrr@{}}",
        r"\toprule",
        r"Name & Items & Final (\%) & Fleiss $\kappa$ \\",
        r"\midrule",
        (
            r"50\% \& my\_system\textbackslash{}x & 670 & 28.7\,{\scriptsize [25.0, 31.2]} & "
            r"$-$0.02\,{\scriptsize [$-$0.10, 0.06]}\textsuperscript{1} \\"
        ),
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip",
        r"{\footnotesize See. \textsuperscript{1} n = 652, 18 left out.\par}",
        r"\end{table}",
    ]


def test_as_latex_has_as_many_cells_in_each_row_as_columns() -> None:
    text = as_latex([table(("a & b", 1, DEFINED, UNDEFINED), ("{c}", 2, WITHHELD, NEGATIVE))])

    body = text.split(r"\toprule")[1].split(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if line.endswith(r"\\")]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [3, 3, 3]
    assert text.count("{") - text.count(r"\{") == text.count("}") - text.count(r"\}")


@pytest.mark.parametrize("name", ["[Law]", "*"])
def test_as_latex_keeps_a_name_from_being_an_argument_of_the_row_before(name: str) -> None:
    text = as_latex([table((name, 1, DEFINED, DEFINED))])

    assert f"\n{{}}{name} & 1 &" in text


@pytest.mark.skipif(not has_latex(), reason="LaTeX with booktabs is not installed")
def test_as_latex_compiles(tmp_path: Path) -> None:
    body = as_latex(
        [
            table(
                (r"a_b & {c} ~^\#$", 1, DEFINED, NEGATIVE),
                ("[Law]", 1, DEFINED, NEGATIVE),
                ("d", 2, WITHHELD, UNDEFINED),
                note="“α” ± 1 %",
            )
        ]
    )
    whole = f"\\documentclass{{article}}\\usepackage{{booktabs}}\\begin{{document}}\n{body}\n\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(whole, encoding="utf-8")

    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-2000:]


def test_tables_without_rows_print_nothing() -> None:
    assert (as_markdown([table()]), as_latex([table()])) == ("", "")


def test_table_is_printed_as_its_parts() -> None:
    whole = Table(
        "stages", "All", COLUMNS, (("a", 1, DEFINED, DEFINED),), WORDS, "",
        (("One", ("name", "items")), ("Two", ("name", "kappa"))),
    )  # fmt: skip

    assert [(part.title, len(part.columns)) for part in whole.printed()] == [("One", 2), ("Two", 2)]
    assert re.findall(r"\\label{(.*)}", as_latex([whole])) == ["tab:stages", "tab:stages-2"]
    assert as_csv([whole]).splitlines()[0].startswith("table,name,items,rate,rate_low")


def test_numbers_that_round_to_zero_have_no_sign() -> None:
    zero = Estimate(-0.0001, None, None, 20, 0)

    assert "| 0.00 |" in as_markdown([table(("x", 1, DEFINED, zero))])


@pytest.mark.parametrize("render", [as_csv, as_latex, as_markdown])
def test_no_format_ever_prints_nan(render: Render) -> None:
    nothing = Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS)

    text = render([table(("Initial", 0, nothing, nothing))])

    assert "nan" not in text.lower()
    assert "undefined: no" in text
