"""Reads lists of uids as people paste and upload them."""


def uids_of(text: str) -> list[str]:
    """The lines of a pasted or uploaded list; empty lines and a heading "uid" are left empty.

    They stay in place, so that a refusal names the line that people see. A line in quotation marks
    is read as a cell of a CSV file.
    """
    lines = [_unquoted(line.strip()) for line in text.removeprefix("\ufeff").splitlines()]
    if lines and lines[0].lower() == "uid":
        lines[0] = ""
    return lines


def _unquoted(line: str) -> str:
    is_quoted = len(line) > 1 and line[0] == line[-1] == '"'
    return line[1:-1].replace('""', '"') if is_quoted else line
