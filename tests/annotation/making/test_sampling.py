"""A sample has good prompts of every topic, no near-duplicate twice, and is the same for the same seed."""

import json

import numpy as np
import pytest

from annotation.asking.answers import Unusable
from annotation.making.base import Fault
from annotation.making.from_pool.pool import PoolPrompt, read_pool
from annotation.making.from_pool.prompting import Scores, read_scores
from annotation.making.from_pool.sampling import Candidate, Topic, draw, find_topics


def pool_of(*rows: tuple[int, int, int]) -> list[Candidate]:
    """Candidates of topic, near-duplicates and score; the line is their place."""
    return [Candidate(line, *row) for line, row in enumerate(rows, start=1)]


def lines(found: list[Candidate]) -> list[int]:
    return [each.line for each in found]


def test_topics_take_turns_with_their_best_and_near_duplicates_count_once() -> None:
    pool = pool_of((0, 1, 15), (0, 1, 14), (0, 2, 13), (0, 3, 12), (1, 4, 5), (1, 5, 4), (2, 6, 9))
    assert lines(draw(pool, count=5, seed=1)) == [1, 7, 5, 3, 6]
    assert lines(draw(pool, count=100, seed=1)) == [1, 7, 5, 3, 6, 4]


def test_seed_decides_between_equal_scores_and_nothing_else() -> None:
    pool = pool_of(*((0, n, 9) for n in range(20)), (0, 20, 10))
    first = lines(draw(pool, count=5, seed=1))
    assert first[0] == 21
    assert first == lines(draw(pool[::-1], count=5, seed=1)) != lines(draw(pool, count=5, seed=2))


def test_short_sample_is_filled_up_and_a_full_one_stays() -> None:
    pool = pool_of((0, 1, 9), (0, 1, 15), (0, 2, 8), (1, 3, 5))
    drawn = pool[:1]
    assert lines(draw(pool, count=3, seed=1, drawn=drawn)) == [4, 3]
    assert draw(pool, count=1, seed=1, drawn=drawn) == []


def test_vectors_that_are_alike_share_a_topic_and_a_group() -> None:
    angles = np.array([0.0, 0.1, 0.2, 1.5, 1.6, 3.0, 3.1, 4.5, 0.0])
    vectors = np.stack([np.cos(angles), np.sin(angles)], axis=1).astype(np.float32)
    vectors[-1] = 0
    topics = find_topics(vectors, most=100, seed=1, threshold=0.99)
    assert [each.twins for each in topics] == [0, 0, 0, 1, 1, 2, 2, 3, 4]
    assert len({each.number for each in topics}) == 2
    assert topics == find_topics(vectors, most=100, seed=1, threshold=0.99)
    alike = np.zeros((600, 2), np.float32)
    assert find_topics(alike, most=9, seed=1, threshold=0.9) == [Topic(0, 0)] * 600
    assert find_topics(alike[:0], most=9, seed=1, threshold=0.9) == []


def test_pool_is_read_as_text_json_or_csv() -> None:
    rows = {"prompt": "Why?", "id": 7}, {"prompt": "How?", "subject": "law"}
    read = [PoolPrompt(1, "Why?", id="7"), PoolPrompt(2, "How?", subject="law")]
    assert read_pool("\n".join(map(json.dumps, rows))) == (read, [])
    table = 'id, "prompt",subject \n7, Why?,\n,"How?",law\n'
    assert [each.uid for each in read_pool(table)[0]] == [each.uid for each in read]
    texts = "[1] Why, and how?\r\n\r\nHow?"
    assert read_pool(texts)[0] == [PoolPrompt(1, "[1] Why, and how?"), PoolPrompt(3, "How?")]


def test_lines_without_a_prompt_or_with_a_known_one_say_why() -> None:
    rows = [{"prompt": "Why?"}, {"prompt": " Why? "}, {"prompt": ""}, {"prompt": "x" * 10_001}]
    rows.append({"prompt": "How?", "subject": "x" * 101})
    assert read_pool("\n".join([*map(json.dumps, rows), "{"])) == (
        [PoolPrompt(1, "Why?")],
        [
            Fault("same_prompt", 2, {"line": 1}), Fault("no_prompt", 3),
            Fault("prompt_too_long", 4, {"most": 10_000}),
            Fault("subject_too_long", 5, {"most": 100}), Fault("no_prompt", 6),
        ],
    )  # fmt: skip


def test_scores_are_whole_numbers_from_1_to_5() -> None:
    good = {"specificity": 4, "clarity": 1, "depth": 5}
    assert read_scores(f"Here it is: {json.dumps(good)}") == Scores(4, 1, 5)
    for wrong in (0, 6, 4.0, "4", True, None):
        with pytest.raises(Unusable, match="“depth” is not a whole number from 1 to 5"):
            read_scores(json.dumps({**good, "depth": wrong}))
