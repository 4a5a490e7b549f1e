"""LaTeX commands that lost their backslash or have two."""

import pytest

from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckInput

OPTIONS = {
    "bo": ("ཀ་པ", "ཁ་པ"),
    "lo": ("ເດັກຊາຍ", "ເດັກຍິງ"),
    "mn": ("хүү", "охин"),
    "en": ("boy", "girl"),
}


def codes(source: str, target: str, language: str) -> set[str]:
    given = CheckInput(
        source, ("男孩", "女孩"), "A", target, OPTIONS[language], None, "zh", language
    )
    return {problem.code for problem in check_text(given)}


@pytest.mark.parametrize("language", ["bo", "lo", "mn"])
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (r"$\frac{1}{2}$", "$frac{1}{2}$"),
        (r"$\frac{1}{2}$", "frac{1}{2}"),
        (r"\frac{3}{4}", "frac{3}{4}"),
        (r"$R\times C$", "$Rtimes C$"),
        (r"$a\times b$", "atimes b"),
        (r"$2 \times 3$", "2 times 3"),
        (r"$\alpha\beta$", r"$\alphabeta$"),
        (r"$\alpha=1$", "alpha=1"),
        (r"$\text{kg}$", "$text{kg}$"),
        (r"$50\%$", "$50%$"),
        (r"$\{1,2\}$", "${1,2}$"),
        (r"$\sin x$", "$sin x$"),
        (r"$\vec{a}\cdot\vec{b}$", r"$vec{a}\cdot\vec{b}$"),
        (r"$x\in A$", "$xin A$"),
        ("1/2", "$frac{1}{2}$"),
        ("1/2", "frac{1}{2}"),
        ("α=0.05", "$alpha=0.05$"),
        ("2πr", "$2pi r$"),
        ("3×4", "3 times 4"),
        ("x≤3", "xleq 3"),
        ("√2", "sqrt{2}"),
        ("√2", "$sqrt2$"),
    ],
)
def test_stripped_backslash_is_found(source: str, target: str, language: str) -> None:
    assert "formulas_differ" in codes(source, target, language)


@pytest.mark.parametrize(
    ("source", "target"),
    [
        (r"$\frac{1}{2}$", r"$\\frac{1}{2}$"),
        (r"$50\%$", r"$50\\%$"),
        (r"$\{1\}$", r"$\\{1\\}$"),
        (r"$\begin{matrix}1\\2\end{matrix}+\frac12$", r"$\begin{matrix}1\\2\end{matrix}+\\frac12$"),
    ],
)
def test_doubled_backslash_is_found_though_the_source_has_another(source: str, target: str) -> None:
    assert "escapes_left" in codes(source, target, "bo")


@pytest.mark.parametrize("language", ["bo", "lo", "mn", "en"])
@pytest.mark.parametrize(
    ("source", "target"),
    [
        (r"$R\times C$", "R×C"),
        (r"$\alpha$", "α"),
        (r"$50\%$", "50%"),
        (r"$\{1,2\}$", "{1,2}"),
        ("{1,2}", r"$\{1,2\}$"),
        (r"$x \le 3$", "x≤3"),
        (r"$x\leqslant 3$", r"$x\leq 3$"),
        (r"$\sin x$", "sin x"),
        (r"$\frac{\pi}{2}$", "π/2"),
        (r"$90^\circ$", "90°"),
        (r"$a\ b$", "$a b$"),
        (r"$A\cup B$", "A∪B"),
        (r"$\pm 3$", "±3"),
        (r"$\begin{matrix}1\\2\end{matrix}$", r"$\begin{matrix}1\\2\end{matrix}$"),
    ],
)
def test_formula_without_latex_is_silent(source: str, target: str, language: str) -> None:
    assert codes(source, target, language) == set()
