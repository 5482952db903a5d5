"""Fonts for drawn tiles: which are for training, which are kept for reporting."""

from __future__ import annotations

import re
from functools import cache, lru_cache
from pathlib import Path

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

FOLDERS = (Path("/usr/share/fonts"), Path("/usr/share/texmf/fonts"))

PACKAGES = (
    "fonts-adf-gillius fonts-averia-sans-gwf fonts-b612 fonts-cabin fonts-cantarell fonts-clear-sans fonts-comfortaa "
    "fonts-comic-neue fonts-courier-prime fonts-crosextra-carlito fonts-dejavu fonts-dkg-handwriting fonts-dosis "
    "fonts-ebgaramond fonts-freefont-ttf fonts-hack fonts-inter fonts-jura fonts-karla fonts-lato fonts-league-spartan "
    "fonts-liberation2 fonts-linuxlibertine fonts-manrope fonts-national-park fonts-noto-core fonts-open-sans "
    "fonts-opendin fonts-oxygen fonts-paratype fonts-play fonts-quicksand fonts-roboto-slab fonts-roboto-unhinted "
    "fonts-sil-andika fonts-texgyre fonts-urw-base35 fonts-vollkorn"
).split()
"""Debian packages whose fonts the training draws with."""

KEPT_APART = ("Roboto-", "NotoSans-", "PTS", "PTC", "Carlito", "ClearSans", "NationalPark", "Play", "Manrope")
"""Beginnings of the file names of fonts that accuracy is reported on; never trained on."""

PLAIN = (
    "AveriaSansGWF B612- Cabin- Cantarell- Comfortaa ComicNeue DejaVuSans- DejaVuSans. DejaVuSansCondensed Dosis "
    "FreeSans GilliusADF- GilliusADFNo2- Hack Inter InterDisplay Jura Karla- Lato LeagueSpartan LiberationSans "
    "NimbusSans OpenSans OSP-DIN Oxygen Quicksand texgyreheros texgyreadventor URWGothic Andika LinBiolinum"
).split()
SERIFED = (
    "texgyrecursor DejaVuSansMono DejaVuSerif LiberationMono Courier RobotoSlab FreeSerif LiberationSerif "
    "LinLibertine_R C059 URWBookman Vollkorn EBGaramond12 dkg. dkgBd"
).split()
WEIGHTS = re.compile(
    r"(Regular|Medium|Semi-?Bold|Bold|Demi|Book|Roman|ExtraBold|Heavy|Black|_RB?|GWF|dkg(Bd)?|DIN|Sans|Serif|Mono|Code)$",
    re.I,
)
UNWANTED = re.compile(r"italic|oblique|\[|thin|light|hairline|outline|cond(light)|Bd?Ita|_RB?I|_Z", re.I)

CANVAS = 96
CAPITAL = 50
"""Side of a glyph's square mask and height of its capitals, in mask pixels."""


@cache
def fonts_named(beginnings: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the upright fonts whose file names begin so, lightest weights left out, sorted."""
    found = {
        path.name: path
        for folder in FOLDERS
        for path in sorted(folder.rglob("*.[ot]tf"))
        if path.name.startswith(beginnings) and WEIGHTS.search(path.stem) and not UNWANTED.search(path.stem)
    }
    return tuple(found[name] for name in sorted(found))


def training_fonts() -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """Return the plain and the serifed fonts for training; none of those kept apart."""
    return fonts_named(tuple(PLAIN)), fonts_named(tuple(SERIFED))


def reporting_fonts() -> tuple[Path, ...]:
    """Return the fonts that accuracy is reported on."""
    wanted = ("Bold", "Medium", "SemiBold", "Semibold", "75F", "Regular", "Heavy")
    return tuple(
        p
        for p in fonts_named(KEPT_APART)
        if p.stem.endswith(wanted) or "PTS75" in p.stem or "PTC75" in p.stem
    )


@lru_cache(maxsize=20000)
def glyph(font: Path, text: str) -> NDArray[np.uint8] | None:
    """Return the mask of a text drawn with a font, shape (96, 96), uint8, 255 where ink is.

    Capitals stand 50 pixels high and the text is centred on the middle of a
    capital; what would not fit is shrunk and moved until it does.  ``None``
    where the font lacks one of the characters.
    """
    face = _sized(font)
    drawn = _inked(face, text)
    if drawn is None or any(_same(drawn, face, mark) for mark in ("\uffff", "\ufffe")):
        return None
    _, top, _, bottom = face.getbbox("H")
    ink = face.getbbox(text)
    room = 0.9 * CANVAS
    scale = min(1.0, room / max(drawn.shape))
    middle = scale * ((ink[1] + ink[3]) - (top + bottom)) / 2
    small = cv2.resize(drawn, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA) if scale < 1 else drawn
    height, width = small.shape
    lowest = (room - height) / 2
    y = round((CANVAS - height) / 2 + min(lowest, max(-lowest, middle)))
    x = (CANVAS - width) // 2
    mask = np.zeros((CANVAS, CANVAS), np.uint8)
    mask[y : y + height, x : x + width] = small
    return mask


def _inked(face: ImageFont.FreeTypeFont, text: str) -> NDArray[np.uint8] | None:
    """Return the text cut out to its ink, or ``None`` where it has none."""
    left, top, right, bottom = face.getbbox(text)
    if right <= left or bottom <= top:
        return None
    picture = Image.new("L", (int(right - left), int(bottom - top)), 0)
    ImageDraw.Draw(picture).text((-left, -top), text, fill=255, font=face)
    return np.asarray(picture)


def _same(drawn: NDArray[np.uint8], face: ImageFont.FreeTypeFont, mark: str) -> bool:
    """Return whether a font draws a character it lacks just so."""
    other = _inked(face, mark)
    return other is not None and other.shape == drawn.shape and bool(np.array_equal(other, drawn))


@cache
def _sized(font: Path) -> ImageFont.FreeTypeFont:
    """Return a font at the size whose capital H is ``CAPITAL`` pixels high."""
    probe = ImageFont.truetype(str(font), 100)
    _, top, _, bottom = probe.getbbox("H")
    return ImageFont.truetype(str(font), round(100 * CAPITAL / max(1, bottom - top)))
