"""Dividing one published text at its option labels."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from annotation.importers.options import ParsedOptions, Unreadable, parse_options
from tests.timing import least_cpu

SOUND = {
    "own lines, dot": ("གང་ཡིན།\nA. ཆུ།\nB. མེ།\nC. ས།\nD. རླུང་།", ("ཆུ།", "མེ།", "ས།", "རླུང་།")),
    "own lines, space": ("གང་ཡིན།\nA ཆུ།\nB མེ།\nC ས།\nD རླུང་།", ("ཆུ།", "མེ།", "ས།", "རླུང་།")),
    "one line, dot": ("གང་ཡིན། A. ཆུ། B. མེ། C. ས། D. རླུང་།", ("ཆུ།", "མེ།", "ས།", "རླུང་།")),
    "one line, space after shad": ("གང་། A ཆུ། B མེ། C ས། D རླུང་།", ("ཆུ།", "མེ།", "ས།", "རླུང་།")),
    "one line, comma": ("གང་ཡིན། A、ཆུ། B、མེ། C、ས། D、རླུང་།", ("ཆུ།", "མེ།", "ས།", "རླུང་།")),
    "closing bracket": ("གང་ཡིན།\nA) 1\nB) 2\nC) 3\nD) 4", ("1", "2", "3", "4")),
    "full-width brackets": ("གང་ཡིན།（A）1（B）2（C）3（D）4", ("1", "2", "3", "4")),
    "full-width letters": ("གང་ཡིན།\nＡ．1\nＢ．2\nＣ．3\nＤ．4", ("1", "2", "3", "4")),
    "Latin options on one line": (
        "གང་ A. FAD B. NAD+ C. FMN D. CoQ",
        ("FAD", "NAD+", "FMN", "CoQ"),
    ),
    "terms inside": (
        "གང་ཡིན།\nA. ATP དང་ DNA\nB. ABCG2 འགོག\nC. ཝི་ཊ་མིན་C ཡོད།\nD. GDP",
        ("ATP དང་ DNA", "ABCG2 འགོག", "ཝི་ཊ་མིན་C ཡོད།", "GDP"),
    ),
    "letters as options": ("གང་ཡིན།\nA B \nB C \nC P450 \nD AA3", ("B", "C", "P450", "AA3")),
    "letters as options after dots": ("གང་།\nA. A \nB. B \nC. C \nD. D", ("A", "B", "C", "D")),
    "letters listed at the start": ("A、B གང་།\nA. 1\nB. 2\nC. 3\nD. 4", ("1", "2", "3", "4")),
    "abbreviation with points": ("U.S.A. གང་།\nA. 1\nB. 2\nC. U.S.\nD. 4", ("1", "2", "U.S.", "4")),
    "mathematics": (
        "$P(A)=P(B)$ ཡིན། ( ) A.$A=B$ B.$A B=0$ C.$A， B$ ཡིན། D.$A \\cup B$",
        ("$A=B$", "$A B=0$", "$A， B$ ཡིན།", "$A \\cup B$"),
    ),
    "letter at the start": ("E གྲུབ་པའི།\nA. 1\nB. 2\nC. 3\nD. 4", ("1", "2", "3", "4")),
    "initials in a name": ("John A. Smith སུ་ཡིན།\nA. 1\nB. 2\nC. 3\nD. 4", ("1", "2", "3", "4")),
    "mixed marks": ("གང་ཡིན།\nA. 1\nB、2\nC 3\nD) 4", ("1", "2", "3", "4")),
    "carriage returns": ("གང་ཡིན།\r\nA. 1\r\nB. 2\r\nC. 3\r\nD. 4\r\n", ("1", "2", "3", "4")),
    "letters at line starts with shad": ("གང་།\nA། 1\nB།2\nC། A།\nD། 4", ("1", "2", "A།", "4")),
    "letters closed by shad as options": (
        "གང་།\nA. A།\nB. B།\nC. C།\nD. D།",
        ("A།", "B།", "C།", "D།"),
    ),
    "letter at the start, spaces": ("A ཡིས་B བརྡུངས།\nA 1\nB 2\nC 3\nD 4", ("1", "2", "3", "4")),
    "name of a species": ("E. coli ནི།\nA. 1\nB. 2\nC. E. coli\nD. 4", ("1", "2", "E. coli", "4")),
    "letters of the script": ("གང་ཡིན།\nཀ 1\nཁ 2\nག 3\nང 4", ("1", "2", "3", "4")),
    "letters of the script, shad": ("གང་།\nཀ། 1\nཁ། 2\nག། 3\nང། 4", ("1", "2", "3", "4")),
    "letters of the script, brackets": ("གང་།\n(ཀ) 1\n（ཁ）2\n༼ག༽ 3\nང༽ 4", ("1", "2", "3", "4")),
}

BROKEN = {
    "NADH": ("N\nA. \nD. H ནི།\nA. F\nA. \nD. \nB. N\nA. \nD. + \nC. FMN \nD. \nC. oQ", "repeated"),
    "degrees": ("24~26°\nC. ཡིན། \nA. 36°\nC. \nB. 37°\nC. \nC. 38°\nC. \nD. 39°C", "repeated"),
    "lost ག": ("གང་ཡིན།\nA. ཞིབ་འཇུ \nC. \nB. མེ།\nC. ས།\nD. ཆུ།", "repeated"),
    "lost ག before a label": ("གང་ཡིན།\nA. འདེམས་སྒྲུ \nC. B. མེ།\nC. ས།\nD. ཆུ།", "repeated"),
    "term in the question": ("ལི་ཡི་\nA. TMཡི་ཤོག་བུ།\nA. 1\nB. 2\nC. 3\nD. 4", "repeated"),
    "term in the last option": ("གང་ཡིན།\nA. 1\nB. 2\nC. 3\nD. N\nA. OH", "repeated"),
    "swapped": ("གང་ཡིན།\nA. 1\nC. 3\nB. 2\nD. 4", "out_of_order"),
    "label gone": ("གང་ཡིན།\nA. 1\nB. 2\nD. 4", "missing"),
    "three of four": ("གང་ཡིན།\nA. 1\nB. 2\nC. 3", "count"),
    "five of four": ("གང་ཡིན།\nA. 1\nB. 2\nC. 3\nD. 4\nE. 5", "count"),
    "no labels": ("གང་ཡིན་ནམ།", "no_labels"),
    "white space": (" \n\t", "empty_text"),
    "empty option": ("གང་ཡིན།\nA. 1\nB. \nC. 3\nD. 4", "empty_option"),
    "nothing asked": ("A. 1\nB. 2\nC. 3\nD. 4", "empty_question"),
    "two lists": ("གང་ A) 1 B) 2 C) 3 D) 4 A. 1 B. 2 C. 3 D. 4", "ambiguous"),
    "damage beside comma labels": ("གང་།\nA. TP ནི། A、1 B、2 C、3 D、4", "stray"),
    "letter torn off at the start": ("A. TM ནི།\nA. 1\nB. 2\nC. 3\nD. 4", "stray"),
    "letter torn off before other marks": ("\nA. TM ནི།\nA 1\nB 2\nC 3\nD 4", "stray"),
    "letters in prose": ("A དང་ B གཉིས་ C དང་ D བཞི་ཡིན།", "count"),
    "letters of the script as options": ("གང་ཡིན།\nག 1\nཁ 2\nཀ 3\nང 4", "no_labels"),
}


@pytest.mark.parametrize("name", SOUND)
def test_parse_options_certain_labels_gives_exact_texts(name: str) -> None:
    text, options = SOUND[name]
    parsed = parse_options(text, 4, script_letters="ཀཁགང")
    assert isinstance(parsed, ParsedOptions), parsed
    assert parsed.options == options
    assert text.startswith(parsed.question)


@pytest.mark.parametrize("name", BROKEN)
def test_parse_options_doubt_names_the_reason(name: str) -> None:
    text, reason = BROKEN[name]
    parsed = parse_options(text, 4, script_letters="ཀཁགང")
    assert isinstance(parsed, Unreadable), parsed
    assert parsed.reason == reason
    assert 0 <= parsed.start <= parsed.end <= len(text)


def test_parse_options_without_expected_count_takes_two_to_six() -> None:
    assert parse_options("གང་།\nA. 1\nB. 2") == ParsedOptions("གང་།", ("1", "2"))
    assert isinstance(parse_options("གང་།\nA. 1"), Unreadable)


def test_ten_options_are_read_where_ten_are_expected_and_i_is_a_word_elsewhere() -> None:
    ten = "\n".join(["Who?", *(f"{letter}. {n}" for n, letter in enumerate("ABCDEFGHIJ"))])
    assert parse_options(ten, 10) == ParsedOptions("Who?", tuple(map(str, range(10))))
    two = "Who?\nI. Newton wrote it\nA. Newton\nB. Leibniz"
    assert parse_options(two, 2) == ParsedOptions("Who?\nI. Newton wrote it", ("Newton", "Leibniz"))
    assert parse_options("Who?\nཀ Newton\nཁ Leibniz\nཉ", 2, script_letters="ཀཁགངཅཆཇཉཏཐ") == (
        ParsedOptions("Who?", ("Newton", "Leibniz\nཉ"))
    )


WORDS = st.text(alphabet="ཀཁགངབམ་། 0123xyz", min_size=1, max_size=20).filter(lambda t: t.strip())


@given(
    question=WORDS.map(lambda t: f"{t}།"),
    options=st.lists(WORDS, min_size=4, max_size=4),
    label=st.sampled_from([".", ". ", "、", ") "]),
    gap=st.sampled_from(["\n", " \n", "  \n \n"]),
)
def test_parse_options_undoes_what_joined_them(
    question: str, options: list[str], label: str, gap: str
) -> None:
    parts = [f"{letter}{label}{text}" for letter, text in zip("ABCD", options, strict=True)]
    parsed = parse_options(gap.join([question, *parts]), 4)
    assert parsed == ParsedOptions(question.strip(), tuple(text.strip() for text in options))


@given(
    options=st.lists(WORDS, min_size=4, max_size=4),
    damaged=st.integers(0, 4),
    letter=st.sampled_from("ABCD"),
)
def test_parse_options_after_the_damaging_rule_never_guesses(
    options: list[str], damaged: int, letter: str
) -> None:
    fields = ["གང་ཡིན།", *options]
    fields[damaged] = f"{fields[damaged]}x\n{letter}. y"
    lines = [fields[0]]
    lines += [f"{label}. {text}" for label, text in zip("ABCD", fields[1:], strict=True)]
    assert isinstance(parse_options("\n".join(lines), 4), Unreadable)


@pytest.mark.slow
@pytest.mark.parametrize(
    "unit", ["A. ", "\nC. ", " A", "A B C D ", " \t", "(A)", "\nག ", "x", "A.B"]
)
def test_parse_options_long_text_stays_linear(unit: str) -> None:
    text = unit * (200_000 // len(unit))
    assert least_cpu(lambda: parse_options(text, 4, script_letters="ཀཁགང"), runs=1) < 3
