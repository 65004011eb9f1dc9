"""HyPursuit: one search over many sites whose documents stay where they are.

This package is the pure part: no sockets, no event loop, no clock, no global state.
"""

__version__ = "0.1.0"
