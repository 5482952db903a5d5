"""Colours of an overlay; none of them tells anything alone, the line or the sign differs too."""

PAPER = "#ffffff"
INK = "#0b1220"
"""Nearly black: edges lines and labels so that they stand out from anything."""

TABLEAUX = ("#3b82f6", "#d946ef", "#0891b2", "#a16207", "#7c3aed", "#be123c")
LOOSE = "#f8fafc"
DOWN = "#cbd5e1"
HATCH = "#334155"
DOUBT = "#ffb703"

VALID = "#22c55e"
INVALID = "#ff2d2d"
UNSURE = "#e2e8f0"

MUTED = "#94a3b8"


def tableau_ink(number: int) -> str:
    """Return the colour of a tableau, counted from 0; they repeat after six."""
    return TABLEAUX[number % len(TABLEAUX)]
