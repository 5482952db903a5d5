"""Pictures to values: detect tiles, classify them, fit tableaux, track them over frames."""
