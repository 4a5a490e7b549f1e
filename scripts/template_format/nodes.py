"""A template as a tree: elements and template blocks with what stands in them."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from scripts.template_format.elements import BLOCK, FLEX, INNER_FREE, KEPT_CLASSES, VERBATIM

TRANSLATION = re.compile(
    r"(\{%\s*blocktrans(?:late)?\b.*?%\})(.*?)(\{%\s*endblocktrans(?:late)?\s*%\})", re.DOTALL
)


class Untidy(Exception):
    """The file's tags do not pair up."""


@dataclass
class Node:
    """An atom (a word, a tag without an end), an element, or a template block.

    `source` is an atom's text or an opening tag; `parts` pairs the tag that opens a part (a block
    has one for each branch) with what stands in it; `spaces` is the white space before the node
    and `tails` that at the end of each part. `is_item`: a flex or grid container lays it out.
    """

    kind: str
    source: str
    name: str = ""
    end: str = ""
    parts: list[tuple[str, list[Node]]] = field(default_factory=list)
    spaces: str = ""
    tails: list[str] = field(default_factory=list)
    type: str = ""
    is_item: bool = False
    is_kept: bool = False

    @property
    def classes(self) -> set[str]:
        match = re.search(r'\bclass="([^"]*)"', self.source)
        names = re.sub(r"\{\{.*?\}\}|\{%.*?%\}", " ", match[1]) if match else ""
        return set(names.split())

    @property
    def is_block(self) -> bool:
        """Whether white space beside it is dropped."""
        return self.type == "open" and (self.name in BLOCK or self.is_item)

    @property
    def is_inner_free(self) -> bool:
        """Whether white space at its inner edges is dropped."""
        return self.is_block or self.name in INNER_FREE or bool(FLEX & self.classes)

    @property
    def lays_out_items(self) -> bool:
        return bool(FLEX & self.classes) or self.name in {"svg", "g"}

    @property
    def is_verbatim(self) -> bool:
        """Whether it is written as it is."""
        return self.kind == "element" and self.name in VERBATIM

    @property
    def keeps_spaces(self) -> bool:
        """Whether no white space in it may be added, removed or moved."""
        if self.kind != "element":
            return False
        return self.name in VERBATIM or self.is_kept or bool(KEPT_CLASSES & self.classes)

    @property
    def is_silent(self) -> bool:
        """Whether nothing of it is shown."""
        if self.type == "text":
            return " asvar " in pieces(self.source)[0]
        if self.type == "comment" or (self.name == "input" and 'type="hidden"' in self.source):
            return True
        is_quiet_tag = self.name in {"load", "extends", "csrf_token"} or " as " in self.source
        return self.type == "tag" and is_quiet_tag

    def flat(self) -> str:
        """The node in one line, as far as its white space allows."""
        if self.kind == "atom":
            return self.source
        return "".join(map(self._flat_part, self.parts, self.tails)) + self.end

    def _flat_part(self, part: tuple[str, list[Node]], tail: str) -> str:
        head, nodes = part
        if self.is_verbatim:
            return head + "".join(node.spaces + node.flat() for node in nodes) + tail
        texts = ((node.spaces and " ") + node.flat() for node in nodes)
        return head + "".join(texts) + (tail and " ")


def pieces(translation: str) -> tuple[str, str, str]:
    """A text for translation as its opening tag, its words and its closing tag."""
    match = TRANSLATION.fullmatch(translation)
    if match is None:
        raise Untidy(translation)
    return match[1], match[2], match[3]
