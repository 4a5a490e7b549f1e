"""The lines being written, and what is written one attribute or one word at a time."""

import re

from scripts.template_format.nodes import TRANSLATION, pieces
from scripts.template_format.tags import PLURAL, split_tag

WIDTH = 120
STEP = "  "
_BEFORE_BRANCH = r"(?<=[^\s%{])(?=\{%\s*(?:elif|else|endif)\b)"


class Output:
    """Lines of text; the last one is still being written."""

    def __init__(self) -> None:
        self._lines = [""]

    def __str__(self) -> str:
        return "\n".join(self._lines)

    @property
    def is_at_start_of_line(self) -> bool:
        return not self._lines[-1].strip()

    def put(self, text: str) -> None:
        first, *rest = text.split("\n")
        self._lines[-1] += first
        self._lines += rest

    def line(self, depth: int) -> None:
        """Begin a line, unless one has just begun; white space at the end of the last one goes."""
        if self.is_at_start_of_line:
            self._lines[-1] = STEP * depth
        else:
            self._lines[-1] = self._lines[-1].rstrip()
            self._lines.append(STEP * depth)

    def break_tag(self, depth: int) -> None:
        """Begin a line inside a tag, where a line break is no text."""
        self._lines.append(STEP * depth)

    def skip_line(self) -> None:
        """Leave an empty line before the one that has just begun."""
        self._lines.insert(-1, "")

    def fits(self, text: str, room: int = 0) -> bool:
        """Whether `text` and `room` characters after it end before the line does."""
        return "\n" not in text and len(self._lines[-1]) + len(text) + room <= WIDTH

    def put_tag(self, tag: str, depth: int) -> None:
        """Write a tag, one attribute a line where it does not fit."""
        if self.fits(tag):
            self.put(tag)
        else:
            self.put_attributes(tag, depth)

    def put_tag_open(self, tag: str, depth: int) -> None:
        """Write a tag with its `>` on a line of its own, so that text may stand right behind it."""
        if self.fits(tag):
            self.put(tag[:-1])
            self.break_tag(depth + 1)
        else:
            self.put_attributes(tag[:-1], depth)
            self.line(depth + 1)
        self.put(">")

    def put_attributes(self, tag: str, depth: int) -> None:
        name, *attributes = split_tag(tag)
        self.put(name)
        for attribute in attributes:
            self.line(depth + 1)
            if self.fits(attribute):
                self.put(attribute)
            else:
                self._put_value(attribute, depth + 1)

    def put_translation(self, source: str, depth: int) -> None:
        """Write a text for translation in lines of its own, trimmed if it can be."""
        head, text, end = pieces(source)
        if " trimmed" not in head:
            if text != text.strip() or "\n" in text:
                self.put(source)
                return
            head = re.sub(r"\s*%\}$", " trimmed %}", head)
        self.put(head)
        for part in PLURAL.split(text):
            is_plural = PLURAL.fullmatch(part)
            self.line(depth if is_plural else depth + 1)
            if is_plural:
                self.put(part)
            else:
                self._put_words(part, depth + 1)
        self.line(depth)
        self.put(end)

    def _put_value(self, attribute: str, depth: int) -> None:
        if attribute.startswith('class="'):
            self._put_words(re.sub(_BEFORE_BRANCH, " ", attribute), depth + 1)
            return
        if attribute.startswith('style="'):
            self._put_words(re.sub(r";\s*(?=[a-z])", "; ", attribute), depth + 1)
            return
        position = 0
        for match in TRANSLATION.finditer(attribute):
            self.put(attribute[position : match.start()])
            self.put_translation(match[0], depth)
            position = match.end()
        self.put(attribute[position:])

    def _put_words(self, text: str, depth: int) -> None:
        words = re.findall(r"(?:\{%.*?%\}|\{\{.*?\}\}|\S)+", text)
        for place, word in enumerate(words):
            if place and not self.fits(f" {word}"):
                self.line(depth)
            elif place:
                self.put(" ")
            self.put(word)
