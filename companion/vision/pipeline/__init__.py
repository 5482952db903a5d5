"""The pipeline from a frame to its reading."""
