"""Training of the reader's two networks from drawn pictures alone."""
