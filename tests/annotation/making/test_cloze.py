"""Items that ask for the word of a gap: wrong words of the same kind, never forms of the right one."""

from annotation.making.base import Fault
from annotation.making.cloze import make_cloze, shares_stem
from annotation.making.words import bare
from languages import get_language

EN, MN, BO = get_language("en"), get_language("mn"), get_language("bo")
WORDS = {
    "house": "noun", "houses": "noun", "it": "pronoun", "river": "noun", "stone": "noun",
    "slow": "adjective", "slowly": "adverb", "warm": "adjective", "soon": "adverb",
    "often": "adverb", "Paris": "properNoun", "run": "verb",
}  # fmt: skip


def test_wrong_words_are_of_the_kind_of_the_right_one_and_none_is_a_form_of_it() -> None:
    for seed in range(30):
        (item,) = make_cloze(
            ["They built a (house)."], WORDS, EN, question="Fill: %s", seed=seed
        ).items
        assert item.question == "Fill: They built a (____)."
        assert item.options["ABCD".index(item.key)] == "house"
        assert {*item.options} <= {"house", "it", "river", "stone", "Paris"}


def test_adjectives_go_with_adverbs_and_words_of_the_sentence_are_left_out() -> None:
    (item,) = make_cloze(
        ["He walks slowly and soon sleeps."],
        {**WORDS, "soon": "other", "late": "adverb"}, EN, question="%s", seed=1,
    ).items  # fmt: skip
    assert {*item.options} == {"slowly", "warm", "often", "late"}


def test_lines_without_an_item_say_why() -> None:
    lines = ["We sing.", "We run.", "house by house", "In the house"]
    made = make_cloze(lines, WORDS, EN, question="%s", seed=1)
    assert made.faults == [
        Fault("no_word_known", 1), Fault("too_few_distractors", 2), Fault("no_word_known", 3),
    ]  # fmt: skip
    assert made == make_cloze(lines, WORDS, EN, question="%s", seed=1)


def test_stems_are_shared_by_beginning_or_without_an_ending() -> None:
    for word, other, is_shared in [
        ("house", "houses", True), ("slow", "slowly", True), ("go", "goes", True),
        ("stone", "river", False), ("go", "gold", False), ("ном", "номын", True), ("морь", "мод", False),
    ]:  # fmt: skip
        language = MN if word[0] > "z" else EN
        assert shares_stem(bare(word), bare(other), language) == is_shared, (word, other)


def test_vowel_signs_stay_at_their_word_and_a_mark_is_no_word() -> None:
    words = dict.fromkeys(("བོ", "ཀི", "ཀུ", "གེ", "—"), "noun")
    lines = ["ང་|བོ་|ལ་|འགྲོ།", "ང་|—|བ་|འགྲོ།"]
    made = make_cloze(lines, words, BO, question="%s", seed=1)
    assert [(item.question, {*item.options}) for item in made.items] == [
        ("ང་____་ལ་འགྲོ།", {"བོ", "ཀི", "ཀུ", "གེ"})
    ]
    assert made.faults == [Fault("no_word_known", 2)]
