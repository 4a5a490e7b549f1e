# What scripts/test.sh and scripts/test_slow.sh share: the servers, the browser, and one part of a run.
# Read by `.`; the last line of a run is written by `finish`.

BIN=.venv/bin
WORKERS="${LOTSAWA_TEST_WORKERS:-2}"
LOGS=$(mktemp -d)
BEGAN=$(date +%s)
failed=0
trap 'rm -rf "$LOGS"' EXIT

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

# Names the servers in LOTSAWA_TEST_REDIS_URL and, for the parts on PostgreSQL alone, in `database`.
find_servers() {
    database="${LOTSAWA_TEST_DATABASE_URL:-}"
    unset LOTSAWA_TEST_DATABASE_URL
    if [ -z "$database" ] && listens 127.0.0.1 5432; then
        database=postgres://postgres@127.0.0.1:5432/lotsawa
        if ! accepts "$database" 2>/dev/null; then
            echo "PostgreSQL on loopback does not let postgres in; set LOTSAWA_TEST_DATABASE_URL to test on it."
            database=""
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

# Runs pytest as one part of the whole, and goes on where tests fail: one run tells all that is broken.
part() { # name, then the arguments of pytest
    name="$1"
    shift
    echo "== $name"
    begun=$(date +%s)
    { "$BIN/pytest" -q -n "$WORKERS" "$@" || echo $? >"$LOGS/failed"; } | tee "$LOGS/output"
    tail -n 1 "$LOGS/output" >>"$LOGS/counts"
    if [ -e "$LOGS/failed" ]; then failed=1; fi
    echo "$name: $(minutes "$begun")" >>"$LOGS/times"
}

minutes() { # since when
    spent=$(($(date +%s) - $1))
    printf '%d:%02d' $((spent / 60)) $((spent % 60))
}

count() { # what
    grep -oE "[0-9]+ ($1)" "$LOGS/counts" | awk '{ sum += $1 } END { print sum + 0 }'
}

# Prints the time of each part and, as the last line, what became of the tests of all parts.
finish() {
    echo "== times"
    cat "$LOGS/times"
    echo "in all: $(minutes "$BEGAN")"
    echo "$(count passed) passed, $(count 'failed|errors?') failed, $(count skipped) skipped"
    exit "$failed"
}
