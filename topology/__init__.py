"""Shape and life of a network of routers, and the command line."""
