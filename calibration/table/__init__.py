"""The table in a picture: where it lies, who sits where, and whether the camera still stands as it did."""
