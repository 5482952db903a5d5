"""Lattices of tiles and squares, both boards' geometry, and homographies."""
