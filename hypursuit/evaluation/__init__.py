"""How well clusters agree with a given truth."""

from hypursuit.evaluation.clusters import SiteComparison, category_table, compare_methods, url_directories

__all__ = ["SiteComparison", "category_table", "compare_methods", "url_directories"]
