"""The SentenceTransformer interface of the duplicate search."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from annotation.duplicates.dedupe import ngrams
from annotation.duplicates.embeddings import (
    HASHED_NGRAMS,
    Embedder,
    EmbeddingModelMissing,
    SentenceEmbedder,
    load_embedder,
)

TEXTS = ["བོད་ཡིག་གི་སློབ་དེབ།", "ພາສາລາວ", "", "下列哪个正确？", "A longer English sentence, here."]


@pytest.fixture(scope="module")
def embedder() -> Embedder:
    return load_embedder(HASHED_NGRAMS, batch_size=2)


def test_load_embedder_default_equals_the_plain_vectors(embedder: Embedder) -> None:
    vectors = embedder.encode(TEXTS)
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(vectors, ngrams.encode(TEXTS), rtol=0, atol=1e-6)


def test_load_embedder_default_is_a_sentence_transformer(embedder: SentenceEmbedder) -> None:
    assert embedder.dimensions == ngrams.DIMENSIONS


def test_encode_nothing_gives_no_rows(embedder: Embedder) -> None:
    assert embedder.encode([]).shape == (0, ngrams.DIMENSIONS)


@pytest.mark.parametrize("name", ["nobody/no-such-model", "/nowhere/at/all", "{folder}"])
def test_load_embedder_model_that_is_not_here_is_refused_in_words(
    name: str, tmp_path: Path
) -> None:
    model = name.format(folder=tmp_path)
    with pytest.raises(EmbeddingModelMissing, match=model) as refusal:
        load_embedder(model)
    assert refusal.value.code == "embedding_model_missing"


def test_importing_embeddings_does_not_import_torch() -> None:
    script = (
        "import sys; import annotation.duplicates.embeddings, annotation.duplicates.dedupe.near; "
        "print(sorted({'torch', 'sentence_transformers', 'transformers'} & set(sys.modules)))"
    )
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings.test"}
    command = [sys.executable, "-c", script]
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"
