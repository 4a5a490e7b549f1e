"""An answer is joined by the id of an item, else by a question that only one item has."""

from evaluation.outside.joining import Place, Places, join, measured
from evaluation.outside.readers.base import OutsideAnswer

PLACES = Places(
    [
        Place(1, ("p1", "s/1"), "བོད་ཀྱི་རི།"),
        Place(2, ("p2", "s/2"), "same"),
        Place(3, ("p3", "s/3"), "same"),
    ]
)


def answer(uid: str = "", question: str = "", **more: object) -> OutsideAnswer:
    return OutsideAnswer("f", 1, uid, "A", question, **more)  # type: ignore[arg-type]


def found(uid: str, question: str = "") -> int | None:
    place = PLACES.find(answer(uid, question))
    return place.pk if place else None


def test_public_id_own_id_and_question_join() -> None:
    assert found("p1") == 1
    assert found("s/2") == 2
    assert found("other", "བོད་ཀྱི་\u200bརི།") == 1


def test_unknown_id_and_question_of_two_items_do_not_join() -> None:
    assert PLACES.find(answer("s/9")) is None
    assert PLACES.find(answer("", "same")) is None
    assert PLACES.find(answer()) is None


def test_first_answer_of_an_epoch_counts_and_the_rest_is_named() -> None:
    first = answer("s/1", is_right=1.0, measure="acc")
    again, later = answer("p1"), answer("s/1", epoch=2, is_right=0.0, measure="acc")
    stranger = answer("x")

    joined = join([first, again, later, stranger], PLACES)

    assert joined.answers == {(1, 1): first, (1, 2): later}
    assert (joined.doubled, joined.unjoined) == ([again], [stranger])
    assert list(measured(joined)) == [("acc", 0.5, 2)]
