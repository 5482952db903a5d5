"""Pictures to values: locate tiles, read them, fit tableaux, steady over frames."""

from companion.reading.reader import Reader

__all__ = ["Reader"]
