"""Query language, scoring, the index of pages, best-first search over labels."""
