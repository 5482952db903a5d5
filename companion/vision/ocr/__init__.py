"""The second reader: Tesseract, for tiles in doubt and for tile sets that the network does not know."""

from companion.vision.ocr.fusion import Settled, settled
from companion.vision.ocr.interface import SymbolReader
from companion.vision.ocr.recheck import asked, weighed
from companion.vision.ocr.tesseract import Tesseract

__all__ = ["Settled", "SymbolReader", "Tesseract", "asked", "settled", "weighed"]
