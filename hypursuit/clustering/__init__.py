"""Complete link, the merge tree, names and representative pages."""

from hypursuit.clustering.complete_link import complete_link, merge_tree, sparse_merge_tree
from hypursuit.clustering.tree import ClusterTree

__all__ = ["ClusterTree", "complete_link", "merge_tree", "sparse_merge_tree"]
