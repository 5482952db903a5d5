"""Drills: what a table and its pages must bear, done to them on purpose, and what was lost by it."""
