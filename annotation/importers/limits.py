"""Limits on the size of what an import reads."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ImportLimits:
    """Sizes in bytes; `archive_ratio` is unpacked size over packed size.

    `json_bytes` bounds files that can only be read as a whole, `rows` those of a whole import.
    `memory_bytes` is what a process that reads a file may take, 0 for any amount.
    """

    row_bytes: int = 1_000_000
    file_bytes: int = 200_000_000
    json_bytes: int = 50_000_000
    total_bytes: int = 1_000_000_000
    small_bytes: int = 50_000_000
    memory_bytes: int = 400_000_000
    archive_ratio: int = 100
    files: int = 10_000
    rows: int = 1_000_000
    columns: int = 16_384

    def decoded_bytes(self, packed: int) -> int:
        """Return how many bytes a table file of `packed` bytes may hold once it is decoded.

        Workbooks and Parquet files store a text once and refer to it, so that a short one can
        stand for any amount. Up to `small_bytes` nobody minds.
        """
        return min(self.total_bytes, max(self.small_bytes, self.archive_ratio * packed))
