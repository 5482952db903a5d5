"""Synthetic pictures of tables with ground truth, for training, evaluation and tests.

``scene`` draws a whole table in grey, which ``materials`` colours; ``equations`` and ``volcano`` draw boards
in colour; ``marker_tables`` and ``lens_board`` draw calibration targets.  Lengths on the table are in tile
sides.  Every function takes its random generator (numpy.random.Generator), so the same seed and fonts draw
the same picture.
"""
