"""Names that look alike fold to one text, others do not."""

import pytest

from common.names import fold_name, one_line

ALIKE = (
    "Physics",
    "physics",
    " Physics ",
    "Physics\u00a0",
    "Phy\u200bsics",
    "\ufeffPhysics",
    "Ｐhysics",
    "PHYSICS",
    "\u3164Physics",
    "Phy\u034fsics\ufe0f",
    "Physics\u2800",
    "Phy\u0455\u0456cs",
    "\u0420hysics",
)
APART = ("high school physics", "highschool physics", "physics 2", "高中物理", "物理", "10²ⁿ", "")


def test_names_that_look_alike_fold_to_one() -> None:
    assert {fold_name(name) for name in ALIKE} == {"physics"}
    assert fold_name("high_school  physics") == fold_name("High\u3000School Physics")
    assert fold_name("⾼⼀⽣") == fold_name("高一生")
    assert fold_name("⻓⻋") == fold_name("长车")
    assert fold_name("ນ້ຳ") == fold_name("ນໍ້າ") == fold_name(fold_name("ນ້ຳ"))
    assert fold_name("དངོས་ཁམས་") == fold_name("དངོས༌ཁམས")
    assert fold_name("کیمیا") == fold_name("كيميا")
    assert fold_name("ᠮᠣᠩᠭᠣᠯ\u180b") == fold_name("ᠮᠣᠩᠭᠣᠯ")
    assert fold_name("Straße\u0301") == fold_name("STRASSÉ")


def test_names_that_differ_to_the_eye_stay_apart() -> None:
    folded = [fold_name(name) for name in APART]
    assert len({*folded}) == len(APART)
    assert [fold_name(name) for name in folded] == folded


@pytest.mark.parametrize(
    ("typed", "shown"),
    [
        ("my-model 7B", "my-model 7B"),
        ("my\u202e\u2066model\n 7\u00a0B\x1b", "mymodel 7 B"),
        ("བོད་ཡིག ཀ", "བོད་ཡིག ཀ"),
        ("\u200b\u3164\u2800\ufeff", ""),
    ],
)
def test_a_name_is_shown_in_one_line_of_signs_that_are_seen(typed: str, shown: str) -> None:
    assert one_line(typed) == shown
