"""Many strings in two arrays, so that they can stand in a memory-mapped file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Self, overload

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Strings(Sequence[str]):
    """A sequence of strings, decoded when asked for.

    The order of their UTF-8 bytes is that of their characters, so a sorted sequence can be bisected.
    """

    __slots__ = ("ends", "text")

    def __init__(self, text: NDArray[np.uint8], ends: NDArray[np.unsignedinteger]) -> None:
        self.text, self.ends = text, ends
        """(bytes,) all strings in a row; (n + 1,) where each begins, and where the last ends."""

    @classmethod
    def of(cls, strings: Iterable[str]) -> Self:
        """Lay out strings in the order given."""
        # Crawled text may hold lone surrogates.
        encoded = [string.encode("utf-8", "surrogatepass") for string in strings]
        ends = np.fromiter(accumulate(map(len, encoded), initial=0), np.int64, len(encoded) + 1)
        return cls(np.frombuffer(b"".join(encoded), np.uint8), smallest(ends))

    def __len__(self) -> int:
        return len(self.ends) - 1

    @overload
    def __getitem__(self, index: int) -> str: ...
    @overload
    def __getitem__(self, index: slice) -> list[str]: ...
    def __getitem__(self, index: int | slice) -> str | list[str]:
        if isinstance(index, slice):
            return [self[i] for i in range(*index.indices(len(self)))]
        if not -len(self) <= index < len(self):
            raise IndexError(f"there are {len(self)} strings, not {index}")
        index %= len(self)
        return self.text[self.ends[index] : self.ends[index + 1]].tobytes().decode("utf-8", "surrogatepass")

    def __iter__(self) -> Iterator[str]:
        text, ends = self.text.tobytes(), self.ends.tolist()
        for start, end in pairwise(ends):
            yield text[start:end].decode("utf-8", "surrogatepass")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(str.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # compares with lists, which have none


def smallest(numbers: NDArray[np.integer]) -> NDArray[np.unsignedinteger]:
    """The same numbers, none negative, in the smallest type that holds them."""
    highest = int(numbers.max(initial=0))
    return numbers.astype(np.min_scalar_type(highest))
