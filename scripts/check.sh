#!/bin/sh
# Runs every fast check and names those that failed; exit 1 if any did.
set -u

BIN=.venv/bin
failed=""
export DJANGO_SETTINGS_MODULE=config.settings.test

try() { # name command…
    name="$1"
    shift
    if output=$("$@" 2>&1); then
        echo "ok      $name"
        echo "$output" | grep '^Warning' # such as texts that are not translated yet
    else
        echo "FAILED  $name"
        echo "$output"
        failed="$failed $name"
    fi
}

try lint "$BIN/ruff" check --quiet .
try format "$BIN/ruff" format --check --quiet .
try types "$BIN/mypy"
try imports "$BIN/lint-imports"
try templates "$BIN/djlint" --lint --quiet templates
try "template format" "$BIN/python" -m scripts.template_format --check
try "css format" "$BIN/python" scripts/format_styles.py --check
try messages "$BIN/python" scripts/messages.py check
try "check pages" "$BIN/python" scripts/check_pages.py --check
try system "$BIN/python" manage.py check --fail-level WARNING
try migrations "$BIN/python" manage.py makemigrations --check --dry-run
try schema "$BIN/python" manage.py spectacular --validate --fail-on-warn --file /dev/null

if [ -n "$failed" ]; then
    echo "Failed:$failed" >&2
    exit 1
fi
