"""Fonts of this machine for characters that the standard fonts of PDF lack."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import NamedTuple

from fontTools.ttLib import TTCollection, TTFont, TTLibError

from companion.errors import NoFonts

FONT_FOLDERS: tuple[Path, ...] = (Path("/usr/share/fonts"), Path("/usr/local/share/fonts"))

PREFERRED_FAMILIES = (
    "DejaVuSans",
    "NotoSans",
    "FreeSans",
    "LiberationSans",
    "NotoSansCJK",
    "DroidSansFallback",
)
"""Font families that are tried first: plain ones with many alphabets."""

FONT_PACKAGES = "fonts-noto-core fonts-noto-cjk fonts-symbola"
"""Debian packages with fonts for nearly all of Unicode."""

UNWANTED_STYLES = re.compile(r"italic|oblique|mono|condensed|light|thin|color", re.IGNORECASE)

JOINERS = frozenset("\u200c\u200d\ufe0e\ufe0f")
"""Characters that only control how their neighbours are drawn: no font needs to have them."""


class Face(NamedTuple):
    """One font of a file; ``number`` is its index in a collection."""

    path: Path
    number: int


@cache
def files() -> tuple[Path, ...]:
    """Return the font files of this machine that can be embedded in a PDF and suit a sheet, sorted."""
    found = (path for folder in FONT_FOLDERS for path in folder.rglob("*.[ot]t[cf]"))
    return tuple(sorted(path for path in found if not UNWANTED_STYLES.search(path.stem)))


@lru_cache(maxsize=64)
def covered_code_points(path: Path) -> tuple[tuple[Face, frozenset[int]], ...]:
    """Return each font of a file with the code points that it covers; empty if it cannot be read."""
    try:
        with TTCollection(path, lazy=True) if path.suffix == ".ttc" else TTFont(path, lazy=True) as opened:
            fonts = opened.fonts if isinstance(opened, TTCollection) else [opened]
            return tuple(
                (Face(path, number), frozenset(font.getBestCmap() or {}))
                for number, font in enumerate(fonts)
                if {"glyf", "CFF "} & set(font.keys())
            )
    except (OSError, TTLibError, ValueError, AssertionError):
        return ()


def rank_font_files(script: str, bold: bool) -> list[Path]:
    """Return the font files in the order to try for a script, which is named as in Unicode."""

    def rank(path: Path) -> tuple[bool, int, bool, Path]:
        family, _, weight = path.stem.partition("-")
        at = PREFERRED_FAMILIES.index(family) if family in PREFERRED_FAMILIES else len(PREFERRED_FAMILIES)
        other = script not in path.stem.upper()
        return (at == len(PREFERRED_FAMILIES) and other, at, ("Bold" in weight) != bold, path)

    return sorted(files(), key=rank)


def uncovered_characters(text: str, faces: Iterable[Face]) -> set[str]:
    """Return the characters of a text that none of the given fonts covers."""
    known = {
        code
        for face in faces
        for own, codes in covered_code_points(face.path)
        if own == face
        for code in codes
    }
    return {sign for sign in text if sign not in JOINERS and ord(sign) not in known}


def faces(text: str, bold: bool = False) -> list[Face]:
    """Return fonts that together cover a text, the one for its first characters first.

    Raises
    ------
    NoFonts
        If this machine has no font for a character; the text names the packages to install.
    """
    chosen: list[Face] = []
    while wanted := uncovered_characters(text, chosen):
        sign = next(sign for sign in text if sign in wanted)
        found = next(fonts_covering(sign, bold), None)
        if found is None:
            raise NoFonts(
                f"this machine has no font for {sign!r} (U+{ord(sign):04X}); "
                f"as root: apt-get install {FONT_PACKAGES}"
            )
        chosen.append(found)
    return chosen


def fonts_covering(sign: str, bold: bool) -> Iterator[Face]:
    """Yield the fonts that cover a character, the best suited first."""
    script = unicodedata.name(sign, "").partition(" ")[0] or "none"
    for path in rank_font_files(script, bold):
        for face, codes in covered_code_points(path):
            if ord(sign) in codes:
                yield face
