"""From HTML text to a :class:`Page`; URLs, robots rules, frontier order. No fetching."""
