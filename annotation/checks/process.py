"""Checks texts in a process of their own, so that an import reads and writes in the meantime.

The two processes take turns on a pair of pipes: a list of texts goes one way, what the checks
find in each goes the other way. The child keeps nothing, so it may be killed at any time.
"""

import gc
import os
import pickle
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO, Protocol

from annotation.checks.catalogue import check_text
from annotation.checks.catalogue.base import CheckedText, CheckInput, Problem
from common.processes import give_way

CHILD_FROM = 1000
FULL_LIST = 500
_ROOT = Path(__file__).resolve().parents[2]


class Checker(Protocol):
    """Takes texts and gives back what is wrong with each; every `send` has its `receive`."""

    def send(self, texts: Sequence[CheckedText]) -> None: ...

    def receive(self) -> list[list[Problem]]: ...


class CheckHere:
    """Checks in this process, when the problems are asked for."""

    def __init__(self) -> None:
        self._texts: Sequence[CheckedText] = ()

    def send(self, texts: Sequence[CheckedText]) -> None:
        self._texts = texts

    def receive(self) -> list[list[Problem]]:
        return check_texts(self._texts)


class CheckBeside:
    """Checks in a child process from when the texts are sent; if that dies, in this process.

    The child is started when a list is so long that more will follow. It takes a moment to start,
    so the first CHILD_FROM texts are checked in this process.
    """

    def __init__(self) -> None:
        self._here = CheckHere()
        self._child: subprocess.Popen[bytes] | None = None
        self._sent = 0
        self._is_beside = False

    def send(self, texts: Sequence[CheckedText]) -> None:
        self._here.send(texts)
        if not self._sent and len(texts) >= FULL_LIST:
            self._child = _start_child()
        self._is_beside = self._sent >= CHILD_FROM
        self._sent += len(texts)
        if self._is_beside and self._child and self._child.stdin:
            try:
                pickle.dump(texts, self._child.stdin, pickle.HIGHEST_PROTOCOL)
                self._child.stdin.flush()
            except OSError:
                self.close()

    def receive(self) -> list[list[Problem]]:
        if self._is_beside and self._child and self._child.stdout:
            try:
                found: list[list[Problem]] = pickle.load(self._child.stdout)  # noqa: S301 - our own
            except (OSError, EOFError, pickle.UnpicklingError):
                self.close()
            else:
                return found
        return self._here.receive()

    def close(self) -> None:
        """End the child; whatever is sent from now on is checked here."""
        child, self._child = self._child, None
        if child:
            child.kill()
            child.communicate()


@contextmanager
def check_beside() -> Iterator[Checker]:
    """Yield a checker in a child process that ends with the block, or one here on one processor."""
    if len(os.sched_getaffinity(0)) == 1:
        yield CheckHere()
        return
    checker = CheckBeside()
    try:
        yield checker
    finally:
        checker.close()


def check_texts(texts: Sequence[CheckedText]) -> list[list[Problem]]:
    return [check_text(CheckInput(*text)) for text in texts]


def answer(asked: BinaryIO, answers: BinaryIO) -> None:
    """Check texts in the child until nobody asks any more, or hears the answer."""
    with suppress(EOFError, BrokenPipeError):
        while True:
            texts = pickle.load(asked)  # noqa: S301 - written by the process that started this one
            pickle.dump(check_texts(texts), answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()


def _start_child() -> subprocess.Popen[bytes] | None:
    """Start this module as a program, in a session of its own so that Ctrl-C asks only the parent."""
    try:
        return subprocess.Popen(
            [sys.executable, "-m", "annotation.checks.process"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=_ROOT,
            env={**os.environ, "PYTHONPATH": str(_ROOT)},
            start_new_session=True,
        )
    except OSError:
        return None


if __name__ == "__main__":
    give_way()
    gc.freeze()  # or each collection looks through all modules and patterns again
    answer(sys.stdin.buffer, sys.stdout.buffer)
