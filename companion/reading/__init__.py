"""Pictures to values: locate tiles, read them, fit tableaux, steady over frames."""
