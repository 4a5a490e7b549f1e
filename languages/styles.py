"""The style sheet of the languages: fonts, sizes, line heights and direction by `lang` attribute.

Rules go by attribute and not by `:lang()`, which would also match every child, so that an em size
would multiply. The sheet comes before base.css, whose exceptions for short runs in a line win.
"""

from collections.abc import Iterable, Iterator

from languages.base import Language

_LARGE = 1.2  # a language this large is set back to the size around it, see `_inside`


def stylesheet(languages: Iterable[Language]) -> str:
    """Return the CSS of the languages; a tag comes before the longer tags that begin with it."""
    in_order = sorted(languages, key=lambda language: language.code.lower())
    rules = [rule for language in in_order for rule in _rules(language, in_order)]
    return "".join(f"{rule}\n" for rule in rules)


def _rules(language: Language, others: Iterable[Language]) -> Iterator[str]:
    declarations = list(_declarations(language))
    if not declarations:
        return
    tags = (language.code, *language.aliases)
    body = "".join(f"  {declaration};\n" for declaration in declarations)
    yield _selector(tags, '[lang|="{}"]') + f" {{\n{body}}}"
    # Twice the attribute outweighs the class of the editor, which inherits its font.
    yield _selector(tags, 'textarea[lang|="{}"][lang]') + f" {{\n{body}}}"
    if language.typography.size != 1:
        yield from _inside(language, others)


def _declarations(language: Language) -> Iterator[str]:
    look = language.typography
    if look.fonts:
        yield f"font-family: {look.fonts}"
    if look.size != 1:
        yield f"font-size: {look.size:g}em"
    if look.line_height is not None:
        yield f"line-height: {look.line_height:g}"
    if look.is_vertical:
        yield "writing-mode: vertical-lr"
        yield "max-height: 60vh"
    if language.direction == "rtl":
        yield "direction: rtl"


def _inside(language: Language, others: Iterable[Language]) -> Iterator[str]:
    """Keep the size of a run within a run: its own within itself, a smaller one within a large."""
    outer = f'[lang|="{language.code}"]'
    yield f"{outer} {outer} {{\n  font-size: 1em;\n  line-height: inherit;\n}}"
    if language.typography.size < _LARGE:
        return
    plain = [other.code for other in others if other.typography.size == 1]
    if plain:
        size = f"{1 / language.typography.size:.3g}"
        selector = _selector(plain, outer + ' [lang|="{}"]')
        yield f"{selector} {{\n  font-size: {size}em;\n  line-height: 1.5;\n}}"


def _selector(tags: Iterable[str], pattern: str) -> str:
    return ",\n".join(pattern.format(tag) for tag in tags)
