"""Formats of tournaments as pure functions: who plays whom next, and how players stand.

Nothing here looks at a clock, a file or a random number: every draw follows from a published seed.
"""
