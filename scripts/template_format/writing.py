"""Writes a tree: what fits in a line as it is, anything else with its parts on lines of their own."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from scripts.template_format.elements import ATTRIBUTE_BLOCKS
from scripts.template_format.gaps import LEFT, RIGHT, gaps, inner_edge
from scripts.template_format.nodes import Node
from scripts.template_format.output import Output
from scripts.template_format.parsing import parse

LONG_ELEMENT, LONG_BLOCK = 60, 90
# What cannot be broken off a node that it is glued to.
GLUED = re.compile(r"(?:\{%\s*blocktrans.*?%\}|\{%.*?%\}|\{\{.*?\}\}|[^\s<{])*(?:</?[a-z0-9]+)?")


class Place(NamedTuple):
    """Where something is written.

    `before` and `after`: white space may be added there. `keep`: what is inside shows its white
    space. `room` is how many characters stand right behind it.
    """

    depth: int
    before: bool
    after: bool
    keep: bool
    room: int = 0


def format_template(source: str) -> str:
    """The template one tag a line. Raises Untidy where its tags do not pair up."""
    root, out = parse(source), Output()
    nodes, tail = root.parts[0][1], root.tails[0]
    # Outside its blocks, a template that extends another shows nothing.
    is_child = bool(re.match(r"\s*\{%\s*extends", source))
    _write_nodes(out, nodes, tail, Place(0, is_child, is_child, keep=False))
    return f"{out}\n" if tail else str(out)


def _write_nodes(out: Output, nodes: list[Node], tail: str, place: Place) -> None:
    may = gaps(nodes, tail, before=place.before, after=place.after)
    for start, stop in _glued_runs(nodes, may, keep=place.keep):
        if place.keep:
            out.put(nodes[start].spaces)
        elif start:
            _separate(out, nodes, start, stop, place.depth, may_stand_apart=may[start])
        for at in range(start, stop):
            rest = "".join(node.flat() for node in nodes[at + 1 : stop])
            glued = _glued_to(rest)
            is_last = stop == len(nodes) and glued == rest
            room = len(glued) + (place.room if is_last else 0)
            _write(out, nodes[at], Place(place.depth, may[at], may[at + 1], place.keep, room))
    if place.keep:
        out.put(tail)


def _glued_runs(
    nodes: Sequence[Node], may: Sequence[bool], *, keep: bool
) -> Iterator[tuple[int, int]]:
    """Bounds of the runs of nodes between which no white space may come."""
    start = 0
    for stop in range(1, len(nodes) + 1):
        is_end = stop == len(nodes)
        if is_end or nodes[stop].spaces or (may[stop] and not keep):
            yield start, stop
            start = stop


def _separate(
    out: Output, nodes: Sequence[Node], start: int, stop: int, depth: int, *, may_stand_apart: bool
) -> None:
    """Begin a line before a run, or write a space, or nothing."""
    before, node = nodes[start - 1], nodes[start]
    wants_line = _stands_alone(before) or _stands_alone(node) or "\n\n" in node.spaces
    is_on_own_line = "\n" in node.spaces and "word" not in (before.type, node.type)
    if (may_stand_apart and wants_line) or is_on_own_line:
        out.line(depth)
        if node.spaces.count("\n") > 1:
            out.skip_line()
    elif node.spaces and not out.is_at_start_of_line:
        if out.fits(" " + "".join(each.flat() for each in nodes[start:stop])):
            out.put(" ")
        else:
            out.line(depth)


def _write(out: Output, node: Node, place: Place) -> None:
    if node.kind == "atom":
        _write_atom(out, node, place)
        return
    flat = node.flat()
    if node.is_verbatim:
        _write_verbatim(out, node, place)
        return
    place = place._replace(keep=place.keep or node.keeps_spaces)
    if out.fits(flat, place.room) and (place.keep or not _has_blocks(node)):
        out.put(flat)
    elif node.kind == "element":
        _write_element(out, node, place)
    else:
        _write_block(out, node, place)


def _write_atom(out: Output, node: Node, place: Place) -> None:
    if out.fits(node.source, place.room) or node.type not in {"open", "text"}:
        out.put(node.source)
    elif node.type == "open":
        out.put_attributes(node.source, place.depth)
    else:
        out.put_translation(node.source, place.depth)


def _write_verbatim(out: Output, node: Node, place: Place) -> None:
    # What follows the opening tag of these begins on the same line.
    is_glued = node.name in {"textarea", "pre"}
    first = node.flat().split("\n")[0] if is_glued else node.source
    if out.fits(first):
        out.put(node.source)
    else:
        out.put_attributes(node.source, place.depth)
    out.put("".join(each.source for each in node.parts[0][1]) + node.end)


def _write_element(out: Output, node: Node, place: Place) -> None:
    nodes, tail, depth = node.parts[0][1], node.tails[0], place.depth
    if not nodes and not tail:
        whole = node.source + node.end
        if out.fits(whole, place.room):
            out.put(whole)
        else:
            out.put_attributes(whole, depth)
        return
    is_free = node.is_inner_free and not place.keep
    may = gaps(nodes, tail, before=is_free, after=is_free)
    if may[0] and not place.keep:
        out.put_tag(node.source, depth)
        out.line(depth + 1)
    else:
        out.put_tag_open(node.source, depth)
    inside = Place(depth + 1, is_free, is_free, place.keep, room=len(node.end) - 1)
    _write_nodes(out, nodes, tail, inside)
    if may[-1] and not place.keep:
        out.line(depth)
        out.put(node.end)
    else:
        out.put(node.end[:-1])
        out.break_tag(depth)
        out.put(">")


def _write_block(out: Output, node: Node, place: Place) -> None:
    if node.name == "block":
        is_free = not (set(node.source.split()) & ATTRIBUTE_BLOCKS)
        place = place._replace(before=is_free, after=is_free)
    for number, ((head, nodes), tail) in enumerate(zip(node.parts, node.tails, strict=True)):
        starts, finishes = (False, False) if place.keep else _own_lines(node, number, place)
        out.put(head)
        if starts:
            out.line(place.depth + 1)
        room = 0 if finishes or tail else _room_after(node, number, place)
        inside = Place(place.depth + 1, starts, finishes, place.keep, room)
        _write_nodes(out, nodes, tail, inside)
        if finishes:
            out.line(place.depth)
    out.put(node.end)


def _own_lines(block: Node, number: int, place: Place) -> tuple[bool, bool]:
    """Whether a part of a block begins on a line of its own, and whether its end does."""
    nodes, tail = block.parts[number][1], block.tails[number]
    left, right = inner_edge(nodes, tail, LEFT), inner_edge(nodes, tail, RIGHT)
    if block.name == "for":  # its end is followed by its beginning
        is_around = place.before and place.after and "stop" not in {left, right}
        is_apart = left == "free" or right == "free" or is_around
        return is_apart, is_apart
    starts = place.before or left == "free" or (left == "clear" and place.after)
    finishes = place.after or right == "free" or (right == "clear" and place.before)
    return starts, finishes


def _room_after(block: Node, number: int, place: Place) -> int:
    """How many characters stand right behind a part of a block."""
    if number + 1 == len(block.parts):
        return len(_glued_to(block.end)) + place.room
    head, nodes = block.parts[number + 1]
    return len(_glued_to(head + "".join(node.spaces + node.flat() for node in nodes)))


def _glued_to(text: str) -> str:
    match = GLUED.match(text)
    return match[0] if match else ""


def _stands_alone(node: Node) -> bool:
    """Whether it gets a line of its own where white space may stand."""
    if node.kind == "block":
        inside = (each for _head, nodes in node.parts for each in nodes)
        return any(map(_stands_alone, inside)) or len(node.flat()) > LONG_BLOCK
    if node.is_block or node.is_silent:
        return True
    if node.type == "tag":
        return node.name in {"include", "partial", "csrf_token"}
    return node.kind == "element" and len(node.flat()) > LONG_ELEMENT


def _has_blocks(node: Node) -> bool:
    inside = (each for _head, nodes in node.parts for each in nodes)
    return any(each.is_block or (each.kind == "block" and _has_blocks(each)) for each in inside)
