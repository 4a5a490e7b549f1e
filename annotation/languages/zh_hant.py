"""Chinese in traditional characters, as written in Taiwan."""

from typing import Final

from annotation.languages.base import Language

LANGUAGE: Final = Language(
    code="zh-hant",
    script="Han",
    negations=("不", "沒有", "沒", "非", "無", "未", "錯誤", "除了", "除外", "以外", "勿", "否"),
    negation_exceptions=(
        "不僅",
        "不斷",
        "不但",
        "不過",
        "不同",
        "非洲",
        "亞非",
        "非常",
        "無論",
        "未來",
        "不管",
        "是否",
        "除非",
    ),
    sentence_marks="。？！；：",
    number_words=(
        "零 〇 無",
        "一 壹 首",
        "二 兩 雙 貳",
        "三 參",
        "四 肆",
        "五 伍",
        "六 陸",
        "七 柒",
        "八 捌",
        "九 玖",
        "十 拾",
    ),
    big_numbers=(
        "十",
        "百",
        "千",
        "萬",
        "億",
        "半",
    ),
    option_letters="甲乙丙丁戊己",
    digits="〇一二三四五六七八九",
)
