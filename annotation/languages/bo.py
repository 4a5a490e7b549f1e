"""Tibetan."""

from typing import Final

from annotation.languages.base import Language

LANGUAGE: Final = Language(
    code="bo",
    script="Tibetan",
    negations=(
        "མེད",
        "མིན",
        "མ་ཡིན",
        "མ་རེད",
        "མི་",
        "མ་",
        "ནོར་",
        "ལོག་",
        "མ་གཏོགས",
        "བཀག",
        "ཁོངས་སུ་མི",
        "ཕུད",
        "སྤངས",
        "འགལ",
        "ནོར་བ",
        "ནོར་འཁྲུལ",
    ),
    negation_exceptions=("མི་རིགས", "མི་དམངས", "མི་སྣ", "མི་ཚེ", "མ་ལག", "མ་རྩ", "མ་ཟད"),
    question_words=("གང", "ག་རེ", "ག་ཚོད", "ག་པ", "ག་འདྲ", "ཅི", "ཇི", "སུ་ཞིག", "སུ་ཡིན"),
    sentence_marks="།༎༏༑༔",
    number_words=(
        "ཀླད་ཀོར",
        "གཅིག དང་པོ ཞིག རྐྱང",
        "གཉིས",
        "གསུམ",
        "བཞི",
        "ལྔ",
        "དྲུག",
        "བདུན",
        "བརྒྱད",
        "དགུ",
        "བཅུ",
    ),
    big_numbers=(
        "བཅུ",
        "ཉི་ཤུ",
        "བརྒྱ",
        "སྟོང",
        "ཁྲི",
        "འབུམ",
        "ས་ཡ",
        "ཕྱེད",
    ),
    option_letters="ཀཁགངཅཆ",
    digits="༠༡༢༣༤༥༦༧༨༩",
)
