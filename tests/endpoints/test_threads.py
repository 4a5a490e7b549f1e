"""A loop in one thread calls into another; whatever is thrown into that one, no call is lost."""

import os
import random
import signal
import threading
from collections.abc import Iterator
from types import FrameType

import pytest

from endpoints.threads import CallerThread


class Thrown(BaseException):
    """What a signal handler throws between two steps of the program."""


class Thrower:
    """Throws into the main thread, as an interrupt or a time limit does, while it is armed."""

    def __init__(self) -> None:
        self.is_armed = False

    def handle(self, number: int, frame: FrameType | None) -> None:
        if self.is_armed:
            self.is_armed = False
            raise Thrown

    def signal_after(self, seconds: float) -> threading.Timer:
        timer = threading.Timer(seconds, os.kill, (os.getpid(), signal.SIGUSR1))
        timer.start()
        return timer


@pytest.fixture
def thrower() -> Iterator[Thrower]:
    found = Thrower()
    before = signal.signal(signal.SIGUSR1, found.handle)
    yield found
    found.is_armed = False
    signal.signal(signal.SIGUSR1, before)


def test_calls_are_made_in_the_serving_thread_in_their_order() -> None:
    caller, made = CallerThread(), []

    def note(n: int) -> threading.Thread:
        made.append(n)
        return threading.current_thread()

    def main() -> set[threading.Thread]:
        return {caller.submit(note, n).result() for n in range(5)}

    assert caller.serve(main, on_interrupt=made.clear) == {threading.current_thread()}
    assert made == [0, 1, 2, 3, 4]


def test_fault_of_a_call_goes_to_who_asked_for_it() -> None:
    caller = CallerThread()

    def main() -> str:
        with pytest.raises(ZeroDivisionError):
            caller.submit(lambda: 1 // 0).result()
        return "went on"

    assert caller.serve(main, on_interrupt=lambda: None) == "went on"


def test_exception_at_any_moment_loses_no_call(thrower: Thrower) -> None:
    chance, thrown = random.Random(7), 0
    for _round in range(100):
        caller, made = CallerThread(), set()

        def main(caller: CallerThread = caller, made: set[int] = made) -> None:
            for n in range(60):
                try:
                    caller.submit(made.add, n).result(timeout=120)
                except InterruptedError:
                    caller.submit(made.add, n).result(timeout=120)

        timer = thrower.signal_after(chance.uniform(0, 0.004))
        try:
            thrower.is_armed = True
            caller.serve(main, on_interrupt=lambda: None)
        except Thrown:
            thrown += 1
        thrower.is_armed = False
        timer.join()
        assert made == set(range(60)) or not made

    assert thrown > 10
