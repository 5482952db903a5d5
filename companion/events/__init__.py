"""The record of every game: its log, its encoding, and its projections."""
