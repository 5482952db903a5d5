"""Few-shot classification of tile sets without training: a head is fitted to a set's own pictures at start.

The trained networks detect tiles and embed their strokes; the symbols are learnt in a second or two from a
few examples of each, stored as one picture beside the set.
"""
