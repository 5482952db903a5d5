"""A table that is drawn and wired in memory, for a demo and for tests without a Pi; it knows no game."""
