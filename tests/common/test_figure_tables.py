"""Tables of figures as CSV, LaTeX and Markdown."""

import csv
import io
import re
import shutil
import subprocess
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from common.estimates import Estimate, NoInterval, Undefined
from common.figure_tables import (
    Cell,
    Column,
    Kind,
    Part,
    Table,
    Words,
    as_csv,
    as_json,
    as_latex,
    as_markdown,
)

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


def test_warning_is_in_every_format() -> None:
    found = table(("x", 1, DEFINED, DEFINED), ("y", 2, DEFINED, DEFINED), note="All.")
    warned = replace(found, warning="A run goes on.", parts=(Part("One", ("name",), "A note."),))
    lines = list(csv.DictReader(io.StringIO(as_csv([warned, found]))))
    assert [line["warning"] for line in lines] == [*["A run goes on."] * 2, "", ""]
    assert list(lines[0])[-1] == "warning"
    assert as_json(warned)["note"] == "A run goes on. All."
    assert "\nA run goes on. A note." in as_markdown([warned])
    assert "{A run goes on. A note." in as_latex([warned]).replace("\\footnotesize ", "")
    assert "warning" not in as_csv([found])


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

    assert text.splitlines()[2:] == [
        r"\begin{table}[t]",
        r"\centering",
        r"\footnotesize",
        r"\setlength{\tabcolsep}{3pt}",
        r"\caption{By name (n = 670)}",
        r"\label{tab:stages}",
        r"\smallskip",
        r"\begin{tabular}{@{}lrrr@{}}",
        r"\toprule",
        r"Name & Items & Final (\%) & Fleiss $\kappa$ \\",
        r"\midrule",
        (
            r"50\% \& my\_system\textbackslash{}x & 670 & \withinterval{28.7}{[25.0, 31.2]} & "
            r"\withinterval{$-$0.02\textsuperscript{1}}{[$-$0.10, 0.06]} \\ \addlinespace[2pt]"
        ),
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\smallskip",
        r"{\footnotesize See. \textsuperscript{1} n = 652, 18 left out.\par}",
        r"\end{table}",
    ]
    assert text.startswith("% Needs \\usepackage{booktabs} in the preamble.\n\\providecommand")


def test_as_latex_prints_signs_that_the_default_encoding_of_latex_has_elsewhere() -> None:
    text = as_latex([table(("a<b>c", 1, DEFINED, DEFINED), note="BLEU (nrefs:1|tok:none).")])

    assert r"a\textless{}b\textgreater{}c & 1" in text
    assert r"(nrefs:1\textbar{}\allowbreak{}tok:none)" in text
    assert "|" not in text


def test_as_latex_breaks_headings_and_long_names_into_lines() -> None:
    columns = (Column("name", "Subject"), Column("n", "Planted faults found (%)", Kind.COUNT))
    name = "chinese driving rules"

    text = as_latex([Table("subjects", "By subject", columns, ((name, 1), ("law", 2)), WORDS)])

    assert r"\begin{tabular}{@{}p{0.2\linewidth}r@{}}" in text
    assert r"\begin{tabular}[b]{@{}r@{}}Planted\\faults\\found (\%)\end{tabular} \\" in text
    assert "\n\\raggedright chinese driving rules & 1 " in text


def test_as_latex_divides_many_rows_over_tables_of_a_page() -> None:
    rows = [(str(number), number, DEFINED, DEFINED) for number in range(45)]

    text = as_latex([table(*rows)])

    assert re.findall(r"\\caption{(.*)}", text) == [f"By name (n = 670) ({n}/3)" for n in (1, 2, 3)]
    assert re.findall(r"^(\d+) & \d+ &", text, re.MULTILINE) == [str(n) for n in range(45)]
    assert text.count(r"\label{tab:stages-page-") == 3


def test_as_latex_has_as_many_cells_in_each_row_as_columns() -> None:
    text = as_latex([table(("a & b", 1, DEFINED, UNDEFINED), ("{c}", 2, WITHHELD, NEGATIVE))])

    body = text.split(r"\toprule")[1].split(r"\bottomrule")[0]
    rows = [line for line in body.splitlines() if r" \\" in line]
    assert [len(re.findall(r"(?<!\\)&", row)) for row in rows] == [3, 3, 3]
    assert body.count("{") - body.count(r"\{") == body.count("}") - body.count(r"\}")


@pytest.mark.parametrize("name", ["[Law]", "*"])
def test_as_latex_keeps_a_name_from_being_an_argument_of_the_row_before(name: str) -> None:
    text = as_latex([table((name, 1, DEFINED, DEFINED))])

    assert f"\n{{}}{name} & 1 &" in text


@pytest.mark.skipif(not has_latex(), reason="LaTeX with booktabs is not installed")
def test_as_latex_compiles_and_fits_on_a_page(tmp_path: Path) -> None:
    """With as many estimates and as long a name as the tables of a report have."""
    estimates = [
        Column(f"kappa_{number}", "Agreement so far", Kind.AGREEMENT, has_estimates=True)
        for number in range(5)
    ]
    columns = (Column("name", "Subject"), Column("items", "Items", Kind.COUNT), *estimates)
    names = [r"a_b & {c} ~^\#$", "[Law]", "college medical statistics of the last century"]
    rows = tuple((name, 670, NEGATIVE, *[DEFINED] * 3, UNDEFINED) for name in names * 20)
    body = as_latex([Table("subjects", "By subject", columns, rows, WORDS, "“α” ± 1 %. " * 40)])
    preamble = r"\documentclass{article}\usepackage{booktabs}\begin{document}"
    whole = f"{preamble}\n{body}\n\\end{{document}}\n"
    (tmp_path / "t.tex").write_text(whole, encoding="utf-8")

    done = subprocess.run(
        ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "t.tex"],
        cwd=tmp_path, capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip

    assert done.returncode == 0, done.stdout[-2000:]
    assert "Overfull" not in done.stdout
    assert "too large" not in done.stdout


def test_tables_without_rows_print_nothing() -> None:
    assert (as_markdown([table()]), as_latex([table()])) == ("", "")


def test_table_is_printed_as_its_parts() -> None:
    whole = Table(
        "stages", "All", COLUMNS, (("a", 1, DEFINED, DEFINED),), WORDS, "",
        (Part("One", ("name", "items"), "See."), Part("Two", ("name", "kappa"))),
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
