"""Opening tags and texts for translation without the white space that shows nowhere."""

import re

from scripts.template_format.nodes import TRANSLATION, pieces

PLURAL = re.compile(r"(\{%\s*plural\s*%\})")
_EXPRESSION = re.compile(r"\{%.*?%\}|\{\{.*?\}\}|\{#.*?#\}", re.DOTALL)


def tidy_tag(tag: str) -> str:
    if tag.startswith("<!"):
        return tag
    text = re.sub(r"\s+>$", ">", " ".join(split_tag(tag)))
    text = re.sub(r'(?<= class=")[^"]*', lambda match: _one_line(match[0]), text)
    return TRANSLATION.sub(lambda match: tidy_translation(match[0]), text)


def tidy_translation(source: str) -> str:
    head, text, end = pieces(source)
    if " trimmed" not in head:
        return source
    return head + "".join(_one_line(part.strip()) for part in PLURAL.split(text)) + end


def split_tag(tag: str) -> list[str]:
    """A tag's name and attributes; what is glued to an attribute stays with it."""
    found, piece, quote, position = [], "", "", 0
    while position < len(tag):
        expression = _EXPRESSION.match(tag, position)
        text = expression[0] if expression else tag[position]
        position += len(text)
        if text.isspace() and not quote:
            found += [piece] if piece else []
            piece = ""
            continue
        piece += text
        if text == quote:
            quote = ""
        elif not quote and text in {'"', "'"}:
            quote = text
    return [*found, piece] if piece else found


def _one_line(text: str) -> str:
    return re.sub(r"\s*\n\s*", " ", text)
