"""`score_responses`: read model responses from files, score them, write the published tables."""

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from common.commands import LotsawaCommand
from evaluation.metrics import CategoryMismatchError, random_baseline
from evaluation.response_files import (
    ResponseFile,
    ResponseFileError,
    ResponseRow,
    RowRules,
    find_response_files,
    read_categories,
    read_rows,
)
from evaluation.result_files import (
    RESPONSES_FILE,
    ScoreReport,
    report_json,
    response_line,
    staged_folder,
    write_metrics,
    write_published_files,
)
from evaluation.scorers import SCORERS, Scorer
from evaluation.scorers.batch import ScoreCounter, score_response
from evaluation.scorers.letters import MAX_OPTIONS, MIN_OPTIONS, SCRIPT_LETTERS

PROGRESS_EVERY = 20_000

REASONS: Mapping[str, str | Promise] = {
    "not_found": gettext_lazy("There is no such file or folder."),
    "empty_folder": gettext_lazy("The folder holds no .jsonl file."),
    "empty_file": gettext_lazy("The file holds no response."),
    "bad_name": gettext_lazy("The file's name is not of the form %(pattern)s."),
    "several_models": gettext_lazy(
        "The folder holds responses of several models: %(models)s. Score one model a folder."
    ),
    "wrong_encoding": gettext_lazy("The text is not UTF-8. Save the file as UTF-8."),
    "row_too_long": gettext_lazy("The row is longer than %(limit)s bytes."),
    "bad_json": gettext_lazy("This is not JSON: %(reason)s"),
    "not_an_object": gettext_lazy("The row is not a JSON object."),
    "missing_columns": gettext_lazy("Missing: %(columns)s."),
    "bad_value": gettext_lazy("The value of %(column)s is not of the right kind."),
    "bad_option_count": gettext_lazy("An item has 2 to 6 options, not %(count)s."),
    "answer_outside_options": gettext_lazy(
        "The answer “%(answer)s” is not one of the item's options %(letters)s."
    ),
    "answer_not_a_number": gettext_lazy("The answer “%(answer)s” is not a number."),
    "duplicate_id": gettext_lazy("The id %(id)s was already in row %(first_row)s."),
    "bad_categories": gettext_lazy(
        "Categories are a CSV file with the columns subject and category, or a JSON object that"
        " maps subjects to categories or categories to lists of subjects."
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
            help=f"comma-separated, of: {', '.join(SCORERS)}",
        )
        parser.add_argument(
            "--option-count",
            type=int,
            choices=range(MIN_OPTIONS, MAX_OPTIONS + 1),
            default=4,
            help="options of items whose row doesn't say (default: 4)",
        )
        parser.add_argument(
            "--categories",
            type=Path,
            metavar="FILE",
            help="CSV with subject,category or JSON {subject: category} or"
            " {category: [subject, …]}; without it only subjects and overall are reported",
        )
        parser.add_argument(
            "--language",
            choices=sorted(SCRIPT_LETTERS),
            default="bo",
            help="whose option letters count besides A–F (default: bo)",
        )
        parser.add_argument(
            "--exclude",
            action="append",
            default=[],
            metavar="TEXT",
            help="string taken out of every response before reading it; may be repeated",
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
            }
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
        with staged_folder(options["output"]) as folder:
            rows = self._rows(files, _rules(options))
            counter = _score_rows(rows, scorers, options["exclude"], folder / RESPONSES_FILE)
            report = _report(files[0].model, counter, scorers, categories)
            write_published_files(folder, report)
            write_metrics(folder, report)
        return report

    def _rows(self, files: list[ResponseFile], rules: RowRules) -> Iterator[ResponseRow]:
        count = 0
        for file in files:
            for row in read_rows(file, rules):
                count += 1
                if count % PROGRESS_EVERY == 0:
                    self.say(_("%(count)d responses read") % {"count": count})
                yield row
        self.say(
            ngettext("%(count)d response scored", "%(count)d responses scored", count)
            % {"count": count}
        )


def _rates_line(method: str, label: str, rates: Mapping[str, float]) -> str:
    return (
        f"{method} ({label}): RR {rates['response_rate']:.2%}"
        f"  ACC {rates['accuracy']:.2%}  CA {rates['conditional_accuracy']:.2%}"
    )


def _scorers(text: str) -> tuple[Scorer, ...]:
    names = list(dict.fromkeys(name.strip() for name in text.split(",")))
    unknown = [name for name in names if name not in SCORERS]
    if unknown:
        raise ArgumentTypeError(
            _("unknown method %(names)s; there are: %(known)s")
            % {"names": ", ".join(unknown), "known": ", ".join(SCORERS)}
        )
    scorers = tuple(SCORERS[name] for name in names)
    if len({scorer.key_kind for scorer in scorers}) > 1:
        raise ArgumentTypeError(
            _("methods for numbers and for option letters can't be used on the same answers")
        )
    return scorers


def _rules(options: dict[str, Any]) -> RowRules:
    return RowRules(
        option_count=options["option_count"],
        script=SCRIPT_LETTERS[options["language"]],
        key_kind=options["scorers"][0].key_kind,
    )


def _score_rows(
    rows: Iterator[ResponseRow], scorers: tuple[Scorer, ...], excluded: list[str], target: Path
) -> ScoreCounter:
    counter = ScoreCounter()
    with target.open("w", encoding="utf-8", newline="\n") as lines:
        for row in rows:
            scored = score_response(
                row.response, key=row.key, asked=row.asked, scorers=scorers, excluded=excluded
            )
            counter.add(row.subject, row.epoch, row.asked.letters.count, scored)
            lines.write(response_line(row, scored))
    return counter


def _report(
    model: str,
    counter: ScoreCounter,
    scorers: tuple[Scorer, ...],
    categories: Mapping[str, str] | None,
) -> ScoreReport:
    return ScoreReport(
        model=model,
        response_count=counter.response_count,
        option_counts=counter.option_counts,
        random_baseline=random_baseline(counter.option_counts),
        methods=tuple(counter.metrics(scorer, categories) for scorer in scorers),
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
        parts.append(_("Subjects that no category holds: %s.") % ", ".join(error.without_category))
    if error.without_responses:
        parts.append(
            _("Subjects of a category that have no response: %s.")
            % ", ".join(error.without_responses)
        )
    return " ".join(parts)
