"""How well clusters agree with a given truth."""
