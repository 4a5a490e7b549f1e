"""Chinese in simplified characters."""

from typing import Final

from annotation.languages.base import Language

LANGUAGE: Final = Language(
    code="zh",
    script="Han",
    negations=("不", "没有", "没", "非", "无", "未", "错误", "除了", "除外", "以外", "勿", "否"),
    negation_exceptions=(
        "不仅",
        "不断",
        "不但",
        "不过",
        "不同",
        "非洲",
        "亚非",
        "非常",
        "无论",
        "未来",
        "不管",
        "是否",
        "除非",
    ),
    sentence_marks="。？！；：",
    number_words=(
        "零 〇 无",
        "一 壹 首",
        "二 两 双 贰",
        "三 叁",
        "四 肆",
        "五 伍",
        "六 陆",
        "七 柒",
        "八 捌",
        "九 玖",
        "十 拾",
    ),
    big_numbers=(
        "十",
        "百",
        "千",
        "万",
        "亿",
        "半",
    ),
    option_letters="甲乙丙丁戊己",
    digits="〇一二三四五六七八九",
)
