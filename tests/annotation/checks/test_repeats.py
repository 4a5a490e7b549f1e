"""Short pieces of a text in a row: loops of models in every script, and none in words said twice or thrice."""

import pytest

from annotation.checks.catalogue.repeats import Repeat, added_loop, find_loop
from languages import get_language
from tests.timing import least_cpu

LOOPS = (
    ("bo", "དྲི་བ་འདི་ནི་རྒྱལ་ཁབ་ཀྱི་རྒྱལ་ཁབ་ཀྱི་རྒྱལ་ཁབ་ཀྱི་རྒྱལ་ས་གང་ཡིན།"),
    ("bo", "འདི་ནི་བོད་ཡིག་བོད་ཡིག་བོད་ཡིག་ཡིན།"),
    ("lo", "ນະຄອນຫຼວງຂອງລາວແມ່ນຫຍັງແມ່ນຫຍັງແມ່ນຫຍັງ"),
    ("lo", "ປະເທດປະເທດປະເທດລາວ"),
    ("mn", "Монгол улсын нийслэл улсын нийслэл улсын нийслэл хаана вэ"),
    ("zh-Hant", "下列說法正確正確正確的是"),
    ("zh-Hant", "下列關於細胞的說法的說法的說法"),
    ("en", "What is the capital of the capital of the capital of France?"),
    ("ug", "پايتەختى قايسى شەھەر قايسى شەھەر قايسى شەھەر"),
    ("bo", "གང་གང་གང་གང་གང་གང་གང་གང་"),
    ("lo", "ແມ່ນຫຍັງ ແມ່ນຫຍັງ ແມ່ນຫຍັງ ແມ່ນຫຍັງ ແມ່ນຫຍັງ ແມ່ນຫຍັງ ແມ່ນຫຍັງ ແມ່ນຫຍັງ "),
    ("bo", "ཀཀཀཀཀཀཀཀཀཀཀཀ"),
    ("ar", "ما هي عاصمة فرنسا عاصمة فرنسا عاصمة فرنسا"),
    ("lo", "ດີດີດີດີດີດີດີ"),
)
SOUND = (
    ("bo", "ཡང་ཡང་ཡང་ཡང་བཟླས།"),
    ("bo", "རིམ་རིམ་བཞིན་ཞིབ་ཞིབ་ཏུ"),
    ("lo", "ຊ້າໆ ໄວໆ ດີໆ"),
    ("lo", "ຊ້າຊ້າ ໄດ້ພ້າສອງເຫຼັ້ມງາມ"),
    ("lo", "ຫຼາຍຫຼາຍຫຼາຍ"),
    ("zh-Hant", "人人都說哈哈哈哈，研究研究，討論討論"),
    ("mn", "янз янзын дахин дахин дахин хэлэв"),
    ("en", "very very very good, 1010101010 ........ -------- ___ ___ ___"),
    ("bo", "( ) ( ) ( ) ( )"),
    ("en", "0.333333333333 100010001000"),
    ("ug", "ئاستا ئاستا ئاستا"),
    ("zh-Hant", "天天向上天天快樂"),
    ("lo", "……………… ______ ______ ______"),
)


def test_short_piece_that_is_there_three_times_is_found_in_every_script() -> None:
    assert [(code, text) for code, text in LOOPS if not find_loop(text, get_language(code))] == []


def test_doubled_words_lists_and_rows_of_signs_are_no_loop() -> None:
    assert [(code, text) for code, text in SOUND if find_loop(text, get_language(code))] == []


def test_loop_is_told_with_its_piece_count_and_place() -> None:
    text = "འདི་ནི་བོད་ཡིག་བོད་ཡིག་བོད་ཡིག་ཡིན།"
    assert find_loop(text, get_language("bo")) == Repeat("་བོད་ཡིག", 3, 6, 31)


def test_loop_of_the_source_may_stay_in_the_translation() -> None:
    chinese, tibetan = get_language("zh"), get_language("bo")
    text = "ཐིག་པ་ཐིག་པ་ཐིག་པ་ཞེས་སྐད་གྲགས།"
    assert added_loop("滴答滴答滴答地响", text, chinese, tibetan) is None
    assert added_loop("滴答地响", text, chinese, tibetan) is not None


@pytest.mark.slow
@pytest.mark.parametrize("piece", [".", "_ ", "10", "ab", "དེ་ནི་", "གང་"])
def test_search_for_loops_takes_time_that_grows_with_the_text_only(piece: str) -> None:
    tibetan = get_language("bo")
    short, long = piece * 2_000, piece * 16_000
    quick = least_cpu(lambda: find_loop(short, tibetan))
    assert least_cpu(lambda: find_loop(long, tibetan)) < 30 * quick + 0.01
