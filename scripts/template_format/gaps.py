"""Finds where white space may be added or dropped without a change to the page."""

import re
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Literal

from scripts.template_format.nodes import Node, Untidy
from scripts.template_format.parsing import parse

Edge = Literal["free", "stop", "clear"]
"""At a node's edge white space is dropped (free), is shown (stop), or belongs to the next (clear)."""
LEFT, RIGHT = 0, -1


def gaps(nodes: Sequence[Node], tail: str, *, before: bool, after: bool) -> list[bool]:
    """Whether white space may stand before each node, and after the last.

    `before` and `after` say so of what surrounds the nodes.
    """
    if not nodes:
        return [bool(tail) or before or after]
    may = [bool(node.spaces) for node in nodes] + [bool(tail)]
    may[0] |= before
    may[-1] |= after
    edges = [(edge(node, LEFT), edge(node, RIGHT)) for node in nodes]
    for place, (left, right) in enumerate(edges):
        may[place] |= left == "free"
        may[place + 1] |= right == "free"
    while _spread(may, edges):
        pass
    return may


def edge(node: Node, side: int) -> Edge:
    """What stands at the left or right edge of a node."""
    if node.is_silent or node.name == "partialdef":
        return "clear"
    if node.kind == "block":
        return _edge_of_block(node, side)
    included = re.search(r'include\s+"([^"]+\.html)"', node.source)
    if node.name == "include" and included:
        return _edge_of_file(included[1], side)
    return "free" if node.is_block else "stop"


def inner_edge(nodes: Sequence[Node], tail: str, side: int) -> Edge:
    """What stands at the left or right end of some nodes."""
    in_order = nodes if side == LEFT else nodes[::-1]
    spaces = [node.spaces for node in nodes] + [tail]
    for node, space in zip(in_order, spaces if side == LEFT else spaces[::-1], strict=False):
        if space:
            return "free"
        if (shown := edge(node, side)) != "clear":
            return shown
    return "free" if tail and not nodes else "clear"


def _spread(may: list[bool], edges: Sequence[tuple[Edge, Edge]]) -> bool:
    """Carry what may be over nodes that show nothing; return whether anything changed."""
    before = list(may)
    for place, (left, right) in enumerate(edges):
        may[place] |= left == "clear" and may[place + 1]
        may[place + 1] |= right == "clear" and may[place]
    return may != before


def _edge_of_block(node: Node, side: int) -> Edge:
    edges = {
        inner_edge(nodes, tail, side)
        for (_head, nodes), tail in zip(node.parts, node.tails, strict=True)
    }
    has_else = any(re.match(r"\{%\s*else", head) for head, _nodes in node.parts)
    if node.name == "for" or (node.name == "if" and not has_else):
        edges.add("clear")  # it may show nothing
    if "stop" in edges:
        return "stop"
    return "clear" if "clear" in edges else "free"


@cache
def _edge_of_file(name: str, side: int) -> Edge:
    try:
        root = parse((Path("templates") / name).read_text("utf-8"))
    except Untidy:
        return "stop"
    return inner_edge(root.parts[0][1], root.tails[0], side)
