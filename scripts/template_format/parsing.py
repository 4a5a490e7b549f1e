"""Reads a template into a tree."""

import re

from scripts.template_format.elements import BRANCHES, KEPT_IN_CARDS, PAIRS, VERBATIM, VOID
from scripts.template_format.nodes import Node, Untidy
from scripts.template_format.tags import tidy_tag, tidy_translation

TOKEN = re.compile(
    r"(?P<comment>\{#.*?#\}|\{%\s*comment\b.*?\{%\s*endcomment\s*%\}|<!--.*?-->)"
    r"|(?P<text>\{%\s*blocktrans(?:late)?\b.*?\{%\s*endblocktrans(?:late)?\s*%\})"
    r"|(?P<tag>\{%.*?%\})|(?P<var>\{\{.*?\}\})"
    r"|(?P<open><!?[A-Za-z](?:\{%.*?%\}|\{\{.*?\}\}|\"(?:\{%.*?%\}|\{\{.*?\}\}|[^\"])*\""
    r"|'(?:\{%.*?%\}|\{\{.*?\}\}|[^'])*'|[^>\"'])*>)"
    r"|(?P<close></[A-Za-z][^>]*>)|(?P<space>\s+)|(?P<word>(?:(?!\{[%{#]|</?[A-Za-z!])\S)+)",
    re.DOTALL,
)
LETTER = re.compile(r"(?P<word>.)", re.DOTALL)


def parse(source: str) -> Node:
    """The template as one block. Raises Untidy where its tags do not pair up."""
    return _Parser(source).parse()


class _Parser:
    def __init__(self, source: str) -> None:
        self._source = source
        self._position = 0
        self._spaces = ""  # white space that no node has taken yet
        self._open = [Node("block", "", "root", parts=[("", [])])]

    def parse(self) -> Node:
        while self._position < len(self._source):
            at = (self._source, self._position)
            match = TOKEN.match(*at) or LETTER.match(*at)
            if match:  # one letter always does
                self._position = match.end()
                self._take(match.lastgroup or "", match[0])
        if len(self._open) > 1:
            raise Untidy(f"{self._open[-1].source} is never closed")
        self._end_part()
        return self._open[0]

    def _take(self, kind: str, text: str) -> None:
        if kind == "space":
            self._spaces += text
        elif kind == "tag":
            self._take_template_tag(text)
        elif kind == "open":
            self._take_opening_tag(tidy_tag(text))
        elif kind == "close":
            self._take_closing_tag(text)
        else:
            text = tidy_translation(text) if kind == "text" else text
            self._add(Node("atom", text, type=kind))

    def _take_template_tag(self, text: str) -> None:
        name = _first(r"\{%-?\s*(\w+)", text)
        block = self._open[-1]
        if name in PAIRS:
            self._add(Node("block", text, name, parts=[(text, [])], type="tag"), is_open=True)
        elif name in BRANCHES:
            if block.kind != "block":
                raise Untidy(f"{text} inside {block.source}")
            self._end_part()
            block.parts.append((text, []))
        elif name in PAIRS.values():
            if block.kind != "block" or PAIRS.get(block.name) != name:
                raise Untidy(f"{text} closes {block.source}")
            self._close(text)
        else:
            self._add(Node("atom", text, name, type="tag"))

    def _take_opening_tag(self, text: str) -> None:
        name = _first(r"<!?([\w-]+)", text).lower()
        if text.startswith("<!") or name in VOID or text.endswith("/>"):
            self._add(Node("atom", text, name, type="open"))
            return
        self._add(Node("element", text, name, parts=[(text, [])], type="open"), is_open=True)
        if name in VERBATIM:
            self._take_verbatim(name)

    def _take_verbatim(self, name: str) -> None:
        """Everything up to the closing tag as it is."""
        end = self._source.index(f"</{name}", self._position)
        text = self._source[self._position : end]
        if text:
            self._open[-1].parts[0][1].append(Node("atom", text, type="raw"))
        self._position = self._source.index(">", end) + 1
        self._close(f"</{name}>")

    def _take_closing_tag(self, text: str) -> None:
        name = _first(r"</([\w-]+)", text).lower()
        element = self._open[-1]
        if element.kind != "element" or element.name != name:
            raise Untidy(f"{text} closes {element.source or 'nothing'}")
        self._close(f"</{name}>")

    def _add(self, node: Node, *, is_open: bool = False) -> None:
        node.spaces, self._spaces = self._spaces, ""
        around = [each for each in self._open if each.kind == "element"]
        node.is_item = bool(around) and around[-1].lays_out_items
        node.is_kept = node.name in KEPT_IN_CARDS and any("card" in n.classes for n in around)
        self._open[-1].parts[-1][1].append(node)
        if is_open:
            self._open.append(node)

    def _close(self, end: str) -> None:
        self._end_part()
        self._open.pop().end = end

    def _end_part(self) -> None:
        self._open[-1].tails.append(self._spaces)
        self._spaces = ""


def _first(pattern: str, text: str) -> str:
    """The first group of a pattern that must be there."""
    match = re.match(pattern, text)
    if match is None:
        raise Untidy(text)
    return match[1]
