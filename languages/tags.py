"""The usual form of a language tag (BCP 47, RFC 5646 section 2.1.1): zh-Hant-TW."""


def canonical_tag(tag: str) -> str:
    """Return a tag with its script as a title, its region in capitals and all else small."""
    first, *rest = tag.split("-")
    return "-".join((first.lower(), *map(_subtag, rest)))


def _subtag(part: str) -> str:
    if len(part) == 4 and part.isalpha():
        return part.title()
    return part.upper() if len(part) == 2 else part.lower()
