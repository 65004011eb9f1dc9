"""The services: fetching, storage and the life of a leaf, on aiohttp."""
