"""The words of every refusal, row error and unused file; marked for translation."""

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
        "archive_locked": gettext_noop(
            "%(file)s is protected by a password. Save it without one and import it again."
        ),
        "bad_csv": gettext_noop(
            "%(file)s is not valid CSV from row %(row)s on: a quotation mark is not closed, or "
            "stands inside a cell. Write a quotation mark inside a quoted cell twice."
        ),
        "bad_index": gettext_noop(
            "The first column must be the row's index, a number from 0; it is “%(value)s”."
        ),
        "bad_json": gettext_noop("This line is not valid JSON (column %(column)s): %(problem)s."),
        "bad_loc": gettext_noop(
            "The column loc must be a subject followed by a row number, such as agronomy12; it is "
            "“%(value)s”."
        ),
        "bad_kind": gettext_noop(
            "The column kind must be number, open or translation; it is “%(value)s”."
        ),
        "bad_map": gettext_noop(
            "“%(part)s” says nothing about the columns. Write field=column, such as "
            "question=frage; the fields are %(known)s."
        ),
        "bad_metadata": gettext_noop(
            "The column %(column)s must contain an object with named fields, such as "
            '{"subject": …}.'
        ),
        "bad_mgsm": gettext_noop(
            "%(file)s is not a file of MGSM: row %(row)s is not a question, a tab and a number."
        ),
        "bad_split": gettext_noop("The column split must be test or dev; it is “%(value)s”."),
        "bad_uid": gettext_noop(
            "The uid %(uid)s cannot be used. A uid is one line of at most %(limit)s characters "
            "and does not begin or end with a space."
        ),
        "broken_character": gettext_noop(
            "The column %(column)s contains half a character (a lone surrogate). Save the file "
            "as UTF-8 again."
        ),
        "category_differs": gettext_noop(
            "The subject %(subject)s belongs to the category %(there)s, not %(category)s. Use one "
            "category for each subject."
        ),
        "cell_date_format": gettext_noop(
            "The date in cell %(cell)s is shown differently on every computer. Format the column "
            "as text, or as yyyy-mm-dd."
        ),
        "cell_error_value": gettext_noop(
            "Cell %(cell)s shows an error such as #REF! instead of a value. Correct it."
        ),
        "cell_formula": gettext_noop(
            "Cell %(cell)s has a formula without a value. Open the workbook, save it, and import "
            "it again."
        ),
        "cell_lowered": gettext_noop(
            "Cell %(cell)s has lowered signs that cannot be kept in plain text. Write them in "
            "another way, such as x_(a)."
        ),
        "cell_number_format": gettext_noop(
            "What cell %(cell)s shows depends on a number format that is not known. Format the "
            "column as text."
        ),
        "cell_raised": gettext_noop(
            "Cell %(cell)s has raised signs that cannot be kept in plain text. Write them in "
            "another way, such as x^(a)."
        ),
        "cell_struck": gettext_noop(
            "Cell %(cell)s has text that is struck out. Delete that text, or remove the line."
        ),
        "cell_too_long": gettext_noop(
            "The column %(column)s is longer than %(limit)s characters. Shorten it."
        ),
        "column_count": gettext_noop(
            "The row has %(found)s cells, but the file has %(expected)s columns."
        ),
        "date_out_of_range": gettext_noop(
            "%(file)s contains a date or time that cannot be read. Save the column as text."
        ),
        "decodes_too_large": gettext_noop(
            "%(file)s unpacks to more than %(limit)s bytes, far more than a file of its size "
            "should hold. If it is right, save it as JSONL and import that."
        ),
        "duplicate_uid": gettext_noop(
            "The uid %(uid)s is already used in %(first_file)s, row %(first_row)s. Give this row "
            "another uid, or remove it. Names that look alike count as one."
        ),
        "empty_option": gettext_noop("Option %(letter)s is empty."),
        "empty_text": gettext_noop("The column %(column)s is empty."),
        "file_too_large": gettext_noop(
            "%(file)s is larger than the limit of %(limit)s bytes. Split it and import the parts."
        ),
        "format_not_recognised": gettext_noop(
            "%(file)s does not look like any of the known formats (%(known)s). Say which column "
            "holds what, or choose the format yourself."
        ),
        "options_not_recognised": gettext_noop(
            "%(columns)s of %(file)s look like options, but no known format (%(known)s) has the "
            "columns of this file. Say which column holds what, or choose the format yourself."
        ),
        "hidden_columns": gettext_noop(
            "These columns of the sheet %(sheet)s are hidden, but were read: %(columns)s."
        ),
        "hidden_rows": gettext_noop(
            "These rows of the sheet %(sheet)s are hidden, but were read: %(rows)s."
        ),
        "hidden_file": gettext_noop("Hidden files are not read."),
        "import_too_large": gettext_noop(
            "The files in %(file)s are larger than %(limit)s bytes together. Import them in parts."
        ),
        "item_differs": gettext_noop(
            "The project already has an item %(uid)s with different content. An import does not "
            "change items: give the new item another uid."
        ),
        "item_unknown": gettext_noop(
            "The project has no item %(uid)s. Import the source items first."
        ),
        "key_is_no_option": gettext_noop(
            "The key is “%(key)s”, but %(found)s options say exactly this. It must be one."
        ),
        "key_not_a_number": gettext_noop(
            "The column %(column)s must count the options; it is “%(key)s”."
        ),
        "key_out_of_range": gettext_noop("The key is “%(key)s”, but the last option is %(last)s."),
        "keys_differ": gettext_noop(
            "The column %(column)s names another option than the key %(key)s. Correct one of them."
        ),
        "keys_missing": gettext_noop(
            "The keys of %(file)s are missing. Add the file with the keys."
        ),
        "labels_differ": gettext_noop(
            "The labels of the choices must be A, B, C … in this order; they are %(found)s."
        ),
        "looks_like_options": gettext_noop(
            "The column %(column)s looks like options, but no column says which option is right by "
            "a letter. Name the columns yourself when you import the file, or add a column kind "
            "if the item has no options."
        ),
        "map_column_missing": gettext_noop(
            "%(file)s has no column %(column)s. Name the columns as they stand in the file."
        ),
        "map_incomplete": gettext_noop(
            "No column is named for %(field)s. Say which column holds it."
        ),
        "missing_column": gettext_noop("%(file)s has no column %(column)s."),
        "no_answer": gettext_noop(
            "The column %(column)s is empty, so nothing says which answer is right. Import the "
            "file that is published with answers."
        ),
        "no_key": gettext_noop("The file with the keys has no key for %(uid)s."),
        "no_such_sheet": gettext_noop("%(file)s has no sheet %(sheet)s. Its sheets are %(known)s."),
        "no_subject": gettext_noop(
            "Nothing names the subject. Fill the column %(column)s, or put the subject in the "
            "name of the file, such as law_test.jsonl."
        ),
        "not_a_list": gettext_noop("The column %(column)s must contain a list of options."),
        "not_a_list_file": gettext_noop("%(file)s does not contain a JSON list of items."),
        "not_an_archive": gettext_noop(
            "%(file)s is not a readable ZIP archive. Pack the files again."
        ),
        "not_an_object": gettext_noop(
            'The row is not a JSON object with named fields, such as {"uid": …}.'
        ),
        "not_json": gettext_noop("%(file)s is not valid JSON (line %(row)s, column %(column)s)."),
        "not_parquet": gettext_noop("%(file)s is not a readable Parquet file."),
        "not_readable": gettext_noop(
            "%(file)s cannot be read. Check that it exists and that the server may read it."
        ),
        "not_text": gettext_noop("The column %(column)s must contain text."),
        "not_utf8": gettext_noop(
            "%(file)s is not saved as UTF-8: the byte at offset %(offset)s cannot be read. Save "
            "it as UTF-8 and import it again."
        ),
        "not_xlsx": gettext_noop("%(file)s is not a readable XLSX workbook."),
        "nothing_to_read": gettext_noop("%(file)s contains nothing to import."),
        "nul_byte": gettext_noop(
            "%(file)s contains a zero byte at offset %(offset)s, so it is not a text file in UTF-8."
        ),
        "nul_character": gettext_noop(
            "The column %(column)s contains a zero character. Remove it."
        ),
        "option_count": gettext_noop(
            "The item has %(found)s options. An item needs 2 to %(limit)s."
        ),
        "original_differs": gettext_noop(
            "The answer is %(key)s, but the row of MGSM (%(language)s) at the same place has "
            "%(found)s. The files do not belong together."
        ),
        "original_missing": gettext_noop(
            "The file of MGSM (%(language)s) has no row %(row)s. The files do not belong together."
        ),
        "other_category": gettext_noop(
            "The file with the keys names another category for %(uid)s."
        ),
        "other_format": gettext_noop(
            "This file is in the format %(format)s. Import it separately."
        ),
        "other_script": gettext_noop(
            "%(count)s of %(all)s questions have no letter of the script of the source language "
            "(%(language)s). Translations are imported after their source items, and join them; "
            "texts in another language belong in another project."
        ),
        "other_sheets": gettext_noop(
            "Only the sheet %(sheet)s was read, not: %(others)s. To import another sheet, name it "
            "among the columns, or save it as a workbook of its own."
        ),
        "other_spelling": gettext_noop(
            "“%(given)s” looks like “%(kept)s” and was taken for the same."
        ),
        "other_spellings_left": gettext_noop(
            "%(count)s other names were also taken for names that they look like."
        ),
        "other_type": gettext_noop("The format %(format)s reads only %(known)s files."),
        "path_missing": gettext_noop("%(file)s does not exist."),
        "path_outside": gettext_noop(
            "%(file)s points outside the folder that you are importing. Remove it, or put the "
            "file itself into the folder."
        ),
        "reading_failed": gettext_noop(
            "%(file)s cannot be read: its reader stopped unexpectedly. The file is probably "
            "damaged. Save it again, or save it as JSONL."
        ),
        "reading_stalled": gettext_noop(
            "%(file)s cannot be read: its reader found no row for %(limit)s seconds. Split it, or "
            "save it as JSONL."
        ),
        "repeated_column": gettext_noop(
            "There are two columns named %(column)s. Rename or remove one of them."
        ),
        "row_too_long": gettext_noop("The row is longer than the limit of %(limit)s bytes."),
        "several_formats": gettext_noop(
            "%(file)s contains files in several formats: %(formats)s. Choose one of them as the "
            "format and import once for each: first the source items, then their translations."
        ),
        "sheet_too_large": gettext_noop(
            "%(file)s has more than %(limit)s rows, or more empty rows in one place than that. "
            "Delete the empty rows, or save the sheet as CSV."
        ),
        "system_missing": gettext_noop(
            "The row of %(uid)s does not name a translation system. Add a column system, or name "
            "one system for the whole import."
        ),
        "text_too_long": gettext_noop(
            "%(file)s contains a text of more than %(limit)s bytes. Shorten it or remove it."
        ),
        "too_many_files": gettext_noop(
            "%(file)s contains more than %(limit)s files. Import them in parts."
        ),
        "too_many_blank_lines": gettext_noop(
            "%(file)s has more than %(limit)s consecutive empty lines. Remove them."
        ),
        "too_many_columns": gettext_noop(
            "%(file)s has more than %(limit)s columns. Remove those that are not needed."
        ),
        "too_many_rows": gettext_noop(
            "%(file)s has more rows than the %(limit)s that one import may have. Split it and import "
            "the parts."
        ),
        "too_many_sheets": gettext_noop(
            "%(file)s has more than %(limit)s sheets. Save the sheet with the rows as a workbook of "
            "its own."
        ),
        "too_many_texts": gettext_noop(
            "%(file)s contains more than %(limit)s different texts. Split it and import the parts."
        ),
        "too_much_memory": gettext_noop(
            "Reading %(file)s needs more memory than an import may use. Split it and import the "
            "parts, or save it as JSONL."
        ),
        "translation_differs": gettext_noop(
            "The project already has another translation, or another key, of %(uid)s by "
            "%(system)s. Import this one under another system name."
        ),
        "unknown_format": gettext_noop("There is no format %(format)s. The formats are %(known)s."),
        "unknown_table": gettext_noop(
            "%(file)s cannot be read as a table. Tables are JSONL, CSV, XLSX or Parquet files."
        ),
        "unknown_type": gettext_noop("Only %(known)s files are read."),
    }
)


def describe(
    code: str,
    data: Mapping[str, str | int],
    translate: Callable[[str], str] = lambda message: message,
) -> str:
    """Return the sentence for a code; `translate` is gettext where there is a language."""
    return translate(MESSAGES[code]) % data
