"""The catalogues hold every text of the source, and the pages speak the languages they offer."""

import ast
import sys
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from django.test import Client
from django.utils import translation
from django.utils.translation import to_locale

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "scripts"))

import messages  # noqa: E402

TRANSLATED = [code for code, _name in settings.LANGUAGES if code != "en"]


@pytest.mark.parametrize("code", TRANSLATED)
def test_every_language_that_is_offered_has_a_catalogue(code: str) -> None:
    path = ROOT / "locale" / to_locale(code) / "LC_MESSAGES" / "django.po"
    assert path in messages.catalogue_paths()


def test_every_function_that_translates_has_a_name_that_is_collected() -> None:
    wrong = []
    for path in messages.source_paths():
        if path.suffix != ".py":
            continue
        imports = (
            node
            for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
            if isinstance(node, ast.ImportFrom) and node.module == "django.utils.translation"
        )
        names = (name for node in imports for name in node.names if "gettext" in name.name)
        wrong += [
            f"{path.relative_to(ROOT)}: {name.asname or name.name}"
            for name in names
            if (name.asname or name.name) not in messages.KEYWORDS
        ]
    assert wrong == []


def test_missing_untranslated_and_old_texts_are_named(tmp_path: Path) -> None:
    path = tmp_path / "zh_Hans" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    path.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8"\n\n'
        'msgid "Save"\nmsgstr ""\n\nmsgid "Gone"\nmsgstr "没了"\n'
    )
    wanted = messages.Catalog()
    wanted.add("Save")
    wanted.add("Send %(count)s")

    assert list(messages.faults_of(path, wanted)) == [
        "zh_Hans: missing: 'Send %(count)s'",
        "zh_Hans: not in the source any more: 'Gone'",
    ]
    assert list(messages.untranslated_in(path)) == ["zh_Hans: not translated: 'Save'"]


def test_incomplete_catalogue_is_a_warning_that_only_a_release_refuses(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "zh_Hans" / "LC_MESSAGES" / "django.po"
    path.parent.mkdir(parents=True)
    path.write_text(
        'msgid ""\nmsgstr "Content-Type: text/plain; charset=utf-8"\n\nmsgid "Save"\nmsgstr ""\n'
    )
    wanted = messages.Catalog()
    wanted.add("Save")
    monkeypatch.setattr(messages, "LOCALE", tmp_path)
    monkeypatch.setattr(messages, "collect", lambda: wanted)
    warning = "Warning: 1 texts have no translation. A release needs all of them.\n"

    assert (messages.main(["check"]), capsys.readouterr().out) == (0, warning)
    assert (messages.main(["check", "--complete"]), capsys.readouterr().out) == (
        1,
        f"zh_Hans: not translated: 'Save'\n{warning}",
    )


def test_texts_of_code_and_templates_are_found(tmp_path: Path) -> None:
    code = tmp_path / "code.py"
    code.write_text('from x import gettext as _\n_("one")\nngettext("%(n)s a", "%(n)s b", 2)\n')
    page = tmp_path / "page.html"
    page.write_text(
        "{% load i18n %}<p>  {% blocktranslate count n=2 trimmed %}\n  {{ n }} x\n{% plural %}\n"
        '  {{ n }} xs\n{% endblocktranslate %}{% translate "two" context "verb" %}</p>'
    )

    found = [
        (text, context) for path in (code, page) for text, context, _ in messages.texts_of(path)
    ]

    assert found == [
        ("one", None),
        (("%(n)s a", "%(n)s b"), None),
        (("%(n)s x", "%(n)s xs"), None),
        ("two", "verb"),
    ]


def test_compiled_catalogue_is_what_django_reads() -> None:
    with (ROOT / "locale" / "zh_Hans" / "LC_MESSAGES" / "django.po").open("rb") as file:
        written = read_po(file, locale="zh_Hans").get("Save").string
    with translation.override("zh-hans"):
        assert translation.gettext("Save") == written != "Save"


@pytest.mark.parametrize("code", TRANSLATED)
def test_page_speaks_the_language_it_names(db: None, client: Client, code: str) -> None:
    page = client.get("/accounts/sign-in/", HTTP_ACCEPT_LANGUAGE=code).content.decode()
    with translation.override(code):
        title = translation.gettext("Sign in")
    assert title != "Sign in"
    assert title in page
    assert f'<html lang="{code}">' in page.lower()
