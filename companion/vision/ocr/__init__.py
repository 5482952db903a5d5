"""The second reader: Tesseract, for tiles in doubt and for tile sets that the network does not know."""

from companion.vision.ocr.fusion import Settled, settled
from companion.vision.ocr.interface import DEADLINE_S, SymbolReader
from companion.vision.ocr.recheck import looked_at_again
from companion.vision.ocr.tesseract import Tesseract

__all__ = ["DEADLINE_S", "Settled", "SymbolReader", "Tesseract", "looked_at_again", "settled"]
