"""Tibetan."""

from typing import Final

from languages.base import DuplicateLimits, Language, PromptFrames, Statement, Typography, WebFont

LANGUAGE: Final = Language(
    code="bo",
    script="Tibetan",
    name="བོད་ཡིག",
    segmentation="tsheg",
    typography=Typography(
        "var(--bo)",
        size=1.24,
        line_height=1.95,
        web_font=WebFont(
            files=("NotoSerifTibetan-Regular.ttf", "NotoSansTibetan-Regular.ttf", "Jomolhari.ttf"),
            ranges=((0x0F00, 0x0FFF),),
        ),
    ),
    digits="༠༡༢༣༤༥༦༧༨༩",
    sentence_marks="།༎༏༐༑༔་",
    special_characters=(
        ("་", "tsheg"),
        ("།", "shad"),
        ("༎", "nyis shad"),
        ("༑", "rin chen spungs shad"),
        ("༔", "gter tsheg"),
        ("༈", "sbrul shad"),
        ("༄༅", "yig mgo"),
        ("༼", "gug rtags g.yon"),
        ("༽", "gug rtags g.yas"),
        ("ཾ", "rjes su nga ro"),
        ("ཿ", "rnam bcad"),
        ("\u0f0c", "tsheg bstar"),
    ),
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
    number_units=(("ཁྲི", 10_000), ("འབུམ", 100_000), ("ས་ཡ", 1_000_000)),
    option_letters="ཀཁགངཅཆཇཉཏཐ",
    duplicate_limits=DuplicateLimits(candidate=0.78, semantic=0.85, run=10),
    statement=Statement(
        nouns=("ལན", "དྲིས་ལན", "ལན་གདབ", "ཡང་དག་པའི་ལན", "འདེམས་ཀ", "གདམ་ག"),
        links=("་ནི", "་ནི་", "ནི", "ནི་", "།"),
    ),
    frames=PromptFrames(
        system="ཁྱེད་ནི་བོད་ཡིག་གི་འདེམས་དྲིས་ལ་ལན་འདེབས་མཁན་ཞིག་ཡིན། དྲི་བ་རེ་རེར་ལན་ཡང་དག་པ་གཅིག་ལས་མེད།",
        direct="{question}\n\n{options}\n\nལན་ཡང་དག་པའི་ཡི་གེ་ {letters} ལས་གཅིག་ཁོ་ན་འབྲི་རོགས།",
        reasoned=(
            "{question}\n\n{options}\n\nཐོག་མར་རིམ་པ་བཞིན་བསམ་བློ་གཏོང་རོགས། "
            "དེ་རྗེས་ཡིག་ཕྲེང་མཐའ་མར་ “ལན་ནི་X” ཞེས་འབྲི་རོགས། X ནི་ {letters} ལས་གཅིག་ཡིན།"
        ),
        answer="ལན་ནི་{letter}",
    ),
    number_frames=PromptFrames(
        system="ཁྱེད་ནི་བོད་ཡིག་གི་དྲི་བར་ལན་འདེབས་མཁན་ཞིག་ཡིན། དྲི་བ་རེ་རེའི་ལན་ནི་གྲངས་ཀ་ཞིག་ཡིན།",
        direct="{question}\n\nལན་གྱི་གྲངས་ཀ་ཁོ་ན་འབྲི་རོགས།",
        reasoned=(
            "{question}\n\nཐོག་མར་རིམ་པ་བཞིན་བསམ་བློ་གཏོང་རོགས། དེ་རྗེས་ཡིག་ཕྲེང་མཐའ་མར་ “ལན་ནི་X” ཞེས་འབྲི་རོགས། X ནི་གྲངས་ཀ་ཞིག་ཡིན།"
        ),
        answer="ལན་ནི་{letter}",
    ),
    word_endings=("འི", "འོ", "འམ", "འང", "འིའོ", "ས", "ར"),
)
