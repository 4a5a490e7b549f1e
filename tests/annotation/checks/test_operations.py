"""What texts of mathematics say beyond their numbers: operators, ±, signs of letters, exponents, ratios."""

import pytest

from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.parity import Numbers

LANGUAGES = ("bo", "lo", "mn", "zh-Hant", "en")


def is_found(source: str, target: str, language: str) -> bool:
    given = CheckInput(source, ("甲", "乙"), "A", target, ("x", "y"), None, "zh", language)
    return any(problem.field == "question" for problem in Numbers().run(given))


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("source", "target"),
    [
        ("误差±3", "3"),
        ("±3", "+3"),
        ("±3", "-3"),
        ("±2", "∓2"),
        ("±a", "a"),
        ("2±1", "2x1"),
        ("5±0.2 cm", "5+0.2 cm"),
        ("正负3", "3"),
        ("π/2", "2/π"),
        ("3π/4", "4π/3"),
        ("x/2", "2/x"),
        ("π/2", "π"),
        ("2πr", "2r"),
        ("2π", "2"),
        ("√2", "2"),
        ("√2", "√3"),
        ("2x+1", "2x-1"),
        ("2x+1=5", "2x−1=5"),
        ("a+b>c", "a-b>c"),
        ("3×5", "3+5"),
        ("6÷2", "6×2"),
        ("5-3", "5+3"),
        ("a≠b", "a=b"),
        ("x≈3", "x≠3"),
        ("x²+y²", "x³+y²"),
        ("10⁻³", "10⁻²"),
        ("m²", "m³"),
        ("aⁿ", "an"),
        ("xⁿ⁺¹", "xⁿ⁻¹"),
        ("−x", "x"),
        ("求−a的值", "a"),
        ("f(−x)", "f(x)"),
        ("−π", "π"),
        ("−√2", "√2"),
        ("-sin x", "sin x"),
        ("18岁到25岁", "25-18"),
        ("到1600年高出200-300%", "300-200%"),
        ("2:1", "1:1"),
        ("2:1", ":1"),
        ("1:1000", "1:100"),
        ("1:2:5", "1:5:2"),
    ],
)
def test_changed_expression_is_found(source: str, target: str, language: str) -> None:
    assert is_found(source, target, language)


@pytest.mark.parametrize(
    ("source", "target", "language"),
    [
        ("误差±3", "+/-3", "bo"),
        ("正负3", "±3", "mn"),
        ("±3", "нэмэх хасах 3", "mn"),
        ("±3", "ບວກລົບ 3", "lo"),
        ("±3", "plus or minus 3", "en"),
        ("±3", "正負3", "zh-Hant"),
        ("3或−3", "±3", "bo"),
        ("2±1", "2 ± 1", "lo"),
        ("2±1", r"$2\pm 1$", "lo"),
        ("π/2", r"$\frac{\pi}{2}$", "mn"),
        ("√2", r"$\sqrt{2}$", "bo"),
        ("√2", "2-ын язгуур", "mn"),
        ("2x+1", "2x + 1", "bo"),
        ("2x+1", "$2x+1$", "bo"),
        ("3×5", "3 x 5", "bo"),
        ("3×5", "3*5", "lo"),
        ("6÷2", "6/2", "mn"),
        ("3-5岁", "3～5 настай", "mn"),
        ("2020-5-1", "2020/5/1", "lo"),
        ("3+5", "3 нэмэх 5", "mn"),
        ("x≥3", r"$x\geq 3$", "bo"),
        ("a≠b", r"$a\neq b$", "bo"),
        ("x²", "$x^2$", "bo"),
        ("aⁿ", "a^n", "bo"),
        ("xⁿ⁺¹", "$x^{n+1}$", "bo"),
        ("−x", "ລົບ x", "lo"),
        ("−x", "хасах x", "mn"),
        ("负x", "-x", "bo"),
        ("求−a", "མོ་གྲངས་a", "bo"),
        ("从5减到3", "5-3", "bo"),
        ("3至5天", "3 хоос 5", "mn"),
        ("2比1", "2:1", "lo"),
        ("2:1", "2∶1", "bo"),
        ("时间17:25", "5:25 p.m.", "en"),
        ("α粒子", "альфа бөөм", "mn"),
        ("n-6系列", "n-6 цуврал", "mn"),
    ],
)
def test_expression_in_another_form_is_silent(source: str, target: str, language: str) -> None:
    assert not is_found(source, target, language)
