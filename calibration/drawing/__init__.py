"""Drawn pictures of tables with known truth, for training and for tests.

A scene is drawn in grey.  Lengths on the table are in tile sides: one unit is
the side of a tile.  Every function takes its random generator, so the same
seed draws the same picture.
"""
