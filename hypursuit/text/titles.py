"""Titles without what a site puts into every one of them."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

_JOINT = re.compile(r"\s+[-\u2013\u2014|\u00b7\u2022\u00bb\u00ab:]+\s+|:\s+|\s*\|\s*|\s+::\s+")
_SHARE = 0.3
_FEWEST = 4


def short_titles(titles: Sequence[str]) -> tuple[str, ...]:
    """Cut first and last parts that many titles share: "Hashing - Guide - Acme 3.1" becomes "Hashing".

    Parts stand between dashes, bars and colons. A part is cut where at least 30 % of the titles begin or end with it;
    a title that consists of nothing else stays as it is.
    """
    split = [_parts(title) for title in titles]
    needed = max(_FEWEST, _SHARE * len(titles))
    for end in (-1, 0):
        while True:
            shared = Counter(parts[end][0] for parts in split if len(parts) > 1)
            common = {text for text, count in shared.items() if count >= needed}
            if not common:
                break
            split = [_without(parts, end) if len(parts) > 1 and parts[end][0] in common else parts for parts in split]
    return tuple("".join(text + joint for text, joint in parts).strip() for parts in split)


def _parts(title: str) -> list[tuple[str, str]]:
    """The parts of a title, each with the joint that follows it."""
    parts, place = [], 0
    for joint in _JOINT.finditer(title):
        parts.append((title[place : joint.start()].strip(), joint.group()))
        place = joint.end()
    parts.append((title[place:].strip(), ""))
    return [part for part in parts if part[0]] or [(title.strip(), "")]


def _without(parts: list[tuple[str, str]], end: int) -> list[tuple[str, str]]:
    if end == 0:
        return parts[1:]
    *rest, (text, _) = parts[:-1]
    return [*rest, (text, "")]
