"""The second reader: Tesseract, for tiles in doubt."""

from companion.vision.ocr.tesseract import Tesseract

__all__ = ["Tesseract"]
