"""`score_responses`: score files of model responses and write the published tables."""

from argparse import ArgumentParser, ArgumentTypeError, BooleanOptionalAction
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from common.commands import LotsawaCommand
from languages import LANGUAGES, get_language
from languages.letters import MAX_OPTIONS, MIN_OPTIONS
from scoring.batch import MethodMetrics, ScoreCounter
from scoring.category_files import read_categories
from scoring.file_scoring import FileScoring, ScoringRules
from scoring.metrics import CategoryMismatchError, random_baseline
from scoring.response_files import ResponseFile, ResponseFileError, find_response_files
from scoring.response_rows import RowRules
from scoring.result_files import (
    RESPONSES_FILE,
    ScoreReport,
    report_json,
    staged_folder,
    write_metrics,
    write_published_files,
)
from scoring.scorers import FILE_METHODS, SCORERS, Scorer

PROGRESS_EVERY = 20_000
READINGS: Mapping[str, str | Promise] = {
    "published": gettext_lazy("reasoning removed as by the published scorer (--published)"),
    "lotsawa": gettext_lazy("reasoning removed with what is not closed (--no-published)"),
}

REASONS: Mapping[str, str | Promise] = {
    "not_found": gettext_lazy("There is no such file or folder."),
    "empty_folder": gettext_lazy("The folder contains no .jsonl files."),
    "empty_file": gettext_lazy("The file contains no responses."),
    "bad_name": gettext_lazy("The name of the file must have the form %(pattern)s."),
    "several_models": gettext_lazy(
        "The folder contains responses from several models: %(models)s. Use a separate folder for"
        " each model."
    ),
    "wrong_encoding": gettext_lazy("The text is not UTF-8. Save the file as UTF-8."),
    "row_too_long": gettext_lazy("The row is longer than the maximum of %(limit)s bytes."),
    "bad_json": gettext_lazy("Not valid JSON: %(reason)s"),
    "not_an_object": gettext_lazy("The row is not a JSON object."),
    "missing_columns": gettext_lazy("Missing fields: %(columns)s."),
    "bad_value": gettext_lazy("The value of %(column)s has the wrong type."),
    "bad_option_count": gettext_lazy("An item must have 2 to 10 options, not %(count)s."),
    "answer_outside_options": gettext_lazy(
        "The answer “%(answer)s” is not one of the item's options %(letters)s."
    ),
    "answer_not_a_number": gettext_lazy("The answer “%(answer)s” is not a number."),
    "duplicate_id": gettext_lazy("The id %(id)s is already used in row %(first_row)s."),
    "bad_categories": gettext_lazy(
        "Categories must be a CSV file with the columns subject and category, or a JSON object"
        " that maps subjects to categories or categories to lists of subjects."
    ),
    "subject_twice": gettext_lazy("The subject %(subject)s is in two categories."),
}


class Command(LotsawaCommand):
    help = (
        "Score model responses (a JSONL file, or a folder of TLUE's <subject>_<model>_out.jsonl"
        " files, with `answer` and `model_result`) without touching the database."
    )

    def arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("path", type=Path, metavar="PATH")
        parser.add_argument(
            "--method",
            dest="scorers",
            type=_scorers,
            default="direct,concern_all",
            help=f"one or more, comma-separated: {', '.join(FILE_METHODS)}",
        )
        parser.add_argument(
            "--option-count",
            type=int,
            choices=range(MIN_OPTIONS, MAX_OPTIONS + 1),
            default=4,
            help="number of options if a row has none (default: 4)",
        )
        parser.add_argument(
            "--categories",
            type=Path,
            metavar="FILE",
            help="CSV with subject,category or JSON {subject: category} or"
            " {category: [subject, …]}; without it there are no results by category",
        )
        parser.add_argument(
            "--language",
            choices=sorted(language.code for language in LANGUAGES.values()),
            default="bo",
            help="language whose option letters count besides A–J (default: bo)",
        )
        parser.add_argument(
            "--exclude",
            action="append",
            default=[],
            metavar="TEXT",
            help="text to remove from every response before scoring; may be repeated",
        )
        parser.add_argument(
            "--published",
            action=BooleanOptionalAction,
            help="remove reasoning as the published scorer of TLUE does, which leaves a <think>"
            " that is never closed (default: for files in its layout)",
        )
        parser.add_argument("--output", type=Path, metavar="DIR", required=True)

    def run(self, options: dict[str, Any]) -> dict[str, Any]:
        try:
            return report_json(self._score(options))
        except ResponseFileError as error:
            raise CommandError(_reason(error)) from error
        except CategoryMismatchError as error:
            raise CommandError(_mismatch(error)) from error
        except OSError as error:
            raise CommandError(
                _("%(file)s: %(reason)s") % {"file": error.filename, "reason": error.strerror}
            ) from error

    def text(self, result: dict[str, Any]) -> str:
        lines = [
            _("%(model)s: %(n)d responses, random baseline %(baseline).1f %%")
            % {
                "model": result["model"],
                "n": result["responses"],
                "baseline": 100 * result["random_baseline"],
            },
            str(READINGS[result["reading"]]),
        ]
        for name, metrics in result["methods"].items():
            overall = metrics["overall"]
            lines.append(_rates_line(name, _("mean of subjects"), overall["unweighted"]))
            lines.append(_rates_line(name, _("all items"), overall["item_weighted"]))
        return "\n".join(lines)

    def _score(self, options: dict[str, Any]) -> ScoreReport:
        scorers: tuple[Scorer, ...] = options["scorers"]
        categories = read_categories(options["categories"]) if options["categories"] else None
        files = find_response_files(options["path"])
        is_published = _is_published(options, files)
        scoring = FileScoring(files, _rules(options, is_published=is_published))
        with staged_folder(options["output"]) as folder:
            counter = self._write_lines(scoring, folder / RESPONSES_FILE)
            metrics = tuple(
                counter.metrics(scorer, categories, repeats=scoring.repeats(scorer.name))
                for scorer in scorers
            )
            report = _report(files[0].model, counter, metrics, is_published=is_published)
            write_published_files(folder, report)
            write_metrics(folder, report)
        return report

    def _write_lines(self, scoring: FileScoring, target: Path) -> ScoreCounter:
        counter = ScoreCounter()
        with target.open("wb") as lines:
            for chunk in scoring.chunks():
                before = counter.response_count // PROGRESS_EVERY
                lines.write(chunk.lines)
                counter.merge(chunk.counter)
                if counter.response_count // PROGRESS_EVERY > before:
                    self.say(
                        _("%(count)d responses scored so far") % {"count": counter.response_count}
                    )
        count = counter.response_count
        self.say(
            ngettext("%(count)d response scored", "%(count)d responses scored", count)
            % {"count": count}
        )
        return counter


def _rates_line(method: str, label: str, rates: Mapping[str, float]) -> str:
    return (
        f"{method} ({label}): RR {rates['response_rate']:.2%}"
        f"  ACC {rates['accuracy']:.2%}  CA {rates['conditional_accuracy']:.2%}"
    )


def _scorers(text: str) -> tuple[Scorer, ...]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    unknown = [name for name in names if name not in FILE_METHODS]
    if unknown:
        raise ArgumentTypeError(
            _("unknown method %(names)s; the methods are: %(known)s")
            % {"names": ", ".join(unknown), "known": ", ".join(FILE_METHODS)}
        )
    scorers = tuple(SCORERS[name] for name in names)
    if len({scorer.key_kind for scorer in scorers}) > 1:
        raise ArgumentTypeError(
            _("methods for option letters, for numbers and for texts can't be combined")
        )
    return scorers


def _is_published(options: dict[str, Any], files: Sequence[ResponseFile]) -> bool:
    """Return the switch, or else whether every file has a name of the published layout."""
    asked: bool | None = options["published"]
    return all(file.subject is not None for file in files) if asked is None else asked


def _rules(options: dict[str, Any], *, is_published: bool) -> ScoringRules:
    rows = RowRules(
        option_count=options["option_count"],
        script=get_language(options["language"]).option_letters,
        key_kind=options["scorers"][0].key_kind,
    )
    methods = tuple(scorer.name for scorer in options["scorers"])
    return ScoringRules(rows, methods, tuple(options["exclude"]), is_published)


def _report(
    model: str,
    counter: ScoreCounter,
    methods: tuple[MethodMetrics, ...],
    *,
    is_published: bool,
) -> ScoreReport:
    return ScoreReport(
        model=model,
        response_count=counter.response_count,
        option_counts=counter.option_counts,
        random_baseline=random_baseline(counter.option_counts),
        methods=methods,
        is_published=is_published,
    )


def _reason(error: ResponseFileError) -> str:
    reason = str(REASONS[error.code]) % error.params
    if error.row is None:
        return f"{error.file}: {reason}"
    place = _("%(file)s, row %(row)d") % {"file": error.file, "row": error.row}
    return f"{place}: {reason}"


def _mismatch(error: CategoryMismatchError) -> str:
    parts = []
    if error.without_category:
        parts.append(_("Subjects without a category: %s.") % ", ".join(error.without_category))
    if error.without_responses:
        parts.append(
            _("Subjects in a category but without responses: %s.")
            % ", ".join(error.without_responses)
        )
    return " ".join(parts)
