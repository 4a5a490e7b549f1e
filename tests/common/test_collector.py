"""The collector rests in a block, and goes on after it whatever happened."""

import gc

import pytest

from common.collector import without_collector


def test_collector_rests_in_the_block_and_goes_on_after_an_error() -> None:
    with pytest.raises(KeyError), without_collector():
        assert not gc.isenabled()
        raise KeyError
    assert gc.isenabled()


def test_block_inside_a_block_does_not_start_it() -> None:
    with without_collector():
        with without_collector():
            pass
        assert not gc.isenabled()
    assert gc.isenabled()
