"""The second reader: Tesseract, for tiles in doubt and for tile sets that the network does not know."""

from companion.reading.second.again import looked_at_again
from companion.reading.second.interface import DEADLINE_S, SymbolReader
from companion.reading.second.settled import Settled, settled
from companion.reading.second.tesseract import Tesseract

__all__ = ["DEADLINE_S", "Settled", "SymbolReader", "Tesseract", "looked_at_again", "settled"]
