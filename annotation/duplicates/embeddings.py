"""Encoders of texts behind one interface; torch is imported when one is loaded, not before.

Only the worker loads encoders. The default needs no weights and works for every script; any other
name is a SentenceTransformer folder or the name of a model that is on this machine already.
"""

from collections.abc import Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from annotation.duplicates.dedupe import ngrams
from annotation.duplicates.dedupe.ngrams import Vectors
from annotation.duplicates.errors import EmbeddingModelMissing

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

HASHED_NGRAMS = "hashed-ngrams"


class Embedder(Protocol):
    def encode(self, texts: Sequence[str]) -> Vectors:
        """Return (n, d) float32 rows of length 1, in the order of `texts`."""


class SentenceEmbedder:
    """A SentenceTransformer as an `Embedder`."""

    def __init__(self, model: "SentenceTransformer", *, batch_size: int) -> None:
        self._model = model
        self._batch_size = batch_size

    @property
    def dimensions(self) -> int:
        return self._model.get_embedding_dimension() or 0

    def encode(self, texts: Sequence[str]) -> Vectors:
        if not texts:
            return np.zeros((0, self.dimensions), np.float32)
        rows = self._model.encode(
            list(texts),
            batch_size=self._batch_size,
            show_progress_bar=False,
            normalize_embeddings=True,
        )
        return np.asarray(rows, np.float32)


def load_embedder(model: str = HASHED_NGRAMS, *, batch_size: int = ngrams.BATCH) -> Embedder:
    """Load a model into this process (seconds, some 500 MB).

    Nothing is downloaded. Raises EmbeddingModelMissing for a model that is not here or is no
    SentenceTransformer.
    """
    if model == HASHED_NGRAMS:
        return SentenceEmbedder(_hashed_model(), batch_size=batch_size)
    return SentenceEmbedder(_local_model(model), batch_size=batch_size)


def _hashed_model() -> "SentenceTransformer":
    from sentence_transformers import SentenceTransformer

    return SentenceTransformer(modules=[_hashed_module_class()()], device="cpu")


def _local_model(model: str) -> "SentenceTransformer":
    from sentence_transformers import SentenceTransformer

    try:
        return SentenceTransformer(model, local_files_only=True)
    except (OSError, ValueError) as error:
        raise EmbeddingModelMissing(model=model) from error


@lru_cache(maxsize=1)
def _hashed_module_class() -> type[Any]:
    """Make the SentenceTransformer module once torch may be imported."""
    import torch
    from sentence_transformers.base.modules.input_module import InputModule

    class HashedNgrams(InputModule):  # type: ignore[misc, unused-ignore]
        """Input module whose sentence embedding is `annotation.duplicates.dedupe.ngrams.encode`."""

        def preprocess(
            self, inputs: Sequence[Any], prompt: str | None = None, **_options: Any
        ) -> dict[str, torch.Tensor]:
            texts = [prompt + text for text in inputs] if prompt else list(inputs)
            return {"sentence_embedding": torch.from_numpy(ngrams.encode(texts))}

        def forward(
            self, features: dict[str, torch.Tensor], **_options: Any
        ) -> dict[str, torch.Tensor]:
            return features

        def get_embedding_dimension(self) -> int:
            return ngrams.DIMENSIONS

        def save(self, output_path: str, *_args: Any, **_options: Any) -> None:
            self.save_config(output_path)

        @classmethod
        def load(cls, *_args: Any, **_options: Any) -> "HashedNgrams":
            return cls()

    return HashedNgrams
