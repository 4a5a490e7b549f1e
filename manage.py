#!/usr/bin/env python
"""Entry point of every command: `manage.py <command>`."""

import os
import sys

from django.core.management import execute_from_command_line

from common.private_files import keep_private


def main() -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    keep_private()
    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
