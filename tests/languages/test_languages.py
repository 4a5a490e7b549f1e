"""One file adds a language: every part of the software finds what it needs in it."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from django.template import Context, Template
from django.test import Client

from accounts.models import User
from annotation.checks.catalogue import run_checks
from annotation.checks.catalogue.base import CheckInput
from annotation.checks.catalogue.denials import find_negation
from annotation.duplicates.dedupe.limits import limits_for
from languages import LANGUAGES, get_language, register, unregister
from languages.base import (
    DuplicateLimits,
    Language,
    PromptFrames,
    Statement,
    Typography,
    WebFont,
)
from languages.letters import letter_of, letters_of, plain_letter, position_of
from languages.markup import language_attributes
from languages.styles import stylesheet
from projects.enums import Role
from projects.models import Project
from projects.templatetags.languages import special_characters
from prompts.rendering import CHAIN_OF_THOUGHT, DIRECT, PromptItem, default_template, render
from scoring.scorers import AskedItem, extract
from scoring.scorers.letters import OptionLetters
from tests.factories import make_translated_item

TEMPLATES = Path(__file__).resolve().parents[2] / "templates"
MADE_UP = Language(
    code="qaa",
    aliases=("qab",),
    name="Qaaish",
    script="Arabic",
    direction="rtl",
    typography=Typography("serif", size=1.3, line_height=2),
    option_letters="ابجدهوزحط",
    digits="٠١٢٣٤٥٦٧٨٩",
    sentence_marks="۔",
    negations=("nenni",),
    question_words=("kwa",),
    number_words=tuple("nul uno duo tre kvar kvin ses sep ok naŭ dek".split()),
    duplicate_limits=DuplicateLimits(gram=2, letters=5),
    statement=Statement(nouns=("respondo",), links=("estas",)),
    frames=PromptFrames(
        system="Respondu.",
        direct="{question}\n{options}\nNur: {letters}",
        reasoned="{question}\n{options}\nPensu. {letters}",
        answer="Respondo: {letter}",
    ),
)


@pytest.fixture
def made_up() -> Iterator[Language]:
    register(MADE_UP)
    yield MADE_UP
    unregister(MADE_UP)


def codes(question: str, options: tuple[str, ...] = ("a", "b")) -> set[str]:
    given = CheckInput(
        source_question="2个，不正确的是（）。",
        source_options=("甲", "乙"),
        source_key="A",
        question=question,
        options=options,
        key=None,
        source_language="zh",
        target_language="qaa-Arab",
    )
    return {problem.code for problem in run_checks(given)}


@pytest.mark.usefixtures("made_up")
def test_made_up_language_has_its_words_in_the_checks() -> None:
    assert codes("duo, nenni kwa") == set()
    assert codes("tre, kwa") == {"numbers_differ", "negation_missing"}
    assert codes("duo, nenni kwa", ("a۔", "a")) == {"equal_options"}


@pytest.mark.usefixtures("made_up")
def test_made_up_language_states_answers_for_the_scorers() -> None:
    letters = OptionLetters(4, get_language("qaa").option_letters)
    asked = AskedItem(letters, (), "")
    assert extract("anchored", "A aŭ C, la respondo estas B", asked).letter == "B"
    assert letters.seen_in("ج") == ("", "C")


def test_statement_of_a_language_that_is_gone_is_forgotten(made_up: Language) -> None:
    asked = AskedItem(OptionLetters(4), (), "")
    assert extract("anchored", "A aŭ C, la respondo estas B", asked).letter == "B"
    unregister(made_up)
    try:
        assert extract("anchored", "A aŭ C, la respondo estas B", asked).letter is None
    finally:
        register(made_up)


@pytest.mark.usefixtures("made_up")
def test_made_up_language_has_its_own_prompts() -> None:
    item = PromptItem("Kiom?", ("unu", "du"))
    shot = PromptItem("1 + 1?", ("1", "2"), key="B")
    (_, asked) = render(item, template=default_template("qaa", DIRECT))
    turns = render(item, template=default_template("qaa", CHAIN_OF_THOUGHT), shots=[shot])
    assert asked.content == "Kiom?\nA. unu\nB. du\nNur: A / B"
    assert turns[2].content == "Respondo: B"


@pytest.mark.usefixtures("made_up")
def test_made_up_language_has_its_own_duplicate_limits() -> None:
    assert limits_for("qab-XX") == DuplicateLimits(gram=2, letters=5)


@pytest.mark.usefixtures("made_up")
def test_made_up_language_is_named_and_directed_on_pages(
    project: Project, member: Callable[..., User], browser_of: Callable[[User], Client]
) -> None:
    Project.objects.filter(pk=project.pk).update(target_language="qaa")
    item = make_translated_item(project=project, source__project=project, subject__project=project)
    question = item.working_translation.current_revision.question
    browser = browser_of(member(Role.MANAGER))
    page = browser.get(f"/projects/ti/items/{item.pk}/").content.decode()
    assert '<span lang="qaa" dir="rtl" class="inline">Qaaish</span>' in page
    begin = f'<div class="target-text" {language_attributes("qaa", question)}'
    assert re.search(rf"{re.escape(begin)}\s*>{re.escape(question)}<", page)


@pytest.mark.usefixtures("made_up")
def test_made_up_language_has_its_rules_in_the_style_sheet(client: Client) -> None:
    page = client.get("/help/").content.decode()
    address = page.split('href="/styles.css')[1].split('"')[0]
    answer = client.get(f"/styles.css{address}")
    assert answer["Content-Type"] == "text/css; charset=utf-8"
    assert "immutable" in answer["Cache-Control"]
    assert (
        '[lang|="qaa"],\n[lang|="qab"] {\n  font-family: "Latin in 1.3", serif;\n'
        "  font-size: 1.3em;\n  --latin: 0.7692;\n"
        "  line-height: 2;\n  direction: rtl;\n}" in answer.content.decode()
    )


def test_language_that_is_there_already_is_refused() -> None:
    with pytest.raises(ValueError, match="'bo'"):
        register(Language(code="BO", script="Tibetan"))
    with pytest.raises(ValueError, match="'zh-tw'"):
        register(Language(code="qaa", script="Han", aliases=("zh_TW",)))


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_data_of_every_language_is_whole(language: Language) -> None:
    assert language.name
    assert len(set(language.option_letters)) == len(language.option_letters)
    assert len(language.option_letters) in (0, 10)
    assert len(language.number_words) in (0, 11)
    assert [int(digit) for digit in language.digits] in ([], list(range(10)))
    for exception in language.negation_exceptions:
        assert any(word in exception for word in language.negations)


def test_language_that_nobody_knows_has_its_tag_as_its_name() -> None:
    assert get_language("tlh").name == "tlh"
    page = Template("{% load languages %}{% language_name 'tlh' %} {% lang 'tlh' %}")
    assert page.render(Context()) == 'tlh lang="tlh"'


def test_own_name_in_another_script_is_marked_as_that_script() -> None:
    page = Template("{% load languages %}{% language_name 'mn-Mong' %}")
    assert page.render(Context()) == '<span lang="mn" class="inline">Монгол бичиг</span>'


def test_large_language_sets_back_a_plain_one_within_it() -> None:
    large = Language(code="qaa", script="Latin", typography=Typography(size=2))
    plain = Language(code="qab", script="Latin")
    rules = stylesheet([plain, large])
    assert rules[rules.index("[lang") :] == (
        '[lang|="qaa"] {\n  font-size: 2em;\n  --latin: 0.5;\n}\n'
        'textarea[lang|="qaa"][lang] {\n  font-size: 2em;\n  --latin: 0.5;\n}\n'
        '[lang|="qaa"] [lang|="qaa"] {\n  font-size: 1em;\n  line-height: inherit;\n}\n'
        '[lang|="qaa"] [lang|="qab"] {\n  font-size: 0.5em;\n  line-height: 1.5;\n'
        "  --latin: 1;\n}\n"
        '[lang|="qaa"] [lang|="qab"] {\n  font-family: var(--ui);\n}\n'
    )


def test_latin_letters_in_a_large_language_keep_their_size() -> None:
    rules = stylesheet([Language(code="qaa", script="Tibetan", typography=Typography("x", size=2))])
    assert rules.count('font-family: "Latin in 2";\n  src: local("Inter') == 2
    assert rules.count("size-adjust: 50%") == 2
    assert 'font-family: "Latin in 2", x;' in rules


def test_web_font_comes_first_where_it_has_been_made() -> None:
    font = WebFont(files=("x.ttf",), ranges=((0xF00, 0xFFF), (0x25CC, 0x25CC)))
    language = Language(code="qaa", script="Tibetan", typography=Typography("x", web_font=font))
    assert "@font-face" not in stylesheet([language])
    assert stylesheet([language], {"tibetan": "tibetan-0.woff2", "lao": "lao-0.woff2"}) == (
        '@font-face {\n  font-family: "Web tibetan";\n'
        '  src: url("fonts/tibetan-0.woff2") format("woff2");\n  font-weight: 400 700;\n'
        "  font-display: swap;\n  unicode-range: U+F00-FFF, U+25CC;\n}\n"
        '[lang|="qaa"] {\n  font-family: "Web tibetan", x;\n}\n'
        'textarea[lang|="qaa"][lang] {\n  font-family: "Web tibetan", x;\n}\n'
    )


def test_option_letters_name_positions_and_back() -> None:
    assert [letter_of(n) for n in (0, 5, 9, 10)] == ["A", "F", "J", "11"]
    assert letters_of(3) == "ABC"
    assert [position_of(letter, 3) for letter in ("A", "C", "D", "", "AB")] == [
        0,
        2,
        None,
        None,
        None,
    ]
    assert [plain_letter(text) for text in (" b ", "Ｃ", "ཀ")] == ["B", "C", "ཀ"]


def test_language_from_right_to_left_has_its_direction_wherever_its_tag_stands() -> None:
    assert language_attributes("ug") == 'lang="ug" dir="rtl"'
    assert language_attributes("ar-EG") == 'lang="ar-EG" dir="rtl"'
    assert language_attributes("bo") == 'lang="bo"'
    assert language_attributes('"><b>') == 'lang="&quot;&gt;&lt;b&gt;"'


@pytest.mark.parametrize(
    ("text", "direction"),
    [
        ("-2", "ltr"),
        ("10 - 4 = 6", "ltr"),
        (r"$\sqrt{3}$", "ltr"),
        ("x نەچچە؟", "rtl"),
        ("", "rtl"),
        (" ", "rtl"),
    ],
)
def test_text_without_letters_of_its_script_is_read_from_the_left(
    text: str, direction: str
) -> None:
    assert language_attributes("ug", text) == f'lang="ug" dir="{direction}"'
    assert language_attributes("bo", text) == 'lang="bo"'


def test_templates_mark_texts_by_the_tag_that_knows_directions() -> None:
    """The interface's own languages, in whose words a page speaks, all run from left to right."""
    own = {"LANGUAGE_CODE", "code"}
    bare = [
        f"{path.relative_to(TEMPLATES)}: {name}"
        for path in TEMPLATES.rglob("*.html")
        for name in re.findall(r'lang="\{\{ *([\w.]+)', path.read_text("utf-8"))
        if name not in own
    ]
    assert bare == []


@pytest.mark.parametrize(
    ("code", "text", "found"),
    [
        ("ug", "تۆۋەندىكىلەرنىڭ قايسىسى توغرا ئەمەس؟", "ئەمەس"),
        ("ug", "قايسىسى خاتا؟", "خاتا"),
        ("ug", "قايسىسى توغرا؟", None),
        ("ar", "أي مما يلي ليس صحيحا؟", "ليس"),
        ("ar", "مثلا ما العدد؟", None),
    ],
)
def test_negations_of_right_to_left_languages_are_whole_words(
    code: str, text: str, found: str | None
) -> None:
    assert find_negation(text, get_language(code)) == found


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_special_characters_have_names_of_their_own(language: Language) -> None:
    listed = language.special_characters
    assert len({text for text, _ in listed}) == len({name for _, name in listed}) == len(listed)


@pytest.mark.parametrize("code", ["ar", "ug"])
def test_language_from_the_right_offers_marks_of_both_directions(code: str) -> None:
    shown = {name: (text, label) for text, name, label in special_characters(code)}
    assert (shown["RLM"], shown["LRM"]) == (("\u200f", "RLM"), ("\u200e", "LRM"))


def test_button_shows_the_character_or_the_name_of_what_nobody_sees() -> None:
    shown = {name: label for _, name, label in special_characters("mn-Mong")}
    assert (shown["Comma"], shown["NNBSP"], shown["FVS1"]) == ("᠂", "NNBSP", "FVS1")
    tibetan = {name: label for _, name, label in special_characters("bo")}
    assert (tibetan["tsheg"], tibetan["rjes su nga ro"]) == ("་", "◌ཾ")
    assert special_characters("en") == []
