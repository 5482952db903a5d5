"""Grids of tiles and squares, the geometry of both boards, and homographies."""
