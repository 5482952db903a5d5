"""Formats of tournaments as pure functions: pairings of the next round, and standings.

Nothing here reads a clock, a file or a random number: every draw follows from a published seed.
"""
