"""Paper to print: its sizes, and text on it in whatever alphabet it is written."""

from companion.paper.page import MARGIN_MM, PAPERS, Pages, Paper

__all__ = ["MARGIN_MM", "PAPERS", "Pages", "Paper"]
