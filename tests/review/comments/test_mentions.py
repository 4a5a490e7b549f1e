"""Finding names after an @."""

import pytest

from review.comments.mentions import Named, Part, find_mentions, find_strays, split_mentions

PEMA, DORJE, ALL = Named("Pema", (1,)), Named("Pema Dorje", (2,)), Named("seniors", (3, 4))


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("@Pema", [PEMA]),
        ("ask @pema!", [PEMA]),
        ("@Pema Dorje knows", [DORJE]),
        ("@Pema and @Pema Dorje", [PEMA, DORJE]),
        ("(@seniors)", [ALL]),
        ("@Pemas", []),
        ("mail@Pema", []),
        ("Pema", []),
        ("@", []),
        ("@Pema @Pema", [PEMA]),
    ],
)
def test_longest_name_after_the_sign_is_found(text: str, found: list[Named]) -> None:
    assert find_mentions(text, [PEMA, DORJE, ALL]) == found


def test_people_of_the_same_name_are_all_found() -> None:
    twin = Named("pema", (9,))
    assert find_mentions("@Pema", [PEMA, twin]) == [PEMA, twin]


def test_names_in_other_scripts_and_with_signs_are_found() -> None:
    names = [Named("པདྨ་", (1,)), Named("a.b*c", (2,))]
    assert find_mentions("@པདྨ་ @a.b*c", names) == names


def test_text_is_split_at_its_mentions_and_joins_again() -> None:
    parts = split_mentions("so @Pema, yes", ["Pema"])
    assert parts == [Part("so "), Part("@Pema", is_mention=True), Part(", yes")]
    assert split_mentions("@x", []) == [Part("@x")]


def test_nobody_known_means_nobody_found() -> None:
    assert find_mentions("@Pema", []) == []


@pytest.mark.parametrize(
    ("text", "strays"),
    [
        ("@Pema and @seniors", []),
        ("@Tashi, @tashi and @Karma.", ["@Tashi", "@Karma"]),
        ("@Pemas", ["@Pemas"]),
        ("(@པདྨ་) @丹增，请看", ["@པདྨ", "@丹增"]),
        ("mail@example.org @ @_ 5 @", []),
        ("@Pema@Tashi", []),
    ],
)
def test_words_that_name_nobody_are_found_once_and_without_the_marks_around_them(
    text: str, strays: list[str]
) -> None:
    assert find_strays(text, [PEMA, DORJE, ALL]) == strays


def test_every_word_is_a_stray_where_nobody_is_known() -> None:
    assert find_strays("@Pema", []) == ["@Pema"]
