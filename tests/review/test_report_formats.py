"""Tables of figures as CSV, LaTeX and Markdown."""

import csv
import io
from collections.abc import Callable

import pytest

from review.agreement import Estimate, NoInterval, Undefined
from review.criteria import NAMES
from review.figures import ESTIMATES, StageFigures
from review.labels import report_labels, stage_rows
from review.queries import Stage
from review.report_formats import (
    ReportLabels,
    ReportRow,
    as_csv,
    as_latex,
    as_markdown,
)

DEFINED = Estimate(0.28712345, 0.25, 0.3125, 670, 3)
UNDEFINED = Estimate(None, None, None, 85, 0, Undefined.NO_VARIATION)
WITHHELD = Estimate(1.0, None, None, 30, 0, None, NoInterval.TOO_LITTLE_DISAGREEMENT)


def figures(number: int = 0, **estimates: Estimate) -> StageFigures:
    values = dict.fromkeys(ESTIMATES, DEFINED) | estimates
    return StageFigures(
        number=number,
        panel_size=2,
        items_judged=670,
        approved=192,
        approval_rate=values["approval_rate"],
        means={name: values[f"{name}_mean"] for name in NAMES},
        fleiss_kappa=values["fleiss_kappa"],
        alpha_verdicts=values["alpha_verdicts"],
        alphas={name: values[f"alpha_{name}"] for name in NAMES},
        gwet_ac1=values["gwet_ac1"],
    )


def test_as_csv_keeps_full_precision_and_says_undefined_in_words() -> None:
    text = as_csv(stage_rows([Stage(2, figures(1, gwet_ac1=UNDEFINED))]), report_labels())

    (row,) = csv.DictReader(io.StringIO(text))
    assert (row["label"], row["items_judged"], row["approved"]) == ("Alignment 1", "670", "192")
    assert [row[f"fleiss_kappa{end}"] for end in ("", "_low", "_high", "_n_used")] == [
        "0.28712345",
        "0.25",
        "0.3125",
        "670",
    ]
    assert row["fleiss_kappa_undefined"] == ""
    assert row["gwet_ac1"] == ""
    assert row["gwet_ac1_undefined"] == "not defined: everyone gave the same answer"


def test_as_csv_says_why_a_value_has_no_interval() -> None:
    text = as_csv(stage_rows([Stage(2, figures(1, fleiss_kappa=WITHHELD))]), report_labels())

    (row,) = csv.DictReader(io.StringIO(text))
    ends = ("", "_low", "_high", "_undefined", "_no_interval")
    assert [row[f"fleiss_kappa{end}"] for end in ends] == [
        "1.0",
        "",
        "",
        "",
        "not enough disagreement to tell",
    ]
    assert row["gwet_ac1_no_interval"] == ""


@pytest.mark.parametrize("render", [as_latex, as_markdown])
def test_tables_say_why_a_value_has_no_interval(
    render: Callable[[list[ReportRow], ReportLabels], str],
) -> None:
    text = render([ReportRow("x", figures(fleiss_kappa=WITHHELD), "system", "x")], report_labels())

    assert "1.000 [not enough disagreement to tell] (n = 30)" in text


@pytest.mark.parametrize("label", ["=1+1", "+x", "-x", "@x"])
def test_as_csv_defuses_labels_that_look_like_formulas(label: str) -> None:
    (row,) = csv.DictReader(
        io.StringIO(as_csv([ReportRow(label, figures(), "system", label)], report_labels()))
    )

    assert (row["label"], row["code"]) == (f"'{label}", f"'{label}")


def test_as_markdown_is_a_table_with_intervals() -> None:
    row = figures(
        domain_mean=Estimate(2.345, 2.25, 2.44, 670, 0),
        fleiss_kappa=Estimate(-0.0213, -0.1, 0.0625, 652, 18),
        gwet_ac1=UNDEFINED,
    )

    lines = as_markdown(stage_rows([Stage(1, row)]), report_labels()).splitlines()

    assert lines[0].startswith("| Stage | Items | Approval (%) | Domain | Culture | Fleiss κ |")
    assert lines[1] == "| --- |" + " ---: |" * 9
    cells = lines[2].strip("| ").split(" | ")
    assert cells[:4] == ["Initial", "670", "28.7 [25.0, 31.2]", "2.35 [2.25, 2.44]"]
    assert cells[5] == "−0.021 [−0.100, 0.062] (n = 652, 18 left out)"
    assert cells[9] == "not defined: everyone gave the same answer"
    assert lines[4].startswith("Brackets show 95 % intervals")


def test_as_markdown_escapes_labels() -> None:
    text = as_markdown([ReportRow("a|b\n<c>", figures(), "system", "x")], report_labels())

    assert "| a\\|b \\<c\\> |" in text


def test_as_latex_is_a_plain_tabular_with_escapes() -> None:
    text = as_latex(
        [ReportRow(r"50% & my_system\x", figures(gwet_ac1=UNDEFINED), "system", "x")],
        report_labels(),
    )

    lines = text.splitlines()
    assert lines[0] == r"\begin{tabular}{lrrrrrrrrr}"
    assert r"Approval (\%)" in lines[2]
    assert r"Fleiss $\kappa$" in lines[2]
    assert lines[4].startswith(r"50\% \& my\_system\textbackslash{}x & 670 & 28.7 [25.0, 31.2] & ")
    assert lines[4].endswith(r"not defined: everyone gave the same answer \\")
    assert lines[6] == r"\end{tabular}"


def test_numbers_that_round_to_zero_have_no_sign() -> None:
    row = figures(fleiss_kappa=Estimate(-0.0001, None, None, 2, 0))

    assert "| 0.000 (n = 2) |" in as_markdown(stage_rows([Stage(1, row)]), report_labels())


@pytest.mark.parametrize("render", [as_csv, as_latex, as_markdown])
def test_no_format_ever_prints_nan(render: Callable[[list[ReportRow], ReportLabels], str]) -> None:
    nothing = dict.fromkeys(ESTIMATES, Estimate(None, None, None, 0, 0, Undefined.NO_ITEMS))

    text = render([ReportRow("Initial", figures(0, **nothing), "system", "x")], report_labels())

    assert "nan" not in text.lower()
    assert text.count("no items yet") == len(ESTIMATES)
