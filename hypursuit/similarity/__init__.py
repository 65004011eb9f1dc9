"""Term, link and hybrid similarity [W96 eq. 1-9]."""
