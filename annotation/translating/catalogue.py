"""The strategies by name."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from annotation.translating.plain_engines import PlainEngine
from annotation.translating.strategies import (
    BestOfN,
    Fuse,
    Rank,
    SelfCheck,
    Single,
    Strategy,
)

STRATEGIES: Final[Mapping[str, Strategy]] = MappingProxyType(
    {each.name: each for each in (Single(), SelfCheck(), BestOfN(), Fuse(), Rank(), PlainEngine())}
)
