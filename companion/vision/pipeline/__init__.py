"""A frame's way from the picture to its reading."""
