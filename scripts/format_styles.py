"""Write static/css one declaration a line; `--check` only names the files that would change."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import cssbeautifier

WIDTH = 120


def format_style(source: str) -> str:
    options = cssbeautifier.default_options()
    options.indent_size = 2
    options.end_with_newline = True
    options.newline_between_rules = False
    options.space_around_combinator = True
    lines = str(cssbeautifier.beautify(source, options)).split("\n")
    return "\n".join(line if len(line) <= WIDTH else _broken(line) for line in lines)


def _broken(line: str) -> str:
    """A long list of values, one value a line."""
    indent = line[: len(line) - len(line.lstrip())]
    name, colon, value = line.partition(": ")
    if not colon:
        return line
    values = re.findall(r"(?:[^,()]|\((?:[^()]|\([^()]*\))*\))+", value)
    return f"{name}:\n{indent}  " + f",\n{indent}  ".join(v.strip() for v in values)


def main(arguments: list[str]) -> int:
    only_check = "--check" in arguments
    changed = 0
    for path in sorted(Path("static/css").rglob("*.css")):
        source = path.read_text("utf-8")
        text = format_style(source)
        if text != source:
            changed += 1
            print(path)
            if not only_check:
                path.write_text(text, "utf-8")
    return int(only_check and changed > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
