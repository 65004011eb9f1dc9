"""A leaf between its store and its clusters: pages read, organised, and the merge tree kept beside them."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from hypursuit.clustering.organise import ClusterSettings, Collection, SiteClusters, organise, recall
from hypursuit.errors import NothingToCluster

if TYPE_CHECKING:
    from routers.store import Store

_KEPT = "clusters"


def read_collection(store: Store, settings: ClusterSettings = ClusterSettings()) -> Collection:
    """The pages of a store that stand for themselves, in crawl order, links to their other addresses included."""
    collection = Collection.of(store.pages(), store.other_addresses(), settings.considered)
    if not collection.urls:
        raise NothingToCluster(f"{store.path} holds no pages; crawl the site first: hypursuit crawl {store.root}")
    return collection


def organise_store(store: Store, settings: ClusterSettings = ClusterSettings()) -> SiteClusters:
    """The clusters of a store's pages.

    On sites too large to cluster at a glance the merge tree is kept in the store and used again for as long as the
    pages and the settings stay the same.
    """
    collection = read_collection(store, settings)
    if len(collection.urls) <= settings.at_a_glance:
        return organise(collection, settings)
    key = _fingerprint(collection, settings)
    kept = store.kept(_KEPT)
    if kept is not None and kept.startswith(key):
        return recall(collection, settings, kept[len(key) :])
    made = organise(collection, settings)
    store.keep(_KEPT, key + made.to_bytes())
    return made


def _fingerprint(collection: Collection, settings: ClusterSettings) -> bytes:
    """Of everything the merge tree depends on: terms, links and settings."""
    digest = hashlib.blake2b(settings.described().encode(), digest_size=16)
    terms, links = collection.terms, collection.adjacency
    for part in ("\n".join(collection.urls), "\n".join(map(str, terms.terms))):
        digest.update(part.encode("utf-8", "surrogatepass"))
    for array in (terms.counts.indptr, terms.counts.indices, terms.counts.data, links.indptr, links.indices):
        digest.update(array.tobytes())
    return digest.digest()
