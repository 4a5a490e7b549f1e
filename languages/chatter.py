"""What language models say around a translation, and the names that prompts give to their parts.

Models do so in English or Chinese, whatever language they translate into, and in its own language;
so the phrases of all languages are looked for together.
"""

import re
from typing import Final

_SAID: Final = (
    r"\b(?:here(?:’|')?s?(?: is| are)? (?:the|your|a) (?:\w+ ){0,3}(?:translation|version|answer)s?)",
    r"\b(?:okay|sure|certainly|of course|absolutely)[!,.:] (?:here|i|the|below|let)",
    r"(?<![^\x00])(?:sure|certainly|of course|absolutely)[!,.:]\s{1,3}[^\W\d_a-zµ-ɏ]",
    (
        r"\bi(?:’|')?m sorry,? (?:but|i)|\bi (?:apologi[sz]e|can(?:no|’|')?t (?:assist|help|translate"
        r"|provide|fulfil))"
    ),
    r"\bas an ai\b|\bi(?:’|')?m an ai\b|\bas a language model\b|\b(?:sorry|apologies),? (?:but )?i (?:can|am)\b",
    r"(?<![^\x00])here you go\b|(?<![^\x00])note:|\btranslated\)",
    r"[\n\x00]\s{0,9}[(（]?(?:explanation|note|translator(?:’|')s note)s?\s?:",
    r"[\n\x00]\s{0,9}[(（]?(?:注|译注|譯註|说明|說明|解释|解釋)[:：]",
    (
        r"\b(?:the )?translat(?:ion|ed text) (?:is|of the|in|into)\b[^.\n]{0,40}:"
        r"|\btranslated (?:in)?to (?:tibetan|lao|mongolian|chinese|english)"
    ),
    r"\b(?:please )?let me know if\b|\bhope (?:this|that|it) helps\b",
    r"\banything else (?:i can|you(?:’|')?d like)\b|\bfeel free to\b|\bnote: (?:the|this|i)\b|\bhere is the text\b",
    r"(?<![^\x00])\s{0,3}\{\s{0,3}\"\w{1,20}\"\s{0,3}:\s{0,3}[\"\[{]",
    r"\bi am unable to\b|\bi(?:’|')m unable to\b|\bunable to translate\b",
    r"以下是(?:[^，。\n]{0,12})(?:翻译|译文|翻譯)|抱歉，|对不起，(?:我|作为)|很抱歉|對不起，我|(?:作为|身为)(?:一个|一名)?(?:AI|人工智能|语言模型)",
    (
        r"(?:作為|身為)(?:一個|一名)?(?:AI|人工智慧|語言模型)|(?:好的|当然|當然)[，！,!](?:以下|下面|这是|這是)|(?:翻译|譯文|译文|翻譯)(?:如下|结果|結果)[:：]|我(?:无法|不能)(?:翻译"
        r"|提供|回答)|希望(?:这|這|對|对).{0,6}(?:帮助|幫助)"
    ),
    (
        r"དགོངས་དག|འདི་ནི་(?:བོད་)?(?:ཡིག་)?(?:གི་)?(?:འགྱུར|ཡིག་སྒྱུར)|(?:ཡིག་སྒྱུར|བསྒྱུར་ཡིག|འགྱུར་ཡིག)་(?:ནི་)?གཤམ་གསལ"
        r"|གཤམ་(?:གསལ་ནི་ཡིག་སྒྱུར|དུ་བསྒྱུར)|ངས་(?:འདི་)?བསྒྱུར་མི་ཐུབ|ངས་(?:ཡིག་སྒྱུར|ལན)་?(?:[^\n]{0,12})(?:མི་ཐུབ|མི་ནུས)"
    ),
    (
        r"ຂໍອະໄພ|ຂໍໂທດ|(?:ນີ້|ຕໍ່ໄປນີ້|ລຸ່ມນີ້)(?:ແມ່ນ|ຄື)(?:ການ|ຄຳ|ຄໍາ|ບົດ)ແປ|ຂ້ອຍບໍ່ສາມາດແປ|ຂ້າພະເຈົ້າບໍ່ສາມາດ"
        r"|ໃນຖານະ(?:ທີ່)?ເປັນ\s?(?:AI|ເອໄອ|ປັນຍາປະດິດ|ຕົວແບບພາສາ)|(?:ຄຳ|ຄໍາ|ການ)ແປ(?:ເປັນ)?ພາສາ\S{0,12}\s?:"
    ),
    (
        r"уучлаарай,|орчуулга (?:нь )?(?:доор|дараах)|энд орчуулга|би орчуулж чадахгүй"
        r"|хиймэл оюун(?: ухаан)?(?:ы загвар)? (?:учраас|тул)|энэ бол орчуулга|мэдээж[!,]"
        r"|монгол (?:хэл\w{0,4} )?(?:дээрх |руу )?орчуулга\w{0,3}\s?:|ᠠᠭᠤᠴᠢᠯᠠᠭᠠᠷᠠᠢ"
    ),
    r"كەچۈرۈڭ|تەرجىمىسى تۆۋەندىكىچە|تەرجىمىسى مۇنداق|مەن تەرجىمە قىلالمايمەن",
    (
        r"عذر[اً]{1,2}،|آسف،|إليك الترجمة|(?:هذه|هذا|فيما يلي) (?:هي |هو )?(?:ال)?ترجم[ةه]|بصفتي نموذج"
        r"|لا (?:أستطيع|يمكنني) (?:ترجمة|المساعدة)"
    ),
)
_LATIN_ANCHOR: Final = re.compile(
    "translat|sorry|sure|certainly|of course|absolutely|apolog|an ai|language model|let me know|note:"
    "|unable to|here is|i can|hope |okay|anything else|feel free|here you go|explanation|note"
)
"""Finds something in every text in which CHATTER finds English words; the text is in small letters."""

_ANCHOR: Final = re.compile(
    r"\{\s{0,3}\"|以下是|抱歉|身为|身為|当然|當然|注：|注:|明：|明:|释：|释:|釋：|釋:|对不起|對不起|作为|作為|好的|译|譯|我无法|我不能|希望"
    "|དགོངས་དག|འདི་ནི་(?:བོད|ཡིག|གི་|འགྱུར)|སྒྱུར་གཤམ|སྒྱུར་ནི་གཤམ|ཡིག་གཤམ|ཡིག་ནི་གཤམ|གཤམ་གསལ་ནི་ཡིག|གཤམ་དུ་བསྒྱུར|ངས་(?:ཡིག་སྒྱུར|ལན|འདི་བསྒྱུར|བསྒྱུར)|ຖານະ|ຂໍອະໄພ|ຂໍໂທດ|ແປ"
    "|ຂ້າພະເຈົ້າ|учлаарай|рчуул|иймэл|эдээж|ᠠᠭᠤᠴᠢ|كەچۈرۈڭ|تەرجىمە|عذر|آسف|ترجم|بصفتي|أستطيع|يمكنني"
)
"""Finds something in every text in which CHATTER finds words of another language.

Each branch begins with a letter, not with a group, so that the engine leaps from one to the next.
"""

_LATIN_WORD: Final = re.compile(r"[A-Za-z][a-z]{2}|n AI")

CHATTER: Final = re.compile("|".join(_SAID), re.IGNORECASE)

_NAMES: Final = (
    *(
        "questions?",
        "answers?",
        r"translations?(?: ?\([a-z ]{1,30}\))?",
        "translated (?:text|question|option)",
        "output",
        "input",
    ),
    *(
        "options?(?: [A-J])?",
        "choices?",
        "explanation",
        "source",
        "target",
        "tibetan",
        "lao",
        "mongolian",
        "user",
    ),
    *("assistant", "system", "response", "human", "[QA]"),
    *(
        "问题",
        "题目",
        "問題",
        "題目",
        "答案",
        "选项 ?[A-J]?",
        "選項 ?[A-J]?",
        "翻译",
        "翻譯",
        "译文",
        "譯文",
    ),
    *("ຄຳຖາມ", "ຄໍາຖາມ", "ຄຳຕອບ", "ຄໍາຕອບ", "ຕົວເລືອກ", "ຄຳແປ", "ການແປ"),
    *("асуулт", "хариулт", "орчуулга", "сонголт", "ᠠᠰᠠᠭᠤᠯᠲᠠ", "ᠬᠠᠷᠢᠭᠤᠯᠲᠠ", "ᠣᠷᠴᠢᠭᠤᠯᠭ\u180eᠠ"),
    *(
        "سوئال",
        "جاۋاب",
        "تەرجىمە",
        "تەرجىمىسى",
        "السؤال",
        "سؤال",
        "الإجابة",
        "الجواب",
        "الترجمة",
        "الخيار",
    ),
)
_TIBETAN: Final = "དྲི་བ|དྲིས་བ|དྲི་ཚིག|འདྲི་བ|ལན|དྲིས་ལན|འདེམས་ཀ|འདེམས་ཁ|འདེམས་བྱ|གདམ་ག|ཡིག་སྒྱུར|བསྒྱུར་བ|འགྱུར"
PROMPT_LABELS: Final = re.compile(
    rf"\s{{0,20}}(?:\*\*)?(?:(?:{'|'.join(_NAMES)})\s?[:：᠄]"
    rf"|(?:{_TIBETAN})་?\s?(?:[:：༔]|།(?=[ \n])))(?:\*\*)?\s{{0,20}}",
    re.IGNORECASE,
)


PLACEHOLDER: Final = re.compile(
    r"n/a|none|null|undefined|nan|tbd|todo|[\[(<]?option[ _]?[A-J][\])>]?",
    re.IGNORECASE,
)
"""What programs and models write where there is no text."""

LABEL_WORDS: Final = re.compile(rf"\s{{0,20}}(?:{'|'.join(_NAMES)}|{_TIBETAN})", re.IGNORECASE)
"""Finds the word of a label at the start of a text, with or without its mark."""


def may_be_chatter(text: str) -> bool:
    """Return whether a closer look is worth its time."""
    is_near = _ANCHOR.search(text) is not None or (
        _LATIN_WORD.search(text) is not None and _LATIN_ANCHOR.search(text.lower()) is not None
    )
    return is_near and CHATTER.search(text) is not None
