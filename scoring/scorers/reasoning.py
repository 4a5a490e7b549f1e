"""Removes from a response what is not the answer: reasoning and excluded strings."""

from collections.abc import Sequence

TAGS = ("think", "reasoning", "thought", "analysis", "step")
_TAG_PAIRS = tuple((f"<{tag}>", f"</{tag}>") for tag in TAGS)
_LOG_OPENING, _LOG_TURN, _LOG_CLOSING = "Reasoning", "Reasoned", "seconds"


def answer_text(response: str, excluded: Sequence[str] = (), *, is_published: bool = False) -> str:
    """Return the response without its reasoning and without the strings of `excluded`.

    With `is_published`, reasoning is what the published scorer of TLUE removes, and nothing else.

    Source: TLUE algorithms 1 and 2, first step. Reasoning is removed first. Then each excluded
    string is removed wherever it occurs, exactly as written, one string after another.
    """
    text = strip_closed_blocks(response) if is_published else strip_reasoning(response)
    for string in excluded:
        if string:
            text = text.replace(string, "")
    return text


def strip_closed_blocks(response: str) -> str:
    """Remove `<tag>…</tag>` for every tag in TAGS, as the published scorer of TLUE does.

    Tags are handled in the order of TAGS, each from its opening to the nearest closing tag. Takes
    linear time.
    """
    text = response
    if "<" in text:
        for opening, closing in _TAG_PAIRS:
            if opening in text:
                text = _without_blocks(text, opening, closing)
    return text


def strip_reasoning(response: str) -> str:
    """Remove closed blocks, then loose tags, then o1-style `Reasoning … Reasoned … seconds`.

    The published scorer leaves two more cases in the text. Here they count as reasoning:

    * the text after an opening tag that is never closed, because the model was cut off before it
      answered;
    * the text before a closing tag without an opening one, because the chat template had already
      sent the opening tag, or blocks were nested.

    The paper mentions o1-style logs, the published scorer does not. Takes linear time.
    """
    text = strip_closed_blocks(response)
    if "<" in text:
        for opening, closing in _TAG_PAIRS:
            text = _without_loose_tags(text, opening, closing)
    if _LOG_TURN in text:
        text = _without_logs(text)
    return text


def _without_blocks(text: str, opening: str, closing: str) -> str:
    kept = []
    position = 0
    while (start := text.find(opening, position)) >= 0:
        end = text.find(closing, start + len(opening))
        if end < 0:
            break
        kept.append(text[position:start])
        position = end + len(closing)
    return "".join(kept) + text[position:] if position else text


def _without_loose_tags(text: str, opening: str, closing: str) -> str:
    last_closing = text.rfind(closing)
    if last_closing >= 0:
        text = text[last_closing + len(closing) :]
    return text.partition(opening)[0]


def _without_logs(text: str) -> str:
    kept = []
    position = 0
    while (start := text.find(_LOG_OPENING, position)) >= 0:
        turn = text.find(_LOG_TURN, start + len(_LOG_OPENING))
        end = text.find(_LOG_CLOSING, turn + len(_LOG_TURN)) if turn >= 0 else -1
        if end < 0:
            break
        kept.append(text[position:start])
        position = end + len(_LOG_CLOSING)
    return "".join(kept) + text[position:]
