#!/bin/sh
# Collects every text for people into locale/en/LC_MESSAGES/django.po, the source of translations.
set -eu

command -v xgettext >/dev/null 2>&1 || {
    echo "Texts cannot be collected: there is no xgettext. On Debian or Ubuntu: apt-get install gettext" >&2
    exit 1
}
mkdir -p locale/en/LC_MESSAGES
exec .venv/bin/python manage.py makemessages --locale en --add-location file --no-wrap \
    --ignore .venv --ignore var --ignore tests --ignore benchmarks "$@"
