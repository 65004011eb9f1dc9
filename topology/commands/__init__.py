"""One file per sub-command of `hypursuit`."""
