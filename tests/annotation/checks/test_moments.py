"""Times, months and years that are said in other numbers, and other times that are not."""

from collections.abc import Iterator

import pytest

from languages import get_language
from tests.annotation.checks.test_numbers import changes

TIMES = {
    "zh": "{part}{hour}点{minute}分",
    "zh-Hant": "{part}{hour}點{minute}分",
    "bo": "{part}འི་ཆུ་ཚོད་{hour}་དང་སྐར་མ་{minute}",
    "lo": "{part} {hour} ໂມງ {minute} ນາທີ",
    "mn": "{part} {hour} цаг {minute} минут",
    "ug": "{part} سائەت {hour} دىن {minute} مىنۇت",
    "ar": "الساعة {hour}:{minute} {part}",
    "en": "{hour}:{minute} {part}",
}
MONTHS = {"en": "zh", "lo": "bo", "ug": "zh-Hant", "ar": "mn"}
IN_NUMBERS = {"zh": "{}月", "bo": "ཟླ་{}པ", "zh-Hant": "{}月", "mn": "{}-р сар"}


def spoken_times() -> Iterator[tuple[str, str, int]]:
    """Yield each part of the day of each language with an hour that it means."""
    for code in TIMES:
        for part, first, last in get_language(code).calendar.day_parts:
            yield code, part, (first + last) // 2


def test_hour_of_twelve_is_that_of_the_whole_day_and_no_other() -> None:
    wrong = []
    for code, part, hour in spoken_times():
        said = TIMES[code].format(part=part, hour=hour % 12 or 12, minute=25)
        there = changes(f"{hour % 24}:25", said, ("fr", code))
        back = changes(said, f"{hour % 24}:25", (code, "fr"))
        later = changes(f"{(hour + 1) % 24}:25", said, ("fr", code))
        if (there, back) != (("", ""), ("", "")) or later == ("", ""):
            wrong.append((code, part, hour, there, back, later))
    assert wrong == []


@pytest.mark.parametrize(("code", "other"), MONTHS.items())
def test_name_of_a_month_is_its_number_and_no_other(code: str, other: str) -> None:
    for number, names in enumerate(get_language(code).calendar.months, 1):
        for name in names.split("|"):
            month, later = (IN_NUMBERS[other].format(n) for n in (number, (number + 5) % 12 + 1))
            assert changes(month, name, (other, code)) == ("", "")
            assert changes(later, name, (other, code)) != ("", "")


@pytest.mark.parametrize("code", list(TIMES))
def test_year_of_each_era_is_that_of_the_common_era_and_no_other(code: str) -> None:
    for word, added in get_language(code).calendar.eras:
        year = 99 if added > 0 else 2599
        right, wrong, said = str(year + added), str(year + added - 1), f"{word} {year}"
        assert changes(right, said, ("fr", code)) == ("", "")
        assert changes(wrong, said, ("fr", code)) == (wrong, str(year))


@pytest.mark.parametrize(
    ("source", "target", "languages"),
    [
        ("下午三点半", "15:30", ("zh", "lo")),
        ("15:30", "ບ່າຍ 3 ໂມງເຄິ່ງ", ("zh", "lo")),
        ("20:00", "8 ໂມງແລງ", ("zh", "lo")),
        ("15:30", "ཉིན་རྒྱབ་ཀྱི་ཆུ་ཚོད་གསུམ་དང་ཕྱེད་ཀ", ("zh", "bo")),
        ("15:30", "өдрийн 3 цаг хагас", ("zh", "mn")),
        ("20点", "كەچ سائەت سەككىز", ("zh", "ug")),
        ("15:30", "الساعة الثالثة والنصف مساءً", ("zh", "ar")),
        ("上午9时", "9:00", ("zh", "bo")),
        ("3点一刻", "3:15", ("zh", "en")),
        ("12月", "арванхоёрдугаар сар", ("zh", "mn")),
        ("7月1日", "долдугаар сарын 1", ("zh", "mn")),
        ("第21条", "хорин нэгдүгээр", ("zh", "mn")),
        ("第12", "ئون ئىككىنچى", ("zh", "ug")),
        ("第3", "الثالث", ("zh", "ar")),
        ("第12届", "the twelfth", ("zh", "en")),
        ("5月4日", "May Fourth", ("zh", "en")),
        ("1949-10-01", "October 1, 1949", ("zh", "en")),
        ("2023年", "ພ.ສ. 2566", ("zh", "lo")),
        ("1945年", "昭和20年", ("zh", "ja")),
        ("21世纪", "хорин нэгдүгээр зуун", ("zh", "mn")),
        ("19世纪", "القرن التاسع عشر", ("zh", "ar")),
        ("第100", "hundredth", ("zh", "en")),
        ("上午10:00至下午4:00", "10:00-16:00", ("zh", "bo")),
        ("2023年", "佛历2566年", ("en", "zh")),
        ("民國三十八年", "1949", ("zh-Hant", "en")),
        ("民国元年", "1912", ("zh", "en")),
        ("2006年", "བོད་རྒྱལ་ལོ་2133", ("zh", "bo")),
        ("2023年", "1445 هـ", ("zh", "ar")),
        ("20世纪90年代", "1990s", ("zh", "en")),
        ("上世纪90年代", "1990-ээд он", ("zh", "mn")),
        ("廿五", "25", ("zh", "en")),
        ("①②③", "(1)(2)(3)", ("zh", "bo")),
        ("⑴⑵", "① ②", ("zh", "mn")),
        ("㈠⒉", "1, 2", ("zh", "ug")),
        ("⑩㉑", "༡༠ ༢༡", ("zh", "bo")),
    ],
)
def test_moment_in_other_numbers_is_the_same(
    source: str, target: str, languages: tuple[str, str]
) -> None:
    assert changes(source, target, languages) == ("", "")
    assert changes(target, source, languages[::-1]) == ("", "")


@pytest.mark.parametrize(
    ("source", "target", "languages", "expected"),
    [
        ("下午3点30分", "16:30", ("zh", "bo"), ("3", "16")),
        ("15:30", "үдээс өмнө 3 цаг 30 минут", ("zh", "mn"), ("15", "3")),
        ("12月", "November", ("zh", "en"), ("12", "")),
        ("12月", "арваннэгдүгээр сар", ("zh", "mn"), ("12", "")),
        ("2023年", "2566", ("zh", "lo"), ("2023", "2566")),
        ("①②③", "(1)(2)(4)", ("zh", "bo"), ("3", "4")),
        ("①②", "①③", ("zh", "lo"), ("2", "3")),
        ("20世纪50年代，1950年", "دۇس 20 ئەسىرنىڭ 50", ("zh", "ug"), ("1950", "")),
    ],
)
def test_other_moment_is_found(
    source: str, target: str, languages: tuple[str, str], expected: tuple[str, str]
) -> None:
    assert changes(source, target, languages) == expected
