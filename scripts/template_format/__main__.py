"""Format the templates; `--check` only names those that would change."""

import sys
from pathlib import Path

from scripts.template_format import Untidy, format_template, template_paths


def main(arguments: list[str]) -> int:
    only_check = "--check" in arguments
    is_fine = True
    for path in template_paths(Path("templates")):
        source = path.read_text("utf-8")
        try:
            text = format_template(source)
        except Untidy as error:
            print(f"{path}: {error}")
            is_fine = False
            continue
        if text == source:
            continue
        print(f"{path}: would be formatted" if only_check else f"{path}: formatted")
        is_fine &= not only_check
        if not only_check:
            path.write_text(text, "utf-8")
    return int(not is_fine)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
