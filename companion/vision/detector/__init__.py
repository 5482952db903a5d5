"""Tiles found in a picture: at any scale, by colour where grey does not tell, and pyramids."""
