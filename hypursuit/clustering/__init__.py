"""Complete link, the merge tree, names and representative pages."""
