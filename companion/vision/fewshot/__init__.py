"""Tiles that nobody trained for: a set's own pictures teach the reader its symbols when it starts.

The trained network tells what is a tile and sees its strokes; which symbol they make is learnt in a second or
two from a few examples of each, kept as one picture beside the set.
"""
