"""Content labels: bounded summaries of what lies below a router, and upper bounds on what can be found there."""
