"""The style sheet of the languages: fonts, sizes, line heights and direction by `lang` attribute.

Rules go by attribute and not by `:lang()`, which would also match every child, so that an em size
would multiply. The sheet comes before base.css, whose exceptions for short runs in a line win.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from languages.base import Language
from languages.web_fonts import unicode_range, wanted_fonts

_LARGE: Final = 1.2  # a language this large is set back to the size around it, see `_inside`

# The fonts of the interface under the names that `local()` knows them by, plain and bold.
_LATIN: Final = {
    400: (
        *("Inter", "Inter Regular", "Noto Sans", "NotoSans-Regular", "Segoe UI", "Roboto"),
        *("Helvetica Neue", "HelveticaNeue", "Arial", "Liberation Sans", "DejaVu Sans"),
    ),
    700: (
        *("Inter Bold", "Noto Sans Bold", "NotoSans-Bold", "Segoe UI Bold", "Roboto Bold"),
        *("Helvetica Neue Bold", "HelveticaNeue-Bold", "Arial Bold", "Liberation Sans Bold"),
        "DejaVu Sans Bold",
    ),
}
# Letters, digits and marks, but not the space, which is as wide as the script around it wants it.
_LATIN_RANGE: Final = "U+21-7E, U+A1-24F, U+2010-205E, U+20A0-20CF, U+2100-214F, U+2190-22FF"


def stylesheet(languages: Iterable[Language], fonts: Mapping[str, str] | None = None) -> str:
    """Return the CSS of the languages; a tag comes before the longer tags that begin with it.

    `fonts` are the names of made fonts by script, in the folder `fonts/` beside this sheet. A browser
    loads one when a text needs it.
    """
    in_order = sorted(languages, key=lambda language: language.code.lower())
    wanted = wanted_fonts(in_order)
    served = {script: name for script, name in (fonts or {}).items() if script in wanted}
    sizes = sorted({language.typography.size for language in in_order} - {1})
    rules = [
        _web_face(script, name, unicode_range(wanted[script])) for script, name in served.items()
    ]
    rules += [_latin_face(size, weight) for size in sizes for weight in _LATIN]
    rules += [rule for language in in_order for rule in _rules(language, in_order, served)]
    return "".join(f"{rule}\n" for rule in rules)


def _web_face(script: str, name: str, characters: str) -> str:
    return (
        f'@font-face {{\n  font-family: "Web {script}";\n  src: url("fonts/{name}") format("woff2");\n'
        f"  font-weight: 400 700;\n  font-display: swap;\n  unicode-range: {characters};\n}}"
    )


def _latin_face(size: float, weight: int) -> str:
    sources = ", ".join(f'local("{name}")' for name in _LATIN[weight])
    return (
        f'@font-face {{\n  font-family: "Latin in {size:g}";\n  src: {sources};\n'
        f"  font-weight: {weight};\n  size-adjust: {100 / size:.4g}%;\n"
        f"  unicode-range: {_LATIN_RANGE};\n}}"
    )


def _rules(
    language: Language, others: Iterable[Language], served: Mapping[str, str]
) -> Iterator[str]:
    declarations = list(_declarations(language, served))
    if not declarations:
        return
    tags = (language.code, *language.aliases)
    body = "".join(f"  {declaration};\n" for declaration in declarations)
    yield _selector(tags, '[lang|="{}"]') + f" {{\n{body}}}"
    # Twice the attribute outweighs the class of the editor, which inherits its font.
    yield _selector(tags, 'textarea[lang|="{}"][lang]') + f" {{\n{body}}}"
    if language.direction == "rtl":
        # A number or formula alone is read from the left, and stands where the other texts do.
        plain = ('[lang|="{}"][dir="ltr"]', 'textarea[lang|="{}"][lang][dir="ltr"]')
        selector = ",\n".join(_selector(tags, pattern) for pattern in plain)
        yield f"{selector} {{\n  direction: ltr;\n  text-align: end;\n}}"
    if language.typography.size != 1:
        yield from _inside(language, others)
    if language.typography.is_vertical:
        yield from _upright(tags)


def _declarations(language: Language, served: Mapping[str, str]) -> Iterator[str]:
    look = language.typography
    if look.fonts:
        yield f"font-family: {', '.join(_families(language, served))}"
    if look.size != 1:
        yield f"font-size: {look.size:g}em"
        yield f"--latin: {1 / look.size:.4g}"
    if look.line_height is not None:
        yield f"line-height: {look.line_height:g}"
    if look.is_vertical:
        yield "writing-mode: vertical-lr"
        yield "max-width: 100%"
        yield "max-height: 60vh"
        yield "overflow: auto"  # a long text is wider than its place
        yield "padding-block-end: 2px"  # its last line reaches out a little, which is no reason to scroll
    if language.direction == "rtl":
        yield "direction: rtl"


def _families(language: Language, served: Mapping[str, str]) -> Iterator[str]:
    look, script = language.typography, language.script.lower()
    if look.size != 1:
        yield f'"Latin in {look.size:g}"'
    if look.web_font and script in served:
        yield f'"Web {script}"'
    yield look.fonts


def _upright(tags: Iterable[str]) -> Iterator[str]:
    """Set a text that runs from top to bottom among others that do not: in editors, tables and lists."""
    editor = _selector(tags, 'textarea[lang|="{}"][lang][lang]')
    yield f"{editor} {{\n  max-width: none;\n  min-height: 0;\n  overflow: auto;\n}}"
    # The band behind what was changed or found runs along the letters.
    band = "  background-position: 52% 0;\n  background-size: 1.35em 100%;\n"
    yield _selector(tags, '[lang|="{}"][lang] :is(ins, del, mark)') + f" {{\n{band}}}"
    # Its end is no baseline for the texts beside it.
    yield _selector(tags, 'tr:has([lang|="{}"]) > *') + " {\n  vertical-align: top;\n}"
    yield _selector(tags, '.options > li:has(> [lang|="{}"])') + " {\n  align-items: start;\n}"
    yield _selector(tags, '.clip[lang|="{}"]') + " {\n  max-height: 14em;\n}"


def _inside(language: Language, others: Iterable[Language]) -> Iterator[str]:
    """Keep the size of a run within a run: its own within itself, a smaller one within a large."""
    outer = f'[lang|="{language.code}"]'
    yield f"{outer} {outer} {{\n  font-size: 1em;\n  line-height: inherit;\n}}"
    if language.typography.size < _LARGE:
        return
    plain = [other for other in others if other.typography.size == 1]
    if plain:
        size = f"{1 / language.typography.size:.3g}"
        selector = _selector([other.code for other in plain], outer + ' [lang|="{}"]')
        yield f"{selector} {{\n  font-size: {size}em;\n  line-height: 1.5;\n  --latin: 1;\n}}"
    # A language without fonts of its own would take those of the text around it.
    if bare := [other.code for other in plain if not other.typography.fonts]:
        yield _selector(bare, outer + ' [lang|="{}"]') + " {\n  font-family: var(--ui);\n}"


def _selector(tags: Iterable[str], pattern: str) -> str:
    return ",\n".join(pattern.format(tag) for tag in tags)
