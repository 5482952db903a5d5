"""Pages of a PDF: lines of text and rules on paper of a known size.

Lengths are in millimetres, from the paper's top left corner.
"""

from __future__ import annotations

from fpdf import FPDF

from companion.paper import Paper
from companion.paper.fonts import Face, faces

BASELINE_RATIO = 0.3
"""Distance of the baseline below the top of a cell without height, in font sizes (fpdf2)."""

CORE_FONT_ENCODING = "cp1252"
"""The encoding of PDF's standard fonts."""


class Pages:
    """Pages of one PDF.

    Text of any alphabet may be written; NoFonts is raised where this machine has no font for it.

    Parameters
    ----------
    paper
        Its size.
    landscape
        Whether it lies on its side.
    """

    def __init__(self, paper: Paper, landscape: bool = False) -> None:
        self.paper = paper
        sides = (paper.height, paper.width) if landscape else (paper.width, paper.height)
        self.width, self.height = sides
        self._pdf = FPDF(unit="mm", format=(paper.width, paper.height))
        self._pdf.set_auto_page_break(False)
        self._pdf.set_creator("tableau-companion")
        self._pdf.core_fonts_encoding = CORE_FONT_ENCODING
        self._pdf.alias_nb_pages("")  # a name may have any character and stays unchanged
        self._pdf.c_margin = 0
        self._landscape = landscape

    def new_page(self, title: str) -> None:
        """Begin a page; ``title`` is the document's title."""
        self._pdf.add_page(orientation="L" if self._landscape else "P")
        self._pdf.set_title(title)

    def text(
        self, text: str, x: float, y: float, points: float, *, bold: bool = False, align: str = "L"
    ) -> None:
        """Write a line of text, its baseline at y, its left (``L``), middle (``C``) or right (``R``) at x."""
        wide = self.wide(text, points, bold=bold)
        self._pdf.set_xy(
            x - {"L": 0.0, "C": wide / 2, "R": wide}[align], y - BASELINE_RATIO * self._pdf.font_size
        )
        self._pdf.cell(wide, 0, text)

    def wide(self, text: str, points: float, *, bold: bool = False) -> float:
        """Return the width of a line of text."""
        self._font(text, points, bold)
        return float(self._pdf.get_string_width(text))

    def wrapped(self, text: str, width: float, points: float, *, bold: bool = False) -> list[str]:
        """Return a text wrapped to lines of at most ``width`` mm; a longer word is split."""
        lines: list[str] = []
        for word in text.split():
            longer = f"{lines[-1]} {word}" if lines else word
            if lines and self.wide(longer, points, bold=bold) <= width:
                lines[-1] = longer
            else:
                lines += self._parted(word, width, points, bold)
        return lines

    def _parted(self, word: str, width: float, points: float, bold: bool) -> list[str]:
        """Return a word split into pieces of at most ``width`` mm."""
        if len(word) < 2 or self.wide(word, points, bold=bold) <= width:
            return [word]
        pieces = [word[0]]
        for sign in word[1:]:
            if self.wide(pieces[-1] + sign, points, bold=bold) <= width:
                pieces[-1] += sign
            else:
                pieces.append(sign)
        return pieces

    def line(self, start: tuple[float, float], end: tuple[float, float], wide: float) -> None:
        """Draw a black line."""
        self._pdf.set_draw_color(0)
        self._pdf.set_line_width(wide)
        self._pdf.line(*start, *end)

    def done(self) -> bytes:
        """Return the PDF."""
        return bytes(self._pdf.output())

    def _font(self, text: str, points: float, bold: bool) -> None:
        """Set the font for a text: a standard font of PDF, or fonts of this machine."""
        try:
            text.encode(CORE_FONT_ENCODING)
        except UnicodeEncodeError:
            first, *more = [self._added(face) for face in faces(text, bold)]
            self._pdf.set_font(first, size=points)
            self._pdf.set_text_shaping(True)
            self._pdf.set_fallback_fonts(more)
        else:
            self._pdf.set_text_shaping(False)
            self._pdf.set_fallback_fonts([])
            self._pdf.set_font("Helvetica", "B" if bold else "", points)

    def _added(self, face: Face) -> str:
        """Return the name of a font in this PDF; embed it at its first use."""
        name = f"{face.path.stem}-{face.number}".lower()
        if name not in self._pdf.fonts:
            self._pdf.add_font(name, fname=face.path, collection_font_number=face.number)
        return name
