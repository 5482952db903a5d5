"""The second reader: Tesseract, for tiles in doubt."""

from companion.vision.ocr.recheck import SymbolReader, ask_ocr
from companion.vision.ocr.tesseract import Tesseract

__all__ = ["SymbolReader", "Tesseract", "ask_ocr"]
