"""Benchmarks behind ``hypursuit bench``: one module each, ratios against a peer in the same run."""
