"""Item texts as people read them, and what is shown as it was typed."""

import re
from functools import partial
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.rendering import LONGEST_FORMULA, render
from languages.letters import LETTERS
from tests.timing import least_cpu

OURS = re.compile(
    r'<(/?)(math|m[a-z]+|span|div|table|tr|th|td|pre|code)((?: [a-z]+="[A-Za-z0-9.%+ -]*")*)>'
)


def math(inside: str, raw: str, *, display: str = "") -> str:
    shown = f' display="{display}"' if display else ""
    return (
        f'<span class="made"><math{shown}><mrow>{inside}</mrow></math></span>'
        f'<span class="raw">{raw}</span>'
    )


X = "<mi>x</mi>"
HALF = "<mfrac><mrow><mn>1</mn></mrow><mrow><mn>2</mn></mrow></mfrac>"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("$x$", math(X, "$x$")),
        (r"\(x\)", math(X, r"\(x\)")),
        ("$$x$$", math(X, "$$x$$", display="block")),
        (r"\[x\]", math(X, r"\[x\]", display="block")),
        ("ཀ $x$།", f"ཀ {math(X, '$x$')}།"),
        (r"设\frac{1}{2}，", "设" + math(HALF, r"\frac{1}{2}") + "，"),
        (r"\frac{1}{2}.", math(HALF, r"\frac{1}{2}") + "."),
        (
            r"the value of \alpha is large",
            "the value of " + math("<mi>α</mi>", r"\alpha") + " is large",
        ),
        (
            "10^{-3} mol",
            math("<msup><mn>10</mn><mrow><mo>−</mo><mn>3</mn></mrow></msup>", "10^{-3}") + " mol",
        ),
        (
            r"P(A \cup B)",
            math(
                '<mi>P</mi><mo stretchy="false">(</mo><mi>A</mi><mo>∪</mo><mi>B</mi>'
                '<mo stretchy="false">)</mo>',
                r"P(A \cup B)",
            ),
        ),
        ("$A，B$", math("<mi>A</mi><mi>，</mi><mi>B</mi>", "$A，B$")),
        (r"$\text{<b>}$", math("<mtext>&lt;b&gt;</mtext>", r"$\text{&lt;b&gt;}$")),
    ],
)
def test_formula_becomes_mathml_beside_what_was_typed(text: str, expected: str) -> None:
    assert render(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "It costs $5 and $10.",
        "$5-$10",
        "«باھا 100$–150$ ئارىلىقىدا»",
        "100$-150$, 20$/30$",
        "US$5 or 10$ more",
        "A$5，HK$10",
        "售价$5的商品比售价6$便宜",
        "$5, then $",
        "|t| is larger than |x|",
        r"C:\text\to",
        r"\nA. ",
        r"$\unknown{x}$",
        r"$\frac{1}$",
        r"$\frac$",
        r"$\begin{array}{c}x$",
        r"$\def\a{\a\a}\a$",
        r"$\newcommand{\a}{x}\a$",
        r"$\href{javascript:alert(1)}{x}$",
        # The mark of an option that a broken import cut into the formula stays in sight.
        "$|\nA. ^T|$",
        "$",
        "\\",
        "$" + "x" * (LONGEST_FORMULA + 1) + "$",
        "$" + "x^{" * 60 + "}" * 60 + "$",
        "`",
        "a|b\nc|d",
        "---|---",
    ],
)
def test_text_that_is_no_formula_stays_as_it_is(text: str) -> None:
    assert render(text) == text


def test_everything_else_is_escaped() -> None:
    assert render("<script>&\"'") == "&lt;script&gt;&amp;&quot;&#x27;"
    assert render("$ <script>") == "$ &lt;script&gt;"


def test_table_and_code_are_shown_as_such() -> None:
    assert render("| a | b |\n|---|---|\n| < | 2 |\nafter") == (
        '<div class="made"><table><tr><th>a</th><th>b</th></tr>'
        "<tr><td>&lt;</td><td>2</td></tr></table></div>"
        '<div class="raw">| a | b |\n|---|---|\n| &lt; | 2 |</div>after'
    )
    assert render("run:\n```python\nx < $1$\n```") == (
        'run:\n<div class="made"><pre dir="ltr"><code>x &lt; $1$\n</code></pre></div>'
        '<div class="raw">```python\nx &lt; $1$\n```</div>'
    )
    assert render("is `x < 1` so?") == (
        'is <span class="made"><code dir="ltr">x &lt; 1</code></span>'
        '<span class="raw">`x &lt; 1`</span> so?'
    )


def test_formulas_beyond_the_limit_of_a_text_stay_as_they_are() -> None:
    shown = render("$x^2$ " * 4_000)
    assert shown.count("<math>") == 1_000
    assert shown.endswith("$x^2$ ")


PIECES = st.sampled_from(
    r"$ $$ \[ \] \( \) { } ^ _ \frac \sqrt \left( \right) \begin{array}{c} \end{array} & \\ x 1 | -- "
    r"``` ` < > \text{ \href \color{red} \style{a}{b} \hat \bar \def \unknown".split()
    + ["\n", " ", "'", '"', "ཀ", "，"]
)


@given(st.lists(PIECES, max_size=40).map("".join))
def test_any_text_is_rendered_as_tags_of_ours_and_escaped_text(text: str) -> None:
    shown = render(text)
    assert "<" not in OURS.sub("", shown)
    opened = [tag for slash, tag, _ in OURS.findall(shown) if not slash]
    closed = [tag for slash, tag, _ in OURS.findall(shown) if slash]
    assert sorted(opened) == sorted(closed)


LONG_PIECES = [
    "x", "$ ", "$$", r"\[", r"\(", "x_", r"\alpha ", "{", "{}", "{a", r"$\sqrt", "`", "\\", "```\n", "a|b\n", "|--",
    "--|", "|", "-|", r"\frac", r"\left(", "a ", "x^{", r"\begin{a}",
]  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["-", "--\t"])
def test_line_under_a_head_costs_no_more_a_character_when_it_is_four_times_as_long(
    piece: str,
) -> None:
    def cost(length: int) -> float:
        text = f"a|b\n-|{piece * (length // len(piece))}x\nc|d"
        return least_cpu(lambda: render(text))

    assert cost(20_000) <= 6 * cost(5_000)


@pytest.mark.slow
def test_text_of_twenty_thousand_characters_is_answered_at_once() -> None:
    late = []
    for around, piece in product(["", "$", "$$", "\\frac", "a|b\n"], LONG_PIECES):
        text = around + piece * (20_000 // len(piece)) + around
        if least_cpu(partial(render, text), runs=1) >= 1:  # what it made of a formula is kept
            late.append((around, piece))
    assert late == []


@pytest.mark.slow
def test_text_without_formulas_costs_next_to_nothing() -> None:
    text = f"ཀུན་མཁྱེན་ {LETTERS} " * 10
    assert least_cpu(lambda: [render(text) for _ in range(1_000)]) < 0.1
