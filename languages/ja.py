"""Japanese: so far only what duplicates and pages need."""

from typing import Final

from languages.base import Language, Statement
from languages.zh import LANGUAGE as CHINESE

LANGUAGE: Final = Language(
    code="ja",
    script="Han",
    name="日本語",
    segmentation="character",
    sentence_marks=CHINESE.sentence_marks,
    calendar=CHINESE.calendar,
    duplicate_limits=CHINESE.duplicate_limits,
    statement=Statement(
        nouns=("答え", "正解", "解答", "回答", "正しい答え", "正しい選択肢", "最終的な答え"),
        links=("は", "が"),
        rights=("が正解", "が正しい", "は正しい", "が正しいです"),
        names=("選択肢",),
        joins=("または", "か", "と", "や"),
        denials_after=("ではない", "ではありません", "は誤り", "は間違い", "じゃない"),
        finals=("最終", "訂正", "いや、", "待って"),
    ),
    option_names=(
        r"上記|いずれも|どれも|どちらも|(?:すべて|全て|全部)(?:正し|誤|間違|当てはま)|正解(?:は|が)?な",
        r"(?:#)(?:と|、|か|または)(?:#)|(?:#)(?:のみ|だけ|と同じ|以外)|(?:最初|最後|前)の(?:@|二|三)つ",
    ),
    whole_option_names=(r"(?:両方|すべて|全て|なし|どれでもない|いずれでもない)(?:です)?",),
    sentence_question="語順が正しい文はどれですか。",
)
