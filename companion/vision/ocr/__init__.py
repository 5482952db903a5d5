"""The second reader: Tesseract, for tiles in doubt."""

from companion.vision.ocr.recheck import SymbolReader, agree, ask_ocr, recheck_with_ocr
from companion.vision.ocr.tesseract import Tesseract

__all__ = ["SymbolReader", "Tesseract", "agree", "ask_ocr", "recheck_with_ocr"]
