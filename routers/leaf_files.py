"""What a leaf serves from: index, label and sub-clusters of its store's pages, made once and kept beside the store."""

from __future__ import annotations

import hashlib
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import msgspec
import numpy as np

from hypursuit.clustering.organise import ClusterSettings
from hypursuit.errors import MalformedLabel
from hypursuit.label.budget import LabelBudget
from hypursuit.label.make import leaf_label
from hypursuit.label.sources import LeafSource
from hypursuit.label.wire import decode, encode
from routers.leaf import organise_store
from routers.page_index import current_index
from routers.sealed import read_sealed, write_sealed
from routers.store import Store

if TYPE_CHECKING:
    from pathlib import Path

    from numpy.typing import NDArray

    from hypursuit.label.content import ContentLabel
    from hypursuit.query.index import PageIndex

SUFFIX = ".leaf"
_LIMIT = 64 << 20


class _Kept(msgspec.Struct, array_like=True, frozen=True):
    """The kept file. Positional: append only."""

    key: str
    """Of everything that the rest depends on."""
    membership: bytes
    label: bytes


@dataclass(frozen=True, slots=True, eq=False)
class LeafContents:
    """Everything a leaf router needs; replaced as a whole after a crawl."""

    store: Path
    root: str
    """The site's root page."""
    index: PageIndex
    label: ContentLabel
    membership: NDArray[np.uint16]
    """(pages,): the sub-cluster of the label that each page of the index is in."""
    aliases: dict[str, tuple[str, ...]]
    """Page → its further addresses."""


def prepare_leaf(
    name: str,
    url: str,
    store: Path,
    budget: LabelBudget | None = None,
    settings: ClusterSettings = ClusterSettings(),
) -> LeafContents:
    """Open what a leaf serves from; made first, which takes seconds, where the pages have changed since.

    Args:
        name: of the leaf's router, in its label.
        url: where the router answers.
        store: the site's store, crawled.
        budget: of the label; a leaf's by default.
        settings: how the pages are clustered.

    Raises:
        StoreUnusable: the store cannot be read, or nothing can be written beside it.
        NothingToCluster: it holds no pages.
    """
    budget = budget or LabelBudget.leaf()
    with Store.open(store) as opened:
        index = current_index(opened)
        path, key = store.with_suffix(SUFFIX), _key(name, opened, budget, settings)
        before = _read(path)
        if before is not None and before.key == key and len(before.membership) == len(index.urls):
            label, membership = before.label, before.membership
        else:
            label, membership = _made(name, url, opened, index, budget, settings)
        if before is None or label is not before.label or label.url != url:
            # Later than any label before, also if the files were lost: parents refuse what seems to be older.
            version = max(int(time.time()), before.label.version + 1 if before else 0)
            label = replace(label, url=url, version=version)
            _write(path, _Opened(key, membership, label))
        return LeafContents(store, opened.root, index, label, membership, _aliases(opened))


def _made(
    name: str, url: str, store: Store, index: PageIndex, budget: LabelBudget, settings: ClusterSettings
) -> tuple[ContentLabel, NDArray[np.uint16]]:
    clusters = organise_store(store, settings)
    sizes = {record.url: record.size for record in store.records()}
    label = leaf_label(
        name, url, index, clusters, budget, sizes=[sizes[page] for page in index.urls], links=store.links()
    )
    membership = LeafSource(index, clusters, len(label.clusters)).membership.astype("<u2")
    return label, membership


@dataclass(frozen=True, slots=True, eq=False)
class _Opened:
    key: str
    membership: NDArray[np.uint16]
    label: ContentLabel


def _read(path: Path) -> _Opened | None:
    content = read_sealed(path)
    if content is None:
        return None
    try:
        kept = msgspec.msgpack.decode(content, type=_Kept)
        return _Opened(kept.key, np.frombuffer(kept.membership, "<u2"), decode(kept.label, _LIMIT))
    except (msgspec.MsgspecError, MalformedLabel, ValueError):
        return None  # of another version: made again


def _write(path: Path, opened: _Opened) -> None:
    kept = _Kept(opened.key, opened.membership.tobytes(), encode(opened.label))
    write_sealed(path, msgspec.msgpack.encode(kept))


def _key(name: str, store: Store, budget: LabelBudget, settings: ClusterSettings) -> str:
    facts = (name, store.fingerprint(), budget, settings.described())
    return hashlib.blake2b(repr(facts).encode(), digest_size=16).hexdigest()


def _aliases(store: Store) -> dict[str, tuple[str, ...]]:
    found: dict[str, list[str]] = {}
    for alias, page in sorted(store.aliases().items()):
        found.setdefault(page, []).append(alias)
    return {page: tuple(aliases) for page, aliases in found.items()}
