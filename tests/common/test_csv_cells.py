"""Cells that a spreadsheet would run are made harmless, and nothing is lost."""

import csv
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from common.csv_cells import csv_line, defuse, restore


@pytest.mark.parametrize(
    "cell",
    [
        "=1",
        "+1",
        "-x",
        "-1+2",
        "--1",
        "@a",
        "\tx",
        "\rx",
        "\nx",
        "＝1",
        "＋1",
        "－1",
        "＠a",
        "'=1",
        "''+1",
    ],
)
def test_defuse_of_what_a_spreadsheet_would_run_puts_an_apostrophe_before(cell: str) -> None:
    assert defuse(cell) == f"'{cell}"


@pytest.mark.parametrize(
    "cell",
    ["", "a=1", "1-2", "བོད", "'a", "$x$", "(−1)", "-5", "-0.25", "-1e-05", "-3%", -5, 0.5, None],
)
def test_defuse_of_plain_texts_and_numbers_leaves_them(cell: object) -> None:
    assert defuse(cell) is cell


@given(st.text() | st.text(alphabet=st.sampled_from("'=+-@\t\r\n1.5e% aཀ")))
def test_restore_after_defuse_gives_the_text_back(cell: str) -> None:
    assert restore(str(defuse(cell))) == cell


@given(st.text(alphabet=st.sampled_from("'=+-@\t\r\n1 a\",ཀ")))
def test_cell_comes_back_through_a_file(cell: str) -> None:
    file = io.StringIO(newline="")
    csv.writer(file).writerow([defuse(cell), "end"])
    ((read, _end),) = csv.reader(io.StringIO(file.getvalue(), newline=""))
    assert restore(read) == cell


CELLS = st.text(st.sampled_from("ab,\"\r\n ཀ'"), max_size=6)


@given(st.lists(CELLS, min_size=2, max_size=5))
def test_csv_line_of_any_cells_is_read_back(cells: list[str]) -> None:
    table = io.StringIO(f"{csv_line(cells)}\n", newline="")
    assert list(csv.reader(table)) == [cells]


@given(st.lists(CELLS.filter(lambda cell: "\r" not in cell), min_size=2, max_size=5))
def test_csv_line_is_what_the_csv_module_writes(cells: list[str]) -> None:
    written = io.StringIO(newline="")
    csv.writer(written, lineterminator="\n").writerow(cells)
    assert f"{csv_line(cells)}\n" == written.getvalue()
