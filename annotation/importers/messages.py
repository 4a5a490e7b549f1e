"""The words of every refusal and row error; templates are marked for translation."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final


def gettext_noop(message: str) -> str:
    """Mark a text for translation (extraction knows the name) and return it as it is."""
    return message


MESSAGES: Final[Mapping[str, str]] = MappingProxyType(
    {
        "archive_bomb": gettext_noop(
            "%(file)s unpacks to more than %(limit)s times its size. Unpack it yourself and "
            "import the folder."
        ),
        "archive_locked": gettext_noop("%(file)s is protected by a password. Send it without one."),
        "bad_csv": gettext_noop(
            "%(file)s is no CSV from row %(row)s on: a quotation mark is not closed or stands "
            "within a cell."
        ),
        "bad_index": gettext_noop(
            "The first column must hold the index of the row, not “%(value)s”."
        ),
        "bad_json": gettext_noop("The line is no JSON, at column %(column)s: %(problem)s."),
        "bad_loc": gettext_noop("“%(value)s” does not name a subject followed by a row number."),
        "bad_split": gettext_noop("The split must be test or dev, not “%(value)s”."),
        "bad_uid": gettext_noop(
            "A uid is one line without spaces around it and at most %(limit)s characters, "
            "not %(uid)s."
        ),
        "broken_character": gettext_noop(
            "Column %(column)s holds half a character (a lone surrogate)."
        ),
        "category_differs": gettext_noop(
            "The subject %(subject)s is in the category %(there)s, not %(category)s."
        ),
        "cell_too_long": gettext_noop("Column %(column)s is longer than %(limit)s characters."),
        "column_count": gettext_noop("The row has %(found)s cells, the header has %(expected)s."),
        "duplicate_uid": gettext_noop(
            "The id %(uid)s was already used in %(first_file)s, row %(first_row)s."
        ),
        "empty_option": gettext_noop("Option %(letter)s is empty."),
        "empty_text": gettext_noop("Column %(column)s is empty."),
        "file_too_large": gettext_noop("%(file)s is larger than the limit of %(limit)s bytes."),
        "format_not_recognised": gettext_noop(
            "%(file)s looks like none of the known formats (%(known)s). Name the format."
        ),
        "import_too_large": gettext_noop(
            "%(file)s is larger in all than the limit of %(limit)s bytes."
        ),
        "key_out_of_range": gettext_noop("The key is “%(key)s”; the options end at %(last)s."),
        "item_differs": gettext_noop(
            "The item %(uid)s is already in the project with another content. Items don't change; "
            "give the new one another uid."
        ),
        "item_unknown": gettext_noop(
            "There is no item %(uid)s in the project. Import the items first."
        ),
        "keys_missing": gettext_noop(
            "%(file)s has no keys beside it. Name the file that holds them."
        ),
        "missing_column": gettext_noop("%(file)s has no column %(column)s."),
        "no_key": gettext_noop("The key file has no key for %(uid)s."),
        "not_a_list": gettext_noop("Column %(column)s must hold a list of options."),
        "not_a_list_file": gettext_noop("%(file)s holds no JSON list of items."),
        "not_an_archive": gettext_noop("%(file)s is no readable zip archive."),
        "not_an_object": gettext_noop("The row is no JSON object with named fields."),
        "not_json": gettext_noop("%(file)s is no JSON, at line %(row)s, column %(column)s."),
        "not_parquet": gettext_noop("%(file)s is no readable Parquet file."),
        "not_readable": gettext_noop("%(file)s can't be read from the disk."),
        "not_text": gettext_noop("Column %(column)s must hold text."),
        "not_utf8": gettext_noop(
            "%(file)s is not in UTF-8: the byte at offset %(offset)s can't be read. Save it as "
            "UTF-8."
        ),
        "not_xlsx": gettext_noop("%(file)s is no readable XLSX workbook."),
        "nothing_to_read": gettext_noop("%(file)s holds nothing to import."),
        "nul_byte": gettext_noop(
            "%(file)s holds a zero byte at offset %(offset)s: it is no text file in UTF-8."
        ),
        "nul_character": gettext_noop("Column %(column)s holds a zero character."),
        "option_count": gettext_noop("Number of options: %(found)s. An item needs 2 to %(limit)s."),
        "other_category": gettext_noop("The key file puts %(uid)s in another category."),
        "path_missing": gettext_noop("%(file)s does not exist."),
        "path_outside": gettext_noop("%(file)s leads out of the folder that is to be imported."),
        "repeated_column": gettext_noop("The column %(column)s is there twice."),
        "row_too_long": gettext_noop("The row is longer than the limit of %(limit)s bytes."),
        "system_missing": gettext_noop(
            "The row of %(uid)s names no translation system. Name one for the whole import."
        ),
        "too_many_files": gettext_noop("%(file)s holds more than %(limit)s files."),
        "translation_differs": gettext_noop(
            "%(system)s has already given another translation or another key of %(uid)s. Name "
            "another system."
        ),
        "unknown_format": gettext_noop("There is no format %(format)s; there are %(known)s."),
        "unknown_table": gettext_noop("%(file)s is neither JSONL nor CSV, XLSX or Parquet."),
    }
)


def describe(
    code: str,
    data: Mapping[str, str | int],
    translate: Callable[[str], str] = lambda message: message,
) -> str:
    """Return the sentence for a code; `translate` is gettext where there is a language."""
    return translate(MESSAGES[code]) % data
