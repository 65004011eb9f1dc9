"""Complete link, the merge tree, names, portraits and the map of clusters."""

from hypursuit.clustering.complete_link import complete_link, merge_tree, sparse_merge_tree
from hypursuit.clustering.drawing import draw_map
from hypursuit.clustering.map import MapLayout, lay_out
from hypursuit.clustering.naming import name_clusters
from hypursuit.clustering.portrait import ClusterPortrait, HeavyTerm, describe
from hypursuit.clustering.tree import ClusterTree

__all__ = [
    "ClusterPortrait",
    "ClusterTree",
    "HeavyTerm",
    "MapLayout",
    "complete_link",
    "describe",
    "draw_map",
    "lay_out",
    "merge_tree",
    "name_clusters",
    "sparse_merge_tree",
]
