"""The second reader: Tesseract, for tiles in doubt and for tile sets that the network does not know."""

from companion.vision.ocr.recheck import Fused, SymbolReader, ask_ocr, fuse, recheck_with_ocr
from companion.vision.ocr.tesseract import Tesseract

__all__ = [
    "Fused",
    "SymbolReader",
    "Tesseract",
    "ask_ocr",
    "fuse",
    "recheck_with_ocr",
]
