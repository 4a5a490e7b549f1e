"""What processes of ours spend on garbage collections."""

import gc

from common.processes import quick_collections


def test_collections_inside_others_leave_out_the_same_until_the_outer_ones_end() -> None:
    gc.unfreeze()
    try:
        with quick_collections():
            with quick_collections():
                pass
            inside = gc.get_freeze_count()
        after = gc.get_freeze_count()
    finally:
        gc.freeze()

    assert inside > 0
    assert after == 0
