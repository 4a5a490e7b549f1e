"""Lets an event loop in one thread run functions in the thread that waits for it."""

import signal
import threading
from collections import deque
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future
from contextlib import contextmanager
from queue import SimpleQueue
from types import FrameType
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class CallerThread(Executor):
    """An executor whose worker is the thread that calls `serve`.

    A signal handler may raise between any two steps of that thread. So a call stays at the head
    of the queue until it has been made: one that an exception kept from being made is made by
    the next round, and one that was made already is known by its future.
    """

    def __init__(self) -> None:
        self._calls: deque[Callable[[], None] | None] = deque()
        self._wake: SimpleQueue[None] = SimpleQueue()

    def submit(
        self, function: Callable[P, T], /, *arguments: P.args, **named: P.kwargs
    ) -> Future[T]:
        """Queue a call for the serving thread."""
        future: Future[T] = Future()

        def call() -> None:
            try:
                if future.done() or not future.set_running_or_notify_cancel():
                    return
                future.set_result(function(*arguments, **named))
            except BaseException as error:
                is_ordinary = isinstance(error, Exception)
                if not future.done():
                    future.set_exception(error if is_ordinary else InterruptedError("interrupted"))
                if not is_ordinary:
                    raise

        self._put(call)
        return future

    def serve(self, main: Callable[[], T], *, on_interrupt: Callable[[], None]) -> T:
        """Run `main` in a new thread and what it submits in this one; return what it returns.

        An exception thrown into this thread from outside (an interrupt, a task's time limit)
        calls `on_interrupt`, lets `main` come to its end and is raised then.
        """
        future: Future[T] = Future()

        def work() -> None:
            _fill(future, main)
            self._put(None)

        thread = threading.Thread(target=work, name="lotsawa-engine", daemon=True)
        try:
            thread.start()
            self._work_off()
        except BaseException:
            on_interrupt()
            if thread.ident is not None:  # it did start
                self._work_off()
            raise
        thread.join()
        return future.result()

    def _put(self, call: Callable[[], None] | None) -> None:
        self._calls.append(call)
        self._wake.put(None)

    def _work_off(self) -> None:
        """Make the calls as they come, until None. May be begun again after an exception."""
        while True:
            while self._calls:
                call = self._calls[0]
                if call is None:
                    return
                call()
                self._calls.popleft()
            self._wake.get()


def _fill(future: Future[T], function: Callable[[], T]) -> None:
    try:
        future.set_result(function())
    except BaseException as error:  # noqa: BLE001 - it travels to the other thread, which raises it
        future.set_exception(error)


@contextmanager
def flag_on_sigterm() -> Iterator[threading.Event]:
    """Give an event that SIGTERM sets; in another than the main thread nothing sets it.

    On leaving, the handler of before is back, and is called when the signal came meanwhile.
    """
    flag = threading.Event()
    if threading.current_thread() is not threading.main_thread():
        yield flag
        return

    def handle(number: int, frame: FrameType | None) -> None:
        flag.set()

    before = signal.signal(signal.SIGTERM, handle)
    try:
        yield flag
    finally:
        signal.signal(signal.SIGTERM, before)
    if flag.is_set() and callable(before):
        before(signal.SIGTERM, None)
