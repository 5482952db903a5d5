"""Pictures to values: detect tiles, classify them, fit tableaux, track them over frames."""

from companion.vision.pipeline.reader import Reader

__all__ = ["Reader"]
