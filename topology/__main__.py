"""``python -m topology``: the same as ``hypursuit``."""

from topology.cli import main

main()
