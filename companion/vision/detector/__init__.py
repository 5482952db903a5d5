"""Detection of tiles in a picture at any scale, and of pyramids by their colours."""
