#!/bin/sh
# Runs the suite: on PostgreSQL and Redis where they are, then all of it on SQLite, whatever the first
# part found, so that one run tells all that is broken. The last line is pytest's own and counts the
# whole suite. Arguments go to the whole run.
set -eu

BIN=.venv/bin
WORKERS="${LOTSAWA_TEST_WORKERS:-2}"
# A file's tests stay together; tests/conftest.py says which files go first.
SPREAD="--dist loadfile --no-loadscope-reorder"

listens() { # host port
    "$BIN/python" - "$1" "$2" <<'PYTHON'
import socket, sys
try:
    socket.create_connection((sys.argv[1], int(sys.argv[2])), timeout=1).close()
except OSError:
    sys.exit(1)
PYTHON
}

accepts() { # database URL
    "$BIN/python" - "$1" <<'PYTHON'
import sys
from urllib.parse import urlsplit
import psycopg
url = urlsplit(sys.argv[1])
try:
    psycopg.connect(f"postgresql://{url.netloc}/postgres", connect_timeout=2).close()
except psycopg.Error as error:
    sys.exit(str(error))
PYTHON
}

find_servers() {
    if [ -z "${LOTSAWA_TEST_DATABASE_URL:-}" ] && listens 127.0.0.1 5432; then
        found=postgres://postgres@127.0.0.1:5432/lotsawa
        if accepts "$found" 2>/dev/null; then
            LOTSAWA_TEST_DATABASE_URL="$found"
        else
            echo "PostgreSQL on loopback does not let postgres in; set LOTSAWA_TEST_DATABASE_URL to test on it."
        fi
    fi
    if [ -z "${LOTSAWA_TEST_REDIS_URL:-}" ] && listens 127.0.0.1 6379; then
        export LOTSAWA_TEST_REDIS_URL=redis://127.0.0.1:6379/15
    fi
}

find_browser() {
    for name in chromium-headless-shell chromium chromium-browser google-chrome; do
        if command -v "$name" >/dev/null 2>&1; then return 0; fi
    done
    return 1
}

install_package() { # names
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >/dev/null
}

install_browser() {
    if find_browser; then return 0; fi
    if [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        echo "Installing Chromium and fonts for the browser tests."
        { apt-get update -qq && install_package fonts-noto-core fonts-noto-cjk &&
            # Where there is no package of the shell, the whole browser does it too.
            { install_package chromium-headless-shell 2>/dev/null || install_package chromium; }; } || true
    fi
    find_browser || echo "The browser tests will be skipped: there is no Chromium." \
        "Install it with: sudo apt-get install chromium fonts-noto-core fonts-noto-cjk"
}

"$BIN/python" scripts/messages.py compile # translations may be newer than what was compiled
find_servers
install_browser
database="${LOTSAWA_TEST_DATABASE_URL:-}"
unset LOTSAWA_TEST_DATABASE_URL
failed=0

if [ -n "$database" ]; then
    echo "== on PostgreSQL: every test that reads or writes rows"
    LOTSAWA_TEST_DATABASE_URL="$database" "$BIN/pytest" -q -n "$WORKERS" $SPREAD \
        -m "(database or postgres) and not browser" || failed=$?
else
    echo "== no PostgreSQL here: tests run on SQLite only (LOTSAWA_TEST_DATABASE_URL names a server)"
fi
echo "== on SQLite: the whole suite"
"$BIN/pytest" -q -n "$WORKERS" $SPREAD "$@" || failed=$?
exit "$failed"
