"""Paper to print: its sizes, and text on it in whatever alphabet it is written (``companion.paper.page``)."""

from companion.paper.sizes import MARGIN_MM, PAPERS, Paper

__all__ = ["MARGIN_MM", "PAPERS", "Paper"]
